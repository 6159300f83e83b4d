"""Deflated bytes of capture files."""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from texsamp.errors import CaptureError

_MOST_PACKED_B = 1 << 14
_MOST_KEPT = 256

_uniform: dict[bytes, tuple[int, int, int]] = {}
"""Streams whose bytes are all the same, as those of most large buffer objects are: size, the byte, and their CRC."""


def inflated(packed: bytes, size: int, what: str) -> tuple[bytes, int]:
    """Exactly `size` bytes, and their CRC; CaptureError if they are not as many."""
    known = _uniform.get(packed)
    if known is not None and known[0] == size:
        return bytes((known[1],)) * size, known[2]
    try:
        stream = zlib.decompressobj()
        contents = stream.decompress(packed, size + 1)
    except zlib.error as error:
        raise CaptureError(f"{what}: {error}") from None
    if len(contents) != size or not stream.eof:
        raise CaptureError(f"{what} does not inflate to exactly {size} bytes")
    crc = zlib.crc32(contents)
    if len(packed) <= _MOST_PACKED_B and contents == contents[:1] * size:
        if len(_uniform) >= _MOST_KEPT:
            _uniform.clear()
        _uniform[packed] = size, contents[0] if size else 0, crc
    return contents, crc


def inflated_array(packed: bytes, size: int, what: str) -> tuple[NDArray[np.uint8], int]:
    """The same as an array, not to be written; bytes that are all the same take no memory."""
    known = _uniform.get(packed)
    if known is None or known[0] != size:
        contents, crc = inflated(packed, size, what)
        known = _uniform.get(packed)
        if known is None:
            return np.frombuffer(contents, np.uint8), crc
    return np.broadcast_to(np.uint8(known[1]), size), known[2]
