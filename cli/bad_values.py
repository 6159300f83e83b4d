"""What is wrong with an option's value in this program's words: the limit, and the value found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer

_WORDS = {
    "int_parsing": "must be an integer",
    "int_from_float": "must be an integer",
    "int_parsing_size": "must be an integer of fewer digits",
    "float_parsing": "must be a number",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
}
"""By Pydantic's name of an error; what it is about is between braces."""


def said_plainly(error: typer.BadParameter) -> typer.BadParameter:
    """The error, its message with limit and value where Typer repeats Pydantic's, which lacks them."""
    errors = getattr(error.__cause__, "errors", None)
    first: Mapping[str, Any] = errors()[0] if errors is not None else {}
    about = first.get("ctx", {})
    if (words := _WORDS.get(first.get("type", ""))) is not None:
        error.message = f"{words.format(**about)}, found {first['input']}"
    elif isinstance(reason := about.get("error"), ValueError):
        error.message = str(reason)
    return error
