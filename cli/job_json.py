"""What a job does, as lines of JSON for other programs: each has an ``event``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from fractions import Fraction
from time import perf_counter
from typing import Any

import typer

from texsamp.plan import JobPlan
from texsamp.process import ProcessResult, ProgressCallback

_EVERY_S = 0.5
"""Time between two lines of progress."""


def _line(event: str, values: dict[str, Any]) -> str:
    return json.dumps({"event": event, **values}, default=_number)


def _number(value: object) -> float:
    if isinstance(value, Fraction):
        return float(value)
    raise TypeError(f"{value!r} has no place in JSON")


@contextmanager
def json_progress(*, err: bool) -> Iterator[ProgressCallback]:
    """A callback that prints a line (frames so far, frames in all or null, seconds) now and then."""
    start = perf_counter()
    due = start + _EVERY_S

    def update(frames: int, total: int | None) -> None:
        nonlocal due
        now = perf_counter()
        if now >= due:
            due = now + _EVERY_S
            values = {"frames": frames, "total": total, "seconds": round(now - start, 3)}
            typer.echo(_line("progress", values), err=err)

    yield update


def result_json(result: ProcessResult) -> str:
    """The result of a job."""
    return _line("result", {**asdict(result), "frames_per_second": result.frames_per_second})


def plan_json(plan: JobPlan) -> str:
    """A plan."""
    return _line("plan", asdict(plan))
