"""Times of a film's pictures: equally long within a cycle, and never adrift from the fields they are made of (ours)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from texsamp.video.frame import Frame

TICKS = 20
"""Into how many parts a tick is divided so that pictures of every cadence can last equally long."""


class FilmTimes:
    """Gives pictures their times; one is held back until the next one tells how long it lasts.

    Every picture's time follows from that of its own field, so that nothing adds up.
    """

    def __init__(self) -> None:
        self._held: Frame | None = None
        self._last: tuple[Frame, int | None] | None = None

    def picture(self, frame: Frame, field: int, ticks: int | None, lead_fields: Fraction) -> Iterator[Frame]:
        """The picture of a field (0 or 1) of a frame that lasts ``ticks``, due ``lead_fields`` later than its field."""
        length = ticks or frame.duration or 1
        fields = field + lead_fields
        yield from self._next(frame, round(fields * length * TICKS / 2))

    def progressive(self, frame: Frame) -> Iterator[Frame]:
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
        made = replace(
            frame,
            time_base=None if frame.time_base is None else frame.time_base / TICKS,
            pts=pts,
            duration=None if frame.duration is None else frame.duration * TICKS,
        )
        if held is not None and held.pts is not None and pts is not None and held.time_base == made.time_base:
            made = replace(made, pts=max(pts, held.pts + 1))
            held = replace(held, duration=max(pts, held.pts + 1) - held.pts)
        self._held = made
        if held is not None:
            yield held
