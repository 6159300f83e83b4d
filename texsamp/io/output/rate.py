"""The frame rate of an output, and the time that is its zero, from its first frame and the input it was made of."""

from __future__ import annotations

import math
from fractions import Fraction
from numbers import Rational

from texsamp.device.arguments import is_real
from texsamp.errors import StateError
from texsamp.io.input.reader import VideoReader
from texsamp.video.frame import Frame

_MOST_RATE = 1000
_SCALE = 1001  # of broadcast rates: 30000/1001


def exact_rate(frame_rate: float | Fraction) -> Fraction:
    """Frames per second that someone asks for; of a float the near rate that containers hold. Raises StateError."""
    if not is_real(frame_rate) or not 0 < frame_rate <= _MOST_RATE:
        raise StateError(f"frame_rate must be above 0 to {_MOST_RATE}, found {frame_rate!r}")
    exact = Fraction(frame_rate)
    return exact if isinstance(frame_rate, Rational) else exact.limit_denominator(_SCALE)


def output_frame_rate(frame: Frame, reader: VideoReader | None) -> Fraction:
    """Frames per second of the output: the input's, times how much shorter the frames have become."""
    if frame.duration and frame.time_base:
        length = frame.duration * frame.time_base
        if reader is not None and reader.frame_rate:
            first = reader.first_frame
            before = (first.duration or 0) * (first.time_base or 0)
            return reader.frame_rate * (before / length if before else 1)
        return (1 / length).limit_denominator(1001)
    return (reader.frame_rate if reader is not None else None) or Fraction(25)


_NEAR = Fraction(1, 20)
"""Share of a frame's time that is not worth another frame: containers round time stamps."""


def counted_origin_s(origin_s: Fraction, first: Frame, rate: Fraction) -> Fraction:
    """The zero of an output that counts frames: ``origin_s`` or as little before it as puts the first frame on a count.

    Else it would be moved to one by up to half a frame, and sound would not be with it.
    """
    if first.pts is None or first.time_base is None:
        return origin_s
    first_s = first.pts * first.time_base
    return first_s - math.ceil((first_s - origin_s) * rate - _NEAR) / rate
