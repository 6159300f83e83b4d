"""Memory of the pretended devices: pooled blocks, pointers into them, and pinned memory of the host."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from support.ptx import Allocation

from cupy import _work, standin


class OutOfMemoryError(MemoryError):
    """The pool has no room."""


class Memory:
    """A block of a device's memory, free again when nothing points to it."""

    def __init__(self, size: int) -> None:
        self.owner = standin.current_device()
        self.device_id = self.owner.ordinal
        self.size = size
        try:
            self.allocation: Allocation = self.owner.memory.allocate(max(size, 1))
        except MemoryError as error:
            raise OutOfMemoryError(f"Out of memory allocating {size:,} bytes: {error}") from None
        self.ptr = self.allocation.address
        from cupy.cuda import get_current_stream

        self._stream = get_current_stream()

    def __del__(self) -> None:
        """The pool hands it to the next that asks on the same stream."""
        if hasattr(self, "allocation"):
            _work.queue(self._stream, "free", partial(self.owner.memory.free, self.allocation))


class UnownedMemory:
    """Memory that something else keeps alive."""

    def __init__(self, ptr: int, size: int, owner: Any, device_id: int = -1) -> None:
        self.ptr, self.size, self._owner = ptr, size, owner
        self.owner = standin.owner(ptr)
        self.device_id = self.owner.ordinal
        self.allocation = self.owner.memory.find(ptr)
        assert self.allocation is not None


class MemoryPointer:
    """A place in a block."""

    def __init__(self, mem: Any, offset: int) -> None:
        self.mem, self.ptr = mem, mem.ptr + offset

    @property
    def device(self) -> Any:
        from cupy.cuda import Device

        return Device(self.mem.device_id)

    @property
    def device_id(self) -> int:
        return self.mem.device_id

    @property
    def _offset(self) -> int:
        """Bytes from the start of the allocation."""
        return self.ptr - self.mem.allocation.address

    def copy_from_device_async(self, src: MemoryPointer, size: int, stream: Any = None) -> None:
        """So many bytes, in the order of a stream."""
        from cupy._arrays import ndarray

        target, source = (ndarray((size,), np.uint8, memptr=each) for each in (self, src))
        target._copy_from(source, stream)

    def __add__(self, offset: int) -> MemoryPointer:
        return MemoryPointer(self.mem, self.ptr + offset - self.mem.ptr)

    def __int__(self) -> int:
        return self.ptr


def alloc(size: int) -> MemoryPointer:
    """From the current device's pool."""
    return MemoryPointer(Memory(size), 0)


_pinned: dict[int, np.ndarray] = {}
"""Of pinned memory in use, the bytes at each address, which keep no pointer alive."""


def pinned(array: np.ndarray) -> np.ndarray | None:
    """The same bytes, keeping no pointer alive; None for what is not in pinned memory."""
    address = array.ctypes.data
    for start, block in list(_pinned.items()):
        if start <= address and address + array.nbytes <= start + block.size:
            return block[address - start :][: array.nbytes].view(array.dtype).reshape(array.shape)
    return None


class PinnedMemoryPointer:
    """Page-locked memory of the host, as a buffer."""

    def __init__(self, size: int) -> None:
        self._bytes = np.full(size, 0xA5, np.uint8)
        self.ptr = self._bytes.ctypes.data
        if _work.is_deferring():
            _pinned[self.ptr] = self._bytes

    def __del__(self) -> None:
        """The pool hands it to the next that asks, who writes to it: now."""
        if _pinned.pop(self.ptr, None) is not None:
            self._bytes[:] = 0xDD

    def size(self) -> int:
        """Bytes."""
        return self._bytes.size

    def __buffer__(self, flags: int) -> memoryview:
        return memoryview(self._bytes)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return self._bytes.__array_interface__


def alloc_pinned_memory(size: int) -> PinnedMemoryPointer:
    """Page-locked memory of the host."""
    return PinnedMemoryPointer(size)
