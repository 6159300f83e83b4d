"""What the vertex side of a draw leaves for the clipper: vertices, and the objects between them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.state.commands_3d import Topology

HEADER, POSITION, DISTANCES = 0, 1, 2
"""Slots of a vertex URB entry: its header, its position, the first of two with user clip and cull distances."""
FIXED = 4
"""Slots that fixed functions read by themselves: these and, behind the first distances, the others."""
AS_THEY_ARE = np.array([[0, 1, 0], [0, 0, 1]], np.float32)
"""Of `straight`, for objects that were not cut."""
ARRAY_INDEX, VIEWPORT_INDEX, POINT_WIDTH = 1, 2, 3
"""Dwords of the header; dword 0 is reserved."""


def not_cut(count: int) -> NDArray[np.float32]:
    """Of `straight`, as many objects as they came."""
    return np.broadcast_to(AS_THEY_ARE, (count, *AS_THEY_ARE.shape))


@dataclass(frozen=True)
class Primitives:
    """Objects of one draw in order: n of them, with 1 (points), 2 (lines) or 3 (triangles, rectangles) corners each.

    topology: that of the objects' strips, after the last stage that can change it: it says which provoking vertex
        select applies, and whether objects are rectangles (RECTLIST).
    vertices: uint32 (v, slots, 4), VUEs as they lie in the URB, from slot 0, the header, on; of `device`.
    fixed: their first FIXED slots, the host's.
    corners: int64 (n, corners), rows of `vertices`; every second triangle of a strip is reordered, so that all wind the
        same way.
    submitted: int64 (n, corners), the same rows in the order the vertices came: provoking vertices count in it.
    edges: bool (n, corners), whether the edge from corner i to the next is an outer one, which wireframe draws.
    numbers: int64 (n,), primitive ids. runs: int64 (n,), the strip or list that each is of.
    straight: float32 (n, 2, 3), what linear weights of corners 1 and 2 are to be: a constant, and times those weights.
        Objects that were cut have vertices whose numbers are right in perspective.
    """

    topology: Topology
    vertices: Array
    fixed: NDArray[np.uint32]
    device: Device
    corners: NDArray[np.int64]
    submitted: NDArray[np.int64]
    edges: NDArray[np.bool_]
    numbers: NDArray[np.int64]
    runs: NDArray[np.int64]
    straight: NDArray[np.float32]

    def at(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> Primitives:
        """Some of them."""
        names = ("corners", "submitted", "edges", "numbers", "runs", "straight")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})
