"""Rows of a hardware structure: one `Field` (or `Array`) per line of the manual's table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self, TypeVar, overload

from texsamp.cached import cached_property
from texsamp.errors import StateError
from texsamp.state.kinds import Enumeration, Kind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from texsamp.state.base import Struct

T = TypeVar("T")
Legal = tuple[Any, Any] | frozenset[Any] | None
DWORD = 32


class When(NamedTuple):
    """Condition under which a row exists, for structures whose bits change meaning with another field."""

    text: str
    holds: Callable[[Any], bool]


class Piece(NamedTuple):
    """A run of bits: offset from bit 0 of dword 0, and width."""

    offset: int
    width: int

    def __str__(self) -> str:
        dword, low = divmod(self.offset, DWORD)
        high = low + self.width - 1
        return f"DW{dword} {high}" if self.width == 1 else f"DW{dword} {high}:{low}"


class Row(Generic[T]):
    """What `Field` and `Array` share: a place, a kind, a doc line, a default, a legal set and a generation span.

    dword, high, low: the bits, as the manual prints them; `high` may pass 31 when the field runs into later dwords.
    legal: inclusive (lowest, highest) or a frozenset, in values; the kind's own limits hold in any case.
    more: further (dword, high, low) runs, less significant first, for fields torn over the structure.
    when: the condition under which these bits are this field. since/until: generations (7 Ivy Bridge, 7.5 Haswell).
    """

    FOREVER: ClassVar[float] = 99

    name: str = ""
    struct_name: str = ""

    def __init__(
        self,
        dword: int,
        high: int,
        low: int,
        kind: Kind[T],
        doc: str,
        default: object = None,
        legal: Legal = None,
        *,
        more: tuple[tuple[int, int, int], ...] = (),
        when: When | None = None,
        since: float = 0,
        until: float = FOREVER,
    ) -> None:
        self.pieces = tuple(Piece(d * DWORD + lo, hi - lo + 1) for d, hi, lo in ((dword, high, low), *more))
        self.low = low
        self.width = sum(piece.width for piece in self.pieces)
        kind.check_width(self.width)
        self.kind, self.doc, self.default, self.legal = kind, doc, default, legal
        self.when, self.since, self.until = when, since, until

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def in_dword(self, dword: int) -> Self:
        """The same bits of another dword."""
        moved = copy(self)
        for computed in ("bits", "mask", "_run"):
            moved.__dict__.pop(computed, None)
        moved.pieces = tuple(Piece(dword * DWORD + piece.offset % DWORD, piece.width) for piece in self.pieces)
        return moved

    @property
    def place(self) -> tuple[int, int]:
        """Dwords first, and in each the highest bits, as the manual prints them."""
        lowest = (self.mask & -self.mask).bit_length() - 1
        return lowest // DWORD, -(lowest % DWORD)

    @cached_property
    def bits(self) -> str:
        """The place as the manual prints it, for example `DW2 31:28`."""
        return " + ".join(str(piece) for piece in reversed(self.pieces))

    def active(self, state: Struct) -> bool:
        """Whether these bits are this field in `state`."""
        if not self.since <= state.generation <= self.until:
            return False
        return self.when is None or self.when.holds(state)

    @cached_property
    def unconditional(self) -> bool:
        """Whether the row exists in every state and on every generation."""
        return self.when is None and self.since == 0 and self.until == self.FOREVER

    @property
    def has_illegal_codes(self) -> bool:
        """Whether some code of the row's bits is illegal."""
        return self.legal is not None or isinstance(self.kind, Enumeration)

    @cached_property
    def mask(self) -> int:
        """Every bit the row owns, as a mask over the structure's image."""
        mask = 0
        for piece in self.runs():
            mask |= ((1 << piece.width) - 1) << piece.offset
        return mask

    def runs(self) -> Iterator[Piece]:
        """Every run of bits the row owns."""
        raise NotImplementedError

    def value(self, image: int) -> Any:
        """Value in the structure's image, its dwords as one little-endian integer."""
        raise NotImplementedError

    def store(self, image: int, value: object, generation: float) -> int:
        """Return the image with `value` stored; StateError if it is not legal."""
        raise NotImplementedError

    def with_default(self, image: int, generation: float) -> int:
        """Return the image with the documented default stored (code 0 where the manual names none)."""
        raise NotImplementedError

    def check(self, image: int, generation: float) -> None:
        """Raise StateError if the code in the image is not legal."""
        raise NotImplementedError

    def text(self) -> str:
        """Return the doc line with the conditions under which the row exists."""
        notes = [self.when.text] if self.when else []
        if self.since:
            notes.append(f"generation {self.since:g} and later")
        if self.until != self.FOREVER:
            notes.append(f"up to generation {self.until:g}")
        return f"{self.doc} ({'; '.join(notes)})" if notes else self.doc

    def limits(self) -> str:
        """Legal values in words."""
        return self._limits(self.legal)

    def _limits(self, legal: Legal) -> str:
        if isinstance(legal, frozenset):
            return "one of " + ", ".join(map(str, sorted(legal)))
        if legal is not None:
            return f"{legal[0]}..{legal[1]}"
        return self.kind.limits(self.width, self.low)

    def _complain(self, what: str, bits: str, legal: Legal) -> StateError:
        return StateError(f"{self.struct_name}.{self.name} ({bits}): {what}; legal: {self._limits(legal)}")

    def _encode(self, value: object, legal: Legal, bits: str, generation: float) -> int:
        try:
            code = self.kind.encode(value, self.width, self.low)
        except (TypeError, ValueError, ArithmeticError):
            raise self._complain(f"{value!r} cannot be stored", bits, legal) from None
        self._check_code(code, legal, bits, generation)
        return code

    def _check_code(self, code: int, legal: Legal, bits: str, generation: float) -> None:
        value = self.kind.decode(code, self.width, self.low)
        if isinstance(self.kind, Enumeration):
            if code not in self.kind.by_code:
                raise self._complain(f"code {code} is reserved", bits, legal)
            member = self.kind.by_code[code]
            if generation < member.since:
                raise self._complain(f"{member.name} ({code}) needs generation {member.since:g}", bits, legal)
        inside = value in legal if isinstance(legal, frozenset) else legal is None or legal[0] <= value <= legal[1]
        if not inside:
            raise self._complain(f"{value} (code {code:#x}) is out of range", bits, legal)

    @cached_property
    def _run(self) -> tuple[int, int] | None:
        """Offset and mask of bits that lie together; None for those that do not."""
        return (self.pieces[0].offset, (1 << self.width) - 1) if len(self.pieces) == 1 else None

    def _read(self, image: int, offset: int = 0) -> int:
        if self._run is not None:
            return image >> (self._run[0] + offset) & self._run[1]
        code = shift = 0
        for piece in self.pieces:
            code |= (image >> (piece.offset + offset) & ((1 << piece.width) - 1)) << shift
            shift += piece.width
        return code

    def _write(self, image: int, code: int, offset: int = 0) -> int:
        for piece in self.pieces:
            mask = (1 << piece.width) - 1
            image = image & ~(mask << (piece.offset + offset)) | (code & mask) << (piece.offset + offset)
            code >>= piece.width
        return image


