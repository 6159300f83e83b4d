"""Host memory that is used again: fresh pages for every frame would cost as much as scaling it."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

_SMALLEST_B = 1 << 16
_MOST_FREE_B = 512 << 20
_ALIGNMENT_B = 64


@dataclass(frozen=True, eq=False, slots=True)
class Buffer:
    """Memory of the pool, and its first aligned address: NumPy takes longer to tell it than all else does."""

    memory: np.ndarray[Any, np.dtype[np.uint8]]
    address: int

    @classmethod
    def of(cls, capacity: int) -> Buffer:
        """Fresh memory."""
        memory = np.empty(capacity, np.uint8)
        return cls(memory, -(-memory.ctypes.data // _ALIGNMENT_B) * _ALIGNMENT_B)


class _Lease:
    """Keeps a buffer out of the pool for as long as any array over it lives."""

    def __init__(self, pool: HostPool, buffer: Buffer, shape: tuple[int, ...], kind: np.dtype[Any]) -> None:
        self._pool, self._buffer = pool, buffer
        data = buffer.address, False
        self.__array_interface__ = {"data": data, "shape": shape, "typestr": kind.str, "version": 3}

    def __del__(self) -> None:
        self._pool.give_back(self._buffer)


class HostPool:
    """Hands out uninitialized arrays; their memory comes back when the last view of it is gone.

    It has no lock on purpose. Memory comes back in the middle of anything, when the collector runs, and after a fork a
    lock may be held by a thread that is gone: so every step is one atomic operation of a dict or a deque.
    """

    def __init__(self) -> None:
        self._free: dict[int, deque[Buffer]] = {}

    def empty(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray[Any, np.dtype[Any]]:
        """An uninitialized array, its first element aligned to 64 bytes if it is at least 64 KiB large."""
        kind = np.dtype(dtype)
        size = math.prod(shape) * kind.itemsize
        if size < _SMALLEST_B:
            return np.empty(shape, kind)
        capacity = -(-size // _SMALLEST_B) * _SMALLEST_B + _ALIGNMENT_B
        array: np.ndarray[Any, np.dtype[Any]] = np.asarray(_Lease(self, self._take(capacity), shape, kind))
        return array

    def free_B(self) -> int:  # noqa: N802 - the unit
        """Bytes kept for the next arrays."""
        return sum(capacity * len(buffers) for capacity, buffers in list(self._free.items()))

    def clear(self) -> None:
        """Give what is kept for the next arrays back to the system."""
        self._free.clear()

    def _take(self, capacity: int) -> Buffer:
        try:
            return self._free[capacity].pop()
        except (KeyError, IndexError):
            return Buffer.of(capacity)

    def give_back(self, buffer: Buffer) -> None:
        """Take the memory of an array that is gone."""
        capacity = len(buffer.memory)
        if self.free_B() + capacity > _MOST_FREE_B:
            self._free.clear()
        self._free.setdefault(capacity, deque()).append(buffer)
