"""Triangles of a patch by the numbers of points of its edges alone: forms, of which a draw has few and many patches.

Between the outermost ring and the one inside each edge has a form of its own; all that is inside is another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

_LARGEST = 64
QUAD_EDGES, TRIANGLE_EDGES = 4, 3
CENTER = -1
"""Instead of the number of a point along an edge: the middle."""
_Row = list[int]
_Triangles = list[tuple[int, int, int]]
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Inside:
    """What is inside the outermost ring. points: each by numbers of points of inside edges, in order.

    Of quads those along U and V; of triangles the ring, along its edge, and which edge that is. rows: for each edge of
    the outer ring the points that face it, from `starts` on. triangles: (n, 3), points; those of a patch that has none
    inside are before them.
    """

    points: Numbers
    rows: Numbers
    starts: Numbers
    triangles: Numbers


def is_odd(points: int) -> bool:
    """Whether an edge of so many points has an odd number of segments."""
    return points % 2 == 0


def split(segments: int) -> int:
    """Which segment of a half edge comes into being when it has `segments` already."""
    return 2 * (segments & ~(1 << segments.bit_length() - 1)) + 1 if segments else 1


@cache
def ruler() -> tuple[int, ...]:
    """Segments of the finest half edge in order: at which number of segments each came into being."""
    order = [0]
    for segments in range(1, _LARGEST // 2 + 1):
        order.insert(split(segments), segments)
    return tuple(order)


@lru_cache(1024)
def transition(outer: int, inner: int) -> Numbers:
    """Clockwise triangles between edges of so many points, (n, 3): point p of the inner edge is -1 - p."""
    outer_half, inner_half = outer // 2 - is_odd(outer), inner // 2 - is_odd(inner)
    triangles: _Triangles = []
    at = [0, 0]

    def advance_outside() -> None:
        triangles.append((at[0], at[0] + 1, -1 - at[1]))
        at[0] += 1

    def advance_inside() -> None:
        triangles.append((-1 - at[1], at[0], -2 - at[1]))
        at[1] += 1

    if outer_half:  # the only segment of an edge is in its middle
        advance_outside()
    for segment in ruler()[1:]:
        if segment < inner_half:
            advance_inside()
        if segment < outer_half:
            advance_outside()
    if is_odd(inner):
        advance_inside()
    if is_odd(outer):
        advance_outside()
    for segment in reversed(ruler()[1:]):
        if segment < outer_half:
            advance_outside()
        if segment < inner_half:
            advance_inside()
    if outer_half:
        advance_outside()
    return np.array(triangles, np.int64).reshape(-1, 3)


def inside_count(points: Numbers) -> Numbers:
    """Points of inside edges from one outer edge to the other; there is a ring inside, or a point."""
    return np.maximum(points, np.where(points % 2 == 0, 4, 3))


def _count(points: int) -> int:
    return int(inside_count(np.array(points)))


class _Rings:
    """Points and clockwise triangles inside as they come."""

    def __init__(self) -> None:
        self.points: list[tuple[int, ...]] = []
        self.triangles: _Triangles = []
        self._outermost: list[_Row] = []

    def ring(self, edges: Sequence[Sequence[tuple[int, ...]]]) -> list[_Row]:
        """Take edges, each without its last point, which the next one begins with; returns rows with it."""
        firsts = []
        for edge in edges:
            firsts.append(len(self.points))
            self.points += edge
        ends = [*firsts[1:], firsts[0]]
        return [[*range(first, first + len(edge)), end] for first, edge, end in zip(firsts, edges, ends, strict=True)]

    def join(self, rows: list[_Row], inner: list[_Row]) -> list[_Row]:
        """Triangles between two rings of one factor; the first one inside meets the outer ring by another form."""
        if not rows:
            self._outermost = inner
        for outside, inside in zip(rows, inner, strict=False):
            self._mirrored(outside, inside)
        return inner

    def _mirrored(self, outside: _Row, inside: _Row) -> None:
        """Diagonals turn in the middle, and corners are triangles."""
        self.triangles.append((outside[0], outside[1], inside[0]))
        for p in range(len(inside) - 1):
            self._quad(outside[p + 1 : p + 3], inside[p : p + 2], forward=p >= len(inside) // 2)
        self.triangles.append((outside[-2], outside[-1], inside[-1]))

    def strip(self, outside: _Row, inside: _Row, *, turn_middle: bool) -> None:
        """A row of quads in the middle of a patch."""
        for p in range(len(inside) - 1):
            middle = turn_middle and p == len(inside) // 2 - 1
            self._quad(outside[p : p + 2], inside[p : p + 2], forward=not middle)

    def _quad(self, outside: _Row, inside: _Row, *, forward: bool) -> None:
        (a, b), (c, d) = outside, inside
        self.triangles += [(a, b, c), (c, b, d)] if forward else [(a, d, c), (a, b, d)]

    def made(self) -> Inside:
        """All of it as arrays."""
        lengths = np.array([len(row) for row in self._outermost], np.int64)
        return Inside(
            np.array(self.points, np.int64),
            np.array([point for row in self._outermost for point in row], np.int64),
            np.cumsum(lengths) - lengths,
            np.array(self.triangles, np.int64).reshape(-1, 3),
        )


def _undivided(edges: int, triangles: _Triangles) -> Inside:
    """Nothing but the corners, which are all before what is inside."""
    width = 2 if edges == QUAD_EDGES else 3
    return Inside(
        np.zeros((0, width), np.int64), np.zeros(1, np.int64), np.zeros(edges, np.int64), np.array(triangles) - edges
    )


UNDIVIDED = {
    QUAD_EDGES: _undivided(QUAD_EDGES, [(0, 1, 3), (1, 2, 3)]),
    TRIANGLE_EDGES: _undivided(TRIANGLE_EDGES, [(0, 1, 2)]),
}


@lru_cache(64)
def quad_inside(u: int, v: int) -> Inside:
    """Inside a quad whose inside edges have so many points: rings from outside in, then the row in the middle."""
    rings, counts = _Rings(), (_count(u), _count(v))
    rows: list[_Row] = []
    for ring in range(1, min((counts[0] + 1) // 2, (counts[1] + 1) // 2)):
        rows = rings.join(rows, _quad_ring(rings, counts, ring))
    if counts[0] > counts[1] and is_odd(v):
        rings.strip(rows[1], rows[3][::-1], turn_middle=False)
    elif counts[1] >= counts[0] and is_odd(u):
        rings.strip(rows[0], rows[2][::-1], turn_middle=is_odd(v))
    return rings.made()


def _quad_ring(rings: _Rings, counts: tuple[int, int], ring: int) -> list[_Row]:
    """Rows of a ring inside a quad; one that has no extent along an axis is a row of points, walked to and fro."""
    ends = counts[0] - 1 - ring, counts[1] - 1 - ring
    if ring not in ends:
        outlines = []
        for number in range(QUAD_EDGES):
            across, along = number % 2, (number + 1) % 2
            fixed = ring if number < 2 else ends[across]
            forward = number in (1, 2)
            params = [p if forward else ends[along] + ring - p for p in range(ring, ends[along])]
            outlines.append([(fixed, p) if along else (p, fixed) for p in params])
        return rings.ring(outlines)
    first = len(rings.points)
    if counts[0] > counts[1]:
        rings.points += [(p, CENTER) for p in range(ring, ends[0] + 1)]
        row = list(range(first, len(rings.points)))
        return [row[:1], row, row[-1:], row[::-1]]
    rings.points += [(CENTER, p) for p in range(ends[1], ring - 1, -1)]
    row = list(range(first, len(rings.points)))
    return [row, row[-1:], row[::-1], row[:1]]


@lru_cache(64)
def triangle_inside(points: int) -> Inside:
    """Inside a triangle whose inside edge has so many points: rings, then the point or triangle in the middle."""
    rings, count = _Rings(), _count(points)
    rows: list[_Row] = []
    for ring in range(1, (count + 1) // 2):
        last = count - 1 - ring
        if last == ring:
            rings.points.append((ring, CENTER, 0))
            inner = [[len(rings.points) - 1]] * TRIANGLE_EDGES
        else:
            inner = rings.ring([_triangle_edge(number, ring, last) for number in range(TRIANGLE_EDGES)])
        rows = rings.join(rows, inner)
    if is_odd(points):
        rings.triangles.append((rows[0][0], rows[1][0], rows[2][0]))
    return rings.made()


def _triangle_edge(number: int, ring: int, last: int) -> list[tuple[int, ...]]:
    """Points of an edge of a ring inside a triangle, but the last."""
    return [(ring, p if number == 1 else last + ring - p, number) for p in range(ring, last)]
