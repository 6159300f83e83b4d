"""Whether an argument from Python is the kind of number it should be; numpy's scalars are, bool is not."""

from __future__ import annotations

from numbers import Integral, Real


def is_integer(value: object) -> bool:
    """Whether it is an integer."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_real(value: object) -> bool:
    """Whether it is a real number."""
    return isinstance(value, Real) and not isinstance(value, bool)
