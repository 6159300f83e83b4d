"""EXR pictures in: FFmpeg decodes the plain ones, the package OpenEXR those with tiles, windows, parts or odd channels.

Whether all of the file is there FFmpeg does not say, so that is checked first.
"""

from __future__ import annotations

import math
import struct
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from texsamp.errors import FormatError
from texsamp.io.textures.c_stderr import hushed
from texsamp.io.textures.file_bytes import FileBytes
from texsamp.io.textures.printed_words import printed_words
from texsamp.io.textures.still_codec import Image, decode_still
from texsamp.surface.images import Bytes

MAGIC = b"v/1\x01"
_VERSION = struct.Struct("<I")
_SIZE = struct.Struct("<I")
_WINDOW = struct.Struct("<4i")
_OFFSET = struct.Struct("<Q")
_CHUNK, _TILE = struct.Struct("<iI"), struct.Struct("<4iI")
"""First row, or place and level; and bytes."""
_DEEP = 0x800
_TILED, _PARTS = 0x200, 0x1000
_NOT_SCANLINES = _TILED | _PARTS
_TILES = struct.Struct("<IIB")
_ONE_LEVEL, _RIPMAP = 0, 2
_CHANNEL = struct.Struct("<I4xII")
"""Type (0 uint32, 1 half, 2 float), steps from sample to sample."""
_UINT = 0
PARTS_NOTE = "the EXR file has several parts, and the first one is read"
_FFMPEG_CHANNELS = ({"Y"}, {"R", "G", "B"}, {"R", "G", "B", "A"})
_FORMATS = {
    # What is read of which channels, in order; a lone channel of any name is red.
    ("R", "G", "B", "A"): "R{0}G{0}B{0}A{0}_FLOAT",
    ("R", "G", "B"): "R{0}G{0}B{0}_FLOAT",
    ("Y", "A"): "L{0}A{0}_FLOAT",
    ("Y",): "L{0}_FLOAT",
    ("R", "G"): "R{0}G{0}_FLOAT",
}
_MAX_NAME_B = 256
_LARGEST_TILE_PX = 1 << 22
"""Of a tile that is larger than its picture: OpenEXR takes memory for a whole one, whatever the file holds."""
_ROWS_OF_A_CHUNK = (1, 1, 1, 16, 32, 16, 32, 32, 32, 256)
"""By compression: none, RLE, ZIPS, ZIP, PIZ, PXR24, B44, B44A, DWAA, DWAB."""


Window = tuple[int, int, int, int]
"""Left, top, right and bottom pixel."""


