"""The tessellator: one patch, point and triangle after the other, in Direct3D 11's fixed-point arithmetic (16.16).

Edges grow by the ruler function: where a half edge gets its next segment follows from how many it has. All of it is
symmetric about the middle of an edge, so that neighboring patches meet.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from texsamp.state.commands_3d import Partitioning, TessellatorDomain, TessellatorOutput, Topology

ONE, HALF, THIRD, TWO_THIRDS = 0x10000, 0x8000, 0x5555, 0xAAAA
_FRACTION = 16
_LARGEST = 64
_LEAST = {Partitioning.INTEGER: 1.0, Partitioning.ODD_FRACTIONAL: 1.0, Partitioning.EVEN_FRACTIONAL: 2.0}
_FRAME = 1 + 2**-16
"""Least inside factor of odd partitioning where an outside one is larger than 1: there is a frame around the inside."""
_SMALLEST_FRAME = 1 + 2**-17
_QUAD_EDGES, _TRIANGLE_EDGES = 4, 3
_Row = list[int]


@dataclass(frozen=True)
class Tessellated:
    """points: int64 (n, 2), U and V in fixed point. runs: rows of points, of `topology` each; none if it is culled."""

    topology: Topology
    points: NDArray[np.int64]
    runs: tuple[tuple[int, ...], ...]


def _above(value: int) -> int:
    """The next whole number, in fixed point."""
    return (value + ONE - 1) & -ONE


def _without_top_bit(value: int) -> int:
    return value & ~(1 << value.bit_length() - 1) if value else 0


def _split(segments: int) -> int:
    """Which segment of a half edge comes into being when it has `segments` already."""
    return 2 * _without_top_bit(segments) + 1


@cache
def ruler() -> tuple[int, ...]:
    """Segments of the finest half edge in order: at which number of segments each came into being."""
    order = [0]
    for segments in range(1, _LARGEST // 2 + 1):
        order.insert(_split(segments), segments)
    return tuple(order)


@dataclass(frozen=True)
class _Edge:
    """An edge of a factor, in fixed point. odd: whether its number of segments is."""

    factor: int
    odd: bool

    @property
    def half(self) -> int:
        """Half the factor; odd edges, and a factor of 1, have half a segment more."""
        half = (self.factor + 1) // 2
        return half + HALF if self.odd or half == HALF else half

    @property
    def half_points(self) -> int:
        """Points of a half edge, but for the one that always is in the middle."""
        return _above(self.half) >> _FRACTION

    @property
    def points(self) -> int:
        """Points of the edge."""
        half = (self.factor + 1) // 2
        return (_above(HALF + half) * 2 >> _FRACTION) if self.odd else (_above(half) * 2 >> _FRACTION) + 1

    def place(self, point: int) -> int:
        """Where a point is, from 0 to 1: between its places at the next smaller and larger numbers of segments."""
        most = self.half_points
        flipped = point >= most
        if flipped:
            point = 2 * most - point - self.odd
        if point == most:
            return HALF
        floor, ceiling = self.half & -ONE, _above(self.half)
        fraction = self.half - floor
        before = point
        if fraction and point > self._split_point(floor >> _FRACTION):
            before -= 1
        low = before * _reciprocal((floor * 2 >> _FRACTION) - self.odd)
        high = point * _reciprocal((ceiling * 2 >> _FRACTION) - self.odd)
        found = low * (ONE - fraction) + high * fraction + HALF >> _FRACTION
        return ONE - found if flipped else found

    def _split_point(self, segments: int) -> int:
        if self.odd:
            return 0 if segments == 1 else _split(segments - 1)
        return _split(segments)


def _reciprocal(segments: int) -> int:
    return (2 * ONE + segments) // (2 * segments) if segments else 0


def _fixed(value: float) -> int:
    return round(value * ONE)


def _clamped(value: float, least: float, most: float) -> float:
    """NaN becomes the least."""
    return least if math.isnan(value) else min(most, max(least, value))


def tessellate(
    domain: TessellatorDomain,
    partitioning: Partitioning,
    output: TessellatorOutput,
    outer: Sequence[float],
    inner: Sequence[float],
    most: float,
) -> Tessellated:
    """Tessellate a patch; one with an outer factor that is not above 0 is culled.

    outer: factors of the edges U = 0, V = 0, U = 1, V = 1 of quads, U = 0, V = 0, W = 0 of triangles; of isolines how
    many there are, and the factor of each. inner: along U and V, of triangles one. most: the largest factor.
    """
    if not all(value > 0 for value in outer):  # NaN as well
        return Tessellated(Topology.POINTLIST, np.zeros((0, 2), np.int64), ())
    key = tuple(float(v) for v in outer), tuple(float(v) for v in inner)
    return _tessellate(domain, partitioning, output, *key, float(most))


@lru_cache(256)
def _tessellate(
    domain: TessellatorDomain,
    partitioning: Partitioning,
    output: TessellatorOutput,
    outer: tuple[float, ...],
    inner: tuple[float, ...],
    most: float,
) -> Tessellated:
    if domain == TessellatorDomain.ISOLINE:
        return _isolines(partitioning, output, outer, most)
    integer, odd = partitioning == Partitioning.INTEGER, partitioning == Partitioning.ODD_FRACTIONAL
    least = _LEAST[partitioning]
    outer = tuple(_clamped(value, least, most) for value in outer)
    if integer:
        outer = tuple(float(math.ceil(value)) for value in outer)
    every = (*outer, *inner) if domain == TessellatorDomain.QUAD else outer
    if odd and any(value > _SMALLEST_FRAME for value in every):
        least = _FRAME
    inner = tuple(_clamped(value, least, most) for value in inner)
    if integer:
        inner = tuple(float(math.ceil(value)) for value in inner)
    edges = [_Edge(_fixed(value), value % 2 == 1 if integer else odd) for value in outer]
    insides = [_Edge(_fixed(value), value % 2 == 1 and value != 1 if integer else odd) for value in inner]
    patch = _Patch()
    whole = (integer or odd) and all(edge.factor == ONE for edge in (*edges, *insides))
    if domain == TessellatorDomain.QUAD:
        _quad(patch, edges, insides, whole=whole)
    else:
        _triangle(patch, edges, insides[0], whole=whole)
    points = np.array(patch.points, np.int64).reshape(-1, 2)
    if output == TessellatorOutput.POINT:
        return Tessellated(Topology.POINTLIST, points, (tuple(range(len(points))),))
    if output == TessellatorOutput.LINE:
        return Tessellated(Topology.LINESTRIP, points, (tuple(range(len(points))),))
    clockwise = output == TessellatorOutput.TRI_CW
    corners = tuple(c for a, b, c_ in patch.triangles for c in ((a, b, c_) if clockwise else (a, c_, b)))
    return Tessellated(Topology.TRILIST, points, (corners,))


class _Patch:
    """Points and clockwise triangles as they come."""

    def __init__(self) -> None:
        self.points: list[tuple[int, int]] = []
        self.triangles: list[tuple[int, int, int]] = []

    def ring(self, edges: Sequence[Sequence[tuple[int, int]]]) -> list[_Row]:
        """Take edges, each without its last point, which the next one begins with; returns rows with it."""
        firsts = []
        for edge in edges:
            firsts.append(len(self.points))
            self.points += edge
        rows = []
        for number, (first, edge) in enumerate(zip(firsts, edges, strict=True)):
            rows.append([*range(first, first + len(edge)), firsts[(number + 1) % len(edges)]])
        return rows

    def transition(self, outside: _Row, inside: _Row, outer: _Edge, inner: _Edge) -> None:
        """Triangles between the outermost ring and the one inside, whose edge has another factor."""
        outer_half, inner_half = outer.half_points - outer.odd, inner.half_points - inner.odd
        order = ruler()
        self._out, self._in = 0, 0
        if outer_half:  # the only segment of an edge is in its middle
            self._advance_outside(outside, inside)
        for segment in order[1:]:
            if segment < inner_half:
                self._advance_inside(outside, inside)
            if segment < outer_half:
                self._advance_outside(outside, inside)
        if inner.odd:
            self._advance_inside(outside, inside)
        if outer.odd:
            self._advance_outside(outside, inside)
        for segment in reversed(order[1:]):
            if segment < outer_half:
                self._advance_outside(outside, inside)
            if segment < inner_half:
                self._advance_inside(outside, inside)
        if outer_half:
            self._advance_outside(outside, inside)

    def _advance_outside(self, outside: _Row, inside: _Row) -> None:
        self.triangles.append((outside[self._out], outside[self._out + 1], inside[self._in]))
        self._out += 1

    def _advance_inside(self, outside: _Row, inside: _Row) -> None:
        self.triangles.append((inside[self._in], outside[self._out], inside[self._in + 1]))
        self._in += 1

    def mirrored(self, outside: _Row, inside: _Row) -> None:
        """Triangles between two rings of one factor: diagonals turn in the middle, and corners are triangles."""
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


def _quad(patch: _Patch, edges: Sequence[_Edge], insides: Sequence[_Edge], *, whole: bool) -> None:
    """Rings from outside in, then the row in the middle. Edges in the order U = 0, V = 0, U = 1, V = 1."""
    if whole:
        patch.points += [(0, 0), (ONE, 0), (ONE, ONE), (0, ONE)]
        patch.triangles += [(0, 1, 3), (1, 2, 3)]
        return
    outlines: list[list[tuple[int, int]]] = []
    for number, edge in enumerate(edges):
        last, fixed = edge.points - 1, ONE if number >= 2 else 0
        params = [edge.place(p if number in (1, 2) else last - p) for p in range(last)]
        outlines.append([(p, fixed) if number % 2 else (fixed, p) for p in params])
    rows = patch.ring(outlines)
    u, v = insides
    counts = max(u.points, 4 if u.odd else 3), max(v.points, 4 if v.odd else 3)
    rings = min((counts[0] + 1) // 2, (counts[1] + 1) // 2)
    for ring in range(1, rings):
        inner = _quad_ring(patch, insides, counts, ring)
        for number in range(_QUAD_EDGES):
            along = insides[(number + 1) % 2]
            if ring == 1:
                patch.transition(rows[number], inner[number], edges[number], along)
            else:
                patch.mirrored(rows[number], inner[number])
        rows = inner
    if counts[0] > counts[1] and v.odd:
        patch.strip(rows[1], rows[3][::-1], turn_middle=False)
    elif counts[1] >= counts[0] and u.odd:
        patch.strip(rows[0], rows[2][::-1], turn_middle=v.odd)


def _quad_ring(patch: _Patch, insides: Sequence[_Edge], counts: tuple[int, int], ring: int) -> list[_Row]:
    """Rows of a ring inside a quad; one that has no extent along an axis is a row of points, walked to and fro."""
    ends = counts[0] - 1 - ring, counts[1] - 1 - ring
    if ring not in ends:
        outlines = []
        for number in range(_QUAD_EDGES):
            across, along = number % 2, (number + 1) % 2
            fixed = insides[across].place(ring if number < 2 else ends[across])
            steps = range(ring, ends[along])
            forward = number in (1, 2)
            params = [insides[along].place(p if forward else ends[along] + ring - p) for p in steps]
            outlines.append([(fixed, p) if along else (p, fixed) for p in params])
        return patch.ring(outlines)
    first = len(patch.points)
    if counts[0] > counts[1]:
        patch.points += [(insides[0].place(p), HALF) for p in range(ring, ends[0] + 1)]
        row = list(range(first, len(patch.points)))
        return [row[:1], row, row[-1:], row[::-1]]
    patch.points += [(HALF, insides[1].place(p)) for p in range(ends[1], ring - 1, -1)]
    row = list(range(first, len(patch.points)))
    return [row, row[-1:], row[::-1], row[:1]]


def _triangle(patch: _Patch, edges: Sequence[_Edge], inside: _Edge, *, whole: bool) -> None:
    """Rings from outside in, then the point or triangle in the middle. Edges in the order U = 0, V = 0, W = 0."""
    if whole:
        patch.points += [(0, ONE), (0, 0), (ONE, 0)]
        patch.triangles.append((0, 1, 2))
        return
    outlines: list[list[tuple[int, int]]] = []
    for number, edge in enumerate(edges):
        last = edge.points - 1
        params = [edge.place(p if number == 1 else last - p) for p in range(last)]
        outlines.append([((0, p), (p, 0), (p, ONE - p))[number] for p in params])
    rows = patch.ring(outlines)
    count = max(inside.points, 4 if inside.odd else 3)
    for ring in range(1, (count + 1) // 2):
        last = count - 1 - ring
        if last == ring:
            patch.points.append((THIRD, THIRD))
            inner = [[len(patch.points) - 1]] * _TRIANGLE_EDGES
        else:
            inner = patch.ring([_triangle_edge(inside, number, ring, last) for number in range(_TRIANGLE_EDGES)])
        for number in range(_TRIANGLE_EDGES):
            if ring == 1:
                patch.transition(rows[number], inner[number], edges[number], inside)
            else:
                patch.mirrored(rows[number], inner[number])
        rows = inner
    if inside.odd:
        patch.triangles.append((rows[0][0], rows[1][0], rows[2][0]))


def _triangle_edge(inside: _Edge, number: int, ring: int, last: int) -> list[tuple[int, int]]:
    """Points of an edge of a ring inside a triangle, but the last: its distance is mapped to barycentric space."""
    across = inside.place(ring) * TWO_THIRDS + HALF >> _FRACTION
    found = []
    for p in range(ring, last):
        along = inside.place(p if number == 1 else last + ring - p) - (across + 1) // 2
        found.append(((across, along), (along, across), (along, ONE - along - across))[number])
    return found


def _isolines(
    partitioning: Partitioning, output: TessellatorOutput, outer: tuple[float, ...], most: float
) -> Tessellated:
    """Lines along U; how many there are is always a whole number, and the one at V = 1 is left out."""
    density = math.ceil(_clamped(outer[0], 1.0, float(_LARGEST)))
    detail = _clamped(outer[1], _LEAST[partitioning], most)
    odd = partitioning == Partitioning.ODD_FRACTIONAL
    if partitioning == Partitioning.INTEGER:
        detail = float(math.ceil(detail))
        odd = detail % 2 == 1
    lines, line = _Edge(_fixed(density), density % 2 == 1), _Edge(_fixed(detail), odd)
    length, count = line.points, lines.points - 1
    points = [(line.place(p), lines.place(n)) for n in range(count) for p in range(length)]
    made = np.array(points, np.int64)
    if output == TessellatorOutput.POINT:
        return Tessellated(Topology.POINTLIST, made, (tuple(range(len(points))),))
    runs = tuple(tuple(range(n * length, (n + 1) * length)) for n in range(count))
    return Tessellated(Topology.LINESTRIP, made, runs)
