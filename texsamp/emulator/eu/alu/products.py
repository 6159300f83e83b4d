"""Sums of products and the functions of `math`: computed in 64 bits and rounded once (docs/emulator-defined.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
_GROUP = 4
"""Channels of a vector."""


def _wide(*values: Array) -> list[Array]:
    return [value.astype(np.float64) for value in values]


def _rounded(value: Array) -> Array:
    return value.astype(np.float32)


def _mad(addend: Array, b: Array, c: Array) -> Array:
    """Addend + b * c."""
    addend, b, c = _wide(addend, b, c)
    total: Array = addend + b * c
    return total


def _lrp(weight: Array, b: Array, c: Array) -> Array:
    """Between c (weight 0) and b (weight 1)."""
    weight, b, c = _wide(weight, b, c)
    total: Array = weight * b + (1 - weight) * c
    return total


def _line(plane: Array, b: Array) -> Array:
    """plane: (threads, 4), of which elements 0 and 3 are used."""
    plane, b = _wide(plane, b)
    return plane[:, 0:1] * b + plane[:, 3:4]


def _pln(plane: Array, u: Array, v: Array) -> Array:
    """plane: (threads, 4), of which elements 0, 1 and 3 are used."""
    plane, u, v = _wide(plane, u, v)
    total: Array = plane[:, 0:1] * u + plane[:, 1:2] * v + plane[:, 3:4]
    return total


def _dot(products: int, homogeneous: bool = False) -> Callable[[Array, Array], Array]:
    def dot(a: Array, b: Array) -> Array:
        a, b = np.broadcast_arrays(*_wide(a, b))
        a, b = (value.reshape(len(value), -1, _GROUP) for value in (a, b))
        total = (a[..., :products] * b[..., :products]).sum(axis=2)
        if homogeneous:
            total = total + b[..., 3]
        return np.repeat(total, _GROUP, axis=1)

    return dot


WIDE_SUMS: dict[str, Callable[..., Array]] = {
    "mad": _mad,
    "lrp": _lrp,
    "line": _line,
    "pln": _pln,
    "dp2": _dot(2),
    "dp3": _dot(3),
    "dp4": _dot(4),
    "dph": _dot(3, homogeneous=True),
}
"""Opcodes on float32 whose result is a sum of products, in 64 bits."""


def _rounded_sum(compute: Callable[..., Array]) -> Callable[..., Array]:
    return lambda *values: _rounded(compute(*values))


SUMS = {name: _rounded_sum(compute) for name, compute in WIDE_SUMS.items()}
"""The same, rounded."""


def _function(compute: Callable[..., Array]) -> Callable[..., Array]:
    return lambda *values: _rounded(compute(*_wide(*values)))


def _power(a: Array, b: Array) -> Array:
    """abs(a) to the power b, NaN where b * log2(abs(a)) is: 0^0, inf^0, 1^inf (volume 4 part 3, page 193)."""
    a = np.abs(a)
    return np.where(np.isnan(b * np.log2(a)), np.nan, np.power(a, b))


MATH_FLOAT: dict[str, Callable[..., Array]] = {
    "inv": _function(lambda a: 1 / a),
    "log": _function(np.log2),
    "exp": _function(np.exp2),
    "sqrt": _function(np.sqrt),
    "rsq": _function(lambda a: 1 / np.sqrt(a)),
    "sin": _function(np.sin),
    "cos": _function(np.cos),
    "fdiv": _function(lambda a, b: a / b),
    "pow": _function(_power),
}
"""Functions of `math` on float32."""


def quotient(a: Array, b: Array) -> Array:
    """Truncated; all ones where an integer is divided by 0, so that the remainder is the numerator (page 194)."""
    whole: Array = np.sign(a) * np.sign(b) * (np.abs(a) // np.maximum(np.abs(b), 1))
    return np.where(b == 0, -1, whole)


def remainder(a: Array, b: Array) -> Array:
    """What `quotient` leaves."""
    left: Array = a - quotient(a, b) * b
    return left
