"""Where a video is cut into segments."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from fractions import Fraction

from texsamp.device.arguments import is_integer
from texsamp.errors import StateError
from texsamp.io import VideoReader
from texsamp.io.input.picture_times import picture_times

WARM_UP = 48
"""Pictures before a segment's first.

Where nothing moves the deinterlacer forgets what was before 23, elsewhere sooner; other filters never do.
"""
SHORTEST = 320
"""Pictures of a segment: with fewer, too many are filtered twice; and where flags do not tell which field comes first,
reading has found it out by then, or given up."""
MOST = 1024
"""Segments of a video."""


@dataclass(frozen=True)
class Segment:
    """Pictures of a video from ``first_s`` to before ``end_s``, as words that travel; None is its begin or end.

    Times are the input's, which begins at ``origin_s``. Pictures from ``warm_s`` on are fed before; those from
    ``overlap_s`` on the next one feeds, too. With ``memory`` the filters are those that made the segment before.
    """

    source: str
    vf: str
    device: str
    origin_s: Fraction = Fraction(0)
    warm_s: Fraction | None = None
    first_s: Fraction | None = None
    overlap_s: Fraction | None = None
    end_s: Fraction | None = None
    memory: bytes | None = None
    strict: bool = False
    autorotate: bool = True


def check_segments(count: int, part: tuple[float | int | None, ...]) -> None:
    """Refuse a number of segments that is none, and segments of a ``part`` (start, duration, frames). StateError."""
    if not (is_integer(count) and 1 <= count <= MOST):
        raise StateError(f"the number of segments must be an integer from 1 to {MOST}, found {count!r}")
    if count > 1 and any(value is not None for value in part):
        raise StateError("segments are those of a whole file: leave out start, duration and frames")


def plan_segments(whole: Segment, count: int) -> list[Segment]:
    """At most ``count`` segments of a video, of about as many pictures, none of less than `SHORTEST`.

    One, where its packets do not say when pictures are shown, or it is no file.
    """
    times = picture_times(whole.source) if os.path.isfile(whole.source) else []
    count = max(1, min(count, len(times) // SHORTEST))
    if count == 1:
        return [whole]
    with VideoReader(whole.source, max_frames=1) as reader:
        origin_s = reader.info.start_s
    cuts = [len(times) * n // count for n in range(1, count)]
    begins = [(None, None), *((times[cut - WARM_UP], times[cut]) for cut in cuts)]
    ends = [*begins[1:], (None, None)]
    return [
        replace(whole, origin_s=origin_s, warm_s=warm, first_s=first, overlap_s=overlap, end_s=end)
        for (warm, first), (overlap, end) in zip(begins, ends, strict=True)
    ]
