"""Patterns and sources of blits: colors, patterns, rectangles of memory, bits (volume 1 part 4, pages 14-22, 54-84)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.commands.blitter import Box, Bytes, Operand, Pixels
from texsamp.errors import CaptureError
from texsamp.state.commands_blitter import FixedPattern

_PATTERN = 8
"""Columns and rows of a pattern."""
PATTERN_PIXELS = _PATTERN * _PATTERN
_WORD_BITS = 16
_FIXED = {
    FixedPattern.HORIZONTAL: "000000ff00000000", FixedPattern.VERTICAL: "0808080808080808",
    FixedPattern.FORWARD_DIAGONAL: "8040201008040201", FixedPattern.BACKWARD_DIAGONAL: "0102040810204080",
    FixedPattern.CROSS: "080808ff08080808", FixedPattern.DIAGONAL_CROSS: "8142241818244281",
    FixedPattern.SCREEN_DOOR: "55aa55aa55aa55aa", FixedPattern.WIDE_SCREEN_DOOR: "cc33cc33cc33cc33",
    FixedPattern.WALKING_ONE: "8844221188442211", FixedPattern.WALKING_ZERO: "77bbddee77bbddee",
}  # fmt: skip
"""Rows of fixed patterns, a byte each, pixel 0 in its high bit (pages 58-61)."""


def color(value: int, pixel_B: int) -> Bytes:  # noqa: N803 - the unit
    """A color as the bytes of a pixel."""
    return np.frombuffer((value & 0xFFFFFFFF).to_bytes(4, "little"), np.uint8)[:pixel_B]


def solid(pixel: Bytes) -> Operand:
    """One color everywhere."""
    return lambda box: (np.broadcast_to(pixel, (box.height, box.width, len(pixel))), None)


def color_pattern(data: bytes, pixel_B: int, seed_x: int, seed_y: int) -> Operand:  # noqa: N803
    """8x8 pixels that repeat from their seeds on (page 47)."""
    if len(data) != PATTERN_PIXELS * pixel_B:
        raise CaptureError(f"a pattern of {len(data)} bytes: pixels of {pixel_B} need {PATTERN_PIXELS * pixel_B}")
    pixels = np.frombuffer(data, np.uint8).reshape(_PATTERN, _PATTERN, pixel_B)
    return lambda box: (pixels[_repeated(box, seed_x, seed_y)], None)


def bit_pattern(rows: bytes, colors: tuple[Bytes, Bytes], seeds: tuple[int, int], transparent: bool) -> Operand:
    """8x8 bits that repeat, a byte for every row, pixel 0 in its high bit (page 58). colors: of zeros and ones."""
    ones = np.unpackbits(np.frombuffer(rows, np.uint8)).reshape(_PATTERN, _PATTERN).astype(np.bool_)

    def at(box: Box) -> tuple[Bytes, NDArray[np.bool_] | None]:
        chosen = ones[_repeated(box, *seeds)]
        return np.where(chosen[..., None], colors[1], colors[0]), chosen if transparent else None

    return at


def nothing(pixel: Bytes) -> Operand:
    """A solid pattern that is transparent, too: no pixel is drawn (pages 80, 82)."""
    return lambda box: (solid(pixel)(box)[0], np.zeros((box.height, box.width), np.bool_))


def fixed_rows(pattern: FixedPattern) -> bytes:
    """Rows of a fixed pattern."""
    return bytes.fromhex(_FIXED[pattern])


def rectangle(pixels: Pixels, right: int, down: int) -> Operand:
    """Another rectangle, so many columns to the right and rows below its place in the destination."""
    return lambda box: (
        pixels.read(Box(box.left + right, box.top + down, box.right + right, box.bottom + down)),
        None,
    )


def bits(
    data: Bytes, colors: tuple[Bytes, Bytes], box: Box, *, first: int, row_bits: int, step: int, transparent: bool
) -> Operand:
    """Bits, the high one of a byte first, whose first one is pixel (left, top) of the unclipped `box`.

    colors: of zeros and ones. first: bits that are left out of every row. row_bits: from the first row to the second;
    step: from each other one to the next.
    """

    def at(part: Box) -> tuple[Bytes, NDArray[np.bool_] | None]:
        rows = np.arange(part.top - box.top, part.bottom - box.top)
        starts = np.where(rows > 0, row_bits + (rows - 1) * step, 0) + first
        positions = starts[:, None] + np.arange(part.left - box.left, part.right - box.left)
        needed_B = int(positions[-1, -1]) // 8 + 1
        if needed_B > len(data):
            raise CaptureError(f"bits of a source take {needed_B} bytes, there are {len(data)}")
        ones = (data[positions >> 3] >> (7 - (positions & 7)) & 1).astype(np.bool_)
        return np.where(ones[..., None], colors[1], colors[0]), ones if transparent else None

    return at


def word_rows(address: int, first: int, width: int) -> tuple[int, int]:
    """Bits from the first row to the second and from each other one to the next: rows end with a word (page 66)."""
    offset = address % 2 * 8
    return _up(offset + first + width) - offset, _up(first + width)


def _up(count: int) -> int:
    return -(-count // _WORD_BITS) * _WORD_BITS


def _repeated(box: Box, seed_x: int, seed_y: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns of a pattern that belong to a box."""
    rows, columns = np.arange(box.top, box.bottom) + seed_y, np.arange(box.left, box.right) + seed_x
    return (rows % _PATTERN)[:, None], (columns % _PATTERN)[None, :]