@dataclass(frozen=True)
class ExrHeader:
    """What must be known of a file before it is decoded. channels: type by name, of the first part.

    tiles: columns and rows of a tile, and the mode of levels, where there are tiles.
    """

    shown: Window
    stored: Window
    compression: int
    channels: dict[str, int]
    is_plain: bool
    tiles: tuple[int, int, int] | None
    has_parts: bool
    end_B: int  # noqa: N815 - the unit

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of what is shown."""
        return _size_px(self.shown)

    @property
    def largest_px(self) -> tuple[int, int]:
        """Width and height that hold both windows."""
        (a, b), (c, d) = _size_px(self.shown), _size_px(self.stored)
        return max(a, c), max(b, d)


def _size_px(window: Window) -> tuple[int, int]:
    left, top, right, bottom = window
    return right - left + 1, bottom - top + 1


def has_parts(data: Bytes) -> bool:
    """Whether a file has a header for each of several pictures."""
    return bool(int.from_bytes(bytes(data[len(MAGIC) :][: _VERSION.size]), "little") & _PARTS)


def read_exr_header(data: Bytes) -> ExrHeader:
    """The header of a file, of its first part. Raises FormatError for deep data and for lies."""
    file = FileBytes(data)
    (version,) = file.unpack(_VERSION, len(MAGIC), "the EXR header")
    if version & _DEEP:
        raise FormatError("EXR pictures must be flat, found deep data (several samples of a pixel)")
    attributes: dict[bytes, memoryview] = {}
    offset_B = len(MAGIC) + _VERSION.size
    while name := _text(data, offset_B):
        type_offset_B = offset_B + len(name) + 1
        size_offset_B = type_offset_B + len(_text(data, type_offset_B)) + 1
        (size_B,) = file.unpack(_SIZE, size_offset_B, "size of an EXR attribute")
        attributes[name] = file.part(size_offset_B + _SIZE.size, size_B, "an EXR attribute")
        offset_B = size_offset_B + _SIZE.size + size_B
    if not {b"displayWindow", b"dataWindow", b"compression", b"channels"} <= attributes.keys():
        raise FormatError("an EXR header must have a displayWindow, a dataWindow, a compression and channels")
    if any(attributes[name].nbytes != _WINDOW.size for name in (b"displayWindow", b"dataWindow")):
        raise FormatError(f"windows of an EXR header must have {_WINDOW.size} bytes")
    shown, stored = (_WINDOW.unpack(attributes[name]) for name in (b"displayWindow", b"dataWindow"))
    compression = int.from_bytes(attributes[b"compression"], "little")
    channels = _channels(attributes[b"channels"])
    is_plain = (
        not version & _NOT_SCANLINES
        and shown == stored
        and compression < len(_ROWS_OF_A_CHUNK)
        and set(channels) in _FFMPEG_CHANNELS
        and _UINT not in channels.values()
    )
    tiles = _TILES.unpack_from(attributes[b"tiles"]) if len(attributes.get(b"tiles", b"")) >= _TILES.size else None
    if version & _TILED and (tiles is None or 0 in tiles[:2]):
        raise FormatError("tiles of an EXR picture must have a size")
    if tiles is not None and tiles[0] * tiles[1] > (most_px := max(_LARGEST_TILE_PX, math.prod(_size_px(stored)))):
        raise FormatError(f"tiles of this EXR picture must have at most {most_px} pixels, found {tiles[0]}x{tiles[1]}")
    tiles = tiles if version & _TILED else None
    return ExrHeader(shown, stored, compression, channels, is_plain, tiles, has_parts(data), offset_B + 1)


def _channels(listed: memoryview) -> dict[str, int]:
    """Type by name."""
    found: dict[str, int] = {}
    file, offset_B = FileBytes(listed), 0
    while name := _text(listed, offset_B):
        offset_B += len(name) + 1
        kind, *steps = file.unpack(_CHANNEL, offset_B, "a channel of an EXR picture")
        if steps != [1, 1]:
            raise FormatError(f"channels of an EXR picture must have every pixel, found {name!r} with steps {steps}")
        found[name.decode(errors="replace")] = kind
        offset_B += _CHANNEL.size
    return found


def read_exr(data: Bytes, header: ExrHeader) -> tuple[Image, str]:
    """An image (height, width, channels) of float16 or float32, and its format; halves of RGB get an alpha of 1.

    Tiled pictures give their first level, files of several parts the first one; what the data window leaves of the
    display window is 0, what lies outside of that is dropped. Numbers of uint32 become floats.

    Raises FormatError if a chunk leaves the file, for channels that make no picture, and, unless the package OpenEXR is
    installed, for tiles, parts, windows and channels that FFmpeg does not read.
    """
    image, names = _read_plain(data, header) if header.is_plain else _read_with_openexr(data, header)
    if names == ("R", "G", "B") and image.dtype == np.float16:  # the sampler reads no three halves
        opaque = np.ones((*image.shape[:2], 1), image.dtype)
        image, names = np.concatenate([image, opaque], axis=2), (*names, "A")
    bits = 8 * image.dtype.itemsize
    return image, _FORMATS.get(names, "R{0}_FLOAT").format(bits)


def check_chunks(data: Bytes, header: ExrHeader) -> None:
    """Raise FormatError if a chunk leaves the file; FFmpeg reads them as far as they go; parts are not looked at."""
    chunks = chunk_count(header)
    if chunks is None:
        return
    file, chunk = FileBytes(data), _CHUNK if header.tiles is None else _TILE
    table = file.part(header.end_B, chunks * _OFFSET.size, "the chunk table of an EXR picture")
    for (offset_B,) in _OFFSET.iter_unpack(table):
        size_B = file.unpack(chunk, offset_B, "a chunk of an EXR picture")[-1]
        file.part(offset_B + chunk.size, size_B, "a chunk of an EXR picture")


def chunk_count(header: ExrHeader) -> int | None:
    """How many chunks the table has; None if that is not known."""
    if header.has_parts or header.compression >= len(_ROWS_OF_A_CHUNK):
        return None
    width, height = _size_px(header.stored)
    if header.tiles is None:
        return -(-height // _ROWS_OF_A_CHUNK[header.compression])
    tile_width, tile_height, mode = header.tiles
    levels, up = mode & 15, int(mode >> 4 > 0)
    if levels == _ONE_LEVEL:
        return -(-width // tile_width) * -(-height // tile_height)
    if levels == _RIPMAP:
        columns, rows = _level_sizes(width, width, up), _level_sizes(height, height, up)
        return sum(-(-size // tile_width) for size in columns) * sum(-(-size // tile_height) for size in rows)
    widths, heights = (_level_sizes(size, max(width, height), up) for size in (width, height))
    return sum(-(-w // tile_width) * -(-h // tile_height) for w, h in zip(widths, heights, strict=True))


def _level_sizes(size: int, largest: int, up: int) -> list[int]:
    """Of one side, for as many levels as the largest side has; halves are rounded ``up`` or down."""
    count = (largest - 1 if up else largest).bit_length() + up
    return [max(1, -(-size >> level) if up else size >> level) for level in range(count)]


def _read_plain(data: Bytes, header: ExrHeader) -> tuple[Image, tuple[str, ...]]:
    check_chunks(data, header)
    image = decode_still("exr", bytes(data))
    return image, ("Y",) if image.shape[2] == 1 else ("R", "G", "B", "A")[: image.shape[2]]


def _names(header: ExrHeader) -> tuple[str, ...]:
    """The channels that make the picture. Raises FormatError if there are none."""
    if len(header.channels) == 1:
        return tuple(header.channels)
    for names in _FORMATS:
        if set(names) <= header.channels.keys():
            return names
    found = " ".join(header.channels)
    raise FormatError(f"channels of an EXR picture must be R G B A, R G B, Y A, Y, R G or a single one, found {found}")


def _read_with_openexr(data: Bytes, header: ExrHeader) -> tuple[Image, tuple[str, ...]]:
    names = _names(header)
    try:
        import OpenEXR  # an extra, and only some files need it
    except ImportError:
        raise FormatError(
            "EXR pictures with tiles, several parts, a data window of its own or other channels than Y, RGB and RGBA "
            "need OpenEXR: pip install 'texsamp[exr]'"
        ) from None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "picture.exr")  # it reads files alone
        path.write_bytes(data)
        with hushed(folder), printed_words() as words:
            try:
                part = OpenEXR.File(str(path), separate_channels=True).parts[0]
                planes = [np.asarray(part.channels[name].pixels) for name in names]
            except Exception as error:  # RuntimeError, and whatever its readers come across
                reason = _reason(words or [str(error)], str(path)) or error
                raise FormatError(f"the EXR picture cannot be decoded: {reason}") from error
    halves = all(plane.dtype == np.float16 for plane in planes)
    return _in_window(planes, header, np.float16 if halves else np.float32), names


def _reason(words: list[str], path: str) -> str:
    """Why there are no pixels: OpenEXR prints that, and raises nothing. The file's name is a temporary one."""
    reason = words[-1].rpartition(" - ")[2]
    return reason.replace(f' from image file "{path}"', "").replace(f"'{path}'", "it").replace(path, "the file")


