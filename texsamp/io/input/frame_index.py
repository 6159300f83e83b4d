"""When each frame of a file begins, so that one can be had by its number or time without reading all before it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import chain, pairwise
from threading import Lock
from typing import Protocol

from texsamp.errors import MediaError, StateError
from texsamp.io.frames.av_frame import seconds
from texsamp.io.input.picture_times import picture_times
from texsamp.io.input.stream_info import StreamInfo
from texsamp.video.frame import Frame

_WHOLE_PICTURES = ("matroska", "mov")
"""Parts of the names of containers whose packets hold whole pictures, if these have no fields."""
_ONE_OF_EACH = frozenset(
    "av1 dnxhd ffv1 ffvhuff h264 hevc huffyuv mjpeg mpeg2video mpeg4 png prores rawvideo utvideo".split()
)
"""Codecs that make one picture of each such packet."""
_READ_ON = 48
"""Frames that are decoded on the way to a later one rather than to seek."""
_TOLERANCE_S = Fraction(1, 1000)
"""By which times of containers are rounded."""


class OpenedFrames(Protocol):
    """What `VideoReader` is to an index: frames in order, and an end."""

    def __iter__(self) -> Iterator[Frame]:
        """The frames."""

    def close(self) -> None:
        """No more are wanted."""


def times_by_packets(path: str, info: StreamInfo) -> list[Fraction] | None:
    """When the frames begin, by packets alone; None where only decoding tells how many pictures these make."""
    known = info.codec in _ONE_OF_EACH and any(name in info.container for name in _WHOLE_PICTURES)
    if not known or info.field_order != "progressive":
        return None
    times = picture_times(path)
    return times if times and len(set(times)) == len(times) else None


class FrameIndex:
    """Frames of a file by number; times_s: when they begin, in order.

    ``open_at`` gives the frames from a time in the file on, or all of them for None. What was opened last stays open,
    for frames that follow. Threads may ask for frames, one after the other gets its own.
    """

    def __init__(self, times_s: list[Fraction], open_at: Callable[[Fraction | None], OpenedFrames]) -> None:
        self.times_s, self._open_at = times_s, open_at
        self._can_seek = all(before < after for before, after in pairwise(times_s))
        self._opened: OpenedFrames | None = None
        self._frames: Iterator[Frame] = iter(())
        self._next = 0
        self._lock = Lock()

    def number_at(self, time_s: Fraction) -> int:
        """The frame shown at a time in the file: the last that has begun. Raises StateError before the first."""
        number = bisect_right(self.times_s, time_s + _TOLERANCE_S) - 1
        if number < 0:
            raise StateError(f"no frame is shown yet: the first begins {float(self.times_s[0] - time_s):.3f} s later")
        return number

    def frame(self, number: int) -> Frame:
        """Frame ``number``, 0 the first. Raises MediaError if it cannot be read again."""
        with self._lock:
            if not self._next <= number < self._next + _READ_ON or self._opened is None:
                self._open(number)
            while (frame := next(self._frames, None)) is not None:
                self._next += 1
                if self._next > number:
                    return frame
            self.close()
        raise MediaError(f"frame {number} of {len(self.times_s)} cannot be read: the file has fewer frames than before")

    def _open(self, number: int) -> None:
        """Make ``number`` the next frame, by seeking where the file allows it."""
        self.close()
        if self._can_seek and number:
            try:
                self._opened = self._open_at(self.times_s[number])
                self._frames = iter(self._opened)
                first = next(self._frames, None)
            except MediaError:
                first = None
            if first is not None and seconds(first.pts, first.time_base) == self.times_s[number]:
                self._frames, self._next = chain([first], self._frames), number
                return
            self.close()
        self._opened = self._open_at(None)
        self._frames, self._next = iter(self._opened), 0

    def close(self) -> None:
        """Close what is open."""
        if self._opened is not None:
            self._opened.close()
        self._opened, self._frames, self._next = None, iter(()), 0
