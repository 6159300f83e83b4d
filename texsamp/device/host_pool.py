"""Host memory that is used again: fresh pages for every frame would cost as much as scaling it."""

from __future__ import annotations

import math
import weakref
from collections import deque
from typing import Any

import numpy as np

_SMALLEST_B = 1 << 16
_MOST_FREE_B = 512 << 20
_ALIGNMENT_B = 64

_Buffer = np.ndarray[Any, np.dtype[np.uint8]]


class _Lease:
    """Keeps a buffer out of the pool for as long as any array over it lives."""

    def __init__(self, buffer: _Buffer) -> None:
        address = -(-buffer.ctypes.data // _ALIGNMENT_B) * _ALIGNMENT_B
        size = len(buffer) - _ALIGNMENT_B
        self.__array_interface__ = {"data": (address, False), "shape": (size,), "typestr": "|u1", "version": 3}


class HostPool:
    """Hands out uninitialized arrays; their memory comes back when the last view of it is gone.

    It has no lock on purpose. Memory comes back in the middle of anything, when the collector runs, and after a fork a
    lock may be held by a thread that is gone: so every step is one atomic operation of a dict or a deque.
    """

    def __init__(self) -> None:
        self._free: dict[int, deque[_Buffer]] = {}

    def empty(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray[Any, np.dtype[Any]]:
        """An uninitialized array, its first element aligned to 64 bytes if it is at least 64 KiB large."""
        kind = np.dtype(dtype)
        size = math.prod(shape) * kind.itemsize
        if size < _SMALLEST_B:
            return np.empty(shape, kind)
        capacity = -(-size // _SMALLEST_B) * _SMALLEST_B + _ALIGNMENT_B
        buffer = self._take(capacity)
        lease = _Lease(buffer)
        weakref.finalize(lease, self._give_back, buffer).atexit = False
        array: np.ndarray[Any, np.dtype[Any]] = np.asarray(lease)[:size].view(kind).reshape(shape)
        return array

    def free_B(self) -> int:  # noqa: N802 - the unit
        """Bytes kept for the next arrays."""
        return sum(capacity * len(buffers) for capacity, buffers in list(self._free.items()))

    def clear(self) -> None:
        """Give what is kept for the next arrays back to the system."""
        self._free.clear()

    def _take(self, capacity: int) -> _Buffer:
        try:
            return self._free[capacity].pop()
        except (KeyError, IndexError):
            return np.empty(capacity, np.uint8)

    def _give_back(self, buffer: _Buffer) -> None:
        if self.free_B() + len(buffer) > _MOST_FREE_B:
            self._free.clear()
        self._free.setdefault(len(buffer), deque()).append(buffer)
