"""Times of fields: the second is shown halfway between its frame and the next one."""

from __future__ import annotations

from dataclasses import replace

from texsamp.video.frame import Frame


def at_field_rate(frame: Frame, fields: int) -> Frame:
    """A frame's first field, or with ``fields`` 2 the frame as a whole, in a time base of half the tick."""
    return replace(
        frame,
        time_base=None if frame.time_base is None else frame.time_base / 2,
        pts=None if frame.pts is None else 2 * frame.pts,
        duration=None if frame.duration is None else fields * frame.duration,
    )


def second_field(frame: Frame, length: int | None) -> Frame:
    """A frame's second field, when the next frame is shown ``length`` ticks after it (None: unknown)."""
    first = at_field_rate(frame, 1)
    length = length or frame.duration
    pts = None if first.pts is None else first.pts + (length or 1)
    return replace(first, pts=pts, duration=length)


def ticks_between(first: Frame, second: Frame) -> int | None:
    """How much later a frame is shown than another; None if that is not known."""
    if first.pts is None or second.pts is None or first.time_base != second.time_base:
        return None
    return second.pts - first.pts
