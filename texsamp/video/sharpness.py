"""How sharp the sharpest edges of a picture are, for `sharpen=auto` (texsamp's own; docs/presets.md)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_MEASURED_ROWS = 128
_LOWEST_BEND = 16
"""Second differences two pixels wide below this (8-bit codes) tell nothing of edges."""
_FEWEST_BENDS = 100
_QUANTILE = 0.9

LEVELS: tuple[tuple[float, int], ...] = ((0.32, 62), (0.34, 54), (0.38, 40), (0.42, 24), (0.47, 0))
"""Sharpness and the level that restores most; straight lines between. Fitted by `python -m benchmarks.blur`."""

_HISTORY = 7 / 8
_CUT = 0.08
"""A picture whose sharpness differs by more from that of those before begins a new scene."""


def sharpness(luma: npt.NDArray[np.generic], bits: int = 8) -> float | None:
    """Share of the second difference two pixels wide that one pixel holds, at the sharpest tenth of what bends.

    About 0.3 where edges are blurred by 1.5 pixels and more, 0.5 to 1 where they are sharp or noisy. ``luma`` has the
    shape (rows, columns); at most 128 of its rows are measured. None if too little bends to tell.
    """
    rows = luma[:: -(-luma.shape[0] // _MEASURED_ROWS)].astype(np.int32)
    if rows.shape[1] < 5:
        return None
    middle = 2 * rows[:, 2:-2]
    wide = np.abs(middle - rows[:, :-4] - rows[:, 4:])
    bends = wide >= _LOWEST_BEND << (bits - 8)
    if np.count_nonzero(bends) < _FEWEST_BENDS:
        return None
    near = np.abs(middle - rows[:, 1:-3] - rows[:, 3:-1])
    return float(np.quantile(near[bends] / wide[bends], _QUANTILE))


def restoring_level(found: float | None) -> int:
    """The level for a sharpness; 0 if it is not known."""
    if found is None:
        return 0
    at, levels = zip(*LEVELS, strict=True)
    return round(float(np.interp(found, at, levels)))


class SharpnessHistory:
    """Sharpness of a stream, so that the level does not flicker."""

    def __init__(self) -> None:
        self._mean: float | None = None

    def smoothed(self, found: float | None) -> float | None:
        """The sharpness to use for a picture that has this one; one that tells nothing keeps what was known."""
        if found is not None:
            same = self._mean is not None and abs(found - self._mean) <= _CUT
            self._mean = _HISTORY * self._mean + (1 - _HISTORY) * found if same and self._mean is not None else found
        return self._mean
