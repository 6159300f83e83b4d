"""States and objects for the fixed functions of the 3D pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device, get_device
from texsamp.emulator.fixed.objects import Extent, ScreenObjects, Told
from texsamp.emulator.fixed.primitives import Primitives
from texsamp.emulator.fixed.raster_state import RasterState
from texsamp.state.commands_3d import Topology
from texsamp.state.commands_raster import Clip, DrawingRectangle, Multisample, SetupBackend, StripsFans, Windower
from texsamp.state.pixel_state import ScissorRect, SfClipViewport

POSITIONS = {
    1: ((0.5, 0.5),),
    4: ((0.375, 0.125), (0.875, 0.375), (0.125, 0.625), (0.625, 0.875)),
    8: (
        (0.5625, 0.3125), (0.4375, 0.6875), (0.8125, 0.5625), (0.3125, 0.1875),
        (0.1875, 0.8125), (0.0625, 0.4375), (0.6875, 0.9375), (0.9375, 0.0625),
    ),
}  # fmt: skip
"""Where drivers put samples."""
_FARTHEST = np.iinfo(np.int32).max


def multisample(samples: int) -> Multisample:
    at = [*POSITIONS[samples], *[(0.0, 0.0)] * (8 - samples)]
    return Multisample(samples=f"COUNT_{samples}", x_offset=[x for x, _ in at], y_offset=[y for _, y in at])


def raster_state(
    size: tuple[int, int] = (64, 48),
    *,
    samples: int = 1,
    clip: dict[str, Any] | None = None,
    setup: dict[str, Any] | None = None,
    backend: dict[str, Any] | None = None,
    windower: dict[str, Any] | None = None,
    rectangle: dict[str, Any] | None = None,
    viewports: Sequence[SfClipViewport] = (SfClipViewport(),),
    scissors: Sequence[ScissorRect] = (ScissorRect(),),
) -> RasterState:
    """A state that draws screen coordinates as they are; each part may be told otherwise."""
    pattern = "ON_PATTERN" if samples > 1 else "OFF_PIXEL"
    area = {"right": size[0] - 1, "bottom": size[1] - 1}
    return RasterState(
        Clip(**{"perspective_divide_disable": True, **(clip or {})}),
        StripsFans(**{"cull_mode": "NONE", "multisample_mode": pattern, **(setup or {})}),
        SetupBackend(**{"attributes": 1, "urb_read_offset": 1, "urb_read_length": 1, **(backend or {})}),
        Windower(**{"multisample_mode": pattern, **(windower or {})}),
        DrawingRectangle(**{**area, **(rectangle or {})}),
        multisample(samples),
        tuple(viewports),
        tuple(scissors),
    )


def viewport(size: tuple[int, int], band: float = 100.0) -> SfClipViewport:
    """Clip space from -1 to 1 on a picture, y up, with a guard band so many times as large."""
    width, height = size
    return SfClipViewport(
        m00=width / 2, m11=-height / 2, m22=0.5, m30=width / 2, m31=height / 2, m32=0.5,
        guardband_x_min=-band, guardband_x_max=band, guardband_y_min=-band, guardband_y_max=band,
    )  # fmt: skip


def primitives(
    positions: Any,
    attributes: Any = None,
    *,
    topology: Topology = Topology.TRILIST,
    corners: int = 3,
    rows: Any = None,
    header: Any = None,
    distances: Any = None,
    device: Device | None = None,
    **others: Any,
) -> Primitives:
    """A list of objects, none of which share vertices. positions: (v, 4). attributes: (v, 4) or (v, slots, 4).

    rows: vertices of objects, if these share some. others: arrays of `Primitives.of`.
    """
    device = get_device("cpu") if device is None else device
    count = len(positions)
    parts = [np.zeros((count, 1, 4), np.float32), np.asarray(positions, np.float32).reshape(count, 1, 4)]
    parts += [] if distances is None else [np.asarray(distances, np.float32).reshape(count, 2, 4)]
    given = np.zeros((count, 1, 4)) if attributes is None else np.asarray(attributes)
    parts.append(given.astype(np.float32).reshape(count, -1, 4))
    vertices = np.ascontiguousarray(np.concatenate(parts, axis=1)).view(np.uint32)
    if header is not None:
        vertices[:, 0] = header
    own = np.arange(count).reshape(-1, corners) if rows is None else rows
    numbers = np.arange(len(own))
    made = {"corners": own, "submitted": own, "edges": np.ones(own.shape, bool), "numbers": numbers, "runs": numbers}
    return Primitives.of(topology, device.upload(vertices), device, **{**made, **others})


@dataclass(frozen=True)
class ObjectsHere:
    """Of `ScreenObjects` on the host."""

    edges: NDArray[np.int64]
    areas: NDArray[np.int32]
    told: NDArray[np.int32]

    def of(self, column: Told) -> NDArray[np.int32]:
        """A column of `told`."""
        return self.told[:, column]

    @property
    def back(self) -> NDArray[np.bool_]:
        """Which are back faces."""
        return self.of(Told.BACK).astype(np.bool_)

    @property
    def numbers(self) -> NDArray[np.int32]:
        """Primitive ids."""
        return self.of(Told.NUMBER)

    def extent(self, rows: slice) -> Extent:
        """Of some of them."""
        left, top, right, bottom = self.areas[rows].astype(np.int64).T
        drawn = (left <= right) & (top <= bottom)
        high = (bottom >> 1) - (top >> 1) + 1

        def ends(low: NDArray[np.integer[Any]], high: NDArray[np.integer[Any]]) -> tuple[int, int]:
            return int(low[drawn].min(initial=_FARTHEST)), int(high[drawn].max(initial=-_FARTHEST))

        slices = self.of(Told.SLICE)[rows]
        return Extent(
            drawn=int(drawn.sum()),
            rows=int(high[drawn].sum()),
            subspans=int((high * ((right >> 1) - (left >> 1) + 1))[drawn].sum()),
            pixels=int(((right - left + 1) * (bottom - top + 1))[drawn].sum()),
            x=ends(left, right),
            y=ends(top, bottom),
            slices=ends(slices, slices),
        )


def here(objects: ScreenObjects) -> ObjectsHere:
    """What tests look at of objects, brought."""
    return ObjectsHere(*objects.device.start_download((objects.edges, objects.areas, objects.told)).result())
