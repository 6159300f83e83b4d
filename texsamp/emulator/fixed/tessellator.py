"""The tessellator: points and objects of patches, in the fixed-point arithmetic that Direct3D 11 defines (16.16).

Edges grow by the ruler function: where a half edge gets its next segment follows from how many it has. All of it is
symmetric about the middle of an edge, so that neighboring patches meet. All patches of a draw are arrays; how triangles
lie follows from numbers of points alone (`tessellation_forms`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.emulator.fixed.tessellation_forms import (
    CENTER,
    QUAD_EDGES,
    TRIANGLE_EDGES,
    UNDIVIDED,
    Inside,
    inside_count,
    quad_inside,
    split,
    transition,
    triangle_inside,
)
from texsamp.state.commands_3d import Partitioning, TessellatorDomain, TessellatorOutput, Topology

ONE, HALF, THIRD, TWO_THIRDS = 0x10000, 0x8000, 0x5555, 0xAAAA
_FRACTION = 16
_LARGEST = 64
_LEAST = {Partitioning.INTEGER: 1.0, Partitioning.ODD_FRACTIONAL: 1.0, Partitioning.EVEN_FRACTIONAL: 2.0}
_FRAME = 1 + 2**-16
"""Least inside factor of odd partitioning where an outside one is larger than 1: there is a frame around the inside."""
_SMALLEST_FRAME = 1 + 2**-17
_CORNERS = np.array([[0, 0], [ONE, 0], [ONE, ONE], [0, ONE]])
"""Of a quad that is not divided; other outlines begin at U = 0, V = 1."""
_SPLITS = np.array(
    [[split(segments) for segments in range(_LARGEST)], [0, 0, *map(split, range(1, _LARGEST - 1))]], np.int64
)
"""The segment that is new, by whether an edge is odd and how many its half has."""
_RECIPROCALS = np.array([0, *((2 * ONE + n) // (2 * n) for n in range(1, _LARGEST + 2))], np.int64)
_UNDIVIDED = 0
"""Instead of how many points inside edges have."""

Numbers = NDArray[np.int64]
Factors = NDArray[np.float64]


@dataclass(frozen=True)
class Tessellated:
    """Points of patches, patch by patch, and runs of them, of `topology` each.

    points: int64 (points, 2), U and V in fixed point. counts: int64 (patches,), how many each has, 0 if it is culled.
    rows: points of all runs, in order. lengths: how many each run has. owners: the patch of each run.
    """

    topology: Topology
    points: Numbers
    counts: Numbers
    rows: Numbers
    lengths: Numbers
    owners: Numbers


@dataclass(frozen=True)
class _Edges:
    """Edges of factors in fixed point. odd: whether their number of segments is."""

    factors: Numbers
    odd: NDArray[np.bool_]

    @property
    def points(self) -> Numbers:
        """How many points they have."""
        half = (self.factors + 1) // 2
        points: Numbers = np.where(
            self.odd, (_above(HALF + half) * 2) >> _FRACTION, (_above(half) * 2 >> _FRACTION) + 1
        )
        return points

    def places(self, chosen: tuple[Numbers, ...], point: Numbers) -> Numbers:
        """Where points of chosen edges are, 0 to 1: between places at the numbers of segments below and above."""
        odd, half = self.odd[chosen].astype(np.int64), (self.factors[chosen] + 1) // 2
        half = half + HALF * ((odd == 1) | (half == HALF))
        most = _above(half) >> _FRACTION
        flipped = point >= most
        point = np.where(flipped, 2 * most - point - odd, point)
        floor, ceiling = half & -ONE, _above(half)
        fraction = half - floor
        before = point - ((fraction > 0) & (point > _SPLITS[odd, floor >> _FRACTION]))
        low = before * _RECIPROCALS[(floor * 2 >> _FRACTION) - odd]
        high = point * _RECIPROCALS[(ceiling * 2 >> _FRACTION) - odd]
        found = (low * (ONE - fraction) + high * fraction + HALF) >> _FRACTION
        return np.where(point == most, HALF, np.where(flipped, ONE - found, found))


def _above(values: Numbers) -> Numbers:
    """The next whole numbers, in fixed point."""
    return (values + ONE - 1) & -ONE


def _clamped(values: Factors, least: Factors | float, most: float) -> Factors:
    """NaN becomes the least."""
    return np.where(np.isnan(values), least, np.minimum(most, np.maximum(values, least)))


def _edges(factors: Factors, partitioning: Partitioning, *, inside: bool = False) -> _Edges:
    """Edges of clamped factors; those inside that have one segment are even, with a point in the middle."""
    odd = np.full(factors.shape, partitioning == Partitioning.ODD_FRACTIONAL)
    if partitioning == Partitioning.INTEGER:
        factors = np.ceil(factors)
        odd = (factors % 2 == 1) & ~((factors == 1) & inside)
    return _Edges(np.rint(factors * ONE).astype(np.int64), odd)


def _spread(sizes: Numbers) -> tuple[Numbers, Numbers]:
    """Of elements that belong to others, so many to each: which it belongs to, and its number there."""
    owner = np.repeat(np.arange(len(sizes)), sizes)
    return owner, np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes)


class _Forms:
    """Rows of arrays of several forms, and of which form each of many things is."""

    def __init__(self, forms: Sequence[Numbers], which: Numbers) -> None:
        sizes = np.array([len(form) for form in forms], np.int64)
        self._rows, starts = np.concatenate(forms), np.cumsum(sizes) - sizes
        self.sizes, self._starts = sizes[which], starts[which]

    def rows(self) -> tuple[Numbers, Numbers, Numbers]:
        """Rows of all things in order, the thing each is of, and its number there."""
        owner, within = _spread(self.sizes)
        return self._rows[self._starts[owner] + within], owner, within

    def at(self, thing: Any, number: Numbers) -> Numbers:
        """Single rows of things."""
        found: Numbers = self._rows[self._starts[thing] + number]
        return found


def _alike(keys: Numbers) -> tuple[Numbers, Numbers]:
    """Keys that differ, and which of them each is."""
    distinct, which = np.unique(keys, return_inverse=True)
    return distinct, which.reshape(keys.shape)


def tessellate(
    domain: TessellatorDomain,
    partitioning: Partitioning,
    output: TessellatorOutput,
    outer: Factors,
    inner: Factors,
    most: float,
    check: Callable[[Numbers], None] = lambda counts: None,
) -> Tessellated:
    """Tessellate patches; one with an outer factor that is not above 0 is culled.

    outer: (patches, n), factors of the edges U = 0, V = 0, U = 1, V = 1 of quads, U = 0, V = 0, W = 0 of triangles; of
    isolines how many there are, and the factor of each. inner: along U and V, of triangles one. most: the largest
    factor. check: is given how many points each patch has, before they are made.
    """
    kept = np.flatnonzero((outer > 0).all(axis=1))  # NaN is not
    patches = _Isolines if domain == TessellatorDomain.ISOLINE else _Patches
    made = patches(domain, partitioning, outer[kept], inner[kept], most)
    counts = np.zeros(len(outer), np.int64)
    counts[kept] = made.counts
    check(counts)
    points = made.points()
    if output == TessellatorOutput.POINT:
        topology, rows, lengths, owners = Topology.POINTLIST, np.arange(len(points)), made.counts, np.arange(len(kept))
    else:
        topology, rows, lengths, owners = made.runs(output)
    return Tessellated(topology, points, counts, rows, lengths, kept[owners])


class _Isolines:
    """Lines along U; how many there are is always a whole number, and the one at V = 1 is left out."""

    def __init__(
        self, _: TessellatorDomain, partitioning: Partitioning, outer: Factors, __: Factors, most: float
    ) -> None:
        self._lines = _edges(_clamped(outer[:, 0], 1.0, float(_LARGEST)), Partitioning.INTEGER)
        self._line = _edges(_clamped(outer[:, 1], _LEAST[partitioning], most), partitioning)
        self._length, self._number = self._line.points, self._lines.points - 1
        self.counts = self._length * self._number

    def points(self) -> Numbers:
        """Those of all patches, (points, 2)."""
        patch, within = _spread(self.counts)
        line, point = np.divmod(within, self._length[patch])
        return np.column_stack([self._line.places((patch,), point), self._lines.places((patch,), line)])

    def runs(self, _: TessellatorOutput) -> tuple[Topology, Numbers, Numbers, Numbers]:
        """Topology, points, lengths and patches of runs."""
        owners, _within = _spread(self._number)
        return Topology.LINESTRIP, np.arange(int(self.counts.sum())), self._length[owners], owners


class _Patches:
    """Quads or triangles: an outline, then rings inside it."""

    def __init__(
        self, domain: TessellatorDomain, partitioning: Partitioning, outer: Factors, inner: Factors, most: float
    ) -> None:
        self._is_quad = domain == TessellatorDomain.QUAD
        least = _LEAST[partitioning]
        outer = _clamped(outer, least, most)
        smallest = np.full((len(outer), 1), least)
        if partitioning == Partitioning.ODD_FRACTIONAL:
            every = np.column_stack([outer, inner]) if self._is_quad else outer
            smallest[(every > _SMALLEST_FRAME).any(axis=1)] = _FRAME
        self._outer = _edges(outer, partitioning)
        self._inner = _edges(_clamped(inner, smallest, most), partitioning, inside=True)
        self._undivided = np.zeros(len(outer), np.bool_)
        if partitioning != Partitioning.EVEN_FRACTIONAL:
            factors = np.column_stack([self._outer.factors, self._inner.factors])
            self._undivided = (factors == ONE).all(axis=1)
        self._sides, self._insides = self._outer.points, self._inner.points
        self._rim = (self._sides - 1).sum(axis=1)
        self.counts = self._rim + np.where(self._undivided, 0, self._points_inside())
        self._first = np.cumsum(self.counts) - self.counts

    @property
    def _edge_count(self) -> int:
        return QUAD_EDGES if self._is_quad else TRIANGLE_EDGES

    def _points_inside(self) -> Numbers:
        """How many points patches have inside, if they are divided: a lattice, or rings."""
        across = inside_count(self._insides)
        if self._is_quad:
            return (across[:, 0] - 2) * (across[:, 1] - 2)
        across = across[:, 0]
        rings = (across - 1) // 2
        return 3 * rings * (across - 2 - rings) + across % 2

    @cached_property
    def _inside_forms(self) -> tuple[list[Inside], Numbers]:
        """Forms of what is inside, and which of them each patch has."""
        u, v = self._insides[:, 0], self._insides[:, -1]
        keys, which = _alike(np.where(self._undivided, _UNDIVIDED, u * ONE + v))
        forms = []
        for key in keys.tolist():
            if key == _UNDIVIDED:
                forms.append(UNDIVIDED[self._edge_count])
            else:
                forms.append(quad_inside(*divmod(key, ONE)) if self._is_quad else triangle_inside(key % ONE))
        return forms or [UNDIVIDED[self._edge_count]], which

    def _inside(self, part: Callable[[Inside], Numbers]) -> _Forms:
        """A part of the forms of what is inside."""
        forms, which = self._inside_forms
        return _Forms([part(form) for form in forms], which)

    def points(self) -> Numbers:
        """Those of all patches, (points, 2)."""
        made = np.empty((int(self.counts.sum()), 2), np.int64)
        rim, patch, within = self._outline()
        made[self._first[patch] + within] = rim
        symbols, patch, within = self._inside(lambda form: form.points).rows()
        inside = self._quad_points if self._is_quad else self._triangle_points
        made[self._first[patch] + self._rim[patch] + within] = inside(symbols, patch)
        return made

    def _outline(self) -> tuple[Numbers, Numbers, Numbers]:
        """Points of the outermost ring, each edge without its last; the patch of each, and its number there."""
        edge, along = _spread((self._sides - 1).reshape(-1))
        patch, number = np.divmod(edge, self._edge_count)
        last = self._sides[patch, number] - 1
        forward = (number == 1) | ((number == 2) & self._is_quad)
        place = self._outer.places((patch, number), np.where(forward, along, last - along))
        if self._is_quad:
            fixed = np.where(number >= 2, ONE, 0)
            points = np.where((number % 2 == 1)[:, None], np.stack([place, fixed], 1), np.stack([fixed, place], 1))
            points = np.where(self._undivided[patch][:, None], _CORNERS[number], points)
        else:
            points = np.column_stack(
                [np.where(number == 0, 0, place), np.select([number == 0, number == 1], [place, 0], ONE - place)]
            )
        starts = np.cumsum(self._rim) - self._rim
        return points, patch, np.arange(len(patch)) - starts[patch]

    def _quad_points(self, symbols: Numbers, patch: Numbers) -> Numbers:
        """Points inside quads, by their numbers along U and V."""
        axis = np.broadcast_to(np.arange(2), symbols.shape)
        places = self._inner.places((patch[:, None], axis), symbols)
        return np.where(symbols == CENTER, HALF, places)

    def _triangle_points(self, symbols: Numbers, patch: Numbers) -> Numbers:
        """Points inside triangles: the distance of a ring from its edge is mapped to barycentric space."""
        ring, point, number = symbols.T
        inner = patch, np.zeros_like(patch)
        across = (self._inner.places(inner, ring) * TWO_THIRDS + HALF) >> _FRACTION
        along = self._inner.places(inner, point) - (across + 1) // 2
        u = np.where(number == 0, across, along)
        v = np.select([number == 0, number == 1], [along, across], ONE - along - across)
        return np.where((point == CENTER)[:, None], THIRD, np.column_stack([u, v]))

    def runs(self, output: TessellatorOutput) -> tuple[Topology, Numbers, Numbers, Numbers]:
        """Topology, points, lengths and patches of runs."""
        owners = np.arange(len(self.counts))
        if output == TessellatorOutput.LINE:
            return Topology.LINESTRIP, np.arange(int(self.counts.sum())), self.counts, owners
        triangles, lengths = self._triangles()
        if output != TessellatorOutput.TRI_CW:
            triangles = triangles[:, [0, 2, 1]]
        return Topology.TRILIST, triangles.reshape(-1), 3 * lengths, owners

    def _triangles(self) -> tuple[Numbers, Numbers]:
        """Clockwise triangles of all patches, (n, 3), and how many each has: between the outer rings, then inside."""
        around, inside = self._transitions(), self._inside(lambda form: form.triangles)
        sizes = np.column_stack([around.sizes, inside.sizes])
        starts = (np.cumsum(sizes) - sizes.reshape(-1)).reshape(sizes.shape)
        made = np.empty((int(sizes.sum()), 3), np.int64)
        values, patch, within = inside.rows()
        behind = self._first + self._rim
        made[starts[patch, -1] + within] = values + behind[patch][:, None]
        owner, within = _spread(around.sizes.reshape(-1))
        patch, edge = np.divmod(owner, self._edge_count)
        values = around.at((patch, edge), within)
        made[starts[patch, edge] + within] = np.where(
            values < 0,
            self._facing(patch, edge, np.maximum(-1 - values, 0)) + behind[patch][:, None],
            self._on_rim(patch, edge, np.maximum(values, 0)),
        )
        return made, sizes.sum(axis=1)

    def _transitions(self) -> _Forms:
        """Of each edge of each patch."""
        inner = self._insides[:, [1, 0, 1, 0] if self._is_quad else [0, 0, 0]]
        keys, which = _alike(np.where(self._undivided[:, None], _UNDIVIDED, self._sides * ONE + inner))
        forms = [
            np.zeros((0, 3), np.int64) if key == _UNDIVIDED else transition(*divmod(key, ONE)) for key in keys.tolist()
        ]
        return _Forms(forms or [np.zeros((0, 3), np.int64)], which)

    def _on_rim(self, patch: Numbers, edge: Numbers, point: Numbers) -> Numbers:
        """Points along edges of the outermost ring, (n, 3); the last one is the first of the next edge."""
        ends = np.cumsum(self._sides - 1, axis=1)
        firsts = np.column_stack([np.zeros(len(ends), np.int64), ends[:, :-1]])
        following = np.roll(firsts, -1, axis=1)
        is_last = point == (self._sides - 1)[patch, edge][:, None]
        within = np.where(is_last, following[patch, edge][:, None], firsts[patch, edge][:, None] + point)
        points: Numbers = self._first[patch][:, None] + within
        return points

    def _facing(self, patch: Numbers, edge: Numbers, point: Numbers) -> Numbers:
        """Points inside that face an edge, (n, 3), counted from the first one inside."""
        starts = self._inside(lambda form: form.starts).at(patch, edge)
        return self._inside(lambda form: form.rows).at(patch[:, None], starts[:, None] + point)
