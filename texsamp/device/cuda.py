"""NVIDIA GPUs through CuPy: the same kernel sources compiled by NVRTC, one module per kernel file."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache, partial
from itertools import accumulate
from typing import Any

import numpy as np

from texsamp.device.base import CudaArray, Device, Download, Launch, Repeated
from texsamp.device.given import given_array
from texsamp.device.nvrtc import compiled_kernels, load_nvrtc
from texsamp.device.sources import kernels_by_name, kernels_of_planes
from texsamp.device.tape import spoil_tape_of, tape_of
from texsamp.device.transfers import Transfers, Transit
from texsamp.errors import DeviceError

BLOCK = (32, 8)
"""Threads of a tile: x along a line, y across lines (KERNEL's launch bound is their product)."""

GRID_ROWS = 65535
"""The most rows of tiles that a grid's y has; KERNEL finds the others along z."""

BATCH = 4
"""Launches of a kernel for planes that are one on a GPU: Batch::SIZE of the kernels."""

_NO_BLOCK = 0xFFFFFFFF
_LEGACY_STREAM = 0


def _by_value(struct: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """CuPy passes arrays of size one by value; of a struct's fields it would make a list at every launch."""
    return np.array(struct).view(f"V{struct.dtype.itemsize}")


@cache
def _batch_dtype(params: np.dtype[Any]) -> np.dtype[Any]:
    """The kernels' Batch of a parameter struct."""
    return np.dtype([("params", params, BATCH), ("first", "<u4", BATCH), ("tiles_x", "<u4", BATCH)], align=True)


def why_no_cuda() -> str | None:
    """None if a CUDA device can be used, else the reason in words."""
    try:
        import cupy
    except ImportError as error:
        return f"CuPy is not installed (pip install 'texsamp[cuda12]' or 'texsamp[cuda13]'): {error}"
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:
        return f"the CUDA driver does not answer: {error}"
    if not count:
        return "there is no CUDA device"
    try:
        load_nvrtc()
    except DeviceError as error:
        return str(error)
    return None


class CudaDevice(Device):
    """One CUDA device, with its own stream, in order with the caller's, and CuPy's pooled memory."""

    tile_limits = "device"
    records = True

    def __init__(self, ordinal: int = 0) -> None:
        reason = why_no_cuda()
        if reason is not None:
            raise DeviceError(f"CUDA cannot be used: {reason}")
        import cupy

        count = cupy.cuda.runtime.getDeviceCount()
        if ordinal >= count:
            raise DeviceError(f"cuda:{ordinal} does not exist: there are {count} CUDA devices, numbered from 0")
        self.name = f"cuda:{ordinal}"
        self.ordinal = ordinal
        self._cupy = self.arrays = cupy
        self._device = cupy.cuda.Device(ordinal)
        self._modules: dict[str, Any] = {}
        self._functions: dict[str, Any] = {}
        with self._device:
            self._stream = cupy.cuda.Stream()
        self._transfers = Transfers(cupy, self._device, self._stream)

    @contextmanager
    def _here(self) -> Iterator[None]:
        """CuPy's current device and stream are this device's; what fails inside is a DeviceError."""
        cuda = self._cupy.cuda
        failures = (
            cuda.memory.OutOfMemoryError,
            cuda.runtime.CUDARuntimeError,
            cuda.driver.CUDADriverError,
        )
        try:
            with self._device:
                outer = cuda.get_current_stream()
                # Only the legacy default stream is in order with ours by itself.
                ordered = outer.ptr in (_LEGACY_STREAM, self._stream.ptr)
                if not ordered:
                    self._stream.wait_event(outer.record())
                with self._stream:
                    yield
                if not ordered:
                    outer.wait_event(self._stream.record())
        except failures as error:
            raise DeviceError(f"{self.name}: {error}") from error

    def current(self) -> AbstractContextManager[None]:
        """While this is entered, CuPy works on this device and its stream; what fails inside is a DeviceError."""
        spoil_tape_of(self)
        return self._here()

    def empty(self, shape: tuple[int, ...], dtype: Any) -> CudaArray:
        """An uninitialized array from the memory pool."""
        with self._here():
            array = self._cupy.empty(shape, dtype)
        if (tape := tape_of(self)) is not None:
            tape.make(array)
        return array

    def upload(self, array: Any) -> CudaArray:
        """The array on this device; itself, uncopied, if it is here already.

        Raises FormatError for what is no array of numbers, or needs gradients.
        """
        spoil_tape_of(self)
        with self._here():
            if not isinstance(array, self._cupy.ndarray):
                given = given_array("array", array)
                if isinstance(given, np.ndarray):
                    return self._cupy.asarray(given)
                array = self._cupy.from_dlpack(given)
            if array.device.id == self.ordinal:
                return array
            array.device.synchronize()  # what makes the array there may not be done
            return array.copy()  # to the current device

    def download(self, array: CudaArray) -> np.ndarray[Any, np.dtype[Any]]:
        """The array as numpy, after everything launched before."""
        spoil_tape_of(self)
        if isinstance(array, np.ndarray):
            return array
        with self._here():
            return np.asarray(array.get(stream=self._stream))

    def empty_all(self, shapes: Sequence[tuple[int, ...]], dtype: Any) -> tuple[CudaArray, ...]:
        """Uninitialized arrays side by side, which one copy takes to the host."""
        kind = np.dtype(dtype)
        ends = list(accumulate(math.prod(shape) for shape in shapes))
        whole = self.empty((ends[-1],), kind)
        begins = [0, *ends]
        return tuple(whole[begin:end].reshape(shape) for shape, begin, end in zip(shapes, begins, ends, strict=False))

    def upload_all(self, arrays: Sequence[Any]) -> tuple[CudaArray, ...]:
        """The arrays on this device; those of the host travel together, on a stream of their own."""
        spoil_tape_of(self)
        if not all(isinstance(array, np.ndarray) for array in arrays):
            return super().upload_all(arrays)
        with self._here():
            return self._transfers.upload(arrays)

    def start_download(self, arrays: Sequence[CudaArray]) -> Download:
        """Begin to copy arrays to the host, on a stream of its own, after everything launched before."""
        spoil_tape_of(self)
        with self._here():
            hosts, transit = self._transfers.download(arrays)
        return Download(hosts, partial(self._wait, transit))

    def _wait(self, transit: Transit) -> None:
        with self._here():
            transit.wait()

    def copy(self, array: CudaArray) -> CudaArray:
        """A copy, made in stream order."""
        spoil_tape_of(self)
        with self._here():
            if not array.flags.c_contiguous:
                return array.copy()
            made = self._cupy.empty(array.shape, array.dtype)  # whose copy() moves one element at a time
            made.data.copy_from_device_async(array.data, array.nbytes, self._stream)
            return made

    def address(self, array: CudaArray) -> int:
        """Device address of the first element."""
        return int(array.data.ptr)

    def part(
        self, array: CudaArray, begin: int, shape: tuple[int, ...], dtype: Any, strides: tuple[int, ...]
    ) -> CudaArray:
        """A view of an array that is in one piece, from a byte of it on."""
        return self._cupy.ndarray(shape, dtype, array.data + begin, strides)

    def _function(self, name: str) -> Any:
        function = self._functions.get(name)
        if function is None:
            module = kernels_by_name().get(name)
            if module is None:
                raise DeviceError(f"no kernel named {name!r}")
            function = self._functions[name] = self._module(module).get_function(name)
        return function

    def _module(self, name: str) -> Any:
        """The kernels of a file, loaded into this device."""
        if name not in self._modules:
            module = self._cupy.cuda.function.Module()
            module.load(compiled_kernels(name, self._device.compute_capability))
            self._modules[name] = module
        return self._modules[name]

    def launch(self, *launches: Launch) -> None:
        """Queue the kernels on this device's stream; those of one kernel for planes are one launch."""
        if (tape := tape_of(self)) is not None:
            tape.launch(launches)
        with self._here():
            self._queue(launches)

    def send(self, repeated: Repeated, kept: object) -> None:
        """As `launch` does, group by group: memory that is given back is used again behind them only."""
        with self._here():
            for group in repeated.groups:
                self._queue(group)

    def _queue(self, launches: Sequence[Launch]) -> None:
        of_planes: dict[str, list[Launch]] = {}
        for launch in launches:
            if not launch.tiles_x or not launch.tiles_y:
                continue
            if launch.kernel in kernels_of_planes():
                of_planes.setdefault(launch.kernel, []).append(launch)
                continue
            grid = launch.tiles_x, min(launch.tiles_y, GRID_ROWS), -(-launch.tiles_y // GRID_ROWS)
            by_value = _by_value(launch.params), np.array(launch.tiles_y, np.int32)
            self._function(launch.kernel)(grid, BLOCK, by_value)
        for kernel, planes in of_planes.items():
            for begin in range(0, len(planes), BATCH):
                self._launch_planes(kernel, planes[begin : begin + BATCH])

    def _launch_planes(self, kernel: str, planes: Sequence[Launch]) -> None:
        ends = list(accumulate(launch.tiles_x * launch.tiles_y for launch in planes))
        batch = np.zeros((), _batch_dtype(planes[0].params.dtype))
        batch["first"] = _NO_BLOCK
        for place, (launch, first) in enumerate(zip(planes, (0, *ends), strict=False)):
            batch["params"][place] = launch.params
            batch["first"][place], batch["tiles_x"][place] = first, launch.tiles_x
        self._function(kernel)((ends[-1], 1, 1), BLOCK, (_by_value(batch),))

    def mark(self) -> Callable[[], None]:
        """A function that waits for everything launched until now."""
        with self._here():
            event = self._stream.record()

        def wait() -> None:
            with self._here():
                event.synchronize()

        return wait

    def synchronize(self) -> None:
        """Wait until every launch has finished."""
        with self._here():
            self._stream.synchronize()

    def describe(self) -> str:
        """One line for people."""
        properties = self._cupy.cuda.runtime.getDeviceProperties(self.ordinal)
        capability = f"{properties['major']}.{properties['minor']}"
        return f"{properties['name'].decode()} (compute {capability}, {properties['totalGlobalMem'] >> 30} GiB)"


@cache
def cuda_device(ordinal: int = 0) -> CudaDevice:
    """The one CudaDevice of this ordinal in this process."""
    return CudaDevice(ordinal)
