"""Host memory that is used again: fresh pages for every frame would cost as much as scaling it."""

from __future__ import annotations

import math
import threading
import weakref
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
    """Hands out uninitialized arrays; their memory comes back when the last view of it is gone."""

    def __init__(self) -> None:
        self._free: dict[int, list[_Buffer]] = {}
        self._free_B = 0
        self._lock = threading.RLock()  # a collection inside may end a lease

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

    def _take(self, capacity: int) -> _Buffer:
        with self._lock:
            waiting = self._free.get(capacity)
            if waiting:
                self._free_B -= capacity
                return waiting.pop()
        return np.empty(capacity, np.uint8)

    def _give_back(self, buffer: _Buffer) -> None:
        with self._lock:
            if self._free_B + len(buffer) > _MOST_FREE_B:
                self._free.clear()
                self._free_B = 0
            self._free.setdefault(len(buffer), []).append(buffer)
            self._free_B += len(buffer)
