"""The blitter: rectangles of a color or another surface by raster operations (volume 1 part 4, pages 33-35, 45-64)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.memory import CaseMemory
from texsamp.errors import CaptureError, StateError
from texsamp.state.commands_mi import BlitterDepth, XyColorBlt, XyPatBlt, XySetupClipBlt, XySrcCopyBlt
from texsamp.surface.detile import detile, tile
from texsamp.surface.tiling import Addressing, tiling

_BYTES_OF_A_UNIT = 1 << 16
_PIXEL_B = {BlitterDepth.BITS_8: 1, BlitterDepth.BITS_16_565: 2, BlitterDepth.BITS_16_1555: 2, BlitterDepth.BITS_32: 4}
_PATTERN = 8
"""Columns and rows of a pattern."""
_CODES = 8
"""Bits of a raster operation: the result for every pattern, source and destination bit, 4 P + 2 S + D."""

Bytes = NDArray[np.uint8]


def raster_operation(code: int, pattern: Bytes, source: Bytes, destination: Bytes) -> Bytes:
    """Bytes as one of the 256 operations makes them of three operands."""
    result = np.zeros_like(destination)
    for bits in range(_CODES):
        if code >> bits & 1:
            p, s, d = (
                operand if bits >> at & 1 else ~operand for at, operand in ((2, pattern), (1, source), (0, destination))
            )
            result |= p & s & d
    return result


@dataclass(frozen=True)
class _Surface:
    """Where pixels are: rows of `pixel_B` bytes each from an address on; tiled ones are X-tiled."""

    memory: CaseMemory
    address: int
    addressing: Addressing
    pixel_B: int  # noqa: N815 - the unit

    @classmethod
    def of(cls, memory: CaseMemory, address: int, pitch: int, tiled: bool, pixel_B: int) -> _Surface:  # noqa: N803
        addressing = Addressing(tiling("X" if tiled else "linear"), pitch * (4 if tiled else 1))
        return cls(memory, address, addressing, pixel_B)

    def read(self, left: int, top: int, width: int, height: int) -> Bytes:
        """A rectangle as bytes, (rows, bytes of a row); a copy."""
        data = self.memory.bytes_from(self.address)
        return np.asarray(
            detile(data, self.addressing, width * self.pixel_B, height, x_B=left * self.pixel_B, y_rows=top)
        ).copy()

    def write(self, left: int, top: int, rows: Bytes) -> None:
        """Store a rectangle of bytes."""
        data = self.memory.bytes_from(self.address)
        tile(np.ascontiguousarray(rows), data, self.addressing, x_B=left * self.pixel_B, y_rows=top)
        self.memory.touch(self.memory.find(self.address))


_Blt = XyColorBlt | XyPatBlt | XySrcCopyBlt


def blit(memory: CaseMemory, command: _Blt, clip: XySetupClipBlt | None, budget: Budget) -> None:
    """Execute XY_COLOR_BLT, XY_PAT_BLT or XY_SRC_COPY_BLT. clip: the rectangle that XY_SETUP_CLIP_BLT has set.

    Empty and reversed rectangles are rejected as a whole (page 34). A source that overlaps its destination is read as
    it was before, which is what the printed directions are for. CaptureError for what is not executed or not mapped.
    """
    pixel_B = _PIXEL_B[BlitterDepth(command.depth)]
    left, top, right, bottom = command.left, command.top, command.right, command.bottom
    shift_x = shift_y = 0
    if isinstance(command, XySrcCopyBlt):  # negative source coordinates move the destination's corner (page 34)
        left += max(-command.source_left, 0)
        top += max(-command.source_top, 0)
        shift_x = max(command.source_left, 0) - left
        shift_y = max(command.source_top, 0) - top
    if command.clip:
        if clip is None:
            raise CaptureError(f"{command.name} clips, and no XY_SETUP_CLIP_BLT has set the rectangle")
        left, top = max(left, clip.left), max(top, clip.top)
        right, bottom = min(right, clip.right), min(bottom, clip.bottom)
    width, height = right - left, bottom - top
    if width <= 0 or height <= 0:
        return
    if left < 0 or top < 0:
        raise CaptureError(f"a rectangle from {left}, {top} on begins before its surface")
    size_B = width * height * pixel_B
    available = len(memory.bytes_from(command.base_address))
    if size_B > available:
        raise CaptureError(f"a rectangle of {size_B} bytes, but {available} are mapped from its base on")
    budget.spend(1 + size_B // _BYTES_OF_A_UNIT)
    try:
        target = _Surface.of(memory, command.base_address, command.pitch, command.tiled, pixel_B)
        old = target.read(left, top, width, height)
        pattern = source = np.zeros_like(old)
        if isinstance(command, XySrcCopyBlt):
            if _uses(command.raster_operation, 4):
                raise CaptureError(f"raster operation {command.raster_operation:#x} of a copy uses a pattern (page 62)")
            origin = _Surface.of(memory, command.source_address, command.source_pitch, command.source_tiled, pixel_B)
            source = origin.read(left + shift_x, top + shift_y, width, height)
        else:
            if _uses(command.raster_operation, 2):
                raise CaptureError(f"raster operation {command.raster_operation:#x} of a fill uses a source (page 45)")
            pattern = _pattern(memory, command, pixel_B)(np.arange(left, right), np.arange(top, bottom))
        new = raster_operation(command.raster_operation, pattern, source, old)
        target.write(left, top, np.where(_written(command, pixel_B, width), new, old))
    except StateError as error:
        raise CaptureError(str(error)) from None


def _pattern(
    memory: CaseMemory,
    command: XyColorBlt | XyPatBlt,
    pixel_B: int,  # noqa: N803 - the unit
) -> Callable[[NDArray[np.intp], NDArray[np.intp]], Bytes]:
    """The pattern at columns and rows as bytes, (rows, bytes): a color, or 8x8 pixels that repeat (page 47)."""
    if isinstance(command, XyColorBlt):
        color = np.frombuffer((command.color & 0xFFFFFFFF).to_bytes(4, "little"), np.uint8)[:pixel_B]
        return lambda columns, rows: np.tile(color, (len(rows), len(columns)))
    size = _PATTERN * _PATTERN * pixel_B
    pixels = np.frombuffer(memory.read(command.pattern_address, size), np.uint8).reshape(_PATTERN, _PATTERN, pixel_B)

    def at(columns: NDArray[np.intp], rows: NDArray[np.intp]) -> Bytes:
        chosen = pixels[((rows + command.seed_y) % _PATTERN)[:, None], (columns + command.seed_x) % _PATTERN]
        return chosen.reshape(len(rows), -1)

    return at


def _uses(code: int, operand: int) -> bool:
    """Whether a raster operation depends on an operand: 4 pattern, 2 source, 1 destination."""
    return any((code >> bits & 1) != (code >> (bits | operand) & 1) for bits in range(_CODES))


def _written(command: _Blt, pixel_B: int, width: int) -> NDArray[np.bool_]:  # noqa: N803
    """Bytes of a row that are written: of pixels of 32 bits alpha and colors are chosen (page 46)."""
    if pixel_B != _PIXEL_B[BlitterDepth.BITS_32]:
        return np.ones(width * pixel_B, np.bool_)
    return np.tile(np.array([command.write_rgb] * 3 + [command.write_alpha], np.bool_), width)
