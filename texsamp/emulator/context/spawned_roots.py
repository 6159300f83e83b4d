"""What threads have sent to synchronized root threads, which later commands start (volume 2 part 2, page 35)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.device.kept import kept


@dataclass(frozen=True)
class Given:
    """What root threads are given. registers: bytes (threads, n) on a device, of which thread t has `sizes_B[t]`."""

    registers: Array
    sizes_B: NDArray[np.int64]  # noqa: N815 - the unit

    def of(self, device: Device, threads: NDArray[np.intp]) -> Given:
        """What some of the threads are given."""
        (rows,) = kept(device, (threads,))
        return Given(self.registers[rows], self.sizes_B[threads])

    @property
    def longest_B(self) -> int:  # noqa: N802 - the unit
        """The size of the longest."""
        return int(self.sizes_B.max(initial=0))

    def followed_by(self, device: Device, own: NDArray[np.uint8]) -> Array:
        """On the device, with bytes of each thread's own, (threads, bytes), behind what it is given, then zeros."""
        (count, own_B), longest_B, arrays = own.shape, self.longest_B, device.arrays
        own_on_device, sizes_B = kept(device, (own, self.sizes_B[:, None]))
        nothing = arrays.zeros((count, 1), np.uint8)
        sources = np.concatenate([self.registers[:, :longest_B], own_on_device, nothing], axis=1)
        columns, width_B = arrays.arange(longest_B + own_B), longest_B + own_B + 1
        behind = columns - sizes_B
        of_own = np.where(behind < own_B, longest_B + behind, width_B - 1)
        places = arrays.arange(count)[:, None] * width_B + np.where(behind < 0, columns, of_own)
        found: Array = sources.reshape(-1)[places]
        return found


class SpawnedRoots:
    """Messages to root threads that are not started yet, in order, where the threads that sent them were."""

    def __init__(self) -> None:
        self._given: deque[Given] = deque()
        self.count = 0

    def add(self, given: Given) -> None:
        """Messages of threads, in their order."""
        self._given.append(given)
        self.count += len(given.sizes_B)

    def take(self, device: Device, count: int) -> Given:
        """The first messages of those that are left, of which there are so many."""
        parts, left = [], count
        while left:
            first = self._given.popleft()
            parts.append(Given(first.registers[:left], first.sizes_B[:left]))
            if len(first.sizes_B) > left:
                self._given.appendleft(Given(first.registers[left:], first.sizes_B[left:]))
            left -= len(parts[-1].sizes_B)
        self.count -= count
        sizes_B = np.concatenate([np.zeros(0, np.int64), *(part.sizes_B for part in parts)])
        registers, at = device.arrays.zeros((count, int(sizes_B.max(initial=0))), np.uint8), 0
        for part in parts:
            end = at + len(part.sizes_B)
            registers[at:end, : part.longest_B] = part.registers[:, : part.longest_B]
            at = end
        return Given(registers, sizes_B)
