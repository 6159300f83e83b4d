"""Clips with a flash and a beep at the same moments, and how far apart these are in a file."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

RATE_HZ = 48000
FLASH_S = 0.2
"""How long a flash and a beep last."""


def write_part(path: Path, moments_s: list[float], frames: int, sound_s: float, **options: Any) -> bytes:
    """A clip of some frames at 25 per second with a flash and a beep from each moment on; its bytes.

    ``options`` are the container's ``format``, the ``video`` and ``audio`` codecs, and the ``size``.
    """
    audio_codec, (width, height) = options.get("audio", "mp2"), options.get("size", (64, 48))
    with av.open(path, "w", format=options.get("format")) as container:
        video = container.add_stream(options.get("video", "mpeg2video"), rate=25)
        video.width, video.height, video.pix_fmt = width, height, "yuv420p"
        audio = container.add_stream(audio_codec, rate=RATE_HZ, layout="mono")
        audio.codec_context.open()
        size = audio.codec_context.frame_size or 1024
        sound = _beeps(moments_s, sound_s)
        for number in range(frames):
            frame = av.VideoFrame.from_ndarray(_picture(number / 25, moments_s, width, height), "yuv420p")
            frame.pts, frame.time_base = number, Fraction(1, 25)
            container.mux(video.encode(frame))
            done = len(sound) * number // frames // size
            for start in range(done * size, len(sound) * (number + 1) // frames // size * size, size):
                container.mux(audio.encode(_sound_frame(sound[start : start + size], start, audio)))
        container.mux([*video.encode(None), *audio.encode(None)])
    return path.read_bytes()


def _picture(time_s: float, moments_s: list[float], width: int, height: int) -> np.ndarray:
    bright = any(moment <= time_s + 1e-6 < moment + FLASH_S for moment in moments_s)
    return np.full((height * 3 // 2, width), 220 if bright else 30, np.uint8)


def _beeps(moments_s: list[float], sound_s: float) -> np.ndarray:
    times = np.arange(round(sound_s * RATE_HZ)) / RATE_HZ
    loud = sum(((times >= moment) & (times < moment + FLASH_S)) for moment in moments_s)
    return (12000 * loud * np.sin(2 * np.pi * 1000 * times)).astype(np.int16)


def _sound_frame(samples: np.ndarray, start: int, stream: Any) -> av.AudioFrame:
    frame = av.AudioFrame.from_ndarray(samples[None, :], "s16", "mono")
    frame.sample_rate, frame.pts, frame.time_base = RATE_HZ, start, Fraction(1, RATE_HZ)
    return frame


def flashes_s(path: Path) -> list[float]:
    """The times at which pictures become bright."""
    with av.open(path) as container:
        levels = [(float(f.time), f.to_ndarray(format="gray").mean() > 120) for f in container.decode(video=0)]
    return [time for (time, bright), (_, before) in zip(levels[1:], levels, strict=False) if bright and not before]


def beeps_s(path: Path) -> list[float]:
    """The times at which the sound becomes loud."""
    found: list[float] = []
    quiet_until = -1.0
    with av.open(path) as container:
        for frame in container.decode(audio=0):
            samples = frame.to_ndarray().astype(float)
            samples = samples[0] / (32768 if frame.format.name.startswith("s16") else 1)
            loud = np.flatnonzero(np.abs(samples) > 0.1)
            if loud.size and float(frame.time) > quiet_until:
                found.append(float(frame.time) + loud[0] / frame.sample_rate)
            if loud.size:
                quiet_until = float(frame.time) + 0.1
    return found


def offsets_s(path: Path) -> list[float]:
    """How much later than its flash each beep begins."""
    flashes, beeps = flashes_s(path), beeps_s(path)
    assert len(flashes) == len(beeps), (flashes, beeps)
    return [beep - flash for flash, beep in zip(flashes, beeps, strict=True)]
