"""The blitter: rectangles of pixels by raster operations of three operands (volume 1 part 4, pages 33-35, 85-96)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.context.budget import Budget
from texsamp.emulator.context.memory import CaseMemory
from texsamp.errors import CaptureError, StateError
from texsamp.state.commands_blitter import BlitterDepth, KeyMode
from texsamp.surface.detile import detile, tile
from texsamp.surface.tiling import Addressing, tiling

_BYTES_OF_A_UNIT = 1 << 16
_PIXEL_B = {BlitterDepth.BITS_8: 1, BlitterDepth.BITS_16_565: 2, BlitterDepth.BITS_16_1555: 2, BlitterDepth.BITS_32: 4}
_COMPONENTS = {
    BlitterDepth.BITS_8: (0xFF,),
    BlitterDepth.BITS_16_565: (0x1F, 0x7E0, 0xF800),
    BlitterDepth.BITS_16_1555: (0x1F, 0x3E0, 0x7C00, 0x8000),
    BlitterDepth.BITS_32: (0xFF, 0xFF00, 0xFF0000, 0xFF000000),
}
"""Bits of what a chroma key compares: colors, then alpha."""
_COLORS = 3
_CODES = 8
"""Bits of a raster operation: the result for every pattern, source and destination bit, 4 P + 2 S + D."""
_OF_SOURCE = (KeyMode.SOURCE, KeyMode.SOURCE_ALPHA)
_OF_DESTINATION = (KeyMode.DESTINATION, KeyMode.DESTINATION_ALPHA)
_WITH_ALPHA = (KeyMode.SOURCE_ALPHA, KeyMode.DESTINATION_ALPHA)

Bytes = NDArray[np.uint8]
Bits = NDArray[np.bool_]
Operand = Callable[["Box"], tuple[Bytes, Bits | None]]
"""Pixels of a box, (rows, columns, bytes of a pixel), and which of them may be written, (rows, columns)."""


@dataclass(frozen=True, slots=True)
class Box:
    """Columns and rows of the destination, the last ones excluded."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """Columns."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """Rows."""
        return self.bottom - self.top

    def cut(self, other: Box) -> Box:
        """What both have."""
        return Box(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )


@dataclass(frozen=True, slots=True)
class Pixels:
    """Where pixels are: rows of `pixel_B` bytes each from an address on. tiling: linear, X or Y.

    pitch_B: from row to row; negative ones go up.
    """

    memory: CaseMemory
    address: int
    pitch_B: int  # noqa: N815 - the unit
    tiling: str
    pixel_B: int  # noqa: N815

    @classmethod
    def of(
        cls, memory: CaseMemory, address: int, pitch: int, tiled: bool, depth: BlitterDepth, is_y: bool = False
    ) -> Pixels:
        """As commands say it: tiled ones have their pitch in dwords. is_y: whether they are Y-tiled all the same."""
        kind = "Y" if is_y else "X" if tiled else "linear"
        return cls(memory, address, pitch * (4 if tiled else 1), kind, pixel_B(depth))

    def read(self, box: Box) -> Bytes:
        """A box of pixels, (rows, columns, bytes of a pixel); a copy. CaptureError if it is not there."""
        address, addressing, y, upwards = self._window(box)
        data, width_B = self.memory.bytes_from(address), box.width * self.pixel_B
        if width_B * box.height > len(data):
            raise CaptureError(f"a rectangle of {width_B * box.height} bytes, but {len(data)} are mapped from there on")
        rows = np.asarray(detile(data, addressing, width_B, box.height, x_B=box.left * self.pixel_B, y_rows=y))
        return (rows[::-1] if upwards else rows).reshape(box.height, box.width, self.pixel_B).copy()

    def write(self, box: Box, pixels: Bytes) -> None:
        """Store a box of pixels."""
        address, addressing, y, upwards = self._window(box)
        data, rows = self.memory.bytes_from(address), pixels.reshape(box.height, -1)
        rows = np.ascontiguousarray(rows[::-1] if upwards else rows)
        tile(rows, data, addressing, x_B=box.left * self.pixel_B, y_rows=y)
        self.memory.touch(self.memory.find(address))

    def _window(self, box: Box) -> tuple[int, Addressing, int, bool]:
        """From which address on a box lies, how it lies there, its first row, and whether rows go up."""
        if self.tiling != "linear":
            return self.address, Addressing(tiling(self.tiling), self.pitch_B), box.top, False
        if box.height == 1:  # whatever the pitch is
            linear = Addressing(tiling("linear"), box.right * self.pixel_B)
            return self.address + box.top * self.pitch_B, linear, 0, False
        if self.pitch_B < 0:
            linear = Addressing(tiling("linear"), -self.pitch_B)
            return self.address + (box.bottom - 1) * self.pitch_B, linear, 0, True
        return self.address, Addressing(tiling("linear"), self.pitch_B), box.top, False


@dataclass(frozen=True, slots=True)
class Key:
    """A chroma key: a range of every component."""

    mode: KeyMode
    low: int
    high: int

    @property
    def of_source(self) -> bool:
        """Whether it looks at the source."""
        return self.mode in _OF_SOURCE

    def written(self, depth: BlitterDepth, source: Bytes, destination: Bytes) -> Bits | None:
        """Pixels that it lets through; None for all (volume 1 part 4, page 86)."""
        if not self.of_source and self.mode not in _OF_DESTINATION:
            return None
        pixels = source if self.of_source else destination
        values = pixels.view(f"<u{pixels.shape[2]}")[..., 0].astype(np.int64)
        components = _COMPONENTS[depth] if self.mode in _WITH_ALPHA else _COMPONENTS[depth][:_COLORS]
        inside = np.ones(values.shape, np.bool_)
        for bits in components:
            inside &= (values & bits >= self.low & bits) & (values & bits <= self.high & bits)
        return ~inside if self.of_source else inside


@dataclass(frozen=True, slots=True)
class Blit:
    """What a command draws, and where."""

    name: str
    target: Pixels
    box: Box
    depth: BlitterDepth
    raster_operation: int
    write_alpha: bool
    write_rgb: bool
    pattern: Operand | None = None
    source: Operand | None = None
    key: Key | None = None

    def draw(self, budget: Budget) -> None:
        """Execute; empty and reversed rectangles are rejected as a whole (volume 1 part 4, page 34).

        A source that overlaps its destination is read as it was before, which is what the printed directions are for.
        CaptureError for what is not executed or not mapped.
        """
        box = self.box
        if box.width <= 0 or box.height <= 0:
            return
        if box.left < 0 or box.top < 0:
            raise CaptureError(f"a rectangle from {box.left}, {box.top} on begins before its surface")
        for bit, what, operand in ((4, "pattern", self.pattern), (2, "source", self.source)):
            if operand is None and _uses(self.raster_operation, bit):
                raise CaptureError(f"raster operation {self.raster_operation:#x} uses a {what}: {self.name} has none")
        budget.spend(1 + box.width * box.height * self.target.pixel_B // _BYTES_OF_A_UNIT)
        try:
            old = self.target.read(box)
            written = np.broadcast_to(self._bytes_written(), old.shape)
            absent = np.zeros_like(old), None
            pattern, of_pattern = absent if self.pattern is None else self.pattern(box)
            source, of_source = absent if self.source is None else self.source(box)
            of_key = None if self.key is None else self.key.written(self.depth, source, old)
            for mask in (of_pattern, of_source, of_key):
                written = written if mask is None else written & mask[..., None]
            new = raster_operation(self.raster_operation, pattern, source, old)
            self.target.write(box, np.where(written, new, old))
        except StateError as error:
            raise CaptureError(str(error)) from None

    def _bytes_written(self) -> Bits:
        """Bytes of a pixel that are written: of 32 bits alpha and colors are chosen (volume 1 part 4, page 46)."""
        if self.depth != BlitterDepth.BITS_32:
            return np.ones(self.target.pixel_B, np.bool_)
        return np.array([self.write_rgb] * _COLORS + [self.write_alpha], np.bool_)


def pixel_B(depth: BlitterDepth) -> int:  # noqa: N802 - the unit
    """Bytes of a pixel."""
    return _PIXEL_B[BlitterDepth(depth)]


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


def _uses(code: int, operand: int) -> bool:
    """Whether a raster operation depends on an operand: 4 pattern, 2 source, 1 destination."""
    return any((code >> bits & 1) != (code >> (bits | operand) & 1) for bits in range(_CODES))
