"""Objects on the screen, and the subspans of pixels that are inside them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.device.base import Array, Device, Launch
from texsamp.device.params import constant, params_type
from texsamp.state.commands_3d import Topology

SUBPIXELS = 256
"""Units of a pixel that positions count."""
_MOST_COMPARED = 32
"""Objects that are compared in pairs."""
_MEET = params_type("RasterMeetParams")


class Kind(IntEnum):
    """What an object is drawn as: it decides where its samples are tested, and which stipple it has."""

    PLAIN = constant("KIND_PLAIN")
    LINE = constant("KIND_LINE")
    POLYGON = constant("KIND_POLYGON")


class Told(IntEnum):
    """Columns of `ScreenObjects.told`."""

    BACK = constant("TOLD_BACK")
    SLICE = constant("TOLD_SLICE")
    VIEWPORT = constant("TOLD_VIEWPORT")
    NUMBER = constant("TOLD_NUMBER")
    KIND = constant("TOLD_KIND")
    RUN = constant("TOLD_RUN")
    OBJECT = constant("TOLD_OBJECT")
    CORNER = constant("TOLD_CORNER")


@dataclass(frozen=True)
class Extent:
    """What the host knows of objects without them.

    drawn: how many may have pixels. rows, subspans, pixels: how many of each lie in their areas. x, y, slices: the
    least and the greatest of these, and of array indices.
    """

    drawn: int
    rows: int
    subspans: int
    pixels: int
    x: tuple[int, int]
    y: tuple[int, int]
    slices: tuple[int, int]


@dataclass(frozen=True)
class ScreenObjects:
    """Objects that have been clipped, culled and set up, in the order of the draw: n of them, where threads run.

    topology: that of the draw, or what the last shader makes. extent: what the host knows of them.
    edges: int64 (n, 4, 3): a x + b y + c >= 0 inside, x and y in 1/256 pixels, the rule for borders in c.
    areas: int32 (n, 4): left, top, right, bottom pixel that is drawn in, inclusive; no larger than the object.
    rows: int64 (n, 2): rows of subspans in the areas, and subspans.
    weights: int64 (n, 2, 3): a, b, c of the weights of corner 1 and 2, times scales: int64 (n,), above 0.
    corners: float32 (n, 6): 1 / w of three corners; depth of corner 0, and what corners 1 and 2 have more.
    told: int32 (n, columns), what threads and fragments are told of each: `Told` says where. BACK: back faces. SLICE:
        render target array index. NUMBER: primitive id. KIND: `Kind`. RUN: the strip. OBJECT: row of what it was
        before. CORNER: of a triangle that became a point, else -1.
    setup: uint32 (n, attributes, 4 components, 4), as payloads have it: a1 - a0, a2 - a0, 0, a0; 0, 0, 0, the value of
        flat ones.
    straight: float32 (n, 2, 3), that of `Primitives`, or None.
    """

    topology: Topology
    device: Device
    extent: Extent
    edges: Array
    areas: Array
    rows: Array
    weights: Array
    scales: Array
    corners: Array
    told: Array
    setup: Array
    straight: Array | None = None

    def __len__(self) -> int:
        return len(self.scales)

    @cached_property
    def meet(self) -> Array:
        """int32 (1,): 0 if it is known that no two have a sample in common, since they have opposite edges."""
        with self.device.current():
            found: Array = self.device.arrays.zeros(1, np.int32)
            if len(self) > _MOST_COMPARED:
                found.fill(1)
            elif len(self) > 1:
                edges, at = self.edges, self.device.address
                params = _MEET(edges=at(edges), meet=at(found), count=len(self))
                self.device.launch(Launch("raster_meet", params, 1, 1, (edges, found)))
        return found


@dataclass(frozen=True)
class Counted:
    """What the host knows of subspans that a device has found.

    pixels: those with a sample inside. threads: that take them, of each object by itself. samples: of all pixels that
    are inside. quads: pairs of a subspan and a sample that is inside in some of its pixels.
    """

    pixels: int
    threads: int
    samples: int
    quads: int


class Spans:
    """Subspans, 2x2 pixels, in the order of their objects: subspans is int32 (m, 4), the columns as named here.

    counted: of those that a device has found, what the host knows without them. are_apart:
        whether it is known that no two objects have a pixel in common.
    """

    def __init__(
        self, subspans: NDArray[np.int32] | None = None, counted: Counted | None = None, *, are_apart: bool = False
    ) -> None:
        self._here, self.counted, self.are_apart = subspans, counted, are_apart
        self._there: dict[Device, Array] = {}

    def __len__(self) -> int:
        if self._here is not None:
            return len(self._here)
        return len(next(iter(self._there.values())))

    @property
    def subspans(self) -> NDArray[np.int32]:
        """All columns; they are brought from where they were found."""
        if self._here is None:
            ((device, there),) = self._there.items()
            self._here = device.download(there)
        return self._here

    def gathered(self, rows: Array, device: Device) -> Spans:
        """Those with numbers that are on a device."""
        some = Spans(are_apart=self.are_apart)
        some._there[device] = self.on(device)[rows]
        return some

    def on(self, device: Device) -> Array:
        """All columns on a device; they travel once, if they were not found there."""
        if device not in self._there:
            self._there[device] = device.upload(np.ascontiguousarray(self.subspans))
        return self._there[device]

    @classmethod
    def found(cls, there: Array, device: Device, counted: Counted, *, are_apart: bool) -> Spans:
        """Subspans that a device has found; they are brought when the host looks at them."""
        spans = cls(None, counted, are_apart=are_apart)
        spans._there[device] = there
        return spans

    @property
    def objects(self) -> NDArray[np.int32]:
        """The object of each, by its row."""
        return self.subspans[:, 0]

    @property
    def x(self) -> NDArray[np.int32]:
        """Left column, even."""
        return self.subspans[:, 1]

    @property
    def y(self) -> NDArray[np.int32]:
        """Upper row, even."""
        return self.subspans[:, 2]

    @property
    def coverage(self) -> NDArray[np.uint32]:
        """Samples inside: bit 4 * sample + pixel, pixel 0 and 1 above 2 and 3."""
        return self.subspans.view(np.uint32)[:, 3]
