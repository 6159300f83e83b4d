"""The decoding side of PyAV: a file's video stream as frames."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

import av
import numpy as np
from av.sidedata.sidedata import SideData
from av.stream import Stream

from texsamp.errors import MediaError
from texsamp.io.av_frame import frame_of, seconds, tags_of
from texsamp.io.continuous_time import ContinuousTime
from texsamp.io.convert import SAME_BYTES, conversion_note, nearest_layout
from texsamp.io.ffmpeg_log import captured_log, chroma_location, failure_reason
from texsamp.io.field_order import (
    CODECS_WITH_FIELD_FLAGS,
    CODECS_WITH_REPEAT_FLAGS,
    FieldOrderProbe,
    Mpeg2Flags,
    display_field_order,
)
from texsamp.io.stream_info import StreamInfo, StreamSummary
from texsamp.surface.pixel_layout import PixelLayout
from texsamp.video.frame import Frame

_ATTACHED_PICTURE = 1024
"""FFmpeg's AV_DISPOSITION_ATTACHED_PIC: a cover image, not a video."""

_SIDE_DATA_NOT_CARRIED = {
    "MASTERING_DISPLAY_METADATA": "HDR mastering display metadata",
    "CONTENT_LIGHT_LEVEL": "HDR content light level",
    "DYNAMIC_HDR_PLUS": "HDR10+ metadata",
    "DOVI_RPU_BUFFER": "Dolby Vision metadata",
    "A53_CC": "closed captions inside the video",
    "FILM_GRAIN_PARAMS": "film grain parameters",
}
"""Frame side data that a viewer would miss and that PyAV cannot hand to an encoder."""

_MAX_SIZE_PX = 32768

_DEMUXERS_WITH_DECLARED_DURATION = frozenset({"matroska,webm", "mov,mp4,m4a,3gp,3g2,mj2", "avi"})
"""Their duration is a field of the file; FFmpeg estimates that of others from what the file holds."""

_MISSING_S = Fraction(1, 4)
"""How much earlier than declared a stream may end: the length of a last frame is not always stored."""


def url_of(path: str) -> str:
    """The path as FFmpeg takes it: a colon in a file name is not a protocol."""
    return path if "://" in path else f"file:{path}"


def open_container(path: str) -> av.container.InputContainer:
    """Open an input file. Raises MediaError naming it."""
    if os.path.isdir(path):
        raise MediaError(f"{path}: is a directory")
    try:
        return av.open(url_of(path), metadata_errors="replace")
    except FileNotFoundError as error:
        raise MediaError(f"{path}: no such file") from error
    except (av.FFmpegError, OSError, ValueError) as error:
        if os.path.isfile(path) and not os.path.getsize(path):
            raise MediaError(f"{path}: the file is empty") from error
        raise MediaError(f"{path}: cannot be opened: {_reason_not_to_open(path, error)}") from error


def _reason_not_to_open(path: str, failure: Exception) -> str:
    """FFmpeg's words for a failure: it fails again with the log on, which would slow down files that open."""
    with captured_log(av.logging.ERROR) as log, contextlib.suppress(av.FFmpegError, OSError, ValueError):
        av.open(url_of(path)).close()
    return failure_reason(failure, log)


def is_cover(stream: Stream) -> bool:
    """Whether a stream is a cover picture."""
    return bool(int(stream.disposition) & _ATTACHED_PICTURE)


def codec_of(stream: Stream) -> str:
    """FFmpeg's name of a stream's codec, "none" if it has none."""
    context = cast(av.CodecContext | None, stream.codec_context)  # None without a decoder, whatever the stubs say
    return str(getattr(stream, "name", None) or "none") if context is None else context.codec.canonical_name


def _video_stream(container: av.container.InputContainer, path: str) -> av.video.stream.VideoStream:
    candidates = [s for s in container.streams.video if not is_cover(s)]
    if not candidates:
        kinds = ", ".join(sorted({s.type for s in container.streams})) or "nothing"
        raise MediaError(f"{path}: no video stream (found {kinds})")
    best = container.streams.best("video")
    chosen = next((s for s in candidates if best is not None and s.index == best.index), candidates[0])
    if chosen.codec_context is None:
        raise MediaError(f"{path}: FFmpeg has no decoder for its video stream")
    return chosen


def _positive(value: Fraction | None) -> Fraction | None:
    return Fraction(value) if value else None


