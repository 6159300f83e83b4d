"""One segment at work, in whatever process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from time import monotonic
from typing import Generic, TypeVar

from texsamp.device import set_threads
from texsamp.errors import StateError
from texsamp.io import VideoReader
from texsamp.io.frames.av_frame import seconds
from texsamp.segments.cut import Segment
from texsamp.video.frame import Frame
from texsamp.video.memory import fingerprint, recalled, remembered
from texsamp.video.pipeline import Pipeline

_HALF_TICK_S = Fraction(1, 2000)
_COUNT_EVERY_S = 0.5
Made = TypeVar("Made")


@dataclass(frozen=True)
class Seam:
    """What two segments must agree in: the pictures that both read, and what filters remember after them."""

    pictures: tuple[str, ...]
    memory: str


@dataclass(frozen=True)
class SegmentResult(Generic[Made]):
    """What was ``made`` of a segment's pictures, both its seams, and what its filters remember at its end.

    ``frames_in`` of its own were read, ``interlaced`` of them so flagged. ``notes`` are the reader's and the filters'.
    """

    made: Made
    begin: Seam | None
    end: Seam | None
    memory: bytes | None
    frames_in: int
    interlaced: int
    notes: tuple[str, ...]


def run_segment(
    segment: Segment,
    work: Callable[[Iterable[Frame]], Made],
    threads: int | None = None,
    count_file: str | None = None,
) -> SegmentResult[Made]:
    """Filter a segment's pictures for ``work`` to make something of, with so many threads of kernels and decoder.

    ``count_file`` is told now and then how many have been read. Raises as `texsamp.process` does, StateError for
    filters that keep to their process.
    """
    if threads is not None:
        set_threads(threads)
    run = SegmentRun(segment, threads)
    made = work(run if count_file is None else _counted(run, count_file))
    return SegmentResult(made, run.begin, run.end, run.memory, run.frames_in, run.interlaced, tuple(run.notes))


class SegmentRun:
    """The pictures that a segment makes; after them, its seams and what its filters remember."""

    def __init__(self, segment: Segment, threads: int | None = None) -> None:
        self.segment = segment
        self.begin: Seam | None = None
        self.end: Seam | None = None
        self.memory: bytes | None = None
        self.frames_in = self.interlaced = 0
        self.notes: list[str] = []
        self._threads = threads
        self._order: bool | None = None

    def __iter__(self) -> Iterator[Frame]:
        segment = self.segment
        pipeline = Pipeline.parse(segment.vf, segment.device)
        if segment.memory is not None:
            pipeline = Pipeline(recalled(segment.memory), pipeline.device)
        reading = (segment.source, self._start_s, None, None, self._threads, segment.strict, segment.autorotate)
        with VideoReader(*reading) as reader:
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
                self.frames_in += 1
                self.interlaced += frame.interlaced
                yield from pipeline.feed(frame)
            if segment.end_s is None:
                yield from pipeline.flush()
            else:
                self.end = Seam(tuple(shared), fingerprint(pipeline.stages))
                self.memory = remembered(pipeline.stages)
            self.notes = [*reader.notes, *(text for stage in pipeline.stages for text in stage.notes)]

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


def _counted(run: SegmentRun, path: str) -> Iterator[Frame]:
    """The pictures; another process reads in a file how many have gone in."""
    due = monotonic()
    for frame in run:
        yield frame
        if monotonic() >= due:
            due = monotonic() + _COUNT_EVERY_S
            with suppress(OSError):  # it is only for people who look on
                Path(path).write_text(str(run.frames_in), encoding="ascii")


def counted(path: str) -> int:
    """How many pictures a segment has read; 0 where that is not known (yet)."""
    try:
        return int(Path(path).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0
