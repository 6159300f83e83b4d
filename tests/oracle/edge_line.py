"""Edges at shallow angles written out literally, one line and pixel at a time: docs/deinterlace.md (51) to (60)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.int64]

REACH, PIECE, MARGIN = 11, 96, 16
OFFSETS = range(-REACH, REACH + 1)
WEIGHTS = (
    # by agreement, then ratio, then how much better than the other side, in eighths: docs/deinterlace.md
    ((0, 0, 2), (0, 0, 0), (0, 0, 0), (0, 0, 0)),
    ((0, 0, 0), (0, 0, 0), (0, 0, 3), (0, 0, 0)),
    ((0, 0, 8), (0, 2, 3), (2, 3, 4), (0, 2, 4)),
    ((0, 2, 6), (2, 3, 4), (2, 5, 6), (2, 4, 7)),
    ((2, 3, 5), (4, 4, 6), (5, 6, 7), (6, 7, 8)),
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
            self.steps[x, o] = sum(abs(self.n(x + o, k - 1) - self.n(x - o, k + 1)) for k in (-2, 0, 2))
        return self.steps[x, o]

    def cost(self, x: int, o: int) -> int:
        """(52)"""
        above, below = self.n(x, -1), self.n(x, 1)
        mean = (self.n(x + o, -1) + self.n(x - o, 1) + 1) // 2
        overshoot = abs(above - mean) + abs(below - mean) - abs(above - below)
        return sum(self.step(x + k, o) for k in range(-2, 3)) + 4 * overshoot + abs(o)

    def path(self, first: int) -> tuple[list[int], list[dict[int, int]]]:
        """(53) and (54): the offset of every column from MARGIN before ``first`` on, and the piece's costs."""
        columns = range(first - MARGIN, first + PIECE + MARGIN)
        costs = [{o: self.cost(x, o) for o in OFFSETS} for x in columns]
        totals, origins = dict(costs[0]), []
        for cost in costs[1:]:
            least = min(totals.values())
            best = next(o for o in OFFSETS if totals[o] == least)
            came, reached = {}, {}
            for o in OFFSETS:
                ways = [(totals[o] - least, o)]
                for j in (1, 2):
                    ways += [(totals[t] - least + 24 * j, t) for t in (o - j, o + j) if t in totals]
                ways.append((96, best))
                way = min(value for value, _ in ways)
                came[o] = next(t for value, t in ways if value == way)
                reached[o] = way + cost[o]
            origins.append(came)
            totals = reached
        least = min(totals.values())
        path = [next(o for o in OFFSETS if totals[o] == least)]
        for came in reversed(origins):
            path.append(came[path[-1]])
        path.reverse()
        return path, costs[MARGIN:-MARGIN]

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


def moves(c: Array, r: Array | None, x: int, y: int, bits: int) -> bool:
    """(55): whether the lines of the other parity differ near a pixel."""
    if r is None:
        return True
    height, width = c.shape
    own = [line for line in range(height) if line % 2 == y % 2]
    for k in (-2, 0, 2):
        line = min(own, key=lambda other: abs(other - (y + k)))
        for at in range(x - 3, x + 4):
            column = min(max(at, 0), width - 1)
            if abs(int(c[line, column]) - int(r[line, column])) > 16 << (bits - 8):
                return True
    return False


def agreement(above: list[int], below: list[int], at: int, o: int) -> int:
    """(59): how well the paths of the lines above and below follow the edge; ``at`` is the place in a path."""
    last = PIECE + 2 * MARGIN - 1
    one = abs(above[min(max(at + 2 * o, 0), last)] - o)
    other = abs(below[min(max(at - 2 * o, 0), last)] - o)
    allowed = 1 + abs(o) // 4
    if max(one, other) <= allowed // 2:
        return 4
    if max(one, other) <= allowed:
        return 3
    if min(one, other) <= allowed:
        return 2
    return 1 if min(one, other) <= 2 * allowed else 0


def draw_edges(c: Array, r: Array | None, parity: int, made: Array, bits: int = 8) -> Array:
    """A field's frame ``made`` by another method, with edges drawn into the lines that the field of ``c`` lacks."""
    out = made.astype(np.int64)
    height, width = c.shape
    for y in range(1 - parity, height, 2):
        line = Line(c, y, bits)
        for first in range(0, width, PIECE):
            path, costs = line.path(first)
            above, below = (Line(c, other, bits).path(first)[0] for other in (y - 2, y + 2))
            for x, cost in zip(range(first, min(first + PIECE, width)), costs, strict=False):
                at = x - first + MARGIN
                o = path[at]
                if not o or not moves(c, r, x, y, bits):
                    continue
                across = min(cost[t] for t in OFFSETS if t * o < 0)
                ratio = sum(n * cost[o] < m * cost[0] for n, m in ((4, 1), (2, 1), (4, 3)))
                side = sum(across >= n * cost[o] + 16 for n in (2, 4))
                weight = WEIGHTS[agreement(above, below, at, o)][ratio][side]
                out[y, x] = (weight * line.along(x, o) + (8 - weight) * int(made[y, x]) + 4) // 8
    return out
