"""Motion between fields literally, block by block: docs/deinterlace-hq.md (61) to (67), (72) to (74), (76)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from oracle.field_shift import shift

Array = npt.NDArray[np.int64]
CUBIC = ((0, 16, 0, 0), (-1, 14, 4, -1), (-2, 10, 10, -2), (-1, 4, 14, -1))
BORDER_LIMITS = (44, 24, 17, 13, 10, 8, 5, 3)


@dataclass(frozen=True)
class Lines:
    """The lines of one parity of a frame; beyond its borders the nearest sample."""

    frame: Array
    parity: int
    right: int = 0
    below: int = 0
    """Where they are seen from: (83)."""

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
        return int(self.around[y + self.below + 48, x + self.right + 80])

    def block(self, x: int, y: int, width: int = 16, lines: int = 8) -> Array:
        """The samples from there on."""
        x, y = x + self.right + 80, y + self.below + 48
        return self.around[y : y + lines, x : x + width]

    @cached_property
    def halved(self) -> Array:
        """The same at half the width: sample x is at 2x + 1/2."""
        count = (self.around.shape[1] - 4) // 2
        before, left, right, after = (self.around[:, n : n + 2 * count : 2] for n in (1, 2, 3, 4))
        return (before + 3 * left + 3 * right + after + 4) >> 3

    def half_block(self, x: int, y: int) -> Array:
        """The 16x8 samples of half the width from there on."""
        x, y = x + int(self.right / 2), y + self.below
        return self.halved[y + 48 : y + 56, x + 39 : x + 55]

    def means(self, x4: int, y4: int, width: int = 16, lines: int = 8) -> Array:
        """The samples from a place in quarters."""
        left, right = (self.block(x4 // 4 + i, y4 // 4, width, lines + 1) for i in (0, 1))
        rows = between(left, right, x4 % 4)
        return between(rows[:-1], rows[1:], y4 % 4)

    def mean(self, x4: int, y4: int) -> int:
        """One sample in quarters, by means."""
        return int(self.means(x4, y4, 1, 1)[0, 0])

    def cubic(self, x4: int, y4: int) -> int:
        """One sample in quarters, not below 0."""
        x, y, across, down = x4 // 4, y4 // 4, CUBIC[x4 % 4], CUBIC[y4 % 4]
        total = sum(down[j] * across[i] * self.at(x + i - 1, y + j - 1) for j in range(4) for i in range(4))
        return max((total + 128) >> 8, 0)


def between(a: Array, b: Array, quarters: int) -> Array:
    """Samples between two, by means of two."""
    half = (a + b + 1) >> 1 if quarters else a
    return half if quarters % 2 == 0 else ((a if quarters == 1 else b) + half + 1) >> 1


def length(x: int, y: int) -> int:
    """The length of a vector, lines twice."""
    return abs(x) + 2 * abs(y)


def outward(reach: int) -> list[int]:
    """0, -1, 1, -2, 2 and so on."""
    return sorted(range(-reach, reach + 1), key=lambda n: (abs(n), n))


class Search:
    """The motion about the field of a parity of ``c`` with ``r`` as the other frame."""

    def __init__(self, c: Array, r: Array, parity: int, bits: int = 8) -> None:
        guides = [(frame >> (bits - 8), p) for p in (1 - parity, parity) for frame in (c, r)]
        self.shift = shift(c >> (bits - 8), r >> (bits - 8), parity)
        x, y, *beyond = self.shift
        asides = (x, y), (x, y), (0, 0), beyond
        self.own, self.other, self.field, self.beyond = (Lines(*of, *by) for of, by in zip(guides, asides, strict=True))
        height, width = c.shape
        self.parity = parity
        self.rows, self.columns = -(-((height + parity) // 2) // 4), -(-width // 16)

    def coarse_cost(self, row: int, column: int, x: int, y: int) -> int:
        """(61) at half the width over every other line, of a vector of whole pixels."""
        left, top = 16 * column, 8 * row
        beside = self.own.half_block(left + x // 2, top + y) - self.other.half_block(left - (x + 1) // 2, top - y)
        beyond = self.field.half_block(left, top) - self.beyond.half_block(left - x, top - 2 * y)
        return int((abs(beside) + abs(beyond))[::2].sum())

    def coarse(self, row: int, column: int) -> tuple[int, int]:
        """(62), in quarters."""
        best, vector = self.coarse_cost(row, column, 0, 0), (0, 0)
        if best > 192:
            for y in outward(4):
                for x in outward(16) if y == 0 else [2 * x for x in outward(8)]:
                    cost = self.coarse_cost(row, column, x, y) + length(x, 2 * y)
                    if cost < best:
                        best, vector = cost, (x, y)
            middle, y = vector
            for x in (middle - 1, middle + 1):
                cost = self.coarse_cost(row, column, x, y) + length(x, 2 * y)
                if cost < best:
                    best, vector = cost, (x, y)
        return 4 * vector[0], 4 * vector[1]

    def cost(self, row: int, column: int, x: int, y: int) -> int:
        """(61), of a vector in quarters."""
        left, top = 4 * 16 * column, 4 * (4 * row - 2)
        beside = abs(self.own.means(left + x, top + y) - self.other.means(left - x, top - y))
        beyond = abs(self.field.means(left, top) - self.beyond.means(left - 2 * x, top - 2 * y))
        return int((beside + beyond).sum())

    def found(self) -> Array:
        """(63), (64), (67), (73), (76): x, y, aside and cost of every block."""
        rows, columns = (self.rows + 1) // 2, (self.columns + 1) // 2
        large = {(row, column): self.coarse(row, column) for row in range(rows) for column in range(columns)}
        out = np.zeros((4, self.rows, self.columns), np.int64)
        combs = np.zeros((3, self.rows, self.columns), np.int64)
        for row, column in np.ndindex(self.rows, self.columns):
            beside = min(max(column // 2 + (1 if column % 2 else -1), 0), columns - 1)
            below = min(max(row // 2 + (1 if row % 2 else -1), 0), rows - 1)
            places = (row // 2, column // 2), (row // 2, beside), (below, column // 2)
            x, y, cost = self._fine(row, column, [large[place] for place in places])
            *sides, moved, still = self._combs(row, column, x, y)
            if cost > 256 if (x, y) == (0, 0) else moved >= 2 * still:
                beside = [(row // 2 + j, column // 2 + i) for j, i in ((-1, 0), (0, -1), (0, 0), (0, 1), (1, 0))]
                near = [large[min(max(j, 0), rows - 1), min(max(i, 0), columns - 1)] for j, i in beside]
                other = self._again(row, column, near, cost + moved) if moved > 4096 else (0, 0)
                *its_sides, its_moved, its_still = self._combs(row, column, *other)
                if other != (0, 0) and its_moved < 2 * its_still:
                    (x, y), sides, cost = other, its_sides, self.cost(row, column, *other)
                elif (x, y) != (0, 0):
                    cost = 65535
            if (x, y) != (0, 0):
                combs[:, row, column] = sides if sides[0] > 128 else 0
            out[:, row, column] = x, y, 0, cost
        for row, column in np.ndindex(self.rows, self.columns):
            if combs[0, row, column]:
                out[2, row, column] = aside(combs[:, max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2])
        return out

    def _fine(self, row: int, column: int, given: list[tuple[int, int]]) -> tuple[int, int, int]:
        still = self.cost(row, column, 0, 0)
        if still <= 256:
            return 0, 0, still
        rated = [(self.cost(row, column, *vector) + 24 * (vector != given[0]), vector) for vector in (*given, (0, 0))]
        (x, y) = min(rated, key=lambda one: one[0])[1]
        cost = self.cost(row, column, x, y)
        for step in (4, 2, 1) if cost > (768 if (x, y) == (0, 0) else 256) else ():
            for across, down in ((step, 0), (0, step)):
                for there in ((x - across, y - down), (x + across, y + down)):
                    other = self.cost(row, column, *there)
                    if other < cost:
                        (x, y), cost = there, other
                        break
        return x, y, cost

    def _again(self, row: int, column: int, near: list[tuple[int, int]], before: int) -> tuple[int, int]:
        """(76): another vector that costs and combs less than half of what one did, or 0."""

        def rated(x: int, y: int) -> int:
            return self.cost(row, column, x, y) + self._combs(row, column, x, y)[3]

        ratings = [(rated(*vector), vector) for vector in near if vector != (0, 0)]
        if not ratings:
            return 0, 0
        best, (x, y) = min(ratings, key=lambda one: one[0])
        for step in (4, 2, 1) if 4 * best < 3 * before else ():
            for across, down in ((step, 0), (0, step)):
                for there in ((x - across, y - down), (x + across, y + down)):
                    rating = rated(*there)
                    if rating < best:
                        (x, y), best = there, rating
                        break
        return (x, y) if 2 * best < before else (0, 0)

    def _combs(self, row: int, column: int, x: int, y: int) -> tuple[int, ...]:
        """Of (73) in the middle and two quarters to the left and right of it; of (67), and where both fields are."""
        left, top = 16 * column, 4 * row - 2
        around = between(*(self.field.block(left, top - self.parity + n) for n in (0, 1)), 2)

        def combs(p: int) -> Array:
            own, other = self.own.means(4 * left + p + x, 4 * top + y), self.other.means(4 * left + p - x, 4 * top - y)
            return abs(own - around) + abs(other - around)

        still = min(int(abs(lines.block(left, top) - around).sum()) for lines in (self.own, self.other))
        return *(int(combs(p)[2:6].sum()) for p in (0, -2, 2)), int(combs(0).sum()), still


def aside(combs: Array) -> int:
    """(73), of a block and those around it."""
    middle, left, right = (int(values.sum()) for values in combs)
    if 4 * min(left, right) >= 3 * max(left, right):
        return 0
    bend, apart = left + right - 2 * middle, abs(left - right)
    far = (2 * apart >= bend) + (2 * apart >= 3 * bend)
    return far if left > right else -far


def compensated(
    c: Array,
    r: Array,
    parity: int,
    made: Array,
    vectors: Array,
    weights: tuple[int, ...],
    bits: int = 8,
    calm: int = 0,
    shift: tuple[int, ...] = (0, 0, 0, 0),
) -> Array:
    """(65), (66), (72), (74): a field's frame ``made`` by another method, with what the fields beside it show.

    (80): vectors of 0 that cost less than ``calm`` are not followed. ``shift`` is that of (83).
    """
    height, width = c.shape
    lines, out, scale = (height + parity) // 2, made.astype(np.int64), bits - 8
    own, other, field, beyond = Lines(c, 1 - parity), Lines(r, 1 - parity), Lines(c, parity), Lines(r, parity)
    right, lower, *gone_by = shift
    shape = lines, width
    both, apart, doubt, bend = (np.zeros(shape, np.int64) for _ in range(4))
    comb = np.zeros((3, *shape), np.int64)
    sense = np.zeros(shape, np.int64)
    for k, x in np.ndindex(shape):
        mx, my, off = (int(v) for v in vectors[:3, k // 4, x // 16])
        at_x, at_y = 4 * (x + right) + off, 4 * (k + lower)
        there = own.cubic(at_x + mx, at_y + my), other.cubic(at_x - mx, at_y - my)
        both[k, x] = min(there[0], 2**bits - 1) + min(there[1], 2**bits - 1)
        above, below = field.at(x, k - parity), field.at(x, k - parity + 1)
        apart[k, x] = abs(above - below)
        near, next_, far = ((field.at(x, k - parity - n) + field.at(x, k - parity + 1 + n) + 1) // 2 for n in range(3))
        bend[k, x] = abs(2 * near - 3 * next_ + far)
        for n, sample in enumerate(((both[k, x] + 1) // 2, own.at(x, k), other.at(x, k))):
            comb[n, k, x] = abs(2 * sample - above - below)
        sense[k, x] = 2 * ((both[k, x] + 1) // 2) - above - below
        doubt[k, x] = abs(min(there[0], 2**bits - 1) - min(there[1], 2**bits - 1))
    for k, x in np.ndindex(shape):
        rows = [min(max(k + j, 0), lines - 1) for j in (-1, 0, 1)]
        columns = [min(max(x + i, 0), width - 1) for i in range(-2, 3)]
        around = np.ix_(rows, columns)
        size, gap = int(comb[0][around].sum()), int(apart[around].sum())
        woven = min(int(comb[n][around].sum()) for n in (1, 2))
        ratio = sum(4 * size >= m * gap + (s << scale) for m, s in ((4, 60), (6, 120), (10, 240)))
        my, cost = int(vectors[1, k // 4, x // 16]), int(vectors[3, k // 4, x // 16])
        phase = (0, 1, 2, 1)[my % 4]
        level = sum(cost >= limit for limit in (256, 512, 1024, 2048))
        trust = int(woven >= 240 << scale)
        doubtful = sum(m * int(doubt[around].sum()) >= size + (15 << scale) for m in (4, 2, 1))
        surer = int(bend[around].sum()) < 2 * int(doubt[around].sum())
        table = (part(vectors, k // 4, x // 16) * 3 + phase) * 5 + level
        stands = my == 0 == int(vectors[0, k // 4, x // 16]) and (right, lower) == (0, 0)
        unfollowed = cost == 65535 or (cost < calm and stands)
        weight = 0 if unfollowed else weights[table * 64 + surer * 32 + ratio * 8 + trust * 4 + doubtful]
        combed = [int(sense[row, columns].sum()) for row in rows]
        alone = [int(sense[row, x]) for row in rows]
        alike, alike_alone = (max(min(some), min(-value for value in some)) >> scale for some in (combed, alone))
        if ratio and (alike >= 96 or alike_alone >= 64):
            mx = int(vectors[0, k // 4, x // 16])
            gone = sum(
                abs(
                    field.at(x + i, row)
                    - beyond.mean(4 * (x + i + gone_by[0]) - 2 * mx, 4 * (row + gone_by[1]) - 2 * my)
                )
                for row in (k - parity, k - parity + 1)
                for i in range(-2, 3)
            )
            weight = 0 if gone >= 96 << scale or (ratio == 3 and alike >= 192) else weight
        y = 2 * k + 1 - parity
        out[y, x] = (weight * int(both[k, x]) + (16 - 2 * weight) * int(made[y, x]) + 8) // 16
    for k in range(lines):
        y = 2 * k + 1 - parity
        if y in (0, height - 1):
            inner = min(max(k + (1 if y == 0 else -1), 0), lines - 1)
            beside = (0, 1) if y == 0 else (k - parity, k - parity - 1)
            slope = [abs(field.at(x, beside[0]) - field.at(x, beside[1])) for x in range(width)]
            still = np.array([[own.at(x, row), other.at(x, row)] for row in (k, inner) for x in range(width)])
            still = still.reshape(2, width, 2)
            led = doubt[k] + doubt[inner], abs(still[0, :, 0] - still[0, :, 1]) + abs(still[1, :, 0] - still[1, :, 1])
            near, gone = (np.array([of.at(x, beside[0]) for x in range(width)]) for of in (field, beyond))
            lighter = near - gone, 2 * near - still[0].sum(1)
            sums = [in_blocks(values) for values in (*led, np.array(slope), *lighter)]
            for x in range(width):
                apart, change, gap, *light = (int(values[x // 16]) for values in sums)
                my, cost = int(vectors[1, k // 4, x // 16]), int(vectors[3, k // 4, x // 16])
                kept = cost == 65535 or abs(my) + 4 * abs(lower) > 4 or change <= apart
                weight = sum(8 * (change if kept else apart) <= n * (gap + (96 << scale)) for n in BORDER_LIMITS)
                if max(min(light), min(-value for value in light)) > 2 * (gap + (96 << scale)):
                    weight = 0
                two = int(still[0, x].sum()) if kept else int(both[k, x])
                out[y, x] = (weight * two + (16 - 2 * weight) * int(out[y, x]) + 8) // 16
    return out


def part(vectors: Array, row: int, column: int) -> bool:
    """Whether the vector of a block is more than 4 from one of the four beside it."""
    _, rows, columns = vectors.shape
    beside = [(row + j, column + i) for j, i in ((0, -1), (0, 1), (-1, 0), (1, 0))]
    there = [vectors[:2, j, i] for j, i in beside if 0 <= j < rows and 0 <= i < columns]
    return any(length(*(int(v) for v in other - vectors[:2, row, column])) > 4 for other in there)


def in_blocks(line: Array) -> Array:
    """Of a line's blocks of 16 samples the sum with that of the blocks beside, a block itself where there is none."""
    sums = [int(line[x : x + 16].sum()) for x in range(0, len(line), 16)]
    return np.array([sum(sums[min(max(n + i, 0), len(sums) - 1)] for i in (-1, 0, 1)) for n in range(len(sums))])
