"""Frames to a GPU and back: through pinned memory, in one copy each, on streams of their own.

What is uploaded and downloaded so overlaps with the kernels of other frames, and the launching thread waits for none.
"""

from __future__ import annotations

import math
import weakref
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from texsamp.device.base import CudaArray

_MOST_FREE_B = 1 << 30
"""Of device memory kept for the next uploads."""

_Host = np.ndarray[Any, np.dtype[Any]]


class _Owner:
    """What arrays over a buffer keep alive."""


class Transit:
    """A copy to the host on its way; it keeps the device's memory until it is done."""

    def __init__(self, source: CudaArray, event: Any, kernels: Any) -> None:
        self._source, self._event, self._kernels = source, event, kernels

    def wait(self) -> None:
        """Until the copy is done."""
        self._event.synchronize()
        self._source = None

    def __del__(self) -> None:
        if self._source is not None:  # nobody waited: what takes over the memory does
            self._kernels.wait_event(self._event)


class Transfers:
    """The two ways of one device, whose kernels run on the stream ``kernels``."""

    def __init__(self, cupy: Any, device: Any, kernels: Any) -> None:
        self._cupy, self._device, self._kernels = cupy, device, kernels
        with device:
            self._up, self._down = (cupy.cuda.Stream(non_blocking=True) for _ in range(2))
        self._free: dict[int, deque[tuple[CudaArray, Any]]] = {}
        self._staging: deque[tuple[_Host, Any]] = deque()

    def upload(self, arrays: Sequence[_Host]) -> tuple[CudaArray, ...]:
        """The arrays side by side in one buffer, which kernels launched from now on find filled."""
        size_B = _places(arrays)[-1]
        staging = self._pinned(size_B)
        for part, array in zip(_parts(staging, arrays), arrays, strict=True):
            part[...] = array
        buffer = self._buffer(size_B)
        buffer.set(staging, stream=self._up)
        done = self._up.record()
        self._kernels.wait_event(done)
        self._staging.append((staging, done))
        while self._staging[0][1].done and len(self._staging) > 1:
            self._staging.popleft()
        return tuple(_parts(self._leased(buffer), arrays))

    def download(self, arrays: Sequence[CudaArray]) -> tuple[tuple[_Host, ...], Transit]:
        """Arrays of the host that are filled when the transit has been waited for."""
        source = self._together(arrays)
        host = self._pinned(source.nbytes)
        self._down.wait_event(self._kernels.record())
        source.get(stream=self._down, out=host, blocking=False)
        return tuple(_parts(host, arrays)), Transit(source, self._down.record(), self._kernels)

    def _together(self, arrays: Sequence[CudaArray]) -> CudaArray:
        """Their bytes in one array: as they lie in memory if they follow each other, else copied there."""
        size_B = _places(arrays)[-1]
        first, end = arrays[0], arrays[0].data.ptr
        for array in arrays:
            if array.data.mem is not first.data.mem or array.data.ptr != end or not array.flags.c_contiguous:
                break
            end += array.nbytes
        else:
            return self._cupy.ndarray((size_B,), np.uint8, memptr=first.data)
        has_gaps = size_B != sum(array.nbytes for array in arrays)
        made = (self._cupy.zeros if has_gaps else self._cupy.empty)(size_B, np.uint8)
        for part, array in zip(_parts(made, arrays), arrays, strict=True):
            part[...] = array
        return made

    def _pinned(self, size_B: int) -> _Host:  # noqa: N803 - the unit
        memory: _Host = np.asarray(self._cupy.cuda.alloc_pinned_memory(size_B))
        return memory.view(np.uint8)[:size_B]

    def _buffer(self, size_B: int) -> CudaArray:  # noqa: N803 - the unit
        """Device memory that the upload stream may write to."""
        try:
            buffer, used = self._free[size_B].popleft()
        except (KeyError, IndexError):
            if sum(size * len(kept) for size, kept in self._free.items()) > _MOST_FREE_B:
                self._kernels.synchronize()
                self._free.clear()
            with self._up:
                return self._cupy.empty(size_B, np.uint8)
        self._up.wait_event(used)
        return buffer

    def _leased(self, buffer: CudaArray) -> CudaArray:
        """The buffer as an array; when its last view is gone, the buffer is free after all kernels launched by then."""
        owner, cuda = _Owner(), self._cupy.cuda
        weakref.finalize(owner, self._give_back, buffer).atexit = False
        memory = cuda.UnownedMemory(buffer.data.ptr, buffer.nbytes, owner, self._device.id)
        return self._cupy.ndarray(buffer.shape, buffer.dtype, memptr=cuda.MemoryPointer(memory, 0))

    def _give_back(self, buffer: CudaArray) -> None:
        with self._device:
            self._free.setdefault(buffer.nbytes, deque()).append((buffer, self._kernels.record()))


def _parts(buffer: CudaArray, arrays: Sequence[CudaArray]) -> list[CudaArray]:
    """Views of a buffer's bytes, one behind the other, of the shapes and types of arrays."""
    parts = []
    for array, begin in zip(arrays, _places(arrays), strict=False):
        size_B = math.prod(array.shape) * array.dtype.itemsize
        parts.append(buffer[begin : begin + size_B].view(array.dtype).reshape(array.shape))
    return parts


def _places(arrays: Sequence[CudaArray]) -> list[int]:
    """Where each begins, at a multiple of its elements' size, and the end of the last."""
    places, end = [], 0
    for array in arrays:
        begin = -(-end // array.dtype.itemsize) * array.dtype.itemsize
        places.append(begin)
        end = begin + math.prod(array.shape) * array.dtype.itemsize
    return [*places, end]
