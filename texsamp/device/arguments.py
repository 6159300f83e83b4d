"""Whether an argument from Python is the kind of number it should be; numpy's scalars are, bool is not.

Python's own numbers are told at once; asking for the abstract kinds takes ten times as long.
"""

from __future__ import annotations

from numbers import Integral, Real


def is_integer(value: object) -> bool:
    """Whether it is an integer."""
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def is_real(value: object) -> bool:
    """Whether it is a real number."""
    return type(value) in (int, float) or (isinstance(value, Real) and not isinstance(value, bool))
