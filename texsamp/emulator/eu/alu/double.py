"""Double precision: every number is a pair of floats to regions and swizzles, and one channel to masks and flags.

Volume 4 part 3, pages 13, 27-28, 42, 71, 109 and those of the opcodes. Of operands of other types that are converted,
the first of two floats counts. An instruction of 8 floats is of SIMD4 (page 109): the nibble control says which 4 of 8
channels its doubles belong to, and in align16 a destination's enables are those of doubles. Drivers' programs work with
no other reading.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.eu.alu import conditions, double_values
from texsamp.emulator.eu.alu.align16 import MaskedChannels, check_align16, components
from texsamp.emulator.eu.alu.arithmetic import to_integer
from texsamp.emulator.eu.alu.modes import ZERO, directed
from texsamp.emulator.eu.alu.operations import source_type
from texsamp.emulator.eu.alu.plan import (
    Predicate,
    accumulating,
    execution_mask,
    flag_position,
    has_two_registers,
    reader,
)
from texsamp.emulator.eu.isa.instruction import Instruction
from texsamp.emulator.eu.isa.opcodes import Shape
from texsamp.emulator.eu.isa.operands import DataType, Destination, Immediate, RegisterFile, Source
from texsamp.emulator.eu.registers.accumulator_place import is_accumulator
from texsamp.emulator.eu.registers.accumulators import ACCUMULATOR
from texsamp.emulator.eu.registers.regions import Place, destination_region, is_null, source_region
from texsamp.emulator.eu.registers.threads import CHANNELS, Mask, Threads
from texsamp.errors import CaptureError

Array = NDArray[Any]

_ARITHMETIC = frozenset({"add", "mul", "mac", "mad", "sel", "cmp", "cmpn"})
_CONVERTED = frozenset({DataType.W, DataType.UW, DataType.D, DataType.UD, DataType.F, DataType.DF})
_PAIR_B = 8
_DWORD_B = 4
_ACCUMULATOR_CHANNELS = 8
_KEEPS_DENORMALS = 1 << 6
_ROUNDING_AT, _ROUNDING = 4, 3


def is_double(instruction: Instruction) -> bool:
    """Whether an operand is a double."""
    operands = (instruction.destination, *instruction.sources)
    return any(isinstance(o, Source | Destination) and o.type is DataType.DF for o in operands)


class DoubleCompute:
    """One instruction on doubles; CaptureError for what the pages do not have."""

    def __init__(self, instruction: Instruction) -> None:
        destination, name = instruction.destination, instruction.opcode.mnemonic
        assert destination is not None
        self._name, self._type = name, destination.type
        self._types = [source_type(source) for source in instruction.sources]
        self._signs = [
            (False, False) if isinstance(s, Immediate) else (s.absolute, s.negate) for s in instruction.sources
        ]
        _check(instruction, self._types)
        dwords = replace(
            instruction,
            destination=_in_dwords(destination),
            sources=tuple(_in_dwords(source) for source in instruction.sources),
        )
        self.instruction = dwords
        self._numbers = replace(instruction, exec_size=instruction.exec_size // 2)
        if instruction.align16 and instruction.opcode.shape is not Shape.THREE_SOURCES:
            check_align16(dwords)
        self.predicate = Predicate(self._numbers) if instruction.predicate else None
        self._components = components(self._numbers)
        self._sources = [reader(source, dwords, None) for source in dwords.sources]
        assert dwords.destination is not None
        self._destination = None if is_null(destination) else _writer(dwords, dwords.destination)
        self._forgets = is_accumulator(destination)
        implicit = name == "mac" or instruction.accumulator_write
        self._accumulator = _accumulator(dwords, dwords.destination) if implicit else None
        self._flags = flag_position(self._numbers) if instruction.condition and name != "sel" else None
        quiet = not (instruction.saturate or self._signs[0] != (False, False))
        self._raw = name == "mov" and self._types[0] is self._type and quiet

    def run(self, threads: Threads, here: Mask) -> None:
        """Execute for the channels at this instruction."""
        modes = threads.arrays.zeros((threads.count, 1), np.uint32) if threads.modes is None else threads.modes[:, None]
        keeps, rounding = modes & _KEEPS_DENORMALS != 0, modes >> _ROUNDING_AT & _ROUNDING
        chooses = self._name == "sel" and not self.instruction.condition
        values = [
            self._read(threads, read, kind, signs, None if self._raw or chooses else keeps)
            for read, kind, signs in zip(self._sources, self._types, self._signs, strict=True)
        ]
        numbers = execution_mask(self._numbers, here, None if chooses else self.predicate, threads)
        if self._components is not None:
            enabled = np.broadcast_to(threads.constant(self._components), (threads.count, self._numbers.exec_size))
            numbers = enabled if numbers is None else enabled & numbers
        mask = None if numbers is None else np.repeat(numbers, 2, axis=1)
        with np.errstate(all="ignore"):
            if chooses:
                assert self.predicate is not None
                chosen = np.repeat(self.predicate.read(threads), 2, axis=1)
                bits = np.where(chosen, _dwords_of(values[0]), _dwords_of(values[1]))
                self._write(threads, bits, mask)
                return
            result = self._computed(threads, values, keeps, rounding)
            outcome = None if self._flags is None else self._tested(values, result)
            if self._name in ("cmp", "cmpn"):
                assert outcome is not None
                bits = np.where(np.repeat(outcome, 2, axis=1), np.uint32(0xFFFFFFFF), np.uint32(0))
            else:
                bits = self._stored(result)
        self._write(threads, bits, mask)
        if self._accumulator is not None and self.instruction.accumulator_write:
            kept = accumulating(threads, mask)
            self._accumulator.write(threads, bits, kept)
            threads.accumulators.forget(kept)
        if outcome is not None and self._flags is not None:
            threads.set_flags(self.instruction.flag_register, self._flags, outcome, numbers)

    def _read(
        self,
        threads: Threads,
        read: Callable[[Threads], Array],
        kind: DataType,
        signs: tuple[bool, bool],
        keeps: Array | None,
    ) -> Array:
        """A source as doubles, (threads, pairs). keeps: which threads keep denormals; None if nothing is flushed."""
        shape = (threads.count, self.instruction.exec_size)
        elements = np.broadcast_to(read(threads), shape)
        pairs = kind is DataType.DF
        values: Array = (
            elements.astype(np.uint32, order="C").view(np.float64) if pairs else elements[:, ::2].astype(np.float64)
        )
        absolute, negate = signs
        values = np.abs(values) if absolute else values
        values = -values if negate else values
        return values if keeps is None or kind is not self._type else double_values.flushed(values, keeps)

    def _computed(self, threads: Threads, values: list[Array], keeps: Array, rounding: Array) -> Array:
        if self._name in ("mov", "cmp", "cmpn"):
            return values[0]
        if self._name == "sel":
            return conditions.selected(self.instruction.condition, *values)
        if self._name == "add":
            return double_values.flushed(double_values.added(values[0], values[1], rounding), keeps)
        *addends, a, b = values
        product = double_values.flushed(double_values.multiplied(a, b, rounding), keeps)
        if self._name == "mul":
            return product
        if self._name == "mac":
            assert self._accumulator is not None
            held = self._accumulator.read(threads).copy().view(np.float64)
            addends = [double_values.flushed(held, keeps)]
        return double_values.flushed(double_values.added(product, addends[0], rounding), keeps)

    def _tested(self, values: list[Array], result: Array) -> Array:
        condition = self.instruction.condition
        if self._name == "cmp":
            return conditions.compared(condition, *values)
        if self._name == "cmpn":
            return conditions.compared_for_numbers(condition, *values)
        return conditions.of_result(condition, result, self._limited(result), conditions.infinite(result, values))

    def _limited(self, result: Array) -> Array:
        """The result, saturated if it is asked for."""
        if not (self.instruction.saturate and self._type.is_float):
            return result
        return np.where(np.isnan(result), 0.0, np.clip(result, 0.0, 1.0))

    def _stored(self, result: Array) -> Array:
        """Elements of the destination, two for every number: of what is no double, the second is undefined, here 0."""
        result = self._limited(result)
        if self._type is DataType.DF:
            return _dwords_of(result)
        if self._type is DataType.F:  # whatever the rounding mode is (page 27)
            numbers = directed(result, np.zeros_like(result), ZERO)
        else:
            limits: np.iinfo[Any] = np.iinfo(self._type.dtype.char)
            numbers = to_integer(result, limits.min, limits.max)
        return np.stack([numbers, np.zeros_like(numbers)], axis=2).reshape(len(numbers), -1)

    def _write(self, threads: Threads, elements: Array, mask: Mask) -> None:
        if self._destination is not None:
            self._destination.write(threads, elements, mask)
        if self._forgets:
            threads.accumulators.forget(mask)


def _dwords_of(values: Array) -> Array:
    bits: Array = values.copy().view(np.uint32)
    return bits


def _in_dwords(operand: Any) -> Any:
    """An operand with its doubles as dwords, which is how its region counts them, and no modifiers."""
    if isinstance(operand, Immediate):
        return operand
    plain = replace(operand, type=DataType.UD) if operand.type is DataType.DF else operand
    return replace(plain, absolute=False, negate=False) if isinstance(plain, Source) else plain


def _writer(instruction: Instruction, destination: Destination) -> Place | MaskedChannels:
    if instruction.align16:
        return MaskedChannels(replace(destination, mask=None), instruction.exec_size)
    region = destination_region(destination, instruction.exec_size)
    return Place(destination, region, halves=has_two_registers(instruction))


def _accumulator(instruction: Instruction, destination: Destination) -> Place:
    """acc0 at the destination's place: it holds four doubles (page 42)."""
    if instruction.exec_size > _ACCUMULATOR_CHANNELS:
        raise CaptureError("an accumulator holds 4 doubles")
    within = 0 if destination.indirection is not None else destination.subregister_B
    place = Destination(RegisterFile.ARCHITECTURE, DataType.UD, ACCUMULATOR, within)
    return Place(place, destination_region(place, instruction.exec_size))


