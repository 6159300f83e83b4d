"""One instruction of an execution unit as an object."""

from __future__ import annotations

from dataclasses import dataclass

from texsamp.emulator.eu.isa.opcodes import Opcode
from texsamp.emulator.eu.isa.operands import Destination, Immediate, Source

NATIVE_B = 16
COMPACT_B = 8
JUMP_UNIT_B = 8
KEPT_INSTRUCTIONS = 1 << 14
"""Of all programs, by their bytes, for those that meet them again."""


@dataclass(frozen=True, slots=True)
class Compaction:
    """What a 64-bit encoding holds beyond its 128-bit meaning: an index nothing may read, and an unused bit."""

    subregister_index: int
    spare: int = 0


@dataclass(frozen=True, slots=True)
class Instruction:
    """A decoded instruction; field names as in the manuals.

    exec_size: channels. condition: condition modifier, `math` function, or shared function of a message.
    jip, uip: jump distances in units of 8 bytes. rest: bits of the 128 that mean nothing in this instruction.
    compaction: set if the instruction is stored in 64 bits.
    """

    opcode: Opcode
    exec_size: int = 1
    destination: Destination | None = None
    sources: tuple[Source | Immediate, ...] = ()
    align16: bool = False
    no_mask: bool = False
    dependency: int = 0
    quarter: int = 0
    nibble: int = 0
    thread_control: int = 0
    predicate: int = 0
    invert: bool = False
    condition: int = 0
    accumulator_write: bool = False
    debug: bool = False
    saturate: bool = False
    flag_register: int = 0
    flag_subregister: int = 0
    jip: int | None = None
    uip: int | None = None
    end_of_thread: bool = False
    compaction: Compaction | None = None
    rest: int = 0

    @property
    def size_B(self) -> int:  # noqa: N802 - the unit
        """Bytes the instruction takes in memory."""
        return COMPACT_B if self.compaction else NATIVE_B

    @property
    def first_channel(self) -> int:
        """First channel of the dispatch the instruction works on."""
        return 8 * self.quarter + (4 * self.nibble if self.exec_size <= 4 else 0)
