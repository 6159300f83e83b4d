"""Kernel parameter structs as numpy dtypes, read from the headers in `kernels/`, which alone declare them.

A test holds every one of them against the compiled `offsetof`s of its struct.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from struct import Struct
from struct import error as StructError  # noqa: N812 - a class
from typing import Any, cast

import numpy as np

from texsamp.cached import cached_property
from texsamp.device.sources import kernel_headers

_POINTER = np.dtype("<u8", metadata={"points": True})
_SCALARS = {
    **{"s8": "<i1", "u8": "<u1", "s16": "<i2", "u16": "<u2", "s32": "<i4", "u32": "<u4", "s64": "<i8", "u64": "<u8"},
    **{"float": "<f4"},
}
_STRUCT = re.compile(r"\nstruct (\w+) \{\n(.*?)\n\};", re.DOTALL)
_DECLARATION = re.compile(r"\s*(?:const\s+)?(\w+)\b(.+)", re.DOTALL)
_DECLARATOR = re.compile(r"\s*(\*?)\s*(\w+)((?:\[\w+\])*)\s*")
_ENUM = re.compile(r"enum(?: \w+)? \{([^}]*)\}")
_CONSTANT = re.compile(r"\b([A-Z]\w*) = (-?\d+)\s*(?:,|$)")
_FORMS = {"i": {1: "b", 2: "h", 4: "i", 8: "q"}, "u": {1: "B", 2: "H", 4: "I", 8: "Q"}, "f": {4: "f"}}
PADDING = "pad_"
"""Name of a field that fills a gap: always 0."""


@cache
def _structs() -> dict[str, str]:
    """Struct to the text of its members, without comments."""
    return {name: re.sub(r"//.*", "", body) for name, body in _STRUCT.findall(kernel_headers())}


@cache
def _constants() -> dict[str, int]:
    enums = _ENUM.findall(kernel_headers())  # which takes a tenth of the time of constants sought everywhere
    return {name: int(value) for enum in enums for name, value in _CONSTANT.findall(enum)}


def _size(text: str) -> int:
    return int(text) if text.isdecimal() else _constants()[text]


def constant(name: str) -> int:
    """A constant of the kernels' headers. Raises LookupError if there is none."""
    return _constants()[name]


@cache
def struct_dtype(struct: str) -> np.dtype[Any]:
    """The dtype of a struct of the kernels' headers, with C's alignment. Raises LookupError if there is none."""
    if struct not in _structs():
        raise LookupError(f"kernels/*.h declare no struct {struct}")
    fields = []
    for declaration in _structs()[struct].split(";")[:-1]:
        kind, declarators = cast(re.Match[str], _DECLARATION.fullmatch(declaration)).groups()
        for declarator in declarators.split(","):
            star, name, sizes = cast(re.Match[str], _DECLARATOR.fullmatch(declarator)).groups()
            dtype: Any = _POINTER if star else _SCALARS[kind] if kind in _SCALARS else struct_dtype(kind)
            fields.append((name, dtype, tuple(_size(size) for size in re.findall(r"\w+", sizes))))
    return np.dtype(fields, align=True)


_known_places: dict[int, tuple[np.dtype[Any], tuple[int, ...]]] = {}


def pointer_places_B(dtype: np.dtype[Any]) -> tuple[int, ...]:  # noqa: N802 - the unit
    """At which bytes of a struct of the kernels' headers pointers lie."""
    known = _known_places.get(id(dtype))  # dtypes that differ in their pointers alone are equal
    if known is None:
        known = _known_places[id(dtype)] = dtype, tuple(_pointers(dtype))
    return known[1]


def _pointers(dtype: np.dtype[Any], begin: int = 0) -> Iterator[int]:
    count, base = math.prod(dtype.shape), dtype.base
    for at in range(begin, begin + count * base.itemsize, base.itemsize):
        if base.metadata is not None:  # as only `_POINTER` has some
            yield at
        for field, offset, *_ in (base.fields or {}).values():
            yield from _pointers(field, at + offset)


