"""Sound and text subtitles in another codec, for containers that cannot hold theirs."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, cast

import av
from av.audio.codeccontext import AudioCodecContext
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.stream import Stream
from av.subtitles.codeccontext import SubtitleCodecContext
from av.subtitles.stream import SubtitleStream
from av.subtitles.subtitle import AssSubtitle, SubtitleSet

from texsamp.io.streams.codecs import AUDIO_INSTEAD, PLACED_BY_SAMPLE, SAMPLE_RATES, TEXT_INSTEAD

_BITS_PER_CHANNEL = 80_000
"""Bits per second of sound that is encoded again; transparent or nearly so with every codec in `AUDIO_INSTEAD`."""

_GAP_S = Fraction(1, 50)
"""How far a time stamp may lie from the end of the sound before it and still mean no gap: containers round them."""

_LONGEST_PACKET_S = Fraction(1, 20)
"""Whole packets as long can be put within 25 ms of their place."""

_MILLISECOND = Fraction(1, 1000)


class StreamConverter(ABC):
    """A stream of the output, and how packets of the input's stream become packets of it."""

    stream: Stream
    codec: str

    @abstractmethod
    def convert(self, packet: av.Packet[Any]) -> Iterator[av.Packet[Any]]:
        """Packets that are ready after one more of the input, whose times are the output's already."""

    def flush(self) -> Iterator[av.Packet[Any]]:
        """Packets that were held back."""
        return iter(())


class AudioConverter(StreamConverter):
    """Sound decoded and encoded again; what cannot be decoded is left out.

    Raises ValueError for channels that do not fit the codec.
    """

    def __init__(self, container: av.container.OutputContainer, template: AudioStream, codec: str) -> None:
        self.codec = codec
        self._decoder = template.codec_context
        rate = SAMPLE_RATES.get(container.format.name) or _nearest_rate(codec, self._decoder.sample_rate)
        layout = _layout_for(codec, self._decoder)
        self.stream = self._audio = cast(AudioStream, container.add_stream(codec, rate=rate))
        context = self._audio.codec_context
        context.layout = layout
        context.time_base = Fraction(1, rate)
        if not codec.startswith("pcm_"):
            context.bit_rate = _BITS_PER_CHANNEL * context.channels
        self._next: int | None = None

    def convert(self, packet: av.Packet[Any]) -> Iterator[av.Packet[Any]]:
        """Packets that are ready after one more of the input."""
        with contextlib.suppress(av.error.InvalidDataError):
            yield from self._encode(self._decoder.decode(packet))

    def flush(self) -> Iterator[av.Packet[Any]]:
        """Packets that decoder and encoder held back."""
        with contextlib.suppress(av.error.EOFError):
            yield from self._encode(self._decoder.decode(None))
        yield from self._audio.encode(None)

    def _encode(self, frames: list[AudioFrame]) -> Iterator[av.Packet[Any]]:
        for frame in frames:
            self._place(frame)
            yield from self._audio.encode(frame)

    def _place(self, frame: AudioFrame) -> None:
        """Count samples where time stamps are only rounded, so that the encoder sees no gaps where there are none."""
        base = Fraction(1, frame.sample_rate)
        stamp = None if frame.pts is None or frame.time_base is None else round(frame.pts * frame.time_base / base)
        if self._next is None or (stamp is not None and abs(stamp - self._next) * base > _GAP_S):
            self._next = stamp or 0
        frame.pts, frame.time_base = self._next, base
        self._next += frame.samples


def _nearest_rate(codec: str, rate: int) -> int:
    """The sample rate the codec takes: the same one, else the next higher one, else its highest."""
    offered = sorted(av.Codec(codec, "w").audio_rates or [rate])
    return next((other for other in offered if other >= rate), offered[-1])


def _layout_for(codec: str, decoder: AudioCodecContext) -> str:
    """The channel layout the codec takes: the sound's own, else FFmpeg's usual one of so many channels, else stereo."""
    own = decoder.layout.name
    named = not own.endswith(" channels")
    for layout in (*([own] if named else []), f"{decoder.channels}c", *(["stereo"] if named else [])):
        trial = cast(AudioCodecContext, av.CodecContext.create(codec, "w"))
        with contextlib.suppress(ValueError, av.FFmpegError):
            trial.layout, trial.sample_rate = layout, _nearest_rate(codec, decoder.sample_rate)
            trial.format = (av.Codec(codec, "w").audio_formats or [])[0]
            trial.open()
            return layout
    raise ValueError(f"{codec} takes no {own}")


class TextConverter(StreamConverter):
    """Text subtitles decoded and encoded again."""

    def __init__(self, container: av.container.OutputContainer, template: SubtitleStream, codec: str) -> None:
        self.codec = codec
        self._decoder = template.codec_context
        self._decoder.open(strict=False)
        self.stream = container.add_stream(codec)
        self._encoder = cast(SubtitleCodecContext, self.stream.codec_context)
        self._encoder.subtitle_header = self._decoder.subtitle_header
        self._encoder.time_base = _MILLISECOND

    def convert(self, packet: av.Packet[Any]) -> Iterator[av.Packet[Any]]:
        """One packet for each text of the input's packet."""
        found = self._decoder.decode2(packet)
        length_ms = round((packet.duration or 0) * packet.time_base / _MILLISECOND)
        for text in found or ():
            if isinstance(text, AssSubtitle) and text.ass:
                made = self._encoder.encode_subtitle(SubtitleSet.create(text.ass, 0, length_ms))
                made.pts = made.dts = round((packet.pts or 0) * packet.time_base / _MILLISECOND)
                made.duration, made.time_base, made.stream = length_ms, _MILLISECOND, self.stream
                yield made


def long_packet_s(muxer: str, template: Stream) -> Fraction | None:
    """How long packets of sound are that are too long to be put in their place; None for all others."""
    if muxer not in PLACED_BY_SAMPLE or not isinstance(template, AudioStream):
        return None
    length_s = Fraction(template.codec_context.frame_size, template.codec_context.sample_rate)
    return length_s if length_s > _LONGEST_PACKET_S else None


def converter_for(container: av.container.OutputContainer, muxer: str, template: Stream) -> StreamConverter | None:
    """A new stream of the container that holds what the template's does, None if there is no way."""
    with contextlib.suppress(ValueError, av.FFmpegError):
        if isinstance(template, AudioStream) and muxer in AUDIO_INSTEAD:
            instead = AUDIO_INSTEAD if long_packet_s(muxer, template) is None else PLACED_BY_SAMPLE
            return AudioConverter(container, template, instead[muxer])
        if isinstance(template, SubtitleStream) and muxer in TEXT_INSTEAD and template.codec_context.codec.text_sub:
            return TextConverter(container, template, TEXT_INSTEAD[muxer])
    return None
