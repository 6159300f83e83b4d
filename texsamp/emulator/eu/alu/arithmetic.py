"""What the opcodes compute, on arrays of integers wide enough to hold every result, or of float32.

Semantics of add, addc, asr, avg, bfe, bfi1, bfi2, bfrev: seed 004:3952-4560; the others are public facts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_COUNT_BITS = 31
"""Shift counts, widths and offsets are the five low bits."""
_SMALLEST_NORMAL = np.float32(2.0**-126)


def flushed(values: Any) -> Array:
    """Float32 values with denormal numbers replaced by zero of their sign."""
    tiny = np.abs(values) < _SMALLEST_NORMAL
    if not isinstance(values, np.ndarray):  # to ask whether there are any takes longer on a GPU
        found: Array = np.where(tiny, np.copysign(np.float32(0), values), values)
        return found
    if tiny.any():
        tiny &= values != 0  # zeros are common, and choosing by a mask of many turns is slow
    return np.where(tiny, np.copysign(np.float32(0), values), values) if tiny.any() else values


def saturated(values: Array) -> Array:
    """Float32 values from 0 to 1; NaN is 0."""
    return np.where(np.isnan(values), np.float32(0), np.clip(values, np.float32(0), np.float32(1)))


def to_integer(values: Array, low: int, high: int) -> Array:
    """Float32 values truncated toward zero and clamped; NaN is 0."""
    wide = np.trunc(values.astype(np.float64))
    return np.where(np.isnan(wide), 0.0, np.clip(wide, low, high)).astype(np.int64)


def asr(a: Array, b: Array) -> Array:
    """Right shift that keeps the sign."""
    shifted: Array = a >> (b & _COUNT_BITS)
    return shifted


def logical_shift(mask: int, a: Array, b: Array) -> Array:
    """Right shift of the bits an operand of its own width has: those of `mask`."""
    return (a & mask) >> (b & _COUNT_BITS)


def shl(a: Array, b: Array) -> Array:
    """Left shift."""
    shifted: Array = a << (b & _COUNT_BITS)
    return shifted


def avg(a: Array, b: Array) -> Array:
    """Mean, rounded up."""
    return (a + b + 1) >> 1


def bfi1(width: Array, offset: Array) -> Array:
    """Mask of a bit field."""
    return ((np.int64(1) << (width & _COUNT_BITS)) - 1) << (offset & _COUNT_BITS)


def bfrev(a: Array) -> Array:
    """The 32 bits turned around."""
    out = a & 0xFFFFFFFF
    for shift, low in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF), (16, 0x0000FFFF)):
        out = (out >> shift & low) | (out & low) << shift
    return out


def lzd(a: Array) -> Array:
    """Leading zeros of 32 bits."""
    return 32 - _bit_length(a & 0xFFFFFFFF)


def _bit_length(a: Array) -> Array:
    return np.where(a > 0, np.frexp(a.astype(np.float64))[1], 0).astype(np.int64)


def fbl(a: Array) -> Array:
    """Number of the lowest bit that is set."""
    low = (a & -a).astype(np.int64) & 0xFFFFFFFF
    return np.where(low == 0, 0xFFFFFFFF, _bit_length(low) - 1)


def fbh(a: Array) -> Array:
    """Bits from the top down to the first that differs from the sign; unsigned sources have sign 0."""
    different = np.where(a < 0, ~a, a) & 0xFFFFFFFF
    return np.where(different == 0, 0xFFFFFFFF, 32 - _bit_length(different))


def cbit(a: Array) -> Array:
    """How many of 32 bits are set."""
    return sum((a >> bit & 1 for bit in range(32)), np.zeros_like(a))


def bfe_unsigned(width: Array, offset: Array, value: Array) -> Array:
    """Bit field of 32-bit values, zero extended (seed 004:4146-4188)."""
    width, offset = width & _COUNT_BITS, offset & _COUNT_BITS
    field: Array = value >> offset & ((np.int64(1) << width) - 1)
    return field


def bfe_signed(width: Array, offset: Array, value: Array) -> Array:
    """Bit field of 32-bit values, sign extended; one that runs past bit 31 ends there."""
    width, offset = width & _COUNT_BITS, offset & _COUNT_BITS
    above = np.maximum(32 - width - offset, 0) + 32
    field = value << above >> above >> offset
    return np.where(width == 0, 0, field)


def bfi2(mask: Array, value: Array, base: Array) -> Array:
    """The low bits of `value` where the mask has ones, `base` elsewhere (seed 004:4361-4400)."""
    low = mask & -mask
    return (value * low & mask) | (base & ~mask)


def pair_differences(count: int, a: Array, b: Array) -> Array:
    """Sums of absolute differences of channels 2n and 2n + 1, for both of them; (threads, count)."""
    differences = np.abs(a - b)
    differences = np.broadcast_to(differences, (len(differences), count))
    return np.repeat(differences[:, ::2] + differences[:, 1::2], 2, axis=1)


def fraction(a: Array) -> Array:
    """What a float has beyond the next integer below."""
    return a - np.floor(a)


def halved(a: Array) -> Array:
    """Float32 values rounded to half floats."""
    return a.astype(np.float16).astype(np.float32)


def of_half(a: Array) -> Array:
    """Half floats in the low words of integers as float32."""
    return (a & 0xFFFF).astype(np.uint16).view(np.float16).astype(np.float32)


def carried(a: Array, b: Array) -> Array:
    """Carry out of a sum of unsigned dwords."""
    carry: Array = (a + b) >> 32
    return carry


def borrowed(a: Array, b: Array) -> Array:
    """Borrow of a difference of unsigned dwords."""
    return (a < b).astype(np.int64)
