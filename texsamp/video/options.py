"""What an option of a filter may be: how its text becomes a value, and how to say what is legal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Protocol, TypeVar

from texsamp.device.arguments import is_integer, is_real
from texsamp.errors import StateError

_Value = TypeVar("_Value")
_GRAMMAR = ",:='\" \\"
"""Letters of the filter grammar, which names of files have only in quotes."""


class Kind(Protocol):
    """The type of an option."""

    @property
    def legal(self) -> str:
        """What values are legal, to follow "must be"."""

    def accepts(self, value: Any) -> bool:
        """Whether a value is legal."""

    def parse(self, text: str) -> Any:
        """The value of a text. Raises ValueError if it is not legal."""

    def format(self, value: Any) -> str:
        """The text of a value."""


@dataclass(frozen=True)
class Integer:
    """An integer from ``low`` to ``high``, or one of ``special``, whose meaning ``special_doc`` tells."""

    low: int
    high: int
    special: tuple[int, ...] = ()
    special_doc: str = ""

    @property
    def legal(self) -> str:
        """Range and special values."""
        text = f"an integer from {self.low} to {self.high}"
        return f"{text}, or {' or '.join(map(str, self.special))} ({self.special_doc})" if self.special else text

    def accepts(self, value: Any) -> bool:
        """Whether it is such an integer, of Python or numpy."""
        return is_integer(value) and (self.low <= int(value) <= self.high or int(value) in self.special)

    def parse(self, text: str) -> int:
        """Decimal integer."""
        return _legal(self, text, int(text) if re.fullmatch(r"[+-]?[0-9]{1,9}", text) else None)

    def format(self, value: int) -> str:
        """Decimal integer."""
        return str(value)


@dataclass(frozen=True)
class Real:
    """A number in [low, high), or [low, high] if ``closed``."""

    low: float
    high: float
    closed: bool = False

    @property
    def legal(self) -> str:
        """Range."""
        return f"a number from {self.low:g} to {'' if self.closed else 'below '}{self.high:g}"

    def accepts(self, value: Any) -> bool:
        """Whether it is a number in the range."""
        return is_real(value) and (self.low <= value < self.high or (self.closed and value == self.high))

    def parse(self, text: str) -> float:
        """Decimal number."""
        is_number = re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", text)
        return _legal(self, text, float(text) if is_number else None)

    def format(self, value: float) -> str:
        """Shortest decimal number that reads back the same."""
        return repr(float(value)).removesuffix(".0")


@dataclass(frozen=True)
class Choice:
    """One of a few names."""

    names: tuple[str, ...]

    @property
    def legal(self) -> str:
        """The names."""
        return f"one of {', '.join(self.names)}"

    def accepts(self, value: Any) -> bool:
        """Whether it is one of the names."""
        return isinstance(value, str) and value in self.names

    def parse(self, text: str) -> str:
        """The name itself."""
        return _legal(self, text, text)

    def format(self, value: str) -> str:
        """The name itself."""
        return value


@dataclass(frozen=True)
class FileName:
    """The name of a file that ends in ``suffix``, in any case."""

    suffix: str

    @property
    def legal(self) -> str:
        """How it ends."""
        return f"the name of a {self.suffix} file"

    def accepts(self, value: Any) -> bool:
        """Whether it ends so."""
        return isinstance(value, str) and value.lower().endswith(self.suffix)

    def parse(self, text: str) -> str:
        """The name itself."""
        return _legal(self, text, text)

    def format(self, value: str) -> str:
        """The name, in quotes where the grammar would take it apart."""
        if not set(value) & set(_GRAMMAR):
            return value
        quote = '"' if "'" in value else "'"
        return f"{quote}{value}{quote}"


@dataclass(frozen=True)
class Either:
    """A name, or something else: an integer, or another choice of the two."""

    name: str
    other: Kind

    @property
    def legal(self) -> str:
        """The name and what else."""
        return f"{self.name} or {self.other.legal}"

    def accepts(self, value: Any) -> bool:
        """Whether it is the name or the other accepts it."""
        return (isinstance(value, str) and value == self.name) or self.other.accepts(value)

    def parse(self, text: str) -> Any:
        """The name itself, or the other's value."""
        return text if text == self.name else self.other.parse(text)

    def format(self, value: Any) -> str:
        """The name itself, or the other's text."""
        return str(value) if value == self.name else self.other.format(value)


@dataclass(frozen=True)
class Renamed:
    """What ``kind`` is, one of whose names was ``old`` once and is ``new`` now."""

    kind: Kind
    old: str
    new: str

    @property
    def legal(self) -> str:
        """As the kind has it."""
        return self.kind.legal

    def accepts(self, value: Any) -> bool:
        """Whether the kind does."""
        return self.kind.accepts(value)

    def parse(self, text: str) -> Any:
        """The kind's value."""
        return self.kind.parse(text)

    def format(self, value: Any) -> str:
        """The kind's text."""
        return self.kind.format(value)


Kinds = Mapping[str, Kind]
"""Options of a filter by key."""


def _legal(kind: Kind, text: str, value: _Value | None) -> _Value:
    if value is None or not kind.accepts(value):
        raise ValueError(text)
    return value


def check(name: str, kinds: Kinds, **values: object) -> None:
    """Raise StateError for the first option of filter `name` whose value its kind does not accept."""
    for option, value in values.items():
        if not kinds[option].accepts(value):
            hint = new_name(kinds[option], value)
            raise StateError(f"{name} {option} must be {kinds[option].legal}, found {value!r}{hint}")


def new_name(kind: Kind, found: object) -> str:
    """A hint to end a message with, where what was found is an old name."""
    if not isinstance(kind, Renamed) or not isinstance(found, str) or found != kind.old:
        return ""
    return f" (which is {kind.new} now)"


def did_you_mean(found: str, known: Iterable[str]) -> str:
    """A hint to end a message with: the known name closest to what was found, or nothing if none is close."""
    close = get_close_matches(found.lower(), list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
