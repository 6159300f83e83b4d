"""Sound for containers that play it on from the beginning, whatever its time stamps say: silence fills its gaps."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, cast

import av
import numpy as np
from av.audio.codeccontext import AudioCodecContext
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream

_TOLERANCE_S = Fraction(1, 50)
"""How far sound may stray from its time stamps before it is set right: containers round them."""

_IN_SYNC_S = Fraction(25, 1000)
"""How far sound may be from its place without a word; only long packets and codecs without silence are further."""

_WARM_UP = 4
"""Packets that an encoder may hold back."""

_NOTABLE_S = Fraction(3, 100)
"""How much may be added or left out without a word: what primes a decoder is no longer."""


class UnbrokenSound:
    """The packets of one stream of sound, one after another from the output's zero on.

    Where time stamps leave a gap, there is silence of the same codec; what lies before zero or is there already is left
    out: samples of PCM, whole packets of other codecs, the nearest number of them.
    """

    def __init__(self, stream: AudioStream, muxer: str) -> None:
        self._stream, self._muxer = stream, muxer
        self._rate = stream.codec_context.sample_rate
        self._silence: _Silence | None = None
        self._due = self._silent = self._left_out = 0
        self._off_s = Fraction(0)

    @property
    def notes(self) -> list[str]:
        """What people should know."""
        index, holds = self._stream.index, f"{self._muxer} holds no times of sound"
        told = []
        if self._silent > _NOTABLE_S * self._rate:
            told.append(f"{holds}: {self._ms(self._silent)} ms of silence fill the gaps of audio stream {index}")
        if self._left_out > _NOTABLE_S * self._rate:
            told.append(f"{holds}: {self._ms(self._left_out)} ms of audio stream {index} are left out")
        if self._off_s > _IN_SYNC_S:
            off_ms = round(self._off_s * 1000)
            told.append(f"{holds}: audio stream {index} plays up to {off_ms} ms from its place beside the pictures")
        return told

    def _ms(self, samples: int) -> int:
        return round(Fraction(samples * 1000, self._rate))

    def packets(self, packet: av.Packet[Any], longest_s: int | None = None) -> Iterator[av.Packet[Any]]:
        """What is written for one more packet, in the output's times: nothing behind a gap above ``longest_s``."""
        silence = self._silence = self._silence or _Silence(self._stream.codec_context)
        stamp_s, stream = (packet.pts or 0) * packet.time_base, packet.stream
        length = silence.length(packet)
        late = round(stamp_s * self._rate) - self._due
        bound = Fraction(silence.frame, 2)
        if self._due:
            bound = max(_TOLERANCE_S * self._rate, bound * Fraction(6, 5))
        if longest_s is not None and late > longest_s * self._rate:
            self._left_out += length
            return
        if late > bound:
            for data, samples in silence.packets(late):
                self._silent += samples
                yield self._placed(av.Packet(data), samples, stream)
        elif -late > bound:
            drop = min(-late, length) if silence.sample_B else length
            self._left_out += drop
            if drop == length:
                return
            packet, length = av.Packet(bytes(packet)[drop * silence.sample_B :]), length - drop
            stamp_s += Fraction(drop, self._rate)
        self._off_s = max(self._off_s, abs(stamp_s - Fraction(self._due, self._rate)))
        yield self._placed(packet, length, stream)

    def up_to(self, end_s: Fraction) -> Iterator[av.Packet[Any]]:
        """Silence to the end of the pictures, without which MXF drops the last of them."""
        silence = self._silence or _Silence(self._stream.codec_context)
        for data, samples in silence.packets(round(end_s * self._rate) - self._due):
            self._silent += samples
            yield self._placed(av.Packet(data), samples, self._stream)

    def _placed(self, packet: av.Packet[Any], samples: int, stream: Any) -> av.Packet[Any]:
        packet.stream, packet.time_base = stream, Fraction(1, self._rate)
        packet.pts = packet.dts = self._due
        packet.duration = samples
        self._due += samples
        return packet


class _Silence:
    """Silence as a codec writes it: ``frame`` samples in a packet, or any number of them, ``sample_B`` bytes each."""

    def __init__(self, context: AudioCodecContext) -> None:
        self._like, self._rate = context, context.sample_rate
        self.sample_B = self.frame = 0
        if context.codec.canonical_name.startswith("pcm_"):
            encoder = self._encoder()
            self.sample_B = 0 if encoder is None else sum(p.size for p in encoder.encode(self._zeros(encoder, 1)))
        if not self.sample_B:
            self.frame = context.frame_size

    def length(self, packet: av.Packet[Any]) -> int:
        """How many samples a packet holds."""
        if self.sample_B:
            return packet.size // self.sample_B
        told = round((packet.duration or 0) * packet.time_base * self._rate)
        if not self.frame or abs(told - self.frame) > self.frame // 2:
            self.frame = told
        return self.frame

    def packets(self, samples: int) -> Iterator[tuple[bytes, int]]:
        """Packets and the samples in each, as near to so many as can be; none where no encoder makes such packets."""
        encoder = self._encoder()
        if encoder is None or samples <= 0 or not (self.sample_B or encoder.frame_size == self.frame):
            return
        frame = self.frame or self._rate
        count, rest = (-(-samples // frame), samples) if self.sample_B else (round(Fraction(samples, frame)), 0)
        made = 0
        for _ in range(count + _WARM_UP):
            for packet in encoder.encode(self._zeros(encoder, min(frame, rest) if self.sample_B else frame)):
                yield bytes(packet), frame if not self.sample_B else packet.size // self.sample_B
                made += 1
                rest -= frame
                if made == count:
                    return

    def _zeros(self, encoder: AudioCodecContext, samples: int) -> AudioFrame:
        form = encoder.format
        channels = encoder.layout.nb_channels
        shape = (channels, samples) if form.is_planar else (1, channels * samples)
        like = AudioFrame(form, encoder.layout, 1).to_ndarray().dtype
        frame = AudioFrame.from_ndarray(
            np.full(shape, 128 if form.name.startswith("u8") else 0, like), form.name, encoder.layout.name
        )
        frame.sample_rate = self._rate
        return frame

    def _encoder(self) -> AudioCodecContext | None:
        with contextlib.suppress(ValueError, av.FFmpegError):
            encoder = cast(AudioCodecContext, av.CodecContext.create(self._like.codec.canonical_name, "w"))
            encoder.sample_rate, encoder.layout = self._rate, self._like.layout
            encoder.format = (encoder.codec.audio_formats or [])[0]
            if self._like.bit_rate and not self.sample_B:
                encoder.bit_rate = self._like.bit_rate
            encoder.open()
            return encoder
        return None
