"""Field values of hardware states as text and as JSON."""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Any


def as_json_value(value: Any) -> Any:
    """Value for JSON: names of codes, lists, numbers; not-a-number and infinities as text."""
    if isinstance(value, tuple):
        return [as_json_value(element) for element in value]
    if isinstance(value, IntEnum):
        return value.name
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def printable(text: str) -> str:
    """Text from a file, with control characters, which could drive the terminal, as escapes."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )
