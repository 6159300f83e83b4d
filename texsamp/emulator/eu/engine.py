"""Straight stretches of a program, run by one kernel for all threads (kernels/eu_run.h)."""

from __future__ import annotations

import os
from bisect import bisect_left
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device.base import Launch
from texsamp.device.params import params_type
from texsamp.emulator.eu.lowering import OPERATION, Operands, lowered
from texsamp.emulator.eu.plan import Compute
from texsamp.emulator.eu.threads import FLAGS_AT, PITCH_B, Mask, Threads

_PARAMS = params_type("EuRunParams")
THREADS = {"host": 16, "device": 8}
"""Of a tile."""
_SPARE_B = 128
"""Behind the constants: vectors are read whole."""

Array = NDArray[Any]


def is_engine_used() -> bool:
    """Whether programs run on the engine; TEXSAMP_EU=reference leaves every instruction to `plan`."""
    return os.environ.get("TEXSAMP_EU") != "reference"


class Stretch:
    """Instructions one behind the other that the engine takes, from one offset of a program on."""

    def __init__(self) -> None:
        self.end = 0
        self._starts: list[int] = []
        self._rows: list[Array] = []
        self._operands = Operands(bytearray(), [])
        self._arrays: tuple[Array, Array, Array] | None = None

    def __len__(self) -> int:
        return len(self._starts)

    def take(self, compute: Compute | None, offset: int, next_offset: int) -> bool:
        """Add the next instruction, None if it does nothing; False if the engine does not take it."""
        row = None if compute is None else lowered(compute, self._operands)
        if compute is not None and row is None:
            return False
        self._starts.append(offset)
        self._rows.append(np.zeros((), OPERATION) if row is None else row)
        self.end = next_offset
        return True

    def count_for(self, threads: Threads) -> int:
        """Instructions until one that other channels wait at."""
        if threads.ips is None:
            return len(self._starts)
        waiting = threads.ips[threads.ips > threads.ip]
        return bisect_left(self._starts, int(waiting.min())) if waiting.size else len(self._starts)

    def run(self, threads: Threads, here: Mask, count: int) -> None:
        """Execute the first `count` for the channels at this offset, which go on behind them."""
        self.launch(threads, None if here is None else threads.channel_bits(here), count)
        threads.leave(self._starts[count] if count < len(self._starts) else self.end, here)

    def launch(self, threads: Threads, channels: Array | None, count: int) -> None:
        """Execute the first `count` for some channels, a bit of each thread's word for each; None for all."""
        device = threads.device
        if self._arrays is None:
            given = np.frombuffer(bytes(self._operands.constants) + bytes(_SPARE_B), np.uint8)
            offsets = np.array([*self._operands.offsets, 0], np.int32)
            self._arrays = np.stack(self._rows).view(np.uint8), given, offsets
        operations, constants, lists = map(threads.constant, self._arrays)
        params = _PARAMS(
            registers=device.address(threads.registers),
            operations=device.address(operations),
            constants=device.address(constants),
            offsets=device.address(lists),
            here=0 if channels is None else device.address(channels),
            threads=threads.count,
            pitch=PITCH_B,
            count=count,
            flags_at=FLAGS_AT,
        )
        tiles = -(-threads.count // THREADS[device.tile_limits])
        kept = [threads.registers, operations, constants, lists, *([] if channels is None else [channels])]
        device.launch(Launch("eu_run", params, 1, tiles, tuple(kept)))
