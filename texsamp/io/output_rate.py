"""The frame rate of an output, and the time that is its zero, from its first frame and the input it was made of."""

from __future__ import annotations

import math
from fractions import Fraction

from texsamp.io.reader import VideoReader
from texsamp.video.frame import Frame


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
