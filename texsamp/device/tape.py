"""What a device is asked for while a function is recorded (`texsamp.device.recorded`)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from texsamp.device.base import Array, Device, Launch
from texsamp.device.params import pointer_places_B


@dataclass(frozen=True)
class Memory:
    """Of an array: its addresses, and its number among all that the function reads or makes."""

    begin: int
    end: int
    number: int

    @classmethod
    def of(cls, device: Device, array: Array, number: int) -> Memory:
        """That of an array of a device."""
        begin = device.address(array)
        last = sum((count - 1) * step for count, step in zip(array.shape, array.strides, strict=True))
        return cls(begin, begin + (last + array.dtype.itemsize if array.size else 0), number)


@dataclass(frozen=True)
class Made:
    """An array that the function has made."""

    memory: Memory
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Pointer:
    """In the parameters of a launch: at byte ``place``, it points so many bytes behind the begin of an array."""

    launch: int
    place: int
    number: int
    behind: int


class Tape:
    """Launches, where their pointers lead, and the arrays that were made between them.

    ``given`` are the arrays that the function gets. ``spoiled``: something was done that cannot be done again by
    launches alone, or a pointer leads elsewhere, or nobody knows into which of two arrays.
    """

    def __init__(self, device: Device, given: Sequence[Array]) -> None:
        self.device = device
        self.groups: list[list[Launch]] = []
        self.pointers: list[Pointer] = []
        self.made: list[Made] = []
        self.spoiled = False
        self._launches = 0
        self._given = len(given)
        self._live = [Memory.of(device, array, number) for number, array in enumerate(given)]

    def make(self, array: Array) -> None:
        """An array was made; what lay there before has died."""
        memory = Memory.of(self.device, array, self._given + len(self.made))
        self.made.append(Made(memory, tuple(array.shape), array.dtype.str))
        if array.size:
            self._live = [known for known in self._live if known.end <= memory.begin or memory.end <= known.begin]
            self._live.append(memory)

    def launch(self, launches: Sequence[Launch]) -> None:
        """Kernels are launched."""
        self.groups.append([Launch(one.kernel, one.params, one.tiles_x, one.tiles_y, ()) for one in launches])
        for one in launches:
            data = one.params.tobytes()
            for place_B in pointer_places_B(one.params.dtype):
                address = int.from_bytes(data[place_B : place_B + 8], "little")
                memory = self.memory_at(address) if address else None
                if memory is not None:
                    self.pointers.append(Pointer(self._launches, place_B, memory.number, address - memory.begin))
                elif address:
                    self.spoil()
            self._launches += 1

    def spoil(self) -> None:
        """Something else is done."""
        self.spoiled = True

    def made_as(self, memory: Memory) -> Made | None:
        """As what an array was made; None for one that was given."""
        return self.made[memory.number - self._given] if memory.number >= self._given else None

    def memory_at(self, address: int) -> Memory | None:
        """The array that holds an address now; None if there is none, or more than one."""
        found = [memory for memory in self._live if memory.begin <= address < memory.end]
        return found[0] if len({(memory.begin, memory.end) for memory in found}) == 1 else None


class _Running(threading.local):
    tape: Tape | None = None


running = _Running()
"""The tape of this thread, if one is recorded."""


def tape_of(device: Device) -> Tape | None:
    """The tape on which this thread records what a device is asked for."""
    tape = running.tape
    return tape if tape is not None and tape.device is device else None


def spoil_tape_of(device: Device) -> None:
    """Something is done that is no launch."""
    if (tape := tape_of(device)) is not None:
        tape.spoil()
