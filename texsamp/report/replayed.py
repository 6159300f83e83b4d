"""The report of a replayed case: its pictures, its commands and what they used, and its kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from texsamp.report.page import page, script_data, templates
from texsamp.report.pictures import Image, exact, small
from texsamp.report.worst import CROP_PX, worst_place

_SHOWN = 8
"""Pictures to look into: those that differ most."""
_MOST_SMALL = 100
_SMALL_PX = 160
_MOST_COMMANDS = 1500
_MOST_STATES = 600
_MOST_LINES = 8000
"""Of kernels."""


@dataclass(frozen=True)
class Row:
    """A command that was executed. did: what its threads came to. states, kernels: numbers of what it used."""

    submission: str
    address: int
    name: str
    fields: str
    did: str
    milliseconds: float
    warnings: tuple[str, ...]
    states: tuple[int, ...]
    kernels: tuple[int, ...]


@dataclass(frozen=True)
class _Shown:
    label: str
    note: str
    x: int
    y: int
    width: int
    height: int
    reference: str | None
    distorted: str
    overview: str
    total_width: int
    total_height: int


class ReplayReport:
    """Takes pictures and commands as they come, and makes the page."""

    def __init__(self) -> None:
        """DeviceError without jinja2."""
        templates()
        self._small: list[tuple[str, str, str]] = []
        self._pictures = 0
        self._shown: list[tuple[float, int, _Shown]] = []
        self._rows: list[Row] = []
        self._commands = 0
        self._states: dict[str, int] = {}
        self._kernels: dict[tuple[str, ...], tuple[int, str]] = {}

    def add_picture(self, name: str, note: str, made: Image, expected: Image | None) -> None:
        """A finished picture in 8-bit RGB, and what was expected of it. note: how they compare."""
        self._pictures += 1
        if len(self._small) < _MOST_SMALL:
            self._small.append((name, note, small(made, _SMALL_PX)))
        error = 0.0
        if expected is not None:
            error = float(np.square(made.astype(np.float64) - expected).mean())
        if len(self._shown) == _SHOWN and error <= min(self._shown)[0]:
            return
        height, width, _ = made.shape
        other = made if expected is None else expected
        columns, rows = (min(CROP_PX, each) for each in (width, height))
        x, y, overview = (width - columns) // 2, (height - rows) // 2, small(made)
        if max(width, height) <= 2 * CROP_PX:
            x, y, columns, rows, overview = 0, 0, width, height, ""
        elif error:
            x, y, columns, rows = worst_place(*(image.sum(axis=2, dtype=np.int64) for image in (other, made)))
        parts = [np.ascontiguousarray(image[y : y + rows, x : x + columns]) for image in (other, made)]
        reference = None if expected is None else exact(parts[0])
        shown = _Shown(name, note, x, y, columns, rows, reference, exact(parts[1]), overview, width, height)
        self._shown.append((error, -self._pictures, shown))
        if len(self._shown) > _SHOWN:
            self._shown.remove(min(self._shown, key=lambda each: each[:2]))

    def state(self, text: str) -> int:
        """The number of a state, in words; the same words are one state."""
        return self._states.setdefault(text, len(self._states))

    def kernel(self, title: str, lines: Sequence[str]) -> int:
        """The number of a kernel, by its instructions. title: where it was found first."""
        return self._kernels.setdefault(tuple(lines), (len(self._kernels), title))[0]

    def add_command(self, row: Row) -> None:
        """The next command. Of long cases those that start threads are kept, and of all others the first."""
        self._commands += 1
        if len(self._rows) < _MOST_COMMANDS // 2 or (row.did and len(self._rows) < _MOST_COMMANDS):
            self._rows.append(row)

    def html(self, title: str, about: str, notes: Sequence[str] = ()) -> str:
        """The page. about: a line on the case."""
        kernels, left = [], _MOST_LINES
        for lines, (number, name) in self._kernels.items():
            kernels.append((number, name, lines[:left], max(len(lines) - left, 0)))
            left -= min(left, len(lines))
        entries = [asdict(shown) for *_, shown in sorted(self._shown, key=lambda each: (-each[0], -each[1]))]
        return page(
            "replayed.html",
            title=title,
            about=about,
            notes=list(notes),
            small=self._small,
            pictures=self._pictures,
            frames=entries,
            data=script_data(entries),
            kind="Picture",
            sides=("expected", "made"),
            rows=self._rows,
            commands=self._commands,
            states=[(number, text) for text, number in self._states.items()][:_MOST_STATES],
            state_count=len(self._states),
            kernels=kernels,
        )
