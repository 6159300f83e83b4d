"""Frames out as YUV4MPEG2, see `y4m`."""

from __future__ import annotations

import contextlib
import sys
from fractions import Fraction

import numpy as np

from texsamp.errors import MediaError
from texsamp.io.frames.av_frame import picture_of, seconds
from texsamp.io.frames.convert import conversion_note
from texsamp.io.input.reader import VideoReader
from texsamp.io.input.y4m import INTERLACE, MAGIC, Header
from texsamp.io.output.encode_request import EncodeRequest, refuse_lossy
from texsamp.io.output.plan import READER_LEFT, OutputPlan, stream_fates
from texsamp.io.output.rate import output_frame_rate
from texsamp.io.textures.color_profile import PROFILE_LOST
from texsamp.surface.pixel_layout import PIXEL_LAYOUTS, PixelLayout
from texsamp.video.conversion import convert
from texsamp.video.frame import Frame

_TAG_OF_LAYOUT = {
    "yuv422p": "422",
    "yuv444p": "444",
    "gray": "mono",
    "yuv420p10le": "420p10 XYSCSS=420P10",
    "yuv422p10le": "422p10 XYSCSS=422P10",
    "yuv444p10le": "444p10 XYSCSS=444P10",
    "gray10le": "mono10",
}
_TAG_OF_420 = {1: "420mpeg2", 3: "420paldv"}

HOLDS = ("yuv420p", *_TAG_OF_LAYOUT)
"""Layouts that y4m holds as they are."""


def format_header(header: Header) -> bytes:
    """The stream header line, with its newline, of a stream in one of the layouts in `HOLDS`."""
    rate, aspect = header.frame_rate or Fraction(25), header.sample_aspect
    tag = _TAG_OF_LAYOUT.get(header.pix_fmt) or _TAG_OF_420.get(header.chroma_location, "420jpeg")
    letter = next(k for k, v in INTERLACE.items() if v == header.interlace)
    words = [
        f"W{header.width_px}",
        f"H{header.height_px}",
        f"F{rate.numerator}:{rate.denominator}",
        f"I{letter}",
        f"A{aspect.numerator}:{aspect.denominator}" if aspect else "A0:0",
        f"C{tag}",
    ]
    if header.full_range is not None:
        words.append(f"XCOLORRANGE={'FULL' if header.full_range else 'LIMITED'}")
    return MAGIC + b" " + " ".join(words).encode() + b"\n"


