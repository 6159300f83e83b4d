"""Controls for the options of filters, made from the filter table."""

from __future__ import annotations

from inspect import Parameter
from typing import Any

from texsamp.video.filter_spec import Filter, Option
from texsamp.video.filters import FILTERS
from texsamp.video.options import Choice, Either, Integer, Kind, Real
from texsamp.video.pipeline import Pipeline, stage_text
from texsamp.video.stage import Stage

_REAL_STEPS = 200


def control(kind: Kind) -> dict[str, Any]:
    """What a page needs to ask for a value: a range, a list of words, a word or something else, or text."""
    if isinstance(kind, Either):
        return {"type": "either", "name": kind.name, "other": control(kind.other)}
    if isinstance(kind, Choice):
        return {"type": "choice", "names": list(kind.names)}
    if isinstance(kind, Integer):
        return {"type": "range", "low": kind.low, "high": kind.high, "step": 1, "special": list(kind.special)}
    if isinstance(kind, Real):
        step = (kind.high - kind.low) / _REAL_STEPS
        high = kind.high if kind.closed else kind.high - step
        return {"type": "range", "low": kind.low, "high": high, "step": step, "special": []}
    return {"type": "text"}


def filter_controls() -> list[dict[str, Any]]:
    """Every filter of the table: its words, an example of its options, and a control for each."""
    made = []
    for row in FILTERS:
        options = [_option(row, option) for option in row.options]
        made.append({"name": row.name, "doc": row.doc, "example": row.examples[0], "options": options})
    return made


def _option(row: Filter, option: Option) -> dict[str, Any]:
    default = row.default(option)
    return {
        "key": option.key,
        "doc": f"{option.doc} ({option.kind.legal})",
        "default": None if default is Parameter.empty else option.kind.format(default),
        "control": control(option.kind),
    }


def chain_controls(text: str) -> list[dict[str, Any]]:
    """The filters of a text with the values of all options; without values where no control can set them.

    Raises StateError for what is no filter text.
    """
    return [_stage(stage) for stage in Pipeline.parse(text, "cpu").stages]


def _stage(stage: Stage) -> dict[str, Any]:
    row = next((row for row in FILTERS if type(stage) is row.stage), None)
    values = None if row is None else row.values_of(stage)
    if row is None or values is None:
        return {"filter": None, "text": stage_text(stage)}
    texts = {option.key: option.kind.format(values[option.key]) for option in row.options}
    return {"filter": row.name, "text": row.text(values), "values": texts}
