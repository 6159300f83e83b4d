"""Arithmetic on doubles with the denormal and rounding modes of cr0.0 (volume 4 part 3, pages 22, 48)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.eu.alu.modes import DOWN, UP, ZERO

Array = NDArray[Any]

_SMALLEST_NORMAL = 2.0**-1022
_SPLITTER = 2.0**27 + 1
"""Parts a mantissa of 53 bits into two of 26 (Dekker)."""


def flushed(values: Array, keeps: Array) -> Array:
    """Doubles, denormal ones replaced by zero of their sign where a thread does not keep them: keeps, (threads, 1)."""
    tiny = (np.abs(values) < _SMALLEST_NORMAL) & ~keeps
    return np.where(tiny, np.copysign(0.0, values), values)


def added(a: Array, b: Array, rounding: Array) -> Array:
    """Sums, rounded in the direction of every thread: rounding, (threads, 1)."""
    total = a + b
    part = total - a
    rest = (a - (total - part)) + (b - part)
    over = np.isinf(total) & np.isfinite(a) & np.isfinite(b)
    side = np.where(over, -np.sign(total), np.sign(rest))
    return _directed(total, np.where(np.isfinite(total) | over, side, 0), rounding)


def multiplied(a: Array, b: Array, rounding: Array) -> Array:
    """Products, rounded in the direction of every thread."""
    total = a * b
    finite = np.isfinite(a) & np.isfinite(b)
    (a, exponent_a), (b, exponent_b) = (np.frexp(np.where(finite, value, 0.0)) for value in (a, b))
    near = a * b
    a_high, b_high = (value * _SPLITTER - (value * _SPLITTER - value) for value in (a, b))
    a_low, b_low = a - a_high, b - b_high
    rest = ((a_high * b_high - near) + a_high * b_low + a_low * b_high) + a_low * b_low
    off = (near - np.ldexp(total, -(exponent_a + exponent_b))) + rest
    return _directed(total, np.where(finite, np.sign(off), 0), rounding)


def _directed(near: Array, side: Array, rounding: Array) -> Array:
    """The double next to the nearest one in a direction. side: the sign of the exact value less the nearest."""
    exact_is_negative = np.where(near == 0, side < 0, near < 0)
    up = (side > 0) & ((rounding == UP) | ((rounding == ZERO) & exact_is_negative))
    down = (side < 0) & ((rounding == DOWN) | ((rounding == ZERO) & ~exact_is_negative))
    return np.where(up, np.nextafter(near, np.inf), np.where(down, np.nextafter(near, -np.inf), near))
