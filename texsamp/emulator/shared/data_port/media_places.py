"""Where media blocks are in the memory of a surface, as the host finds them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.emulator.context.surfaces import addressing_of
from texsamp.emulator.shared.data_port.buffers import last_of_each
from texsamp.emulator.shared.data_port.media_blocks_on_device import SurfaceLines
from texsamp.emulator.shared.data_port.media_edges import columns, lines
from texsamp.errors import CaptureError
from texsamp.state import RenderSurfaceState, SurfaceType
from texsamp.state.data_port import RenderCacheDescriptor, SamplerCacheDescriptor
from texsamp.state.render_surface import MediaBoundaryMode
from texsamp.surface.tiling import Addressing

_DWORD_B = 4
_KEPT_PLACES = 8
"""Of messages; a picture is written by a few."""

Descriptor = SamplerCacheDescriptor | RenderCacheDescriptor


@dataclass(frozen=True)
class View:
    """A surface as media blocks see it: rows of dwords, whatever its format."""

    addressing: Addressing
    width_B: int  # noqa: N815 - the unit
    rows: int
    row_step: int
    first_row: int

    @property
    def surface(self) -> SurfaceLines:
        """The same as blocks are written to it."""
        return SurfaceLines(self.addressing, self.width_B, self.rows, self.row_step, self.first_row)


@lru_cache(maxsize=_KEPT_PLACES)
def view_of(state: RenderSurfaceState, descriptor: Descriptor) -> View:
    """Geometry of a surface, with the message's override of the vertical line stride (seed 003:8640-8676)."""
    if state.surface_type != SurfaceType.SURFTYPE_2D or state.surface_array or state.mip_count:
        raise CaptureError(f"media blocks need a 2D surface without mips or slices, found {state.surface_type.name}")
    if state.x_offset or state.y_offset:
        raise CaptureError("media blocks of a surface with an offset to its base are not executed")
    stride, first, rows = state.vertical_line_stride, state.vertical_line_stride_offset, state.height
    if descriptor.override_stride:
        rows = rows * (1 + stride) // (1 + descriptor.stride)
        stride, first = descriptor.stride, descriptor.stride_offset
    if not rows:
        raise CaptureError(f"media blocks of every second row need a surface of 2 rows or more, found {state.height}")
    return View(addressing_of(state), state.width * _DWORD_B, rows, 1 + stride, first if stride else 0)


def nv12_views(state: RenderSurfaceState, view: View) -> list[View]:
    """Luma and the chroma of NV12 below it; the surface's width counts words (seed 003:2240)."""
    luma = replace(view, width_B=2 * state.width)
    return [luma, replace(luma, rows=view.rows // 2, first_row=view.rows)]


@dataclass(frozen=True)
class Written:
    """Dwords that blocks are written to.

    device: what writes them. offsets: of every dword of every block, shape (threads, rows, dwords). inside: which of
    them the surface has, chosen their numbers; None if it has all. places: where those are. last: which of these are at
    a place that no later one has, None if no two are at one. end: the largest place, -1 if there is none.
    """

    device: Device
    offsets: NDArray[np.int64]
    inside: NDArray[np.bool_] | None
    chosen: NDArray[np.intp] | None
    places: NDArray[np.int64]
    last: NDArray[np.int32] | None
    end: int

    @classmethod
    def of(cls, device: Device, offsets: NDArray[np.int64], inside: NDArray[np.bool_] | None) -> Written:
        """By the dword of the surface's memory that each is, and which of them the surface has, None for all."""
        chosen = None if inside is None else np.flatnonzero(inside)
        places = offsets.reshape(-1) if chosen is None else offsets.reshape(-1)[chosen]
        return cls(device, offsets, inside, chosen, places, last_of_each(places), int(places.max(initial=-1)))

    @cached_property
    def there(self) -> tuple[Array, Array | None, Array | None]:
        """Places, numbers of those that the surface has, and the last ones, on the device."""
        optional = [each for each in (self.chosen, self.last) if each is not None]
        places, *others = self.device.upload_all([_short(self.device, each) for each in (self.places, *optional)])
        found = iter(others)
        chosen, last = (None if each is None else next(found) for each in (self.chosen, self.last))
        return places, chosen, last

    def masked(self, mask: NDArray[np.bool_]) -> Written:
        """Those of them that a mask allows."""
        return Written.of(self.device, self.offsets, mask if self.inside is None else mask & self.inside)

    def hits(self, place: int) -> NDArray[np.bool_]:
        """The threads that write to a place."""
        hits = self.offsets == place
        return np.asarray((hits if self.inside is None else hits & self.inside).any(axis=(1, 2)))


@lru_cache(maxsize=_KEPT_PLACES)
def written(device: Device, view: View, corners_x: bytes, corners_y: bytes, rows: int, dwords: int) -> Written:
    """Pictures of a video mostly repeat the places of the one before. Corners: int64."""
    x = np.frombuffer(corners_x, np.int64)[:, None] + _DWORD_B * np.arange(dwords)
    y = np.frombuffer(corners_y, np.int64)[:, None] + np.arange(rows)
    inside_x, inside_y = (x >= 0) & (x < view.width_B), (y >= 0) & (y < view.rows)
    lines = np.where(inside_y, y, 0) * view.row_step + view.first_row
    across, down = tiled_parts(view, np.where(inside_x, x, 0), lines)
    inside = None
    if not (inside_x.all() and inside_y.all()):
        inside = inside_y[:, :, None] & inside_x[:, None, :]
    return Written.of(device, (down[:, :, None] + across[:, None, :]) // _DWORD_B, inside)


@dataclass(frozen=True)
class ReadPlaces:
    """Bytes that blocks are read from, by lines (threads, lines) and columns (threads, columns), on a device.

    end: the largest sum.
    """

    down: Array
    across: Array
    end: int


@lru_cache(maxsize=_KEPT_PLACES)
def read_places(
    device: Device,
    view: View,
    format: int,
    mode: MediaBoundaryMode,
    corners_x: bytes,
    corners_y: bytes,
    width_B: int,  # noqa: N803 - the unit
    rows: int,
) -> ReadPlaces:
    """As `written`."""
    x = columns(format, np.frombuffer(corners_x, np.int64), width_B, view.width_B)
    y = np.frombuffer(corners_y, np.int64)[:, None] + np.arange(rows)
    y = lines(y, view.rows, view.row_step, view.first_row, mode)
    across, down = tiled_parts(view, x, y)
    end = int((across.max(axis=1) + down.max(axis=1)).max())
    there = device.upload_all([_short(device, each) for each in (down, across)])
    return ReadPlaces(there[0], there[1], end)


def _short(device: Device, places: NDArray[Any]) -> NDArray[Any]:
    """Places within a buffer object in as many bytes as they take, where they travel; NumPy would make them long."""
    return places if device.arrays is np else places.astype(np.int32)


def tiled_parts(view: View, x: NDArray[np.int64], y: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What columns x and lines y add to byte offsets, (threads, columns) and (threads, lines)."""
    if int(x.max(initial=0)) >= view.addressing.pitch_B:
        raise CaptureError(f"a media block reaches byte column {int(x.max())} of a pitch of {view.addressing.pitch_B}")
    return view.addressing.offset_B(x, np.int64(0)), view.addressing.offset_B(np.int64(0), y)
