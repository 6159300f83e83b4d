"""The report of a processed video: what went in and what came out, over time and as pictures."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from numpy.typing import NDArray

from texsamp.report.columns import Columns
from texsamp.report.curves import HEIGHT, WIDTH, curves, place_of
from texsamp.report.page import page, script_data, templates
from texsamp.report.pictures import Image
from texsamp.report.worst import Shown, shown, worst_place

_FRAMES = 8
_REMEMBERED = 16
"""Frames that went in and are kept for those that filters still hold."""

Time = Fraction | None


@dataclass(frozen=True)
class _Pair:
    frame: int
    time: Time
    made: Image
    source: Image | None


class ProcessReport:
    """Takes frames in both directions as they pass, and makes the page.

    Shown are frames at equal distances: every n-th, of which every second is dropped when there are too many.
    """

    def __init__(self) -> None:
        """DeviceError without jinja2."""
        templates()
        self._in, self._out = Columns(), Columns()
        self._sources: deque[tuple[Time, Callable[[], Image]]] = deque(maxlen=_REMEMBERED)
        self._kept: list[_Pair] = []
        self._every = 1

    def add_source(self, luma: NDArray[Any], bits: int, time: Time, picture: Callable[[], Image]) -> None:
        """The next frame that goes in: its first plane, when it is shown, and what gives its 8-bit RGB picture."""
        self._in.add(luma, bits)
        self._sources.append((time, picture))

    def add_made(self, luma: NDArray[Any], bits: int, time: Time, picture: Callable[[], Image]) -> None:
        """The next frame that comes out; arguments as of `add_source`."""
        number = len(self._out.motion)
        self._out.add(luma, bits)
        if number % self._every:
            return
        made = picture()
        source = next((give() for when, give in self._sources if when == time and when is not None), None)
        if source is not None and source.shape != made.shape:
            source = None
        self._kept.append(_Pair(number, time, made, source))
        if len(self._kept) > _FRAMES:
            self._every *= 2
            self._kept = [pair for pair in self._kept if pair.frame % self._every == 0]

    def html(self, title: str, names: tuple[str, str], about: Sequence[tuple[str, str]], notes: Sequence[str]) -> str:
        """The page. names: of the video that went in and of the one that came out. about: facts in two columns."""
        entries = []
        for pair in self._kept:
            when = "" if pair.time is None else f"{float(pair.time):.3f} s"
            entry = asdict(_of(pair)) | {"label": f"Frame {pair.frame}", "note": when}
            entries.append(entry if pair.source is not None else entry | {"reference": None})
        frames = len(self._out.motion)
        return page(
            "processed.html",
            title=title,
            source=names[0],
            made=names[1],
            about=about,
            notes=list(notes),
            frames=entries,
            data=script_data(entries),
            kind="Frame",
            sides=("source", "made"),
            curves=[(name, curves(lines, max)) for name, lines in self._charts().items()],
            cuts=[place_of(cut, frames) for cut in self._out.cuts],
            width=WIDTH,
            height=HEIGHT,
        )

    def _charts(self) -> Mapping[str, Mapping[str, list[float]]]:
        """Of both on the axis of time: single curves together, others one chart for each."""
        charts: dict[str, Mapping[str, list[float]]] = {}
        for (name, before), after in zip(self._in.charts().items(), self._out.charts().values(), strict=True):
            if len(before) == 1:
                charts[name] = {"source": next(iter(before.values())), "made": next(iter(after.values()))}
            else:
                charts |= {f"{name} of the source": before, f"{name} of what was made": after}
        return charts


def _of(pair: _Pair) -> Shown:
    source = pair.made if pair.source is None else pair.source
    place = worst_place(source.sum(axis=2, dtype=int), pair.made.sum(axis=2, dtype=int))
    return shown(pair.frame, 0.0, source, pair.made, place, whole=False)
