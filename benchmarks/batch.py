"""A batch on one and on two processes, and what the scheduler costs."""

from __future__ import annotations

import pickle
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from benchmarks.clips import clip_path
from texsamp.batch import Job, batch
from texsamp.batch.job import JobOutcome, run_job
from texsamp.process import process

_JOBS, _FRAMES = 8, 60
_FILTERS = "deinterlace=mode=hq:deint=all,scale=1280x720,sharpen=44"
_EMPTY_JOBS = 1000
_MODELED_WORKERS = 64


@dataclass(frozen=True)
class BatchRow:
    """workers: processes with a thread each. speedup: against one process, over jobs' own time only and over all of it.

    overhead_ms: of the scheduler for a job that does nothing. job_B: what is sent for a job. modeled_jobs_s: shortest
    jobs, in seconds, that 64 workers stay 95 % busy with, by overhead_ms.
    """

    workers: int
    jobs: int
    seconds: float
    speedup: float
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
        for turn in range(2):
            for workers in (1, 2):
                best[workers] = min(best[workers], _seconds(folder, f"{turn}-{workers}", workers))
    overhead_ms, size_B = _overhead()
    enough = overhead_ms / 1e3 * _MODELED_WORKERS / 0.05
    return [
        BatchRow(workers, _JOBS, seconds, best[1] / seconds, overhead_ms, size_B, enough)
        for workers, seconds in best.items()
    ]


def _seconds(folder: Path, out: str, workers: int) -> float:
    jobs = [
        Job(str(folder / f"{n}.mkv"), str(folder / out / f"{n}.mkv"), _FILTERS, "cpu", encoding={"lossless": True})
        for n in range(_JOBS)
    ]
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
