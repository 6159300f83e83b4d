"""Shared local memory as the threads of one batch see it: blocks, and which of them each thread has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.emulator.context.sizes import SHARED_MEMORY_B
from texsamp.errors import CaptureError
from texsamp.state.commands_media import HalfSlice


class SharedBytes:
    """Bytes, zeros at first, that are where the threads run that use them."""

    def __init__(self, size_B: int) -> None:  # noqa: N803 - the unit
        self.size_B = size_B
        self._held: tuple[Device, Array] | None = None

    @classmethod
    def lent(cls, data: Array, device: Device) -> SharedBytes:
        """A device's own, until threads elsewhere ask for them."""
        made = cls(len(data))
        made._held = device, data
        return made

    def on(self, device: Device) -> Array:
        """All of them, to read and to write."""
        if self._held is None:
            self._held = device, device.arrays.zeros(self.size_B, np.uint8)
        elif self._held[0] is not device:
            before, data = self._held
            self._held = device, device.upload(before.download(data))
        return self._held[1]


@dataclass(frozen=True)
class SharedMemory:
    """data: bytes of all blocks. block: number of the block of every thread, by its number; -1 if it has none."""

    data: SharedBytes
    block: NDArray[np.int64]
    block_B: int  # noqa: N815 - the unit
    missing: str

    @classmethod
    def of_half_slices(cls, data: SharedBytes, halves: NDArray[np.int64]) -> SharedMemory:
        """The memories of the half-slices that media threads ask for (seed 003:5966-5981)."""
        missing = "shared local memory is one of a half-slice: its threads need half_slice 1 or 2"
        block = np.where(halves == HalfSlice.EITHER, -1, halves - HalfSlice.HALF_SLICE_0)
        return cls(data, block, SHARED_MEMORY_B, missing)

    @classmethod
    def of_groups(cls, group: NDArray[np.int64], groups: int, block_B: int) -> SharedMemory:  # noqa: N803 - the unit
        """A block of zeros for each group of compute threads (volume 2 part 2, page 38)."""
        missing = "shared local memory: the interface descriptor gives its groups none"
        block = group if block_B else np.full(len(group), -1, np.int64)
        return cls(SharedBytes(groups * block_B), block, block_B, missing)

    @classmethod
    def none(cls) -> SharedMemory:
        """For threads of the 3D pipeline, which have none, however many they are."""
        missing = "threads of the 3D pipeline have no shared local memory"
        return cls(SharedBytes(0), np.broadcast_to(np.int64(-1), 1 << 32), 0, missing)

    def base_B(self, threads: NDArray[np.intp]) -> NDArray[np.int64]:  # noqa: N802 - the unit
        """Where the blocks of these threads begin; CaptureError if one has none."""
        blocks = self.block[threads]
        if (blocks < 0).any():
            raise CaptureError(self.missing)
        return blocks * self.block_B
