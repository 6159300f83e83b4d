"""What the vertex side of a draw leaves for the clipper: vertices, and the objects between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.device.kept import kept
from texsamp.device.params import constant
from texsamp.state.commands_3d import Topology

POSITION = constant("VERTEX_POSITION")
"""Slot of a vertex URB entry that is its position; the header comes before it, distances behind it."""
AS_THEY_ARE = np.array([[0, 1, 0], [0, 0, 1]], np.float32)
"""Of `straight`, for objects that were not cut."""
_CORNERS, _SUBMITTED = constant("OBJECT_CORNERS"), constant("OBJECT_SUBMITTED")
_EDGES, _NUMBER, _RUN = constant("OBJECT_EDGES"), constant("OBJECT_NUMBER"), constant("OBJECT_RUN")


@dataclass(frozen=True)
class Primitives:
    """Objects of one draw in order: n of them, with 1 (points), 2 (lines) or 3 (triangles, rectangles) corners each.

    topology: that of the objects' strips, after the last stage that can change it: it says which provoking vertex
        select applies, and whether objects are rectangles (RECTLIST).
    vertices: uint32 (v, slots, 4), VUEs as they lie in the URB, from slot 0, the header, on; of `device`.
    width: corners of each.
    objects: int32 (n, columns), as `kernels/setup_objects.h` has them; the host's, or of the device that cut them.
    straight: float32 (n, 2, 3), of the device, what linear weights of corners 1 and 2 are to be: a constant, and times
        those weights. Objects that were cut have vertices whose numbers are right in perspective. None: as they are.
    """

    topology: Topology
    vertices: Array
    device: Device
    width: int
    objects: Array
    straight: Array | None = None

    def __len__(self) -> int:
        return len(self.objects)

    @classmethod
    def of(
        cls,
        topology: Topology,
        vertices: Array,
        device: Device,
        corners: Array,
        submitted: Array,
        edges: Array,
        numbers: Array,
        runs: Array,
    ) -> Primitives:
        """Of arrays of the host, or all of the device.

        corners: (n, corners), rows of `vertices`; every second triangle of a strip is reordered, so that all wind the
        same way. submitted: the same rows in the order the vertices came: provoking vertices count in it. edges:
        (n, corners), whether the edge from corner i to the next is an outer one, which wireframe draws. numbers: (n,),
        primitive ids. runs: (n,), the strip or list that each is of.
        """
        width = corners.shape[1]
        arrays = np if isinstance(corners, np.ndarray) else device.arrays
        objects = arrays.zeros((len(corners), constant("OBJECT_COLUMNS")), np.int32)
        objects[:, _CORNERS : _CORNERS + width] = corners
        objects[:, _SUBMITTED : _SUBMITTED + width] = submitted
        for corner in range(width):
            objects[:, _EDGES] |= edges[:, corner].astype(np.int32) << corner
        objects[:, _NUMBER], objects[:, _RUN] = numbers, runs
        return cls(topology, vertices, device, width, objects)

    def with_tables(self, *tables: NDArray[Any]) -> Sequence[Array]:
        """Objects and tables of the host on the device, where these are kept."""
        objects: Any = self.objects
        if isinstance(objects, np.ndarray):
            return kept(self.device, (objects, *tables))
        return (objects, *kept(self.device, tables))

    @cached_property
    def _here(self) -> NDArray[np.int32]:
        return self.device.download(self.objects)

    @property
    def corners(self) -> NDArray[np.int32]:
        """Rows of vertices, (n, corners), on the host."""
        return self._here[:, _CORNERS : _CORNERS + self.width]

    @property
    def submitted(self) -> NDArray[np.int32]:
        """The same in the order they came."""
        return self._here[:, _SUBMITTED : _SUBMITTED + self.width]

    @property
    def edges(self) -> NDArray[np.bool_]:
        """Which edges are outer ones, (n, corners), on the host."""
        return (self._here[:, _EDGES, None] >> np.arange(self.width) & 1).astype(np.bool_)

    @property
    def numbers(self) -> NDArray[np.int32]:
        """Primitive ids, on the host."""
        return self._here[:, _NUMBER]

    @property
    def runs(self) -> NDArray[np.int32]:
        """Strips, on the host."""
        return self._here[:, _RUN]
