"""Radiance HDR pictures in: run lengths of red, green, blue and a shared exponent."""

from __future__ import annotations

import re

import numpy as np

from texsamp.errors import FormatError
from texsamp.io.textures.still_codec import Image
from texsamp.surface.images import Bytes

MAGICS = (b"#?RADIANCE\n", b"#?RGBE\n")
_MAX_HEADER_B = 1 << 16
_RESOLUTION = re.compile(rb"-Y (\d{1,9}) \+X (\d{1,9})\n")
_CHANNELS = 4
_RUN = 128  # counts above it repeat one number
_RUN_LENGTH_SIDES = range(8, 1 << 15)
_EXPONENT_BIAS = 128 + 8


def read_hdr_size(data: Bytes) -> tuple[int, int, int]:
    """Width, height, and where the rows begin. Raises FormatError for headers that are none."""
    header = bytes(memoryview(data)[:_MAX_HEADER_B])
    blank = header.find(b"\n\n")
    found = _RESOLUTION.match(header, blank + 2) if blank >= 0 else None
    if found is None:
        raise FormatError(f"an HDR header must end in -Y HEIGHT +X WIDTH within {_MAX_HEADER_B} bytes")
    if b"\nFORMAT=32-bit_rle_xyze" in header[:blank]:
        raise FormatError("HDR pictures must have red, green and blue, found XYZ")
    return int(found[2]), int(found[1]), found.end()


def read_hdr(data: Bytes, width: int, height: int, offset_B: int) -> Image:  # noqa: N803 - the unit
    """An image (height, width, 3) of float32: m * 2^(e - 136), exactly; 0 if the exponent is 0.

    Raises FormatError if a row is not all there, or its runs are longer than it.
    """
    source = memoryview(data).cast("B")
    rows = []  # a short file that promises many rows ends before they are made
    for row in range(height):
        numbers, offset_B = _row(source, offset_B, width, row)
        exponents = numbers[:, 3:].astype(np.int32)
        colors = np.ldexp(numbers[:, :3].astype(np.float32), exponents - _EXPONENT_BIAS)
        rows.append(np.where(exponents == 0, np.float32(0), colors))
    return np.stack(rows)


def _row(source: memoryview, offset_B: int, width: int, row: int) -> tuple[Image, int]:  # noqa: N803
    """Four numbers of each texel of a row, and where the next row begins."""
    start = bytes(source[offset_B : offset_B + 4])
    if width not in _RUN_LENGTH_SIDES or start != bytes((2, 2, width >> 8, width & 255)):
        size_B = width * _CHANNELS
        if offset_B + size_B > source.nbytes:
            raise FormatError(f"row {row} of the HDR picture ends after the file")
        texels = np.frombuffer(source[offset_B : offset_B + size_B], np.uint8).reshape(width, _CHANNELS)
        if (texels[:, :3] == 1).all(axis=1).any():  # no color, as one number is at least 128: a run of the older kind
            raise FormatError(
                f"row {row} of the HDR picture has run lengths of the older kind, which are not supported"
            )
        return texels, offset_B + size_B
    offset_B += 4
    line = bytearray()
    while len(line) < width * _CHANNELS:
        left = width - len(line) % width
        count = source[offset_B] if offset_B < source.nbytes else 0
        length = count - _RUN if count > _RUN else count
        stored_B = 1 if count > _RUN else count
        numbers = bytes(source[offset_B + 1 : offset_B + 1 + stored_B])
        if not 1 <= length <= left or len(numbers) < stored_B:
            raise FormatError(f"row {row} of the HDR picture must have runs of 1 to {left} numbers, found {length}")
        line += numbers * length if count > _RUN else numbers
        offset_B += 1 + stored_B
    return np.frombuffer(line, np.uint8).reshape(_CHANNELS, width).T, offset_B
