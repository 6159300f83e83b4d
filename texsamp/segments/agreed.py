"""All segments of a video, and whether they agree where they meet."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Generic

from texsamp.errors import StateError
from texsamp.segments.cut import Segment
from texsamp.segments.pool import Coming, Pool, Pools, processes
from texsamp.segments.run import Made, SegmentResult, counted, run_segment
from texsamp.video.frame import Frame

TOO_SHORT = "it is too short to be cut, or does not say when pictures are shown"
_LOOK_EVERY_S = 0.5


class NotInSegmentsError(StateError):
    """A video must be filtered in one run; the message says why."""


@dataclass(frozen=True)
class SegmentNote:
    """How a video was cut: how many ``segments``, and which of them, from 1, were filtered ``again`` and why."""

    segments: int
    again: tuple[int, ...] = ()
    whole: str = ""

    def __str__(self) -> str:
        if self.whole:
            return f"filtered as a whole: {self.whole}"
        numbers = ", ".join(map(str, self.again))
        again = f"; once more, since filters remember what came before: {numbers}" if numbers else ""
        return f"filtered in {self.segments} segments{again}"


@dataclass(frozen=True)
class SegmentTask(Generic[Made]):
    """A segment and what is to be made of its pictures; ``count_file`` is told how many have been read."""

    segment: Segment
    work: Callable[[Iterable[Frame]], Made]
    count_file: str | None = None


def agreed(
    tasks: Sequence[SegmentTask[Made]],
    note: Callable[[SegmentNote], None],
    threads: int | None = None,
    pools: Pools | None = None,
    progress: Callable[[int], None] | None = None,
) -> Iterator[SegmentResult[Made]]:
    """What was made of every segment, in their order, each as soon as its seam with the one before is known to agree.

    ``pools`` gives those who do it, by default processes of this machine, ``threads`` how many threads each has (None:
    a share of the cores). ``note`` is told what came of the seams, ``progress`` how many pictures have been read.
    Raises NotInSegmentsError for what cannot be cut, else as `run_segment` does.
    """
    share = threads or max(1, (os.cpu_count() or 1) // len(tasks))
    made, again = 0, []
    context: AbstractContextManager[Pool] = (pools or processes)(len(tasks))
    with context as pool:

        def begin(task: SegmentTask[Made]) -> Coming:
            return pool.submit(run_segment, task.segment, task.work, share, task.count_file)

        def end(coming: Coming, before: int, left: Sequence[SegmentTask[Made]]) -> SegmentResult[Made]:
            while True:
                try:
                    result: SegmentResult[Made] = coming.result(None if progress is None else _LOOK_EVERY_S)
                except TimeoutError:
                    assert progress is not None
                    progress(before + sum(counted(task.count_file) for task in left if task.count_file is not None))
                except StateError as error:
                    raise NotInSegmentsError(str(error)) from None
                else:
                    return result

        all_coming = [begin(task) for task in tasks]
        last: SegmentResult[Made] | None = None
        for number, task in enumerate(tasks):
            result = end(all_coming[number], made, tasks[number:])
            if last is not None and result.begin != last.end:
                assert result.begin is not None and last.end is not None
                if result.begin.pictures != last.end.pictures:
                    raise NotInSegmentsError("read from its middle it has other pictures")
                once_more = replace(task, segment=replace(task.segment, memory=last.memory))
                result = end(begin(once_more), made, tasks[number:])
                again.append(number + 1)
            made, last = made + result.frames_in, result
            yield result
    note(SegmentNote(len(tasks), tuple(again)))
