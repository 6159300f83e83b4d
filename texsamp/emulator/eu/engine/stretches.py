"""Straight stretches of a program, run by one kernel for all threads (kernels/eu_run.h)."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.eu.alu.plan import Compute
from texsamp.emulator.eu.engine.active_threads import executing
from texsamp.emulator.eu.engine.launches import (
    FAULTY,
    Table,
    has_addresses,
    launch,
    no_faults,
    of_threads,
    refuse,
    tiles_of,
)
from texsamp.emulator.eu.engine.lowering import OPERATION, expectation, nothing
from texsamp.emulator.eu.engine.whole_program import Asks
from texsamp.emulator.eu.isa.instruction import Instruction
from texsamp.emulator.eu.registers.threads import Mask, Threads

Array = NDArray[Any]


def is_engine_used() -> bool:
    """Whether programs run on the engine; TEXSAMP_EU=reference leaves every instruction to `plan`."""
    return os.environ.get("TEXSAMP_EU") != "reference"


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
        threads.executed.add_each(threads.upload(of_threads(threads, stops)))
        offsets = np.array([self._offset_of(int(stop)) for stop in of_threads(threads, stops)], np.int64)
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
            self._has_addresses = has_addresses(rows)
        operations, first = self._operations, 0
        if threads.device.arrays is not np:
            operations, first = self._among_all(operations)
        faults = no_faults(threads) if self._has_addresses else None
        stops = threads.arrays.full(tiles_of(threads), count, np.int32) if self._straight is not None else None
        launch(
            threads,
            self._table,
            operations,
            {"first": first, "count": count},
            {"here": channels, "faults": faults, "stops": stops},
        )
        if faults is None and stops is None:
            return None
        walk = threads.walk if stops is None and channels is None else None
        if walk is not None and walk.ways(f"{count} without a fault") is not None:
            return None
        wanted = {} if asks is None else asks()
        there: Any = stops
        if faults is not None:
            there = faults.any() if stops is None else np.where(faults.any(), FAULTY, stops)
        found, *brought = threads.bring((there, *wanted.values()))
        if along is not None:
            along.update(zip(wanted, brought, strict=True))
        if faults is not None and (found if stops is None else found == FAULTY).any():
            self._refuse(threads.download(faults))
        if walk is not None:
            walk.went(f"{count} without a fault", found)
        return None if stops is None else found

    def _among_all(self, own: Array) -> tuple[Array, int]:
        """Rows that hold these one after the other, and which is the first: those of the whole program, if they do."""
        if self._table.in_order is None or self._straight is not None:
            return own, 0
        numbers, rows = self._table.in_order
        first = numbers.get(self._starts[0])
        if first is None or numbers.get(self._starts[-1]) != first + len(self._starts) - 1:
            return own, 0
        return rows, first

    def _refuse(self, faults: Array) -> None:
        faults[:, 2] = faults[:, 0] - 1
        refuse(self._table, faults, self._starts)
