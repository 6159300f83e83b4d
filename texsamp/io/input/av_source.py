"""The decoding side of PyAV: a file's video stream as frames."""

from __future__ import annotations

import re
import sys
from collections import deque
from collections.abc import Generator, Iterator
from fractions import Fraction
from typing import Any

import av
from av.codec.hwaccel import HWAccel
from av.stream import Stream

from texsamp.device import Device
from texsamp.errors import MediaError
from texsamp.io.files.ffmpeg_log import captured_log, chroma_location, failure_reason
from texsamp.io.files.picture_sequence import find_sequence
from texsamp.io.files.pipe_input import PipeInput
from texsamp.io.frames.av_frame import tags_of
from texsamp.io.frames.channel import Channel
from texsamp.io.frames.field_order import Mpeg2Flags, display_field_order
from texsamp.io.input.container import (
    INDEX_FIRST,
    codec_of,
    complaints_about,
    is_cover,
    lost_alpha,
    open_container,
    open_pipe,
    packets_of,
    video_stream,
)
from texsamp.io.input.continuous_time import ContinuousTime, clock_may_jump, heard
from texsamp.io.input.counted_times import CONTAINER, SEEK_MARGIN_S, CountedTimes
from texsamp.io.input.cut_short import complaints, early_end, is_checked
from texsamp.io.input.damage import Damage
from texsamp.io.input.hardware_decoder import decodes_on_gpu, hardware_decoder
from texsamp.io.input.picture_reader import PictureReader
from texsamp.io.input.stream_info import StreamInfo, StreamSummary
from texsamp.io.input.tiff_jpeg import TIFF
from texsamp.io.textures.exr import PARTS_NOTE, has_parts
from texsamp.video.frame import Frame

_MAX_SIZE_PX = 32768

_DEMUXERS_WITH_DECLARED_DURATION = frozenset({"matroska,webm", "mov,mp4,m4a,3gp,3g2,mj2", "avi", "mxf"})
"""Their duration is a field of the file; FFmpeg estimates that of others from what the file holds."""

_DECODERS_WITHOUT_FLAGS = frozenset({"ffv1", "mjpeg", "dvvideo", "gif", "exr"})
"""Codecs whose decoder knows that a picture is damaged (a checksum or a block fails), and tells it to its log alone."""

OVERRUN_S = 10
"""How far past a cut to look for late packets of a stream: no container interleaves more loosely."""

_JOINT_PACKETS = 3
"""Packets before a joint that may be flagged corrupt because those of a transport stream are numbered anew there."""

_MISSING_S = Fraction(1, 4)
"""How much earlier than declared a stream may end: the length of a last frame is not always stored."""


_TAGGED_END = re.compile(r"(\d+):(\d\d):(\d\d(?:\.\d+)?)")
"""Hours, minutes and seconds."""


def _positive(value: Fraction | None) -> Fraction | None:
    return Fraction(value) if value else None


class _Latest:
    """The latest of some time stamps."""

    def __init__(self) -> None:
        self.pts: int | None = None

    def add(self, pts: int | None) -> None:
        if pts is not None and (self.pts is None or pts > self.pts):
            self.pts = pts


