"""One encoder at work: its setup from the first frame, and the time, flags and pixel format of every frame."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

import av
from av.video.stream import VideoStream

from texsamp.device import CudaDevice
from texsamp.errors import MediaError
from texsamp.io.files.ffmpeg_log import CHROMA_LOCATIONS
from texsamp.io.frames.av_frame import format_of, picture_in, tags_of
from texsamp.io.frames.convert import conversion_note
from texsamp.io.frames.field_order import FieldStamp
from texsamp.io.frames.jpeg_colors import matrix_note, with_jpeg_colors
from texsamp.io.output.encode_request import EncodeRequest, choose_pix_fmt
from texsamp.io.output.encoder_options import encoder_options
from texsamp.io.output.hardware_encoder import NvencPictures, nvenc_pictures
from texsamp.io.output.hdr_options import hdr_options
from texsamp.io.streams.codecs import CODECS, FLAG_BITS, HEVC_ENCODERS, TINY_PX, CodecSettings, ContainerChoice
from texsamp.video.frame import ColorTags, Frame

os.environ.setdefault("SVT_LOG", "1")  # errors only: libsvtav1 prints a page of settings on standard error otherwise

_PROGRESSIVE, _TOP_FIRST, _BOTTOM_FIRST = 1, 2, 3
"""FFmpeg's AVFieldOrder."""

_FRAME_THREADS = 1 << 12
"""FFmpeg's AV_CODEC_CAP_FRAME_THREADS."""

_LONGEST_DELAY = 1000
"""Frames; no encoder reorders over more."""


@dataclass(frozen=True)
class EncoderSetup:
    """All that an encoder is opened with, for any process; equal ones make streams that can be joined.

    The ``first`` frame of all says size, layout, fields and color. ``rate`` is in frames per second, ``origin_s`` the
    time of the input that is zero in the output, ``stored_as`` FFmpeg's name of how the input stores such pictures.
    """

    choice: ContainerChoice
    codec: str
    request: EncodeRequest
    first: Frame
    rate: Fraction
    origin_s: Fraction = Fraction(0)
    stored_as: str | None = None


