"""An accumulator as an operand: what its register shows, and of integers the bits beyond."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from texsamp.emulator.eu.isa.operands import Destination, RegisterFile, Source
from texsamp.emulator.eu.registers.accumulators import ACCUMULATOR, ACCUMULATORS, guarded
from texsamp.emulator.eu.registers.regions import Place, Region
from texsamp.emulator.eu.registers.threads import REGISTER_B, Mask, Threads

Array = NDArray[Any]


def is_accumulator(operand: object) -> bool:
    """Whether an operand is acc0 or acc1."""
    return (
        isinstance(operand, Source | Destination)
        and operand.file == RegisterFile.ARCHITECTURE
        and operand.number in ACCUMULATORS
        and operand.indirection is None
    )


class AccumulatorPlace:
    """Reads and writes elements of an accumulator. product_of_dwords: whether what is written has 64 bits, not 33.

    acc1 and elements of another size than words and dwords have no bits that are not seen; CaptureError as `Place`.

    guards: whether there are such bits.
    """

    def __init__(self, operand: Source | Destination, region: Region, product_of_dwords: bool = False) -> None:
        self._place, self._product = Place(operand, region), product_of_dwords
        self.type = operand.type
        size_B = operand.type.size_B
        lanes = (operand.subregister_B + region.offsets) // size_B
        inside = operand.number == ACCUMULATOR and int(lanes.max()) < REGISTER_B // size_B
        self.guards = inside and size_B in (2, 4) and not operand.type.is_float
        self._size_B = size_B
        self._lanes = lanes

    @property
    def positions(self) -> list[int]:
        """First byte of every element among a thread's registers."""
        return self._place.positions

    @property
    def lanes(self) -> list[int]:
        """Which element of the accumulator each is."""
        lanes: list[int] = self._lanes.tolist()
        return lanes

    def read(self, threads: Threads) -> Array:
        """The elements, shape (threads, n); integers as int64 with all their bits."""
        shown = self._place.read(threads)
        if not self.guards:
            return shown
        lanes = threads.constant(self._lanes if shown.shape[1] > 1 else self._lanes[:1])
        return threads.accumulators.widened(shown, lanes, self._size_B)

    def write(self, threads: Threads, values: Array, mask: Mask) -> None:
        """Store values where the mask allows it."""
        self._place.write(threads, values, mask)
        if not self.guards:
            threads.accumulators.forget(mask)
            return
        step = int(self._lanes[1] - self._lanes[0]) if len(self._lanes) > 1 else 1
        lanes = slice(int(self._lanes[0]), int(self._lanes[-1]) + 1, step)
        threads.accumulators.store(lanes, self._size_B, guarded(values, self._product), mask)
