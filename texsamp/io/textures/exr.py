"""EXR pictures in: FFmpeg decodes them; whether all of the file is there, it does not say, so that is checked first."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from texsamp.errors import FormatError
from texsamp.io.textures.file_bytes import FileBytes
from texsamp.io.textures.still_codec import Image, decode_still
from texsamp.surface.images import Bytes

MAGIC = b"v/1\x01"
_VERSION = struct.Struct("<I")
_SIZE = struct.Struct("<I")
_WINDOW = struct.Struct("<4i")
_OFFSET = struct.Struct("<Q")
_CHUNK = struct.Struct("<iI")
_NOT_SCANLINES = 0x200 | 0x800 | 0x1000  # tiles, deep data, several parts
_MAX_NAME_B = 256
_ROWS_OF_A_CHUNK = (1, 1, 1, 16, 32, 16, 32, 32, 32, 256)
"""By compression: none, RLE, ZIPS, ZIP, PIZ, PXR24, B44, B44A, DWAA, DWAB."""


@dataclass(frozen=True)
class ExrHeader:
    """What must be known of a file before it is decoded."""

    width_px: int
    height_px: int
    compression: int
    end_B: int  # noqa: N815 - the unit


def read_exr_header(data: Bytes) -> ExrHeader:
    """The header of a file of scan lines. Raises FormatError for other files and for lies."""
    file = FileBytes(data)
    (version,) = file.unpack(_VERSION, len(MAGIC), "the EXR header")
    if version & _NOT_SCANLINES:
        raise FormatError(f"EXR pictures must be one part of scan lines, found version and flags {version:#x}")
    attributes: dict[bytes, memoryview] = {}
    offset_B = len(MAGIC) + _VERSION.size
    while name := _text(data, offset_B):
        type_offset_B = offset_B + len(name) + 1
        size_offset_B = type_offset_B + len(_text(data, type_offset_B)) + 1
        (size_B,) = file.unpack(_SIZE, size_offset_B, "size of an EXR attribute")
        attributes[name] = file.part(size_offset_B + _SIZE.size, size_B, "an EXR attribute")
        offset_B = size_offset_B + _SIZE.size + size_B
    if not {b"displayWindow", b"dataWindow", b"compression"} <= attributes.keys():
        raise FormatError("an EXR header must have a displayWindow, a dataWindow and a compression")
    if any(attributes[name].nbytes != _WINDOW.size for name in (b"displayWindow", b"dataWindow")):
        raise FormatError(f"windows of an EXR header must have {_WINDOW.size} bytes")
    window = _WINDOW.unpack(attributes[b"dataWindow"])
    if window != _WINDOW.unpack(attributes[b"displayWindow"]):
        raise FormatError("data and display window of an EXR picture must be equal; crop or fill it first")
    left, top, right, bottom = window
    compression = int.from_bytes(attributes[b"compression"], "little")
    if compression >= len(_ROWS_OF_A_CHUNK):
        raise FormatError(f"compression of an EXR picture must be below {len(_ROWS_OF_A_CHUNK)}, found {compression}")
    return ExrHeader(right - left + 1, bottom - top + 1, compression, offset_B + 1)


def read_exr(data: Bytes, header: ExrHeader) -> Image:
    """An image (height, width, channels) of float16 or float32. Raises FormatError if a chunk leaves the file."""
    file = FileBytes(data)
    chunks = -(-header.height_px // _ROWS_OF_A_CHUNK[header.compression])
    table = file.part(header.end_B, chunks * _OFFSET.size, "the chunk table of an EXR picture")
    for (offset_B,) in _OFFSET.iter_unpack(table):
        _, size_B = file.unpack(_CHUNK, offset_B, "a chunk of an EXR picture")
        file.part(offset_B + _CHUNK.size, size_B, "a chunk of an EXR picture")
    return decode_still("exr", bytes(data))


def _text(data: Bytes, offset_B: int) -> bytes:  # noqa: N803 - the unit
    text, end, _ = bytes(memoryview(data)[offset_B : offset_B + _MAX_NAME_B]).partition(b"\0")
    if not end:
        raise FormatError(f"names in an EXR header must end within {_MAX_NAME_B} bytes")
    return text
