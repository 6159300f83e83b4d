"""Products of dwords by dwords: `mul` takes the low word of the second, `mach` adds what its high word makes.

`mul acc0, a, b`, `mach high, a, b`, `mov low, acc0` gives all 64 bits. The accumulator keeps more bits than can be
read; they are in `Threads.accumulators` as long as nothing else is written to it. Public facts.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from texsamp.emulator.eu.alu.align16 import check_vectors, components
from texsamp.emulator.eu.alu.operations import source_type
from texsamp.emulator.eu.alu.plan import Predicate, accumulating, execution_mask, reader
from texsamp.emulator.eu.isa.instruction import Instruction
from texsamp.emulator.eu.isa.operands import DataType, Destination, RegisterFile, Source
from texsamp.emulator.eu.registers.accumulator_place import is_accumulator
from texsamp.emulator.eu.registers.accumulators import ACCUMULATOR
from texsamp.emulator.eu.registers.regions import Place, destination_region, is_null
from texsamp.emulator.eu.registers.threads import Array, Mask, Threads
from texsamp.errors import CaptureError

_DWORDS = (DataType.UD, DataType.D)
_CHANNELS = 8
"""Dwords of an accumulator."""
_WORD_BITS = 16


def is_wide(instruction: Instruction) -> bool:
    """Whether an instruction is `mach`, or `mul` of dwords by dwords."""
    name = instruction.opcode.mnemonic
    return name == "mach" or (name == "mul" and all(source_type(s) in _DWORDS for s in instruction.sources))


class WideMultiply:
    """One such instruction. CaptureError for what is not known: saturation, flags, accumulators beyond acc0."""

    def __init__(self, instruction: Instruction) -> None:
        destination, name = instruction.destination, instruction.opcode.mnemonic
        assert destination is not None
        self.instruction, self._is_mach = instruction, name == "mach"
        self.predicate = Predicate(instruction) if instruction.predicate else None
        self._keeps = is_accumulator(destination) or instruction.accumulator_write
        _check(instruction, destination, self._keeps, self._is_mach)
        self._sources = [reader(s, instruction, lambda values: values.astype(np.int64)) for s in instruction.sources]
        self._places = [] if is_null(destination) else [_place(instruction, destination)]
        self._components = components(instruction)
        place = Destination(RegisterFile.ARCHITECTURE, DataType.UD, ACCUMULATOR)
        self._accumulator = Place(place, destination_region(place, min(instruction.exec_size, _CHANNELS)))

    def run(self, threads: Threads, here: Mask) -> None:
        """Execute for the channels at this instruction."""
        count = self.instruction.exec_size
        a, b = (np.broadcast_to(read(threads), (threads.count, count)) for read in self._sources)
        mask = execution_mask(self.instruction, here, self.predicate, threads)
        if self._components is not None:
            enabled = np.broadcast_to(threads.constant(self._components), (threads.count, count))
            mask = enabled if mask is None else enabled & mask
        if self._is_mach:
            total = self._accumulated(threads, mask) + ((a * (b >> _WORD_BITS)) << _WORD_BITS)
            result = total >> 32
        else:
            result = total = a * (b & 0xFFFF)
        for place in self._places:
            place.write(threads, result, mask)
        if self._keeps:
            if not is_accumulator(self.instruction.destination):
                mask = accumulating(threads, mask)
            self._accumulator.write(threads, total, mask)
            threads.accumulators.store(slice(count), DataType.D.size_B, total, mask)

    def _accumulated(self, threads: Threads, mask: Mask) -> Array:
        count = self.instruction.exec_size
        lanes, size_B = slice(count), DataType.D.size_B
        known = threads.accumulators.knows(lanes, size_B)
        if not (known.any() if mask is None else known[mask].any()):
            raise CaptureError("mach adds to a product of mul, and the accumulator holds none")
        # drivers' mach has NoMask behind a mul of some channels: what it makes of the others is not used
        return threads.accumulators.widened(self._accumulator.read(threads), lanes, size_B)


def _place(instruction: Instruction, destination: Destination) -> Place:
    packed = replace(destination, stride=1) if instruction.align16 else destination
    return Place(packed, destination_region(packed, instruction.exec_size))


def _check(instruction: Instruction, destination: Destination, keeps: bool, is_mach: bool) -> None:
    name = instruction.opcode.mnemonic
    if instruction.align16:
        check_vectors(instruction)
    if instruction.saturate or instruction.condition:
        raise CaptureError(f"{name} of dwords by dwords with saturation or condition modifier is not executed")
    for source in instruction.sources:
        if source_type(source) not in _DWORDS:
            raise CaptureError(f"{name} takes no {source_type(source).name} sources")
        if isinstance(source, Source) and is_accumulator(source):
            raise CaptureError(f"{name} of dwords by dwords takes no accumulator as a source")
    if destination.type not in _DWORDS:
        raise CaptureError(f"{name} of dwords by dwords gives no {destination.type.name}")
    if is_mach and not instruction.accumulator_write:
        raise CaptureError("mach needs AccWrEn")
    if is_mach and is_accumulator(destination):
        raise CaptureError("mach cannot name the accumulator as its destination")
    within = 0 if destination.indirection is not None else destination.subregister_B
    names_it = is_accumulator(destination)  # the quarter says then which channels write to it, not where
    whole = (names_it or instruction.first_channel == 0) and instruction.exec_size <= _CHANNELS and not within
    second = names_it and destination.number != ACCUMULATOR
    if keeps and (second or not whole or (destination.stride != 1 and not instruction.align16)):
        raise CaptureError(f"{name} of dwords by dwords uses channels 0 to 7 of acc0 only")
