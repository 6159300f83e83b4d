"""Levels of KTX2 files under a general compressor, unpacked within the size that the header promises."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator
from enum import IntEnum

from texsamp.errors import FormatError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_INPUT_STEP_B = 1 << 16
_OUTPUT_STEP_B = 1 << 20
_MAX_WINDOW_LOG = 27  # 128 MiB; zstd's own default for streams

LEVEL_ZSTD = 9
LEVEL_ZLIB = 9


class Scheme(IntEnum):
    """supercompressionScheme of KTX2."""

    NONE = 0
    BASIS_LZ = 1
    ZSTD = 2
    ZLIB = 3


def compress(scheme: Scheme, data: bytes) -> bytes:
    """Pack a level."""
    return zstd.compress(data, LEVEL_ZSTD) if scheme is Scheme.ZSTD else zlib.compress(data, LEVEL_ZLIB)


def decompress(scheme: Scheme, data: memoryview, size_B: int, what: str) -> bytearray:  # noqa: N803 - the unit
    """Unpack exactly ``size_B`` bytes.

    Memory grows with what comes out, never with what the header says, and it ends one step after ``size_B`` bytes.
    Raises FormatError for data that are malformed, or hold fewer or more bytes.
    """
    unpack = _zstd_steps if scheme is Scheme.ZSTD else _zlib_steps
    result = bytearray()
    try:
        for step in unpack(data):
            result += step
            if len(result) > size_B:
                raise FormatError(f"{what} must unpack to {size_B} bytes, found more")
    except (zlib.error, zstd.ZstdError) as error:
        raise FormatError(f"{what} cannot be unpacked as {scheme.name}: {error}") from None
    if len(result) != size_B:
        raise FormatError(f"{what} must unpack to {size_B} bytes, found {len(result)}")
    return result


def _pieces(data: memoryview) -> Iterator[memoryview]:
    for offset_B in range(0, data.nbytes, _INPUT_STEP_B):
        yield data[offset_B : offset_B + _INPUT_STEP_B]


def _zlib_steps(data: memoryview) -> Iterator[bytes]:
    decompressor = zlib.decompressobj()
    for piece in _pieces(data):
        waiting: bytes | memoryview = piece
        while len(waiting) > 0 and not decompressor.eof:
            yield decompressor.decompress(waiting, _OUTPUT_STEP_B)
            waiting = decompressor.unconsumed_tail
    yield decompressor.flush()


def _zstd_steps(data: memoryview) -> Iterator[bytes]:
    options = {int(zstd.DecompressionParameter.window_log_max): _MAX_WINDOW_LOG}
    decompressor = zstd.ZstdDecompressor(options=options)
    for piece in _pieces(data):
        if decompressor.eof:
            return
        yield decompressor.decompress(piece, _OUTPUT_STEP_B)
        while not decompressor.eof and not decompressor.needs_input:
            yield decompressor.decompress(b"", _OUTPUT_STEP_B)
