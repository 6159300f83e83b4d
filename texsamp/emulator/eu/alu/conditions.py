"""What condition modifiers test: the sources of comparisons, the result of everything else (volume 4 part 3, 3.6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.errors import CaptureError

Array = NDArray[Any]

NOT_EQUAL, GREATER_EQUAL, LESS, OVERFLOW, UNORDERED = 2, 4, 5, 8, 9
_TESTS: dict[int, Callable[[Array, Any], Array]] = {
    1: np.equal,
    NOT_EQUAL: np.not_equal,
    3: np.greater,
    GREATER_EQUAL: np.greater_equal,
    LESS: np.less,
    6: np.less_equal,
}
"""Condition modifiers z, nz, g, ge, l, le as comparisons."""


def _test(condition: int) -> Callable[[Array, Any], Array]:
    if condition not in _TESTS:
        raise CaptureError(f"condition modifier {condition} is not executed")
    return _TESTS[condition]


def compared(condition: int, a: Array, b: Array) -> Array:
    """`cmp`: nothing is equal to, greater or less than a NaN."""
    return _test(condition)(a, b)


def compared_for_numbers(condition: int, a: Array, b: Array) -> Array:
    """`cmpn`: a NaN second source decides alone, so that what it selects is the number (page 22)."""
    outcome = _test(condition)(a, b)
    if not np.issubdtype(b.dtype, np.floating):
        return outcome
    return outcome & ~np.isnan(b) if condition == NOT_EQUAL else outcome | np.isnan(b)


def selected(condition: int, a: Array, b: Array) -> Array:
    """`sel` with a condition modifier: ge and l prefer numbers to NaNs; of two NaNs the second is taken (page 25)."""
    if condition in (GREATER_EQUAL, LESS):
        chosen = compared_for_numbers(condition, a, b)
        if np.issubdtype(a.dtype, np.floating):
            chosen = chosen & ~np.isnan(a)
    else:
        chosen = compared(condition, a, b)
    return np.where(chosen, a, b)


def infinite(stored: Array, sources: list[Array]) -> Array:
    """Where floats overflowed: infinities that finite sources gave."""
    overflown: Array = np.isinf(stored)
    for source in sources:
        overflown = overflown & np.isfinite(source)
    return overflown


def of_result(condition: int, exact: Array, stored: Array, overflow: Array) -> Array:
    """Truth of a condition about a result, (threads, channels); page 79.

    exact: before it was converted. stored: as the destination holds it, saturated if it is asked for: page 77 says both
    that it is and that it is not, drivers rely on it. overflow: where it is beyond the destination's type.
    """
    if condition == OVERFLOW:
        return overflow
    return np.isnan(exact) if condition == UNORDERED else _test(condition)(stored, 0)
