"""When the pictures of a file are shown, from its packets alone."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import av

from texsamp.errors import MediaError
from texsamp.io.files.ffmpeg_log import failure_reason
from texsamp.io.input.container import open_container, packets_of, video_stream
from texsamp.io.input.continuous_time import ContinuousTime, clock_may_jump, heard
from texsamp.io.input.counted_times import CONTAINER

_LONGEST_HELD_S = 2
"""Beyond that a decoder has shown the picture before its time stamp says so: 16 pictures are the most that it holds."""


def picture_times(path: str) -> list[Fraction]:
    """Seconds, in order; none where a packet says no time. Raises MediaError for what cannot be read."""
    times = []
    with open_container(path) as container:
        stream = video_stream(container, path)
        try:
            for packet in packets_of(container, stream):
                if packet.size and not packet.is_discard:
                    pts = packet.dts if container.format.name == CONTAINER else packet.pts
                    if pts is None:
                        return []
                    times.append(pts * packet.time_base)
        except (av.FFmpegError, OSError) as error:
            raise MediaError(f"{path}: cannot be read further: {failure_reason(error, [])}") from error
    return sorted(times)


def times_are_as_stored(path: str) -> bool:
    """Whether a reader moves no picture, as it does where time starts again and where a single time stamp is wrong.

    Of containers whose clock may jump. Raises MediaError for what cannot be read.
    """
    stored, longest_held_s = [], Fraction(0)
    with open_container(path) as container:
        if not clock_may_jump(container):
            return True
        stream = video_stream(container, path)

        def read() -> Iterator[av.Packet[Any]]:
            nonlocal longest_held_s
            for packet in packets_of(container, stream, *heard(container)):
                if packet.stream.index == stream.index:
                    stored.append(packet.pts)
                    if packet.pts is not None and packet.dts is not None:
                        longest_held_s = max(longest_held_s, (packet.pts - packet.dts) * packet.time_base)
                yield packet

        try:
            told = ContinuousTime(stream.index, jumps=True).moved(read())
            moved = [packet.pts for packet in told if packet.stream.index == stream.index]
        except (av.FFmpegError, OSError) as error:
            raise MediaError(f"{path}: cannot be read further: {failure_reason(error, [])}") from error
        return stored == moved and longest_held_s <= _LONGEST_HELD_S
