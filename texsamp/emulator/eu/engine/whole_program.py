"""All of a program for the engine, which goes on past jumps and branches of channels (kernels/eu_flow.h)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.device.params import constant
from texsamp.emulator.eu.engine.launches import FAULTY, Table, has_addresses, launch, no_faults, refuse, tiles_of
from texsamp.emulator.eu.engine.lowering import BRANCH, JUMP, OPERATION, STOP, stopping
from texsamp.emulator.eu.isa.instruction import JUMP_UNIT_B
from texsamp.emulator.eu.registers.pointers import ENDED
from texsamp.emulator.eu.registers.threads import CHANNELS, Threads

Array = NDArray[Any]
Asks = Callable[[int], Mapping[Any, Array]]
"""What the instruction at an offset asks of the device, if all threads come to it."""

_WAYS, _NOWHERE = constant("EU_WAYS"), constant("EU_NOWHERE")
_ENDED = _NOWHERE - 1
_TOGETHER, _JOINED, _ALONE = (constant(f"EU_{name}") for name in ("TOGETHER", "JOINED", "ALONE"))
_WHOLE = "as far as the engine goes"


class Whole:
    """All of a program as rows in the order of its instructions: those of a table, jumps among them, and where to stop.

    Where it runs, jumps and branches of channels ask nothing of the host.
    """

    def __init__(self, table: Table, offsets: Sequence[int], rows: Sequence[bytes], *, is_closed: bool) -> None:
        """offsets: of the instructions, and where the last one ends. rows: of all of them but for that one.

        is_closed: whether nothing of it leads elsewhere.
        """
        self._table, self._offsets, self._is_closed = table, offsets, is_closed
        self._led: dict[int, int] = {}
        self.numbers = {offset: number for number, offset in enumerate(offsets[:-1])}
        self.rows = np.frombuffer(bytearray().join([*rows, stopping()]), np.uint8)
        operations = self.rows.view(OPERATION)
        self._has_addresses = has_addresses(operations)
        opcodes = operations["opcode"]
        jumps, stops = np.flatnonzero((opcodes == JUMP) | (opcodes == BRANCH)), np.flatnonzero(opcodes == STOP)
        here = np.arange(len(operations))
        self._jumps = np.append(jumps, len(here))[np.searchsorted(jumps, here)] < stops[np.searchsorted(stops, here)]
        self._offset_of = np.array(offsets, np.int64)
        self._number_at = np.zeros((offsets[-1] // JUMP_UNIT_B) + 1, np.int32)
        self._number_at[self._offset_of[:-1] // JUMP_UNIT_B] = np.arange(len(offsets) - 1)

    @cached_property
    def _ends(self) -> list[frozenset[int] | None]:
        return _ends(self.rows.view(OPERATION))

    def _ends_of(self, threads: Threads) -> frozenset[int] | None:
        """Rows that the engine does not take, at one of which each channel has come to; None if that is not known."""
        others = threads.others
        if threads.alone is not None or others is None:
            return None
        found: set[int] = set()
        for place in {threads.ip, *others} - {ENDED}:
            ends = self._ends[self.numbers[place]]
            if ends is None:
                return None
            found |= ends
        return frozenset(found)

    def _guess(self, threads: Threads, went: _Went, ends: frozenset[int], asks: Asks | None) -> None:
        """Go on where channels may be, without a question but that of a message that all come to."""
        places = sorted(self._offsets[end] for end in ends)
        if threads.others and ENDED in threads.others:
            places.append(ENDED)
        if len(places) == 1:
            threads.meet(places[0])
            along = {} if asks is None else asks(places[0])
            threads.ahead = dict(zip(along, threads.bring([*along.values()]), strict=True)) or None
        else:
            threads.part(self._offsets_of(threads, went.places), places[0], places[1], frozenset(places[1:]))

    def run(self, threads: Threads, most: int, asks: Asks | None) -> int:
        """Execute from the current instruction on, where there are jumps before the engine stops.

        Threads go on where their tiles have come to: where the lowest of their channels are at what the engine does not
        take. Returns how many instructions that took, at most so many; CaptureError for operands at illegal addresses.

        asks: what comes along for a message, where the last threads have come to one from here.
        """
        first = self.numbers.get(threads.ip)
        if first is None or not (self._jumps[first] and self._is_closed) or threads.suspended.any():
            return 0
        faults = no_faults(threads) if self._has_addresses else None
        went = self._go(threads, (first, most), faults)
        walk = threads.walk
        may_guess = threads.arrays is not np and walk is None and faults is None
        ends = self._ends_of(threads) if may_guess else None
        if ends is not None and first < max(ends) <= first + most:
            threads.executed.add_each(went.taken)
            self._guess(threads, went, ends, asks)
            return max(ends) - first
        seen = None if walk is None else walk.ways(_WHOLE)
        expected = self._led.get(first) if asks is not None else None
        along = {} if expected is None or asks is None or seen is not None else asks(expected)
        there = went.ways if faults is None else np.where(faults.any(), FAULTY, went.ways)
        found, *brought = threads.bring((there, *along.values())) if seen is None else (seen,)
        if faults is not None and (found == FAULTY).any():
            refuse(self._table, threads.download(faults), self._offsets)
        if walk is not None and seen is None:
            walk.went(_WHOLE, found)
        if (found == found[0]).all() and found[0, 3] == _TOGETHER:
            threads.executed.add(int(found[0, 1]))
        else:
            threads.executed.add_each(went.taken)
        if (found[:, 0] == found[0, 0]).all() and (found[:, 3] <= _JOINED).all():
            threads.meet(self._offsets[found[0, 0]])
            self._led[first] = threads.ip
            if threads.ip == expected and along:
                threads.ahead = dict(zip(along, brought, strict=True))
        elif (found[:, 3] == _ALONE).any():
            threads.part_alone(self._offsets_of(threads, went.places), self._offsets_of(threads, went.alone))
        else:
            places = np.unique(found[:, [0, 2]])  # the lowest of all, and the next one
            lowest, others = [*map(self._place, places[:2].tolist()), ENDED][:2]
            threads.part(self._offsets_of(threads, went.places), lowest, others)
        return int(found[:, 1].max())

    def _go(self, threads: Threads, run: tuple[int, int], faults: Array | None) -> _Went:
        parted, device = not threads.are_together, threads.device
        shape, whole = (threads.count, CHANNELS), np.dtype(np.int32)
        alone = None if threads.alone is None else self._numbers_of(threads, threads.alone, _NOWHERE)
        ips = threads.ips if parted else None
        went = _Went(
            ways=device.empty((tiles_of(threads), _WAYS), whole),
            places=device.empty(shape, whole) if ips is None else self._numbers_of(threads, ips, _ENDED),
            alone=threads.arrays.full(threads.count, _NOWHERE, np.int32) if alone is None else alone,
            taken=threads.arrays.zeros(threads.count, np.int32),
            masks=device.empty((threads.count,), np.dtype(np.uint32)),
        )
        numbers = {"first": run[0], "count": run[1], "parted": parted, "ordered": parted or threads.arrays is np}
        launch(threads, self._table, self.rows, numbers, {"faults": faults, **vars(went)})
        return went

    def _numbers_of(self, threads: Threads, offsets: Array, ended: int) -> Array:
        """Rows of offsets; `ended` for those that are none."""
        table = threads.constant(self._number_at)
        is_inside = offsets < ENDED
        return np.where(is_inside, table[np.where(is_inside, offsets, 0) // JUMP_UNIT_B], ended).astype(np.int32)

    def _offsets_of(self, threads: Threads, numbers: Array) -> Array:
        """Offsets of rows; ENDED for those that are none."""
        table = threads.constant(self._offset_of)
        is_inside = numbers < _ENDED
        return np.where(is_inside, table[np.where(is_inside, numbers, 0)], ENDED)

    def _place(self, number: int) -> int:
        return self._offsets[number] if number < _ENDED else ENDED


@dataclass(frozen=True)
class _Went:
    """Where the kernel puts where tiles, channels and threads without channels have come to, and steps of threads."""

    ways: Array
    places: Array
    alone: Array
    taken: Array
    masks: Array


def _ends(rows: Array) -> list[frozenset[int] | None]:
    """Of each row those that the engine does not take and channels there may come to; None where more has to be asked.

    That is before jumps back, jumps of whole threads to one or another, and branches that send threads on alone.
    """
    found: list[frozenset[int] | None] = [None] * (len(rows) + 1)
    for number in range(len(rows) - 1, -1, -1):
        row = rows[number]
        ways = {number + 1}
        if row["opcode"] == JUMP:
            ways.add(int(row["sources"][0]["at"]))
        elif row["opcode"] == BRANCH:
            ways.update(row["sources"]["at"].tolist())
        if row["opcode"] == STOP:
            found[number] = frozenset((number,))
        elif min(ways) > number and not row["leads"]:
            ends = {found[way] for way in ways}
            known = [each for each in ends if each is not None]
            is_told = len(known) == len(ends) and (row["opcode"] != JUMP or len(ends) == 1)
            found[number] = frozenset().union(*known) if is_told else None
    return found
