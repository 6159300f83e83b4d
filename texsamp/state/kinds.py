"""How the bits of one field become a Python value and back: the kinds of the manual's "Format" column."""

import math
import re
import struct
from abc import ABC, abstractmethod
from enum import IntEnum
from typing import ClassVar, Generic, Self, TypeVar

T = TypeVar("T")
E = TypeVar("E", bound="Codes")


class Codes(IntEnum):
    """Base of enumerated fields: `NAME = code`, `NAME = code, "note"` or `NAME = code, "note", first_generation`.

    Two names with one code are aliases (the first is the one printed); both are accepted on input.
    """

    note: str
    since: float

    def __new__(cls, code: int, note: str = "", since: float = 0) -> Self:
        """Make a member that carries its note and the first generation (7 = Ivy Bridge) that has it."""
        member = int.__new__(cls, code)
        member._value_ = code
        member.note = note
        member.since = since
        return member


class Kind(ABC, Generic[T]):
    """A value type of a field; `width` is the number of bits the field has, `low` the number of its lowest bit."""

    label: str

    @abstractmethod
    def limits(self, width: int, low: int) -> str:
        """Legal values in words, for messages and documentation."""

    @abstractmethod
    def encode(self, value: object, width: int, low: int) -> int:
        """Code of `value` (text is parsed); ValueError or TypeError when it cannot be one of this kind."""

    @abstractmethod
    def decode(self, code: int, width: int, low: int) -> T:
        """Value of an unsigned code of `width` bits."""

    def check_width(self, width: int) -> None:
        """Raise TypeError if a field of `width` bits cannot hold this kind."""


def _as_int(value: object) -> int:
    if isinstance(value, str):
        return int(value, 0)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if hasattr(value, "__index__"):
        return int(value.__index__())
    raise TypeError(f"{value!r} is not an integer")


def _as_float(value: object) -> float:
    if isinstance(value, str):
        numerator, _, denominator = value.partition("/")
        return float(numerator) / float(denominator or 1)
    return float(value)  # type: ignore[arg-type]


class Integer(Kind[int]):
    """Unsigned (`U`) or two's complement (`S`) integer, optionally stored minus a bias: value = code + bias."""

    def __init__(self, *, signed: bool = False, bias: int = 0) -> None:
        self.signed, self.bias = signed, bias
        self.label = ("S" if signed else "U") + (f", value-{bias}" if bias else "")

    def bounds(self, width: int) -> tuple[int, int]:
        """Lowest and highest value of a field of `width` bits."""
        low = -(1 << (width - 1)) if self.signed else 0
        return low + self.bias, low + (1 << width) - 1 + self.bias

    def limits(self, width: int, low: int) -> str:
        """See Kind."""
        return "{}..{}".format(*self.bounds(width))

    def encode(self, value: object, width: int, low: int) -> int:
        """See Kind."""
        number = _as_int(value)
        lowest, highest = self.bounds(width)
        if not lowest <= number <= highest:
            raise ValueError
        return (number - self.bias) & ((1 << width) - 1)

    def decode(self, code: int, width: int, low: int) -> int:
        """See Kind."""
        if self.signed and code >> (width - 1):
            code -= 1 << width
        return code + self.bias


class Fixed(Kind[float]):
    """Fixed point in the manual's notation: `U4.8` unsigned, `S1.6` two's complement with a sign bit before the 1.

    Values round to the nearest representable one, ties away from zero; decoding is exact.
    """

    _NOTATION: ClassVar[re.Pattern[str]] = re.compile(r"([US])(\d+)\.(\d+)")

    def __init__(self, notation: str) -> None:
        match = self._NOTATION.fullmatch(notation)
        if match is None:
            raise TypeError(f"{notation!r} is no fixed-point notation")
        self.label = notation
        self.signed = match[1] == "S"
        self.fraction_bits = int(match[3])
        self.width = self.signed + int(match[2]) + self.fraction_bits
        self.raw = Integer(signed=self.signed)

    def check_width(self, width: int) -> None:
        """See Kind."""
        if width != self.width:
            raise TypeError(f"{self.label} needs {self.width} bits, not {width}")

    def limits(self, width: int, low: int) -> str:
        """See Kind."""
        lowest, highest = self.raw.bounds(width)
        one = 1 << self.fraction_bits
        return f"{lowest / one:g}..{highest / one:.6g} in steps of 1/{one}"

    def encode(self, value: object, width: int, low: int) -> int:
        """See Kind."""
        scaled = _as_float(value) * (1 << self.fraction_bits)
        if not math.isfinite(scaled):
            raise ValueError
        return self.raw.encode(int(math.copysign(math.floor(abs(scaled) + 0.5), scaled)), width, low)

    def decode(self, code: int, width: int, low: int) -> float:
        """See Kind."""
        return self.raw.decode(code, width, low) / (1 << self.fraction_bits)


class Flag(Kind[bool]):
    """One bit: True or False."""

    label = "flag"
    _WORDS: ClassVar[dict[str, bool]] = {
        "0": False, "1": True, "false": False, "true": True, "no": False, "yes": True, "off": False, "on": True,
    }  # fmt: skip

    def check_width(self, width: int) -> None:
        """See Kind."""
        if width != 1:
            raise TypeError(f"a flag has 1 bit, not {width}")

    def limits(self, width: int, low: int) -> str:
        """See Kind."""
        return "0 or 1"

    def encode(self, value: object, width: int, low: int) -> int:
        """See Kind."""
        if isinstance(value, str):
            if value.lower() not in self._WORDS:
                raise ValueError
            return int(self._WORDS[value.lower()])
        number = _as_int(value)
        if number not in (0, 1):
            raise ValueError
        return number

    def decode(self, code: int, width: int, low: int) -> bool:
        """See Kind."""
        return bool(code)


class Enumeration(Kind[E]):
    """One of named codes. `decode` returns the plain integer for a code without a name (lenient unpacking only)."""

    label = "enum"

    def __init__(self, codes: type[E]) -> None:
        self.codes = codes
        self.by_code = {int(member): member for member in codes}

    def check_width(self, width: int) -> None:
        """See Kind."""
        largest = max(self.codes)
        if largest >> width:
            raise TypeError(f"{largest!r} does not fit in {width} bits")

    def limits(self, width: int, low: int) -> str:
        """See Kind."""
        members = list(self.codes)
        shown = ", ".join(f"{int(m)} {m.name}" for m in members[:16])
        return shown + (f", … ({len(members)} names)" if len(members) > 16 else "")

    def encode(self, value: object, width: int, low: int) -> int:
        """See Kind."""
        if isinstance(value, str) and value.upper() in self.codes.__members__:
            return int(self.codes[value.upper()])
        code = _as_int(value)
        if code not in self.by_code:
            raise ValueError
        return code

    def decode(self, code: int, width: int, low: int) -> E:
        """See Kind."""
        return self.by_code.get(code, code)  # type: ignore[return-value] # documented: an unnamed code stays a number


class Address(Kind[int]):
    """A byte address, byte offset or distance whose low bits are not stored.

    `shift` low bits are dropped; without it the code is shifted to the place of the field (`31:6` drops six).
    """

    def __init__(self, shift: int | None = None) -> None:
        self.shift = shift
        self.label = "address" if shift is None else f"multiple of {1 << shift}"

    def _shift(self, low: int) -> int:
        return low if self.shift is None else self.shift

    def limits(self, width: int, low: int) -> str:
        """See Kind."""
        shift = self._shift(low)
        return f"0..{((1 << width) - 1) << shift:#x}, a multiple of {1 << shift}"

    def encode(self, value: object, width: int, low: int) -> int:
        """See Kind."""
        number, shift = _as_int(value), self._shift(low)
        if number < 0 or number >> (width + shift) or number & ((1 << shift) - 1):
            raise ValueError
        return number >> shift

    def decode(self, code: int, width: int, low: int) -> int:
        """See Kind."""
        return code << self._shift(low)


class Float(Kind[float]):
    """IEEE 754 binary32 or binary16. NaN payloads survive because a structure keeps its dwords, not its values."""

    def __init__(self, bits: int) -> None:
        self.width, self._pack, self._unsigned = bits, {16: "<e", 32: "<f"}[bits], {16: "<H", 32: "<I"}[bits]
        self.label = f"float{bits}"

    def check_width(self, width: int) -> None:
        """See Kind."""
        if width != self.width:
            raise TypeError(f"{self.label} has {self.width} bits, not {width}")

    def limits(self, width: int, low: int) -> str:
        """See Kind."""
        return f"any {self.label}"

    def encode(self, value: object, width: int, low: int) -> int:
        """See Kind."""
        try:
            data = struct.pack(self._pack, _as_float(value))
        except OverflowError:
            raise ValueError from None
        return int(struct.unpack(self._unsigned, data)[0])

    def decode(self, code: int, width: int, low: int) -> float:
        """See Kind."""
        value: float = struct.unpack(self._pack, struct.pack(self._unsigned, code))[0]
        return value


unsigned = Integer()
signed = Integer(signed=True)
minus_one = Integer(bias=1)
flag = Flag()
address = Address()
float32 = Float(32)
float16 = Float(16)


def biased(bias: int) -> Integer:
    """Unsigned integer stored minus `bias`: value = code + bias."""
    return Integer(bias=bias)


def fixed(notation: str) -> Fixed:
    """Fixed-point kind from the manual's notation, for example `U4.8` or `S1.6`."""
    return Fixed(notation)


def multiple_of(step: int) -> Address:
    """Unsigned number stored without its low zero bits; `step` is a power of two."""
    return Address(step.bit_length() - 1)


def enum(codes: type[E]) -> Enumeration[E]:
    """Enumerated kind over a `Codes` class."""
    return Enumeration(codes)