class Y4mSink:
    """Writes frames as y4m to a file, or to standard output for a path of None; the header follows from the first."""

    def __init__(self, path: str | None, where: str, request: EncodeRequest, reader: VideoReader | None = None) -> None:
        if request.names_options:
            options = f"{where}: y4m is uncompressed: {', '.join(request.names_options)} cannot be given"
            other = "; --format mkv makes it Matroska (in Python format='mkv')" if path is None else ""
            raise MediaError(f"{options}{other}")
        if request.pix_fmt is not None and request.pix_fmt not in HOLDS:
            raise MediaError(f"{where}: y4m is written as {', '.join(HOLDS)}, found {request.pix_fmt!r}")
        self.notes: list[str] = []
        self._where, self._request, self._reader = where, request, reader
        # Not sys.stdout.buffer: on exit Python waits for its lock, which a thread writing to a full pipe keeps.
        target = sys.stdout.fileno() if path is None else path
        self._stream = open(target, "wb", closefd=path is not None)  # noqa: SIM115 - closed by abort()
        self._rate = Fraction(25)
        self._header: Header | None = None
        self._layout = PIXEL_LAYOUTS["yuv420p"]
        self._first_s = Fraction(0)
        self._count = 0
        if reader is not None and reader.color_profile is not None:
            self.note(PROFILE_LOST)
        if reader is not None and len(reader.info.streams) > 1:
            kinds = [s.kind for s in reader.info.streams if s.index != reader.info.video_index]
            counted = ", ".join(f"{kinds.count(kind)} {kind}" for kind in sorted(set(kinds)))
            self.note(f"y4m holds one video stream: other streams are dropped ({counted})")

    def note(self, text: str) -> None:
        """Tell people something, once."""
        if text not in self.notes:
            self.notes.append(text)

    def _start(self, frame: Frame) -> Header:
        self._rate = self._request.frame_rate or output_frame_rate(frame, self._reader)
        self._layout = PIXEL_LAYOUTS[self._request.pix_fmt] if self._request.pix_fmt else holding_layout(frame.layout)
        if self._request.lossless and self._request.pix_fmt:
            refuse_lossy(self._request.pix_fmt, picture_of(frame).format.name)
        if self._layout is not frame.layout:
            self.note(f"{conversion_note(picture_of(frame).format.name, self._layout.name)} for y4m")
            if self._request.lossless and frame.layout.model != self._layout.model:
                raise MediaError(f"{self._where}: y4m cannot hold {frame.layout.name} without loss")
        if (frame.color.matrix, frame.color.primaries, frame.color.transfer) != (2, 2, 2):
            self.note("y4m cannot hold color matrix, primaries and transfer: they are dropped")
        if frame.hdr is not None:
            self.note("y4m cannot hold HDR metadata: it is dropped")
        self._first_s = seconds(frame.pts, frame.time_base) or Fraction(0)
        if frame.interlaced and frame.top_field_first is None:
            self.note("the field order is unknown: top field first is written")
        return Header(
            width_px=frame.width_px,
            height_px=frame.height_px,
            pix_fmt=self._layout.name,
            chroma_location=frame.color.chroma_location,
            frame_rate=self._rate,
            sample_aspect=frame.sample_aspect,
            interlace=_interlacing(frame),
            full_range=False if frame.layout.model == "rgb" else frame.color.full_range,
        )

    def plan(self, frame: Frame) -> OutputPlan:
        """What would be written of a first frame."""
        header = self._start(frame)
        streams = stream_fates(None if self._reader is None else self._reader.info, {})
        size = (frame.width_px, frame.height_px)
        return OutputPlan(self._where, "yuv4mpegpipe", "rawvideo", header.pix_fmt, *size, self._rate, {}, streams)

    def write(self, frame: Frame) -> None:
        """Append a frame in CPU memory. Raises MediaError if its size changes or the pipe is closed."""
        if self._header is None:
            self._header = self._start(frame)
            self._send(format_header(self._header))
        header = self._header
        if (frame.width_px, frame.height_px) != (header.width_px, header.height_px):
            raise MediaError(
                f"{self._where}: frame {self._count} is {frame.width_px}x{frame.height_px}, "
                f"the file is {header.width_px}x{header.height_px}: scale to one size"
            )
        self._check_time(frame)
        if _interlacing(frame) != header.interlace:
            self.note(
                f"y4m holds one field order ({header.interlace}): "
                f"from frame {self._count} on it would be {_interlacing(frame)}"
            )
        self._send(b"FRAME\n")
        for plane in convert(frame, self._layout).to_arrays():
            self._send(np.ascontiguousarray(plane).data)
        self._count += 1

    def _check_time(self, frame: Frame) -> None:
        """Note once when time stamps leave the constant rate by more than half a frame."""
        time = seconds(frame.pts, frame.time_base)
        due = self._first_s + self._count / self._rate
        if time is not None and abs(time - due) * self._rate > Fraction(1, 2):
            self.note("y4m holds a constant frame rate: time stamps are not kept")

    def _send(self, data: bytes | memoryview) -> None:
        try:
            self._stream.write(data)
        except OSError as error:
            raise self._failure(error) from error

    def _failure(self, error: OSError) -> MediaError:
        if isinstance(error, BrokenPipeError):
            return MediaError(f"{self._where}: {READER_LEFT}")
        return MediaError(f"{self._where}: cannot be written: {error.strerror}")

    def finish(self) -> None:
        """All frames are written: complete the file."""
        if self._header is None:
            raise MediaError(f"{self._where}: no frame to write")
        try:
            self._stream.flush()
        except OSError as error:
            raise self._failure(error) from error
        self.abort()

    def abort(self) -> None:
        """Release the file; standard output stays open."""
        with contextlib.suppress(OSError):
            self._stream.close()


def _interlacing(frame: Frame) -> str:
    if not frame.interlaced:
        return "progressive"
    return "bff" if frame.top_field_first is False else "tff"


def holding_layout(layout: PixelLayout) -> PixelLayout:
    """The layout y4m can hold that keeps a layout's samples, or for RGB full chroma."""
    if layout.name in HOLDS:
        return layout
    suffix = "10le" if layout.bits > 8 else ""
    if layout.model == "rgb":
        return PIXEL_LAYOUTS[f"yuv444p{suffix}"]
    subsampling = {(1, 1): "yuv420p", (1, 0): "yuv422p", (0, 0): "yuv444p"}
    return PIXEL_LAYOUTS[subsampling[layout.log2_chroma_width, layout.log2_chroma_height] + suffix]
