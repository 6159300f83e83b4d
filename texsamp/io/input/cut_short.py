"""Files that end early without a word from FFmpeg: what their own bytes say."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from io import BufferedReader

from texsamp.errors import FormatError
from texsamp.io.input.nut_end import nut_end
from texsamp.io.textures.exr import check_chunks, read_exr_header

_SUN_HEADER = struct.Struct(">4xIIIIIII")
"""Width, height, bits of a pixel, bytes of the samples (old files: 0), type, type and bytes of the map."""

_GIF_HEADER_B, _GIF_TABLE_FLAG, _GIF_TABLE_SIZE = 13, 0x80, 7
_GIF_EXTENSION, _GIF_IMAGE, _GIF_TRAILER = 0x21, 0x2C, 0x3B


def _exr(data: bytes) -> bool:
    try:
        check_chunks(data, read_exr_header(data))
    except FormatError:
        return True
    return False


def _sun(data: bytes) -> bool:
    if len(data) < _SUN_HEADER.size:
        return True
    *_, samples_B, _, _, map_B = _SUN_HEADER.unpack_from(data)
    return bool(len(data) < _SUN_HEADER.size + map_B + samples_B)


_TS_PACKETS, _TS_SYNC = ((188, 0), (192, 4), (204, 0)), b"\x47"
"""Bytes of a packet (alone, behind a time stamp, before a check) and the place of the first that says so."""
_TS_SURE = 5
"""Packets at the beginning that must be in step: random bytes are so once in 10^12."""
_OGG_SYNC, _OGG_HEADER_B, _OGG_LARGEST_B = b"OggS\0", 27, 65307


_PICTURES: dict[str, Callable[[bytes], bool]] = {
    "exr": _exr,  # chunks that the file does not have
    "qoi": lambda data: not data.endswith(b"\0\0\0\0\0\0\0\1"),
    "jpegls": lambda data: not data.rstrip(b"\0").endswith(b"\xff\xd9"),
    "sunrast": _sun,
}
"""By codec: whether a packet, which is a whole picture's file, ends early. Their decoders draw what there is."""


def is_checked(codec: str) -> bool:
    """Whether `complaints` knows a codec."""
    return codec in _PICTURES


def complaints(codec: str, data: bytes) -> list[str]:
    """What is wrong with a picture, as its decoder would say it."""
    return ["the picture ends early"] if data and _PICTURES[codec](data) else []


def early_end(container: str, path: str, packet_B: int) -> str | None:  # noqa: N803 - the unit
    """In words, how a file ends before it should; None if it does not, or nobody knows. ``packet_B`` is a picture's."""
    if not os.path.isfile(path):  # a URL
        return None
    if container == "dv" and packet_B:
        rest_B = os.path.getsize(path) % packet_B
        return f"its last picture has {rest_B} of {packet_B} bytes" if rest_B else None
    if (look := _FILES.get(container)) is None:
        return None
    with open(path, "rb") as file:
        return look(file)


def _gif(file: BufferedReader) -> str | None:
    return None if _gif_is_whole(file) else "it has no trailer"


def _transport_stream(file: BufferedReader) -> str | None:
    """Packets of one size from the first byte on; one that is not all there begins as the others do."""
    size_B = file.seek(0, os.SEEK_END)
    for packet_B, sync_at in _TS_PACKETS:
        rest_B = size_B % packet_B
        places = [*range(sync_at, _TS_SURE * packet_B, packet_B), size_B - rest_B - packet_B + sync_at]
        if rest_B <= sync_at or size_B < _TS_SURE * packet_B:
            continue
        if all(_bytes_at(file, at, 1) == _TS_SYNC for at in (*places, size_B - rest_B + sync_at)):
            return f"its last packet has {rest_B} of {packet_B} bytes"
    return None


def _ogg(file: BufferedReader) -> str | None:
    """Pages say how long they are: those near the end lead to the end of the file, or beyond it."""
    size_B = file.seek(0, os.SEEK_END)
    start = max(0, size_B - 2 * _OGG_LARGEST_B)
    tail = _bytes_at(file, start, size_B - start)
    cut_B: int | None = None
    at = tail.find(_OGG_SYNC)
    while at >= 0:
        page, pages = at, 0
        while tail.startswith(_OGG_SYNC, page) and (length := _ogg_page_length(tail, page)) is not None:
            last, page, pages = page, page + length, pages + 1
        if page == len(tail):
            return None
        if pages > 1 and page > len(tail):
            cut_B = len(tail) - last
        at = tail.find(_OGG_SYNC, at + 1)
    return None if cut_B is None else f"its last page has {cut_B} bytes, and not all that it should"


def _ogg_page_length(data: bytes, at: int) -> int | None:
    """How long a page says that it is; None if its header is not all there."""
    table = at + _OGG_HEADER_B
    if table > len(data) or table + data[table - 1] > len(data):
        return None
    return _OGG_HEADER_B + data[table - 1] + sum(data[table : table + data[table - 1]])


def _bytes_at(file: BufferedReader, at: int, count: int) -> bytes:
    file.seek(at)
    return file.read(count)


_FILES: dict[str, Callable[[BufferedReader], str | None]] = {
    "gif": _gif,
    "mpegts": _transport_stream,
    "nut": nut_end,
    "ogg": _ogg,
}
"""By container: in words, how it ends early."""


def _gif_is_whole(file: BufferedReader) -> bool:
    """Whether the blocks of a GIF lead to its trailer."""

    def byte(at: int) -> int:
        file.seek(at)
        return file.read(1)[0]

    try:
        at = _after_table(_GIF_HEADER_B, byte(_GIF_HEADER_B - 3))
        while (kind := byte(at)) != _GIF_TRAILER:
            if kind == _GIF_EXTENSION:
                at += 2
            elif kind == _GIF_IMAGE:
                at = _after_table(at + 10, byte(at + 9)) + 1
            else:
                return False
            while size := byte(at):
                at += size + 1
            at += 1
    except IndexError:
        return False
    return True


def _after_table(at: int, flags: int) -> int:
    """The place behind a table of colors, if the flags have one."""
    return at + (3 * (2 << (flags & _GIF_TABLE_SIZE)) if flags & _GIF_TABLE_FLAG else 0)
