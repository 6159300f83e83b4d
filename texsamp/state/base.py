"""`Struct`: a hardware structure described by one row per field, from which everything else is derived."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from importlib import import_module
from typing import Any, ClassVar, Self

from texsamp.errors import StateError
from texsamp.shown.html import table
from texsamp.state.fields import DWORD, Array, Field, Row
from texsamp.state.generations import check_generation
from texsamp.state.words import as_text

__all__ = ["Array", "Field", "Struct"]

Buffer = bytes | bytearray | memoryview


class Struct:
    """An immutable value of one hardware structure.

    Subclasses list their rows (`Field`, `Array`) and give class arguments: `name` (the manual's), `dwords`, `source`
    (seed file:line), `since`/`until` (generations: 6, 7 Ivy Bridge and Bay Trail, 7.5 Haswell, 8, 9), `ignores_rest`
    (bits without a row are ignored by the hardware, not reserved). A base class without a name only shares its rows.
    Keyword arguments of the constructor set fields; all others have their documented default.

    `strict` unpacking refuses reserved bits that are set and codes outside a field's legal range (StateError naming
    structure, field, bits and value). Lenient unpacking keeps every bit, so `pack(unpack(x)) == x` for any dwords.
    """

    __slots__ = ("_dword_count", "_generation", "_image")

    name: ClassVar[str] = ""
    dwords: ClassVar[int] = 0
    source: ClassVar[str] = ""
    since: ClassVar[float] = 7
    until: ClassVar[float] = Row.FOREVER
    ignores_rest: ClassVar[bool] = False
    rows: ClassVar[dict[str, Row[Any]]] = {}
    _plans: ClassVar[dict[float, tuple[list[Row[Any]], int, list[Row[Any]]]]]
    _defaults: ClassVar[dict[float, int]]
    by_name: ClassVar[dict[str, type[Struct]]] = {}

    is_settled: bool = False
    """Whether it was read whole, so that nothing changes it any more: then its fields are decoded once each."""

    _image: int
    _dword_count: int
    _generation: float

    def __init_subclass__(
        cls,
        *,
        name: str = "",
        dwords: int = 0,
        source: str = "",
        since: float = 7,
        until: float = Row.FOREVER,
        ignores_rest: bool = False,
    ) -> None:
        super().__init_subclass__()
        own = {row_name: row for row_name, row in vars(cls).items() if isinstance(row, Row)}
        inherited: dict[str, Row[Any]] = {}
        for parent in reversed(cls.__bases__):
            inherited |= getattr(parent, "rows", {})
        cls.rows = inherited | own
        cls._plans, cls._defaults = {}, {}
        cls.name, cls.dwords, cls.source, cls.since, cls.until = name, dwords, source, since, until
        cls.ignores_rest = ignores_rest
        if not name:
            return
        for row_name, row in cls.rows.items():
            if row_name not in own:  # a row of a common base: this structure gets its own, to be named in messages
                cls.rows[row_name] = row = copy(row)  # noqa: PLW2901
                setattr(cls, row_name, row)
            row.struct_name = name
        if name in Struct.by_name:
            raise TypeError(f"two structures are called {name}")
        cls._check_rows()
        Struct.by_name[name] = cls

    @classmethod
    def _check_rows(cls) -> None:
        """Refuse rows outside the structure, rows that overlap unconditionally and illegal defaults."""
        taken = 0
        for row in cls.rows.values():
            if row.mask >> (cls.dwords * DWORD):
                raise TypeError(f"{cls.name}.{row.name} ({row.bits}) lies outside {cls.dwords} dwords")
            if row.unconditional:
                if taken & row.mask:
                    raise TypeError(f"{cls.name}.{row.name} ({row.bits}) overlaps another field")
                taken |= row.mask
            row.with_default(0, max(cls.since, row.since))

    def __init__(self, *, generation: float | None = None, **values: object) -> None:
        self._set(0, type(self).dwords, generation)
        self._know(values)
        object.__setattr__(self, "_image", self._default())
        for row in self.rows.values():
            if row.when is None and row.name in values:
                self._store(row, values[row.name])
        for row in self.rows.values():
            if row.when is None:
                continue
            if row.name in values:
                self._store(row, values[row.name])
            elif row.active(self):
                object.__setattr__(self, "_image", row.with_default(self._image, self._generation))

    def _know(self, values: Iterable[str]) -> None:
        unknown = set(values) - self.rows.keys()
        if unknown:
            raise StateError(f"{self.name} has no field {', '.join(sorted(unknown))}; fields: {', '.join(self.rows)}")

    def _store(self, row: Row[Any], value: object) -> None:
        self.require(row)
        object.__setattr__(self, "_image", row.store(self._image, value, self._generation))

    def _default(self) -> int:
        """Defaults of all rows that need no condition: what every state begins with."""
        image = self._defaults.get(self._generation)
        if image is None:
            image = 0
            for row in self.rows.values():
                if row.when is None and row.active(self):
                    image = row.with_default(image, self._generation)
            self._defaults[self._generation] = image
        return image

    def _set(self, image: int, dword_count: int, generation: float | None) -> None:
        if generation is None:
            generation = min(max(7, type(self).since), type(self).until)
        if not type(self).since <= generation <= type(self).until:
            later = self.until == Row.FOREVER
            span = f"generation {self.since:g} and later" if later else f"generations {self.since:g} to {self.until:g}"
            raise StateError(f"{self.name} exists on {span}, not on generation {generation:g}")
        check_generation(generation)
        object.__setattr__(self, "_generation", generation)
        object.__setattr__(self, "_dword_count", dword_count)
        object.__setattr__(self, "_image", image)

    @classmethod
    def unpack(cls, data: Buffer, *, strict: bool = True, generation: float | None = None) -> Self:
        """Read the structure from little-endian bytes; StateError for wrong sizes or (strict) contents."""
        state = cls.__new__(cls)
        try:
            raw = bytes(memoryview(data))
        except TypeError:
            raise StateError(f"{cls.name} is read from bytes, found {type(data).__name__}") from None
        cls._check_size(len(raw))
        state._set(int.from_bytes(raw, "little"), len(raw) // 4, generation)
        if strict:
            state.check()
        object.__setattr__(state, "is_settled", True)
        return state

    @classmethod
    def _check_size(cls, size: int) -> None:
        if size != cls.dwords * 4:
            raise StateError(f"{cls.name} has {cls.dwords} dwords ({cls.dwords * 4} bytes), found {size} bytes")

    @classmethod
    def from_dwords(cls, values: Iterable[int], *, strict: bool = True, generation: float | None = None) -> Self:
        """Read the structure from 32-bit unsigned integers; as `unpack`."""
        dwords = list(values)
        for i, value in enumerate(dwords):
            if not 0 <= value < 1 << DWORD:
                raise StateError(f"{cls.name} DW{i}: {value:#x} is no 32-bit value")
        return cls.unpack(b"".join(v.to_bytes(4, "little") for v in dwords), strict=strict, generation=generation)

    def check(self) -> None:
        """Raise StateError if a reserved bit is set or a field holds an illegal code."""
        checked, owned, conditional = self._plan(self._generation)
        for row in checked:
            row.check(self._image, self._generation)
        for row in conditional:
            if row.active(self):
                row.check(self._image, self._generation)
                owned |= row.mask
        fixed_part = (1 << (self.dwords * DWORD)) - 1
        reserved = 0 if self.ignores_rest else self._image & fixed_part & ~owned
        for i in range(self.dwords if reserved else 0):
            extra = reserved >> (i * DWORD) & 0xFFFFFFFF
            if extra:
                high, low = extra.bit_length() - 1, (extra & -extra).bit_length() - 1
                raise StateError(
                    f"{self.name}.reserved (DW{i} {high}:{low}): holds {extra >> low:#x} (dword & {extra:#010x}); "
                    "legal: reserved bits must be zero"
                )

    @classmethod
    def _plan(cls, generation: float) -> tuple[list[Row[Any]], int, list[Row[Any]]]:
        """Return rows to check always, the bits of every unconditional row, and rows to check if they exist."""
        if generation not in cls._plans:
            present = [row for row in cls.rows.values() if row.since <= generation <= row.until]
            always = [row for row in present if row.when is None]
            owned = 0
            for row in always:
                owned |= row.mask
            checked = [row for row in always if row.has_illegal_codes]
            cls._plans[generation] = checked, owned, [row for row in present if row.when is not None]
        return cls._plans[generation]

    def pack(self) -> bytes:
        """Return the little-endian bytes."""
        return self._image.to_bytes(self._dword_count * 4, "little")

    def to_dwords(self) -> tuple[int, ...]:
        """Return the dwords as unsigned integers."""
        return tuple(self._image >> (i * DWORD) & 0xFFFFFFFF for i in range(self._dword_count))

    def replace(self, **values: object) -> Self:
        """Return a copy with fields changed; every other bit, reserved ones included, is kept."""
        copy = type(self).__new__(type(self))
        copy._set(self._image, self._dword_count, self._generation)
        self._know(values)
        for name in sorted(values, key=lambda n: self.rows[n].when is not None):
            copy._store(self.rows[name], values[name])
        return copy

    @property
    def image(self) -> int:
        """All dwords as one integer, dword 0 least significant."""
        return self._image

    @property
    def generation(self) -> float:
        """The generation the bits are read for."""
        return self._generation

    def require(self, row: Row[Any]) -> None:
        """Raise StateError if `row` does not exist in this state (another variant or another generation)."""
        if row.active(self):
            return
        condition = row.when.text if row.when else f"generation {row.since:g} to {row.until:g}"
        raise StateError(f"{self.name}.{row.name} ({row.bits}): does not exist here; legal: {condition}")

    def code(self, name: str) -> int:
        """Raw unsigned bits of one `Field`."""
        row = self.rows.get(name)
        if not isinstance(row, Field):
            raise StateError(f"{self.name} has no single field {name}")
        self.require(row)
        return row.code(self._image)

    def values(self) -> dict[str, Any]:
        """Return every field that exists in this state, in the order of the rows."""
        return {row.name: row.value(self._image) for row in self.rows.values() if row.active(self)}

    def arguments(self) -> dict[str, Any]:
        """Return the keyword arguments that build this state again (its reserved bits and NaN payloads excepted)."""
        return self.values()

    def changed(self) -> dict[str, Any]:
        """Return those of `arguments` that differ from the defaults."""
        default = type(self)(generation=self._generation).arguments()
        return {name: value for name, value in self.arguments().items() if repr(default.get(name)) != repr(value)}

    def diff(self, other: Self) -> dict[str, tuple[Any, Any]]:
        """Return fields whose values differ: name -> (here, there); None where the field does not exist."""
        here, there = self.values(), other.values()
        return {
            name: (here.get(name), there.get(name))
            for name in self.rows
            if repr(here.get(name)) != repr(there.get(name))
        }

    @classmethod
    def describe(cls) -> list[tuple[str, str, str, str, str]]:
        """Return the documentation table: (bits, name, kind, legal values, text) of every row."""
        return [(row.bits, row.name, row.kind.label, row.limits(), row.text()) for row in cls.rows.values()]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{self.name} is immutable: use replace({name}=…)")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Struct):
            return NotImplemented
        same = self._image == other._image and self._dword_count == other._dword_count
        return type(self) is type(other) and same

    def __hash__(self) -> int:
        return hash((type(self), self._dword_count, self._image))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self).__module__, self.name, self._image, self._dword_count, self._generation)

    def __repr__(self) -> str:
        arguments = [f"{name}={_show(value)}" for name, value in self.changed().items()]
        tail = [] if self._generation == type(self)().generation else [f"generation={self._generation:g}"]
        try:
            exact = type(self)(generation=self._generation, **self.arguments()) == self
        except StateError:
            exact = False
        if exact:
            return f"{type(self).__name__}({', '.join(arguments + tail)})"
        dwords = ", ".join(f"{dword:#010x}" for dword in self.to_dwords())
        return f"{type(self).__name__}.from_dwords([{dwords}], {', '.join(['strict=False', *tail])})"

    def _repr_html_(self) -> str:
        """For notebooks: all fields; those that differ from their defaults stand out."""
        values, changed = self.values(), self.changed()
        found = [
            (row.bits, name, as_text(values[name]), row.text()) for name, row in self.rows.items() if name in values
        ]
        strong = [number for number, (_, name, *_) in enumerate(found) if name in changed]
        return table(self.name, ("bits", "field", "value", "meaning"), found, strong)


def _restored(module: str, name: str, image: int, dword_count: int, generation: float) -> Struct:
    """A state that was pickled: classes made in a loop have no name in their module."""
    import_module(module)
    kind = Struct.by_name[name]
    made = kind.__new__(kind)
    made._set(image, dword_count, generation)
    return made


def _show(value: object) -> str:
    return repr(value.name) if hasattr(value, "note") and hasattr(value, "name") else repr(value)
