"""Worker processes of this machine, which an interrupted batch ends at once, with all that they have half written."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import active_children, resource_tracker
from multiprocessing.connection import wait
from pathlib import Path
from threading import Lock
from typing import Any

from texsamp.io.files.temporary import remove_stale

_DIES_WITHIN_S = 1.0
"""A process that is killed is gone as soon as the kernel has taken its memory back."""

_living: set[_Workers] = set()


class _Workers:
    """The processes that came after this was made. ``folders``: where they write."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._folders = set(folders)
        self._others = set(active_children())
        self._ending = Lock()
        self.cluster: Any = None

    def end(self) -> None:
        """Kill them, and remove what only living ones would: nobody waits for a frame that takes long."""
        with self._ending:
            for nanny in () if self.cluster is None else tuple(self.cluster.workers.values()):
                nanny.auto_restart = False
            killed = set(active_children()) - self._others
            for process in killed:
                process.kill()
            with suppress(ValueError):  # dask closes those that it sees dead
                left = {process.sentinel for process in killed}
                while left and (gone := wait(left, _DIES_WITHIN_S)):
                    left.difference_update(gone)
            for folder in self._folders:
                remove_stale(folder)


@contextmanager
def local_workers(count: int, folders: Iterable[Path], dashboard: bool) -> Iterator[Any]:
    """A cluster of ``count`` processes that write into ``folders``; an exception, as Ctrl-C is, ends them at once."""
    workers = _Workers(folders)
    _start_tracker()
    _living.add(workers)  # before any of them comes: an interrupt may end the run at any moment
    coming = ThreadPoolExecutor(1, "texsamp-start", _ignore_interrupts).submit(_start, count, dashboard)
    try:
        workers.cluster = coming.result()
    except BaseException:
        coming.add_done_callback(_close)
        raise
    with workers.cluster:
        try:
            yield workers.cluster
        except BaseException:
            workers.end()
            raise
    _living.discard(workers)


def _start_tracker() -> None:
    """Start the process that removes what killed ones leave, and do not let it tell of it.

    Here, since starting it lets interrupts through again.
    """
    name = "PYTHONWARNINGS"
    before = os.environ.get(name)
    os.environ[name] = f"ignore::UserWarning:{resource_tracker.__name__}"
    try:
        resource_tracker.ensure_running()
    finally:
        os.environ.pop(name) if before is None else os.environ.update({name: before})


def _ignore_interrupts() -> None:
    """What this thread starts never sees a terminal's Ctrl-C, which goes to all processes: one ends the others."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _start(count: int, dashboard: bool) -> Any:
    import distributed

    return distributed.LocalCluster(
        n_workers=count, threads_per_worker=1, processes=True, memory_limit=0, host="127.0.0.1",
        dashboard_address="127.0.0.1:0" if dashboard else None, silence_logs=50,
    )  # fmt: skip


def _close(started: Future[Any]) -> None:
    if started.exception() is None:
        started.result().close()


def end_living() -> bool:
    """End all workers of this process, which is about to end without further ado; whether a batch was interrupted."""
    if not _living:
        return False
    for workers in tuple(_living):
        workers.end()
    return True