class AvSource:
    """A container opened for its video frames. Every method runs on the thread that first iterates ``frames``.

    A ``pipe`` is read once: the packets of its other streams wait in ``others``, until someone takes them or closes it.
    ``joints`` is how often time stamps have started again. Where NVDEC can, a file is decoded on the GPU ``decode_on``.
    """

    def __init__(
        self,
        path: str,
        threads: int | None,
        damage: Damage,
        autorotate: bool,
        wait_for_order: bool,
        pipe: PipeInput | None = None,
        decode_on: Device | None = None,
    ) -> None:
        self.path = path
        self.notes: list[str] = []
        self.joints = 0
        self.others: Channel[av.Packet[Any]] | None = None
        self._threads = threads
        self._damage = damage
        self._autorotate = autorotate
        self._wait_for_order = wait_for_order
        self._pipe = pipe
        self._decode_on: Device | None = None
        self._hwaccel: HWAccel | None = None
        self._container = self._open() if pipe is None else open_pipe(pipe)
        self._video_packets: Iterator[av.Packet[Any]] = iter(())
        try:
            self._stream = video_stream(self._container, path)
            self.info = self._describe()
            if decode_on is not None and pipe is None:
                self._use_hardware(decode_on)
            self._pictures = self._picture_reader()
            if lost := lost_alpha(self._container, self._stream):
                self.note(lost)
            if pipe is not None and len(self.info.streams) > 1:
                self.others = Channel(sys.maxsize)
        except BaseException:
            self._container.close()
            raise

    def _picture_reader(self) -> PictureReader:
        return PictureReader(self.info, self.note, self._autorotate, self._wait_for_order, self._decode_on)

    def _use_hardware(self, device: Device) -> None:
        """Decode on a GPU, if FFmpeg can; else say so."""
        self._hwaccel = hardware_decoder(device, self.info)
        if self._hwaccel is None:
            return
        why = f"FFmpeg has no NVDEC decoder for {self.info.codec}"
        try:
            self._reopen()
        except MediaError as error:
            why = str(error).removeprefix(f"{self.path}: ")
        if self._hwaccel is not None and decodes_on_gpu(self._stream):
            self._decode_on = device
            return
        self._hwaccel = None
        self.note(f"decoded on the CPU: {why}")
        self._reopen()

    def _open(self) -> av.container.InputContainer:
        sequence = find_sequence(self.path)
        if sequence is None:
            return open_container(self.path, hwaccel=self._hwaccel)
        for text in sequence.notes:
            self.note(text)
        container = open_container(self.path, {"start_number": str(sequence.first)})
        rate = float(container.streams.video[0].average_rate or 0)
        self.note(f"pictures have no times: {rate:g} a second are assumed")
        return container

    @property
    def templates(self) -> list[Stream]:
        """The container's streams in order, until it is closed."""
        return list(self._container.streams)

    @property
    def field_remedy(self) -> tuple[str, str] | None:
        """As in `VideoReader`."""
        return self._pictures.field_remedy

    @property
    def display_matrix(self) -> tuple[int, ...] | None:
        """How players turn the picture, as in `VideoReader`; known from the first frame on."""
        return self._pictures.display_matrix

    @property
    def color_profile(self) -> bytes | None:
        """As in `VideoReader`; known from the first frame on."""
        return self._pictures.color_profile

    def _describe(self) -> StreamInfo:
        stream, container = self._stream, self._container
        context = stream.codec_context
        if not context.pix_fmt or not 0 < context.width <= _MAX_SIZE_PX or not 0 < context.height <= _MAX_SIZE_PX:
            hint = INDEX_FIRST if self._pipe is not None and "mp4" in container.format.name else ""
            if self._pipe is None and (said := complaints_about(self.path)):
                hint = f" ({said[0]})"
            raise MediaError(
                f"{self.path}: its video stream ({codec_of(stream)}) cannot be read: "
                f"found {context.width}x{context.height} {context.pix_fmt or 'of unknown pixel format'}{hint}"
            )
        rate = _positive(stream.guessed_rate) or _positive(stream.average_rate)
        duration = None
        if stream.duration and stream.time_base:
            duration = stream.duration * stream.time_base
        elif container.duration:
            duration = Fraction(container.duration, av.time_base)
        top_first = display_field_order(context.field_order, container.format.name)
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
        self._container = self._open()
        self._stream = video_stream(self._container, self.path)

    def note(self, text: str) -> None:
        """Tell people something, once."""
        if text not in self.notes:
            self.notes.append(text)

    def frames(self, start_s: Fraction | None = None) -> Iterator[Frame]:
        """Decode. With a start time, frames may begin before it but not after it."""
        reorders = self._counts and self._stream.codec_context.has_b_frames
        from_s = start_s - SEEK_MARGIN_S if start_s is not None and reorders else start_s
        if start_s is not None and from_s is not None and from_s > self.info.start_s and self._pipe is None:
            self.seek(from_s)
            ahead = self._decode(middle=reorders)
            first = next(ahead, None)
            if first is not None and first.pts * first.time_base <= start_s:  # type: ignore[operator]
                yield first
                yield from ahead
                return
            ahead.close()
            self._reopen()  # the seek went past the start, as some formats' indexes do
        yield from self._decode()

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
        return Fraction(self._container.duration, av.time_base)  # counted from 0, wherever the first frame is

    def _tagged_end_s(self) -> Fraction | None:
        """Time at which a tag of Matroska says that this stream ends: FFmpeg and mkvmerge write one for each stream."""
        found = _TAGGED_END.fullmatch(self._stream.metadata.get("DURATION", ""))
        if found is None or self.info.container != "matroska,webm":
            return None
        hours, minutes, seconds = found.groups()
        return 3600 * int(hours) + 60 * int(minutes) + Fraction(seconds)

    def _check_end(self, end_s: Fraction, longest_s: Fraction, packet_B: int) -> None:  # noqa: N803 - the unit
        """Tell of a video that ends before it should.

        ``longest_s`` is the longest time that a picture was shown, ``packet_B`` the size of the last packet.
        """
        if self._pipe is None and (words := early_end(self.info.container, self.path, packet_B)):
            self._damage.container(words)
        declared, missing = self._declared_end_s(), _MISSING_S
        if declared is None:  # the tag counts the last picture's time, which Matroska stores nowhere else
            declared, missing = self._tagged_end_s(), max(_MISSING_S, longest_s)
        if declared is not None and end_s < declared - missing:
            self._damage.container(f"its video ends at {float(end_s):.3f} s, declared are {float(declared):.3f} s")

    @property
    def _counts(self) -> bool:
        """Whether the container counts packets and does not say when pictures are shown."""
        return self.info.container == CONTAINER

    def _decode(self, middle: bool = False) -> Generator[Frame]:
        """Decode; in the ``middle`` of a container that counts packets, from where times are known."""
        stream = self._stream
        context = stream.codec_context
        context.copy_opaque = True  # carries each packet's flags to its picture through the decoder's reordering
        # Threads that decode whole pictures ahead would complain about another picture than the one at hand.
        context.thread_type = "SLICE" if self._is_believed else "AUTO"
        context.thread_count = self._threads or 0
        flags = Mpeg2Flags(context.extradata or b"") if self.info.codec == "mpeg2video" else None
        pictures = self._pictures = self._picture_reader()
        waiting: deque[tuple[av.VideoFrame, bool]] = deque()
        self._video_packets = self._packets()
        fed, shown, packet_B = _Latest(), _Latest(), 0
        times = CountedTimes(middle) if self._counts else None
        for packet in self._video_packets:
            if times is not None:
                times.feed(packet)
            fed.add(packet.pts)
            packet_B = packet.size or packet_B
            if flags is not None and packet.size:
                packet.opaque = flags.read(bytes(packet))
            elif self.info.codec == TIFF:
                packet.opaque = bytes(packet)
            decoded, complaints = self._decoded(packet)
            for picture in decoded:
                shown.add(picture.pts)
                if times is not None and not times.place(picture):
                    continue
                waiting.append((picture, bool(complaints)))
                pictures.measure(picture)
                while len(waiting) > pictures.ahead:
                    yield pictures.frame(*waiting.popleft())
        if flags is None:
            left = [
                picture
                for picture in self._left_by_threads(fed.pts, shown.pts)
                if times is None or times.place(picture)
            ]
            waiting.extend((picture, False) for picture in left)
        while waiting:
            yield pictures.frame(*waiting.popleft())
        if pictures.end_s is not None:
            self._check_end(pictures.end_s, pictures.longest_s, packet_B)

    def _left_by_threads(self, fed: int | None, shown: int | None) -> Iterator[av.VideoFrame]:
        """The pictures after the last one ``shown``, decoded without threads from the key frame before them.

        PyAV drops what other threads hold when one of the last packets fed cannot be decoded.
        """
        rate, base = self.info.frame_rate, self._stream.time_base
        again = self._pipe is None and self._decode_on is None and not self.joints
        if not again or fed is None or shown is None or not rate or not base or (fed - shown) * base * rate < 1:
            return
        with self._open() as container:
            stream = video_stream(container, self.path)
            stream.codec_context.thread_type, stream.codec_context.thread_count = "SLICE", 1
            container.seek(shown, stream=stream)
            for packet in packets_of(container, stream):
                if self._counts:
                    packet.pts = packet.dts
                try:
                    pictures = packet.decode()
                except av.FFmpegError:
                    if not self._damage.has_packets:  # PyAV is silent about a failure behind a picture
                        self._damage.packet()
                    continue
                yield from (picture for picture in pictures if picture.pts is not None and picture.pts > shown)

    @property
    def _is_believed(self) -> bool:
        """Whether something else than the decoder's flags tells of damaged pictures."""
        return self.info.codec in _DECODERS_WITHOUT_FLAGS or is_checked(self.info.codec)

    def _decoded(self, packet: av.Packet[Any]) -> tuple[list[av.VideoFrame], list[str]]:
        """The pictures that a packet completes, and what decoders that flag no damaged pictures say about them."""
        codec, told = self.info.codec, list[str]()
        if is_checked(codec):
            data = bytes(packet)
            if codec == "exr" and has_parts(data):
                self.note(PARTS_NOTE)
            told = complaints(codec, data)
        if codec not in _DECODERS_WITHOUT_FLAGS:
            return self._decode_packet(packet), told
        with captured_log(av.logging.ERROR, of=codec) as log:
            pictures = self._decode_packet(packet)
        return pictures, [*told, *log]

    def _decode_packet(self, packet: av.Packet[Any]) -> list[av.VideoFrame]:
        try:
            return packet.decode()
        except av.error.InvalidDataError:
            self._damage.packet()
            return []
        except (av.FFmpegError, NotImplementedError) as error:
            raise MediaError(f"{self.path}: cannot be decoded: {failure_reason(error, [])}") from error

    def _packets(self) -> Iterator[av.Packet[Any]]:
        """The video's packets; those of a pipe's other streams are laid aside."""
        time, suspect = ContinuousTime(self._stream.index, clock_may_jump(self._container)), 0
        for packet in time.moved(self._read()):
            if packet.stream.index != self._stream.index:
                if packet.size and self.others is not None:
                    self.others.put(packet)
                continue
            if time.starts > self.joints:
                self.note("time stamps start again or jump within the file: time goes on")
                self.joints, suspect = time.starts, 0
            elif suspect == 1 or (suspect and not packet.size):
                self._damage.container("some packets are flagged corrupt")
            suspect = _JOINT_PACKETS if packet.is_corrupt else max(0, suspect - 1)
            yield packet

    def _read(self) -> Iterator[av.Packet[Any]]:
        packets = packets_of(self._container, *([self._stream, *heard(self._container)] if self.others is None else []))
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
                self._damage.container(log[0].rstrip("."))
            if packet is None:
                return
            yield packet

    def end(self, end_s: Fraction | None) -> None:
        """No more frames are wanted; what was wanted ends at ``end_s``, if not with the input."""
        if self.others is None:
            self.close()
            return
        if end_s is not None:
            self._lay_aside(end_s + OVERRUN_S)
        self.others.finish()

    def _lay_aside(self, until_s: Fraction) -> None:
        """Read on for the other streams' sake."""
        for packet in self._video_packets:
            is_beyond = packet.dts is not None and packet.dts * packet.time_base > until_s
            if is_beyond or self.others is None or self.others.closed:
                return

    def close(self) -> None:
        """Close the container; not while another thread iterates ``frames``."""
        self._stream.codec_context.flush_buffers()  # threads that wait to say something would wait for ever
        self._container.close()
        if self._pipe is not None:
            self._pipe.close()
