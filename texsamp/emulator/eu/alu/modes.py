"""Rounding modes and the alternative mode of floats, as cr0.0 chooses them (volume 4 part 3, pages 25-26, 48, 192-193).

Sums and products round in the thread's direction; `math` always rounds to nearest. Sums of products are computed in 64
bits, as everywhere (docs/emulator-defined.md), and rounded once in that direction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.eu.alu import arithmetic
from texsamp.emulator.eu.alu.products import WIDE_SUMS
from texsamp.errors import CaptureError

Array = NDArray[Any]

NEAREST, UP, DOWN, ZERO = range(4)
ALTERNATIVE, ACCUMULATOR_DISABLE = 1, 2
"""Bits of cr0.0."""
_ROUNDING_AT, _ROUNDING = 4, 3
FLOAT_MODES = ALTERNATIVE | _ROUNDING << _ROUNDING_AT
"""Bits of cr0.0 that change what instructions on floats compute."""
_EVERY = tuple(rounding << _ROUNDING_AT | other for rounding in range(4) for other in (0, ALTERNATIVE))
_LARGEST = np.finfo(np.float32).max
_OF_ABSOLUTES = ("log", "rsq", "sqrt")


def _sum(a: Array, b: Array) -> tuple[Array, Array]:
    """A sum of float32 values, and what 64 bits of it leave out."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _product(a: Array, b: Array) -> tuple[Array, Array]:
    """A product of float32 values, which 64 bits hold."""
    product = a.astype(np.float64) * b.astype(np.float64)
    return product, np.zeros_like(product)


_EXACT: dict[str, Callable[..., tuple[Array, Array]]] = {"add": _sum, "mul": _product}


def directed(value: Array, rest: Array, rounding: int) -> Array:
    """The float32 value next to `value + rest` in a direction. rest: below the last bit of `value`; float64 both."""
    near = value.astype(np.float32)
    off = value - near.astype(np.float64)
    side = np.where(off != 0, np.sign(off), np.sign(rest))
    side = np.where(np.isfinite(value), side, 0)
    if rounding == UP:
        low, high = side > 0, np.zeros_like(side, np.bool_)
    elif rounding == DOWN:
        low, high = np.zeros_like(side, np.bool_), side < 0
    else:
        low, high = (side > 0) & (value < 0), (side < 0) & (value > 0)
    infinity = np.float32(np.inf)
    return np.where(low, np.nextafter(near, infinity), np.where(high, np.nextafter(near, -infinity), near))


def _rounded(name: str, values: list[Array], held: Array | None, rounding: int) -> Array | None:
    """What an opcode gives in a direction; None for those that do not round."""
    if name == "mac":
        assert held is not None
        product = arithmetic.flushed(directed(*_product(*values), rounding))
        return directed(*_sum(product, arithmetic.flushed(held)), rounding)
    if name in _EXACT:
        return directed(*_EXACT[name](*values), rounding)
    if name in WIDE_SUMS:
        wide = WIDE_SUMS[name](*values)
        return directed(wide, np.zeros_like(wide), rounding)
    return None


def _power(a: Array, b: Array) -> Array:
    """In the alternative mode anything to the power of 0 is 1 (page 193)."""
    a, b = np.abs(a.astype(np.float64)), b.astype(np.float64)
    return np.where(b == 0, 1.0, np.exp2(b * np.log2(a))).astype(np.float32)


def computed(
    name: str,
    modes: NDArray[np.uint32],
    ask: Callable[..., list[int]],
    values: list[Array],
    held: Array | None,
    usual: Callable[..., Array],
) -> Array:
    """Results of an opcode, or function of `math`, on floats in threads of the modes, (threads, channels).

    modes: cr0.0 of each thread. ask: brings numbers, which say what modes there are. held: the accumulator that
    `mac` adds. usual: the result in the usual mode.
    """
    modes = modes & np.uint32(FLOAT_MODES)
    found = ask(*[(modes == mode).any().astype(np.int64) for mode in _EVERY])
    first, *others = [mode for mode, is_there in zip(_EVERY, found, strict=True) if is_there]
    result = _of_mode(name, first, values, held, usual)
    for mode in others:
        result = np.where((modes == mode)[:, None], _of_mode(name, mode, values, held, usual), result)
    return result


def _of_mode(name: str, mode: int, values: list[Array], held: Array | None, usual: Callable[..., Array]) -> Array:
    rounding, alternative = mode >> _ROUNDING_AT & _ROUNDING, bool(mode & ALTERNATIVE)
    if alternative and name in ("fdiv", "f32to16", "f16to32"):
        raise CaptureError(f"{name} is not supported in the alternative mode (pages 174 and 192)")
    result = _rounded(name, values, held, rounding) if rounding else None
    if alternative and name == "pow":
        result = _power(*values)
    if result is None:
        result = (
            usual(*[np.abs(value) for value in values]) if alternative and name in _OF_ABSOLUTES else usual(*values)
        )
    if alternative:
        result = np.where(np.isinf(result), np.copysign(_LARGEST, result), result)
    return result