class Field(Row[T]):
    """One field: `name = Field(dword, high, low, kind, doc, default, legal)`; reading it gives a value of the kind."""

    @overload
    def __get__(self, state: None, owner: type) -> Self: ...
    @overload
    def __get__(self, state: Struct, owner: type) -> T: ...
    def __get__(self, state: Struct | None, owner: type) -> Self | T:
        if state is None:
            return self
        if not self.unconditional:
            state.require(self)
        value = self.value(state.image)
        if state.is_settled:
            state.__dict__[self.name] = value  # where Python looks before it comes here
        return value

    def runs(self) -> Iterator[Piece]:
        """See Row."""
        yield from self.pieces

    def code(self, image: int) -> int:
        """Raw unsigned bits of the field."""
        return self._read(image)

    def codes(self, rows: NDArray[np.uint32]) -> NDArray[np.int64]:
        """The same of many structures, (n, dwords), for a field that lies in one dword."""
        (piece,) = self.pieces
        dword, low = divmod(piece.offset, 32)
        return (rows[:, dword] >> low & (1 << piece.width) - 1).astype("i8")

    def value(self, image: int) -> T:
        """See Row."""
        return self.kind.decode(self._read(image), self.width, self.low)

    def store(self, image: int, value: object, generation: float) -> int:
        """See Row."""
        return self._write(image, self._encode(value, self.legal, self.bits, generation))

    def with_default(self, image: int, generation: float) -> int:
        """See Row."""
        default = self.kind.decode(0, self.width, self.low) if self.default is None else self.default
        return self.store(image, default, generation)

    def check(self, image: int, generation: float) -> None:
        """See Row."""
        self._check_code(self._read(image), self.legal, self.bits, generation)


class Axis(NamedTuple):
    """One dimension of an `Array`: number of elements and distance between neighbours in bits."""

    length: int
    stride: int


