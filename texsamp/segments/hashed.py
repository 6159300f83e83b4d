"""The hashes of a video's pictures, found in segments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from texsamp.device import set_threads
from texsamp.io.frame_hashes import FrameHash
from texsamp.segments.agreed import TOO_SHORT, NotInSegmentsError, SegmentNote, SegmentTask, agreed
from texsamp.segments.cut import Segment
from texsamp.segments.run import SegmentRun
from texsamp.video.frame import Frame


def hashes_of(frames: Iterable[Frame]) -> tuple[FrameHash, ...]:
    """The hash of every picture."""
    return tuple(map(FrameHash.of, frames))


def hash_segments(
    whole: Segment, segments: Sequence[Segment], note: Callable[[SegmentNote], None], threads: int | None = None
) -> Iterator[FrameHash]:
    """The hashes of the pictures of one run, made by a process for each of its `plan_segments`.

    ``note`` is told what came of the seams. Raises as `run_segment` does.
    """
    made = 0
    try:
        if len(segments) == 1:
            raise NotInSegmentsError(TOO_SHORT)
        for result in agreed([SegmentTask(segment, hashes_of) for segment in segments], note, threads):
            yield from result.made
            made += len(result.made)
    except NotInSegmentsError as error:
        note(SegmentNote(1, whole=str(error)))
        if threads is not None:
            set_threads(threads)
        for number, frame in enumerate(SegmentRun(whole, threads)):
            if number >= made:
                yield FrameHash.of(frame)
