"""Motion between fields written out literally: (61) to (66) of docs/deinterlace.md, one block and pixel at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.int64]
CUBIC = ((0, 16, 0, 0), (-1, 14, 4, -1), (-2, 10, 10, -2), (-1, 4, 14, -1))


@dataclass(frozen=True)
class Lines:
    """The lines of one parity of a frame; beyond its borders the nearest sample."""

    frame: Array
    parity: int

    @cached_property
    def around(self) -> Array:
        """With 80 samples to the sides and 48 lines above and below."""
        height, width = self.frame.shape
        own = [line for line in range(height) if line % 2 == self.parity] or [0]
        wanted = [2 * y + self.parity for y in range(-48, (height + 1) // 2 + 48)]
        lines = [min(own, key=lambda other, line=line: abs(other - line)) for line in wanted]
        return self.frame[np.ix_(lines, np.clip(np.arange(-80, width + 80), 0, width - 1))]

    def at(self, x: int, y: int) -> int:
        """Sample x of line y of the field."""
        return int(self.around[y + 48, x + 80])

    def block(self, x: int, y: int) -> Array:
        """The 16x8 samples from there on."""
        return self.around[y + 48 : y + 56, x + 80 : x + 96]

    def linear(self, x4: int, y4: int) -> Array:
        """The same from a place in quarters."""
        x, y, fx, fy = x4 // 4, y4 // 4, x4 % 4, y4 % 4
        corners = [self.block(x + i, y + j) for j in (0, 1) for i in (0, 1)]
        shares = [(4 - fx) * (4 - fy), fx * (4 - fy), (4 - fx) * fy, fx * fy]
        return (sum(share * corner for share, corner in zip(shares, corners, strict=True)) + 8) >> 4

    def cubic(self, x4: int, y4: int) -> int:
        """One sample in quarters, not below 0."""
        x, y, across, down = x4 // 4, y4 // 4, CUBIC[x4 % 4], CUBIC[y4 % 4]
        total = sum(down[j] * across[i] * self.at(x + i - 1, y + j - 1) for j in range(4) for i in range(4))
        return max((total + 128) >> 8, 0)


def length(x: int, y: int) -> int:
    """The length of a vector, lines twice."""
    return abs(x) + 2 * abs(y)


class Search:
    """The motion about the field of a parity of ``c`` with ``r`` as the other frame."""

    def __init__(self, c: Array, r: Array, parity: int, bits: int = 8) -> None:
        guides = [(frame >> (bits - 8), p) for p in (1 - parity, parity) for frame in (c, r)]
        self.own, self.other, self.field, self.beyond = (Lines(frame, p) for frame, p in guides)
        height, width = c.shape
        self.parity = parity
        self.rows, self.columns = -(-((height + parity) // 2) // 4), -(-width // 8)

    def cost(self, row: int, column: int, x: int, y: int) -> int:
        """(61), of a vector in quarters."""
        left, top = 4 * (8 * column - 4), 4 * (4 * row - 2)
        beside = abs(self.own.linear(left + x, top + y) - self.other.linear(left - x, top - y))
        beyond = abs(self.field.linear(left, top) - self.beyond.linear(left - 2 * x, top - 2 * y))
        return int((beside + beyond).sum())

    def searched(self, row: int, column: int) -> tuple[int, int, int]:
        """(62): the vector and its cost."""
        best = found = self.cost(row, column, 0, 0)
        vector = 0, 0
        if found > 256:
            for y in range(-4, 5):
                for x in range(-16, 17):
                    cost = self.cost(row, column, 4 * x, 4 * y)
                    if cost + 2 * length(x, y) < best:
                        best, found, vector = cost + 2 * length(x, y), cost, (4 * x, 4 * y)
        return *vector, found

    def found(self) -> Array:
        """(63), (64): x, y and cost of every block."""
        first = {(r, c): self.searched(r, c) for r in range(self.rows) for c in range(self.columns)}
        out = np.zeros((3, self.rows, self.columns), np.int64)
        for (row, column), own in first.items():
            out[:, row, column] = own if own[:2] == (0, 0) and own[2] <= 256 else self._settled(first, row, column)
        return out

    def _settled(
        self, first: dict[tuple[int, int], tuple[int, int, int]], row: int, column: int
    ) -> tuple[int, int, int]:
        about = [
            first[min(max(row + j, 0), self.rows - 1), min(max(column + i, 0), self.columns - 1)]
            for j in (-1, 0, 1)
            for i in (-1, 0, 1)
        ]

        def spread(x: int, y: int) -> int:
            return 2 * sum(min(length(x - u, y - v), 16) for u, v, _ in about)

        x, y, cost = first[row, column]
        best = cost + spread(x, y)
        for u, v, _ in about:
            other = self.cost(row, column, u, v)
            if other + spread(u, v) < best:
                x, y, cost, best = u, v, other, other + spread(u, v)
        for step in (2, 1):
            from_x, from_y = x, y
            for j in (-1, 0, 1):
                for i in (-1, 0, 1):
                    other = self.cost(row, column, from_x + step * i, from_y + step * j)
                    if other < cost:
                        x, y, cost = from_x + step * i, from_y + step * j, other
        if (x, y) != (0, 0) and not self._combs_less(row, column, x, y):
            cost = 65535
        return x, y, cost

    def _combs_less(self, row: int, column: int, x: int, y: int) -> bool:
        """(67)"""
        left, top = 8 * column - 4, 4 * row - 2
        around = sum(self.field.block(left, top - self.parity + n) for n in (0, 1))
        moved = self.own.linear(4 * left + x, 4 * top + y), self.other.linear(4 * left - x, 4 * top - y)
        still = self.own.block(left, top), self.other.block(left, top)
        sums = [int(abs(2 * block - around).sum()) for block in (*moved, *still)]
        return sums[0] + sums[1] < 2 * min(sums[2:])


def compensated(
    c: Array, r: Array, parity: int, made: Array, vectors: Array, weights: tuple[int, ...], bits: int = 8
) -> Array:
    """(65), (66): a field's frame ``made`` by another method, with what the fields beside it show."""
    height, width = c.shape
    lines, out, scale = (height + parity) // 2, made.astype(np.int64), bits - 8
    own, other, field = Lines(c, 1 - parity), Lines(r, 1 - parity), Lines(c, parity)
    shape = lines, width
    value, comb, apart = np.zeros(shape, np.int64), np.zeros((4, *shape), np.int64), np.zeros(shape, np.int64)
    for k, x in np.ndindex(shape):
        mx, my = (int(v) for v in vectors[:2, k // 4, x // 8])
        there = own.cubic(4 * x + mx, 4 * k + my), other.cubic(4 * x - mx, 4 * k - my)
        value[k, x] = (min(there[0], 2**bits - 1) + min(there[1], 2**bits - 1) + 1) // 2
        above, below = field.at(x, k - parity), field.at(x, k - parity + 1)
        apart[k, x] = abs(above - below)
        for n, sample in enumerate((value[k, x], own.at(x, k), other.at(x, k))):
            comb[n, k, x] = abs(2 * sample - above - below)
        both = [min(sample, 2**bits - 1) for sample in there]
        comb[3, k, x] = (sum(abs(2 * sample - above - below) for sample in both) + 1) // 2
    for k, x in np.ndindex(shape):
        rows = [min(max(k + j, 0), lines - 1) for j in (-1, 0, 1)]
        columns = [min(max(x + i, 0), width - 1) for i in range(-2, 3)]
        around = np.ix_(rows, columns)
        size, gap = int(comb[0][around].sum()), int(apart[around].sum())
        woven = min(int(comb[n][around].sum()) for n in (1, 2))
        ratio = sum(4 * size >= m * gap + (s << scale) for m, s in ((4, 60), (6, 120), (10, 240)))
        my, cost = int(vectors[1, k // 4, x // 8]), int(vectors[2, k // 4, x // 8])
        phase = (0, 1, 2, 1)[my % 4]
        level = sum(cost >= limit for limit in (256, 512, 1024, 2048))
        sure = 2 * (woven >= 240 << scale) + (int(comb[3][around].sum()) < woven)
        weight = 0 if cost == 65535 else weights[((ratio * 3 + phase) * 5 + level) * 4 + sure]
        y = 2 * k + 1 - parity
        out[y, x] = (weight * int(value[k, x]) + (8 - weight) * int(made[y, x]) + 4) // 8
    return out
