"""A small thread pool that hands out slabs of tile rows. Results never depend on how many threads there are."""

from __future__ import annotations

import itertools
import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from queue import SimpleQueue

from texsamp.device.arguments import is_integer
from texsamp.errors import DeviceError

MAX_THREADS = 256

Work = Callable[[int], None]
"""What the threads of a launch do, each with its own number: 0 is the caller's, others those of helpers."""
Slab = tuple[Callable[[int, int], None], int, int]


class _Helpers:
    """Threads that wait for work. Futures would tell more about it, and took a tenth of a millisecond per launch."""

    def __init__(self, count: int) -> None:
        self._work: SimpleQueue[Work | None] = SimpleQueue()
        self._count = count
        for number in range(1, count + 1):
            threading.Thread(target=self._serve, args=(number,), name=f"texsamp_{number}", daemon=True).start()

    def _serve(self, number: int) -> None:
        while (work := self._work.get()) is not None:
            work(number)
            del work  # it keeps the caller's arrays alive

    def call(self, work: Work, times: int) -> None:
        """Have so many threads call ``work``, which raises nothing; if they have been told to end none may."""
        for _ in range(times):
            self._work.put(work)

    def end(self) -> None:
        """Let the threads end after what they were given before."""
        for _ in range(self._count):
            self._work.put(None)


_lock = threading.Lock()
_count: int | None = None
_pool: _Helpers | None = None


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
            _pool.end()
        _pool = None


def _forget_pool_after_fork() -> None:
    """A child has none of its parent's threads: forget the pool (and a lock another thread may have held)."""
    global _pool, _lock  # noqa: PLW0603
    _pool = None
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool_after_fork)


def _helpers() -> _Helpers:
    global _pool  # noqa: PLW0603
    with _lock:
        if _pool is None:
            _pool = _Helpers(max(thread_count() - 1, 1))
        return _pool


def run_slabs(jobs: Sequence[tuple[Callable[[int, int], None], int]]) -> None:
    """Call each job's function over its tile rows ``[begin, end)``, cut into slabs and shared by all threads.

    The calling thread works too. The functions must release the GIL to gain anything (ctypes does). However it ends,
    by an exception or Ctrl-C too, no thread is inside a function any more: they use the caller's memory.
    """
    count = thread_count()
    if count == 1:
        for run, rows in jobs:
            if rows:
                run(0, rows)
        return
    shares = _shares(jobs, count)

    def work(number: int) -> None:
        for turn in range(len(shares)):
            share = shares[(number + turn) % len(shares)]
            take = share.pop if turn else share.popleft  # of another's, what it would come to last
            while True:
                try:
                    run, begin, end = take()
                except IndexError:
                    break
                run(begin, end)

    if len(shares) < 2:
        work(0)
        return
    inside = _Inside()
    try:
        _helpers().call(lambda number: inside.run(work, number), len(shares) - 1)
        work(0)
    finally:
        for share in shares:
            share.clear()
        inside.wait()
    for error in inside.errors:
        raise error


def _shares(jobs: Sequence[tuple[Callable[[int, int], None], int]], count: int) -> list[deque[Slab]]:
    """Slabs by the thread that comes to them first: the same part of all planes, of every launch and frame.

    What a thread reads then is mostly in its own cache.
    """
    placed: list[tuple[float, Slab]] = []
    for run, rows in jobs:
        pieces = min(rows, 4 * count)
        placed += [(i / pieces, (run, rows * i // pieces, rows * (i + 1) // pieces)) for i in range(pieces)]
    placed.sort(key=lambda slab: slab[0])
    many = len(placed)
    bounds = [many * i // count for i in range(count + 1)]
    return [deque(slab for _, slab in placed[a:b]) for a, b in itertools.pairwise(bounds) if a < b]


class _Inside:
    """The helpers at one piece of work. One that has not begun when nothing is left to do need not be waited for."""

    def __init__(self) -> None:
        self.errors: list[BaseException] = []
        self._entered: list[None] = []
        self._left: list[None] = []
        self._news: SimpleQueue[None] = SimpleQueue()

    def run(self, work: Work, number: int) -> None:
        """Work, and keep what is raised."""
        self._entered.append(None)  # before anything is taken, so that who sees nothing left sees who took it
        try:
            work(number)
        except BaseException as error:
            self.errors.append(error)
        finally:
            self._left.append(None)
            self._news.put(None)

    def wait(self) -> None:
        """Return when no helper is at work. Ctrl-C takes effect afterwards."""
        interrupt: KeyboardInterrupt | None = None
        while len(self._left) < len(self._entered):
            try:
                self._news.get()
            except KeyboardInterrupt as error:
                interrupt = error
        if interrupt is not None:
            raise interrupt
