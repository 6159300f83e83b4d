"""Functions whose launches are recorded once, and sent again where only the places of arrays have changed.

To describe a launch takes Python as long as the kernel for a small plane takes, and twice as long beside kernels that
fill the caches. Frames of a stream are all launched alike, so nothing but pointers needs to be written anew.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from functools import partial
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np

from texsamp.device.base import Device
from texsamp.device.parts import Given, Returned
from texsamp.device.tape import Memory, Tape, running

MOST_KINDS = 16
"""Of arguments whose launches are kept."""
_SCRATCH_ALIGNMENT_B = 256

P = ParamSpec("P")
R = TypeVar("R")


class Recorded(Generic[P, R]):
    """A function that does nothing but launch kernels on a device; called as the function is, after the device.

    What it does may depend on all that its arguments hold but the contents of arrays and what lies at which address.
    It is looked for in tuples, lists, dicts and dataclasses that compare by identity: in all fields of these, or in
    those that ``LAUNCHES_BY`` of their class names. Everything else is compared by its value. What it returns is made
    of the same, of arrays that it has made, and of arguments; what arrays hold is written by its launches alone.
    """

    def __init__(self, function: Callable[P, R]) -> None:
        self._function = function
        self._known: OrderedDict[Hashable, _Recording | None] = OrderedDict()

    def __reduce__(self) -> tuple[Any, ...]:
        return Recorded, (self._function,)

    def __call__(self, device: Device, *args: P.args, **options: P.kwargs) -> R:
        """What the function returns."""
        if not device.records or running.tape is not None:
            return self._function(*args, **options)
        given = Given(device.arrays.ndarray, (args, options))
        key = device, *given.key
        if key not in self._known:  # a kind that comes only once is not worth a recording
            self._known[key] = None
            while len(self._known) > MOST_KINDS:
                self._known.popitem(last=False)
            return self._function(*args, **options)
        recording = self._known[key]
        if recording is None:
            result, self._known[key] = self._record(device, given, partial(self._function, *args, **options))
            return result
        sent = recording.sent(given)
        return self._function(*args, **options) if sent is None else sent[0]

    def _record(self, device: Device, given: Given, function: Callable[[], R]) -> tuple[R, _Recording]:
        tape = running.tape = Tape(device, given.arrays)
        try:
            result = function()
        finally:
            running.tape = None
        return result, _Recording(tape, given, result)


class _Recording:
    """The launches of one kind of arguments, and how to make what is returned."""

    def __init__(self, tape: Tape, given: Given, result: object) -> None:
        self._device = device = tape.device
        self._returned = returned = Returned(tape, given, result)
        self._fits = not (tape.spoiled or returned.failed)
        if not self._fits:
            return
        first = len(given.arrays)
        kept = {made.memory.number: first + at for at, made in enumerate(returned.made)} | {n: n for n in range(first)}
        places, scratch_B = _laid_out(made.memory for made in tape.made if made.memory.number not in kept)
        self._makes = [(made.shape, made.dtype) for made in returned.made] + [((scratch_B,), "|u1")]
        addresses = [device.address(array) for array in given.arrays]
        firsts = [addresses.index(address) for address in addresses]
        self._alike = [(at, before) for at, before in enumerate(firsts) if at != before]
        self._launches = device.repeated(tape.groups)
        starts_B = [self._launches.places_B[pointer.launch] + pointer.place for pointer in tape.pointers]
        self._words = np.array(starts_B, np.intp) // 8
        self._numbers = np.array([kept.get(p.number, first + len(returned.made)) for p in tape.pointers], np.intp)
        self._behind = np.array([p.behind + places.get(p.number, 0) for p in tape.pointers], np.uint64)

    def sent(self, given: Given) -> tuple[Any] | None:
        """Send the launches: what the function would return; None if they are not those of these arguments."""
        device = self._device
        if not self._fits:
            return None
        addresses = [device.address(array) for array in given.arrays]
        if any(addresses[one] != addresses[other] for one, other in self._alike):
            return None
        made = [device.empty(shape, dtype) for shape, dtype in self._makes]
        begins = np.array([*addresses, *map(device.address, made)], np.uint64)
        self._launches.memory[self._words] = self._behind + begins[self._numbers]
        device.send(self._launches, (given.arrays, made))
        return (self._returned.build(given, made),)


def _laid_out(arrays: Iterable[Memory]) -> tuple[dict[int, int], int]:
    """Where arrays go in one piece of memory, those that shared some sharing it again, and how large that is."""
    places: dict[int, int] = {}
    size = begin = end = 0
    for memory in sorted(arrays, key=lambda memory: memory.begin):
        if memory.begin >= end:
            size = -(-(size + end - begin) // _SCRATCH_ALIGNMENT_B) * _SCRATCH_ALIGNMENT_B
            begin = end = memory.begin
        places[memory.number] = size + memory.begin - begin
        end = max(end, memory.end)
    return places, size + end - begin
