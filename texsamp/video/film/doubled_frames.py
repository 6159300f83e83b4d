"""Whether frames that are shown twice and more are video: what moves goes on within them (ours; docs/film.md).

They repeat their fields as a film of four fields a picture does. What each frame differs by from the last and the next
one that are not the same tells how far its second field is from its first.
"""

from __future__ import annotations

import numpy as np

from texsamp.device.base import Array
from texsamp.video.film.series import Series
from texsamp.video.film.travel import Travel
from texsamp.video.film.variances import FilmStatistics

_AGAIN, _NOISE = 0.1, 0.02
"""A frame comes again if it changes by this share of what the last other one did, beside so many squared levels."""
_FEWEST = 4
"""Frames that tell."""
_MOST = 0.08
"""Share of the way that lies within frames of film at most."""
_CLIP, _LEAST_WAY = 4.0, 0.5
"""No way counts for more than so many times the middle one; the least that counts at all, in squared levels."""


class DoubledFrames:
    """Fed with frames in a row, tells of video whose every frame comes again."""

    def __init__(self) -> None:
        self._again: Series[bool] = Series()
        self._travels: Series[tuple[float, float]] = Series()
        self._travel = Travel()
        self._last, self._last_way = 0, 0.0

    def add(self, statistics: FilmStatistics, first_parity: int, is_first: bool) -> None:
        """One more frame."""
        changes = statistics.means(statistics.tile_changes) * (not is_first)
        distances, way = statistics.means(statistics.distances), float(changes.sum())
        number = len(self._again)
        self._travels.append((0.0, 0.0))
        self._again.append(bool(not is_first and way <= _AGAIN * self._last_way + _NOISE))
        if self._again[number]:
            self._last_way /= 2  # what follows a cut moves less
            return
        _, own = self._travel.add(distances[np.newaxis], changes[np.newaxis], first_parity)
        if own is not None:
            self._travels[self._last] = float(own[0][0]), float(own[1][0])
        self._last, self._last_way = number, way

    def forget(self, end: int) -> None:
        """Frames before one will not be asked for any more."""
        for series in (self._again, self._travels):
            series.forget(min(end, self._last))

    def are_video(self, begin: int, end: int) -> bool:
        """Whether each of some frames in a row comes again, and what moves goes on within them.

        What a stream's first two frames have changed says nothing yet.
        """
        begin = max(begin, 2)
        again = np.array(self._again[begin:end])
        if len(again) < 2 or not (again[1:] | again[:-1]).all():
            return False
        asked = [one for one, comes in zip(self._travels[begin:end], again, strict=True) if one[1] and not comes]
        if len(asked) < _FEWEST:
            return False
        travels, ways = np.array(asked).T
        scale: Array = np.minimum(1.0, _CLIP * np.median(ways) / np.maximum(ways, _LEAST_WAY))
        return bool(travels @ scale > _MOST * ((ways + _LEAST_WAY) @ scale))
