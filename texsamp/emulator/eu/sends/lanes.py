"""Lanes of messages between threads' registers and arrays (kernels/eu_lanes.h)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Launch
from texsamp.device.params import constant, params_type
from texsamp.emulator.eu.registers.threads import PITCH_B, Array, Threads

_PAYLOAD = params_type("EuPayloadParams")
_RESPONSE = params_type("EuResponseParams")
_BLOCKS = params_type("EuBlocksParams")
MOST_PARTS = _PAYLOAD.dtype["out"].shape[0]
_CHANNELS = _RESPONSE.dtype["channel"].shape[0]
_THREADS_OF_A_TILE = constant("EU_LANES_THREADS")

Rows = NDArray[np.int32] | None
"""Threads of a message, by their numbers in the batch; None for all."""


@dataclass(frozen=True, eq=False)
class BlockPlaces:
    """Where the blocks of threads are in a plane of samples, int32 each.

    column, row: of every thread, which column and row of blocks. across, down: the samples that those have, (columns,
    16) and (rows, 4); None if they lie side by side.
    """

    column: NDArray[np.int32]
    row: NDArray[np.int32]
    across: NDArray[np.int32] | None
    down: NDArray[np.int32] | None

    @property
    def arrays(self) -> list[NDArray[np.int32]]:
        """Those that there are."""
        return [each for each in (self.column, self.row, self.across, self.down) if each is not None]


def _tiles(count: int) -> int:
    return -(-count // _THREADS_OF_A_TILE)


def take(threads: Threads, rows: Rows, places_B: Sequence[int], lanes: int) -> list[Array]:  # noqa: N803 - the unit
    """A dword for each of 8 or 16 lanes, from bytes of every thread's registers on: arrays (rows, lanes) there."""
    device, count = threads.device, threads.count if rows is None else len(rows)
    out = list(device.empty((len(places_B), count, lanes), np.uint32))
    numbers = None if rows is None else threads.upload(rows)
    spare = [0] * (MOST_PARTS - len(out))
    params = _PAYLOAD(
        registers=device.address(threads.registers),
        rows=0 if numbers is None else device.address(numbers),
        out=[*map(device.address, out), *spare],
        at=[*places_B, *spare],
        parts=len(out),
        dwords=lanes,
        threads=count,
        pitch=PITCH_B,
    )
    held = (threads.registers, *out) if numbers is None else (threads.registers, numbers, *out)
    device.launch(Launch("eu_payload", params, 1, _tiles(count), held))
    return out


def answer(
    threads: Threads,
    rows: Rows,
    place_B: int,  # noqa: N803 - the unit
    values: Array,
    channels: Sequence[int],
    enabled: NDArray[np.bool_] | None,
) -> None:
    """Channels of 8 or 16 lanes into registers, one behind the other.

    values: 32 bits in (rows, lanes, 4), the host's or contiguous where the registers are.

    enabled: of (rows, lanes), which alone are answered; None for all.
    """
    device, (count, lanes, _) = threads.device, values.shape
    arrays = [None if each is None else threads.upload(_packed(each)) for each in (rows, values, enabled)]
    numbers, given, chosen = (0 if each is None else device.address(each) for each in arrays)
    params = _RESPONSE(
        registers=device.address(threads.registers),
        rows=numbers,
        values=given,
        enabled=chosen,
        channel=[*channels, *[0] * (_CHANNELS - len(channels))],
        channels=len(channels),
        lanes=lanes,
        at=place_B,
        threads=count,
        pitch=PITCH_B,
    )
    held = (threads.registers, *(each for each in arrays if each is not None))
    device.launch(Launch("eu_response", params, 1, _tiles(count), held))


def _packed(values: Array) -> Array:
    return np.ascontiguousarray(values) if isinstance(values, np.ndarray) else values


def place_blocks(threads: Threads, rows: Rows, place_B: int, samples: NDArray[np.uint16], places: BlockPlaces) -> None:  # noqa: N803 - the unit
    """Every thread's block of samples into four registers, from a byte of them on."""
    device = threads.device
    parts = (places.column, places.row, places.across, places.down)  # of channels and pictures
    there = iter(threads.kept(*places.arrays))
    arrays = [None if each is None else threads.upload(each) for each in (rows, samples)]
    arrays += [None if each is None else next(there) for each in parts]
    numbers, plane, column, row, across, down = (0 if each is None else device.address(each) for each in arrays)
    params = _BLOCKS(
        registers=device.address(threads.registers),
        rows=numbers,
        samples=plane,
        column=column,
        row=row,
        across=across,
        down=down,
        samples_pitch=samples.strides[0] // samples.itemsize,
        at=place_B,
        threads=len(places.column),
        pitch=PITCH_B,
    )
    held = (threads.registers, *(each for each in arrays if each is not None))
    device.launch(Launch("eu_blocks", params, 1, _tiles(len(places.column)), held))
