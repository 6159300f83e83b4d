"""Numbers of every frame of a video that help to see why scores change: motion, noise, cadence, levels, cuts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

_STEPS_OF_8_BITS = 256
_BINS = 64
_CUT = 0.5
"""Share of samples that lie in other bins of the histogram than in the frame before, from which on a frame is a cut."""
_PEAK, _LEAST_CHANGE = 2, 12
"""Change of a frame at a cut, as a multiple of its neighbors' and in steps."""
_LEVELS = {"darkest 1 %": 0.01, "median": 0.5, "brightest 1 %": 0.99}
_STRIP = 3
"""Rows and columns that the mask of noise reaches over."""

Plane = NDArray[Any]


@dataclass
class Columns:
    """Takes the luma of a video's frames in order. Values are in steps of 8 bits."""

    motion: list[float] = field(default_factory=list)
    noise: list[float] = field(default_factory=list)
    top: list[float] = field(default_factory=list)
    bottom: list[float] = field(default_factory=list)
    levels: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in _LEVELS})
    _jumps: list[float] = field(default_factory=list)
    _last: NDArray[np.int32] | None = None
    _histogram: NDArray[np.float64] | None = None

    def add(self, plane: Plane, bits: int) -> None:
        """The next frame's luma, (rows, columns), of so many bits."""
        unit = (1 << bits) / _STEPS_OF_8_BITS
        luma = plane.astype(np.int32)
        histogram = np.bincount((luma >> max(bits - 6, 0)).ravel(), minlength=_BINS)[:_BINS] / luma.size
        if self._last is None or self._histogram is None:
            rows, jump = np.zeros(len(luma)), 0.0
        else:
            rows = np.abs(luma - self._last).mean(axis=1) / unit
            jump = float(np.abs(histogram - self._histogram).sum() / 2)
        self.motion.append(float(rows.mean()))
        self._jumps.append(jump)
        self.top.append(float(rows[0::2].mean()))
        self.bottom.append(float(rows[1::2].mean()) if len(rows) > 1 else 0.0)
        self.noise.append(noise(luma) / unit)
        counts = np.bincount(luma.ravel(), minlength=1 << bits).cumsum()
        for name, share in _LEVELS.items():
            self.levels[name].append(float(np.searchsorted(counts, share * luma.size)) / unit)
        self._last, self._histogram = luma, histogram

    @property
    def cuts(self) -> list[int]:
        """Frames that begin a scene: another histogram, or far more change than in the frames on both sides."""
        beside = np.pad(np.array(self.motion), 1)
        most = _PEAK * np.maximum(beside[:-2], beside[2:])
        peaks = (np.array(self.motion) >= most) & (np.array(self.motion) >= _LEAST_CHANGE)
        return [int(frame) for frame in np.flatnonzero(peaks | (np.array(self._jumps) >= _CUT))]

    def charts(self) -> Mapping[str, Mapping[str, list[float]]]:
        """Curves by chart and name."""
        return {
            "Motion": {"mean change": self.motion},
            "Cadence": {"change of top lines": self.top, "of bottom lines": self.bottom},
            "Noise": {"standard deviation": self.noise},
            "Levels": self.levels,
        }


def noise(luma: NDArray[np.int32]) -> float:
    """Standard deviation of the noise by Immerkaer's mask, which neither flat nor sloping pictures answer to (1996)."""
    if min(luma.shape) < _STRIP:
        return 0.0
    across = luma[:, :-2] - 2 * luma[:, 1:-1] + luma[:, 2:]
    both = across[:-2] - 2 * across[1:-1] + across[2:]
    return float(np.sqrt(np.pi / 2) / 6 * np.abs(both).mean())
