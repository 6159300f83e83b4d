"""Operands of align16 instructions: dwords, of which swizzles choose sources and masks choose destinations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.eu.isa.instruction import Instruction
from texsamp.emulator.eu.isa.operands import Destination, Immediate, Source
from texsamp.emulator.eu.registers.regions import Place, Region, destination_region
from texsamp.emulator.eu.registers.threads import Array, Mask, Threads
from texsamp.errors import CaptureError

_VECTOR = 4
_DWORD_B = 4
_SIZES = (4, 8)
_ALL = 15
_NOT_EXECUTED = frozenset({"line", "pln", "mac", "mach", "sad2", "sada2"})
"""Opcodes of which no source says what they do with vectors."""


def check_align16(instruction: Instruction) -> None:
    """CaptureError for one- and two-source instructions that are not one or two whole vectors of dwords."""
    name = instruction.opcode.mnemonic
    if name in _NOT_EXECUTED or instruction.accumulator_write:
        raise CaptureError(f"{name} in align16, or with AccWrEn there, is not executed")
    check_vectors(instruction)


def check_vectors(instruction: Instruction) -> None:
    """CaptureError for operands that are not one or two whole vectors of dwords."""
    destination = instruction.destination
    if instruction.exec_size not in _SIZES:
        raise CaptureError(f"align16 of {instruction.exec_size} channels is not executed: there are 4 or 8")
    assert destination is not None
    for operand in (destination, *instruction.sources):
        if isinstance(operand, Immediate):
            continue
        if operand.indirection is not None:
            raise CaptureError("align16 operands at addresses are not executed")
        if operand.type.size_B != _DWORD_B:
            raise CaptureError(f"align16 operands are dwords, not {operand.type.name}")


def components(instruction: Instruction) -> NDArray[np.bool_] | None:
    """Which channels an align16 destination enables, shape (1, exec_size); None for all (volume 4 part 3, page 8)."""
    destination = instruction.destination
    if not instruction.align16 or destination is None or destination.mask in (None, _ALL):
        return None
    assert destination.mask is not None
    return np.array([[destination.mask >> n % _VECTOR & 1 for n in range(instruction.exec_size)]], np.bool_)


class Swizzled:
    """A source: channel n reads dword `vertical` * (n // 4) + swizzle[n % 4], or dword 0 if it is replicated.

    Three-source instructions always step by a vector (seed 004:4189); others may read one vector twice.
    """

    def __init__(self, source: Source, exec_size: int, *, three_sources: bool) -> None:
        swizzle = source.swizzle or (0, 1, 2, 3)
        vertical = _VECTOR if three_sources else source.region.vertical
        if vertical not in (0, _VECTOR):
            raise CaptureError(f"align16 sources have vertical stride 0 or 4, not {vertical}")
        self._columns = np.array(
            [0 if source.replicate else vertical * (n // _VECTOR) + swizzle[n % _VECTOR] for n in range(exec_size)],
            np.intp,
        )
        count = int(self._columns.max()) + 1
        region = Region(source.type, [_DWORD_B * i for i in range(count)], (count,), (_DWORD_B,))
        self._place = Place(Source(source.file, source.type, source.number, source.subregister_B), region)

    @property
    def positions(self) -> list[int]:
        """As of `Place`."""
        of_vector = self._place.positions
        return [of_vector[int(column)] for column in self._columns]

    def read(self, threads: Threads) -> Array:
        """The elements, shape (threads, exec_size)."""
        return self._place.read(threads)[:, threads.constant(self._columns)]


class MaskedChannels:
    """A destination: only channels whose component is enabled are written."""

    def __init__(self, destination: Destination, exec_size: int) -> None:
        packed = replace(destination, stride=1)  # its field is ignored
        self._place = Place(packed, destination_region(packed, exec_size))
        mask = _ALL if destination.mask is None else destination.mask
        self._enabled = np.array([[mask >> n % _VECTOR & 1 for n in range(exec_size)]], np.bool_)

    def write(self, threads: Threads, values: Array, mask: Mask) -> None:
        """Store values where component and mask allow it."""
        shape = (threads.count, self._enabled.shape[1])
        if self._enabled.all():
            self._place.write(threads, values, mask)
            return
        enabled = threads.constant(self._enabled)
        self._place.write(threads, values, np.broadcast_to(enabled, shape) if mask is None else enabled & mask)
