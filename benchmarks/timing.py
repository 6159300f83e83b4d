"""Timing of contenders in turn, so that a machine whose speed drifts treats all of them alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


@dataclass
class Contender:
    """Something that processes one frame per call; ``setup`` runs before each of its turns."""

    name: str
    run: Callable[[], object]
    setup: Callable[[], object] = lambda: None
    wall_ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Row:
    """One line of a result table. Times are milliseconds per frame; ``ratio`` is CPU time over the baseline's."""

    benchmark: str
    name: str
    threads: int
    wall_median_ms: float
    cpu_median_ms: float
    cpu_low_ms: float
    cpu_high_ms: float
    ratio: float


def measure(
    benchmark: str, contenders: Sequence[Contender], baseline: str, threads: int, rounds: int = 15, frames: int = 6
) -> list[Row]:
    """Run every contender ``rounds`` times for ``frames`` frames each, in turn, after one warm-up turn.

    CPU time is that of the whole process (all threads), per frame; the spread is the quartiles of the rounds.
    """
    for number in range(rounds + 1):
        for contender in contenders:
            contender.setup()
            contender.run()
            wall, cpu = time.perf_counter(), time.process_time()
            for _ in range(frames):
                contender.run()
            if number:
                contender.wall_ms.append((time.perf_counter() - wall) * 1e3 / frames)
                contender.cpu_ms.append((time.process_time() - cpu) * 1e3 / frames)
    base = next(c for c in contenders if c.name == baseline)
    rows = []
    for contender in contenders:
        low, median, high = statistics.quantiles(contender.cpu_ms, n=4)
        pairs = [ours / theirs for ours, theirs in zip(contender.cpu_ms, base.cpu_ms, strict=True)]
        wall = statistics.median(contender.wall_ms)
        rows.append(Row(benchmark, contender.name, threads, wall, median, low, high, statistics.median(pairs)))
    return rows
