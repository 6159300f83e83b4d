"""The report of benchmarks: a table for each, with bars, and what was measured before beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from texsamp.report.page import page, templates


@dataclass(frozen=True)
class Measured:
    """A table of text. note: where and when it was measured. before: an older one of the same benchmark."""

    name: str
    note: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    before: Measured | None = None

    @property
    def cells(self) -> list[list[tuple[str, float | None]]]:
        """Rows of text and, in columns of numbers, how long its bar is: a share of the largest of the column."""
        columns = [_shares(column) for column in zip_longest(*self.rows, fillvalue="")]
        return [
            [(text, columns[number][line]) for number, text in enumerate(row)] for line, row in enumerate(self.rows)
        ]


class MeasuredReport:
    """Makes the page of benchmarks."""

    def __init__(self) -> None:
        """DeviceError without jinja2."""
        templates()
        self._tables: list[Measured] = []

    def add(self, table: Measured) -> None:
        """Another benchmark."""
        self._tables.append(table)

    def html(self, title: str) -> str:
        """The page."""
        return page("measured.html", title=title, tables=self._tables)


def _shares(column: Sequence[str]) -> list[float | None]:
    """Nothing for columns that hold words, and for what is no finite number."""
    values = [_number(text) for text in column]
    if any(value is None and text for value, text in zip(values, column, strict=True)):
        return [None] * len(values)
    most = max((abs(value) for value in values if value is not None and math.isfinite(value)), default=0.0)
    return [None if value is None or not math.isfinite(value) or not most else abs(value) / most for value in values]


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
