"""`movi`: elements of one register, chosen by the address register (volume 4 part 3, pages 196-197)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.eu.alu import arithmetic
from texsamp.emulator.eu.alu.plan import Predicate, execution_mask
from texsamp.emulator.eu.isa.instruction import Instruction
from texsamp.emulator.eu.isa.operands import VARIABLE, DataType, RegisterFile, Source
from texsamp.emulator.eu.registers.regions import Place, destination_region
from texsamp.emulator.eu.registers.threads import GENERAL_B, REGISTER_B, Mask, Threads
from texsamp.errors import CaptureError

_MOST_CHANNELS, _INDICES = 8, 8
_ALIGNED_B = 16


class MoveIndexed:
    """One `movi`. Element k of a destination register is chosen by a0.k: its register is that of a0.0.

    CaptureError for what the pages forbid.
    """

    def __init__(self, instruction: Instruction) -> None:
        destination, source = instruction.destination, instruction.sources[0]
        assert destination is not None
        self.instruction = instruction
        if not isinstance(source, Source) or source.indirection is None or source.file != RegisterFile.GENERAL:
            raise CaptureError("movi takes a general register at an address")
        if source.indirection.subregister or (source.region.vertical, source.region.width) != (VARIABLE, 1):
            raise CaptureError("movi takes addresses from a0.0 on, one for each element: r[a0.0, n]<VxH;1,0>")
        if source.type != destination.type or source.type == DataType.DF:
            raise CaptureError(f"movi of {source.type.name} gives no {destination.type.name}")
        if instruction.exec_size > _MOST_CHANNELS or instruction.align16 or instruction.condition:
            raise CaptureError("movi has at most 8 channels, in align1, and no condition modifier")
        if destination.stride != 1 or (destination.indirection is None and destination.subregister_B % _ALIGNED_B):
            raise CaptureError("movi writes packed elements from a multiple of 16 bytes on")
        self._source, self._size_B = source, source.type.size_B
        first = 0 if destination.indirection is not None else destination.subregister_B // self._size_B
        if first + instruction.exec_size > _INDICES:
            raise CaptureError(f"movi of element {first + instruction.exec_size - 1}: a0 has 8 addresses (page 197)")
        self._elements = range(first, first + instruction.exec_size)
        self._offset = source.indirection.offset_B
        self._predicate = Predicate(instruction) if instruction.predicate else None
        self._place = Place(destination, destination_region(destination, instruction.exec_size))

    def run(self, threads: Threads, here: Mask) -> None:
        """Execute for the channels at this instruction."""
        mask = execution_mask(self.instruction, here, self._predicate, threads)
        base = threads.addresses(0).astype(np.int64) + self._offset & ~(REGISTER_B - 1)
        low, high = int(base.min()), int(base.max())
        if low < 0 or high >= GENERAL_B:
            raise CaptureError(f"addresses {low} to {high + REGISTER_B - 1} of {GENERAL_B} bytes of registers")
        within = [
            threads.addresses(n).astype(np.int64) + self._offset & REGISTER_B - self._size_B for n in self._elements
        ]
        positions = (base[:, None] + np.stack(within, axis=1))[..., None] + threads.arrays.arange(self._size_B)
        rows = threads.arrays.arange(threads.count)[:, None, None]
        self._place.write(threads, self._modified(threads.registers[rows, positions]), mask)

    def _modified(self, data: NDArray[np.uint8]) -> NDArray[Any]:
        source, kind = self._source, self._source.type
        values = data.view(kind.dtype)[..., 0]
        if not (source.absolute or source.negate or self.instruction.saturate):
            return values
        values = arithmetic.flushed(values) if kind.is_float else values.astype(np.int64)
        values = np.abs(values) if source.absolute else values
        values = -values if source.negate else values
        if not self.instruction.saturate:
            return values
        if kind.is_float:
            return arithmetic.saturated(values)
        limits: np.iinfo[Any] = np.iinfo(kind.dtype.char)
        return np.clip(values, limits.min, limits.max)
