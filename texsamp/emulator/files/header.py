"""The header of a capture file: JSON whose every entry is checked before it is used."""

from __future__ import annotations

import json
import math
import reprlib
from dataclasses import dataclass
from typing import Any, NoReturn, Self

from texsamp.errors import CaptureError

DEEPEST_NESTING = 32
"""Levels of arrays and objects a header may nest; real ones have 5."""


@dataclass(frozen=True, slots=True)
class Entries:
    """An object of the header; reading an entry that is missing or of the wrong type is a CaptureError."""

    values: dict[str, Any]
    name: str

    @classmethod
    def parse(cls, text: bytes, name: str) -> Self:
        """Read the header of the file `name`; CaptureError if it is no JSON object or nests too deeply."""
        try:
            values = json.loads(text.decode(), parse_constant=_refuse_number, parse_float=_finite)
        except RecursionError:
            raise CaptureError(f"{name}: the header nests deeper than {DEEPEST_NESTING} levels") from None
        except ValueError as error:
            raise CaptureError(f"{name}: the header is no JSON: {error}") from None
        if not isinstance(values, dict):
            raise CaptureError(f"{name}: the header is no JSON object")
        _check_nesting(values, name)
        return cls(values, name)

    def integer(self, key: str) -> int:
        """Whole number of any sign, at most 64 bits."""
        value = self._get(key)
        if not _is_integer(value):
            self._garbled(key, value, "an integer of 64 bits")
        return int(value)

    def text(self, key: str) -> str:
        """Text that can be encoded, which lone surrogates cannot."""
        value = self._get(key)
        if not isinstance(value, str) or any(0xD800 <= ord(character) <= 0xDFFF for character in value):
            self._garbled(key, value, "Unicode text")
        return value

    def truth(self, key: str) -> bool:
        """True or false, or 1 or 0."""
        value = self._get(key)
        if not isinstance(value, int) or value not in (0, 1):
            self._garbled(key, value, "true or false")
        return bool(value)

    def mapping(self, key: str) -> dict[str, Any]:
        """Object of any contents; empty if null."""
        value = self._get(key)
        if value is None:
            return {}
        if not isinstance(value, dict):
            self._garbled(key, value, "an object")
        return value

    def objects(self, key: str) -> list[Entries]:
        """Array of objects."""
        value = self._get(key)
        if not isinstance(value, list) or not all(isinstance(element, dict) for element in value):
            self._garbled(key, value, "an array of objects")
        return [Entries(element, self.name) for element in value]

    def integer_rows(self, key: str, length: int) -> list[list[int]]:
        """Array of arrays of `length` whole numbers."""
        rows = self._get(key)
        if not isinstance(rows, list):
            self._garbled(key, rows, "an array")
        for row in rows:
            if not isinstance(row, list) or len(row) != length or not all(map(_is_integer, row)):
                self._garbled(key, row, f"an array of {length} integers of 64 bits")
        return rows

    def _get(self, key: str) -> Any:
        if key not in self.values:
            raise CaptureError(f"{self.name}: the header lacks {key!r}")
        return self.values[key]

    def _garbled(self, key: str, value: object, expected: str) -> NoReturn:
        raise CaptureError(f"{self.name}: the header garbles {key!r}: {reprlib.repr(value)} is not {expected}")


def _is_integer(value: object) -> bool:
    return type(value) is int and -(1 << 63) <= value < 1 << 64


def _refuse_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        _refuse_number(text)
    return number


def _check_nesting(values: dict[str, Any], name: str) -> None:
    level: list[Any] = [values]
    for _ in range(DEEPEST_NESTING):
        children = [child for entry in level for child in (entry.values() if isinstance(entry, dict) else entry)]
        level = [child for child in children if isinstance(child, dict | list)]
        if not level:
            return
    raise CaptureError(f"{name}: the header nests deeper than {DEEPEST_NESTING} levels")
