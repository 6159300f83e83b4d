"""The opcodes of Gen7 execution units (public facts; semantics of add to brd in seed 004:3952-4656)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType


class Shape(Enum):
    """How the bits after the header are laid out."""

    PLAIN = "sources with regions"
    THREE_SOURCES = "three align16 sources of one type"
    JUMP = "jump distances instead of a second source"
    MESSAGE = "a message register and a descriptor"
    NONE = "nothing"


@dataclass(frozen=True, slots=True)
class Opcode:
    """One opcode. sources: how many of its source fields mean anything."""

    code: int
    mnemonic: str
    sources: int
    shape: Shape = Shape.PLAIN

    @property
    def has_two_distances(self) -> bool:
        """Whether a jump holds UIP besides JIP."""
        return self.mnemonic in _TWO_DISTANCES

    @property
    def stores_its_address(self) -> bool:
        """Whether a jump has a destination besides its distance."""
        return self.mnemonic == "call"


_TWO_DISTANCES = frozenset({"if", "break", "cont", "halt", "brc"})

_ROWS = (
    (0, "illegal", 0, Shape.NONE),
    *((code, name, 1, Shape.PLAIN) for code, name in (
        (1, "mov"), (3, "movi"), (4, "not"), (19, "f32to16"), (20, "f16to32"), (23, "bfrev"), (67, "frc"), (68, "rndu"),
        (69, "rndd"), (70, "rnde"), (71, "rndz"), (74, "lzd"), (75, "fbh"), (76, "fbl"), (77, "cbit"), (48, "wait"),
    )),
    *((code, name, 2, Shape.PLAIN) for code, name in (
        (2, "sel"), (5, "and"), (6, "or"), (7, "xor"), (8, "shr"), (9, "shl"), (12, "asr"), (16, "cmp"),
        (17, "cmpn"), (25, "bfi1"), (32, "jmpi"), (56, "math"), (64, "add"), (65, "mul"), (66, "avg"), (72, "mac"),
        (73, "mach"), (78, "addc"), (79, "subb"), (80, "sad2"), (81, "sada2"), (84, "dp4"), (85, "dph"), (86, "dp3"),
        (87, "dp2"), (89, "line"), (90, "pln"),
    )),
    *((code, name, 3, Shape.THREE_SOURCES) for code, name in (
        (24, "bfe"), (26, "bfi2"), (91, "mad"), (92, "lrp"),
    )),
    *((code, name, 0, Shape.JUMP) for code, name in (
        (33, "brd"), (34, "if"), (35, "brc"), (36, "else"), (37, "endif"), (39, "while"), (40, "break"), (41, "cont"),
        (42, "halt"), (44, "call"), (45, "ret"),
    )),
    (49, "send", 1, Shape.MESSAGE),
    (50, "sendc", 1, Shape.MESSAGE),
    (126, "nop", 0, Shape.NONE),
)  # fmt: skip

BY_CODE = MappingProxyType({row[0]: Opcode(*row) for row in _ROWS})
BY_MNEMONIC = MappingProxyType({opcode.mnemonic: opcode for opcode in BY_CODE.values()})

CONDITIONS = ("", "z", "nz", "g", "ge", "l", "le", "", "o", "u")
"""Condition modifiers by code; an empty name is no modifier (0) or reserved (7)."""

MATH_FUNCTIONS = MappingProxyType(
    {
        1: "inv", 2: "log", 3: "exp", 4: "sqrt", 5: "rsq", 6: "sin", 7: "cos", 9: "fdiv", 10: "pow", 11: "idivqr",
        12: "idivq", 13: "idivr",
    }
)  # fmt: skip
"""`math` functions by the code in the place of the condition modifier."""

PREDICATES = {
    False: (
        "none", "", "anyv", "allv", "any2h", "all2h", "any4h", "all4h", "any8h", "all8h", "any16h", "all16h", "any32h",
        "all32h",
    ),
    True: ("none", "", "x", "y", "z", "w", "any4h", "all4h"),
}  # fmt: skip
"""Predicate controls by code, in align1 (False) and align16 (True)."""
