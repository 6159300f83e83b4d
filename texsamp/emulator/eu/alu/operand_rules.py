"""Whether an instruction that computes is one that its opcode accepts (`operations`)."""

from __future__ import annotations

from texsamp.emulator.eu.alu.operations import Operation, operation_of, source_type
from texsamp.emulator.eu.isa.instruction import Instruction
from texsamp.emulator.eu.isa.operands import Source
from texsamp.errors import CaptureError

_MOST_WITH_CONDITION = 16
"""Channels of an instruction with a condition modifier (volume 4 part 3, page 72)."""


def check(instruction: Instruction) -> Operation:
    """What an instruction means; CaptureError if its opcode does not accept it."""
    name, operation = instruction.opcode.mnemonic, operation_of(instruction)
    destination = instruction.destination
    assert destination is not None
    types = [source_type(source) for source in instruction.sources]
    for kind in types:
        is_wide = operation.of_half and kind.size_B == 4  # vectors have no words
        if kind not in operation.types or (is_wide and not instruction.align16):
            raise CaptureError(f"{name} takes no {kind.name} sources")
    is_wide_half = operation.half and destination.type.size_B == 4
    if destination.type not in operation.results or (is_wide_half and not instruction.align16):
        raise CaptureError(f"{name} gives no {destination.type.name}")
    if len({kind.is_float for kind in types}) > 1:
        raise CaptureError(f"{name} mixes F with integers")
    if operation.vectors and instruction.exec_size % 4:
        raise CaptureError(f"{name} needs channels in groups of four")
    is_math = name == "math"
    if is_math and operation.integers is not None and len(set(types)) > 1:
        raise CaptureError("math on integers takes two of one type")
    if operation.pairs and instruction.exec_size == 1:
        raise CaptureError(f"{name} needs channels in pairs")
    if operation.accumulates and destination.indirection is not None:
        raise CaptureError(f"{name} to an address: which accumulator element is added is not known")
    modified = any(isinstance(s, Source) and (s.absolute or s.negate) for s in instruction.sources)
    if modified and not operation.modifiers:
        why = ": of the word or the half is not printed (page 173)" if name == "f16to32" else ""
        raise CaptureError(f"{name} takes no source modifiers{why}")
    if instruction.saturate and not operation.saturation:
        raise CaptureError(f"{name} takes no saturation")
    if instruction.condition and instruction.exec_size > _MOST_WITH_CONDITION and not is_math:
        raise CaptureError(f"{name} of 32 channels takes no condition modifier")
    if instruction.condition and not operation.condition and not is_math:
        raise CaptureError(f"{name} takes no condition modifier")
    if operation.carry is not None and not instruction.accumulator_write:
        raise CaptureError(f"{name} needs AccWrEn")
    return operation