def _in_window(planes: list[np.ndarray[Any, Any]], header: ExrHeader, dtype: Any) -> Image:
    """The stored window's pixels where they are shown."""
    width_px, height_px = header.size_px
    image: Image = np.zeros((height_px, width_px, len(planes)), dtype)
    left, top = header.stored[0] - header.shown[0], header.stored[1] - header.shown[1]
    columns = _common(left, _size_px(header.stored)[0], width_px)
    rows = _common(top, _size_px(header.stored)[1], height_px)
    for channel, plane in enumerate(planes):
        if plane.shape != _size_px(header.stored)[::-1]:
            raise FormatError(f"a channel of an EXR picture has {plane.shape} pixels, not the data window's")
        seen = plane[rows.start - top : rows.stop - top, columns.start - left : columns.stop - left]
        image[rows, columns, channel] = seen
    return image


def _common(first: int, count: int, limit: int) -> slice:
    """Which of ``limit`` places ``count`` places from ``first`` on meet."""
    start = min(max(first, 0), limit)
    return slice(start, max(start, min(first + count, limit)))


def _text(data: Bytes, offset_B: int) -> bytes:  # noqa: N803 - the unit
    text, end, _ = bytes(memoryview(data)[offset_B : offset_B + _MAX_NAME_B]).partition(b"\0")
    if not end:
        raise FormatError(f"names in an EXR header must end within {_MAX_NAME_B} bytes")
    return text
