"""Objects before and after the setup, as arrays of the host."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from texsamp.state.commands_3d import Topology

SUBPIXELS = 256
"""Units of a pixel that positions count."""
EDGES = 4


class Kind(IntEnum):
    """What an object is drawn as: it decides where its samples are tested, and which stipple it has."""

    PLAIN = 0
    LINE = 1
    POLYGON = 2


@dataclass(frozen=True)
class ScreenObjects:
    """Objects that have been clipped, culled and set up: n of them, in the order of the draw.

    setup: uint32 (m, attributes, 4 components, 4), as payloads have it, a1 - a0, a2 - a0, 0, a0;
        0, 0, 0, the value of flat ones. planes: int64 (n,), the row of each object.
    back: bool (n,), back faces. slices: int32 (n,), render target array index. viewports: int32 (n,).
    numbers: int64 (n,), primitive ids.
    edges: int64 (n, 4, 3): a x + b y + c >= 0 inside, x and y in 1/256 pixels, the rule for borders in c.
    areas: int64 (n, 4): left, top, right, bottom pixel that is drawn in, inclusive; no larger than the object.
    weights: int64 (n, 2, 3): a, b, c of the weights of corner 1 and 2, times scales: int64 (n,), above 0.
    corners: float32 (n, 6): 1 / w of three corners; depth of corner 0, and what corners 1 and 2 have more.
    topology: that of the draw, or what the last shader makes.
    straight: float32 (n, 2, 3), that of `Primitives`.
    kinds: uint8 (n,), `Kind`.
    """

    topology: Topology
    setup: NDArray[np.uint32]
    planes: NDArray[np.int64]
    back: NDArray[np.bool_]
    slices: NDArray[np.int32]
    viewports: NDArray[np.int32]
    numbers: NDArray[np.int64]
    edges: NDArray[np.int64]
    areas: NDArray[np.int64]
    weights: NDArray[np.int64]
    scales: NDArray[np.int64]
    corners: NDArray[np.float32]
    straight: NDArray[np.float32]
    kinds: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.scales)

    def at(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> ScreenObjects:
        """Some of them."""
        return replace(self, **{name: getattr(self, name)[rows] for name in OF_EACH})


OF_EACH = tuple(field.name for field in fields(ScreenObjects) if field.name not in ("topology", "setup"))
"""Fields with a row for each object."""


HEADER, POSITION, DISTANCES = 0, 1, 2
"""Slots of a vertex URB entry: its header, its position, the first of two with user clip and cull distances."""
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
    vertices: uint32 (v, slots, 4), VUEs as they lie in the URB, from slot 0, the header, on; on the host.
    corners: int64 (n, corners), rows of `vertices`; every second triangle of a strip is reordered, so that all wind the
        same way.
    submitted: int64 (n, corners), the same rows in the order the vertices came: provoking vertices count in it.
    edges: bool (n, corners), whether the edge from corner i to the next is an outer one, which wireframe draws.
    numbers: int64 (n,), primitive ids. runs: int64 (n,), the strip or list that each is of.
    straight: float32 (n, 2, 3), what linear weights of corners 1 and 2 are to be: a constant, and times those weights.
        Objects that were cut have vertices whose numbers are right in perspective.
    """

    topology: Topology
    vertices: NDArray[np.uint32]
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
