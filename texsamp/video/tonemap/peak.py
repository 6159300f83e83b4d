"""How bright a stream is, followed from frame to frame without flicker (docs/tonemap.md)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from texsamp.video.tonemap.curves import BRIGHTEST, FIRST_EXPONENT, pq_code, pq_light
from texsamp.video.tonemap.launches import PEAK_BINS

BINS_PER_OCTAVE = 16
_IGNORED = 10000
"""One of so many pixels may be brighter than the peak."""
_RISE, _FALL = 1 / 8, 1 / 32
"""How much of the way to the measured peak a frame goes."""
_SCENE_BINS = 4
"""Bins that count as one where frames are compared."""
_NEW_SCENE = 0.4
"""The share of pixels that must have gone to other bins."""
_PQ_STEPS = 4096

Counts = npt.NDArray[np.int64]


def measured_peak(counts: Counts, white: int) -> float:
    """The light in cd/m² that all but a few pixels of a frame do not reach, from the counts of `count_light`."""
    above = np.cumsum(counts[::-1])[::-1]  # of each bin and all brighter ones
    brightest = int(np.flatnonzero(above > int(counts.sum()) // _IGNORED)[-1])
    octave, part = divmod(brightest + 1, BINS_PER_OCTAVE)
    return float(np.ldexp(1 + part / BINS_PER_OCTAVE, octave + FIRST_EXPONENT)) * white


class PeakFollower:
    """The peak to map each frame with: quick upward, slow downward, at once where a scene begins."""

    def __init__(self) -> None:
        self._shape: Counts | None = None
        self._code = 0.0

    def next(self, counts: Counts, white: int) -> tuple[float, float]:
        """The peak measured in a frame, and the one to map it with; at least `white` and at most `BRIGHTEST` cd/m²."""
        found = min(measured_peak(counts, white), BRIGHTEST)
        code = float(pq_code(max(found, white)))
        shape = counts.reshape(PEAK_BINS // _SCENE_BINS, _SCENE_BINS).sum(axis=1)
        before, self._shape = self._shape, shape
        if before is None or before.sum() != shape.sum() or np.abs(shape - before).sum() > 2 * _NEW_SCENE * shape.sum():
            self._code = code
        else:
            self._code += (code - self._code) * (_RISE if code > self._code else _FALL)
        return found, float(pq_light(round(self._code * _PQ_STEPS) / _PQ_STEPS))
