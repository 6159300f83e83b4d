"""The scaler's coefficient tables as it uses them, and what their sizes allow the kernels to assume."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from texsamp.errors import StateError
from texsamp.video.presets.avs import coefficients
from texsamp.video.presets.polyphase import mirrored

Table = NDArray[np.int16]

SMOOTH_TABLE: Table = np.array([[0, 0, 0, 64 - 2 * i, 2 * i, 0, 0, 0] for i in range(32)], dtype=np.int16)
"""The smooth (bilinear) filter written as coefficients (seed 003:1623-1627)."""


@dataclass(frozen=True, eq=False)
class AvsTables:
    """Tables 0X, 0Y (8 taps) and 1X, 1Y (taps 2..5), each (32 phases, 8 taps) in 1/64 steps (seed 003:4042-4130)."""

    table_0x: Table
    table_0y: Table
    table_1x: Table
    table_1y: Table

    def __post_init__(self) -> None:
        for name, table in vars(self).items():
            if table.shape != (32, 8) or table.dtype != np.int16:
                raise StateError(f"AVS {name} must be (32, 8) int16, found {table.shape} {table.dtype}")
            low, high = int(table.min()), int(table.max())
            if low < -128 or high > 127:
                raise StateError(f"AVS {name} must stay in [-2, 2) (S1.6: -128..127), found {low}..{high}")
            if name.startswith("table_1") and table[:, [0, 1, 6, 7]].any():
                raise StateError(f"AVS {name} has 4 taps, 2..5: the others must be 0")

    @classmethod
    def from_preset(
        cls, preset: str, ratio_x: Fraction, ratio_y: Fraction, *, stored_rows: bool, narrow_rgb: bool
    ) -> AvsTables:
        """A named preset's tables for a scale ratio (destination over source).

        ``stored_rows`` is what Gen7 state can hold: rows 0..16, the others mirrored. There RGB surfaces of 8 or 10 bits
        must also have zeros in the outer taps of table 0 (seed 003:4051-4061), so ``narrow_rgb`` gets the 4-tap form.
        """
        taps: tuple[Table, ...] = (
            coefficients(preset, ratio_x, 4 if stored_rows and narrow_rgb else 8),
            coefficients(preset, ratio_y, 4 if stored_rows and narrow_rgb else 8),
            coefficients(preset, ratio_x, 4),
            coefficients(preset, ratio_y, 4),
        )
        if stored_rows:
            taps = tuple(mirrored(table[:17]) for table in taps)
        return cls(*taps)


def bounds(table: Table, low: int, high: int) -> tuple[int, int]:
    """Smallest and largest value any partial sum of a row can take over inputs in [low, high] (low <= 0 <= high)."""
    positive = int(np.where(table > 0, table, 0).sum(axis=1).max())
    negative = int(np.where(table < 0, -table, 0).sum(axis=1).max())
    return positive * low - negative * high, positive * high - negative * low
