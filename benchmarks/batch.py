"""A batch on one and on two processes, and what the scheduler costs."""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from time import monotonic, perf_counter, process_time
from typing import Any

from benchmarks.clips import clip_path
from texsamp.batch import Job, batch
from texsamp.batch.job import JobOutcome, run_job
from texsamp.process import process

_JOBS, _FRAMES = 8, 60
_PAIRS = 3
_FILTERS = "deinterlace=mode=hq:deint=all,scale=1280x720,sharpen=44"
_EMPTY_JOBS = 1000
_MODELED_WORKERS = 64


@dataclass(frozen=True)
class BatchRow:
    """workers: processes with a kernel thread each, beside the threads of codecs. speedup: against one process.

    core_s, core_speedup: the same with each process held to a core of its own, startup left out; core_cpu_s,
    core_cpu_speedup: by processor time of the process that needs most, which other work on the machine leaves alone.

    overhead_ms: of the scheduler for a job that does nothing. job_B: what is sent for a job. modeled_jobs_s: shortest
    jobs, in seconds, that 64 workers stay 95 % busy with, by overhead_ms.
    """

    workers: int
    jobs: int
    seconds: float
    speedup: float
    core_s: float
    core_speedup: float
    core_cpu_s: float
    core_cpu_speedup: float
    overhead_ms: float
    job_B: int  # noqa: N815 - the unit
    modeled_jobs_s: float


def scaling() -> list[BatchRow]:
    """Eight copies of a clip, on one and on two processes in turns; the shorter of two runs each."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        process(clip_path("bigbuckbunny.mp4"), folder / "0.mkv", frames=_FRAMES, device="cpu")
        for number in range(1, _JOBS):
            shutil.copy(folder / "0.mkv", folder / f"{number}.mkv")
        best = {1: float("inf"), 2: float("inf")}
        cores: dict[int, list[tuple[float, float]]] = {1: [], 2: []}
        for turn in range(2):
            for workers in (1, 2):
                best[workers] = min(best[workers], _seconds(folder, f"{turn}-{workers}", workers))
        for turn in range(_PAIRS):
            for workers in (1, 2):
                cores[workers].append(_on_cores(folder, f"cores-{turn}-{workers}", workers))
    overhead_ms, size_B = _overhead()
    enough = overhead_ms / 1e3 * _MODELED_WORKERS / 0.05
    wall = {workers: min(seconds for seconds, _ in found) for workers, found in cores.items()}
    cpu = {workers: min(seconds for _, seconds in found) for workers, found in cores.items()}
    return [
        BatchRow(
            n, _JOBS, best[n], best[1] / best[n], wall[n], wall[1] / wall[n], cpu[n], cpu[1] / cpu[n],
            overhead_ms, size_B, enough,
        )
        for n in best
    ]  # fmt: skip


def _jobs(folder: Path, out: str) -> list[Job]:
    return [
        Job(str(folder / f"{n}.mkv"), str(folder / out / f"{n}.mkv"), _FILTERS, "cpu", encoding={"lossless": True})
        for n in range(_JOBS)
    ]


def _on_cores(folder: Path, out: str, workers: int) -> tuple[float, float]:
    """Seconds until all jobs are done by processes that are held to a core each, and of the busiest one's processor."""
    (folder / out).mkdir()
    jobs, context = _jobs(folder, out), get_context("spawn")
    ready, told = context.Barrier(workers), context.Queue()
    cores = sorted(os.sched_getaffinity(0))[:workers]
    parts = [context.Process(target=_held, args=(core, jobs[n::workers], ready, told)) for n, core in enumerate(cores)]
    for part in parts:
        part.start()
    found = [told.get() for _ in parts]
    for part in parts:
        part.join()
    return max(end for _, end, _ in found) - min(begin for begin, _, _ in found), max(cpu for *_, cpu in found)


def _held(core: int, jobs: list[Job], ready: Any, told: Any) -> None:
    os.sched_setaffinity(0, {core})
    run_job(replace(jobs[0], target=f"{jobs[0].target}.first.mkv", frames=2), threads=1)
    ready.wait()
    begin, cpu = monotonic(), process_time()
    for job in jobs:
        assert run_job(job, threads=1).error is None
    told.put((begin, monotonic(), process_time() - cpu))


def _seconds(folder: Path, out: str, workers: int) -> float:
    jobs = _jobs(folder, out)
    begin = perf_counter()
    result = batch(jobs, folder / out, workers=workers, threads=1)
    assert not result.failed
    return perf_counter() - begin


def _nothing(job: Job) -> JobOutcome:
    return JobOutcome(job)


def _overhead() -> tuple[float, int]:
    import distributed

    job = Job("/folder/in.mkv", "/folder/out.mkv", _FILTERS, encoding={"crf": 20})
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit=0, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        begin = perf_counter()
        client.gather([client.submit(_nothing, job, pure=False) for _ in range(_EMPTY_JOBS)])
        return (perf_counter() - begin) / _EMPTY_JOBS * 1e3, len(pickle.dumps((run_job, job)))
