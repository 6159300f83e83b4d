"""Instructions made ready to run: operands resolved, arithmetic chosen, once per kernel and not once per step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.emulator.eu.alu import arithmetic, conditions
from texsamp.emulator.eu.alu.align16 import MaskedChannels, Swizzled, check_align16, components
from texsamp.emulator.eu.alu.modes import ACCUMULATOR_DISABLE, computed
from texsamp.emulator.eu.alu.operand_rules import check
from texsamp.emulator.eu.alu.operations import name_of, source_type
from texsamp.emulator.eu.alu.planes import plane_readers
from texsamp.emulator.eu.isa.instruction import Instruction
from texsamp.emulator.eu.isa.opcodes import PREDICATES, Shape
from texsamp.emulator.eu.isa.operands import DataType, Destination, Immediate, RegisterFile, Source
from texsamp.emulator.eu.registers.accumulator_place import AccumulatorPlace, is_accumulator
from texsamp.emulator.eu.registers.accumulators import ACCUMULATOR
from texsamp.emulator.eu.registers.regions import Place, destination_region, is_null, source_region
from texsamp.emulator.eu.registers.threads import CHANNELS, REGISTER_B, Mask, Threads
from texsamp.errors import CaptureError

Array = NDArray[Any]
Reader = Callable[[Threads], Array]

_DWORDS = 8
"""Of a register."""
_EVEN = np.arange(CHANNELS)[None] % 2 == 0
"""Channels that sums of pairs are written to."""
_MOST_CHANNELS_OF_A_FLAG = 32


def flag_position(instruction: Instruction) -> int:
    """Bit of the flag register that belongs to the instruction's first channel; CaptureError if there is none."""
    first = 16 * instruction.flag_subregister + instruction.first_channel
    if first + instruction.exec_size > _MOST_CHANNELS_OF_A_FLAG:
        raise CaptureError(f"channels of flag bits {first} to {first + instruction.exec_size - 1}: there are 32")
    return first


class Predicate:
    """Which channels a predicated instruction works on; CaptureError for predicates that are not executed."""

    def __init__(self, instruction: Instruction) -> None:
        self._register, self._invert = instruction.flag_register, instruction.invert
        self._first, self._count = flag_position(instruction), instruction.exec_size
        names = PREDICATES[instruction.align16]
        if instruction.predicate >= len(names):
            raise CaptureError(f"predicate control {instruction.predicate} is reserved")
        name = names[instruction.predicate]
        self._all = name.startswith("all")
        self._vertical = name.endswith("v")
        self._group = int(name[3:-1]) if name.endswith("h") else 1
        if self._vertical and instruction.first_channel + self._count > 16:
            raise CaptureError(f"{name} reads two halves of a flag register: it works on channels 0 to 15 only")
        self._channel = instruction.first_channel
        self._component = "xyzw".index(name) if name and name in "xyzw" else None
        if self._component is not None and self._count % 4:
            raise CaptureError(f"predicate {name} replicates one of 4 channels, found {self._count}")

    def read(self, threads: Threads) -> NDArray[np.bool_]:
        """Shape (threads, channels)."""
        if self._group == 1 and not self._vertical:
            bits = threads.flags(self._register, self._first, self._count)
            if self._component is not None:
                bits = np.repeat(bits[:, self._component :: 4], 4, axis=1)
        else:
            bits = self._combined(threads.flag_bits()[:, self._register])
        return ~bits if self._invert else bits

    def _combined(self, bits: NDArray[np.bool_]) -> NDArray[np.bool_]:
        combine = np.logical_and if self._all else np.logical_or
        if self._vertical:
            low, high = (bits[:, half + self._channel :][:, : self._count] for half in (0, 16))
            return combine(low, high)
        grouped = bits.reshape(len(bits), -1, self._group)
        spread = np.repeat(grouped.all(axis=2) if self._all else grouped.any(axis=2), self._group, axis=1)
        return spread[:, self._first : self._first + self._count]


