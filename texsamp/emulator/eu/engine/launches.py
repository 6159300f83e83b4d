"""Launches of the engine's kernel: rows of a program, and what they find wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device.base import Launch
from texsamp.device.params import params_type
from texsamp.emulator.eu.alu.plan import Compute
from texsamp.emulator.eu.engine.lowering import Operands, lowered, nothing
from texsamp.emulator.eu.registers.threads import ADDRESSES_AT, FLAGS_AT, PITCH_B, Threads
from texsamp.errors import CaptureError

_PARAMS = params_type("EuRunParams")
_KEPT = ("kept_words", "kept_dwords", "known_words", "known_dwords")
_PLACES = {"pitch": PITCH_B, "flags_at": FLAGS_AT, "addresses_at": ADDRESSES_AT}
THREADS = {"host": 64, "device": 8}
"""Of a tile."""
FAULTY = np.int32(-1)
"""Instead of a number of instructions."""
_SPARE_B = 128
"""Behind the constants: vectors are read whole."""

Array = NDArray[Any]


class Table:
    """Rows of the instructions of one program, by offset, and what they point to; replays in parallel may share it."""

    def __init__(self) -> None:
        self._rows: dict[int, bytes] = {}
        self._places: dict[int, Compute] = {}
        self._operands = Operands()
        self._arrays: tuple[Array, Array] | None = None
        self.in_order: tuple[Mapping[int, int], Array] | None = None
        """Of all instructions, once asked for: numbers by offset, and rows."""
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


def has_addresses(rows: Array) -> bool:
    """Whether rows have operands at addresses of registers, which may be illegal."""
    return bool((rows["to_address"] != 0).any() or (rows["sources"]["address"] != 0).any())


def tiles_of(threads: Threads) -> int:
    """How many tiles of a launch threads are."""
    return -(-threads.count // THREADS[threads.device.tile_limits])


def of_threads(threads: Threads, tiles: Array) -> Array:
    """What each tile has, for each of its threads."""
    return tiles.repeat(THREADS[threads.device.tile_limits])[: threads.count]


def no_faults(threads: Threads) -> Array:
    """Room for the first illegal address of each thread."""
    none: Array = threads.arrays.zeros((threads.count, 3), np.int32)
    return none


def _known(threads: Threads) -> dict[str, int]:
    """Fields of params that are the same for all launches of threads; the others are 0."""
    if threads.params is None:
        kept = map(threads.device.address, threads.accumulators.arrays)
        known = {**_PLACES, **dict(zip(_KEPT, kept, strict=True)), "threads": threads.count}
        threads.params = {name: known.get(name, 0) for name in _PARAMS.dtype.names or ()}
    return threads.params


def launch(
    threads: Threads, table: Table, rows: Array, numbers: Mapping[str, int], arrays: Mapping[str, Array | None]
) -> None:
    """Run rows for threads; numbers and arrays: of EuRunParams, beside those that are the same for all launches."""
    address = threads.device.address
    operations, constants, lists = threads.constants(rows, *table.arrays)
    given = {"registers": threads.registers, "operations": operations, "constants": constants, "offsets": lists}
    given |= {name: array for name, array in arrays.items() if array is not None}
    params = _known(threads) | {name: address(array) for name, array in given.items()} | dict(numbers)
    kept = (*given.values(), *threads.accumulators.arrays)
    threads.device.launch(Launch("eu_run", _PARAMS.of_numbers(params), 1, tiles_of(threads), kept))


def refuse(table: Table, faults: Array, offsets: Sequence[int]) -> None:
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
