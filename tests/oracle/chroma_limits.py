"""Chroma within what the fields beside a field show of it, written out literally: docs/deinterlace-hq.md (80)."""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def in_field(line: int, height: int) -> int:
    """A line beyond the picture is the nearest one of its parity, if there is one."""
    while line < 0:
        line += 2
    while line >= height:
        line -= 2
    return line if line >= 0 else 0


def mean(a: int, b: int) -> int:
    return (a + b + 1) // 2


def limited(c: Array, r: Array, parity: int, made: Array, bits: int = 8) -> Array:
    """One component of a field's frame ``made`` by other methods; ``c`` and ``r`` are its frame and the other one."""
    height, width = c.shape
    out = made.astype(np.int64)
    for y in range(1 - parity, height, 2):
        for x in range(width):
            own, other = ([int(f[in_field(y + n, height), x]) for n in range(-2, 3)] for f in (c, r))
            e, a, _, b, f = own
            e, f = mean(e, other[0]), mean(f, other[4])
            d, t = mean(own[2], other[2]), abs(own[2] - other[2])
            s = mean(abs(a - other[1]), abs(b - other[3]))
            over = min(d - a, d - b, max(e - a, f - b))
            under = min(a - d, b - d, max(a - e, b - f))
            most = max(mean(t, 0), s, over, under)
            w = min(max(s - t - (6 << (bits - 8)), 0) >> (bits - 8), 8)
            value = int(made[y, x])
            value += w * (mean(a, b) - value) // 8
            out[y, x] = max(min(value, d + most, 2**bits - 1), d - most, 0)
    return out
