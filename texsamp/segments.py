"""A long video in segments, filtered at once by several processes, each picture as one run makes it (docs/batch.md).

A segment begins with pictures before its first, which warm its filters up. Where it begins for good, filters must
remember exactly what those of the segment before do at its end; else it is filtered again from what those remember.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from multiprocessing import active_children, get_context

from texsamp.device import set_threads
from texsamp.errors import MediaError, StateError
from texsamp.io import VideoReader
from texsamp.io.av_frame import seconds
from texsamp.io.frame_hashes import FrameHash
from texsamp.io.picture_times import picture_times
from texsamp.video.frame import Frame
from texsamp.video.memory import fingerprint, recalled, remembered
from texsamp.video.pipeline import Pipeline

WARM_UP = 48
"""Pictures before a segment's first. The deinterlacer forgets what was before 16; others never do."""
SHORTEST = 320
"""Pictures of a segment: with fewer, too many are filtered twice; and where flags do not tell which field comes first,
reading has found it out by then, or given up."""
_HALF_TICK_S = Fraction(1, 2000)


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


@dataclass(frozen=True)
class Seam:
    """What two segments must agree in: the pictures that both read, and what filters remember after them."""

    pictures: tuple[str, ...]
    memory: str


@dataclass(frozen=True)
class SegmentResult:
    """Hashes of the pictures that a segment makes, both its seams, and what its filters remember at its end."""

    hashes: tuple[FrameHash, ...]
    begin: Seam | None
    end: Seam | None
    memory: bytes | None


def plan_segments(whole: Segment, count: int, shortest: int = SHORTEST) -> list[Segment]:
    """At most ``count`` segments of a video, of about as many pictures, none of less than ``shortest``.

    One, where its packets do not say when pictures are shown, or it is no file.
    """
    times = picture_times(whole.source) if os.path.isfile(whole.source) else []
    count = max(1, min(count, len(times) // shortest))
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


def run_segment(segment: Segment, threads: int | None = None) -> SegmentResult:
    """Filter a segment's pictures. Raises as `texsamp.process`, StateError for filters that keep to their process."""
    if threads is not None:
        set_threads(threads)
    run = _Run(segment)
    hashes = tuple(FrameHash.of(made) for made in run)
    return SegmentResult(hashes, run.begin, run.end, run.memory)


class _Run:
    """The pictures that a segment makes; after them, its seams and what its filters remember."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.begin: Seam | None = None
        self._order: bool | None = None
        self.end: Seam | None = None
        self.memory: bytes | None = None

    def __iter__(self) -> Iterator[Frame]:
        segment = self.segment
        pipeline = Pipeline.parse(segment.vf, segment.device)
        if segment.memory is not None:
            pipeline = Pipeline(recalled(segment.memory), pipeline.device)
        source, strict = segment.source, segment.strict
        with VideoReader(source, self._start_s, strict=strict, autorotate=segment.autorotate) as reader:
            before: list[str] = []
            shared: list[str] = []
            for frame in reader:
                time = seconds(frame.pts, frame.time_base)
                if _reaches(time, segment.end_s):
                    break
                if _reaches(time, segment.overlap_s):
                    shared.append(fingerprint(frame))
                if segment.first_s is not None and not _reaches(time, segment.first_s):
                    self._order = _unflagged_order(frame, self._order)
                    before.append(fingerprint(frame))
                    if segment.memory is None:
                        _drop(pipeline.feed(frame))
                    continue
                self._begin(before, pipeline, frame)
                yield from pipeline.feed(frame)
            if segment.end_s is None:
                yield from pipeline.flush()
            else:
                self.end = Seam(tuple(shared), fingerprint(pipeline.stages))
                self.memory = remembered(pipeline.stages)

    @property
    def _start_s(self) -> Fraction | None:
        """Where to begin to read, from the input's begin on."""
        segment = self.segment
        return None if segment.warm_s is None else max(segment.warm_s - segment.origin_s, Fraction(0))

    def _begin(self, before: list[str], pipeline: Pipeline, frame: Frame) -> None:
        """Before a picture of the segment itself is fed."""
        if self.segment.first_s is None:
            return
        if self.begin is None:
            self.begin = Seam(tuple(before), fingerprint(pipeline.stages))
        if _unflagged_order(frame, self._order) != self._order:
            raise StateError("which of its fields comes first is found out by looking at all pictures before")


def _unflagged_order(frame: Frame, known: bool | None) -> bool | None:
    """Whether the top field comes first, where reading had to look; else what is ``known``."""
    return known if frame.interlaced or frame.repeat_fields else frame.top_field_first


def _reaches(time: Fraction | None, limit_s: Fraction | None) -> bool:
    return limit_s is not None and time is not None and time > limit_s - _HALF_TICK_S


def _drop(frames: Iterator[Frame]) -> None:
    for _ in frames:
        pass


@dataclass(frozen=True)
class SegmentNote:
    """How a video was cut: how many ``segments``, and which of them, from 1, were filtered ``again`` and why."""

    segments: int
    again: tuple[int, ...] = ()
    whole: str = ""

    def __str__(self) -> str:
        if self.whole:
            return f"filtered as a whole: {self.whole}"
        again = (
            f", {', '.join(map(str, self.again))} of them after the one before: filters remember it"
            if self.again
            else ""
        )
        return f"filtered in {self.segments} segments{again}"


def hash_segments(
    whole: Segment, segments: Sequence[Segment], note: Callable[[SegmentNote], None], threads: int | None = None
) -> Iterator[FrameHash]:
    """The hashes of the pictures of one run, made by a process for each of its `plan_segments`.

    ``note`` is told what came of the seams. Raises as `run_segment` does.
    """
    if len(segments) == 1:
        if threads is not None:
            set_threads(threads)
        yield from _as_a_whole(whole, 0, "it is too short to be cut, or does not say when pictures are shown", note)
        return
    share = threads or max(1, (os.cpu_count() or 1) // len(segments))
    made, again = 0, []
    with _processes(len(segments)) as pool:
        futures = [pool.submit(run_segment, segment, share) for segment in segments]
        last: SegmentResult | None = None
        for number, (segment, future) in enumerate(zip(segments, futures, strict=True), start=1):
            try:
                result = future.result()
            except StateError as error:
                yield from _as_a_whole(whole, made, str(error), note)
                return
            if last is not None and result.begin != last.end:
                assert result.begin is not None and last.end is not None
                if result.begin.pictures != last.end.pictures:
                    yield from _as_a_whole(whole, made, "read from its middle it has other pictures", note)
                    return
                result = pool.submit(run_segment, replace(segment, memory=last.memory), share).result()
                again.append(number)
            yield from result.hashes
            made, last = made + len(result.hashes), result
    note(SegmentNote(len(segments), tuple(again)))


@contextmanager
def _processes(count: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that do not outlive what they are for. MediaError if one of them dies."""
    others = set(active_children())
    pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"))
    try:
        yield pool
    except BrokenExecutor:
        raise MediaError("a process that filtered a segment died") from None
    finally:
        for process in set(active_children()) - others:
            process.terminate()
        pool.shutdown(cancel_futures=True)


def _as_a_whole(whole: Segment, made: int, why: str, note: Callable[[SegmentNote], None]) -> Iterator[FrameHash]:
    """One run, less the pictures that there are already."""
    note(SegmentNote(1, whole=why))
    for number, frame in enumerate(_Run(whole)):
        if number >= made:
            yield FrameHash.of(frame)