class Array(Row[T]):
    """Equally spaced elements of one kind; reading gives nested tuples, outermost axis first.

    dword, high, low and `kind` describe element [0, …, 0]. `default` is one element's value, or a nested tuple of all.
    legal: for every element, or a list with one entry per element of the last axis.
    """

    def __init__(
        self,
        dword: int,
        high: int,
        low: int,
        kind: Kind[T],
        doc: str,
        axes: tuple[Axis, ...],
        default: object = None,
        legal: Legal | list[Legal] = None,
        *,
        when: When | None = None,
        since: float = 0,
        until: float = Row.FOREVER,
    ) -> None:
        shared = None if isinstance(legal, list) else legal
        super().__init__(dword, high, low, kind, doc, default, shared, when=when, since=since, until=until)
        self.axes = axes
        self.shape = tuple(axis.length for axis in axes)
        self.last_axis_legal = legal if isinstance(legal, list) else None

    @overload
    def __get__(self, state: None, owner: type) -> Self: ...
    @overload
    def __get__(self, state: Struct, owner: type) -> tuple[Any, ...]: ...
    def __get__(self, state: Struct | None, owner: type) -> Self | tuple[Any, ...]:
        if state is None:
            return self
        state.require(self)
        return self.value(state.image)

    def _offset(self, index: tuple[int, ...]) -> int:
        return sum(i * axis.stride for i, axis in zip(index, self.axes, strict=True))

    @cached_property
    def _elements(self) -> tuple[tuple[tuple[int, ...], int], ...]:
        """Of every element its index, and how many bits behind the first it begins; last axis fastest."""
        return tuple((index, self._offset(index)) for index in product(*(range(count) for count in self.shape)))

    @property
    def has_illegal_codes(self) -> bool:
        """See Row."""
        return self.last_axis_legal is not None or super().has_illegal_codes

    def runs(self) -> Iterator[Piece]:
        """See Row."""
        for _, offset in self._elements:
            yield Piece(self.pieces[0].offset + offset, self.width)

    def codes(self, image: int) -> list[int]:
        """Raw unsigned bits of every element, last axis fastest."""
        return [self._read(image, offset) for _, offset in self._elements]

    def value(self, image: int) -> tuple[Any, ...]:
        """See Row."""
        flat: list[Any] = [self.kind.decode(code, self.width, self.low) for code in self.codes(image)]
        for count in reversed(self.shape):
            flat = [tuple(flat[i : i + count]) for i in range(0, len(flat), count)]
        nested: tuple[Any, ...] = flat[0]
        return nested

    def store(self, image: int, value: object, generation: float) -> int:
        """See Row; `value` is a nested iterable (a numpy array, for example) or comma-separated text."""
        flat = self._flatten(value)
        for (index, offset), element in zip(self._elements, flat, strict=True):
            code = self._encode(element, self._legal(index), self._element_bits(index, offset), generation)
            image = self._write(image, code, offset)
        return image

    def with_default(self, image: int, generation: float) -> int:
        """See Row."""
        if isinstance(self.default, tuple):
            return self.store(image, self.default, generation)
        default = self.kind.decode(0, self.width, self.low) if self.default is None else self.default
        for index, offset in self._elements:
            image = self._write(image, self._encode(default, self._legal(index), self.bits, generation), offset)
        return image

    def check(self, image: int, generation: float) -> None:
        """See Row."""
        for index, offset in self._elements:
            self._check_code(
                self._read(image, offset), self._legal(index), self._element_bits(index, offset), generation
            )

    def _legal(self, index: tuple[int, ...]) -> Legal:
        return self.last_axis_legal[index[-1]] if self.last_axis_legal else self.legal

    def _element_bits(self, index: tuple[int, ...], offset: int) -> str:
        place = Piece(self.pieces[0].offset + offset, self.width)
        return f"[{', '.join(map(str, index))}] {place}"

    def _flatten(self, value: object) -> list[Any]:
        if isinstance(value, str):
            flat: list[Any] = [part.strip() for part in value.split(",")]
            self._check_count(flat, prod(self.shape))
            return flat
        flat = [value]
        for count in self.shape:
            groups = [list(group) if isinstance(group, Iterable) else [] for group in flat]
            for group in groups:
                self._check_count(group, count)
            flat = [element for group in groups for element in group]
        return flat

    def _check_count(self, elements: list[Any], count: int) -> None:
        if len(elements) != count:
            shape = " x ".join(map(str, self.shape))
            found = f"found {len(elements)} where {count} are needed"
            raise StateError(f"{self.struct_name}.{self.name} ({self.bits}): holds {shape} elements, {found}")


class Listed(Array[T]):
    """An `Array` whose last axis is a list of places (dword, high, low), for values the manual scatters over dwords.

    Further axes, if any, come first and repeat the whole list at their stride.
    """

    def __init__(
        self,
        places: tuple[tuple[int, int, int], ...],
        kind: Kind[T],
        doc: str,
        default: object = None,
        legal: Legal = None,
        axes: tuple[Axis, ...] = (),
    ) -> None:
        super().__init__(*places[0], kind, doc, axes, default, legal)
        if any(high - low + 1 != self.width for _, high, low in places):
            raise TypeError(f"elements of one row need one width: {places}")
        first = self.pieces[0].offset
        self._places = [dword * DWORD + low - first for dword, _, low in places]
        self.shape = (*self.shape, len(places))

    def _offset(self, index: tuple[int, ...]) -> int:
        outer = sum(i * axis.stride for i, axis in zip(index, self.axes, strict=False))
        return outer + self._places[index[-1]]