class AvSource:
    """A container opened for its video frames. Every method runs on the thread that first iterates ``frames``."""

    def __init__(self, path: str, threads: int | None) -> None:
        self.path = path
        self.notes: list[str] = []
        self.display_matrix: tuple[int, ...] | None = None
        self._threads = threads
        self._is_damaged = False
        self._container = open_container(path)
        try:
            self._stream = _video_stream(self._container, path)
            self.info = self._describe()
        except BaseException:
            self._container.close()
            raise

    def _describe(self) -> StreamInfo:
        stream, container = self._stream, self._container
        context = stream.codec_context
        if not context.pix_fmt or not 0 < context.width <= _MAX_SIZE_PX or not 0 < context.height <= _MAX_SIZE_PX:
            raise MediaError(
                f"{self.path}: its video stream ({codec_of(stream)}) cannot be read: "
                f"found {context.width}x{context.height} {context.pix_fmt or 'of unknown pixel format'}"
            )
        rate = _positive(stream.guessed_rate) or _positive(stream.average_rate)
        duration = None
        if stream.duration and stream.time_base:
            duration = stream.duration * stream.time_base
        elif container.duration:
            duration = Fraction(container.duration, av.time_base)
        top_first = display_field_order(context.field_order)
        order = "unknown" if context.field_order == 0 else "progressive"
        if top_first is not None:
            order = "tff" if top_first else "bff"
        return StreamInfo(
            path=self.path,
            container=container.format.name,
            codec=codec_of(stream),
            pix_fmt=context.pix_fmt,
            width_px=context.width,
            height_px=context.height,
            video_index=stream.index,
            frame_rate=rate,
            time_base=stream.time_base,
            start_s=Fraction(container.start_time or 0, av.time_base),
            duration_s=duration,
            frame_count=stream.frames or (round(duration * rate) if duration and rate else None),
            sample_aspect=_positive(stream.sample_aspect_ratio),
            field_order=order,
            color=tags_of(context, chroma_location(container, stream.index)),
            streams=tuple(
                StreamSummary(
                    s.index,
                    s.type,
                    codec_of(s),
                    s.metadata.get("language"),
                )
                for s in container.streams
            ),
            metadata=dict(container.metadata),
            chapters=tuple(container.chapters()),  # type: ignore[arg-type]
        )

    def seek(self, time_s: Fraction) -> None:
        """Continue from a key frame at or before a time, where the format allows it; decoding catches up the rest."""
        try:
            self._container.seek(int(time_s * av.time_base), backward=True)
        except (av.FFmpegError, OSError):
            self._reopen()

    def _reopen(self) -> None:
        self._container.close()
        self._container = open_container(self.path)
        self._stream = _video_stream(self._container, self.path)

    def note(self, text: str) -> None:
        """Tell people something, once."""
        if text not in self.notes:
            self.notes.append(text)

    def frames(self, start_s: Fraction | None = None) -> Iterator[Frame]:
        """Decode. With a start time, frames may begin before it but not after it."""
        if start_s is not None and start_s > self.info.start_s:
            self.seek(start_s)
            ahead = self._decode()
            first = next(ahead, None)
            if first is not None and first.pts * first.time_base <= start_s:  # type: ignore[operator]
                yield first
                yield from ahead
                return
            ahead.close()
            self._reopen()  # the seek went past the start, as some formats' indexes do
        yield from self._decode()

    def _note_damage(self, sign: str) -> None:
        """Tell people the first sign of damage: others follow from it."""
        if not self._is_damaged:
            self._is_damaged = True
            self.note(f"the file is damaged or ends early: {sign}")

    def _declared_end_s(self) -> Fraction | None:
        """Time at which the file says that its video ends; None if it does not."""
        if self.info.container not in _DEMUXERS_WITH_DECLARED_DURATION:
            return None
        if self._stream.duration and self._stream.time_base:
            start = self._stream.start_time or 0
            return (start + self._stream.duration) * self._stream.time_base
        timed = [s for s in self._container.streams if s.type in ("video", "audio", "subtitle") and not is_cover(s)]
        if len(timed) > 1 or not self._container.duration:
            return None  # the container's duration may be that of another stream
        return self.info.start_s + Fraction(self._container.duration, av.time_base)

    def _check_end(self, end_s: Fraction) -> None:
        declared = self._declared_end_s()
        if declared is not None and end_s < declared - _MISSING_S:
            self._note_damage(f"its video ends at {float(end_s):.3f} s, declared are {float(declared):.3f} s")

    def _decode(self) -> Generator[Frame]:
        stream = self._stream
        context = stream.codec_context
        context.copy_opaque = True  # carries each packet's flags to its picture through the decoder's reordering
        context.thread_type = "AUTO"
        context.thread_count = self._threads or 0
        flags = Mpeg2Flags(context.extradata or b"") if self.info.codec == "mpeg2video" else None
        pictures = _PictureReader(self)
        damaged = 0
        end_s: Fraction | None = None
        for packet in self._packets():
            if flags is not None and packet.size:
                packet.opaque = flags.read(bytes(packet))
            try:
                decoded = packet.decode()
            except av.error.InvalidDataError:
                damaged += 1
                continue
            except (av.FFmpegError, NotImplementedError) as error:
                raise MediaError(f"{self.path}: cannot be decoded: {failure_reason(error, [])}") from error
            for picture in decoded:
                assert isinstance(picture, av.VideoFrame)
                frame = pictures.frame(picture)
                time_s = seconds((frame.pts or 0) + (frame.duration or 0), frame.time_base) or Fraction(0)
                end_s = time_s if end_s is None else max(end_s, time_s)
                yield frame
        if damaged:
            self.note(f"{damaged} damaged packets could not be decoded")
        if end_s is not None:
            self._check_end(end_s)

    def _packets(self) -> Iterator[av.Packet[Any]]:
        packets, time = self._container.demux(self._stream), ContinuousTime()
        while True:
            failure: Exception | None = None
            packet = None
            with captured_log(av.logging.ERROR) as log:
                try:
                    packet = next(packets, None)
                except (av.FFmpegError, OSError) as error:
                    failure = error
            if failure is not None:
                reason = failure_reason(failure, log)
                raise MediaError(f"{self.path}: cannot be read further: {reason}") from failure
            if log:
                self._note_damage(log[0].rstrip("."))
            if packet is None:
                return
            if packet.is_corrupt:
                self._note_damage("some packets are flagged corrupt")
            time.move(packet)
            if time.starts:
                self.note("time stamps start again within the file: time goes on")
            yield packet

    def close(self) -> None:
        """Close the container; not while another thread iterates ``frames``."""
        self._container.close()


