"""The part of a video that is wanted: when it begins, how long it is, how many frames it has."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from operator import index
from typing import SupportsIndex

from texsamp.errors import StateError
from texsamp.io.frames.av_frame import seconds
from texsamp.io.input.av_source import AvSource
from texsamp.io.input.damage import Damage
from texsamp.io.input.y4m import Y4mSource
from texsamp.video.frame import Frame

_TOLERANCE_S = Fraction(1, 1000)
"""How far a time stamp may lie before a cut and still count as on it: containers round to the millisecond."""

_MAX_S = 10**9
"""Latest time a cut may name; FFmpeg counts microseconds in 64 bits."""


def exact_seconds(value: float | Fraction | None, name: str) -> Fraction | None:
    """The time a person wrote, as a fraction. Raises StateError if it is negative or above 10**9 s."""
    if value is None:
        return None
    try:
        exact = value if isinstance(value, Fraction) else Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        raise StateError(f"{name} must be a number of seconds from 0 to {_MAX_S}, found {value!r}") from None
    if exact < 0:
        raise StateError(f"{name} must not be negative, found {value} s")
    if exact > _MAX_S:
        raise StateError(f"{name} must be at most {_MAX_S} s, found {value} s")
    return exact


def exact_duration(value: float | Fraction | None) -> Fraction | None:
    """How long a part is to be, as a fraction. Raises StateError below a millisecond."""
    exact = exact_seconds(value, "duration")
    if exact is not None and exact <= _TOLERANCE_S:
        raise StateError(f"duration must be more than {float(_TOLERANCE_S)} s, found {value} s")
    return exact


def exact_count(value: int | None, what: str) -> int | None:
    """How many, if anyone says so. Raises StateError for what is no integer from 1 on."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise StateError(f"the number of {what} must be an integer of at least 1, found {value!r}")
    if index(value) < 1:
        raise StateError(f"the number of {what} must be at least 1, found {value}")
    return index(value)


class Cut:
    """The part of a stream that is wanted, the time at which it ends, and the times of the frames next to it."""

    def __init__(
        self, start_s: Fraction | None, duration_s: Fraction | None, max_frames: int | None, damage: Damage
    ) -> None:
        self.start_s, self.duration_s, self.max_frames = start_s, duration_s, max_frames
        self._damage = damage
        self.end_s: Fraction | None = None
        self.last_before_s: Fraction | None = None
        self.next_after_s: Fraction | None = None

    def frames(self, source: AvSource | Y4mSource) -> Iterator[Frame]:
        """The wanted frames of a source."""
        begin = None if self.start_s is None else source.info.start_s + self.start_s
        end: Fraction | None = None
        count = 0
        for frame in source.frames(begin):
            time = seconds(frame.pts, frame.time_base) or Fraction(0)
            if begin is not None and time < begin - _TOLERANCE_S:
                self.last_before_s = time
                continue
            if end is None and self.duration_s is not None:
                end = (time if begin is None else begin) + self.duration_s
            if end is not None and time >= end - _TOLERANCE_S:
                self.end_s, self.next_after_s = end, time
                return
            if frame.damaged:
                self._damage.picture(time - source.info.start_s)
            yield frame
            count += 1
            if count == self.max_frames:
                self.end_s = time + (seconds(frame.duration, frame.time_base) or 0)
                return
