"""What media block reads return: pixels repeated beyond the edges, and where a block lies in the registers.

Seed 003:2139-2162 and 7053-7067 (rows), 8626-8660 (columns), 8738-8785 and 8801-8815 (registers).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.device.base import Array
from texsamp.errors import CaptureError
from texsamp.state.formats import surface_format
from texsamp.state.render_surface import MediaBoundaryMode

_DWORD_B = 4
_LUMA_BYTES = {"YCRCB_NORMAL": (0, 2), "YCRCB_SWAPUV": (0, 2), "YCRCB_SWAPY": (1, 3), "YCRCB_SWAPUVY": (1, 3)}
"""Where the left and the right pixel's luma is in a pair's dword; the pixels share its chroma."""
_MOST_ROWS = {
    4: {0: (64, 1, 1, 1, 1, 1, 1, 1), 1: (64, 64, 0, 0, 2, 2, 0, 0), 3: (64, 64, 64, 64, 0, 0, 0, 0)},
    8: {0: (32, 0, 1, 0, 1, 0, 1, 0), 1: (32, 0, 32, 0, 0, 0, 0, 0), 3: (32, 0, 32, 0, 32, 0, 32, 0)},
    16: {0: (16, 0, 0, 0, 1, 0, 0, 0), 1: (16, 0, 0, 0, 16, 0, 0, 0)},
    32: {0: (8, 0, 0, 0, 0, 0, 0, 0)},
}
"""Largest height of a block by its base pitch, the register pitch control and the sub-register offset in dwords; pitch
controls that make more than a register of the pitch are left out, as the text forbids what the table allows."""


def most_rows(pitch_B: int, control: int = 0, offset_B: int = 0) -> int:  # noqa: N803 - the unit
    """Largest height of a block; 0 where the hardware allows none."""
    return _MOST_ROWS.get(pitch_B, {}).get(control, (0,) * 8)[offset_B // _DWORD_B]


def lines(y: NDArray[np.int64], rows: int, step: int, first: int, mode: MediaBoundaryMode) -> NDArray[np.int64]:
    """Lines of the surface's memory that rows y of a view return.

    rows, step, first: rows of the view, lines from one to the next, and the first one's line.
    """
    inside = np.clip(y, 0, rows - 1)
    if mode == MediaBoundaryMode.INTERLACED and step == 1:  # the nearest row of the same field
        below = rows - 1 - (rows - 1 - y) % 2
        return np.asarray(np.where(y < 0, np.minimum(y % 2, rows - 1), np.where(y >= rows, np.maximum(below, 0), y)))
    found = inside * step + first
    if mode == MediaBoundaryMode.PROGRESSIVE and step == 2:  # the nearest row of the frame
        found = np.where(y < 0, 0, np.where(y >= rows, 2 * rows - 1, found))
    return np.asarray(found)


@dataclass(frozen=True)
class ReadPixel:
    """What is repeated beyond the edges: a pixel, or a pair of pixels, whose left and right luma are at these bytes.

    left, right: -1 if it is no pair.
    """

    size_B: int  # noqa: N815 - the unit
    left: int = -1
    right: int = -1

    @classmethod
    def of(cls, format: int) -> ReadPixel:
        """Of a surface; CaptureError for formats whose edges are not defined."""
        info = surface_format(format)
        if info.name in _LUMA_BYTES:
            return cls(_DWORD_B, *_LUMA_BYTES[info.name])
        if info.bits not in (8, 16, 32) or info.block_width != 1 or info.name.startswith("YCRCB"):
            raise CaptureError(f"media block reads of {info.name} are not executed")
        return cls(info.bits // 8)


def columns(format: int, x: NDArray[np.int64], width_B: int, most_B: int) -> NDArray[np.int64]:  # noqa: N803
    """Byte columns that `width_B` bytes from byte columns x (threads,) on return, (threads, width_B).

    most_B: bytes of a row of the surface. CaptureError for formats whose edges are not defined, and halves of pairs.
    """
    wanted = x[:, None] + np.arange(width_B)
    info, pixel = surface_format(format), ReadPixel.of(format)
    if pixel.left < 0:
        pixel_B = pixel.size_B
        return np.asarray(np.clip(wanted // pixel_B, 0, most_B // pixel_B - 1) * pixel_B + wanted % pixel_B)
    if width_B % _DWORD_B or (x % _DWORD_B).any():
        raise CaptureError(f"media block reads of {info.name} take whole pairs of pixels, found width {width_B}")
    pair, place = wanted // _DWORD_B, wanted % _DWORD_B
    left, right = pixel.left, pixel.right
    place = np.where((pair < 0) & (place == right), left, place)
    place = np.where((pair >= most_B // _DWORD_B) & (place == left), right, place)
    return np.asarray(np.clip(pair, 0, most_B // _DWORD_B - 1) * _DWORD_B + place)


@dataclass(frozen=True)
class RegisterLayout:
    """Where the rows of a block lie in the registers: bytes from one to the next, and of the first."""

    pitch_B: int  # noqa: N815 - the unit
    offset_B: int  # noqa: N815 - the unit

    @classmethod
    def of(cls, width_B: int, rows: int, control: int, offset_B: int) -> RegisterLayout:  # noqa: N803
        """Layout by the header's register pitch control and sub-register offset; CaptureError for illegal ones."""
        base_B = base_pitch_B(width_B)
        most = most_rows(base_B, control, offset_B)
        if offset_B % _DWORD_B or rows > most or (control and width_B % _DWORD_B):
            raise CaptureError(
                f"a media block of {width_B} bytes and {rows} rows with register pitch control {control} and "
                f"sub-register offset {offset_B} is larger than the hardware allows, the limit is {most} rows"
            )
        return cls(base_B * (1 + control), offset_B)

    def place(self, block: Array, held: Array) -> None:
        """Write a block (threads, rows, bytes) to the bytes of the registers (threads, bytes); others stay."""
        threads, rows, width_B = block.shape
        last_B = self.offset_B + (rows - 1) * self.pitch_B
        upper = held[:, self.offset_B : last_B].reshape(threads, rows - 1, self.pitch_B)
        upper[:, :, :width_B] = block[:, :-1]
        held[:, last_B : last_B + width_B] = block[:, -1]  # there need not be a whole pitch left


def base_pitch_B(width_B: int) -> int:  # noqa: N802, N803 - the unit
    """Bytes from row to row of a block in registers: its width, rounded up to a power of two of at least 4."""
    return max(_DWORD_B, 1 << (width_B - 1).bit_length())
