"""What frames in a row say about film, but for light that changes from field to field (ours; docs/film.md)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from texsamp.video.film.variances import FilmParameters, FilmStatistics, measure_film
from texsamp.video.film.witnesses import HIGH_COMB
from texsamp.video.frame import Frame
from texsamp.video.light import light_differs, under_light_of

_LEAST_LEVELS = 0.5
"""Where strips of two fields differ by less on average, light is not asked about: it would have to change more."""
_EXPLAINED = 1.5
"""Light explains what changes if no more than one part in so many is left: that things move does not end a flicker."""
_MOTION_SHARE = 0.1
"""What most strips change by, of the square of what light makes their lines differ by, where all moves."""
_MOST_COMBED = 1.25
"""No pair of fields combs so many times more without light that makes them differ: text that moves does."""
_PAIRS = ((0, 0, 0, 1), (0, 0, 1, 1), (1, 0, 0, 1))
"""Frame, 1 for the one before, and parity of both fields of the pairs of `FilmStatistics`."""


class FilmMeter:
    """Fed with frames in a row, tells the statistics of each and the one before it."""

    def __init__(self, parameters: FilmParameters) -> None:
        self._parameters = parameters
        self._last: tuple[Frame, Any] | None = None
        self._is_new = False

    def measure(self, frame: Frame) -> FilmStatistics:
        """The next frame's; all but the variances are of fields under one light, if that makes them differ."""
        last = None if self._last is None else self._last[0]
        found = measure_film(frame, last, self._parameters)
        levels = found.strips.levels
        before, self._last = self._last, (frame, levels)
        if before is None:
            self._is_new = True
            return found
        frames = frame, before[0]
        if self._is_new:
            found = replace(found, before=measure_film(before[0], frame, self._parameters))
        self._is_new = False
        if not self._may_flicker(found, levels - before[1], frames):
            return found
        lit = under_light_of(0, *frames, _EXPLAINED)
        if lit is None:
            return found
        apart = tuple(light_differs(p, frames[a], q, frames[b]) for a, p, b, q in _PAIRS)
        without = measure_film(*lit, self._parameters)
        if np.any(without.means(without.combs) > _MOST_COMBED * self._possible_combs(found, without) + HIGH_COMB):
            return found
        return replace(without, variances=found.variances, lights_differ=apart, before=found.before)

    @staticmethod
    def _possible_combs(found: FilmStatistics, without: FilmStatistics) -> Any:
        """What pairs of fields comb at most under one light, which may be a brighter one."""
        brighter = without.means(without.spans) / np.maximum(found.means(found.spans), HIGH_COMB)
        return found.means(found.combs) * np.maximum(brighter, 1)

    @staticmethod
    def _may_flicker(found: FilmStatistics, steps: Any, frames: tuple[Frame, Frame]) -> bool:
        """Whether the light of a parity changes, or both parities have their own where all moves.

        Lines of a chart that stands differ in every frame as if they had lights of their own.
        """
        if np.abs(steps).mean(0).max() >= _LEAST_LEVELS and any(
            light_differs(parity, frames[0], parity, frames[1], _EXPLAINED) for parity in (0, 1)
        ):
            return True
        apart = np.abs(np.diff(found.strips.levels, axis=1))
        moves = np.median(found.strips.changes) > _MOTION_SHARE * np.median(apart) ** 2
        return bool(moves and apart.mean() >= _LEAST_LEVELS)
