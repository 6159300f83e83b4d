"""A small thread pool that hands out slabs of tile rows. Results never depend on how many threads there are."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise

from texsamp.errors import DeviceError

MAX_THREADS = 256

_lock = threading.Lock()
_count: int | None = None
_pool: ThreadPoolExecutor | None = None


def _default_count() -> int:
    text = os.environ.get("TEXSAMP_THREADS", "")
    if not text:
        return min(
            len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, MAX_THREADS
        )
    if not text.isdigit() or not 1 <= int(text) <= MAX_THREADS:
        raise DeviceError(f"TEXSAMP_THREADS must be an integer from 1 to {MAX_THREADS}, found {text!r}")
    return int(text)


def thread_count() -> int:
    """Threads that CPU kernels use: set_threads, else TEXSAMP_THREADS, else the processors this process may use."""
    return _count if _count is not None else _default_count()


def set_threads(count: int | None) -> None:
    """Use ``count`` threads (1 to 256) for CPU kernels; None returns to the default. Raises DeviceError."""
    global _count  # noqa: PLW0603 - one setting per process
    if count is not None and not 1 <= count <= MAX_THREADS:
        raise DeviceError(f"threads must be from 1 to {MAX_THREADS}, found {count}")
    with _lock:
        _count = count
        _drop_pool()


def _drop_pool() -> None:
    global _pool  # noqa: PLW0603
    if _pool is not None:
        _pool.shutdown(wait=False)
    _pool = None


def _forget_pool_after_fork() -> None:
    """A child has none of its parent's threads: forget the pool (and a lock another thread may have held)."""
    global _pool, _lock  # noqa: PLW0603
    _pool = None
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool_after_fork)


def _workers(count: int) -> ThreadPoolExecutor:
    global _pool  # noqa: PLW0603
    with _lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(count - 1, thread_name_prefix="texsamp")
        return _pool


def run_slabs(jobs: Sequence[tuple[Callable[[int, int], None], int]]) -> None:
    """Call each job's function over its tile rows ``[begin, end)``, cut into slabs and shared by all threads.

    The calling thread works too. The functions must release the GIL to gain anything (ctypes does).
    """
    count = thread_count()
    slabs: list[tuple[Callable[[int, int], None], int, int]] = []
    for run, rows in jobs:
        pieces = min(rows, 4 * count) if count > 1 else 1
        bounds = [rows * i // pieces for i in range(pieces + 1)] if rows else []
        slabs += [(run, a, b) for a, b in pairwise(bounds)]
    if count == 1 or len(slabs) < 2:
        for run, begin, end in slabs:
            run(begin, end)
        return
    queue = iter(slabs)
    take = threading.Lock()

    def work() -> None:
        while True:
            with take:
                slab = next(queue, None)
            if slab is None:
                return
            slab[0](slab[1], slab[2])

    pool = _workers(count)
    helpers: list[Future[None]] = [pool.submit(work) for _ in range(min(count, len(slabs)) - 1)]
    work()
    for helper in helpers:
        helper.result()
