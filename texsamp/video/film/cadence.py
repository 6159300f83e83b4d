"""Cadences: how many fields each picture of a film lasts, and every way a row of fields can follow one (ours)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import accumulate

import numpy as np

from texsamp.device.base import Array

CADENCES: dict[str, tuple[int, ...]] = {
    "32": (3, 2),
    "22": (2,),
    "2332": (2, 3, 3, 2),
    "32322": (3, 2, 3, 2, 2),
    "2224": (2, 2, 2, 4),
    "euro": (*(2,) * 11, 3),
    "44": (4,),
    "55": (5,),
    "66": (6,),
    "64": (6, 4),
    "87": (8, 7),
}
"""Fields of each picture in turn; the names are what `film` may be."""

TELL_ORDER = "55", "87"
"""Cadences whose fields come again as no other's do, in the wrong order neither: 2332 looks like 3:2 then."""


def spoken(name: str) -> str:
    """A cadence's name for people: 3:2, 2:2, 2x11:3."""
    return "2x11:3" if name == "euro" else ":".join(name)


@dataclass(frozen=True)
class Rhythm:
    """A cadence that begins at one of its fields: field f is field (f + offset) mod ``length`` of the cycle."""

    name: str
    offset: int

    @property
    def runs(self) -> tuple[int, ...]:
        """Fields of each picture of a cycle."""
        return CADENCES[self.name]

    @property
    def length(self) -> int:
        """Fields of a cycle."""
        return sum(self.runs)

    def place(self, field: int) -> tuple[int, int, int]:
        """Of a field: the number of its picture in the cycle, its number in the picture, and the fields of that."""
        at = (field + self.offset) % self.length
        ends = list(accumulate(self.runs))
        picture = next(n for n, end in enumerate(ends) if at < end)
        return picture, at - ends[picture] + self.runs[picture], self.runs[picture]

    def begins(self, fields: Array) -> Array:
        """Which fields begin a picture."""
        begins: Array = _starts(self.name)[(fields + self.offset) % self.length]
        return begins

    def repeats(self, fields: Array) -> Array:
        """Which fields equal the one two before: the third of their picture and those after it."""
        places = (fields + self.offset) % self.length
        starts = _starts(self.name)
        repeats: Array = ~(starts[places] | starts[places - 1])
        return repeats


@cache
def _starts(name: str) -> Array:
    """Which fields of a cadence's cycle begin a picture; not to be written."""
    starts = np.zeros(sum(CADENCES[name]), bool)
    starts[[0, *accumulate(CADENCES[name])][:-1]] = True
    starts.flags.writeable = False
    return starts


@cache
def rhythms(film: str) -> tuple[Rhythm, ...]:
    """All rhythms of a cadence, or of all of them ("auto")."""
    names = CADENCES if film == "auto" else (film,)
    return tuple(Rhythm(name, offset) for name in names for offset in range(sum(CADENCES[name])))
