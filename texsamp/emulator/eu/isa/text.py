"""Instructions as text, in the syntax `texsamp.emulator.eu.isa.assembler` reads.

    (+f0.0) add.sat (8) r10.0<1>:uw r12.4<8;8,1>:ub -r[a0.2, 32]<0;1,0>:w
    cmp.ge.f0.1 (16) null:d r2.0<8;8,1>:f 1.0:f {Q2, NoMask}
    send (8) r20.0<1>:ud r112.0<8;8,1>:ud sampler 0x0c8b4001:ud
    if (8) jip=10 uip=14

Registers are `r` (general), or their name; sub-registers count elements (`.3b` counts bytes where elements do not
divide them). `<stride>` follows destinations, `<vertical;width,horizontal>` sources; `.xyzw` are align16 channels.
"""

from __future__ import annotations

import math
import struct

from texsamp.emulator.eu.isa.instruction import Instruction
from texsamp.emulator.eu.isa.opcodes import CONDITIONS, MATH_FUNCTIONS, PREDICATES, Shape
from texsamp.emulator.eu.isa.operands import (
    ARCHITECTURE_REGISTERS,
    VARIABLE,
    Destination,
    Immediate,
    ImmediateType,
    Indirection,
    RegisterFile,
    Source,
)

SHARED_FUNCTIONS = (
    "null", "1", "sampler", "gateway", "sampler_cache", "render_cache", "urb", "spawner", "vme", "constant_cache",
    "data_cache", "interpolator", "12", "13", "14", "15",
)  # fmt: skip
"""Shared functions by the number a message is sent to."""

THREAD_CONTROLS = ("", "Atomic", "Switch", "ThreadControl3")
DEPENDENCIES = ("", "NoDDClr", "NoDDChk", "NoDDClr, NoDDChk")
CHANNELS = "xyzw"


def text(instruction: Instruction) -> str:
    """The instruction as one line."""
    parts = [_predicate(instruction), _mnemonic(instruction), f"({instruction.exec_size})"]
    if instruction.opcode.shape is not Shape.NONE and instruction.destination is not None:
        parts.append(_destination(instruction.destination))
    for number, source in enumerate(instruction.sources):
        if instruction.opcode.shape is Shape.MESSAGE and number == 1:
            parts.append(SHARED_FUNCTIONS[instruction.condition])
        parts.append(_immediate(source) if isinstance(source, Immediate) else _source(source))
    if instruction.jip is not None:
        parts.append(f"jip={instruction.jip}")
    if instruction.uip is not None:
        parts.append(f"uip={instruction.uip}")
    parts.append(_options(instruction))
    return " ".join(part for part in parts if part)


def _flag(instruction: Instruction) -> str:
    return f"f{instruction.flag_register}.{instruction.flag_subregister}"


def _predicate(instruction: Instruction) -> str:
    if not instruction.predicate:
        return ""
    names = PREDICATES[instruction.align16]
    code = instruction.predicate
    name = names[code] if code < len(names) else f"predicate{code}"
    return f"({'-' if instruction.invert else '+'}{_flag(instruction)}{'.' if name else ''}{name})"


def _mnemonic(instruction: Instruction) -> str:
    name, code = instruction.opcode.mnemonic, instruction.condition
    if name == "math":
        name += "." + MATH_FUNCTIONS.get(code, f"function{code}")
    if instruction.saturate:
        name += ".sat"
    if instruction.opcode.shape is not Shape.MESSAGE and instruction.opcode.mnemonic != "math" and code:
        condition = CONDITIONS[code] if code < len(CONDITIONS) else ""
        name += f".{condition or f'condition{code}'}.{_flag(instruction)}"
    return name


def register(file: RegisterFile, number: int, subregister_B: int, size_B: int) -> str:  # noqa: N803 - the unit
    """A register with its sub-register, counted in elements of `size_B` bytes if they divide it."""
    name = f"r{number}" if file == RegisterFile.GENERAL else ARCHITECTURE_REGISTERS.get(number, f"arf{number}")
    if file == RegisterFile.ARCHITECTURE and name == "null" and not subregister_B:
        return name
    whole = subregister_B % size_B == 0
    return f"{name}.{subregister_B // size_B}" if whole else f"{name}.{subregister_B}b"


def _place(operand: Destination | Source, indirection: Indirection | None) -> str:
    if indirection is not None:
        file = "r" if operand.file == RegisterFile.GENERAL else "arf"
        return f"{file}[a0.{indirection.subregister}, {indirection.offset_B}]"
    return register(operand.file, operand.number, operand.subregister_B, operand.type.size_B)


def _destination(destination: Destination) -> str:
    place = _place(destination, destination.indirection)
    mask = ""
    if destination.mask is not None:
        mask = "." + "".join(letter for bit, letter in enumerate(CHANNELS) if destination.mask >> bit & 1)
    stride = "" if destination.is_null and destination.stride == 1 else f"<{destination.stride}>"
    return f"{place}{stride}{mask}:{destination.type.name.lower()}"


def _source(source: Source) -> str:
    sign = ("-" if source.negate else "") + ("abs " if source.absolute else "")
    vertical = "VxH" if source.region.vertical == VARIABLE else str(source.region.vertical)
    if source.swizzle is None:
        region = f"<{vertical};{source.region.width},{source.region.horizontal}>"
    else:
        region = f"<{vertical}>." + "".join(CHANNELS[i] for i in source.swizzle) + (".r" if source.replicate else "")
    return f"{sign}{_place(source, source.indirection)}{region}:{source.type.name.lower()}"


def _immediate(immediate: Immediate) -> str:
    if immediate.type == ImmediateType.F:
        value = struct.unpack("<f", struct.pack("<I", immediate.bits))[0]
        if not math.isnan(value) and struct.pack("<f", float(f"{value:.9g}")) == struct.pack("<I", immediate.bits):
            return f"{value:.9g}:f" if any(c in f"{value:.9g}" for c in ".en") else f"{value:.9g}.0:f"
    return f"{immediate.bits:#010x}:{immediate.type.name.lower()}"


def _options(instruction: Instruction) -> str:
    options = [
        "align16" if instruction.align16 and instruction.opcode.shape is not Shape.THREE_SOURCES else "",
        f"Q{instruction.quarter + 1}" if instruction.quarter else "",
        "N2" if instruction.nibble else "",
        "NoMask" if instruction.no_mask else "",
        DEPENDENCIES[instruction.dependency],
        THREAD_CONTROLS[instruction.thread_control],
        "AccWrEn" if instruction.accumulator_write else "",
        "Debug" if instruction.debug else "",
        f"NoPredicate {_flag(instruction)}" if _flag_is_unnamed(instruction) else "",
        "Invert" if instruction.invert and not instruction.predicate else "",
        "EOT" if instruction.end_of_thread else "",
        "Compact" if instruction.compaction else "",
    ]
    named = ", ".join(option for option in options if option)
    return f"{{{named}}}" if named else ""


def _flag_is_unnamed(instruction: Instruction) -> bool:
    """Whether a flag register is set that nothing in the text shows."""
    shown = instruction.predicate or (
        instruction.condition
        and instruction.opcode.shape is not Shape.MESSAGE
        and instruction.opcode.mnemonic != "math"
    )
    return not shown and bool(instruction.flag_register or instruction.flag_subregister)
