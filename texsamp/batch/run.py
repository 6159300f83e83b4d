"""Jobs on worker processes, by dask.distributed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from texsamp.batch.job import Job, JobOutcome, run_job
from texsamp.batch.journal import Journal
from texsamp.batch.local import local_workers
from texsamp.batch.plan_file import refuse_shared_targets
from texsamp.batch.scheduler import ask, check_address
from texsamp.device.arguments import check_truth, is_integer, path_text
from texsamp.device.threads import MAX_THREADS
from texsamp.errors import DeviceError, MediaError, StateError, TexsampError
from texsamp.io.files.temporary import remove_stale
from texsamp.segments.pool import Pool
from texsamp.shown.html import table
from texsamp.video.pipeline import Pipeline

_TOPIC = "texsamp-progress"
MAX_WORKERS = 1024


@dataclass(frozen=True)
class BatchProgress:
    """What a batch is doing: frames of a job so far and in all (None when unknown), or, with ``outcome``, its end."""

    job: Job
    frames: int = 0
    total: int | None = None
    outcome: JobOutcome | None = None


@dataclass(frozen=True)
class BatchResult:
    """The outcome of every job, in the jobs' order."""

    outcomes: tuple[JobOutcome, ...]

    @property
    def failed(self) -> tuple[JobOutcome, ...]:
        """Those that failed."""
        return tuple(outcome for outcome in self.outcomes if outcome.error is not None)

    def _repr_html_(self) -> str:
        """For notebooks."""
        rows = [(each.job.target, each.frames_out, each.error or ("there" if each.skipped else "done"))
                for each in self.outcomes]  # fmt: skip
        return table(f"{len(rows)} jobs", ("video", "frames", ""), rows)


def batch(
    jobs: Sequence[Job],
    out_dir: str | os.PathLike[str],
    workers: int | None = None,
    scheduler: str | None = None,
    threads: int | None = None,
    overwrite: bool = False,
    progress: Callable[[BatchProgress], None] | None = None,
    dashboard: Callable[[str], None] | None = None,
) -> BatchResult:
    """Do all jobs, each in a process of its own choice of many, and note in ``out_dir`` what is done.

    A job that fails fails alone. Run again, with the same words and inputs, only what is not done is done; what a
    killed run has left half done is done anew. ``workers`` processes of this machine, by default one for two cores,
    work with ``threads`` threads each; or those of the dask ``scheduler`` (``tcp://HOST:PORT``), which must see the
    same files under the same paths and have texsamp. A job whose worker dies is given to another one, three times.
    ``progress`` is told what happens, on this thread or another; ``dashboard`` the address of dask's dashboard.

    Raises StateError for jobs that get in each other's way and bad filters, MediaError for a folder that cannot be
    written to or is in use and for a scheduler that is lost (run again to continue), DeviceError without
    distributed (the extra ``cluster``).
    """
    check_truth("overwrite", overwrite)
    _check_count("workers", workers, MAX_WORKERS)
    _check_count("threads", threads, MAX_THREADS)
    if not path_text(out_dir):
        raise StateError("out_dir of a batch must name a folder, found ''")
    folder_of_results = Path(path_text(out_dir))
    refuse_shared_targets(jobs)
    for text in {job.vf for job in jobs}:
        Pipeline.parse(text, "cpu")
    if find_spec("distributed") is None:  # before a folder and a journal are made
        raise DeviceError("batches need dask.distributed: pip install 'texsamp[cluster]'")
    if scheduler is not None:
        check_address(scheduler)
    tell = progress or (lambda _: None)
    outcomes: dict[int, JobOutcome] = {}
    keys: dict[int, str] = {}
    with Journal(folder_of_results) as journal:
        for folder in {Path(job.target).parent for job in jobs}:
            remove_stale(folder)  # also where nothing is left to do
        for number, job in enumerate(jobs):
            try:
                keys[number] = job.key
                found = journal.done(keys[number], job)
                if found is None:
                    journal.refuse_foreign(job, overwrite=overwrite)
                    continue
            except MediaError as error:  # an OSError that has its words already
                found = JobOutcome(job, error=str(error))
            except OSError as error:
                found = JobOutcome(job, error=f"{job.source}: cannot be read: {error.strerror or error}")
            outcomes[number] = found
            tell(BatchProgress(job, outcome=found))
        left = [number for number in range(len(jobs)) if number not in outcomes]
        for number, outcome in _distributed(
            {number: jobs[number] for number in left}, workers, scheduler, threads, tell, dashboard,
            lambda number: journal.begin(keys[number], jobs[number]),
        ):  # fmt: skip
            outcomes[number] = outcome
            journal.end(keys[number], outcome)
            tell(BatchProgress(outcome.job, outcome=outcome))
    return BatchResult(tuple(outcomes[number] for number in range(len(jobs))))


