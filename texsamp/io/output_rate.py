"""The frame rate of an output, from its first frame and the input it was made of."""

from __future__ import annotations

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
