"""Two threads of one process against two processes with a thread each, which work at the same time."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from time import perf_counter, process_time

import texsamp as ts
from benchmarks.clips import decoded, interlaced, to_texsamp
from benchmarks.peers import FilterGraph
from texsamp.device import CpuDevice
from texsamp.video.pipeline import Pipeline

_TURNS, _TURN_S = 15, 0.15
_WARM_UP = 12
_CASES = {
    "deinterlace=mode=bob:deint=all:rate=field": 1080,
    "deinterlace=mode=madi:deint=all:rate=field": 1080,
    "denoise=40": 1080,
    "denoise": 1080,
    "scale=1920x1080": 720,
    "scale=1280x720": 1080,
    "denoise,deinterlace=mode=madi:deint=all,scale=1920x1080,sharpen=44": 720,
}
"""Filters and the lines of their pictures."""
_LEVEL = "v3"


@dataclass(frozen=True)
class ThreadsRow:
    """Wall time per frame of one process alone, of each of two at once, and of one with two threads; medians of turns.

    cpu: processor time per frame. ratio: frames that two threads make over those of the two processes, with quartiles.
    """

    filters: str
    level: str
    one_ms: float
    each_of_two_ms: float
    two_threads_ms: float
    one_cpu_ms: float
    each_of_two_cpu_ms: float
    two_threads_cpu_ms: float
    ratio: float
    ratio_low: float
    ratio_high: float


def threads() -> list[ThreadsRow]:
    """Single filters and a chain at x86-64-v3, as pipelines."""
    return [_row(filters) for filters in _CASES]


def _row(filters: str) -> ThreadsRow:
    first, second, both = (_Worker(filters, count) for count in (1, 1, 2))
    found: dict[int, list[tuple[float, float]]] = {1: [], 2: [], 3: []}
    for _ in range(_TURNS):
        for key, workers in enumerate(([first], [first, second], [both]), start=1):
            found[key].append(_turn(workers))
    for worker in (first, second, both):
        worker.end()
    one, each, two = ([statistics.median(column) for column in zip(*found[key], strict=True)] for key in (1, 2, 3))
    low, middle, high = statistics.quantiles(
        [apart / together for (apart, _), (together, _) in zip(found[2], found[3], strict=True)], n=4
    )
    times = one[0], 2 * each[0], two[0], one[1], each[1], two[1]
    return ThreadsRow(filters, _LEVEL, *times, middle, low, high)


class _Worker:
    """A process that filters until a time is over, whenever it is told to."""

    def __init__(self, filters: str, count: int) -> None:
        context = get_context("spawn")
        self.pipe, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, filters, count))
        self._process.start()
        assert self.pipe.recv() == "ready"

    def end(self) -> None:
        self.pipe.send(0.0)
        self._process.join()


def _turn(workers: Sequence[_Worker]) -> tuple[float, float]:
    """Wall time per frame that all of them make together, and processor time per frame."""
    for worker in workers:
        worker.pipe.send(_TURN_S)
    found = [worker.pipe.recv() for worker in workers]
    return 1e3 / sum(rate for rate, _ in found), 1e3 * statistics.mean(cpu for _, cpu in found)


def _serve(pipe: Connection, filters: str, count: int) -> None:
    ts.set_threads(count)
    run = _frame_by_frame(filters)
    for _ in range(_WARM_UP):
        run()
    pipe.send("ready")
    while turn_s := pipe.recv():
        frames, begin, cpu = 0, perf_counter(), process_time()
        while perf_counter() - begin < turn_s:
            run()
            frames += 1
        pipe.send((frames / (perf_counter() - begin), (process_time() - cpu) / frames))


def _frame_by_frame(filters: str) -> Callable[[], None]:
    device, lines = CpuDevice(_LEVEL), _CASES[filters]
    source = list(decoded("bigbuckbunny.mp4", limit=8))
    if lines != source[0].height:
        enlarge = FilterGraph(source[0], "scale", f"-2:{lines}:flags=lanczos")
        source = [enlarge(frame) for frame in source]
    if "deinterlace" in filters:
        source = interlaced(source)
    endless = itertools.cycle([to_texsamp(frame, device) for frame in source])
    pipeline = Pipeline(Pipeline.parse(filters, "cpu").stages, device)

    def run() -> None:
        for _ in pipeline.feed(next(endless)):
            pass

    return run
