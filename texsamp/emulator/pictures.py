"""Output pictures of a replayed case: the planes a client's notes say its target has, read out of memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.context.surfaces import WrittenSurface, addressing_of
from texsamp.emulator.files.capture import BufferObject, Capture
from texsamp.emulator.files.header import Entries
from texsamp.errors import CaptureError, StateError
from texsamp.state import SurfaceType
from texsamp.state.formats import surface_format
from texsamp.surface.detile import detile
from texsamp.surface.tiling import Addressing, tiling

MOST_PIXELS_OF_A_SIDE = 16384
_COLORS = {"R8G8B8A8": "RGBA", "B8G8R8A8": "BGRA"}
"""Layouts of surfaces by how their format's name begins; all others are shown as bytes."""
_PLANES = {
    # bytes of a sample, and the samples' distance in pixels across and down
    "NV12": ((1, 1, 1), (2, 2, 2)),
    "I420": ((1, 1, 1), (1, 2, 2), (1, 2, 2)),
    "YUY2": ((4, 2, 1),),
    "UYVY": ((4, 2, 1),),
    "RGBX": ((4, 1, 1),),
    "BGRX": ((4, 1, 1),),
    "RGBA": ((4, 1, 1),),
    "BGRA": ((4, 1, 1),),
}
"""Planes by the client's name of the layout."""


@dataclass(frozen=True)
class Picture:
    """One picture: its planes as bytes, each (rows, bytes of a row).

    name: of the submission that finished it; of a surface nobody noted down, file, number of submission and address.
    """

    name: str
    fourcc: str
    width_px: int
    height_rows: int
    planes: tuple[NDArray[np.uint8], ...]

    def raw(self) -> bytes:
        """The planes one after the other, without padding."""
        return b"".join(plane.tobytes() for plane in self.planes)


@dataclass(frozen=True)
class Target:
    """Where a client says its picture ends up."""

    handle: int
    fourcc: str
    width_px: int
    height_rows: int
    planes: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, capture: Capture) -> Target | None:
        """Target noted in a capture; None if there is none; CaptureError if the note is garbled."""
        if "dst" not in capture.meta:
            return None
        entry = Entries(capture.meta, capture.name).mapping("dst")
        target = Entries(entry, capture.name)
        fourcc, rows = target.text("fourcc"), target.objects("planes")
        width, height = target.integer("width"), target.integer("height")
        if fourcc not in _PLANES or len(rows) != len(_PLANES[fourcc]):
            raise CaptureError(f"{capture.name}: {len(rows)} planes of layout {fourcc!r}")
        if not 0 < min(width, height) <= max(width, height) <= MOST_PIXELS_OF_A_SIDE:
            raise CaptureError(f"{capture.name}: a target of {width}x{height} pixels")
        planes = tuple((row.integer("offset"), row.integer("pitch")) for row in rows)
        return cls(target.integer("bo_handle"), fourcc, width, height, planes)

    def address_of(self, buffer: BufferObject, plane: int, x_B: int, row: int) -> int:  # noqa: N803 - the unit
        """Offset of a byte of a plane in its buffer object; CaptureError if the target has no such plane or byte."""
        if not 0 <= plane < len(self.planes):
            raise CaptureError(f"plane {plane} of a target of {len(self.planes)}")
        width_B, rows = self._size(plane)
        if not (0 <= x_B < width_B and 0 <= row < rows):
            raise CaptureError(f"byte {x_B} of row {row} of a plane of {width_B} bytes and {rows} rows")
        offset, pitch = self.planes[plane]
        first_row, column = divmod(offset, pitch)
        return int(Addressing(tiling(buffer.tiling), pitch).offset_B(column + x_B, first_row + row))

    def _size(self, plane: int) -> tuple[int, int]:
        """Bytes of a row, and rows, of a plane."""
        size_B, across, down = _PLANES[self.fourcc][plane]
        return -(-self.width_px // across) * size_B, -(-self.height_rows // down)

    def read(self, memory: CaseMemory, buffer: BufferObject, name: str) -> Picture:
        """The picture in memory now; CaptureError if it does not fit into its buffer object."""
        image = np.frombuffer(memory.image(self.handle), np.uint8)
        planes = []
        for number, (offset, pitch) in enumerate(self.planes):
            width_B, rows = self._size(number)
            try:
                addressing = Addressing(tiling(buffer.tiling), pitch)
                row, column = divmod(offset, pitch)
                planes.append(detile(image, addressing, width_B, rows, x_B=column, y_rows=row))
            except StateError as error:
                raise CaptureError(f"{name}: {error}") from None
        return Picture(name, self.fourcc, self.width_px, self.height_rows, tuple(planes))


def surface_picture(memory: CaseMemory, written: WrittenSurface, capture: Capture) -> Picture:
    """A surface that threads wrote to, as bytes: a picture, statistics or a buffer, as its name says.

    Surfaces of statistics are declared wider than their pitch: of these, and of all that run beyond their buffer
    object, it is what lies inside. CaptureError if nothing is mapped.
    """
    state = written.state
    image = memory.bytes_from(state.base_address)
    name = f"{PurePath(capture.name).stem}_{capture.sequence}_{state.base_address:08x}"
    if state.surface_type in (SurfaceType.SURFTYPE_BUFFER, SurfaceType.SURFTYPE_STRBUF):
        plane = image[None, : written.width_B]
        return Picture(f"{name}_buffer", "R8", plane.shape[1], 1, (plane.copy(),))
    addressing = addressing_of(state)
    width_B, height = written.width_B, state.height * (1 + state.vertical_line_stride)
    inside_B = min(width_B, state.pitch)
    rows = min(height, _rows_inside(addressing, len(image), inside_B))
    if not rows:
        raise CaptureError(f"{capture.name}: of surface at {state.base_address:#x} not one row is mapped")
    plane = np.ascontiguousarray(detile(image, addressing, inside_B, rows))
    if (inside_B, rows) != (width_B, height):
        return Picture(f"{name}_statistics", "R8", inside_B, rows, (plane,))
    layout = _COLORS.get(surface_format(state.code("format")).name.partition("_")[0], "R8")
    size_B = _PLANES[layout][0][0] if layout in _PLANES else 1
    return Picture(name, layout, inside_B // size_B, rows, (plane,))


def _rows_inside(addressing: Addressing, size_B: int, width_B: int) -> int:  # noqa: N803 - the unit
    """Rows of `width_B` bytes that lie whole in the first `size_B` bytes of a surface."""
    rows, rest_B = divmod(size_B, addressing.tile_row_B)
    return rows * addressing.tiling.height_rows + (addressing.tiling.height_rows == 1 and rest_B >= width_B)


def picture_key(capture: Capture) -> tuple[Any, ...]:
    """What submissions that work on one output picture have in common."""
    meta = capture.meta
    return str(meta.get("dst")), str(meta.get("frame")), str(meta.get("field"))
