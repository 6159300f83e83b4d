"""Which fields are shown, and when: one frame of each, one of each field, or one of each picture of a film."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Literal, Protocol

from texsamp.video.film.planner import FieldVerdict
from texsamp.video.frame import Frame

Rate = Literal["frame", "field", "film"]


class Pace(Protocol):
    """What a rate decides; ``field`` is 0 for the first field of a frame in time, 1 for the second."""

    def shows(self, field: int, verdict: FieldVerdict | None) -> bool:
        """Whether a field is shown, after film mode's verdict on it."""

    def timed(self, made: Frame, field: int, ticks: int | None, lead_fields: Fraction) -> Iterator[Frame]:
        """What goes out when a field has been made, whose frame lasts ``ticks`` (None: unknown)."""

    def passed(self, frame: Frame) -> Iterator[Frame]:
        """What goes out for a frame that is not interlaced."""

    def flush(self) -> Iterator[Frame]:
        """What is still held."""


class FramePace:
    """One frame of the first field of each, at the frame's time."""

    def shows(self, field: int, verdict: FieldVerdict | None) -> bool:
        """The first ones are."""
        return field == 0

    def timed(self, made: Frame, field: int, ticks: int | None, lead_fields: Fraction) -> Iterator[Frame]:
        """At the time of its frame."""
        yield made

    def passed(self, frame: Frame) -> Iterator[Frame]:
        """The frame as it is."""
        yield frame

    def flush(self) -> Iterator[Frame]:
        """Nothing is held."""
        yield from ()


class FieldPace(FramePace):
    """One frame of each field, the second halfway between its frame and the next one, in half the tick."""

    def shows(self, field: int, verdict: FieldVerdict | None) -> bool:
        """All are."""
        return True

    def timed(self, made: Frame, field: int, ticks: int | None, lead_fields: Fraction) -> Iterator[Frame]:
        """In a time base of half the tick."""
        yield _second_field(made, ticks) if field else _at_field_rate(made, 1)

    def passed(self, frame: Frame) -> Iterator[Frame]:
        """For as long as two fields."""
        yield _at_field_rate(frame, 2)


def _at_field_rate(frame: Frame, fields: int) -> Frame:
    """A frame's first field, or with ``fields`` 2 the frame as a whole, in a time base of half the tick."""
    return frame.told(
        time_base=None if frame.time_base is None else frame.time_base / 2,
        pts=None if frame.pts is None else 2 * frame.pts,
        duration=None if frame.duration is None else fields * frame.duration,
    )


def _second_field(frame: Frame, ticks: int | None) -> Frame:
    first = _at_field_rate(frame, 1)
    length = ticks or frame.duration
    pts = None if first.pts is None else first.pts + (length or 1)
    return first.told(pts=pts, duration=length)


TICKS = 20
"""Into how many parts a tick is divided so that pictures of every cadence can last equally long."""


class FilmPace:
    """Each picture of a film once: equally long within a cycle, never adrift from the fields they are made of (ours).

    Every picture's time follows from that of its own field, so that nothing adds up. One is held back until the next
    one tells how long it lasts.
    """

    def __init__(self) -> None:
        self._held: Frame | None = None
        self._last: tuple[Frame, int | None] | None = None

    def shows(self, field: int, verdict: FieldVerdict | None) -> bool:
        """One of each picture is."""
        return verdict is None or verdict.shown

    def timed(self, made: Frame, field: int, ticks: int | None, lead_fields: Fraction) -> Iterator[Frame]:
        """The picture before, now that it is known how long it lasts."""
        length = ticks or made.duration or 1
        yield from self._next(made, round((field + lead_fields) * length * TICKS / 2))

    def passed(self, frame: Frame) -> Iterator[Frame]:
        """A frame as it is. Of one that shows a field three times and one that does not, the second comes earlier."""
        late = 0
        if self._last is not None and self._last[0].pts is not None and frame.pts is not None:
            before, repeats = self._last
            if repeats == 1 and not frame.repeat_fields and before.time_base == frame.time_base:
                late = (frame.pts - before.pts) * TICKS // 6 if before.pts is not None else 0
        self._last = frame, frame.repeat_fields
        yield from self._next(frame, -late)

    def flush(self) -> Iterator[Frame]:
        """The last picture, which lasts as long as its frame."""
        held, self._held, self._last = self._held, None, None
        if held is not None:
            yield held

    def _next(self, frame: Frame, shift: int) -> Iterator[Frame]:
        held = self._held
        pts = None if frame.pts is None else frame.pts * TICKS + shift
        made = frame.told(
            time_base=None if frame.time_base is None else frame.time_base / TICKS,
            pts=pts,
            duration=None if frame.duration is None else frame.duration * TICKS,
        )
        if held is not None and held.pts is not None and pts is not None and held.time_base == made.time_base:
            made = made.told(pts=max(pts, held.pts + 1))
            held = held.told(duration=max(pts, held.pts + 1) - held.pts)
        self._held = made
        if held is not None:
            yield held


PACES: dict[Rate, type[FramePace] | type[FilmPace]] = {"frame": FramePace, "field": FieldPace, "film": FilmPace}
