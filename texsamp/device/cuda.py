"""NVIDIA GPUs through CuPy: the same kernel sources compiled by NVRTC, one module per kernel file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any

import numpy as np

from texsamp.device.base import Array, Device, Launch
from texsamp.device.sources import kernel_source, kernels_by_name
from texsamp.errors import DeviceError

NVRTC_OPTIONS = ("--std=c++17", "--fmad=false", "--diag-suppress=177")
"""No contraction, so that floats agree with the CPU bit for bit; 177 is "unused helper"."""

BLOCK = (32, 8)
"""Threads of a tile: x along a line, y across lines (KERNEL's launch bound is their product)."""


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
    return None if count else "there is no CUDA device"


@cache
def _module(source_hash: str, name: str) -> Any:
    """Compiled module of a kernel file; the hash keys this cache, CuPy keeps binaries on disk by source and options."""
    import cupy

    del source_hash
    return cupy.RawModule(code=kernel_source(name), backend="nvrtc", options=NVRTC_OPTIONS)


class CudaDevice(Device):
    """One CUDA device, with its own stream and CuPy's pooled memory."""

    tile_limits = "device"

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
        self._functions: dict[str, Any] = {}
        with self._device:
            self._stream = cupy.cuda.Stream()  # in order with the default stream, where users' arrays are made

    @contextmanager
    def _here(self) -> Iterator[None]:
        """CuPy's current device and stream are this device's; what fails inside is a DeviceError."""
        cuda = self._cupy.cuda
        failures = (
            cuda.memory.OutOfMemoryError,
            cuda.compiler.CompileException,
            cuda.runtime.CUDARuntimeError,
            cuda.driver.CUDADriverError,
        )
        try:
            with self._device, self._stream:
                yield
        except failures as error:
            raise DeviceError(f"{self.name}: {error}") from error

    def current(self) -> AbstractContextManager[None]:
        """While this is entered, CuPy works on this device and its stream; what fails inside is a DeviceError."""
        return self._here()

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Array:
        """An uninitialized array from the memory pool."""
        with self._here():
            return self._cupy.empty(shape, dtype)

    def upload(self, array: Any) -> Array:
        """The array on this device; itself, uncopied, if it is here already."""
        with self._here():
            if isinstance(array, self._cupy.ndarray):
                return array if array.device.id == self.ordinal else self._cupy.asarray(array)
            if not isinstance(array, np.ndarray) and hasattr(array, "__dlpack__"):
                return self._cupy.from_dlpack(array)
            return self._cupy.asarray(array)

    def download(self, array: Array) -> np.ndarray[Any, np.dtype[Any]]:
        """The array as numpy, after everything launched before."""
        if isinstance(array, np.ndarray):
            return array
        with self._here():
            return np.asarray(array.get(stream=self._stream))

    def copy(self, array: Array) -> Array:
        """A copy, made in stream order."""
        with self._here():
            return array.copy()

    def address(self, array: Array) -> int:
        """Device address of the first element."""
        return int(array.data.ptr)

    def _function(self, name: str) -> Any:
        function = self._functions.get(name)
        if function is None:
            module = kernels_by_name().get(name)
            if module is None:
                raise DeviceError(f"no kernel named {name!r}")
            digest = hashlib.sha256(kernel_source(module).encode()).hexdigest()
            function = _module(f"{self.name}:{digest}", module).get_function(name)
            self._functions[name] = function
        return function

    def launch(self, *launches: Launch) -> None:
        """Queue the kernels on this device's stream."""
        with self._here():
            for launch in launches:
                if launch.tiles_x and launch.tiles_y:
                    # CuPy passes an array of size one by value; a structured scalar is too large for it
                    by_value = np.array(launch.params)
                    self._function(launch.kernel)((launch.tiles_x, launch.tiles_y), BLOCK, (by_value,))

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