def execution_mask(instruction: Instruction, here: Mask, predicate: Predicate | None, threads: Threads) -> Mask:
    """Channels the instruction works on, shape (threads, exec_size); None for all.

    here: channels at this instruction. NoMask ignores them, but works only in threads that are there.
    """
    mask: Mask = None
    if here is not None:
        first = instruction.first_channel
        mask = here[:, first : first + instruction.exec_size]
        if instruction.exec_size == CHANNELS:  # the low half serves both (volume 4 part 3, page 72)
            mask = np.concatenate([mask[:, : CHANNELS // 2]] * 2, axis=1)
        if instruction.no_mask:
            mask = np.broadcast_to(threads.present(here), mask.shape)
    if predicate is not None:
        chosen = predicate.read(threads)
        mask = chosen if mask is None else mask & chosen
    return mask


def has_two_registers(instruction: Instruction) -> bool:
    """Whether the destination takes two registers, in halves."""
    destination = instruction.destination
    assert destination is not None
    return instruction.exec_size * destination.stride * destination.type.size_B > REGISTER_B


def accumulating(threads: Threads, mask: Mask) -> Mask:
    """Channels whose results AccWrEn keeps: cr0.0 can disable it (volume 4 part 3, page 48)."""
    if threads.modes is None or not (threads.modes & ACCUMULATOR_DISABLE).any():
        return mask
    enabled: NDArray[np.bool_] = (threads.modes & ACCUMULATOR_DISABLE == 0)[:, None]
    return enabled if mask is None else enabled & mask


class Compute:
    """One instruction that computes a destination from sources; CaptureError for what is not executed."""

    def __init__(self, instruction: Instruction) -> None:
        if instruction.align16 and instruction.opcode.shape is not Shape.THREE_SOURCES:
            check_align16(instruction)
        if instruction.first_channel + instruction.exec_size > CHANNELS:
            raise CaptureError(f"channels {instruction.first_channel} on of {instruction.exec_size}: there are 32")
        self.operation = check(instruction)
        self.instruction = instruction
        self.predicate = Predicate(instruction) if instruction.predicate else None
        destination = instruction.destination
        assert destination is not None
        self._name = name_of(instruction)
        self._types = [source_type(source) for source in instruction.sources]
        self.is_float = self._types[0].is_float
        self._result_type = destination.type
        self.is_copy = self._is_plain_copy()
        self.wide = self._compute_dtype()
        self._planes = plane_readers(instruction, self._converter()) if self.operation.plane else None
        self.accumulator = self._accumulator_place(destination)
        sets_flags = instruction.condition and self.operation.condition and not self.operation.chooses
        self.flags = flag_position(instruction) if sets_flags else None
        self._components = components(instruction)
        self._function = self._chosen_function()
        self._even = _EVEN[:, : instruction.exec_size] if self.operation.pairs else None
        self._remainder = self._remainder_place(destination)
        self._hides_accumulator = instruction.align16 and is_accumulator(destination)

    # -- choices made once ---------------------------------------------------------------------------------------------

    @cached_property
    def _sources(self) -> list[Reader]:
        """Made for the first step, which an instruction that the engine takes never has."""
        convert = None if self.is_copy else self._converter()
        if self._planes is not None:
            return self._planes
        sources = self.instruction.sources[: self.operation.sources]
        return [reader(source, self.instruction, convert) for source in sources]

    def _compute_dtype(self) -> np.dtype[Any]:
        if self.is_float:
            return np.dtype(np.float32)
        if any(map(is_accumulator, self.instruction.sources)):
            return np.dtype(np.int64)
        sizes = [kind.size_B for kind in self._types]
        narrow = max(sizes) <= 2 and not self.operation.grows
        unsigned_words = self.operation.product and self._types == [DataType.UW, DataType.UW]
        return np.dtype(np.int32 if narrow and not unsigned_words else np.int64)

    def _converter(self) -> Callable[[Array], Array]:
        wide = self.wide
        if self.operation.chooses and not self.instruction.condition and self.is_float:
            return lambda values: values  # copies denormals, too
        if self.is_float:
            return arithmetic.flushed
        return lambda values: values.astype(wide)

    def _accumulator_place(self, destination: Destination) -> AccumulatorPlace | None:
        """Where an implicit accumulator operand is: at the destination's sub-register; floats of Q2 and Q4 use acc1."""
        if not (self.operation.accumulates or self.instruction.accumulator_write):
            return None
        kind = DataType.F if self.is_float else DataType.UD if self.operation.carry is not None else destination.type
        within = 0 if destination.indirection is not None else destination.subregister_B
        second = self.is_float and self.instruction.first_channel // _DWORDS % 2
        place = Destination(RegisterFile.ARCHITECTURE, kind, ACCUMULATOR + second, within)
        return AccumulatorPlace(place, destination_region(place, self.instruction.exec_size), self.is_wide_product)

    @cached_property
    def _destination(self) -> Place | MaskedChannels | AccumulatorPlace | None:
        destination = self.instruction.destination
        assert destination is not None
        if is_null(destination):
            return None
        if self.instruction.align16:
            return MaskedChannels(destination, self.instruction.exec_size)
        region = destination_region(destination, self.instruction.exec_size)
        if is_accumulator(destination):
            return AccumulatorPlace(destination, region, self.is_wide_product)
        return Place(destination, region, halves=has_two_registers(self.instruction))

    @property
    def is_wide_product(self) -> bool:
        """Whether the result has 64 bits in an accumulator: the product of a dword."""
        return self.operation.product and max(kind.size_B for kind in self._types) == DataType.D.size_B

    def _remainder_place(self, destination: Destination) -> Place | None:
        """The register behind the quotient, for the function that gives both."""
        if not self.operation.remainder:
            return None
        whole = destination.file == RegisterFile.GENERAL and destination.indirection is None
        if not whole or destination.subregister_B or self.instruction.exec_size * destination.stride > _DWORDS:
            raise CaptureError("math idivqr gives one whole register of quotients and one of remainders")
        place = replace(destination, number=destination.number + 1)
        return Place(place, destination_region(place, self.instruction.exec_size))

    def _is_plain_copy(self) -> bool:
        """Whether a mov only copies bits, or drops high ones."""
        source = self.instruction.sources[0]
        plain = isinstance(source, Immediate) or not (source.absolute or source.negate)
        same = self._types[0] == self._result_type
        integers = not self.is_float and not self._result_type.is_float
        quiet = not (self.instruction.saturate or self.instruction.accumulator_write)
        copies = same or (integers and not self.instruction.condition)
        guarded = integers and (is_accumulator(source) or is_accumulator(self.instruction.destination))
        return self.operation.copies and plain and quiet and copies and not guarded

    def _chosen_function(self) -> Callable[..., Array]:
        operation = self.operation
        if operation.of is not None:
            return operation.of(self.instruction)
        function = operation.floats if self.is_float else operation.integers
        if function is None:
            raise CaptureError(f"{self._name} is not executed on {self._types[0].name}")
        return function

    def refuse(self, address: int) -> CaptureError:
        """What is wrong with an address of an operand, the first that cannot have it."""
        destination, count = self.instruction.destination, self.instruction.exec_size
        halves, places = has_two_registers(self.instruction), list[Place]()
        for source in self.instruction.sources:
            if isinstance(source, Source) and source.indirection is not None:
                places.append(Place(source, source_region(source, count), halves=halves))
        if destination is not None and destination.indirection is not None:
            places.append(Place(destination, destination_region(destination, count), halves=halves))
        return next(error for place in places if (error := place.refuse(address)) is not None)

    # -- one step ------------------------------------------------------------------------------------------------------

    def run(self, threads: Threads, here: Mask) -> None:
        """Execute for the channels at this instruction."""
        if self.is_copy and self._destination is not None:
            mask = execution_mask(self.instruction, here, self.predicate, threads)
            bits = self._sources[0](threads)
            outcome = None if self.flags is None else self._tested([bits], self._converter()(bits))
            self._destination.write(threads, bits, mask)
            self._set_flags(threads, outcome, mask)
            return
        values = [read(threads) for read in self._sources]
        predicate = self.predicate
        if self.operation.chooses and predicate is not None:
            mask = execution_mask(self.instruction, here, None, threads)
            result = np.where(predicate.read(threads), values[0], values[1])
        else:
            mask = execution_mask(self.instruction, here, predicate, threads)
            if self._even is not None:
                even = np.broadcast_to(threads.constant(self._even), (threads.count, self.instruction.exec_size))
                mask = even if mask is None else even & mask
            result = self._computed(threads, values)
        outcome = None if self.flags is None else self._tested(values, result)
        if self.operation.compare is not None:
            if outcome is None:
                raise CaptureError(f"{self._name} needs a condition modifier")
            result = -outcome.astype(np.int64)
        elif self._destination is not None or self.accumulator is not None:
            result = self._converted(result)
        if self._destination is not None:
            self._store(threads, result, mask)
        if self._hides_accumulator:
            threads.accumulators.forget(mask)
        if self._remainder is not None:
            self._remainder.write(threads, values[0] - result * values[1], mask)
        if self.accumulator is not None and self.instruction.accumulator_write:
            kept = result if self.operation.carry is None else self.operation.carry(*values)
            self.accumulator.write(threads, kept, accumulating(threads, mask))
        self._set_flags(threads, outcome, mask)

    def _computed(self, threads: Threads, values: list[Array]) -> Array:
        with np.errstate(all="ignore"):
            if self.is_float and threads.modes is not None:
                held = self.accumulator.read(threads) if self.operation.accumulates and self.accumulator else None
                ask = threads.numbers_of
                return arithmetic.flushed(computed(self._name, threads.modes, ask, values, held, self._usual(held)))
            result = self._function(*values)
            if self.operation.accumulates and self.accumulator is not None:
                held = self.accumulator.read(threads)
                result = arithmetic.flushed(result) + arithmetic.flushed(held) if self.is_float else result + held
        return arithmetic.flushed(result) if self.is_float and not self.operation.copies else result

    def _usual(self, held: Array | None) -> Callable[..., Array]:
        """What floats give in the usual mode, with the accumulator's share."""
        if held is None:
            return self._function
        return lambda *values: arithmetic.flushed(self._function(*values)) + arithmetic.flushed(held)

    def _tested(self, values: list[Array], result: Array) -> Array:
        """Truth of the condition modifier: of the sources, or of the result as it is stored."""
        condition = self.instruction.condition
        if self.operation.compare is not None:
            outcome: Array = self.operation.compare(condition, *values)
            return outcome
        kind, saturate = self._result_type, self.instruction.saturate
        if kind.is_float or self.operation.half:
            stored = result.astype(np.float32)
            sources = values if self.is_float else [stored]
            if self.operation.plane:  # all channels share them
                sources = [values[0][:, [element]] for element in self.operation.plane] + values[1:]
            overflow = conditions.infinite(stored, sources)
            stored = arithmetic.saturated(stored) if saturate else stored
            return conditions.of_result(condition, result, stored, overflow)
        limits: np.iinfo[Any] = np.iinfo(kind.dtype.char)
        outside = (result < limits.min) | (result > limits.max)
        if self.is_float:
            stored = arithmetic.to_integer(result, limits.min, limits.max)
        else:
            stored = (np.clip(result, limits.min, limits.max) if saturate else result).astype(kind.dtype)
        return conditions.of_result(condition, result, stored, outside)

    def _set_flags(self, threads: Threads, outcome: Array | None, mask: Mask) -> None:
        if outcome is not None and self.flags is not None:
            shape = (threads.count, self.instruction.exec_size)
            if self._components is not None:
                enabled = np.broadcast_to(threads.constant(self._components), shape)
                mask = enabled if mask is None else enabled & mask
            threads.set_flags(self.instruction.flag_register, self.flags, np.broadcast_to(outcome, shape), mask)

    def _converted(self, result: Array) -> Array:
        """The result as the destination's type takes it: saturated if asked for, floats to integers clamped."""
        kind, saturate = self._result_type, self.instruction.saturate
        if self.operation.half:
            half = (arithmetic.saturated(result) if saturate else result).astype(np.float16)
            return half.view(np.uint16).astype(kind.dtype)
        if kind.is_float:
            if not self.is_float:
                result = result.astype(np.float32)
            if saturate:
                result = arithmetic.saturated(result)
            return result
        limits: np.iinfo[Any] = np.iinfo(kind.dtype.char)
        if self.is_float:
            return arithmetic.to_integer(result, limits.min, limits.max)
        return np.clip(result, limits.min, limits.max) if saturate else result

    def _store(self, threads: Threads, result: Array, mask: Mask) -> None:
        assert self._destination is not None
        if self.operation.compare is not None and self._result_type.is_float:
            result = result.astype(np.int32).view(np.float32)  # all ones as bits
        self._destination.write(threads, result, mask)


def reader(source: Source | Immediate, instruction: Instruction, convert: Callable[[Array], Array] | None) -> Reader:
    """How to read one source: converted for computing, absolute and negated where asked for; or as it is."""
    if isinstance(source, Immediate):
        values = source.values(instruction.exec_size)
        constant = (values if convert is None else convert(values))[None, :]
        return lambda threads: threads.constant(constant)
    place: Place | Swizzled | AccumulatorPlace
    if instruction.align16:
        three_sources = instruction.opcode.shape is Shape.THREE_SOURCES
        place = Swizzled(source, instruction.exec_size, three_sources=three_sources)
    else:
        region = source_region(source, instruction.exec_size)
        halves = has_two_registers(instruction)
        place = AccumulatorPlace(source, region) if is_accumulator(source) else Place(source, region, halves=halves)
    if convert is None:
        return place.read
    absolute, negate = source.absolute, source.negate

    def read(threads: Threads) -> Array:
        values = convert(place.read(threads))
        if absolute:
            values = np.abs(values)
        return -values if negate else values

    return read
