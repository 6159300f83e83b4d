"""Pictures of the surfaces that threads and draws wrote to, read out of memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.context.surfaces import WrittenSurface, addressing_of
from texsamp.emulator.files.capture import Capture
from texsamp.emulator.pictures import PLANES, Origin, Picture
from texsamp.errors import CaptureError, FormatError, StateError
from texsamp.state import SurfaceType
from texsamp.state.formats import SurfaceFormatInfo, surface_format
from texsamp.surface.detile import detile
from texsamp.surface.layout.view import SurfaceView
from texsamp.surface.texel_formats import texel_type
from texsamp.surface.tiling import Addressing, Coordinate, tiling

_COLORS = {"R8G8B8A8": "RGBA", "B8G8R8A8": "BGRA"}
"""Layouts of surfaces by how their format's name begins; all others are shown as bytes, or as their format says."""
_ROWS = 64
"""Rows of a picture whose places are computed at once."""


def surface_name(written: WrittenSurface, capture: Capture) -> str:
    """What pictures of a surface are named after: file, submission and address."""
    return f"{PurePath(capture.name).stem}_{capture.sequence}_{written.state.base_address:08x}"


def surface_picture(memory: CaseMemory, written: WrittenSurface, capture: Capture) -> Picture:
    """A surface that threads or draws wrote to: a picture, a part of one, statistics or a buffer, as its name says.

    Surfaces of statistics are declared wider than their pitch: of these, and of all that run beyond their buffer
    object, it is what lies inside. CaptureError if nothing is mapped.
    """
    state = written.state
    buffer = memory.find(state.base_address)
    name = surface_name(written, capture)
    if written.is_part:
        return _part(memory, written, name)
    device, whole = memory.where(buffer.handle)
    image = whole[state.base_address - buffer.address :]
    if state.surface_type in (SurfaceType.SURFTYPE_BUFFER, SurfaceType.SURFTYPE_STRBUF):
        (plane,) = device.start_download([image[: written.width_B]]).result()
        return Picture(f"{name}_buffer", "R8", len(plane), 1, (plane[None].copy(),))
    addressing = addressing_of(state)
    width_B, height = written.width_B, state.height * (1 + state.vertical_line_stride)
    inside_B = min(width_B, state.pitch)
    rows = min(height, _rows_inside(addressing, len(image), inside_B))
    if not rows:
        raise CaptureError(f"{name}: of the surface not one row is mapped")
    (plane,) = device.start_download([detile(image, addressing, inside_B, rows, device=device)]).result()
    if (inside_B, rows) != (width_B, height):
        return Picture(f"{name}_statistics", "R8", inside_B, rows, (plane,))
    origin = _origin(memory, state.base_address, addressing.offset_B)
    info = surface_format(state.code("format"))
    if inside_B == state.width * info.bits // 8:
        return _colored(name, state.width, plane, info, origin)
    layout = _COLORS.get(info.name.partition("_")[0], "R8")
    return Picture(name, layout, inside_B // PLANES[layout][0][0], rows, (plane,), origin=origin)


def _rows_inside(addressing: Addressing, size_B: int, width_B: int) -> int:  # noqa: N803 - the unit
    """Rows of `width_B` bytes that lie whole in the first `size_B` bytes of a surface."""
    rows, rest_B = divmod(size_B, addressing.tile_row_B)
    return rows * addressing.tiling.height_rows + (addressing.tiling.height_rows == 1 and rest_B >= width_B)


def _part(memory: CaseMemory, written: WrittenSurface, name: str) -> Picture:
    """One level, layer and sample of a surface, or one that is depth or stencil."""
    state, info = written.state, surface_format(written.state.code("format"))
    named = [(word, getattr(written, word)) for word in ("level", "layer", "sample")]
    name += "".join(f"_{word}{number}" for word, number in named if number is not None) + f"_{written.name}".rstrip("_")
    size_B, width, height = info.bits // 8, state.width, state.height
    if written.tiling == "W":
        addressing = Addressing(tiling("W"), state.pitch)

        def places(x: Coordinate, y: Coordinate) -> Coordinate:
            return addressing.offset_B(x, y)

    else:
        try:
            view = SurfaceView.from_state(state, usage=written.usage, wide_samples=True)
        except (StateError, FormatError) as error:
            raise CaptureError(f"{name}: {error}") from None
        level = written.level or 0
        width, height = view.layout.level_size_px(level)
        which = "z" if state.surface_type == SurfaceType.SURFTYPE_3D else "layer"

        def places(x: Coordinate, y: Coordinate) -> Coordinate:
            at = {which: written.layer or 0, "sample": written.sample or 0}
            return view.address(x // size_B, y, level=level, **at) - state.base_address + x % size_B

    image = memory.bytes_from(state.base_address)
    plane = np.zeros((height, width * size_B), np.uint8)
    for first in range(0, height, _ROWS):
        rows = np.arange(first, min(first + _ROWS, height))
        at = places(np.arange(width * size_B)[None], rows[:, None])
        if int(at.max()) >= len(image):
            raise CaptureError(f"{name}: the surface leaves its buffer object")
        plane[rows] = image[at]
    return _colored(name, width, plane, info, _origin(memory, state.base_address, places))


def _colored(
    name: str,
    width_px: int,
    plane: NDArray[np.uint8],
    info: SurfaceFormatInfo,
    origin: Origin,
) -> Picture:
    """A picture of whole texels."""
    layout = _COLORS.get(info.name.partition("_")[0], "R8")
    if layout == "R8" and _has_texels(info):
        return Picture(name, info.name, width_px, len(plane), (plane,), info.name, origin)
    return Picture(name, layout, plane.shape[1] // PLANES[layout][0][0], len(plane), (plane,), origin=origin)


def _origin(memory: CaseMemory, address: int, places: Callable[[Coordinate, Coordinate], Coordinate]) -> Origin:
    buffer = memory.find(address)
    return Origin(buffer.handle, lambda plane, column, row: int(places(column, row)) + address - buffer.address)


def _has_texels(info: SurfaceFormatInfo) -> bool:
    """Whether texels of a format can be read one by one."""
    try:
        texel_type(info.name)
    except FormatError:
        return False
    return True
