"""A frame as the deinterlacer takes it: with its field order, and what becomes of its fields."""

from __future__ import annotations

from dataclasses import dataclass

from texsamp.video.film.planner import FieldVerdict
from texsamp.video.frame import Frame


@dataclass(frozen=True, eq=False)
class PlannedFrame:
    """A frame, the parity of its first field, and whether it is interlaced at all.

    ``has_order`` says that somebody has told that parity. ``frame`` is worked on, and is ``given`` or the same picture
    with a plane for each component.
    ``verdicts`` say what film mode found about its two fields in time, and ``variances`` are those it measured; None
    without film mode.
    """

    frame: Frame
    given: Frame
    first_parity: int
    interlaced: bool = True
    has_order: bool = True
    verdicts: tuple[FieldVerdict | None, FieldVerdict | None] = (None, None)
    variances: tuple[int, ...] | None = None

    def is_followed_by(self, other: PlannedFrame) -> bool:
        """Whether the other is the next one of the same stream, with the same field first."""
        return self.first_parity == other.first_parity and self.is_before(other)

    def is_before(self, other: PlannedFrame) -> bool:
        """Whether the other may be the next one of the same stream: the same kind of picture, later in time."""
        a, b = self.given, other.given
        ticks = ticks_between(a, b)
        return (
            (a.layout, a.width_px, a.height_px) == (b.layout, b.width_px, b.height_px)
            and a.device is b.device
            and (ticks is None or ticks > 0)
        )


def ticks_between(first: Frame, second: Frame) -> int | None:
    """How much later a frame is shown than another; None if that is not known."""
    if first.pts is None or second.pts is None or first.time_base != second.time_base:
        return None
    return second.pts - first.pts
