"""Output pictures of a replayed case: the planes a client's notes say its target has, read out of memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.files.capture import BufferObject, Capture
from texsamp.emulator.files.header import Entries
from texsamp.errors import CaptureError, StateError
from texsamp.surface.detile import detile
from texsamp.surface.tiling import Addressing, tiling

MOST_PIXELS_OF_A_SIDE = 16384
PLANES = {
    "R8": ((1, 1, 1),),
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
class Origin:
    """Where the bytes of a picture are: a buffer object, and in it the byte of a plane, a column and a row."""

    handle: int
    offset: Callable[[int, int, int], int]


@dataclass(frozen=True)
class Picture:
    """One picture: its planes as bytes, each (rows, bytes of a row).

    name: of the submission that finished it; of a surface nobody noted down, file, number of submission and address.
    fourcc: the layout of its planes; format: of a surface, that of its texels. sequence: number of the submission.
    is_linear: whether it is a surface whose rows lie in memory as they are, as a client can read them.
    """

    name: str
    fourcc: str
    width_px: int
    height_rows: int
    planes: tuple[NDArray[np.uint8], ...]
    format: str = ""
    origin: Origin | None = field(default=None, compare=False, repr=False)
    sequence: int = 0
    is_linear: bool = False

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
        if fourcc not in PLANES or len(rows) != len(PLANES[fourcc]):
            raise CaptureError(f"{capture.name}: {len(rows)} planes of layout {fourcc!r}")
        if not 0 < min(width, height) <= max(width, height) <= MOST_PIXELS_OF_A_SIDE:
            raise CaptureError(f"{capture.name}: a target of {width}x{height} pixels")
        planes = tuple((row.integer("offset"), row.integer("pitch")) for row in rows)
        return cls(target.integer("bo_handle"), fourcc, width, height, planes)

    def address_of(self, buffer: BufferObject, plane: int, x_B: int, row: int) -> int:  # noqa: N803 - the unit
        """Offset of a byte of a plane in its buffer object."""
        offset, pitch = self.planes[plane]
        first_row, column = divmod(offset, pitch)
        return int(Addressing(tiling(buffer.tiling), pitch).offset_B(column + x_B, first_row + row))

    def _size(self, plane: int) -> tuple[int, int]:
        """Bytes of a row, and rows, of a plane."""
        size_B, across, down = PLANES[self.fourcc][plane]
        return -(-self.width_px // across) * size_B, -(-self.height_rows // down)

    def read(self, memory: CaseMemory, buffer: BufferObject, name: str) -> Picture:
        """The picture in memory now; CaptureError if it does not fit into its buffer object."""
        device, image = memory.where(self.handle)
        planes = []
        for number, (offset, pitch) in enumerate(self.planes):
            width_B, rows = self._size(number)
            try:
                addressing = Addressing(tiling(buffer.tiling), pitch)
                row, column = divmod(offset, pitch)
                planes.append(detile(image, addressing, width_B, rows, x_B=column, y_rows=row, device=device))
            except StateError as error:
                raise CaptureError(f"{name}: {error}") from None
        origin = Origin(self.handle, partial(self.address_of, buffer))
        found = device.start_download(planes).result()
        return Picture(name, self.fourcc, self.width_px, self.height_rows, found, origin=origin)


def picture_key(capture: Capture) -> tuple[Any, ...]:
    """What submissions that work on one output picture have in common."""
    meta = capture.meta
    return str(meta.get("dst")), str(meta.get("frame")), str(meta.get("field"))
