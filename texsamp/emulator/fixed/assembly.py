"""Assembly: from a stream of vertices to objects (Sandy Bridge volume 2 part 1, pages 8-16, 115-225)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.device.kept import kept
from texsamp.emulator.fixed.primitives import Primitives
from texsamp.emulator.fixed.spread import spread
from texsamp.emulator.fixed.vertex_stream import VertexStream
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import ReorderMode, Topology


@dataclass(frozen=True)
class TopologyRule:
    """How a topology's runs become objects: object m has the vertices `m * step + offsets`, from `least` vertices on.

    anchored: vertex 0 of an object is the run's first. loop: behind the last object another one closes the run.
    drawn: columns of an object that are drawn, triangle by triangle; the others are adjacent. inner: edges of those
    triangles that are no edges of the object, as (triangle, corner). becomes: what it is without adjacent vertices.
    """

    least: int
    step: int
    offsets: tuple[int, ...]
    drawn: tuple[tuple[int, ...], ...]
    becomes: Topology
    anchored: bool = False
    loop: bool = False
    inner: tuple[tuple[int, int], ...] = ()

    def counts(self, vertices: Array) -> Array:
        """Objects of runs, without those that close a loop."""
        found: Array = np.maximum(0, (vertices - self.least) // self.step + 1)
        return found

    @property
    def number_counters(self) -> tuple[int, int]:
        """Vertices that are skipped, and repeated, in counting primitive ids (S and R, page 116)."""
        skipped = self.least - self.step + 1
        if self.becomes == Topology.LINESTRIP and len(self.drawn[0]) < len(self.offsets):
            skipped -= 1  # the vertex behind the line does not provoke
        return skipped, self.step - 1


def _rule(
    least: int, step: int, becomes: Topology, *, drawn: tuple[int, ...] | None = None, anchored: bool = False,
    loop: bool = False,
) -> TopologyRule:  # fmt: skip
    placed = tuple(range(least))
    return TopologyRule(least, step, placed, (drawn or placed,), becomes, anchored, loop)


_T = Topology
_PATCHES = {
    _T(31 + points): TopologyRule(points, points, tuple(range(points)), (), _T(31 + points)) for points in range(1, 33)
}
TOPOLOGIES = MappingProxyType(
    {
        _T.POINTLIST: _rule(1, 1, _T.POINTLIST),
        _T.POINTLIST_BF: _rule(1, 1, _T.POINTLIST_BF),
        _T.LINELIST: _rule(2, 2, _T.LINELIST),
        _T.LINESTRIP: _rule(2, 1, _T.LINESTRIP),
        _T.LINESTRIP_BF: _rule(2, 1, _T.LINESTRIP_BF),
        _T.LINESTRIP_CONT: _rule(2, 1, _T.LINESTRIP_CONT),
        _T.LINESTRIP_CONT_BF: _rule(2, 1, _T.LINESTRIP_CONT_BF),
        _T.LINELOOP: _rule(2, 1, _T.LINESTRIP, loop=True),
        _T.LINELIST_ADJ: _rule(4, 4, _T.LINELIST, drawn=(1, 2)),
        _T.LINESTRIP_ADJ: _rule(4, 1, _T.LINESTRIP, drawn=(1, 2)),
        _T.TRILIST: _rule(3, 3, _T.TRILIST),
        _T.RECTLIST: _rule(3, 3, _T.RECTLIST),
        _T.TRISTRIP: _rule(3, 1, _T.TRISTRIP),
        _T.TRISTRIP_REVERSE: _rule(3, 1, _T.TRISTRIP_REVERSE),
        _T.TRIFAN: _rule(3, 1, _T.TRIFAN, anchored=True),
        _T.TRIFAN_NOSTIPPLE: _rule(3, 1, _T.TRIFAN_NOSTIPPLE, anchored=True),
        _T.POLYGON: _rule(3, 1, _T.POLYGON, anchored=True),
        _T.TRILIST_ADJ: _rule(6, 6, _T.TRILIST, drawn=(0, 2, 4)),
        _T.TRISTRIP_ADJ: _rule(6, 2, _T.TRISTRIP, drawn=(0, 2, 4)),
        # A quad is a polygon that begins with its last vertex, which provokes.
        _T.QUADLIST: TopologyRule(
            4, 4, (0, 1, 2, 3), ((3, 0, 1), (3, 1, 2)), _T.POLYGON, inner=((0, 2), (1, 0))
        ),
        _T.QUADSTRIP: TopologyRule(
            4, 2, (0, 1, 3, 2), ((2, 0, 1), (2, 3, 0)), _T.POLYGON, inner=((0, 0), (1, 2))
        ),
        **_PATCHES,
    }
)  # fmt: skip
_STRIPS = (_T.TRISTRIP, _T.TRISTRIP_REVERSE)
"""What becomes of topologies whose triangles turn."""
_REORDERED = {ReorderMode.LEADING: (0, 2, 1), ReorderMode.TRAILING: (1, 0, 2)}
"""Places of the vertices of a triangle that a strip turns the other way, by which vertex stays in order."""
_BEFORE_OTHERS = (4, 5, 0, 1, 2, 3)
"""Vertices of a triangle of TRISTRIP_ADJ from its last one on."""
_TURNED_ADJACENT = (0, -2, 2, 6, 4, 3), (0, 3, 4, 6, 2, -2)
"""Vertices of even and odd triangles of TRISTRIP_ADJ, from twice their number on (page 166); the first triangle has
vertex 1 for the one before it, the last one its last vertex for the one behind it."""


@dataclass(frozen=True)
class Objects:
    """Objects of a stream in order, n of them, with their adjacent vertices; the host's or of a device.

    vertices: integers (n, k), rows of the table of vertices, in the order they came (TRISTRIP_ADJ: reordered).
    turned: bool (n,), triangles of strips that wind the other way. numbers: integers (n,), primitive ids.
    runs: integers (n,), the run each is of. first, last: bool (n,), first and last of it.
    closing: how many close a loop.
    """

    topology: Topology
    vertices: Array
    turned: Array
    numbers: Array
    runs: Array
    first: Array
    last: Array
    closing: int

    @property
    def counted(self) -> int:
        """Objects as IA_PRIMITIVES_COUNT counts them (page 118)."""
        return len(self.numbers) - self.closing


def assemble(topology: Topology, stream: VertexStream, device: Device) -> Objects:
    """Objects of a stream; vertices that are left over are dropped. CaptureError for an unknown topology.

    device: whose arrays the stream is made of; it is asked how many objects there are.
    """
    rule = TOPOLOGIES.get(topology)
    if rule is None:
        raise CaptureError(f"topology {int(topology)} is not defined")
    lengths = stream.lengths
    plain = rule.counts(lengths)
    closing = (lengths >= rule.least).astype(np.int64) * rule.loop
    counts = plain + closing
    total, closed = _sums(device, counts, closing)
    run, within = spread(counts, total, device)
    (offsets,) = kept(device, (np.array(rule.offsets),))
    places = within[:, None] * rule.step + offsets
    if rule.anchored:
        places[:, 0] = 0
    if rule.loop:
        places %= lengths[run][:, None]
    last = within == counts[run] - 1
    turned = device.arrays.zeros(total, np.bool_)
    if rule.becomes in _STRIPS:
        turned = (within % 2 == 1) != (topology == _T.TRISTRIP_REVERSE)
    if topology == _T.TRISTRIP_ADJ:
        places = _adjacent(within, last, device)
    before = np.cumsum(plain) - plain
    first_run = np.searchsorted(stream.instances, stream.instances)  # the first run of each run's instance
    numbers = (before - before[first_run])[run] + np.where(within < plain[run], within, 0)
    vertices = stream.rows[stream.starts[run][:, None] + places]
    return Objects(topology, vertices, turned, numbers, run, within == 0, last, closed)


def assemble_owned(topology: Topology, stream: VertexStream, ids: Array, device: Device) -> Objects:
    """`assemble` of runs that belong to other objects, `stream.instances`, which have these primitive ids."""
    objects = assemble(topology, stream, device)
    return replace(objects, numbers=ids[stream.instances[objects.runs]])


def _sums(device: Device, counts: Array, closing: Array) -> tuple[int, int]:
    if not len(counts):
        return 0, 0
    total, closed = device.download(np.stack([counts, closing], axis=1).sum(axis=0)).tolist()
    return total, closed


def _adjacent(within: Array, last: Array, device: Device) -> Array:
    """Places of the six vertices of each triangle of TRISTRIP_ADJ."""
    even, odd = kept(device, [np.array(offsets) for offsets in _TURNED_ADJACENT])
    is_odd = within % 2 == 1
    places: Array = 2 * within[:, None] + np.where(is_odd[:, None], odd, even)
    places[:, 1] = np.where(within == 0, 1, places[:, 1])
    places[:, 3] -= last
    return places


def _columns(vertices: Array, places: Sequence[int]) -> Array:
    chosen: Array = np.stack([vertices[:, place] for place in places], axis=1)
    return chosen


def payload_vertices(objects: Objects, mode: ReorderMode, *, adjacent: bool = True) -> Array:
    """Vertices of objects as a geometry thread has them, (n, k), with or without adjacent ones (pages 164-166).

    mode: which vertex of a triangle that a strip turns keeps its place.
    """
    rule, vertices = TOPOLOGIES[objects.topology], objects.vertices
    if rule.becomes in _STRIPS:
        if objects.topology != _T.TRISTRIP_ADJ:
            alike = _columns(vertices, _REORDERED[mode])
        else:
            alike = _columns(vertices, _BEFORE_OTHERS) if mode == ReorderMode.TRAILING else vertices
        vertices = np.where(objects.turned[:, None], alike, vertices)
    return vertices if adjacent or len(rule.drawn) != 1 else _columns(vertices, rule.drawn[0])


def drawn(objects: Objects, mode: ReorderMode = ReorderMode.LEADING) -> tuple[Array, Array]:
    """Points, lines and triangles of objects, (n, of an object, corners): all winding alike, and as they came.

    mode: which vertex of a triangle that a strip turns keeps its place. CaptureError for patches, which only the
    tessellator takes.
    """
    rule = TOPOLOGIES[objects.topology]
    if not rule.drawn:
        raise CaptureError(f"{objects.topology.name} without tessellation")
    submitted: Array = np.stack([_columns(objects.vertices, corners) for corners in rule.drawn], axis=1)
    if rule.becomes not in _STRIPS:
        return submitted, submitted
    turned = objects.turned[:, None, None]
    if objects.topology == _T.TRISTRIP_ADJ:  # those are turned already
        submitted = np.where(turned, _reordered(submitted, ReorderMode.LEADING), submitted)
    return np.where(turned, _reordered(submitted, mode), submitted), submitted


def _reordered(triangles: Array, mode: ReorderMode) -> Array:
    """One triangle of each object, (n, 1, 3), as those that a strip turns are drawn."""
    return _columns(triangles[:, 0], _REORDERED[mode])[:, None]


def primitives(objects: Objects, vertices: Array, device: Device, flags: NDArray[np.bool_] | None = None) -> Primitives:
    """Points, lines and triangles for the clipper; adjacent vertices are dropped, quads become triangles.

    vertices: VUEs, uint32 (v, slots, 4), of the device. flags: edge flags of vertices, bool (v,), all set if None: that
    of a vertex holds for the edge that begins there. CaptureError for patches.
    """
    rule = TOPOLOGIES[objects.topology]
    corners, submitted = drawn(objects)
    here = isinstance(corners, np.ndarray)
    edges = (np if here else device.arrays).ones(corners.shape, np.bool_) if flags is None else flags[corners]
    for triangle, corner in rule.inner:
        edges[:, triangle, corner] = False
    if objects.topology == _T.POLYGON:
        edges[:, 0, 0] &= objects.first
        edges[:, 0, 2] &= objects.last
    width = corners.shape[2]
    return Primitives.of(
        rule.becomes, vertices, device, corners.reshape(-1, width), submitted.reshape(-1, width),
        edges.reshape(-1, width), objects.numbers.repeat(corners.shape[1]), objects.runs.repeat(corners.shape[1]),
    )  # fmt: skip
