"""The threads that run kernels, and queues of launches for them. Results never depend on how many there are."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import struct
import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from texsamp.device.arguments import is_integer
from texsamp.errors import DeviceError

MAX_THREADS = 256

KERNEL_ARGUMENTS = (ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_int)
"""Of a compiled kernel: its params, tiles of a row, and the tile rows from one to before another."""


JOB_HEADER = struct.Struct("=QiiQ")
"""Of a job as kernels/threads.cpp reads it: the function's address, tiles of a row, rows, and how large its params are.

They follow, and are a multiple of 8 bytes.
"""
_Counts = ctypes.Array[ctypes.c_int32]


class Job(NamedTuple):
    """A compiled kernel over rows of tiles; ``address`` is the function's."""

    function: Callable[[bytes, int, int, int], None]
    address: int
    params: bytes
    tiles_x: int
    tiles_y: int

    def packed(self) -> bytes:
        """As kernels/threads.cpp reads it."""
        params = self.params + bytes(-len(self.params) % 8)
        return JOB_HEADER.pack(self.address, self.tiles_x, self.tiles_y, len(params)) + params


@cache
def _library() -> Any:
    """The functions of kernels/threads.cpp. Raises DeviceError if it was not built."""
    found = importlib.util.find_spec("texsamp._threads")
    if found is None or found.origin is None:
        raise DeviceError("texsamp was built without its threads: install it again (pip install -e .)")
    library = ctypes.CDLL(found.origin)
    pointer = ctypes.c_void_p
    for name, result, *arguments in (
        ("pool_new", pointer, ctypes.c_int),
        ("pool_end", None, pointer),
        ("queue_new", pointer),
        ("queue_end", None, pointer),
        ("queue_begin", None, pointer, pointer, pointer, pointer, ctypes.c_int),
        ("jobs_run", None, pointer, ctypes.c_int),
        ("queue_wait", None, pointer, pointer),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


class _Pool:
    """Threads beside the callers'. They end when no queue uses them any more."""

    def __init__(self, count: int) -> None:
        self.library, self._process = _library(), os.getpid()
        self.handle = self.library.pool_new(count - 1)

    def lives(self) -> bool:
        """Whether its threads are this process's: a child of a fork has none of its parent's."""
        return self._process == os.getpid()

    def __del__(self) -> None:
        if self.lives():
            self.library.pool_end(self.handle)


_lock = threading.Lock()
_count: int | None = None
_pool: _Pool | None = None
_is_alone = False
"""Whether only callers are to work, as was found where the pool would have been made."""


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
    global _count, _pool, _is_alone  # noqa: PLW0603 - one setting per process
    if count is not None and not (is_integer(count) and 1 <= count <= MAX_THREADS):
        raise DeviceError(f"threads must be an integer from 1 to {MAX_THREADS}, found {count!r}")
    with _lock:
        _count = None if count is None else int(count)
        _pool, _is_alone = None, False


def _forget_pool_after_fork() -> None:
    """A child has none of its parent's threads: forget the pool (and a lock another thread may have held)."""
    global _pool, _lock  # noqa: PLW0603
    _pool = None
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool_after_fork)


def _shared_pool() -> _Pool | None:
    """The threads of the process; None if only callers are to work."""
    global _pool, _is_alone  # noqa: PLW0603
    pool = _pool
    if pool is not None or _is_alone:
        return pool
    with _lock:
        count = thread_count()
        if _pool is None and count > 1:
            _pool = _Pool(count)
        _is_alone = _pool is None
        return _pool


class LaunchQueue:
    """Launches of one thread of Python, which run in order; the kernels of one launch run at once.

    Kernels use memory of the caller's: whatever ends a launch early, Ctrl-C too, `wait` returns only when no thread is
    inside one any more, and until then the queue keeps what it was told to keep.
    """

    def __init__(self) -> None:
        self._pool: _Pool | None = None
        self._handle: int | None = None
        self._kept: list[object] = []

    def begin(self, jobs: Sequence[Job], kept: object = None) -> None:
        """Have kernels run after those before; with one thread they have run when this returns."""
        pool = self._joined()
        if pool is None:
            for job in jobs:
                if job.tiles_y:
                    job.function(job.params, job.tiles_x, 0, job.tiles_y)
            return
        self._kept.append(kept)
        packed = b"".join([job.packed() for job in jobs])
        pool.library.queue_begin(pool.handle, self._handle, packed, (ctypes.c_int32 * 1)(len(jobs)), 1)

    def begin_packed(self, packed: int, counts: ctypes.Array[ctypes.c_int32], kept: object) -> None:
        """The same for packed jobs at an address, so many of each launch, which may change when this returns."""
        pool = self._joined()
        if pool is None:
            _library().jobs_run(packed, sum(counts))
            return
        self._kept.append(kept)
        pool.library.queue_begin(pool.handle, self._handle, packed, counts, len(counts))

    def _joined(self) -> _Pool | None:
        """The threads of the process, in which this queue is from then on; None if only callers are to work."""
        pool = _shared_pool()
        if pool is not self._pool:
            self._leave()
            self._pool, self._handle = pool, None if pool is None else pool.library.queue_new()
        return pool

    def wait(self) -> None:
        """Work on what is in the queue until it is done."""
        if self._kept and self._pool is not None:
            if self._pool.lives():
                self._pool.library.queue_wait(self._pool.handle, self._handle)
            self._kept.clear()

    def _leave(self) -> None:
        self.wait()
        if self._pool is not None and self._pool.lives():
            self._pool.library.queue_end(self._handle)

    __del__ = _leave
