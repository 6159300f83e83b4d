"""Software tessellation: domain points that hull threads left in memory (Ironlake volume 2 part 1, pages 112-113).

They are read and checked where they are; the host is told numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.device.kept import kept
from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.fixed.assembly import assemble_owned
from texsamp.emulator.fixed.patch_ends import POINTS, Check, ends_of
from texsamp.emulator.fixed.spread import spread
from texsamp.emulator.fixed.tessellator import Tessellated
from texsamp.emulator.fixed.vertex_stream import VertexStream
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import Topology

_COUNT, _AT, _AT_MASK = 7, 6, 0xFFFFFFC0
"""Dwords of a patch's header: how many domain points it has, and where."""
_POINT_B, _ADDRESS = 8, 0xFFFFFFFF
_START_AT, _END_AT, _TYPE_AT, _TYPES = 31, 30, 24, 32
_COORDINATE = 0x1FFFF
"""Bits of U and V, 1.16 fixed point as the tessellator's own."""
_TOPOLOGIES = (
    Topology.POINTLIST, Topology.LINELIST, Topology.LINESTRIP, Topology.TRILIST, Topology.TRISTRIP,
    Topology.TRISTRIP_REVERSE, Topology.TRIFAN,
)  # fmt: skip


def domain_points(
    memory: CaseMemory, base: int, entries: Array, ids: Array, device: Device, check: Check
) -> Tessellated:
    """What hull threads left in memory; nothing where a header counts no points.

    entries, ids, check: those of `tessellate`. base: what places in headers count from. CaptureError for points that
    are not mapped or outside of primitives, primitives without an end, other topologies than the page's, and several of
    them in one draw. The caches' tags are not looked at, nor is PatchEnd.
    """
    with device.current():
        header = entries[:, :2].reshape(len(entries), 8)
        counts = header[:, _COUNT].astype(np.int64)
        starts = base + (header[:, _AT] & np.uint32(_AT_MASK)).astype(np.int64) & _ADDRESS
        left = counts > 0
        ends, first = ends_of(counts, counts * 0, device, _first(left, starts, counts))
        check(ends)
        owner, within = spread(counts, ends.points, device)
        words = device.arrays.zeros((ends.points, 2), np.uint32)
        while first[0]:
            buffer = memory.find(first[1], first[2] * _POINT_B)
            held = left & (starts >= buffer.address)
            held &= starts + counts * _POINT_B <= buffer.address + buffer.size
            own = held[owner]
            at = np.where(own, starts[owner] - buffer.address + within * _POINT_B, 0)
            found = memory.bytes_on(device, buffer.address)[at[:, None] + device.arrays.arange(_POINT_B)]
            words = np.where(own[:, None], found.view(np.uint32), words)
            left = left & ~held
            first = device.download(np.stack(_first(left, starts, counts))).tolist()
        topology, stream = _Primitives(words[:, 0], owner, ends.ends[:, POINTS] - counts, counts).stream(device)
        objects = assemble_owned(topology, stream, ids, device)
        return Tessellated((words & np.uint32(_COORDINATE)).astype(np.int32), ends, objects)


def _first(left: Array, starts: Array, counts: Array) -> tuple[Array, ...]:
    """How many patches are left, and where and how long the points of the first one are; no numbers of no patches."""
    if not len(left):
        return ()
    at = left.argmax()
    return left.sum(), starts[at], counts[at]


class _Primitives:
    """The primitives that points are. heads: first dwords of points. owners: their patches. firsts: points of these."""

    def __init__(self, heads: Array, owners: Array, firsts: Array, counts: Array) -> None:
        self._owners, self._counts = owners, counts
        self._starts, self._ends = (heads >> bit & 1 == 1 for bit in (_START_AT, _END_AT))
        self._types = (heads >> _TYPE_AT & _TYPES - 1).astype(np.int64)
        self._firsts = firsts[owners]

    def stream(self, device: Device) -> tuple[Topology, VertexStream]:
        """Their topology and runs; CaptureError for what is wrong with them."""
        count = len(self._owners)
        runs, topology = self._checked(device) if count else (0, Topology.POINTLIST)
        arange = device.arrays.arange
        numbers = arange(1, runs + 1)
        begun, ended = (np.searchsorted(np.cumsum(each), numbers) for each in (self._starts, self._ends))
        return topology, VertexStream(arange(count), begun, ended + 1 - begun, self._owners[begun])

    def _checked(self, device: Device) -> tuple[int, Topology]:
        """How many there are, and their topology."""
        starts, ends, owners, types = self._starts, self._ends, self._owners, self._types
        begins, is_last = (device.arrays.ones(len(owners), np.bool_) for _ in range(2))
        changes = owners[1:] != owners[:-1]
        begins[1:], is_last[:-1] = changes | ends[:-1], changes
        outside = (starts != begins) | (is_last & ~ends)
        (polygons,) = kept(device, (np.isin(np.arange(_TYPES), _TOPOLOGIES),))
        odd = starts & ((types != types[self._firsts]) | ~polygons[types])
        other = starts & (types != types[0])
        sums = [outside.sum(), odd.sum(), other.sum(), starts.sum(), types[0]]
        are_outside, are_odd, are_other, runs, kind = device.download(np.stack(sums)).tolist()
        if are_outside:
            count = int(device.download(self._counts[owners[outside.argmax()]]))
            raise CaptureError(f"{count} domain points must be primitives, each with a start and an end")
        if are_odd:
            used = np.flatnonzero(self._used(starts & (owners == owners[odd.argmax()]), device) < len(owners))
            raise CaptureError(f"domain points of topologies {used.tolist()}, one that is no polygon is executed")
        if are_other:
            first = self._used(starts, device)
            kinds = [Topology(int(each)) for each in np.argsort(first, kind="stable") if first[each] < len(owners)]
            raise CaptureError(f"patches of {' and '.join(each.name for each in kinds)} in one draw")
        return runs, Topology(kind)

    def _used(self, chosen: Array, device: Device) -> Any:
        """Of each topology the first of chosen points that has it, on the host; their number if none has."""
        count = len(chosen)
        every = device.arrays.arange(count)
        found = [np.where(chosen & (self._types == kind), every, count).min() for kind in range(_TYPES)]
        return device.download(np.stack(found))
