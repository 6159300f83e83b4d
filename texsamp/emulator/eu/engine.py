"""Straight stretches of a program, run by one kernel for all threads (kernels/eu_run.h)."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device.base import Launch
from texsamp.device.params import params_type
from texsamp.emulator.eu.executing import executing
from texsamp.emulator.eu.instruction import Instruction
from texsamp.emulator.eu.lowering import JUMP, OPERATION, STOP, Operands, expectation, lowered, nothing, stopping
from texsamp.emulator.eu.plan import Compute
from texsamp.emulator.eu.threads import ADDRESSES_AT, FLAGS_AT, PITCH_B, Mask, Threads
from texsamp.errors import CaptureError

_PARAMS = params_type("EuRunParams")
_KEPT = ("kept_words", "kept_dwords", "known_words", "known_dwords")
_PLACES = {"pitch": PITCH_B, "flags_at": FLAGS_AT, "addresses_at": ADDRESSES_AT}
THREADS = {"host": 64, "device": 8}
"""Of a tile."""
_WHOLE = "as far as the engine goes"
_FAULTY = np.int32(-1)
"""Instead of a number of instructions."""
_SPARE_B = 128
"""Behind the constants: vectors are read whole."""

Array = NDArray[Any]


Asks = Callable[[int], Mapping[Any, Array]]
"""What the instruction at an offset asks of the device, if all threads come to it."""


def is_engine_used() -> bool:
    """Whether programs run on the engine; TEXSAMP_EU=reference leaves every instruction to `plan`."""
    return os.environ.get("TEXSAMP_EU") != "reference"


class Table:
    """Rows of the instructions of one program, by offset, and what they point to; replays in parallel may share it."""

    def __init__(self) -> None:
        self._rows: dict[int, bytes] = {}
        self._places: dict[int, Compute] = {}
        self._operands = Operands()
        self._arrays: tuple[Array, Array] | None = None
        self.whole: Whole | None = None
        self._lock = Lock()

    def row(self, compute: Compute | None, offset: int) -> bytes | None:
        """The row of an instruction, None for one that does nothing; None if the engine does not take it."""
        row = self._rows.get(offset)
        if row is None:
            own = None if compute is None else lowered(compute)
            if own is None and compute is not None:
                return None
            with self._lock:
                row = nothing() if own is None else own.among(self._operands)
                self._rows[offset], self._arrays = row, None
            if compute is not None:
                self._places[offset] = compute
        return row

    def refuse(self, offset: int, address: int) -> CaptureError:
        """What is wrong with an address that an instruction found."""
        return self._places[offset].refuse(address)

    @property
    def arrays(self) -> tuple[Array, Array]:
        """Constants as bytes, and offsets."""
        with self._lock:
            if self._arrays is None:
                given = np.frombuffer(self._operands.constants + bytes(_SPARE_B), np.uint8)
                self._arrays = given, np.array([*self._operands.offsets, 0], np.int32)
            return self._arrays


class Whole:
    """All of a program as rows in the order of its instructions: those of a table, jumps among them, and where to stop.

    Where it runs, jumps that all threads of a tile take alike ask nothing of the host.
    """

    def __init__(self, table: Table, offsets: Sequence[int], rows: Sequence[bytes]) -> None:
        """offsets: of the instructions, and where the last one ends. rows: of all of them but for that one."""
        self._table, self._offsets = table, offsets
        self._led: dict[int, int] = {}
        self._parting: dict[int, int] = {}
        self.numbers = {offset: number for number, offset in enumerate(offsets[:-1])}
        self.rows = np.frombuffer(bytearray().join([*rows, stopping()]), np.uint8)
        operations = self.rows.view(OPERATION)
        self._has_addresses = _has_addresses(operations)
        jumps, stops = np.flatnonzero(operations["opcode"] == JUMP), np.flatnonzero(operations["opcode"] == STOP)
        self._is_branch = (operations["opcode"] == JUMP) & (operations["channels"] > 1)
        here = np.arange(len(operations))
        ends = stops[np.searchsorted(stops, here)]
        self._next_jumps = np.append(jumps, len(operations))[np.searchsorted(jumps, here)]
        self._jumps = self._next_jumps < ends

    def run(self, threads: Threads, most: int, asks: Asks) -> int:
        """Execute from the current instruction of all threads on, where there are jumps before the engine stops.

        Threads go on where their tiles have come to. Returns how many instructions that took, at most so many;
        CaptureError for operands at illegal addresses.

        asks: what comes along for a message, where the last threads have come to one from here.
        """
        first = self.numbers.get(threads.ip)
        if first is None or not self._jumps[first]:
            return 0
        parting = self._parting.pop(first, None)
        if parting is not None:
            if parting != first:
                self._parting[parting] = parting
            return 0
        tiles = _tiles(threads)
        faults = _no_faults(threads) if self._has_addresses else None
        ways = threads.device.empty((tiles, 2), np.dtype(np.int32))
        _launch(threads, self._table, self.rows, (first, most), faults=faults, ways=ways)
        seen = None if threads.walk is None else threads.walk.ways(_WHOLE)
        expected = self._led.get(first)
        along = {} if expected is None or seen is not None else asks(expected)
        there = ways if faults is None else np.where(faults.any(), _FAULTY, ways)
        found, *brought = threads.bring((there, *along.values())) if seen is None else (seen,)
        if faults is not None and (found == _FAULTY).any():
            _refuse(self._table, threads.download(faults), self._offsets)
        if threads.walk is not None and seen is None:
            threads.walk.went(_WHOLE, found)
        self._learn(first, set(found[found[:, 1] < most, 0].tolist()))
        if (found == found[0]).all():
            threads.executed.add(int(found[0, 1]))
            threads.ip = self._led[first] = self._offsets[found[0, 0]]
            if threads.ip == expected and along:
                threads.ahead = dict(zip(along, brought, strict=True))
        else:
            threads.executed.add_each(_of_threads(threads, ways[:, 1]))
            places = np.array(self._offsets, np.int64)[_of_threads(threads, found[:, 0])]
            threads.leave(threads.upload(places)[:, None], None, set(places.tolist()))
        return int(found[:, 1].max())

    def _learn(self, first: int, stopped: set[int]) -> None:
        """Not to begin the next time at branches where channels have parted, nor where the first one ahead is such.

        stopped: where tiles have stopped.
        """
        for number in stopped:
            if self._is_branch[number]:
                self._parting[number] = number
                if self._next_jumps[first] == number:
                    self._parting[first] = number


class Stretch:
    """Instructions that the engine takes one after the other, from one offset of a program on, past expected jumps.

    end: where they go on. jump: the offset of the jump that they end before, if no way of it is known yet.
    """

    def __init__(self, start: int, table: Table | None = None) -> None:
        """table: of the program; one of its own if None."""
        self.end = start
        self._table = Table() if table is None else table
        self.jump: int | None = None
        self._starts: list[int] = []
        self._rows: list[bytes] = []
        self._straight: int | None = None
        self._operations: Array | None = None
        self._has_addresses = False

    def __len__(self) -> int:
        return len(self._starts)

    def take(self, compute: Compute | None, offset: int, next_offset: int) -> bool:
        """Add the next instruction, None if it does nothing; False if the engine does not take it."""
        row = self._table.row(compute, offset)
        if row is None:
            return False
        self._add(row, offset, next_offset)
        return True

    def go_on(self, straight: Stretch) -> None:
        """Add all of a stretch without jumps, of the same table, which begins where this one ends."""
        self._starts += straight._starts
        self._rows += straight._rows
        self._operations = None
        self.end = straight.end

    def expect(self, jump: Instruction, offset: int, next_offset: int, target: int) -> bool:
        """Go on behind a jump with what it was seen to lead to; False if the engine does not take it."""
        if self._straight is None:
            self._straight = len(self._starts)
        row: bytes | None = nothing()
        if jump.predicate:
            row = expectation(jump, target != next_offset)
        if row is None:
            return False
        self._add(row, offset, target)
        return True

    def _add(self, row: bytes, offset: int, next_offset: int) -> None:
        self._starts.append(offset)
        self._rows.append(row)
        self._operations = None
        self.end = next_offset

    @property
    def rows(self) -> bytes:
        """What the kernel is given of all of them."""
        return b"".join(self._rows)

    def count_for(self, threads: Threads) -> int:
        """Instructions until one that other channels wait at; where some do, until the first jump."""
        waiting = threads.first_waiting
        if waiting is None:
            return len(self._starts)
        straight = len(self._starts) if self._straight is None else self._straight
        return bisect_left(self._starts, waiting, hi=straight)

    def run(self, threads: Threads, here: Mask, count: int, asks: Asks | None = None) -> int:
        """Execute the first `count` for the channels at this offset, which go on behind them.

        Threads for which a jump leads elsewhere go on at it. Returns how many instructions that took; CaptureError
        for operands at illegal addresses.

        asks: what comes along for a message behind them, where threads are on a device.
        """
        end = self._offset_of(count)
        along: dict[Any, Array] = {}
        stops = self.launch(
            threads,
            None if here is None else threads.channel_bits(here),
            count,
            (lambda: asks(end)) if here is None and asks is not None else None,
            along,
        )
        if stops is None or int(stops.min()) == count:
            threads.executed.add(count, executing(threads, here), is_guessed=threads.is_guessed)
            threads.leave(end, here)
            threads.ahead = along or None
            return count
        if (stops == stops[0]).all():
            threads.executed.add(int(stops[0]))
            threads.ip = self._offset_of(int(stops[0]))
            return int(stops[0])
        threads.executed.add_each(threads.upload(_of_threads(threads, stops)))
        offsets = np.array([self._offset_of(int(stop)) for stop in _of_threads(threads, stops)], np.int64)
        threads.leave(threads.upload(offsets)[:, None], here, set(offsets.tolist()))
        return int(stops.max())

    def _offset_of(self, number: int) -> int:
        return self._starts[number] if number < len(self._starts) else self.end

    def launch(
        self,
        threads: Threads,
        channels: Array | None,
        count: int,
        asks: Callable[[], Mapping[Any, Array]] | None = None,
        along: dict[Any, Array] | None = None,
    ) -> Array | None:
        """Execute the first `count` for some channels, a bit of each thread's word for each; None for all.

        asks: what `along` gets with what is asked of the device anyway.

        Returns how many instructions each tile executed if there are expectations; CaptureError for illegal addresses.
        """
        if self._operations is None:
            rows = np.frombuffer(bytearray(self.rows), OPERATION)
            self._operations = rows.view(np.uint8)
            self._has_addresses = _has_addresses(rows)
        operations, first = self._operations, 0
        if threads.device.arrays is not np:
            operations, first = self._among_all(operations)
        faults = _no_faults(threads) if self._has_addresses else None
        stops = threads.arrays.full(_tiles(threads), count, np.int32) if self._straight is not None else None
        _launch(threads, self._table, operations, (first, count), channels, faults, stops)
        if faults is None and stops is None:
            return None
        walk = threads.walk if stops is None and channels is None else None
        if walk is not None and walk.ways(f"{count} without a fault") is not None:
            return None
        wanted = {} if asks is None else asks()
        there: Any = stops
        if faults is not None:
            there = faults.any() if stops is None else np.where(faults.any(), _FAULTY, stops)
        found, *brought = threads.bring((there, *wanted.values()))
        if along is not None:
            along.update(zip(wanted, brought, strict=True))
        if faults is not None and (found if stops is None else found == _FAULTY).any():
            self._refuse(threads.download(faults))
        if walk is not None:
            walk.went(f"{count} without a fault", found)
        return None if stops is None else found

    def _among_all(self, own: Array) -> tuple[Array, int]:
        """Rows that hold these one after the other, and which is the first: those of the whole program, if they do."""
        whole = self._table.whole
        if whole is None or self._straight is not None:
            return own, 0
        first = whole.numbers.get(self._starts[0])
        if first is None or whole.numbers.get(self._starts[-1]) != first + len(self._starts) - 1:
            return own, 0
        return whole.rows, first

    def _refuse(self, faults: Array) -> None:
        faults[:, 2] = faults[:, 0] - 1
        _refuse(self._table, faults, self._starts)


def _has_addresses(rows: Array) -> bool:
    return bool((rows["to_address"] != 0).any() or (rows["sources"]["address"] != 0).any())


def _tiles(threads: Threads) -> int:
    return -(-threads.count // THREADS[threads.device.tile_limits])


def _of_threads(threads: Threads, tiles: Array) -> Array:
    """What each tile has, for each of its threads."""
    return tiles.repeat(THREADS[threads.device.tile_limits])[: threads.count]


def _no_faults(threads: Threads) -> Array:
    none: Array = threads.arrays.zeros((threads.count, 3), np.int32)
    return none


def _known(threads: Threads) -> dict[str, int]:
    """Fields of params that are the same for all launches of threads; the others are 0."""
    if threads.params is None:
        kept = map(threads.device.address, threads.accumulators.arrays)
        known = {**_PLACES, **dict(zip(_KEPT, kept, strict=True)), "threads": threads.count}
        threads.params = {name: known.get(name, 0) for name in _PARAMS.dtype.names or ()}
    return threads.params


def _launch(
    threads: Threads,
    table: Table,
    rows: Array,
    run: tuple[int, int],
    channels: Array | None = None,
    faults: Array | None = None,
    stops: Array | None = None,
    ways: Array | None = None,
) -> None:
    """run: the first row, and how many steps at most."""
    address = threads.device.address
    operations, constants, lists = threads.constants(rows, *table.arrays)
    given = {"registers": threads.registers, "operations": operations, "constants": constants, "offsets": lists}
    optional = {"here": channels, "faults": faults, "stops": stops, "ways": ways}
    given |= {name: array for name, array in optional.items() if array is not None}
    numbers = _known(threads) | {name: address(array) for name, array in given.items()}
    numbers["first"], numbers["count"] = run
    kept = (*given.values(), *threads.accumulators.arrays)
    threads.device.launch(Launch("eu_run", _PARAMS.of_numbers(numbers), 1, _tiles(threads), kept))


def _refuse(table: Table, faults: Array, offsets: Sequence[int]) -> None:
    """Raise for the first instruction with an illegal address, and its first thread; offsets: of the rows."""
    steps = np.where(faults[:, 0] > 0, faults[:, 0], np.iinfo(np.int32).max)
    thread = int(steps.argmin())
    offset = offsets[int(faults[thread, 2])]
    raise IllegalAddressError(offset, table.refuse(offset, int(faults[thread, 1])))


class IllegalAddressError(CaptureError):
    """What a stretch ends with: the offset of the instruction, and what is wrong with its address."""

    def __init__(self, offset: int, error: CaptureError) -> None:
        super().__init__(str(error))
        self.offset = offset
