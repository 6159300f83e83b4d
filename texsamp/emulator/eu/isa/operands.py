"""Operands of execution unit instructions: register types, regions, registers, immediates."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np


class RegisterFile(IntEnum):
    """Where an operand lives. Code 2, the message registers, does not exist on Gen7."""

    ARCHITECTURE = 0
    GENERAL = 1
    IMMEDIATE = 3


class DataType(IntEnum):
    """Types of register elements."""

    UD = 0
    D = 1
    UW = 2
    W = 3
    UB = 4
    B = 5
    DF = 6
    F = 7

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """As numpy has it."""
        return _DTYPES[self]

    @property
    def size_B(self) -> int:  # noqa: N802 - the unit
        """Bytes of an element."""
        return _DTYPES[self].itemsize

    @property
    def is_float(self) -> bool:
        """F or DF."""
        return self in (DataType.F, DataType.DF)


_DTYPES: dict[DataType, np.dtype[np.generic]] = {
    DataType.UD: np.dtype("<u4"),
    DataType.D: np.dtype("<i4"),
    DataType.UW: np.dtype("<u2"),
    DataType.W: np.dtype("<i2"),
    DataType.UB: np.dtype("u1"),
    DataType.B: np.dtype("i1"),
    DataType.DF: np.dtype("<f8"),
    DataType.F: np.dtype("<f4"),
}


class ImmediateType(IntEnum):
    """Types of immediates: as registers', but UV, VF and V are vectors packed into 32 bits."""

    UD = 0
    D = 1
    UW = 2
    W = 3
    UV = 4
    VF = 5
    V = 6
    F = 7


ELEMENT_TYPE = {
    ImmediateType.UD: DataType.UD,
    ImmediateType.D: DataType.D,
    ImmediateType.UW: DataType.UW,
    ImmediateType.W: DataType.W,
    ImmediateType.UV: DataType.UW,
    ImmediateType.VF: DataType.F,
    ImmediateType.V: DataType.W,
    ImmediateType.F: DataType.F,
}
"""Type of the elements of an immediate."""

THREE_SOURCE_TYPES = (DataType.F, DataType.D, DataType.UD, DataType.DF)
"""Types of three-source instructions by code."""

ARCHITECTURE_REGISTERS = {
    0x00: "null", 0x10: "a0", 0x20: "acc0", 0x21: "acc1", 0x30: "f0", 0x31: "f1", 0x40: "ce0", 0x70: "sr0",
    0x80: "cr0", 0x90: "n0", 0xA0: "ip", 0xB0: "tdr0", 0xC0: "tm0",
}  # fmt: skip
"""Names by register number."""

NULL = 0x00
ADDRESS = 0x10
INSTRUCTION_POINTER = 0xA0
VARIABLE = 64
"""Vertical stride of a region whose rows each have an address of their own (VxH)."""


@dataclass(frozen=True, slots=True)
class Region:
    """`<vertical; width, horizontal>`: strides and width in elements."""

    vertical: int
    width: int
    horizontal: int


@dataclass(frozen=True, slots=True)
class Indirection:
    """An operand at a byte address: the 16-bit sub-register of a0, plus an offset in bytes."""

    subregister: int
    offset_B: int  # noqa: N815 - the unit


@dataclass(frozen=True, slots=True)
class Destination:
    """What is written. subregister_B: first byte inside the register; stride: elements; mask: align16 channels xyzw."""

    file: RegisterFile
    type: DataType
    number: int = 0
    subregister_B: int = 0  # noqa: N815 - the unit
    stride: int = 1
    mask: int | None = None
    indirection: Indirection | None = None

    @property
    def is_null(self) -> bool:
        """Whether the result is dropped."""
        return self.file == RegisterFile.ARCHITECTURE and self.number == NULL and self.indirection is None


@dataclass(frozen=True, slots=True)
class Source:
    """A register that is read. swizzle: align16 channels; replicate: three-source operands that repeat one element."""

    file: RegisterFile
    type: DataType
    number: int = 0
    subregister_B: int = 0  # noqa: N815 - the unit
    region: Region = Region(8, 8, 1)
    absolute: bool = False
    negate: bool = False
    swizzle: tuple[int, int, int, int] | None = None
    replicate: bool = False
    indirection: Indirection | None = None


@dataclass(frozen=True, slots=True)
class Immediate:
    """A constant: the 32 bits of the instruction."""

    type: ImmediateType
    bits: int

    def values(self, count: int) -> np.ndarray[tuple[int], np.dtype[np.generic]]:
        """One value, or `count` of a packed vector, in the element type."""
        if self.type in (ImmediateType.V, ImmediateType.UV):
            nibbles = np.array([self.bits >> 4 * (i % 8) & 15 for i in range(count)], np.int16)
            return nibbles.astype(np.uint16) if self.type == ImmediateType.UV else ((nibbles ^ 8) - 8)
        if self.type == ImmediateType.VF:
            return np.array([_restricted_float(self.bits >> 8 * (i % 4) & 255) for i in range(count)], np.float32)
        element = ELEMENT_TYPE[self.type].dtype
        return np.frombuffer(self.bits.to_bytes(4, "little"), element)[:1]


def _restricted_float(code: int) -> float:
    """Value of an 8-bit float: sign, 3 bits of exponent with bias 3, 4 bits of mantissa; only 0 has no leading one."""
    if code & 0x7F == 0:
        return -0.0 if code else 0.0
    magnitude = 2.0 ** ((code >> 4 & 7) - 3) * (1 + (code & 15) / 16)
    return -magnitude if code & 0x80 else magnitude
