"""Which types, modifiers and operands each opcode accepts (seed 004:3952-4656; the others are public facts)."""

from __future__ import annotations

from dataclasses import dataclass

from texsamp.emulator.eu.instruction import Instruction
from texsamp.emulator.eu.opcodes import MATH_FUNCTIONS
from texsamp.emulator.eu.operands import ELEMENT_TYPE, DataType, Immediate, Source
from texsamp.emulator.eu.products import MATH_FLOAT, MATH_INTEGER, SUMS
from texsamp.errors import CaptureError

_INTEGERS = frozenset({DataType.UD, DataType.D, DataType.UW, DataType.W, DataType.UB, DataType.B})
_DWORDS = frozenset({DataType.UD, DataType.D})
_UD = frozenset({DataType.UD})
_WORDS = frozenset({DataType.UW, DataType.W})
_BYTES = frozenset({DataType.UB, DataType.B})
_F = frozenset({DataType.F})
_ANY = _INTEGERS | _F
_MOST_WITH_CONDITION = 16
"""Channels of an instruction with a condition modifier (volume 4 part 3, page 72)."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What an opcode accepts. types: of sources; results: of the destination; modifiers: abs and negate of sources."""

    types: frozenset[DataType]
    results: frozenset[DataType]
    modifiers: bool = True
    saturation: bool = True
    condition: bool = True
    needs_accumulator_write: bool = False


_ARITHMETIC = Rule(_ANY, _ANY)
_INTEGER = Rule(_INTEGERS, _INTEGERS)
_LOGIC = Rule(_INTEGERS, _INTEGERS, saturation=False)
_ROUND = Rule(_F, _F)
_BITS = Rule(_DWORDS, _UD | _DWORDS, modifiers=False, saturation=False, condition=False)
_CARRY = Rule(_UD, _UD, modifiers=False, saturation=False, needs_accumulator_write=True)

RULES = {
    **dict.fromkeys(("mov", "add", "mul", "cmp", "cmpn", "sel"), _ARITHMETIC),
    **dict.fromkeys(("shr", "shl", "asr", "avg"), _INTEGER),
    **dict.fromkeys(("not", "and", "or", "xor"), _LOGIC),
    **dict.fromkeys(("frc", "rndu", "rndd", "rnde", "rndz"), _ROUND),
    "mac": Rule(_WORDS | _BYTES | _F, _ANY),
    **dict.fromkeys(("bfi1", "bfe", "bfi2", "fbh", "fbl"), _BITS),
    "cbit": Rule(_DWORDS | {DataType.UW, DataType.UB}, _UD, modifiers=False, saturation=False, condition=False),
    "lzd": Rule(_DWORDS, _UD | _DWORDS),
    **dict.fromkeys(("addc", "subb"), _CARRY),
    **dict.fromkeys(("sad2", "sada2"), Rule(_BYTES, _WORDS)),
    **dict.fromkeys(SUMS, _ROUND),
    "f32to16": Rule(_F, _WORDS),
    "f16to32": Rule(_WORDS, _F, modifiers=False),
    "bfrev": Rule(_UD, _UD, modifiers=False, saturation=False, condition=False),
}
"""Rules of the opcodes that compute and are executed."""

_MATH_RULES = {
    **dict.fromkeys(MATH_FLOAT, Rule(_F, _F)),
    **dict.fromkeys(MATH_INTEGER, Rule(_DWORDS, _DWORDS, modifiers=False, saturation=False)),
}


def math_function(instruction: Instruction) -> str:
    """Name of the function of `math`; CaptureError if it is reserved or not executed."""
    name = MATH_FUNCTIONS.get(instruction.condition, str(instruction.condition))
    if name not in _MATH_RULES:
        raise CaptureError(f"math function {name} is not executed")
    return name


def source_type(source: Source | Immediate) -> DataType:
    """Type of a source's elements."""
    return ELEMENT_TYPE[source.type] if isinstance(source, Immediate) else source.type


def check(instruction: Instruction) -> Rule:
    """The rule of an instruction that computes; CaptureError if it breaks it."""
    name = instruction.opcode.mnemonic
    rule = _MATH_RULES[math_function(instruction)] if name == "math" else RULES.get(name)
    if rule is None:
        raise CaptureError(f"{name} is not executed")
    destination = instruction.destination
    assert destination is not None
    types = [source_type(source) for source in instruction.sources]
    for kind in types:
        if kind not in rule.types:
            raise CaptureError(f"{name} takes no {kind.name} sources")
    if destination.type not in rule.results:
        raise CaptureError(f"{name} gives no {destination.type.name}")
    if len({kind.is_float for kind in types}) > 1:
        raise CaptureError(f"{name} mixes F with integers")
    if name.startswith("dp") and instruction.exec_size % 4:
        raise CaptureError(f"{name} needs channels in groups of four")
    if name == "math" and math_function(instruction) in MATH_INTEGER and len(set(types)) > 1:
        raise CaptureError("math on integers takes two of one type")
    if name in ("sad2", "sada2") and instruction.exec_size == 1:
        raise CaptureError(f"{name} needs channels in pairs")
    if name in ("mac", "sada2") and destination.indirection is not None:
        raise CaptureError(f"{name} to an address: which accumulator element is added is not known")
    modified = any(isinstance(s, Source) and (s.absolute or s.negate) for s in instruction.sources)
    if modified and not rule.modifiers:
        why = ": of the word or the half is not printed (page 173)" if name == "f16to32" else ""
        raise CaptureError(f"{name} takes no source modifiers{why}")
    if instruction.saturate and not rule.saturation:
        raise CaptureError(f"{name} takes no saturation")
    if instruction.condition and instruction.exec_size > _MOST_WITH_CONDITION and name != "math":
        raise CaptureError(f"{name} of 32 channels takes no condition modifier")
    if instruction.condition and not rule.condition and name != "math":
        raise CaptureError(f"{name} takes no condition modifier")
    if rule.needs_accumulator_write and not instruction.accumulator_write:
        raise CaptureError(f"{name} needs AccWrEn")
    return rule
