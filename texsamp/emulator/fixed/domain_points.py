"""Software tessellation: domain points that hull threads left in memory (Ironlake volume 2 part 1, pages 112-113)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.fixed.tessellator import Tessellated
from texsamp.errors import CaptureError
from texsamp.state.commands_3d import Topology

_START, _END = 31, 30
_TYPE_AT, _TYPE = 24, 0x1F
_COORDINATE = 0x1FFFF
"""Bits of U and V, 1.16 fixed point as the tessellator's own."""
_TOPOLOGIES = (
    Topology.POINTLIST, Topology.LINELIST, Topology.LINESTRIP, Topology.TRILIST, Topology.TRISTRIP,
    Topology.TRISTRIP_REVERSE, Topology.TRIFAN,
)  # fmt: skip


def domain_points(points: NDArray[np.uint32], counts: NDArray[np.int64]) -> Tessellated:
    """Patches of so many DOMAIN_POINT structures, (n, 2). The caches' tags are not looked at, nor is PatchEnd.

    CaptureError for points outside of primitives, primitives without an end, other topologies than the page's, and
    several of them in one draw.
    """
    first, places = points[:, 0], (points & np.uint32(_COORDINATE)).astype(np.int64)
    patch = np.repeat(np.arange(len(counts)), counts)
    starts, ends = (first >> bit & 1 == 1 for bit in (_START, _END))
    is_first = np.diff(patch, prepend=-1) > 0
    begins = is_first | np.concatenate([[False], ends[:-1]])[: len(ends)]
    is_last = np.append(is_first[1:], True)[: len(ends)]
    if (wrong := (starts != begins) | (is_last & ~ends)).any():
        count = counts[patch[wrong.argmax()]]
        raise CaptureError(f"{count} domain points must be primitives, each with a start and an end")
    begun, ended = np.flatnonzero(starts), np.flatnonzero(ends)
    types, owners = first[begun] >> _TYPE_AT & _TYPE, patch[begun]
    if (wrong := (types != types[np.searchsorted(owners, owners)]) | ~np.isin(types, _TOPOLOGIES)).any():
        of_patch = np.unique(types[owners == owners[wrong.argmax()]])
        raise CaptureError(f"domain points of topologies {of_patch.tolist()}, one that is no polygon is executed")
    kinds = [Topology(int(types[at])) for at in np.sort(np.unique(types, return_index=True)[1])]
    if len(kinds) > 1:
        raise CaptureError(f"patches of {' and '.join(kind.name for kind in kinds)} in one draw")
    topology = kinds[0] if kinds else Topology.POINTLIST
    return Tessellated(topology, places, counts, np.arange(len(points)), ended + 1 - begun, owners)
