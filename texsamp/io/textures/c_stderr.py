"""What a C library writes to C's own standard error about a file, kept from the caller's."""

from __future__ import annotations

import ctypes
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock

_ONE = Lock()
"""Held by the one whose file stands in for standard error."""
_UNBUFFERED = 2
_MOST_B = 1 << 20


@contextmanager
def hushed(name: str) -> Iterator[None]:
    """Drop lines that name a file; others, of other threads, are passed on when the block ends.

    What Python and child processes write is not touched: they go by the descriptor, C libraries by the variable. Other
    libraries of C than glibc have that where it cannot be written; there nothing is dropped.
    """
    if platform.libc_ver()[0] != "glibc":
        yield
        return
    with _ONE:
        descriptor, stream = _file(os.getpid())
        stderr = ctypes.c_void_p.in_dll(ctypes.CDLL(None), "stderr")
        before, stderr.value = stderr.value, stream
        try:
            yield
        finally:
            stderr.value = before
            written = os.pread(descriptor, _MOST_B, 0)
            os.ftruncate(descriptor, 0)
            os.lseek(descriptor, 0, os.SEEK_SET)
    others = [line for line in written.splitlines(keepends=True) if name.encode() not in line]
    if others:
        os.write(2, b"".join(others))


@cache
def _file(_process: int) -> tuple[int, int]:
    """A file in memory and C's stream of it, never closed: another thread may be about to write there."""
    descriptor = os.memfd_create("stderr")
    library = ctypes.CDLL(None)
    library.fdopen.restype, library.fdopen.argtypes = ctypes.c_void_p, (ctypes.c_int, ctypes.c_char_p)
    library.setvbuf.argtypes = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
    stream = library.fdopen(descriptor, b"w")
    library.setvbuf(stream, None, _UNBUFFERED, 0)
    return descriptor, int(stream)
