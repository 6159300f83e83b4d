"""Kernels from text: the inverse of `texsamp.emulator.eu.isa.text`, with labels and comments.

One instruction per line; `#` begins a comment. `name:` alone on a line is a label; `jip=name`, `uip=name` and the last
operand of `jmpi` can name one. Instructions become 128-bit ones unless they say `{Compact}`.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from texsamp.emulator.eu.isa.codec import encode
from texsamp.emulator.eu.isa.encoding import STRIDES
from texsamp.emulator.eu.isa.instruction import COMPACT_B, JUMP_UNIT_B, NATIVE_B, Compaction, Instruction
from texsamp.emulator.eu.isa.opcodes import BY_MNEMONIC, CONDITIONS, MATH_FUNCTIONS, PREDICATES, Opcode, Shape
from texsamp.emulator.eu.isa.operands import (
    ARCHITECTURE_REGISTERS,
    VARIABLE,
    DataType,
    Destination,
    Immediate,
    ImmediateType,
    Indirection,
    Region,
    RegisterFile,
    Source,
)
from texsamp.emulator.eu.isa.text import CHANNELS, SHARED_FUNCTIONS, THREAD_CONTROLS
from texsamp.errors import StateError

_LINE = re.compile(
    r"(?:\((?P<sign>[+-])(?P<predicate>f[01]\.[01])(?:\.(?P<kind>\w+))?\)\s*)?"
    r"(?P<mnemonic>[\w.]+)\s*\((?P<size>\d+)\)\s*(?P<operands>[^{]*)(?:\{(?P<options>[^}]*)\})?\s*"
)
_OPERAND = re.compile(r"\s*((?:-?\s*(?:abs\s+)?)(?:\w+\[[^\]]*\][^\s]*|[^\s]+))")
_PLACE = re.compile(
    r"(?:(?P<file>r|arf)\[a0\.(?P<address>\d+),\s*(?P<offset>-?\d+)\]|(?P<register>[a-z]+\d*)(?:\.(?P<sub>\d+b?))?)"
)
_DESTINATION = re.compile(_PLACE.pattern + r"(?:<(?P<stride>\d)>)?(?:\.(?P<mask>x?y?z?w?))?:(?P<type>\w+)$")
_SOURCE = re.compile(
    r"(?P<negate>-)?\s*(?P<abs>abs\s+)?" + _PLACE.pattern
    + r"(?:<(?P<vertical>\d+|VxH)(?:;(?P<width>\d+),(?P<horizontal>\d))?>)?"
    + r"(?:\.(?P<swizzle>[xyzw]{4}))?(?P<replicate>\.r)?:(?P<type>\w+)$"
)  # fmt: skip
_IMMEDIATE = re.compile(r"(?P<value>[-+]?(?:0x[0-9a-f]+|inf|[\d.]+(?:e[-+]?\d+)?)):(?P<type>ud|d|uw|w|uv|vf|v|f)$")
_NUMBERS = {name: number for number, name in ARCHITECTURE_REGISTERS.items()}


@dataclass(frozen=True)
class _Line:
    number: int
    text: str

    def refuse(self, why: str) -> NoReturn:
        raise StateError(f"line {self.number}: {why}: {self.text}")


def assemble(source: str) -> bytes:
    """The bytes of a kernel; StateError, naming the line, for anything that is not understood or does not fit."""
    lines: list[tuple[_Line, int]] = []
    labels: dict[str, int] = {}
    offset = 0
    for number, raw in enumerate(source.splitlines(), 1):
        line = _Line(number, raw.partition("#")[0].strip())
        if re.fullmatch(r"\w+:", line.text):
            labels[line.text[:-1]] = offset
        elif line.text:
            lines.append((line, offset))
            offset += COMPACT_B if re.search(r"\bCompact\b", line.text) else NATIVE_B
    return b"".join(_encoded(line, at, labels) for line, at in lines)


def _encoded(line: _Line, offset: int, labels: Mapping[str, int]) -> bytes:
    try:
        instruction = parse(line.text, offset, labels)
        if instruction.compaction is None:
            return encode(instruction)
        return _compacted(instruction)
    except StateError as error:
        line.refuse(str(error))


def _compacted(instruction: Instruction) -> bytes:
    """Any of the compact forms with this meaning."""
    for index in range(32):
        try:
            return encode(replace(instruction, compaction=Compaction(index)))
        except StateError as error:
            reason = error
    raise reason


def parse(text: str, offset: int = 0, labels: Mapping[str, int] | None = None) -> Instruction:
    """One instruction at a byte offset; StateError if it is not understood."""
    match = _LINE.fullmatch(text.strip())
    if match is None:
        raise StateError("no instruction")
    mnemonic, *suffixes = match["mnemonic"].split(".")
    if mnemonic not in BY_MNEMONIC:
        raise StateError(f"unknown mnemonic {mnemonic}")
    opcode = BY_MNEMONIC[mnemonic]
    words = _OPERAND.findall(match["operands"])
    fields = _header(opcode, match, suffixes)
    fields |= _options(match["options"] or "", opcode)
    align16 = bool(fields["align16"])
    size = COMPACT_B if fields["compaction"] else NATIVE_B
    for name in ("jip", "uip"):
        for word in [word for word in words if word.startswith(f"{name}=")]:
            words.remove(word)
            fields[name] = _distance(word[4:], offset, labels or {})
    if opcode.shape is Shape.MESSAGE and len(words) == 4:
        fields["condition"] = _shared_function(words.pop(2))
    if mnemonic == "jmpi" and words and words[-1] in (labels or {}):
        distance = _distance(words.pop(), offset + size, labels or {})
        words.append(f"{distance & 0xFFFFFFFF:#x}:d")
    wants_destination = opcode.shape in (Shape.PLAIN, Shape.THREE_SOURCES, Shape.MESSAGE) or bool(words)
    if wants_destination:
        if not words:
            raise StateError("the destination is missing")
        fields["destination"] = _destination(words.pop(0), align16)
    fields["sources"] = tuple(_source(word, align16) for word in words)
    if opcode.shape is Shape.NONE and fields.get("destination"):
        raise StateError(f"{mnemonic} takes no operands")
    expected = {Shape.MESSAGE: 2, Shape.JUMP: len(words)}.get(opcode.shape, opcode.sources)
    if len(words) != expected:
        raise StateError(f"{mnemonic} takes {expected} sources, found {len(words)}")
    return Instruction(opcode=opcode, **fields)


def _header(opcode: Opcode, match: re.Match[str], suffixes: list[str]) -> dict[str, Any]:
    size = int(match["size"])
    if size not in (1, 2, 4, 8, 16, 32):
        raise StateError(f"execution sizes are 1 to 32, powers of two, not {size}")
    fields: dict[str, Any] = {"exec_size": size, "saturate": "sat" in suffixes}
    rest = [suffix for suffix in suffixes if suffix != "sat"]
    if opcode.mnemonic == "math":
        names = {name: code for code, name in MATH_FUNCTIONS.items()}
        if not rest or rest[0] not in names:
            raise StateError(f"math needs one of {', '.join(names)}")
        fields["condition"] = names[rest.pop(0)]
    if match["predicate"]:
        kinds = PREDICATES["align16" in (match["options"] or "")]
        kind = match["kind"] or ""
        if kind not in kinds:
            raise StateError(f"unknown predicate {kind}")
        fields |= {"predicate": kinds.index(kind), "invert": match["sign"] == "-"} | _flag(match["predicate"])
    if rest:
        condition = rest.pop(0)
        if condition not in CONDITIONS[1:]:
            raise StateError(f"unknown suffix .{condition}")
        fields["condition"] = CONDITIONS.index(condition)
        flag = _flag(".".join(rest) if rest else "f0.0")
        if match["predicate"] and any(fields[name] != value for name, value in flag.items()):
            raise StateError("predicate and condition modifier share one flag register")
        fields |= flag
    return fields


def _flag(text: str) -> dict[str, Any]:
    match = re.fullmatch(r"f([01])\.([01])", text)
    if match is None:
        raise StateError(f"flags are f0.0 to f1.1, not {text}")
    return {"flag_register": int(match[1]), "flag_subregister": int(match[2])}


def _options(text: str, opcode: Opcode) -> dict[str, Any]:
    fields: dict[str, Any] = {"align16": opcode.shape is Shape.THREE_SOURCES, "compaction": None, "dependency": 0}
    simple: dict[str, dict[str, Any]] = {
        "align16": {"align16": True}, "N2": {"nibble": 1}, "NoMask": {"no_mask": True},
        "AccWrEn": {"accumulator_write": True}, "Debug": {"debug": True}, "Invert": {"invert": True},
        "EOT": {"end_of_thread": True}, "Compact": {"compaction": Compaction(0)},
        **{name: {"thread_control": code} for code, name in enumerate(THREAD_CONTROLS) if name},
        **{f"Q{quarter + 1}": {"quarter": quarter} for quarter in range(4)},
        **{f"NoPredicate f{flag}.{half}": _flag(f"f{flag}.{half}") for flag in (0, 1) for half in (0, 1)},
    }  # fmt: skip
    for option in filter(None, (part.strip() for part in text.split(","))):
        if option in ("NoDDClr", "NoDDChk"):
            fields["dependency"] = fields["dependency"] | ("NoDDClr", "NoDDChk").index(option) + 1
        elif option in simple:
            fields |= simple[option]
        else:
            raise StateError(f"unknown option {option}")
    return fields


def _distance(text: str, origin: int, labels: Mapping[str, int]) -> int:
    if text in labels:
        return (labels[text] - origin) // JUMP_UNIT_B
    if not re.fullmatch(r"-?\d+", text):
        raise StateError(f"unknown label {text}")
    return int(text)


def _shared_function(name: str) -> int:
    if name not in SHARED_FUNCTIONS:
        raise StateError(f"unknown shared function {name}")
    return SHARED_FUNCTIONS.index(name)


def _place(match: re.Match[str], kind: DataType) -> dict[str, Any]:
    if match["file"]:
        file = RegisterFile.GENERAL if match["file"] == "r" else RegisterFile.ARCHITECTURE
        return {"file": file, "indirection": Indirection(int(match["address"]), int(match["offset"]))}
    name, sub = match["register"], match["sub"] or "0"
    subregister_B = int(sub[:-1]) if sub.endswith("b") else int(sub) * kind.size_B
    place: dict[str, Any] = {"subregister_B": subregister_B}
    if name in _NUMBERS:
        return place | {"file": RegisterFile.ARCHITECTURE, "number": _NUMBERS[name]}
    number = re.fullmatch(r"(r|arf)(\d+)", name)
    if number is None:
        raise StateError(f"unknown register {name}")
    file = RegisterFile.GENERAL if number[1] == "r" else RegisterFile.ARCHITECTURE
    return place | {"file": file, "number": int(number[2])}


def _type(name: str) -> DataType:
    if name.upper() not in DataType.__members__:
        raise StateError(f"unknown type {name}")
    return DataType[name.upper()]


def _destination(text: str, align16: bool) -> Destination:
    match = _DESTINATION.fullmatch(text)
    if match is None:
        raise StateError(f"no destination: {text}")
    kind, mask = _type(match["type"]), None
    if align16:
        mask = sum(1 << CHANNELS.index(letter) for letter in (match["mask"] if match["mask"] is not None else CHANNELS))
    stride = int(match["stride"] or 1)
    if stride not in STRIDES:
        raise StateError(f"destination strides are {STRIDES}, not {stride}")
    return Destination(type=kind, stride=stride, mask=mask, **_place(match, kind))


def _source(text: str, align16: bool) -> Source | Immediate:
    match = _IMMEDIATE.fullmatch(text)
    if match is not None:
        return _immediate(match["value"], ImmediateType[match["type"].upper()])
    match = _SOURCE.fullmatch(text)
    if match is None:
        raise StateError(f"no source: {text}")
    kind = _type(match["type"])
    vertical = VARIABLE if match["vertical"] == "VxH" else int(match["vertical"] or (4 if align16 else 0))
    region = Region(vertical, int(match["width"] or (4 if align16 else 1)), int(match["horizontal"] or align16))
    letters = match["swizzle"] or CHANNELS
    x, y, z, w = (CHANNELS.index(letter) for letter in letters)
    return Source(
        type=kind,
        region=region,
        absolute=bool(match["abs"]),
        negate=bool(match["negate"]),
        swizzle=(x, y, z, w) if align16 else None,
        replicate=bool(match["replicate"]),
        **_place(match, kind),
    )


def _immediate(text: str, kind: ImmediateType) -> Immediate:
    if kind == ImmediateType.F and not text.startswith("0x"):
        return Immediate(kind, struct.unpack("<I", struct.pack("<f", float(text)))[0])
    value = int(text, 0)
    if kind in (ImmediateType.UW, ImmediateType.W) and -0x8000 <= value < 0x10000:
        value = (value & 0xFFFF) * 0x10001  # both halves, as the hardware wants it
    if not -(1 << 31) <= value < 1 << 32:
        raise StateError(f"{text} does not fit into 32 bits")
    return Immediate(kind, value & 0xFFFFFFFF)