@dataclass(frozen=True)
class _Packing:
    """How a struct is packed in a third of the time that NumPy takes from field to field.

    ``values`` gets the fields out of a dict; ``kinds`` has of every one how many numbers it holds in a row: 0 is one by
    itself, and -1 bytes. Next to that, of rows how many there are, and of bytes how many. None if all are numbers.
    """

    form: Struct
    values: Callable[[Mapping[str, Any]], tuple[Any, ...]]
    kinds: tuple[tuple[int, int], ...] | None

    def packed(self, values: tuple[Any, ...]) -> bytes | None:
        """The struct; None for values that only NumPy knows how to take."""
        try:
            numbers = values if self.kinds is None else self._numbers(values, self.kinds)
            return None if numbers is None else self.form.pack(*numbers)
        except (TypeError, ValueError, OverflowError, StructError):
            return None

    @staticmethod
    def _numbers(values: tuple[Any, ...], kinds: tuple[tuple[int, int], ...]) -> list[Any] | None:
        numbers: list[Any] = []
        for value, (count, rows) in zip(values, kinds, strict=True):
            if not count:
                numbers.append(value)
            elif count < 0:
                if not isinstance(value, (bytes, tuple, list)) or len(value) != rows:
                    return None
                numbers.append(bytes(value))
            else:
                for row in value if rows else (value,):
                    numbers.extend(row)
                    if len(row) != count:
                        return None
                if rows and len(value) != rows:
                    return None
        return numbers


def _packing_of(dtype: np.dtype[Any], left_out: str | None = PADDING) -> _Packing | None:
    """None for a struct in which they are nested deeper. What fills a gap is given for those within a struct."""
    form, names, kinds, end = "<", [], [], 0
    for name, (field, offset, *_) in (dtype.fields or {}).items():
        if name == left_out:
            continue
        base, shape = field.base, field.shape
        form += "x" * (offset - end)
        end = offset + field.itemsize
        names.append(name)
        if base.names:
            inner = _packing_of(base, left_out=None)
            if inner is None or len(shape) > 1 or inner.kinds is not None:
                return None
            form += inner.form.format[1:] * (shape[0] if shape else 1)
            kinds.append((len(base.names), shape[0] if shape else 0))
        elif len(shape) > 1:
            return None
        elif shape and base == np.uint8:
            form += f"{shape[0]}s"
            kinds.append((-1, shape[0]))
        else:
            form += _FORMS[base.kind][base.itemsize] * (shape[0] if shape else 1)
            kinds.append((shape[0] if shape else 0, 0))
    values = itemgetter(*names) if len(names) > 1 else lambda values: (values[names[0]],)
    plain = not any(count for count, _ in kinds)
    return _Packing(Struct(form + "x" * (dtype.itemsize - end)), values, None if plain else tuple(kinds))


@dataclass(frozen=True)
class ParamsType:
    """A parameter struct: its C name and its numpy dtype."""

    struct: str
    dtype: np.dtype[Any]

    def __call__(self, **values: Any) -> np.void:
        """A structured scalar with every field set. Raises TypeError for a missing or unknown field."""
        if values.keys() != self._names:
            raise TypeError(f"{self.struct} takes {sorted(self._names)}, found {sorted(values)}")
        packing = self._packing
        data = None if packing is None else packing.packed(packing.values(values))
        if data is not None:
            return _of_bytes(data, self.dtype)
        values[PADDING] = 0
        record = np.zeros((), self.dtype)
        record[()] = tuple(map(values.__getitem__, self.dtype.names or ()))
        return cast(np.void, record[()])

    def of_numbers(self, values: dict[str, int]) -> np.void:
        """The same of a struct of numbers alone, whose fields are all given in its order: in a fourth of the time."""
        return _of_bytes(self._form.pack(*values.values()), self.dtype)

    @cached_property
    def _form(self) -> Struct:
        kinds = [self.dtype[name] for name in self.dtype.names or ()]
        form = Struct("<" + "".join(_FORMS[kind.kind][kind.itemsize] for kind in kinds))
        assert form.size == self.dtype.itemsize, f"{self.struct} has gaps"
        return form

    @cached_property
    def _packing(self) -> _Packing | None:
        return _packing_of(self.dtype)

    def zeros(self) -> np.void:
        """A structured scalar of zeros."""
        return _of_bytes(bytes(self.dtype.itemsize), self.dtype)

    def of_parts(self, *parts: np.void) -> np.void:
        """A structured scalar of all its members, which are structs and lie side by side."""
        return _of_bytes(b"".join(part.tobytes() for part in parts), self.dtype)

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self.dtype.names or ()) - {PADDING}


def copied(record: np.void) -> np.void:
    """A copy to be changed. NumPy's own goes from field to field, and takes twenty times as long."""
    return _of_bytes(record.tobytes(), record.dtype)


def _of_bytes(data: bytes, dtype: np.dtype[Any]) -> np.void:
    return cast(np.void, np.frombuffer(bytearray(data), dtype)[0])


def params_type(struct: str) -> ParamsType:
    """The type of a struct that the kernels' headers declare. Raises LookupError."""
    return ParamsType(struct, struct_dtype(struct))
