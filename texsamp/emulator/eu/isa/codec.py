"""Instructions from bytes and back. `encode(decode(bytes)) == bytes` for everything `decode` accepts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from texsamp.emulator.eu.isa import encoding as e
from texsamp.emulator.eu.isa.compaction import compacted, expanded
from texsamp.emulator.eu.isa.instruction import COMPACT_B, KEPT_INSTRUCTIONS, NATIVE_B, Instruction
from texsamp.emulator.eu.isa.opcodes import BY_CODE, Shape
from texsamp.emulator.eu.isa.operands import Destination, Immediate, RegisterFile, Source
from texsamp.errors import CaptureError, StateError

MOST_INSTRUCTIONS = 1 << 16
"""Instructions of a kernel; the longest of real captures has 1654."""


@dataclass(frozen=True, slots=True)
class Located:
    """An instruction and its byte offset in the kernel."""

    offset: int
    instruction: Instruction


def decode(data: bytes | memoryview, offset: int = 0) -> Instruction:
    """Decode the instruction at byte `offset`; CaptureError, naming the offset, if it is cut off or illegal."""
    low = bytes(data[offset : offset + COMPACT_B])
    size = COMPACT_B if len(low) > 3 and low[3] & 0x20 else NATIVE_B
    raw = bytes(data[offset : offset + size])
    if len(raw) < size:
        raise CaptureError(f"instruction at offset {offset:#x}: {len(raw)} bytes of {size}")
    try:
        return _instruction(raw)
    except StateError as error:
        raise CaptureError(f"instruction at offset {offset:#x} ({raw.hex()}): {error}") from None


@lru_cache(maxsize=KEPT_INSTRUCTIONS)
def _instruction(raw: bytes) -> Instruction:
    word, compaction = int.from_bytes(raw, "little"), None
    if len(raw) == COMPACT_B:
        word, compaction = expanded(word)
    instruction = _decoded(word)
    return instruction if compaction is None else replace(instruction, compaction=compaction)


def _decoded(word: int) -> Instruction:
    opcode = BY_CODE.get(e.OPCODE.get(word))
    if opcode is None:
        raise StateError(f"unknown opcode {e.OPCODE.get(word)}")
    if e.EXEC_SIZE.get(word) > 5:
        raise StateError(f"execution size code {e.EXEC_SIZE.get(word)} is reserved")
    header: dict[str, Any] = {name: bits.get(word) for name, bits in e.HEADER.items()}
    header |= {name: bool(header[name]) for name in _FLAGS}
    flags = e.THREE_SOURCE_FLAGS if opcode.shape is Shape.THREE_SOURCES else e.FLAGS
    header |= {name: bits.get(word) for name, bits in flags.items()}
    align16 = bool(header["align16"])
    destination: Destination | None = None
    sources: tuple[Source | Immediate, ...] = ()
    jip = uip = None
    if opcode.shape is Shape.THREE_SOURCES:
        if not align16:
            raise StateError(f"{opcode.mnemonic} in align1: three-source instructions are align16")
        destination, sources = e.read_three_sources(word)
    elif opcode.shape is Shape.PLAIN:
        destination = e.read_destination(word, align16)
        sources = tuple(e.read_source(word, number, align16) for number in range(opcode.sources))
    elif opcode.shape is Shape.MESSAGE:
        destination = e.read_destination(word, align16)
        descriptor = e.read_source(word, 1, align16)
        if isinstance(descriptor, Immediate):
            descriptor = replace(descriptor, bits=e.DESCRIPTOR.get(word))
        sources = (e.read_source(word, 0, align16), descriptor)
    elif opcode.shape is Shape.JUMP and e.SOURCE_FILES[1].get(word) == RegisterFile.IMMEDIATE:
        jip = e.signed(e.JIP.get(word), e.JIP.width)
        uip = e.signed(e.UIP.get(word), e.UIP.width) if opcode.has_two_distances else None
        destination = e.read_destination(word, align16) if opcode.stores_its_address else None
    elif opcode.shape is Shape.JUMP:
        destination = e.read_destination(word, align16)
        sources = (e.read_source(word, 0, align16),)
    instruction = Instruction(
        opcode=opcode,
        exec_size=1 << e.EXEC_SIZE.get(word),
        destination=destination,
        sources=sources,
        nibble=e.NIBBLE.get(word),
        jip=jip,
        uip=uip,
        end_of_thread=opcode.shape is Shape.MESSAGE and bool(e.END_OF_THREAD.get(word)),
        **header,
    )
    rest = word & ~_meaning(instruction)
    return replace(instruction, rest=rest) if rest else instruction


_FLAGS = ("align16", "no_mask", "invert", "accumulator_write", "debug", "saturate")


_MEANINGS: dict[tuple[object, ...], int] = {}
"""Which bits mean something, by what decides that."""


def _meaning(instruction: Instruction) -> int:
    """Bits of the word that mean something in instructions like this one."""
    kinds = [None if isinstance(source, Immediate) else source.swizzle is None for source in instruction.sources]
    key = instruction.opcode, instruction.destination is None, instruction.jip is None, instruction.uip is None, *kinds
    mask = _MEANINGS.get(key)
    if mask is None:
        mask = _MEANINGS[key] = _fields(instruction)[1]
    return mask


def _fields(instruction: Instruction) -> tuple[int, int]:
    """The word with every field that has a meaning, and which bits those are."""
    opcode = instruction.opcode
    parts = [(e.OPCODE.put(opcode.code), e.OPCODE.mask), (0, e.COMPACT.mask)]
    parts.append((e.EXEC_SIZE.put(instruction.exec_size.bit_length() - 1), e.EXEC_SIZE.mask))
    parts.append((e.NIBBLE.put(instruction.nibble), e.NIBBLE.mask))
    flags = e.THREE_SOURCE_FLAGS if opcode.shape is Shape.THREE_SOURCES else e.FLAGS
    for name, bits in (e.HEADER | flags).items():
        parts.append((bits.put(int(getattr(instruction, name))), bits.mask))
    if opcode.shape is Shape.THREE_SOURCES and instruction.destination is not None:
        parts.append((e.write_three_sources(instruction.destination, instruction.sources), e.THREE_SOURCES_MASK))
    elif opcode.shape is Shape.MESSAGE:
        parts.append((e.END_OF_THREAD.put(instruction.end_of_thread), e.END_OF_THREAD.mask))
    if opcode.shape in (Shape.PLAIN, Shape.MESSAGE, Shape.JUMP):
        if instruction.destination is not None:
            parts.append(e.write_destination(instruction.destination))
        for number, source in enumerate(instruction.sources):
            value, mask = e.write_source(source, number)
            if opcode.shape is Shape.MESSAGE and isinstance(source, Immediate):
                mask &= ~e.IMMEDIATE.mask | e.DESCRIPTOR.mask
            parts.append((value, mask))
    if instruction.jip is not None:
        parts.append((_distances(instruction), e.JIP.mask | e.SOURCE_FILES[1].mask))
        if instruction.uip is not None:
            parts.append((0, e.UIP.mask))
    word = mask = 0
    for value, owned in parts:
        word, mask = word | value, mask | owned
    return word, mask


def _distances(instruction: Instruction) -> int:
    word = e.SOURCE_FILES[1].put(RegisterFile.IMMEDIATE)
    word |= e.JIP.put(e.unsigned(instruction.jip or 0, e.JIP.width))
    return word | e.UIP.put(e.unsigned(instruction.uip or 0, e.UIP.width))


def encode(instruction: Instruction) -> bytes:
    """The bytes of an instruction; StateError if a field does not fit."""
    word = _fields(instruction)[0] | instruction.rest
    if instruction.compaction is not None:
        return compacted(word, instruction.compaction).to_bytes(COMPACT_B, "little")
    return word.to_bytes(NATIVE_B, "little")


def kernel(data: bytes | memoryview, start: int = 0) -> Iterator[Located]:
    """Decode a kernel up to its end: a message with end of thread that no branch before it jumps over.

    CaptureError as `decode`, or if the kernel has no end within the data or MOST_INSTRUCTIONS.
    """
    offset, farthest = start, start
    for _ in range(MOST_INSTRUCTIONS):
        instruction = decode(data, offset)
        yield Located(offset, instruction)
        farthest = max(farthest, *targets(instruction, offset))
        offset += instruction.size_B
        if instruction.end_of_thread and farthest < offset:
            return
    raise CaptureError(f"kernel at offset {start:#x} has no end within {MOST_INSTRUCTIONS} instructions")


def extent_B(data: bytes | memoryview) -> int | None:  # noqa: N802 - the unit
    """Bytes of the kernel at the beginning of the data, behind which it executes nothing; None if that cannot be told.

    Only branches are decoded: the others do not have to be legal.
    """
    offset = farthest = 0
    for _ in range(MOST_INSTRUCTIONS):
        if offset + NATIVE_B > len(data):
            return None
        code, is_compact = data[offset] & _OPCODE_BITS, data[offset + 3] & _COMPACT_BIT
        size = COMPACT_B if is_compact else NATIVE_B
        if code in _BRANCHES:
            places = _places(data, offset)
            if not places or min(places) < 0:
                return None
            farthest = max(farthest, *places)
        elif code in _WITH_DESTINATION:  # of both forms, the number of the destination's register
            low, high = data[offset + 5 : offset + 7] if is_compact else data[offset + 6 : offset + 8]
            if (low if is_compact else low >> 5 | high << 3 & 0xFF) == _POINTER:
                return None
        offset += size
        if code in _MESSAGES and not is_compact and data[offset - 1] >> 7 and farthest < offset:
            return offset
    return None


_OPCODE_BITS, _COMPACT_BIT, _POINTER = 0x7F, 0x20, 0xA0
_MESSAGES = frozenset(code for code, opcode in BY_CODE.items() if opcode.shape is Shape.MESSAGE)
_BRANCHES = frozenset(
    code for code, opcode in BY_CODE.items() if opcode.shape is Shape.JUMP or opcode.mnemonic == "jmpi"
)
_WITH_DESTINATION = (
    frozenset(BY_CODE) - _BRANCHES - {c for c, one in BY_CODE.items() if one.shape is Shape.THREE_SOURCES}
)


def _places(data: bytes | memoryview, offset: int) -> tuple[int, ...]:
    """Where a branch can lead; none if registers say so, or if it is illegal."""
    try:
        instruction = decode(data, offset)
    except CaptureError:
        return ()
    name = instruction.opcode.mnemonic
    if name == "jmpi":
        return targets(instruction, offset) if isinstance(instruction.sources[1], Immediate) else ()
    if instruction.jip is None or instruction.opcode.stores_its_address:
        return ()
    behind = (offset + 8 * (instruction.uip or 0) + NATIVE_B,) if name == "break" else ()
    return (*targets(instruction, offset), *behind)


def targets(instruction: Instruction, offset: int) -> tuple[int, ...]:
    """Byte offsets an instruction at `offset` can jump to, itself included."""
    distances = [distance for distance in (instruction.jip, instruction.uip) if distance is not None]
    if instruction.opcode.mnemonic == "jmpi" and isinstance(instruction.sources[1], Immediate):
        return offset, offset + instruction.size_B + 8 * e.signed(instruction.sources[1].bits, 32)
    return offset, *(offset + 8 * distance for distance in distances)
