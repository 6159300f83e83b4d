"""Objects on the screen, and the subspans of pixels that are inside them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import IntEnum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.device.base import Array, Device
from texsamp.device.kept import kept
from texsamp.state.commands_3d import Topology

SUBPIXELS = 256
"""Units of a pixel that positions count."""
EDGES = 4
_MOST_COMPARED = 32
"""Objects that are compared in pairs."""


class Kind(IntEnum):
    """What an object is drawn as: it decides where its samples are tested, and which stipple it has."""

    PLAIN = 0
    LINE = 1
    POLYGON = 2


class Told(IntEnum):
    """Columns of `ScreenObjects.told`."""

    PLANE = 0
    BACK = 1
    SLICE = 2
    VIEWPORT = 3
    NUMBER = 4


@dataclass(frozen=True)
class ScreenObjects:
    """Objects that have been clipped, culled and set up: n of them, in the order of the draw.

    setup: uint32 (m, attributes, 4 components, 4), as payloads have it, where threads run: a1 - a0, a2 - a0, 0, a0;
        0, 0, 0, the value of flat ones. planes: int64 (n,), the row of each object.
    back: bool (n,), back faces. slices: int32 (n,), render target array index. viewports: int32 (n,).
    numbers: int64 (n,), primitive ids.
    edges: int64 (n, 4, 3): a x + b y + c >= 0 inside, x and y in 1/256 pixels, the rule for borders in c.
    areas: int64 (n, 4): left, top, right, bottom pixel that is drawn in, inclusive; no larger than the object.
    weights: int64 (n, 2, 3): a, b, c of the weights of corner 1 and 2, times scales: int64 (n,), above 0.
    corners: float32 (n, 6): 1 / w of three corners; depth of corner 0, and what corners 1 and 2 have more.
    topology: that of the draw, or what the last shader makes.
    straight: float32 (n, 2, 3), that of `Primitives`.
    kinds: uint8 (n,), `Kind`. before: int64 (n,), of lines the pixels of their strip that come before them.
    """

    topology: Topology
    setup: Array
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
    before: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.scales)

    def at(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> ScreenObjects:
        """Some of them."""
        return replace(self, **{name: getattr(self, name)[rows] for name in OF_EACH})

    def on(self, device: Device, *along: NDArray[Any]) -> tuple[Array, ...]:
        """Edges, areas, weights, scales, corners and `told` on a device; they travel once, with others behind them."""
        if device not in self._there:
            areas = self.areas.astype(np.int32)
            own = (self.edges, areas, self.weights, self.scales, self.corners, self.told)
            found = tuple(kept(device, (*own, *along)))
            self._there[device] = found[: len(own)]
            return found
        return (*self._there[device], *kept(device, along))

    def weighed(self, device: Device) -> tuple[Array, Array, Array]:
        """Weights, scales and corners on a device; they travel once."""
        _, _, weights, scales, corners, _ = self.on(device)
        return weights, scales, corners

    @cached_property
    def told(self) -> NDArray[np.int32]:
        """What threads and fragments are told of each: (n, 5), `Told` says where."""
        columns = (self.planes, self.back, self.slices, self.viewports, self.numbers)
        return np.stack([np.asarray(each, np.int64) for each in columns], axis=1).astype(np.int32)

    @cached_property
    def _there(self) -> dict[Device, tuple[Array, ...]]:
        return {}

    @cached_property
    def are_apart(self) -> bool:
        """Whether it is known that no two have a sample in common: all pairs have opposite edges that say so."""
        count = len(self)
        if count == 1:
            return True
        if not 0 < count <= _MOST_COMPARED:
            return False
        first, second = np.triu_indices(count, 1)
        one, other = self.edges[first][:, :, None], self.edges[second][:, None]
        opposite = (one[..., :2] == -other[..., :2]).all(axis=3) & (one[..., 2] + other[..., 2] < 0)
        return bool(opposite.any(axis=(1, 2)).all())


OF_EACH = tuple(field.name for field in fields(ScreenObjects) if field.name not in ("topology", "setup"))
"""Fields with a row for each object."""


class Counted(Protocol):
    """What the host knows of subspans that a device has found."""

    def __len__(self) -> int: ...

    def some(self, first: int, last: int) -> Counted:
        """Of those from `first` to before `last`."""
        ...

    @property
    def objects(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The objects that have any, ascending, and how many each has."""
        ...

    @property
    def pixels(self) -> int:
        """Pixels with a sample inside."""
        ...


class Spans:
    """Subspans, 2x2 pixels, in the order of their objects: subspans is int32 (m, 4), the columns as named here.

    counted: of those that a device has found, what the host knows without them.
    """

    def __init__(self, subspans: NDArray[np.int32] | None = None, counted: Counted | None = None) -> None:
        self._here, self.counted = subspans, counted
        self._there: dict[Device, Array] = {}

    def __len__(self) -> int:
        if self.counted is not None:
            return len(self.counted)
        assert self._here is not None
        return len(self._here)

    @property
    def subspans(self) -> NDArray[np.int32]:
        """All columns; they are brought from where they were found."""
        if self._here is None:
            ((device, there),) = self._there.items()
            self._here = device.download(there)
        return self._here

    def at(self, rows: NDArray[np.intp] | NDArray[np.bool_] | slice) -> Spans:
        """Some of them."""
        if not isinstance(rows, slice):
            return Spans(self.subspans[rows])
        first, last, _ = rows.indices(len(self))
        counted = None if self.counted is None else self.counted.some(first, last)
        some = Spans(None if self._here is None else self._here[rows], counted)
        some._there.update({device: there[rows] for device, there in self._there.items()})
        return some

    def on(self, device: Device) -> Array:
        """All columns on a device; they travel once, if they were not found there."""
        if device not in self._there:
            self._there[device] = device.upload(np.ascontiguousarray(self.subspans))
        return self._there[device]

    @classmethod
    def found(cls, there: Array, device: Device, counted: Counted) -> Spans:
        """Subspans that a device has found; they are brought when the host looks at them."""
        spans = cls(None, counted)
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
