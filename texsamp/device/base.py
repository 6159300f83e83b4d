"""What every compute device offers: arrays, and kernels launched by name over a grid of tiles."""

from __future__ import annotations

import ctypes
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, cast

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
"""A numpy.ndarray on the CPU; on CUDA a cupy.ndarray, which has the same interface and no types of its own."""

CudaArray = Any
"""A cupy.ndarray, where nothing else can be."""

_WORD_B = 8


@dataclass(frozen=True)
class Launch:
    """One kernel over ``tiles_x`` x ``tiles_y`` tiles; ``arrays`` keeps alive the memory that ``params`` points to."""

    kernel: str
    params: np.void
    tiles_x: int
    tiles_y: int
    arrays: tuple[Array, ...]


class Repeated:
    """Groups of launches, those of one group independent of each other, whose parameters lie in ``memory``.

    It is uint64; those of launch n begin at its byte ``places_B[n]``, behind a gap of so many bytes for whoever sends
    them. ``groups`` are the launches over it, ``counts`` how many each has.
    """

    def __init__(self, groups: Sequence[Sequence[Launch]], gap: int = 0) -> None:
        launches = [launch for group in groups for launch in group]
        self.sizes_B = [-(-launch.params.dtype.itemsize // _WORD_B) * _WORD_B for launch in launches]
        ends_B = list(accumulate(gap + size for size in self.sizes_B))
        self.places_B = [end - size for end, size in zip(ends_B, self.sizes_B, strict=True)]
        self.memory = np.zeros((ends_B[-1] if ends_B else 0) // _WORD_B, np.uint64)
        for launch, place in zip(launches, self.places_B, strict=True):
            self.write(place, launch.params.tobytes())
        self.counts = (ctypes.c_int32 * len(groups))(*map(len, groups))
        places = iter(self.places_B)
        self.groups = [[self._there(launch, next(places)) for launch in group] for group in groups]

    def write(self, place: int, data: bytes) -> None:
        """Put bytes into the memory, from byte ``place`` on."""
        self.memory.view(np.uint8)[place : place + len(data)] = np.frombuffer(data, np.uint8)

    def _there(self, launch: Launch, place: int) -> Launch:
        params = np.frombuffer(self.memory, launch.params.dtype, 1, place)[0]
        return Launch(launch.kernel, cast(np.void, params), launch.tiles_x, launch.tiles_y, launch.arrays)


class Download:
    """Arrays on their way to the host; ``wait`` returns when they are there."""

    def __init__(self, arrays: Sequence[Array], wait: Callable[[], None] | None = None) -> None:
        self._arrays, self._wait = tuple(arrays), wait

    def result(self) -> tuple[np.ndarray[Any, np.dtype[Any]], ...]:
        """The arrays as numpy, when they are there. Raises DeviceError."""
        if self._wait is not None:
            self._wait()
            self._wait = None
        return self._arrays


class Device(ABC):
    """A place where arrays live and kernels run."""

    name: str
    arrays: Any
    """The module its arrays are of, numpy or cupy."""
    tile_limits: str
    """Which column of the kernels' ON_DEVICE(host, device) constants applies: "host" or "device"."""
    records = False
    """Whether it tells a tape (`texsamp.device.tape`) what it is asked for."""

    def __repr__(self) -> str:
        return f"<Device {self.name}>"

    def __deepcopy__(self, known: dict[int, Any]) -> Device:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        from texsamp.device import get_device  # which knows the kinds of devices that are made of this

        return get_device, (self.name,)

    def current(self) -> AbstractContextManager[None]:
        """While this is entered, what `arrays` makes and computes is here, in order with `launch`."""
        return nullcontext()

    @abstractmethod
    def empty(self, shape: tuple[int, ...], dtype: Any) -> Array:
        """An uninitialized array."""

    @abstractmethod
    def upload(self, array: Any) -> Array:
        """The array on this device; itself, uncopied, if it is here already."""

    @abstractmethod
    def download(self, array: Array) -> np.ndarray[Any, np.dtype[Any]]:
        """The array as numpy; itself, uncopied, if it is numpy already."""

    def empty_all(self, shapes: Sequence[tuple[int, ...]], dtype: Any) -> tuple[Array, ...]:
        """Uninitialized arrays that will travel together."""
        return tuple(self.empty(shape, dtype) for shape in shapes)

    def upload_all(self, arrays: Sequence[Any]) -> tuple[Array, ...]:
        """The arrays on this device, in one copy if it takes one."""
        return tuple(self.upload(array) for array in arrays)

    def start_download(self, arrays: Sequence[Array]) -> Download:
        """Begin to copy arrays of this device to the host."""
        return Download([self.download(array) for array in arrays])

    @abstractmethod
    def copy(self, array: Array) -> Array:
        """A copy with rows packed tightly."""

    @abstractmethod
    def address(self, array: Array) -> int:
        """Address of the array's first element, for a kernel's parameters."""

    @abstractmethod
    def launch(self, *launches: Launch) -> None:
        """Run kernels that do not depend on each other, in any order or at once. Raises DeviceError."""

    def repeated(self, groups: Sequence[Sequence[Launch]]) -> Repeated:
        """Launches to `send`, group behind group."""
        return Repeated(groups)

    def send(self, repeated: Repeated, kept: object) -> None:
        """Launch them with the parameters that they have now; ``kept`` keeps what they read and write."""
        for group in repeated.groups:
            self.launch(*group)

    def part(self, array: Array, begin: int, shape: tuple[int, ...], dtype: Any, strides: tuple[int, ...]) -> Array:
        """A view of an array that is in one piece, from a byte of it on."""
        return np.ndarray(shape, dtype, array, begin, strides)

    def overlap(self) -> AbstractContextManager[None]:
        """While this is entered, `launch` need not wait for kernels: all are done when it is left.

        What reads arrays meanwhile does so by `download` or within `current`, as for a GPU, which never waits.
        """
        return nullcontext()

    @abstractmethod
    def synchronize(self) -> None:
        """Wait until every launch has finished."""

    @abstractmethod
    def describe(self) -> str:
        """One line for people."""
