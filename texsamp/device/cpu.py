"""The CPU twin: the kernels compiled as C++, once per instruction set level, called through ctypes without copies."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import platform
import threading
import weakref
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from texsamp.device.base import Array, Device, Launch, Repeated
from texsamp.device.given import given_array, on_host
from texsamp.device.host_pool import HostPool
from texsamp.device.levels import supported_levels
from texsamp.device.sources import kernel_digest, kernel_directory
from texsamp.device.tape import spoil_tape_of, tape_of
from texsamp.device.threads import JOB_HEADER, KERNEL_ARGUMENTS, Job, LaunchQueue, thread_count
from texsamp.errors import DeviceError

ROW_ALIGNMENT_B = 16
"""Of planes of frames: where their rows begin, FFmpeg's own pictures' rows do."""
PLANE_ALIGNMENT_B = 64


def library_path(level: str) -> Path | None:
    """Path of the kernel library of a level, or None if the package was built without it."""
    spec = importlib.util.find_spec(f"texsamp._kernels_{level}")
    return Path(spec.origin) if spec is not None and spec.origin else None


def chosen_level() -> str:
    """The level to use: TEXSAMP_CPU_LEVEL, else the best that is built and supported. Raises DeviceError."""
    supported = supported_levels()
    wanted = os.environ.get("TEXSAMP_CPU_LEVEL", "")
    if wanted:
        if wanted not in supported or library_path(wanted) is None:
            built = [level for level in supported if library_path(level)]
            raise DeviceError(f"TEXSAMP_CPU_LEVEL must be one of {', '.join(built)} on this machine, found {wanted!r}")
        return wanted
    for level in supported:
        if library_path(level) is not None:
            return level
    raise DeviceError(f"no kernel library for this processor (it runs {', '.join(supported) or 'no known level'})")


def _built_from(library: ctypes.CDLL) -> str:
    try:
        return (ctypes.c_char * 65).in_dll(library, "kernel_digest").value.decode()
    except ValueError:  # built before libraries said so
        return ""


class _Thread(threading.local):
    """What a device knows of each thread of Python that launches."""

    def __init__(self) -> None:
        self.queue = LaunchQueue()
        self.overlap: weakref.ref[_Overlap] | None = None

    def wait_unless_overlapped(self) -> None:
        """Wait for what was launched, but within `CpuDevice.overlap`."""
        if self.overlap is None or self.overlap() is None:
            self.queue.wait()


class _Overlap(AbstractContextManager[None]):
    """While it is entered `launch` does not wait. One that Ctrl-C kept from being left is gone, and counts no more."""

    def __init__(self, thread: _Thread) -> None:
        self._thread = thread

    def __enter__(self) -> None:
        self._thread.overlap = weakref.ref(self)

    def __exit__(self, *_: object) -> None:
        self._thread.overlap = None
        self._thread.queue.wait()


class CpuDevice(Device):
    """The host processor."""

    name = "cpu"
    arrays = np
    tile_limits = "host"
    records = True

    def __init__(self, level: str | None = None, library: Path | None = None) -> None:
        """``level`` is an x86-64 level to use instead of the best; ``library`` is a kernel library built elsewhere.

        Raises DeviceError if the level is not built, built from other sources, or not supported by this processor.
        """
        self.level = level or chosen_level()
        path = library or library_path(self.level)
        if path is None:
            raise DeviceError(f"texsamp was built without kernels for CPU level {self.level!r}")
        if self.level not in supported_levels():
            raise DeviceError(f"this processor runs {', '.join(supported_levels())}, not CPU level {self.level!r}")
        self._library = ctypes.CDLL(str(path))
        if library is None and _built_from(self._library) != kernel_digest():
            raise DeviceError(
                f"the kernels of CPU level {self.level!r} were built from other sources than those in "
                f"{kernel_directory().name}/: install texsamp again (pip install -e .)"
            )
        self._functions: dict[str, tuple[Any, int]] = {}
        self.pool = HostPool()
        self._thread = _Thread()

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Array:
        """An uninitialized array of pooled memory."""
        array = self.pool.empty(shape, dtype)
        if (tape := tape_of(self)) is not None:
            tape.make(array)
        return array

    def empty_all(self, shapes: Sequence[tuple[int, ...]], dtype: Any) -> tuple[Array, ...]:
        """Planes of shape (rows, elements) whose rows are padded to `ROW_ALIGNMENT_B`, one behind the other."""
        item_B = np.dtype(dtype).itemsize
        step, most = max(1, ROW_ALIGNMENT_B // item_B), PLANE_ALIGNMENT_B // item_B
        padded = [(rows, -(-row // step) * step) for rows, row in shapes]
        begins = [0, *accumulate(-(-rows * row // most) * most for rows, row in padded)]
        memory = self.empty((begins[-1],), dtype)
        return tuple(
            memory[begin : begin + rows * pitch].reshape(rows, pitch)[:, :row]
            for begin, (rows, pitch), (_, row) in zip(begins, padded, shapes, strict=False)
        )

    def upload(self, array: Any) -> Array:
        """The array as numpy. Raises FormatError for what is no array of numbers, or needs gradients."""
        spoil_tape_of(self)
        return array if isinstance(array, np.ndarray) else _to_numpy(array)

    def download(self, array: Array) -> np.ndarray[Any, np.dtype[Any]]:
        """The array itself."""
        spoil_tape_of(self)
        self.synchronize()
        return np.asarray(array)

    def copy(self, array: Array) -> Array:
        """A copy in pooled memory."""
        spoil_tape_of(self)
        self.synchronize()
        made = self.empty(array.shape, array.dtype)
        made[...] = array
        return made

    def address(self, array: Array) -> int:
        """Address of the first element."""
        memory: Any = array
        try:
            return ctypes.addressof(ctypes.c_char.from_buffer(memory))  # a fourth of the time of the other way
        except (TypeError, ValueError, BufferError):  # not to be written, not in one piece, or empty
            return int(array.ctypes.data)

    def _function(self, name: str) -> tuple[Any, int]:
        """A kernel and its address."""
        known = self._functions.get(name)
        if known is None:
            try:
                function = getattr(self._library, name)
            except AttributeError:
                raise DeviceError(f"no kernel named {name!r} in the CPU library (level {self.level})") from None
            function.argtypes, function.restype = KERNEL_ARGUMENTS, None
            known = self._functions[name] = function, ctypes.cast(function, ctypes.c_void_p).value or 0
        return known

    def launch(self, *launches: Launch) -> None:
        """Run kernels that do not depend on each other; returns when all are done, or at once within `overlap`."""
        if (tape := tape_of(self)) is not None:
            tape.launch(launches)
        thread = self._thread
        jobs = [
            Job(*self._function(each.kernel), each.params.tobytes(), each.tiles_x, each.tiles_y) for each in launches
        ]
        thread.queue.begin(jobs, launches)
        thread.wait_unless_overlapped()

    def repeated(self, groups: Sequence[Sequence[Launch]]) -> Repeated:
        """Launches to `send` in one call, packed as the threads read them."""
        made = Repeated(groups, JOB_HEADER.size)
        launches = (launch for group in groups for launch in group)
        for launch, place_B, size_B in zip(launches, made.places_B, made.sizes_B, strict=True):
            _, address = self._function(launch.kernel)
            made.write(place_B - JOB_HEADER.size, JOB_HEADER.pack(address, launch.tiles_x, launch.tiles_y, size_B))
        return made

    def send(self, repeated: Repeated, kept: object) -> None:
        """As `launch` does, group by group."""
        thread = self._thread
        thread.queue.begin_packed(repeated.memory.ctypes.data, repeated.counts, kept)
        thread.wait_unless_overlapped()

    def overlap(self) -> AbstractContextManager[None]:
        """While this is entered, Python goes on beside the kernels that this thread launches, which run in order.

        All are done when it is left, and before `download`, `copy` or `current` give anything out.
        """
        return _Overlap(self._thread)

    def current(self) -> AbstractContextManager[None]:
        """What was launched before is done."""
        spoil_tape_of(self)
        self.synchronize()
        return super().current()

    def synchronize(self) -> None:
        """Wait until every launch of this thread has finished."""
        self._thread.queue.wait()

    def describe(self) -> str:
        """One line for people."""
        threads = thread_count()
        level = f"x86-64-{self.level}" if self.level.startswith("v") else self.level
        return (
            f"{platform.processor() or platform.machine()} CPU, {level} kernels, {threads} thread{'s' * (threads > 1)}"
        )


def _to_numpy(array: Any) -> np.ndarray[Any, np.dtype[Any]]:
    if hasattr(array, "get") and hasattr(array, "device"):  # a cupy array
        return np.asarray(array.get())
    return on_host(given_array("array", array))


@cache
def cpu_device() -> CpuDevice:
    """The one CPU device of this process."""
    return CpuDevice()
