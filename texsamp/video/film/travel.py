"""How far what moves has come between two fields in a row, as a share of the way that it goes (ours; docs/film.md).

Fields of one picture have no part in the motion, however much their detail combs: what they differ by is the same
before and after it. Of video all pairs have an equal part, of two pictures those between them have all.
"""

from __future__ import annotations

import numpy as np

from texsamp.device.base import Array
from texsamp.video.film.series import Series, medians
from texsamp.video.film.variances import FilmStatistics

_NOISE = 0.5
"""Squared levels that pictures which stand change by."""
_MOST, _MOST_OF_REST = (0.08, 0.12), (0.02, 0.04)
"""Share of the way that lies within pictures at most, in frames' own pairs and in those of two frames; of the rest."""
_FEWEST = 2
"""Pairs of either kind that tell."""
_MOST_BACK, _FEWEST_BACK = 0.1, 4
"""Share of the way that frames' own pairs go back by at most, and how many tell; text that goes by fast seems to."""
_CLIP = 4.0
"""No pair's way counts for more than this many times the middle one."""
CUT_REACH = 2
"""Fields on either side of a pair that its travel is measured by."""


class Travel:
    """Fed with what frames in a row differ by, tells travels and ways of pairs of fields, in every tile or strip.

    ``distances`` and ``changes`` are those of `FilmStatistics` or its strips. Travels and ways are products of
    differences, made of squared ones alone (docs/film.md, (11) and (12)).
    """

    def __init__(self) -> None:
        self._last: tuple[Array, Array, Array | None] | None = None

    def add(
        self, distances: Array, changes: Array, first_parity: int
    ) -> tuple[tuple[Array, Array] | None, tuple[Array, Array] | None]:
        """Travel and way of the frame's first field and the one before it, and of the previous frame's own pair.

        None where a frame is missing: its own pair needs those before and after it.
        """
        own, top_bottom, bottom_top = distances.T
        top, bottom = changes.T
        way, last = top + bottom, self._last
        if last is None:
            self._last = own, way, None
            return None, None
        sign = 0.5 if first_parity else -0.5
        with_previous, with_current = (sign * (top_bottom - bottom_top + turn * (bottom - top)) for turn in (1, -1))
        self._last = own, way, with_current
        across = (way - own - last[0]) / 2, way
        return across, None if last[2] is None else (last[2] + with_previous, last[1] + way)


class TravelsOfAreas(Series[tuple[Array, Array]]):
    """Travels and ways of pairs, by the number of their later field, in every tile or strip.

    They are 0 where not known, those of a frame's own pair until the next frame.
    """

    def __init__(self) -> None:
        super().__init__()
        self._travel = Travel()

    def add(self, distances: Array, changes: Array, first_parity: int) -> list[int]:
        """A frame's two; numbers of the pairs that are known by it."""
        nothing = np.zeros(len(changes))
        for _ in range(2):
            self.append((nothing, nothing))
        known = []
        for back, travel in zip((2, 3), self._travel.add(distances, changes, first_parity), strict=True):
            if travel is not None:
                known.append(len(self) - back)
                self[len(self) - back] = travel
        return known


class Travels:
    """Sums of travels and ways, of a part of the tiles and of all of them."""

    def __init__(self) -> None:
        self._of_tiles = TravelsOfAreas()
        self._sums: Series[tuple[Array, Array]] = Series()

    def add(self, statistics: FilmStatistics, first_parity: int, shares: Array) -> None:
        """A frame's; ``shares`` are those of tiles in the part."""
        for _ in range(2):
            self._sums.append((np.zeros(2), np.zeros(2)))
        for field in self._of_tiles.add(statistics.distances, statistics.tile_changes, first_parity):
            self.weigh(field, shares, statistics.pixels)

    def weigh(self, field: int, shares: Array, pixels: Array) -> None:
        """Sum over tiles anew: tiles that comb the most have no part in ``shares``, but may be what moves in video."""
        if field < len(self._sums):
            both = np.column_stack([shares, pixels / pixels.sum()])
            travel, way = self._of_tiles[field]
            self._sums[field] = travel @ both, way @ both

    def of(self, begin: int, end: int) -> tuple[Array, Array]:
        """Travels and ways of fields in a row, in two columns: of the part, and of all tiles."""
        travels, ways = (np.array(one) for one in zip(*self._sums[begin:end], strict=True))
        return travels, ways

    def forget(self, end: int) -> None:
        """What was before a field will not be asked for any more."""
        self._of_tiles.forget(end)
        self._sums.forget(end)


def moves_within(
    travels: Array, ways: Array, cuts: Array, within: Array, stepping: Array, begin: int
) -> tuple[Array, Array]:
    """Of every row, whether what moves goes on within pictures: ``within`` says which pairs are of one.

    All begin at a field; ways are 0 where nothing is known. Both have two columns: without tiles that are video and
    with them. Tickers go on, too, but then the rest does not, nor need that be so certain of rows that are ``stepping``
    as film does.
    """
    known = _are_known(ways, cuts)
    are_own = _are_own(len(ways), begin)
    moves: list[Array] = []
    for column, most in enumerate((_MOST_OF_REST, _MOST)):
        travel, way = _weighed(travels[:, column], ways[:, column], known)
        found: Array = np.zeros(len(within), bool)
        for kind, least, share in zip((are_own, ~are_own), most, _MOST, strict=True):
            asked, shares = within & known & kind, np.where(stepping, share, least)
            found |= (asked.sum(1) >= _FEWEST) & ((asked * travel).sum(1) > shares * (asked * way).sum(1))
        moves.append(found)
    return moves[0] & moves[1], moves[1]


def goes_back(travels: Array, ways: Array, cuts: Array, begin: int) -> bool:
    """Whether what moves goes back from the first to the second field of frames: they come in the wrong order."""
    known = _are_known(ways, cuts) & _are_own(len(ways), begin)
    travel, way = _weighed(travels[:, 1], ways[:, 1], known)
    return bool(known.sum() >= _FEWEST_BACK and travel.sum() < -_MOST_BACK * way.sum())


def _are_known(ways: Array, cuts: Array) -> Array:
    """Pairs whose way is known, with no cut near."""
    near_cut = np.convolve(cuts, np.ones(2 * CUT_REACH + 1))[CUT_REACH:-CUT_REACH] > 0
    known: Array = (ways[:, 1] > 0) & ~near_cut
    return known


def _are_own(count: int, begin: int) -> Array:
    """Pairs of a single frame."""
    own: Array = (np.arange(count) + begin) % 2 == 1
    return own


def _weighed(travels: Array, ways: Array, known: Array) -> tuple[Array, Array]:
    """Those of known pairs, the others 0; no pair counts for much more than the middle one."""
    middle = medians(ways[known]) if known.any() else 0.0
    scale = np.where(known, np.minimum(1.0, _CLIP * middle / np.maximum(ways, _NOISE)), 0.0)
    return travels * scale, (ways + _NOISE) * scale
