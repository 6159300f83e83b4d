"""Dwords taken apart by bit numbers, and the two kinds of cutting the color pipe does."""

from collections.abc import Sequence
from fractions import Fraction
from math import floor


class Dwords:
    """Fields of a state by dword and bits, as the manual prints them."""

    def __init__(self, dwords: Sequence[int]) -> None:
        self.dwords = tuple(dwords)

    def u(self, dword: int, high: int, low: int) -> int:
        """Unsigned."""
        return self.dwords[dword] >> low & ((1 << (high - low + 1)) - 1)

    def s(self, dword: int, high: int, low: int) -> int:
        """Two's complement."""
        value, size = self.u(dword, high, low), 1 << (high - low + 1)
        return value - size if value >= size // 2 else value


def floor_to(value: Fraction, bits: int) -> Fraction:
    """The next multiple of 2^-bits that is not above."""
    return Fraction(floor(value * (1 << bits)), 1 << bits)


def clamp(value: Fraction, low: int | Fraction, high: int | Fraction) -> Fraction:
    """The nearest value in a range."""
    return Fraction(min(max(value, low), high))