class _PictureReader:
    """Turns the pictures of one decoding run into frames: time, field order, color, pixel layout."""

    def __init__(self, source: AvSource) -> None:
        self._source = source
        self._info = source.info
        self._layout: PixelLayout | None = None
        self._probe = FieldOrderProbe()
        self._stream_order = {"tff": True, "bff": False}.get(source.info.field_order)
        self._next_pts: int | None = None
        self._size = (source.info.width_px, source.info.height_px)

    def frame(self, picture: av.VideoFrame) -> Frame:
        """The next picture in display order."""
        note = self._source.note
        name = picture.format.name
        if self._layout is None:
            self._layout = nearest_layout(name)
            self._read_side_data(picture)
        if SAME_BYTES.get(name, name) != self._layout.name:
            note(conversion_note(name, self._layout.name))
        if (picture.width, picture.height) != self._size:
            note(
                f"the frame size changes from {self._size[0]}x{self._size[1]} to {picture.width}x{picture.height} "
                "within the stream"
            )
            self._size = (picture.width, picture.height)
        time_base = picture.time_base or self._info.time_base or Fraction(1, 25)
        pts, duration = self._time(picture, time_base)
        interlaced, top_first, repeat = self._fields(picture)
        color = tags_of(picture, self._info.color.chroma_location)
        if color.full_range is None:
            color = replace(color, full_range=self._info.color.full_range)
        return frame_of(
            picture,
            self._layout,
            pts=pts,
            duration=duration,
            time_base=time_base,
            interlaced=interlaced,
            top_field_first=top_first,
            repeat_fields=repeat,
            sample_aspect=self._info.sample_aspect,
            color=color,
        )

    def _read_side_data(self, picture: av.VideoFrame) -> None:
        for side in cast(Iterable[SideData], picture.side_data):
            kind = side.type.name
            if kind == "DISPLAYMATRIX":
                self._source.display_matrix = tuple(int(v) for v in np.frombuffer(bytes(side), "<i4"))
            elif kind in _SIDE_DATA_NOT_CARRIED:
                self._source.note(f"{_SIDE_DATA_NOT_CARRIED[kind]} cannot be passed on to the output")

    def _time(self, picture: av.VideoFrame, time_base: Fraction) -> tuple[int, int]:
        rate = self._info.frame_rate or Fraction(25)
        duration = int(picture.duration or 0) or max(1, round(1 / (rate * time_base)))
        pts = picture.pts
        if pts is None:
            self._source.note(f"frames without time stamps are placed at {float(rate):.6g} frames per second")
            pts = self._next_pts or 0
        self._next_pts = pts + duration
        return pts, duration

    def _fields(self, picture: av.VideoFrame) -> tuple[bool, bool | None, int | None]:
        """Interlaced, top field first, repeated fields."""
        codec = self._info.codec
        packet_flags = picture.opaque if isinstance(picture.opaque, tuple) else None
        repeat: int | None = 0
        if codec == "mpeg2video":
            repeat = packet_flags[0] if packet_flags else None
        elif codec in CODECS_WITH_REPEAT_FLAGS:
            repeat = None
        if picture.interlaced_frame:
            if repeat is None:
                self._source.note(f"repeat flags of interlaced {codec} are unknown")
            return True, self._probe.top_field_first(picture), repeat
        if codec not in CODECS_WITH_FIELD_FLAGS and self._stream_order is not None:
            return True, self._stream_order, repeat
        return False, packet_flags[1] if packet_flags and repeat else None, repeat
