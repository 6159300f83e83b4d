"""A small thread pool that hands out slabs of tile rows. Results never depend on how many threads there are."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait

from texsamp.device.arguments import is_integer
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
    if not text.isdecimal() or not 1 <= int(text) <= MAX_THREADS:
        raise DeviceError(f"TEXSAMP_THREADS must be an integer from 1 to {MAX_THREADS}, found {text!r}")
    return int(text)


def thread_count() -> int:
    """Threads that CPU kernels use: set_threads, else TEXSAMP_THREADS, else the processors this process may use."""
    return _count if _count is not None else _default_count()


def set_threads(count: int | None) -> None:
    """Use ``count`` threads (1 to 256) for CPU kernels; None returns to the default. Raises DeviceError."""
    global _count, _pool  # noqa: PLW0603 - one setting per process
    if count is not None and not (is_integer(count) and 1 <= count <= MAX_THREADS):
        raise DeviceError(f"threads must be an integer from 1 to {MAX_THREADS}, found {count!r}")
    with _lock:
        _count = None if count is None else int(count)
        if _pool is not None:
            _pool.shutdown(wait=False)  # what was submitted still runs
        _pool = None


def _forget_pool_after_fork() -> None:
    """A child has none of its parent's threads: forget the pool (and a lock another thread may have held)."""
    global _pool, _lock  # noqa: PLW0603
    _pool = None
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool_after_fork)


def _submit(work: Callable[[], None], times: int, helpers: list[Future[None]]) -> None:
    """Have pool threads call ``work``; under the lock, so that set_threads cannot shut the pool down in between."""
    global _pool  # noqa: PLW0603
    with _lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(max(thread_count() - 1, 1), thread_name_prefix="texsamp")
        for _ in range(times):
            helpers.append(_pool.submit(work))


def run_slabs(jobs: Sequence[tuple[Callable[[int, int], None], int]]) -> None:
    """Call each job's function over its tile rows ``[begin, end)``, cut into slabs and shared by all threads.

    The calling thread works too. The functions must release the GIL to gain anything (ctypes does). However it ends,
    by an exception or Ctrl-C too, no thread is inside a function any more: they use the caller's memory.
    """
    count = thread_count()
    slabs: deque[tuple[Callable[[int, int], None], int, int]] = deque()
    for run, rows in jobs:
        pieces = min(rows, 4 * count) if count > 1 else min(rows, 1)
        slabs.extend((run, rows * i // pieces, rows * (i + 1) // pieces) for i in range(pieces))

    def work() -> None:
        while True:
            try:
                run, begin, end = slabs.popleft()
            except IndexError:
                return
            run(begin, end)

    helpers: list[Future[None]] = []
    try:
        if min(count, len(slabs)) > 1:
            _submit(work, min(count, len(slabs)) - 1, helpers)
        work()
    finally:
        slabs.clear()
        _settle(helpers)
    for helper in helpers:
        if not helper.cancelled():
            helper.result()


def _settle(helpers: Sequence[Future[None]]) -> None:
    """Return when no helper is at work; one that has not started never will. Ctrl-C takes effect afterwards."""
    interrupt: KeyboardInterrupt | None = None
    running = [helper for helper in helpers if not helper.cancel()]
    while running:
        try:
            wait(running)
            running = []
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt
