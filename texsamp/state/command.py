"""`Command`: a structure that begins with a command header, whose opcode and length are derived from one number."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Self

from texsamp.errors import StateError
from texsamp.state.base import Struct
from texsamp.state.fields import DWORD, Field, Row
from texsamp.state.kinds import biased, unsigned

LENGTH_BIAS = 2
"""Dwords a length field does not count."""


class HeaderForm:
    """Where a family of commands keeps opcode and length (seed 001:680)."""

    def __init__(self, pipeline: str, opcode_low: int, length_bits: int) -> None:
        self.pipeline, self.opcode_low, self.length_bits = pipeline, opcode_low, length_bits


_MI_SHORT = HeaderForm("mi", 23, 0)
_MI = HeaderForm("mi", 23, 6)
_BLT = HeaderForm("blt", 22, 8)
_RENDER = {
    0: HeaderForm("common", 16, 8),
    1: HeaderForm("single", 16, 0),
    2: HeaderForm("media", 16, 16),
    3: HeaderForm("3d", 16, 8),
}
_TYPE_MI, _TYPE_BLT, _TYPE_RENDER = 0, 2, 3


def header_form(dword0: int) -> HeaderForm | None:
    """Form of the header that begins with `dword0`; None for reserved command types."""
    kind = dword0 >> 29
    if kind == _TYPE_MI:
        return _MI if dword0 >> 23 & 0x30 else _MI_SHORT
    if kind == _TYPE_BLT:
        return _BLT
    if kind == _TYPE_RENDER:
        return _RENDER[dword0 >> 27 & 3]
    return None


class Command(Struct):
    """A command, with further class arguments; a base class without a name only shares its rows.

    header: dword 0 without length and flags, for example 0x61010000; the rows `opcode` and `length` come from it.
    tail: dwords of one repeated element after the fixed part (0: none), or the structure of such an element.
    tail_count: smallest and largest number of elements. length_bits: width of the length field where it is unusual.
    """

    __slots__ = ()

    pipeline: ClassVar[str] = ""
    tail_struct: ClassVar[type[Struct] | None] = None
    tail_dwords: ClassVar[int] = 0
    tail_count: ClassVar[tuple[int, int]] = (0, 0)
    by_opcode: ClassVar[dict[tuple[str, int], list[type[Command]]]] = {}

    opcode: ClassVar[Field[int]]
    length: ClassVar[Field[int]]

    def __init_subclass__(
        cls,
        *,
        name: str = "",
        header: int = 0,
        dwords: int = 1,
        tail: type[Struct] | int = 0,
        tail_count: tuple[int, int] = (0, 0),
        length_bits: int | None = None,
        **kwargs: Any,
    ) -> None:
        if not name:
            super().__init_subclass__(**kwargs)
            return
        form = header_form(header)
        if form is None:
            raise TypeError(f"{name}: {header:#010x} is no command header")
        cls.pipeline, cls.tail_count = form.pipeline, tail_count
        cls.tail_struct = None if isinstance(tail, int) else tail
        cls.tail_dwords = tail if isinstance(tail, int) else tail.dwords
        code = header >> form.opcode_low
        opcode = Field(0, 31, form.opcode_low, unsigned, "command", code, frozenset({code}))
        cls._add_row("opcode", opcode)
        bits = form.length_bits if length_bits is None else length_bits
        if bits:
            least, most = (dwords + count * cls.tail_dwords for count in tail_count)
            limits = (least, min(most, (1 << bits) - 1 + LENGTH_BIAS))
            cls._add_row("length", Field(0, bits - 1, 0, biased(LENGTH_BIAS), "dwords in all", least, limits))
        super().__init_subclass__(name=name, dwords=dwords, **kwargs)
        cls.rows = {"opcode": cls.rows["opcode"]} | cls.rows
        Command.by_opcode.setdefault((form.pipeline, code), []).append(cls)

    @classmethod
    def _add_row(cls, name: str, row: Row[Any]) -> None:
        setattr(cls, name, row)
        row.__set_name__(cls, name)

    def __init__(self, *, tail: Iterable[int | Struct] = (), generation: float | None = None, **values: Any) -> None:
        super().__init__(generation=generation, **values)
        extra: list[int] = []
        for element in tail:
            extra.extend(element.to_dwords() if isinstance(element, Struct) else (element,))
        if not extra:
            extra = self._default_tail()
        image = self.image | sum(dword << ((self.dwords + i) * DWORD) for i, dword in enumerate(extra))
        if any(not 0 <= dword < 1 << DWORD for dword in extra):
            raise StateError(f"{self.name}.tail: {extra} are not all 32-bit values")
        count = self.dwords + len(extra)
        self._check_size(count * 4)
        if "length" in self.rows and "length" not in values:
            image = self.rows["length"].store(image, count, self.generation)
        self._set(image, count, self.generation)
        self._check_length()

    def _default_tail(self) -> list[int]:
        least = self.tail_count[0]
        if self.tail_struct is None:
            return [0] * (least * self.tail_dwords)
        return [dword for _ in range(least) for dword in self.tail_struct().to_dwords()]

    @classmethod
    def _check_size(cls, size: int) -> None:
        if not cls.tail_dwords:
            super()._check_size(size)
            return
        extra, odd = divmod(size - cls.dwords * 4, cls.tail_dwords * 4)
        if odd or not cls.tail_count[0] <= extra <= cls.tail_count[1]:
            least, most = cls.tail_count
            raise StateError(
                f"{cls.name} has {cls.dwords} dwords and {least} to {most} elements of {cls.tail_dwords} dwords, "
                f"found {size} bytes"
            )

    def check(self) -> None:
        """See Struct; the elements of the tail are checked too, and the length against the dwords that are here."""
        super().check()
        self._check_length()
        for number, element in enumerate(self.elements):
            try:
                element.check()
            except StateError as error:
                raise StateError(f"{self.name} element {number}: {error}") from None

    def _check_length(self) -> None:
        row, found = self.rows.get("length"), self._dword_count
        if row is not None and row.value(self.image) != found:
            raise StateError(
                f"{self.name}.length ({row.bits}): says {row.value(self.image)} dwords, found {found}; "
                "legal: the dwords that are here"
            )

    @property
    def tail(self) -> tuple[int, ...]:
        """Dwords after the fixed part."""
        return self.to_dwords()[self.dwords :]

    @property
    def elements(self) -> tuple[Struct, ...]:
        """Structures of the tail, leniently unpacked; empty if its elements have no structure."""
        if self.tail_struct is None:
            return ()
        size, tail = self.tail_dwords, self.tail
        return tuple(self.tail_struct.from_dwords(tail[i : i + size], strict=False) for i in range(0, len(tail), size))

    def arguments(self) -> dict[str, Any]:
        """See Struct."""
        values = {name: value for name, value in self.values().items() if name not in {"opcode", "length"}}
        return values | ({"tail": self.tail} if self.tail_dwords else {})

    def replace(self, **values: object) -> Self:
        """See Struct; `tail` replaces the elements and with them the length."""
        if "tail" not in values:
            return super().replace(**values)
        return type(self)(generation=self.generation, **self.arguments() | values)