def _check_count(name: str, count: int | None, most: int) -> None:
    if count is not None and not (is_integer(count) and 1 <= count <= most):
        raise StateError(f"{name} of a batch must be an integer from 1 to {most}, found {count!r}")


def _distributed(
    jobs: dict[int, Job],
    workers: int | None,
    scheduler: str | None,
    threads: int | None,
    tell: Callable[[BatchProgress], None],
    dashboard: Callable[[str], None] | None,
    begin: Callable[[int], None],
) -> Iterator[tuple[int, JobOutcome]]:
    """The jobs' outcomes as they come."""
    if not jobs:
        return
    import distributed

    with ExitStack() as stack:
        if scheduler is None:
            count = workers or max(1, (os.cpu_count() or 1) // 2)
            share = threads or max(1, (os.cpu_count() or 1) // count)
            folders = {Path(job.target).parent for job in jobs.values()}
            address: Any = stack.enter_context(local_workers(min(count, len(jobs)), folders, dashboard is not None))
        else:
            ask(scheduler)
            address, share = scheduler, threads or 0
        try:
            client = stack.enter_context(distributed.Client(address, set_as_default=False))
        except (OSError, ValueError) as error:
            raise MediaError(f"{scheduler}: the scheduler was lost at once: {error}") from None
        if dashboard is not None and client.dashboard_link:
            dashboard(client.dashboard_link)
        client.subscribe_topic(_TOPIC, partial(_heard, jobs, tell))
        futures: dict[Any, int] = {}

        def start(number: int) -> Any:
            begin(number)
            future = client.submit(_work, number, jobs[number], share or None, pure=False, retries=0)
            futures[future] = number
            return future

        left = iter(jobs)
        # A job whose segments are tasks of their own holds no worker, so that only so many are begun at once.
        at_once = max(1, len(client.ncores())) if any(job.segments > 1 for job in jobs.values()) else len(jobs)
        try:
            coming = distributed.as_completed([start(number) for number in islice(left, at_once)], loop=client.loop)
            for future in coming:
                yield futures[future], _outcome(jobs[futures[future]], future)
                coming.update([start(number) for number in islice(left, 1)])
        except (OSError, RuntimeError, TimeoutError, distributed.client.FutureCancelledError) as error:
            raise MediaError(f"the scheduler was lost, run again to continue: {error}") from None


def _heard(jobs: dict[int, Job], tell: Callable[[BatchProgress], None], event: Any) -> None:
    with suppress(TypeError, ValueError, KeyError):
        number, frames, total = event[1]
        tell(BatchProgress(jobs[number], frames, total))


def _work(number: int, job: Job, threads: int | None) -> JobOutcome:
    """On a worker: do a job, and say how far it is."""
    from distributed import get_worker

    worker = get_worker()
    told = partial(_tell, worker, number)
    return run_job(job, threads, told, _on_workers if job.segments > 1 else None)


def _tell(worker: Any, number: int, frames: int, total: int | None) -> None:
    worker.log_event(_TOPIC, (number, frames, total))


@contextmanager
def _on_workers(_count: int) -> Iterator[Pool]:
    """All workers, to be given a job's segments by the one that has the job and leaves its place meanwhile."""
    from distributed import worker_client

    with worker_client() as client:
        given: list[Any] = []

        class Workers:
            @staticmethod
            def submit(work: Callable[..., Any], /, *values: Any) -> Any:
                given.append(client.submit(work, *values, pure=False, retries=0))
                return given[-1]

        try:
            yield Workers
        finally:
            client.cancel(given)


def _outcome(job: Job, future: Any) -> JobOutcome:
    """A job's outcome; that of one which took its workers with it, or failed as nothing should, is its error."""
    error = future.exception()
    if error is None:
        outcome: JobOutcome = future.result()
        return outcome
    if type(error).__name__ == "KilledWorker":
        return JobOutcome(job, error=f"{job.source}: the processes that worked on it died")
    words = str(error) if isinstance(error, TexsampError | StateError) else f"{type(error).__name__}: {error}"
    return JobOutcome(job, error=f"{job.source}: {words}")
