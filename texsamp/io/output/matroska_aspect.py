"""The shape of pixels in the header of Matroska and WebM, which PyAV has no way to give to FFmpeg's muxer.

Most codecs say it in their own stream too; FFV1, VP8, VP9, AV1 and raw video do not. A name of the video's track that
ends in blanks keeps the place, so that nothing behind the header moves.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from av.video.stream import VideoStream

_PLACE = " " * 40
_HEAD_B = 1 << 20  # enough for a file up to the end of its list of tracks
_MUXERS = frozenset(("matroska", "webm"))

_SEGMENT, _TRACKS, _TRACK, _VIDEO = b"\x18\x53\x80\x67", b"\x16\x54\xae\x6b", b"\xae", b"\xe0"
_NAME, _CRC, _VOID = b"\x53\x6e", b"\xbf", b"\xec"
_WIDTH, _HEIGHT = b"\xb0", b"\xba"
_SHOWN_WIDTH, _SHOWN_HEIGHT, _SHOWN_UNIT = b"\x54\xb0", b"\x54\xba", b"\x54\xb2"
_AS_RATIO = 3  # DisplayUnit: width and height shown are a ratio; WebM has pixels only


@dataclass(frozen=True)
class AspectInHeader:
    """The shape of pixels that goes into a header."""

    muxer: str
    aspect: Fraction

    @classmethod
    def of(cls, muxer: str, stream: VideoStream, aspect: Fraction | None) -> AspectInHeader | None:
        """That of a stream to be written, whose name gets the place; None for square pixels and other containers."""
        if muxer not in _MUXERS or aspect is None:
            return None
        stream.metadata["title"] = stream.metadata.get("title", "") + _PLACE
        return cls(muxer, aspect)

    def put(self, head: bytes) -> bytes:
        """The beginning of a file with the shape in it; as it is if it ends before the list of tracks does."""
        return with_aspect(head, self.aspect, self.muxer) or head

    def put_into(self, path: str) -> None:
        """Put it into a complete file. Raises OSError."""
        with open(path, "r+b") as file:
            head = self.put(file.read(_HEAD_B))
            file.seek(0)
            file.write(head)


def with_aspect(head: bytes, aspect: Fraction, muxer: str) -> bytes | None:
    """The beginning of a file of the same length whose video, if its track has the place, has pixels of that shape.

    None if the list of tracks is not complete in ``head``, or no track has the place.
    """
    for kind, begin, end in _elements(head, 0, len(head)):
        if kind == _SEGMENT:
            for inner, first, last in _elements(head, begin, min(end, len(head))):
                if inner == _TRACKS and last <= len(head):
                    tracks = _tracks(head[first:last], aspect, muxer)
                    return None if tracks is None else head[:first] + tracks + head[last:]
    return None


def _elements(data: bytes, place: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """The identifier of each element, and where its content begins and ends."""
    while place < end and data[place]:
        count = 9 - data[place].bit_length()
        kind, place = data[place : place + count], place + count
        if place >= end or not data[place]:
            return
        count = 9 - data[place].bit_length()
        size = int.from_bytes(data[place : place + count]) & ((1 << 7 * count) - 1)
        is_open = size == (1 << 7 * count) - 1  # a stream that cannot be sought does not tell how long it is
        place += count
        last = end if is_open else place + size
        yield kind, place, last
        place = last


def _tracks(data: bytes, aspect: Fraction, muxer: str) -> bytes | None:
    """The list of tracks of the same length with the shape in it, and its checksum anew."""
    for kind, begin, end in _elements(data, 0, len(data)):
        entry = _entry(data[begin:end], aspect, muxer) if kind == _TRACK else None
        if entry is not None:
            return _checked(data[:begin] + entry + data[end:])
    return None


def _checked(data: bytes) -> bytes:
    """The content of an element whose checksum, if it has one, is right."""
    if data[:1] != _CRC:
        return data
    return data[:2] + zlib.crc32(data[6:]).to_bytes(4, "little") + data[6:]


def _entry(data: bytes, aspect: Fraction, muxer: str) -> bytes | None:
    """A track's content with the shape in the place of its name's blanks; None without them."""
    parts = [(kind, data[begin:end]) for kind, begin, end in _elements(data, 0, len(data))]
    name = dict(parts).get(_NAME, b"")
    if not name.endswith(_PLACE.encode()):
        return None
    changed = {_NAME: name.removesuffix(_PLACE.encode())}
    changed[_VIDEO] = _video(dict(parts)[_VIDEO], aspect, muxer)
    kept = b"".join(_element(kind, changed.get(kind, content)) for kind, content in parts if changed.get(kind, b" "))
    blank = len(data) - len(kept) - 3
    return kept + _VOID + (0x4000 | blank).to_bytes(2) + bytes(blank)


def _video(data: bytes, aspect: Fraction, muxer: str) -> bytes:
    """A track's picture with the shape of its pixels."""
    parts = {kind: data[begin:end] for kind, begin, end in _elements(data, 0, len(data))}
    width, height = (int.from_bytes(parts[kind]) for kind in (_WIDTH, _HEIGHT))
    ratio = aspect * width / height
    shown = (round(width * aspect), height) if muxer == "webm" else (ratio.numerator, ratio.denominator)
    for kind, number in zip((_SHOWN_WIDTH, _SHOWN_HEIGHT), shown, strict=True):
        parts[kind] = number.to_bytes((number.bit_length() + 7) // 8)
    parts.pop(_SHOWN_UNIT, None)
    if muxer != "webm":
        parts[_SHOWN_UNIT] = bytes([_AS_RATIO])
    return b"".join(_element(kind, content) for kind, content in parts.items())


def _element(kind: bytes, content: bytes) -> bytes:
    size = len(content)
    count = 1 if size < 0x7F else 2 if size < 0x3FFF else 4
    return kind + (size | 1 << 7 * count).to_bytes(count) + content
