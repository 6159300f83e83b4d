"""The tables in README.md and docs, written between their marks: ``python -m texsamp.fidelity.pages FILES``."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from texsamp.fidelity.part import LABELS, Part
from texsamp.fidelity.tables import FILTERS, TABLES

_MARKED = re.compile(r"(<!-- labels: (.+?) -->\n).*?(<!-- end of labels -->)", re.DOTALL)


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def _table(parts: Iterable[Part]) -> Iterator[str]:
    yield "| part | label | basis | the gap, the readings considered, the choice |"
    yield "|---|---|---|---|"
    for part in parts:
        yield _row(part.part, part.label, part.basis, part.why)


def _overview(cell: Callable[[list[str]], str]) -> Iterator[str]:
    """A row for each filter. cell: what stands for the names of its parts that have one label."""
    yield _row("filter", *LABELS)
    yield "|---" * (1 + len(LABELS)) + "|"
    pipe = [part for part in FILTERS["procamp"] if part in FILTERS["tcc"]]
    rows = {f"`{name}`": [part for part in parts if part not in pipe] for name, parts in FILTERS.items()}
    rows["the pipe of the color filters"] = pipe
    for name, parts in rows.items():
        yield _row(name, *(cell([part.part for part in parts if part.label == label]) for label in LABELS))


def _color_pipe() -> Iterator[Part]:
    """Parts of the color filters, each once."""
    names = ("procamp", "csc", "skintone", "gamut", "tcc", "contrast")
    yield from dict.fromkeys(part for name in names for part in FILTERS[name])


_OVERVIEWS: dict[str, Callable[[list[str]], str]] = {
    "numbers of parts": lambda parts: str(len(parts) or ""),
    "all filters": "; ".join,
}


def _lines(name: str) -> Iterator[str]:
    if name in _OVERVIEWS:
        return _overview(_OVERVIEWS[name])
    return _table(_color_pipe() if name == "color pipe" else TABLES[name])


def with_labels(text: str) -> str:
    """A page with the tables of its marks filled in; KeyError names one that does not exist."""
    return _MARKED.sub(lambda found: found[1] + "\n".join(_lines(found[2])) + "\n" + found[3], text)


if __name__ == "__main__":
    for page in map(Path, sys.argv[1:]):
        page.write_text(with_labels(page.read_text(encoding="utf-8")), encoding="utf-8")
