"""Edges at shallow angles written out literally, by line and pixel: docs/deinterlace-hq.md (51) to (60), (75), (78)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.int64]

SIZES = (1, 2, 3, 4, 5, 7, 9, 11)
OFFSETS = (0, *(sign * size for size in SIZES for sign in (-1, 1)))
WEIGHTS = (
    # by agreement, then contrast, ratio and how much better than the other side, in eighths: docs/deinterlace-hq.md
    (
        ((0, 2, 0), (0, 2, 0), (0, 0, 8), (0, 7, 7)),
        ((0, 0, 0), (0, 2, 0), (0, 4, 7), (0, 2, 8)),
        ((0, 2, 0), (3, 4, 0), (3, 7, 8), (5, 8, 8)),
    ),
    (
        ((0, 0, 0), (0, 2, 0), (8, 2, 7), (0, 8, 8)),
        ((0, 0, 0), (0, 2, 8), (0, 2, 6), (0, 0, 8)),
        ((0, 2, 0), (4, 4, 0), (7, 5, 8), (7, 8, 8)),
    ),
    (
        ((2, 0, 0), (4, 5, 7), (8, 6, 7), (8, 8, 8)),
        ((2, 2, 0), (3, 4, 8), (0, 6, 7), (0, 3, 8)),
        ((4, 6, 0), (6, 6, 0), (8, 8, 8), (8, 8, 8)),
    ),
    (
        ((4, 4, 0), (8, 7, 5), (8, 8, 7), (8, 8, 8)),
        ((2, 3, 6), (6, 5, 7), (8, 6, 7), (7, 8, 8)),
        ((2, 5, 0), (8, 7, 6), (8, 8, 8), (8, 8, 8)),
    ),
    (
        ((4, 0, 0), (6, 6, 0), (8, 8, 8), (8, 8, 8)),
        ((2, 6, 0), (3, 6, 6), (3, 7, 8), (3, 5, 8)),
        ((7, 8, 8), (8, 8, 4), (8, 8, 8), (8, 8, 8)),
    ),
)
AGAIN = (
    (
        ((0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 7, 5)),
        ((0, 0, 0), (0, 0, 0), (0, 0, 7), (0, 0, 3)),
        ((0, 5, 0), (0, 0, 0), (0, 0, 4), (0, 4, 6)),
    ),
    (
        ((0, 2, 0), (0, 0, 0), (0, 0, 6), (0, 8, 0)),
        ((0, 2, 0), (0, 0, 8), (0, 0, 6), (0, 0, 3)),
        ((0, 0, 0), (0, 0, 0), (0, 0, 6), (0, 0, 2)),
    ),
    (
        ((0, 0, 0), (0, 0, 0), (0, 3, 5), (5, 6, 7)),
        ((0, 0, 0), (0, 0, 8), (0, 0, 4), (0, 0, 7)),
        ((0, 0, 0), (0, 0, 4), (3, 3, 4), (5, 4, 7)),
    ),
    (
        ((0, 0, 0), (3, 5, 8), (8, 7, 8), (8, 8, 8)),
        ((0, 0, 0), (0, 0, 3), (6, 2, 5), (6, 8, 7)),
        ((0, 0, 2), (0, 0, 0), (6, 5, 3), (8, 6, 5)),
    ),
    (
        ((2, 0, 8), (3, 3, 8), (6, 7, 8), (8, 8, 8)),
        ((0, 0, 0), (0, 2, 0), (0, 4, 6), (0, 0, 7)),
        ((0, 4, 0), (2, 0, 0), (5, 5, 3), (7, 7, 6)),
    ),
)


class Line:
    """Samples around one missing line y of a field: lines beyond the picture are the field's nearest."""

    def __init__(self, c: Array, y: int, bits: int) -> None:
        self.rows, self.steps = {}, {}
        for k in (-3, -1, 1, 3):
            own = [line for line in range(c.shape[0]) if line % 2 == (y + 1) % 2] or [0]
            nearest = min(own, key=lambda line: abs(line - (y + k)))
            self.rows[k] = [int(v) for v in c[nearest]]
        self.drop = bits - 8
        self.bits = bits
        self.width = c.shape[1]

    def full(self, x: int, k: int) -> int:
        """n(x, y + k); the sides repeat."""
        return self.rows[k][min(max(x, 0), self.width - 1)]

    def n(self, x: int, k: int) -> int:
        """The same in 8 bits."""
        return self.full(x, k) >> self.drop

    def step(self, x: int, o: int) -> int:
        """(51)"""
        if (x, o) not in self.steps:
            total = sum(abs(self.n(x + o, k - 1) - self.n(x - o, k + 1)) for k in (-2, 0, 2))
            self.steps[x, o] = min(total, 255)
        return self.steps[x, o]

    def apart(self, x: int) -> int:
        """|a - b|"""
        return abs(self.n(x, -1) - self.n(x, 1))

    def outside(self, x: int, o: int) -> int:
        """(52)"""
        above, below = self.n(x, -1), self.n(x, 1)
        mean = (self.n(x + o, -1) + self.n(x - o, 1) + 1) // 2
        return max(0, mean - max(above, below), min(above, below) - mean)

    def is_thin(self, x: int, o: int) -> bool:
        """(75): whether a line that lies between those of the field goes along an offset."""
        above = [self.n(x - o, -1), self.n(x, -3), self.n(x - o, -3)]
        below = [self.n(x + o, 1), self.n(x, 3), self.n(x + o, 3)]
        return all(4 * max(9, max(side) - min(side)) <= self.outside(x, o) + 1 for side in (above, below))

    def cost(self, x: int, o: int) -> int:
        """(52), (75)"""
        spread = min(3 + abs(o) // 2, 5)
        steps = sum(self.step(x + spread * j + k, o) for j in range(-2, 3) for k in (-1, 0, 1)) + abs(o)
        if o and self.is_thin(x, o):
            return steps
        if o and self.apart(x) < 36:
            return steps + 32 * 255
        return steps + 32 * self.outside(x, o)

    def along(self, x: int, o: int) -> int:
        """(56)"""
        above, below = self.full(x + o, -1), self.full(x - o, 1)
        if abs(o) > 5:
            return (above + below + 1) // 2
        far = self.full(x + 3 * o, -3) + self.full(x - 3 * o, 3)
        low, high = min(above, below), max(above, below)
        spare = max(high - low, 4 << self.drop) // 2
        value = min(max((9 * (above + below) - far + 8) // 16, low - spare), high + spare)
        return min(max(value, 0), 2**self.bits - 1)


def change(c: Array, r: Array | None, group: int, y: int, bits: int) -> int:
    """(54): by how much, of 256 levels, the lines of the other parity differ in 16 columns at most."""
    if r is None:
        return 255
    height = c.shape[0]
    own = [line for line in range(height) if line % 2 == y % 2]
    columns = slice(16 * group, 16 * group + 16)
    lines = [min(own, key=lambda other: abs(other - (y + k))) for k in (-2, 0, 2)]
    return max(int(abs(c[line, columns] - r[line, columns]).max()) >> (bits - 8) for line in lines)


def followed(vectors: Array | None, k: int, group: int) -> bool:
    """(54): whether a block's vector, of x, y and cost by blocks, leads to the fields beside."""
    if vectors is None:
        return False
    _, y, cost = (int(v) for v in vectors[:, k // 4, group])
    return y % 4 == 0 and cost < 256


def found_edges(
    c: Array, r: Array | None, parity: int, vectors: Array | None = None, bits: int = 8
) -> dict[tuple[int, int], tuple[int, int, int, int, int]]:
    """(53), (54), (60), (78): by missing line and column the offset, contrast, ratio and side of edges, and reach."""
    height, width = c.shape
    edges = {}
    for k in range((height + parity) // 2):
        y = 2 * k + 1 - parity
        line = Line(c, y, bits)
        for x in range(width):
            group = x // 16
            apart, most_apart = line.apart(x), max(line.apart(16 * group + j) for j in range(16))
            changed = change(c, r, group, y, bits)
            if most_apart < 36 or changed <= 10 or followed(vectors, k, group):
                continue
            reach = (16 if 4 * changed <= most_apart else 255) << (bits - 8)
            costs = {o: line.cost(x, o) for o in OFFSETS}
            o = min(OFFSETS, key=lambda o: costs[o])
            if not o:
                continue
            across = min(costs[t] for t in OFFSETS if t * o < 0)
            ratio = sum(n * costs[o] < m * costs[0] for n, m in ((4, 1), (2, 1), (4, 3)))
            side = sum(across >= n * costs[o] + 16 for n in (2, 4))
            contrast = sum(costs[0] < n * apart for n in (20, 40))
            if apart >= 36:
                edges[k, x] = o, contrast, ratio, side, reach
            elif ratio >= 2 and side == 2 and line.is_thin(x, o):
                edges[k, x] = o, 2, 3, 2, reach
    return edges


def agreement(one: int, other: int, o: int) -> int:
    """(59): how well the offsets of the lines above and below follow the edge."""
    near, far = sorted((abs(one - o), abs(other - o)))
    allowed = 1 + abs(o) // 4
    if far <= allowed // 2:
        return 4
    if far <= allowed:
        return 3
    if near <= allowed:
        return 2
    return 1 if near <= 2 * allowed else 0


def draw_edges(
    c: Array,
    r: Array | None,
    parity: int,
    made: Array,
    vectors: Array | None = None,
    bits: int = 8,
    weights: tuple[tuple[tuple[tuple[int, ...], ...], ...], ...] = WEIGHTS,
) -> Array:
    """A field's frame ``made`` by another method, with edges drawn into the lines that the field of ``c`` lacks.

    By ``AGAIN`` as ``weights`` over what vectors have led to: (71).
    """
    out = made.astype(np.int64)
    height, width = c.shape
    edges, last = found_edges(c, r, parity, vectors, bits), (height + parity) // 2 - 1
    for (k, x), (o, contrast, ratio, side, reach) in edges.items():
        places = [(max(k - 1, 0), x + 2 * o), (min(k + 1, last), x - 2 * o)]
        one, other = (edges.get((line, min(max(at, 0), width - 1)), (0,))[0] for line, at in places)
        weight = weights[agreement(one, other, o)][contrast][ratio][side]
        y, before = 2 * k + 1 - parity, int(made[2 * k + 1 - parity, x])
        edge = min(max(Line(c, y, bits).along(x, o), before - reach), before + reach)
        out[y, x] = (weight * edge + (8 - weight) * before + 4) // 8
    return out
