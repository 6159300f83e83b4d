"""Light that changes from field to field, written out literally: (68) to (70) of docs/deinterlace-hq.md."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.int64]


def block_sums(luma: Array, parity: int) -> list[int]:
    """Of a field, by rows: (68)."""
    field = luma[parity::2]
    rows, columns = luma.shape[0] // 32, luma.shape[1] // 32
    return [int(field[16 * y : 16 * y + 16, 32 * x : 32 * x + 32].sum()) for y in range(rows) for x in range(columns)]


def light_between(source: list[int], target: list[int], bits: int) -> tuple[int, int]:
    """Gain and offset: (69)."""
    same, count = (4096, 0), len(source)
    pairs = list(zip(source, target, strict=True))
    before = sum(abs(t - s) for s, t in pairs)
    if count < 12 or 4 * before <= 3 * 512 * 2 ** (bits - 8) * count:
        return same
    mean_s, mean_t = Fraction(sum(source), count), Fraction(sum(target), count)
    spread = sum((s - mean_s) ** 2 for s in source)
    if not spread:
        return same
    gain = floor(4096 * sum((s - mean_s) * (t - mean_t) for s, t in pairs) / spread + Fraction(1, 2))
    offset = floor((4096 * mean_t - gain * mean_s) / 512 + Fraction(1, 2))
    after = sum(abs(4096 * t - gain * s - 512 * offset) for s, t in pairs)
    return (gain, offset) if 1024 <= gain <= 16384 and 3 * after < 4096 * before else same


def relit(plane: Array, lights: list[tuple[int, int]], bits: int, middle: int | None) -> Array:
    """A plane with its fields under other lights; of chroma ``middle`` is what gray is: (70)."""
    out = plane.copy()
    for parity, (gain, offset) in enumerate(lights):
        added = offset if middle is None else (4096 - gain) * middle
        out[parity::2] = np.clip((gain * plane[parity::2] + added + 2048) >> 12, 0, 2**bits - 1)
    return out