def _check(instruction: Instruction, types: list[DataType]) -> None:
    name, destination = instruction.opcode.mnemonic, instruction.destination
    assert destination is not None
    if name == "mov":
        if not {types[0], destination.type} <= _CONVERTED:
            raise CaptureError(f"mov does not convert {types[0].name} to {destination.type.name} (page 195)")
        if types[0] is not destination.type and instruction.condition:
            raise CaptureError("mov that converts takes no condition modifier (page 195)")
    elif name not in _ARITHMETIC:
        raise CaptureError(f"{name} takes no doubles")
    elif {*types, destination.type} != {DataType.DF}:
        raise CaptureError(f"{name} mixes DF with other types")
    if instruction.exec_size % 2:
        raise CaptureError("doubles take channels in pairs (page 71)")
    if instruction.first_channel + instruction.exec_size // 2 > CHANNELS:
        raise CaptureError(
            f"channels {instruction.first_channel} on of {instruction.exec_size // 2}: there are {CHANNELS}"
        )
    if name in ("cmp", "cmpn") and not instruction.condition:
        raise CaptureError(f"{name} needs a condition modifier")
    if name == "sel" and bool(instruction.condition) == bool(instruction.predicate):
        raise CaptureError("sel takes a predicate or a condition modifier, one of both")
    if instruction.align16:
        _check_align16(instruction)
        return
    for operand in (destination, *instruction.sources):
        if isinstance(operand, Immediate) or operand.type is not DataType.DF:
            continue
        if isinstance(operand, Source):
            offsets = source_region(replace(operand, type=DataType.UD), instruction.exec_size).offsets
        else:
            offsets = destination_region(replace(operand, type=DataType.UD), instruction.exec_size).offsets
        first = 0 if operand.indirection is not None else operand.subregister_B
        if ((offsets[::2] + first) % _PAIR_B).any() or (offsets[1::2] - offsets[::2] != _DWORD_B).any():
            raise CaptureError("doubles are pairs of floats, aligned to 64 bits (page 71)")


def _check_align16(instruction: Instruction) -> None:
    if instruction.exec_size > _ACCUMULATOR_CHANNELS:
        raise CaptureError("align16 has at most 4 doubles (page 72)")
    for operand in (instruction.destination, *instruction.sources):
        if isinstance(operand, Source) and operand.replicate:
            raise CaptureError("a replicated double: which of its halves is repeated is not printed (page 71)")
