"""Global memory of a device that does not exist: allocations at made-up addresses, with what of them was written."""

from __future__ import annotations

import itertools
import threading
from dataclasses import dataclass, field

import numpy as np

from support.ptx.library import AllocationRow

ALIGNMENT_B = 512
"""Of every allocation, as CuPy's memory pool has it."""
GAP_B = 1 << 20
"""Between allocations; addresses are never used twice, so a late access meets nothing."""


@dataclass(eq=False)
class Allocation:
    """``data``: its bytes; ``known``: 1 for those written to."""

    address: int
    data: np.ndarray
    known: np.ndarray
    writable: bool
    name: str
    touched: np.ndarray | None = None
    """Where accesses are counted: of each byte, 1 if it was read, 2 if it was written."""


@dataclass
class Memory:
    """All that lives, by address. ``capacity_B`` is what can be allocated in all."""

    capacity_B: int = 8 << 30
    first: int = 0x7F0000000000
    live: dict[int, Allocation] = field(default_factory=dict)
    used_B: int = 0

    def __post_init__(self) -> None:
        self._next = self.first
        self._numbers = itertools.count(1)
        # Threads share a device, and a collection of garbage may free while its own thread allocates.
        self._turn = threading.RLock()

    def allocate(self, size_B: int, name: str = "", *, writable: bool = True) -> Allocation:
        """Unwritten memory. Raises MemoryError beyond the capacity."""
        with self._turn:
            if self.used_B + size_B > self.capacity_B:
                raise MemoryError(f"{size_B} B more than the {self.capacity_B - self.used_B} B that are free")
            made = Allocation(
                self._next,
                np.full(size_B, 0xA5, np.uint8),
                np.zeros(size_B, np.uint8),
                writable,
                name or f"allocation {next(self._numbers)} of {size_B} B",
            )
            self._next += -(-(size_B + GAP_B) // ALIGNMENT_B) * ALIGNMENT_B
            self.live[made.address] = made
            self.used_B += size_B
            return made

    def free(self, allocation: Allocation) -> None:
        """Its addresses are outside from now on."""
        with self._turn:
            del self.live[allocation.address]
            self.used_B -= allocation.data.size

    def everything(self) -> list[Allocation]:
        """What lives, in order of its addresses."""
        with self._turn:
            return list(self.live.values())

    def find(self, address: int) -> Allocation | None:
        """What lives at an address."""
        return next((each for each in self.everything() if 0 <= address - each.address < each.data.size), None)

    def rows(self) -> np.ndarray:
        """The live allocations for the machine, in order of their addresses."""
        return np.array([self._row(each) for each in self.everything()], AllocationRow)

    @staticmethod
    def _row(each: Allocation) -> tuple[int, ...]:
        data, known = each.data.ctypes.data, each.known.ctypes.data
        touched = 0 if each.touched is None else each.touched.ctypes.data
        return each.address, each.address + each.data.size, data, known, each.writable, touched

    def describe(self, address: int) -> str:
        """An address in words: in, before or after which allocation."""
        before = [each for each in self.everything() if each.address <= address]
        if not before:
            return f"{address:#x}"
        last = before[-1]
        offset = address - last.address
        if offset < last.data.size:
            return f"{address:#x}, byte {offset} of {last.name}"
        return f"{address:#x}, {offset - last.data.size} B after the end of {last.name}"
