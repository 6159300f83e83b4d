"""The range check shared by the parameter classes of the video filters."""

from collections.abc import Mapping
from typing import Any

from texsamp.errors import StateError


def check_ranges(parameters: Any, highest: Mapping[str, int]) -> None:
    """Hold integer attributes of `parameters` against 0..highest.

    Raises StateError naming the class, the field, its range and the value found.
    """
    for field, high in highest.items():
        value = getattr(parameters, field)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= high:
            raise StateError(f"{type(parameters).__name__}.{field} must be an integer in 0..{high}, found {value!r}")