class VideoEncoder:
    """Encodes frames like the first one into a stream of a container."""

    def __init__(self, container: av.container.OutputContainer, setup: EncoderSetup) -> None:
        self.notes: list[str] = []
        codec, choice, request, first = setup.codec, setup.choice, setup.request, setup.first
        self.codec = codec
        # Threads that encode whole pictures let go of them, which takes Python's lock; who closes the encoder holds it
        # while waiting for them.
        self._lends = not av.Codec(codec, "w").capabilities & _FRAME_THREADS
        self._choice = choice
        self._shown: av.VideoFrame | None = None
        self._repeated = 0
        self._settings = CODECS.get(codec, CodecSettings())
        self._size = (first.width_px, first.height_px)
        self._interlaced = first.interlaced
        self._origin_s = setup.origin_s
        self._count = 0
        self._packets = 0
        self._last_pts: int | None = None
        self._has_moved = False
        self.rate = setup.rate
        self._gpu = self._on_gpu(first, request)
        if self._gpu is not None:
            self.pix_fmt, color = self._gpu.pix_fmt, first.color
            self.stream = self._gpu.add_stream(container, codec, self.rate)
        else:
            first = first.to("cpu")
            have = format_of(first.layout)
            self.pix_fmt = choose_pix_fmt(codec, choice.muxer, have, request, setup.stored_as)
            if self.pix_fmt != have:
                self.notes.append(f"{conversion_note(have, self.pix_fmt)} for {codec}")
            if self._settings.is_jfif:
                self.notes.extend(filter(None, [matrix_note(first)]))
                first = with_jpeg_colors(first, self.pix_fmt)
            color = tags_of(picture_in(first, self.pix_fmt), first.color.chroma_location)
            self.stream = cast(VideoStream, container.add_stream(codec, rate=self.rate))
        counts_frames = choice.constant_rate or self._settings.constant_rate or first.time_base is None
        self._time_base = 1 / self.rate if counts_frames else cast(Fraction, first.time_base)
        self._configure(first, color)
        if codec in HEVC_ENCODERS and choice.muxer in ("mp4", "mov"):
            self.stream.codec_context.codec_tag = "hvc1"  # the one of HEVC's two tags that Apple's players take
        self._choose_options(first, request)
        self._stamp = self._field_stamp(first)

    def _on_gpu(self, first: Frame, request: EncodeRequest) -> NvencPictures | None:
        """What makes pictures of frames that are on a GPU and can stay there."""
        if not isinstance(first.device, CudaDevice):
            return None
        made, why = nvenc_pictures(self.codec, first, request.pix_fmt, self.rate)
        if made is None:
            self.notes.append(f"{self.codec} gets its frames through the CPU's memory: {why}")
        return made

    def _configure(self, first: Frame, color: ColorTags) -> None:
        context = self.stream.codec_context
        context.width, context.height, context.pix_fmt = first.width_px, first.height_px, self.pix_fmt
        context.time_base, context.framerate = self._time_base, self.rate
        if first.sample_aspect is not None:
            context.sample_aspect_ratio = first.sample_aspect
        context.colorspace, context.color_primaries, context.color_trc = color.matrix, color.primaries, color.transfer
        context.color_range = 0 if color.full_range is None else 1 + color.full_range
        context.flags |= FLAG_BITS["frame_duration"]

    def _choose_options(self, first: Frame, request: EncodeRequest) -> None:
        options = encoder_options(self.codec, request)
        if min(self._size) < TINY_PX:
            options |= self._settings.tiny | dict(request.options or {})
        location = {code: name for name, code in CHROMA_LOCATIONS.items()}.get(first.color.chroma_location)
        form = av.VideoFormat(self.pix_fmt, 16, 16)
        if location is not None and (form.chroma_width(16), form.chroma_height(16)) == (8, 8):
            options["chroma_sample_location"] = location
        if self._choice.key_frames_s and "g" not in options:
            options["g"] = str(max(1, round(self.rate * self._choice.key_frames_s)))
        added = [*self._hdr_options(first).items()]
        if first.interlaced and first.top_field_first is False:
            added += self._settings.bottom_first.items()
        for name, text in added:
            options[name] = ":".join(filter(None, (options.get(name), text)))
        self.options = options
        self.stream.codec_context.options = dict(options)

    def _hdr_options(self, first: Frame) -> dict[str, str]:
        options, lost = hdr_options(self.codec, first.hdr)
        self.notes.extend(lost)
        return options

    def _field_stamp(self, first: Frame) -> FieldStamp | None:
        context = self.stream.codec_context
        context.field_order = _PROGRESSIVE
        if not first.interlaced:
            return None
        if self._settings.interlaced is None:
            self.notes.append(f"{self.codec} cannot flag interlaced frames: they are stored as progressive")
            return None
        if first.top_field_first is None:
            self.notes.append("the field order is unknown: top field first is written")
        for flag in self._settings.interlaced:
            context.flags |= FLAG_BITS[flag]
        top_first = first.top_field_first is not False
        context.field_order = _TOP_FIRST if top_first else _BOTTOM_FIRST
        return FieldStamp("tff" if top_first else "bff")

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def encode(self, frame: Frame) -> list[av.Packet[VideoStream]]:
        """Packets that are ready after one more frame. Raises MediaError if its size is another."""
        if (frame.width_px, frame.height_px) != self._size:
            raise MediaError(
                f"frame {self._count} is {frame.width_px}x{frame.height_px}, "
                f"the file is {self._size[0]}x{self._size[1]}: scale to one size"
            )
        if frame.interlaced != self._interlaced:
            kinds = ("progressive", "interlaced")
            self._note(f"{kinds[frame.interlaced]} frames among others are stored as {kinds[self._interlaced]}")
        if self._gpu is not None:
            picture = self._gpu.picture(frame)
        else:
            frame = frame.to("cpu")
            stored = with_jpeg_colors(frame, self.pix_fmt) if self._settings.is_jfif else frame
            picture = picture_in(stored, self.pix_fmt, self._lends)
        if self._stamp is not None:
            picture = self._stamp.apply(picture)
        self._place(picture, frame)
        self._count += 1
        before = self._fill_gap(picture) if self._choice.gapless else []
        return self._checked([*before, *self.stream.encode(picture)])

    def _fill_gap(self, picture: av.VideoFrame) -> list[av.Packet[VideoStream]]:
        """Packets of the picture before, or else of this one, for the time until this one is due."""
        due, begin = cast(int, picture.pts), 0 if self._shown is None else cast(int, self._shown.pts) + 1
        packets, filling = [], self._shown or picture
        for filling.pts in range(begin, due):
            packets += self.stream.encode(filling)
        self._repeated += max(0, due - begin)
        picture.pts, self._shown = due, picture
        return packets

    def flush(self) -> list[av.Packet[VideoStream]]:
        """Packets that the encoder held back; none if it was fed nothing."""
        if self._repeated:
            muxer, are = self._choice.muxer, "pictures are" if self._repeated > 1 else "picture is"
            self._note(f"{muxer} holds a constant frame rate: {self._repeated} {are} repeated where others are missing")
        return self._checked(self.stream.encode(None)) if self._count else []

    def _checked(self, packets: list[av.Packet[VideoStream]]) -> list[av.Packet[VideoStream]]:
        """The packets, with decoding times made for those whose encoder left them undefined.

        libx265 does, when the whole stream is shorter than its reordering delay of two frames.
        """
        frame = max(1, round(1 / (self.rate * self._time_base)))
        for packet in packets:
            delay = 0 if packet.pts is None or packet.dts is None else packet.pts - packet.dts
            if not 0 <= delay <= _LONGEST_DELAY * frame:
                packet.dts = (self._packets - 2) * frame
            self._packets += 1
        return packets

    def _place(self, picture: av.VideoFrame, frame: Frame) -> None:
        """Give the picture its time in the output, counted in the encoder's time base."""
        base = self._time_base
        if frame.pts is None or frame.time_base is None:
            pts = 0 if self._last_pts is None else self._last_pts + max(1, round(1 / (self.rate * base)))
        else:
            pts = round((frame.pts * frame.time_base - self._origin_s) / base)
        if self._last_pts is not None and pts <= self._last_pts:
            if not self._has_moved:
                self.notes.append(
                    f"time stamps do not fit the file from frame {self._count} on: frames are moved later"
                )
            self._has_moved = True
            pts = self._last_pts + 1
        self._last_pts = pts
        picture.pts, picture.time_base = pts, base
        if frame.duration and frame.time_base:
            picture.duration = max(1, round(frame.duration * frame.time_base / base))
