"""Software tessellation: domain points that hull threads left in memory (Ironlake volume 2 part 1, pages 112-113)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.fixed.tessellator import Tessellated
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import Topology

POINT_DWORDS = 2
_START, _END = 31, 30
_TYPE_AT, _TYPE = 24, 0x1F
_COORDINATE = 0x1FFFF
"""Bits of U and V, 1.16 fixed point as the tessellator's own."""
_TOPOLOGIES = (
    Topology.POINTLIST, Topology.LINELIST, Topology.LINESTRIP, Topology.TRILIST, Topology.TRISTRIP,
    Topology.TRISTRIP_REVERSE, Topology.TRIFAN,
)  # fmt: skip


def domain_points(points: NDArray[np.uint32]) -> Tessellated:
    """A patch of DOMAIN_POINT structures, (n, 2). The caches' tags are not looked at, nor is PatchEnd.

    CaptureError for points outside of primitives, primitives without an end, other topologies than the page's, and
    several of them in one patch.
    """
    first, places = points[:, 0], (points & np.uint32(_COORDINATE)).astype(np.int64)
    starts, ends = np.flatnonzero(first >> _START & 1), np.flatnonzero(first >> _END & 1)
    follow = np.append(starts[1:], len(points))
    if not len(starts) or starts[0] != 0 or len(starts) != len(ends) or (ends + 1 != follow).any():
        raise CaptureError(f"{len(points)} domain points must be primitives, each with a start and an end")
    types = np.unique(first[starts] >> _TYPE_AT & _TYPE)
    if len(types) > 1 or int(types[0]) not in _TOPOLOGIES:
        raise CaptureError(f"domain points of topologies {types.tolist()}, one that is no polygon is executed")
    runs = tuple(tuple(range(start, end + 1)) for start, end in zip(starts.tolist(), ends.tolist(), strict=True))
    return Tessellated(Topology(int(types[0])), places, runs)
