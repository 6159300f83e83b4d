"""Field values in words."""

from __future__ import annotations

from enum import IntEnum
from typing import Any


def as_text(value: Any) -> str:
    """Value as a person reads it: names of codes with the code, short numbers."""
    if isinstance(value, tuple):
        return "(" + ", ".join(as_text(element) for element in value) + ")"
    if isinstance(value, IntEnum):
        return f"{value.name} ({int(value)})"
    return f"{value:g}" if isinstance(value, float) else str(value)
