"""What threads have sent to synchronized root threads, which later commands start (volume 2 part 2, page 35)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Given:
    """What root threads are given. registers: bytes (threads, n), of which thread t has the first `sizes_B[t]`."""

    registers: NDArray[np.uint8]
    sizes_B: NDArray[np.int64]  # noqa: N815 - the unit

    @classmethod
    def nothing(cls) -> Given:
        """No thread is given anything."""
        return cls(np.zeros((0, 0), np.uint8), np.zeros(0, np.int64))

    def of(self, threads: NDArray[np.intp]) -> Given:
        """What some of the threads are given."""
        return Given(self.registers[threads], self.sizes_B[threads])

    @property
    def longest_B(self) -> int:  # noqa: N802 - the unit
        """The size of the longest."""
        return int(self.sizes_B.max(initial=0))


class SpawnedRoots:
    """Messages to root threads that are not started yet, in order: their bytes, one behind the other."""

    def __init__(self) -> None:
        self._data, self._sizes_B = [np.zeros(0, np.uint8)], [np.zeros(0, np.int64)]
        self.count = 0

    def add(self, given: Given) -> None:
        """Messages of threads, in their order."""
        self._data.append(given.registers[np.arange(given.registers.shape[1]) < given.sizes_B[:, None]])
        self._sizes_B.append(given.sizes_B)
        self.count += len(given.sizes_B)

    def take(self, count: int) -> Given:
        """The first messages of those that are left, of which there are so many."""
        data, sizes_B = np.concatenate(self._data), np.concatenate(self._sizes_B)
        taken_B = sizes_B[:count]
        columns = np.arange(int(taken_B.max(initial=0)))
        registers, end = np.zeros((count, len(columns)), np.uint8), int(taken_B.sum())
        registers[columns < taken_B[:, None]] = data[:end]
        self._data, self._sizes_B = [data[end:]], [sizes_B[count:]]
        self.count -= count
        return Given(registers, taken_B)
