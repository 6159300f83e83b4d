"""Whether an argument from Python is of the kind it should be; numpy's scalars are numbers, bool is not.

Python's own numbers are told at once; asking for the abstract kinds takes ten times as long.
"""

from __future__ import annotations

import os
from numbers import Integral, Real
from types import UnionType

import numpy as np

from texsamp.errors import StateError


def is_integer(value: object) -> bool:
    """Whether it is an integer."""
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def is_real(value: object) -> bool:
    """Whether it is a real number."""
    return type(value) in (int, float) or (isinstance(value, Real) and not isinstance(value, bool))


def is_bool(value: object) -> bool:
    """Whether it is True or False."""
    return isinstance(value, bool | np.bool_)


def check_kind(what: str, value: object, kind: type | UnionType) -> None:
    """Raise StateError unless a value is of a type."""
    if not isinstance(value, kind):
        kinds = kind.__args__ if isinstance(kind, UnionType) else (kind,)
        words = " or ".join(each.__name__ for each in kinds)
        raise StateError(f"{what} must be of type {words}, found {short(value)}")


def check_truth(what: str, value: object) -> None:
    """Raise StateError unless a value is True or False."""
    if not is_bool(value):
        raise StateError(f"{what} must be True or False, found {short(value)}")


def path_text(path: str | os.PathLike[str]) -> str:
    """A path as text. Raises StateError for what is none."""
    check_kind("a path", path, str | os.PathLike)
    return os.fspath(path)


def short(value: object) -> str:
    """A value for a message: numbers and words as they are, others by their type."""
    plain = value is None or isinstance(value, bool | int | float | str | bytes)
    return repr(value)[:40] if plain else f"a {type(value).__name__}"
