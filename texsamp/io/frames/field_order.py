"""Which field of a picture comes first, and how many are repeated: what PyAV does not say about a frame."""

from __future__ import annotations

import av

from texsamp.io.frames.picture_graph import PictureGraph

_START_CODE_EXTENSION = b"\x00\x00\x01\xb5"
_SEQUENCE_EXTENSION, _PICTURE_CODING_EXTENSION = 1, 8
_FRAME_PICTURE = 3

CODECS_WITH_REPEAT_FLAGS = frozenset({"h264", "hevc", "vc1", "wmv3", "cavs"})
"""Codecs whose repeat flags lie where packets do not show them without parsing the whole sequence header."""

CODECS_WITH_FIELD_FLAGS = CODECS_WITH_REPEAT_FLAGS | {"mpeg1video", "mpeg2video", "mpeg4", "dvvideo", "prores", "dnxhd"}
"""Codecs whose decoder flags interlaced frames one by one; the others leave it to the container."""


class FieldOrderProbe:
    """Tells whether the top field of an interlaced picture comes first.

    FFmpeg's `select` filter knows the flag that PyAV has no accessor for; it passes references, not copies.
    """

    def __init__(self) -> None:
        self._select = PictureGraph(("select", r"eq(interlace_type\,TOPFIRST)"))

    def top_field_first(self, picture: av.VideoFrame) -> bool:
        """For a picture with its interlaced flag set."""
        return self._select.send(picture) is not None


class FieldStamp:
    """Sets the flags of pictures to one field order ("tff", "bff" or "prog"), for encoders that read them."""

    def __init__(self, order: str) -> None:
        self._setfield = PictureGraph(("setfield", order))

    def apply(self, picture: av.VideoFrame) -> av.VideoFrame:
        """The same picture with the flags set; time stamps are to be set afterwards."""
        result = self._setfield.send(picture)
        assert result is not None
        return result


class Mpeg2Flags:
    """The repeat flags of MPEG-2 packets (ISO/IEC 13818-2, 6.2.2.3 and 6.2.3.1)."""

    def __init__(self, extradata: bytes) -> None:
        self._progressive_sequence = False
        self._read_sequence(extradata)

    def _read_sequence(self, data: bytes) -> None:
        extension = _find_extension(data, _SEQUENCE_EXTENSION)
        if len(extension) >= 2:
            self._progressive_sequence = bool(extension[1] & 0x08)

    def read(self, packet: bytes) -> tuple[int, bool] | None:
        """Extra fields to show and top_field_first of the packet's picture, or None if the packet does not say."""
        self._read_sequence(packet)
        extension = _find_extension(packet, _PICTURE_CODING_EXTENSION)
        if len(extension) < 5:
            return None
        top_first, repeat_first = bool(extension[3] & 0x80), bool(extension[3] & 0x02)
        progressive = bool(extension[4] & 0x80)
        if not repeat_first or extension[2] & 3 != _FRAME_PICTURE:
            return 0, top_first
        if self._progressive_sequence:
            return 4 if top_first else 2, top_first
        return int(progressive), top_first


def _find_extension(data: bytes, kind: int) -> bytes:
    """The first bytes of an extension of one kind, or nothing."""
    at = data.find(_START_CODE_EXTENSION)
    while at >= 0:
        body = data[at + 4 : at + 9]
        if body and body[0] >> 4 == kind:
            return body
        at = data.find(_START_CODE_EXTENSION, at + 4)
    return b""


def display_field_order(field_order: int, container: str) -> bool | None:
    """Whether a stream's field order (FFmpeg's AVFieldOrder) shows the top field first; None if not interlaced.

    Its TB and BT name what is displayed last, but MOV and Matroska mean the first by their codes 9 and 14 for them
    (CoreMedia's "spatial first line early", Matroska's "tff interleaved"), and so do ffmpeg and other writers.
    """
    names_first = container.startswith(("mov", "matroska"))
    return {2: True, 3: False, 4: names_first, 5: not names_first}.get(field_order)
