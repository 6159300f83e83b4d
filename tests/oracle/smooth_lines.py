"""Lines that a field's own tell better than what was made, written out literally: docs/deinterlace-hq.md (79)."""

from __future__ import annotations

import numpy as np

from oracle.field_vectors import Array, Lines

LIMIT, MOST, CALM, NOISE, NOISY = 8, 3456, 64, 16, 1024


def between(far_above: int, above: int, below: int, far_below: int, bits: int) -> int:
    """What follows from two samples above and two below."""
    near = (above + below + 1) // 2
    apart = near - (far_above + far_below + 1) // 2
    change = (abs(apart) + 4) // 8
    return int(np.clip(near + change if apart > 0 else near - change, 0, 2**bits - 1))


def smoothed(c: Array, parity: int, made: Array, vectors: Array, bits: int = 8, noise: int = 0) -> Array:
    """A field's frame ``made`` by other methods, with blocks of what its lines tell; ``vectors``: x, y, aside, cost."""
    height, width = c.shape
    lines, (_, rows, columns), field = (height + parity) // 2, vectors.shape, Lines(c, parity)
    follows = np.zeros((lines, width), np.int64)
    sums = np.zeros((3, rows, columns), np.int64)
    for k, x in np.ndindex(lines, width):
        far_above, above, below, far_below = (field.at(x, k - parity + n) for n in (-1, 0, 1, 2))
        follows[k, x] = between(far_above, above, below, far_below, bits)
        far = abs(int(made[2 * k + 1 - parity, x]) - (above + below + 1) // 2)
        own = abs(field.at(x, k) - (field.at(x, k - 1) + field.at(x, k + 1) + 1) // 2)
        near, around, beyond = (sum(field.at(x, k + n) for n in (-by, by)) for by in (0, 1, 2))
        fourth = abs(beyond - 4 * around + 3 * near)
        sums[:, k // 4, x // 16] += min(far, LIMIT << (bits - 8)), own, 4 * abs(above - below) - 3 * fourth - 4 * far
    out = made.astype(np.int64)
    for row, column in np.ndindex(rows, columns):
        moves = bool(vectors[:2, row, column].any()) or vectors[3, row, column] > CALM + min(NOISE * noise, NOISY)
        far, own, soft = (int(s[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2].sum()) for s in sums)
        if moves and ((3 * own < 4 * far and own < MOST << (bits - 8)) or soft > 0):
            there = slice(16 * column, 16 * column + 16)
            for k in range(4 * row, min(4 * row + 4, lines)):
                if 0 < 2 * k + 1 - parity < height - 1:
                    out[2 * k + 1 - parity, there] = follows[k, there]
    return out
