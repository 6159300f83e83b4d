"""YUV4MPEG2: uncompressed video for pipes, in 8 and 10 bits, with field order, aspect and range.

The format is the one of mjpegtools' yuv4mpeg(5), with the high bit depth tags and XCOLORRANGE that FFmpeg writes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from io import BufferedIOBase
from typing import Any, cast

import av
import numpy as np

from texsamp.device import get_device
from texsamp.errors import MediaError
from texsamp.io.frames.av_frame import frame_of, plane_view
from texsamp.io.frames.convert import conversion_note, nearest_layout
from texsamp.io.input.stream_info import StreamInfo, StreamSummary
from texsamp.video.frame import ColorTags, Frame

MAGIC = b"YUV4MPEG2"

MAX_HEADER_B = 4096
MAX_SIDE_PX = 32768
MAX_FRAME_B = 1 << 30
_MAX_RATE_TERM = (1 << 31) - 1

PIX_FMTS: dict[str, tuple[str, int]] = {
    "420": ("yuv420p", 2),
    "420jpeg": ("yuv420p", 2),
    "420mpeg2": ("yuv420p", 1),
    "420paldv": ("yuv420p", 3),
    "411": ("yuv411p", 0),
    "422": ("yuv422p", 0),
    "444": ("yuv444p", 0),
    "444alpha": ("yuva444p", 0),
    "mono": ("gray", 0),
    **{f"420p{bits}": (f"yuv420p{bits}le", 0) for bits in (9, 10, 12, 14, 16)},
    **{f"422p{bits}": (f"yuv422p{bits}le", 0) for bits in (9, 10, 12, 14, 16)},
    **{f"444p{bits}": (f"yuv444p{bits}le", 0) for bits in (9, 10, 12, 14, 16)},
    **{f"mono{bits}": (f"gray{bits}le", 0) for bits in (9, 10, 12, 16)},
}
"""Color space tags, the pixel format each is, and its chroma location (FFmpeg's code point)."""

INTERLACE = {"p": "progressive", "t": "tff", "b": "bff", "m": "mixed", "?": "unknown"}
"""Interlacing letters of the stream header."""

_PRESENTATION: dict[str, tuple[bool | None, int]] = {
    "t": (True, 0),
    "T": (True, 1),
    "b": (False, 0),
    "B": (False, 1),
    "1": (None, 0),
    "2": (None, 2),
    "3": (None, 4),
}
"""First character of a frame's I parameter: top field first, and fields shown again."""


@dataclass(frozen=True)
class Header:
    """A stream header. ``pix_fmt`` is FFmpeg's name."""

    width_px: int
    height_px: int
    pix_fmt: str = "yuv420p"
    chroma_location: int = 2
    frame_rate: Fraction | None = None
    sample_aspect: Fraction | None = None
    interlace: str = "progressive"
    full_range: bool | None = None


def _ratio(name: str, text: str, where: str) -> Fraction | None:
    parts = text.split(":")
    if len(parts) != 2 or not all(p.isascii() and p.isdigit() and len(p) <= 10 for p in parts):
        raise MediaError(f"{where}: y4m header field {name} must be two numbers N:D, found {text[:40]!r}")
    upper, lower = map(int, parts)
    if max(upper, lower) > _MAX_RATE_TERM:
        raise MediaError(f"{where}: y4m header field {name} is limited to {_MAX_RATE_TERM}, found {text!r}")
    return Fraction(upper, lower) if upper and lower else None


def _side(name: str, text: str, where: str) -> int:
    value = int(text) if text.isascii() and text.isdigit() and len(text) <= 10 else 0
    if not 1 <= value <= MAX_SIDE_PX:
        raise MediaError(f"{where}: y4m {name} must be 1 to {MAX_SIDE_PX}, found {text[:40]!r}")
    return value


def parse_header(line: bytes, where: str) -> Header:
    """Read a stream header line without its newline. Raises MediaError naming the field and what it holds."""
    words = line.decode("latin-1").split(" ")
    if words[0].encode("latin-1") != MAGIC:
        raise MediaError(f"{where}: not a YUV4MPEG2 stream, it starts with {line[:16]!r}")
    fields: dict[str, Any] = {}
    seen: set[str] = set()
    for word in filter(None, words[1:]):
        name, text = word[0], word[1:]
        field = "XCOLORRANGE" if word.startswith("XCOLORRANGE=") else name
        if field in seen and field != "X":  # other comments may repeat
            raise MediaError(f"{where}: y4m header gives {field} twice, the second time {text[:40]!r}")
        seen.add(field)
        if name == "W":
            fields["width_px"] = _side("width", text, where)
        elif name == "H":
            fields["height_px"] = _side("height", text, where)
        elif name == "F":
            fields["frame_rate"] = _ratio("F (frame rate)", text, where)
        elif name == "A":
            fields["sample_aspect"] = _ratio("A (sample aspect)", text, where)
        elif name == "I":
            if text not in INTERLACE:
                raise MediaError(f"{where}: y4m interlacing must be one of p t b m ?, found {text[:40]!r}")
            fields["interlace"] = INTERLACE[text]
        elif name == "C":
            if text not in PIX_FMTS:
                raise MediaError(f"{where}: y4m color space {text[:40]!r} is not one of {', '.join(PIX_FMTS)}")
            fields["pix_fmt"], fields["chroma_location"] = PIX_FMTS[text]
        elif word.startswith("XCOLORRANGE="):
            fields["full_range"] = {"FULL": True, "LIMITED": False}.get(word.partition("=")[2])
    for name, key in (("width", "width_px"), ("height", "height_px")):
        if key not in fields:
            raise MediaError(f"{where}: y4m header has no {name}")
    return Header(**fields)


def _plane_shapes(pix_fmt: str, width_px: int, height_px: int) -> tuple[list[tuple[int, int]], np.dtype[Any]]:
    """Shape (rows, columns) of each plane of a planar format, and the type of its samples."""
    form = av.VideoFormat(pix_fmt, width_px, height_px)
    dtype = np.dtype("<u2" if form.components[0].bits > 8 else np.uint8)
    shapes = []
    for part in form.components:
        chroma = part.is_chroma
        columns = -(-width_px * form.chroma_width(16) // 16) if chroma else width_px
        rows = -(-height_px * form.chroma_height(16) // 16) if chroma else height_px
        shapes.append((rows, columns))
    return shapes, dtype


class Y4mSource:
    """A y4m file or pipe as frames."""

    def __init__(self, stream: BufferedIOBase, path: str) -> None:
        self.path = path
        self.notes: list[str] = []
        self.display_matrix: tuple[int, ...] | None = None
        self.color_profile: bytes | None = None
        self.field_remedy: tuple[str, str] | None = None
        self._stream = stream
        self._header = header = parse_header(self._line("stream header"), path)
        self._shapes, self._dtype = _plane_shapes(header.pix_fmt, header.width_px, header.height_px)
        self._frame_B = sum(rows * columns for rows, columns in self._shapes) * self._dtype.itemsize
        if self._frame_B > MAX_FRAME_B:
            raise MediaError(f"{path}: a y4m frame is limited to {MAX_FRAME_B} bytes, found {self._frame_B}")
        self._layout = nearest_layout(header.pix_fmt)
        if header.pix_fmt != self._layout.name:
            self.notes.append(conversion_note(header.pix_fmt, self._layout.name))
        if header.frame_rate is None:
            self.notes.append("the y4m header gives no frame rate: 25 frames per second are assumed")
        rate = header.frame_rate or Fraction(25)
        frames = self._frames_in_file()
        self._color = ColorTags(full_range=header.full_range, chroma_location=header.chroma_location)
        self.info = StreamInfo(
            path=path,
            container="yuv4mpegpipe",
            codec="rawvideo",
            pix_fmt=header.pix_fmt,
            width_px=header.width_px,
            height_px=header.height_px,
            frame_rate=rate,
            time_base=1 / rate,
            duration_s=frames / rate if frames else None,
            frame_count=frames,
            sample_aspect=header.sample_aspect,
            field_order="unknown" if header.interlace == "mixed" else header.interlace,
            color=self._color,
            streams=(StreamSummary(0, "video", "rawvideo"),),
        )

    def _frames_in_file(self) -> int | None:
        """Frames that a regular file has room for, if its frame headers carry no parameters."""
        try:
            size = os.fstat(self._stream.fileno()).st_size
            body_B = size - self._stream.tell()
        except (OSError, ValueError):  # a pipe
            return None
        return max(body_B, 0) // (self._frame_B + len(b"FRAME\n")) or None

    def _line(self, what: str) -> bytes:
        """One line without its newline; empty at the end of the stream."""
        line = self._stream.readline(MAX_HEADER_B + 1)
        if line.endswith(b"\n"):
            return line[:-1]
        if len(line) > MAX_HEADER_B:
            self._check_magic(line, what)
            raise MediaError(f"{self.path}: a y4m {what} is limited to {MAX_HEADER_B} bytes, found more")
        if line or what == "stream header":
            self._check_magic(line, what)
            raise MediaError(f"{self.path}: ends inside a y4m {what}, found {line[:40]!r}")
        return b""

    def _check_magic(self, line: bytes, what: str) -> None:
        if what == "stream header" and not line.startswith(MAGIC):
            parse_header(line, self.path)  # says that this is no y4m

    def frames(self, start_s: Fraction | None = None) -> Iterator[Frame]:
        """Read all frames; the caller skips those before the start."""
        index = 0
        while line := self._line("frame header"):
            yield self._frame(line, index)
            index += 1

    def _frame(self, line: bytes, index: int) -> Frame:
        words = line.decode("latin-1").split(" ")
        if words[0] != "FRAME":
            raise MediaError(f"{self.path}: y4m frame {index} must begin with FRAME, found {line[:16]!r}")
        interlaced, top_first, repeat = self._fields(next((w[1:] for w in words[1:] if w[:1] == "I"), ""), index)
        planes = self._read_planes(index)
        header = self._header
        properties: dict[str, Any] = {
            "pts": index,
            "duration": 1,
            "time_base": self.info.time_base,
            "interlaced": interlaced,
            "top_field_first": top_first,
            "repeat_fields": repeat,
            "sample_aspect": header.sample_aspect,
        }
        if header.pix_fmt == self._layout.name:
            size = (header.width_px, header.height_px)
            return Frame(self._layout, *size, tuple(planes), get_device("cpu"), color=self._color, **properties)
        picture = av.VideoFrame(header.width_px, header.height_px, header.pix_fmt)
        for plane, samples in zip(picture.planes, planes, strict=True):
            plane_view(plane, samples.shape, samples.dtype)[...] = samples
        picture.color_range = 0 if header.full_range is None else 1 + header.full_range
        return frame_of(picture, self._layout, color=self._color, **properties)

    def _fields(self, parameter: str, index: int) -> tuple[bool, bool | None, int | None]:
        if parameter:
            if parameter[0] not in _PRESENTATION or parameter[1:2] not in ("p", "i"):
                raise MediaError(f"{self.path}: y4m frame {index} has unknown interlacing {parameter[:8]!r}")
            top_first, repeat = _PRESENTATION[parameter[0]]
            return parameter[1] == "i", top_first, repeat
        if self._header.interlace == "mixed":
            raise MediaError(f"{self.path}: y4m frame {index} of a mixed stream does not say how it is interlaced")
        top_first_or_none = {"tff": True, "bff": False}.get(self._header.interlace)
        return top_first_or_none is not None, top_first_or_none, 0

    def _read_planes(self, index: int) -> list[np.ndarray[Any, np.dtype[Any]]]:
        data = np.empty(self._frame_B, np.uint8)
        view, filled = memoryview(cast(bytes, data)), 0
        while filled < self._frame_B:
            got = self._stream.readinto(view[filled:])
            if not got:
                raise MediaError(
                    f"{self.path}: ends inside y4m frame {index}: {self._frame_B} bytes are needed, found {filled}"
                )
            filled += got
        data.flags.writeable = False
        samples = data.view(self._dtype)
        planes, at = [], 0
        for rows, columns in self._shapes:
            planes.append(samples[at : at + rows * columns].reshape(rows, columns))
            at += rows * columns
        return planes

    def end(self, end_s: Fraction | None) -> None:
        """No more frames are wanted."""
        self.close()

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()
