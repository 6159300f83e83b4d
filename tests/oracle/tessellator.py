"""Places of the tessellator's points as exact fractions, from the public definition of Direct3D 11's stage.

A second voice, not the fixed-point arithmetic: points must be within a few steps of 2^-16 of these.
"""

from __future__ import annotations

import math
from fractions import Fraction

RULER = [
    0, 32, 16, 8, 17, 4, 18, 9, 19, 2, 20, 10, 21, 5, 22, 11, 23, 1, 24, 12, 25, 6, 26, 13, 27, 3, 28, 14, 29, 7, 30,
    15, 31,
]  # fmt: skip
"""Segments of the finest half edge in order: when each comes into being, as a printed table has them."""


def effective(factor: float, partitioning: str, most: float, *, inside: bool, frame: bool) -> Fraction:
    """A factor that is clamped, and rounded up for whole numbers."""
    least = Fraction(2) if partitioning == "EVEN_FRACTIONAL" else Fraction(1)
    if inside and frame and partitioning == "ODD_FRACTIONAL":
        least = 1 + Fraction(1, 1 << 16)
    found = min(max(Fraction(factor), least), Fraction(most))
    return Fraction(math.ceil(found)) if partitioning == "INTEGER" else found


def places(factor: Fraction, *, odd: bool) -> list[Fraction]:
    """Where the points of an edge are, from 0 to 1."""
    parity = 1 if odd else 0
    low = math.floor((factor - parity) / 2) * 2 + parity
    high = low if factor == low else low + 2
    if not odd and low < 2:
        low = high = 2
    blend = (factor - low) / 2
    half = (low - parity) // 2
    new = sum(1 for v in RULER[: RULER.index(half)] if v < half) if high > low else high
    found = []
    for i in range((high + 1) // 2):
        before = i if i <= new else i - 1
        found.append((1 - blend) * Fraction(before, low) + blend * Fraction(i, high))
    middle = [] if odd else [Fraction(1, 2)]
    return [*found, *middle, *(1 - p for p in reversed(found))]


def quad(outer: list[list[Fraction]], u: list[Fraction], v: list[Fraction]) -> set[tuple[Fraction, Fraction]]:
    """All points: those of the four edges, and the lattice inside."""
    found = {(Fraction(0), p) for p in outer[0]} | {(p, Fraction(0)) for p in outer[1]}
    found |= {(Fraction(1), p) for p in outer[2]} | {(p, Fraction(1)) for p in outer[3]}
    return found | {(a, b) for a in u[1:-1] for b in v[1:-1]}


def triangle(outer: list[list[Fraction]], inside: list[Fraction]) -> set[tuple[Fraction, Fraction]]:
    """All points: those of the three edges, and rings inside, each shrunk to its distance from the edges."""
    found = {(Fraction(0), p) for p in outer[0]} | {(p, Fraction(0)) for p in outer[1]}
    found |= {(p, 1 - p) for p in outer[2]}
    count = len(inside)
    for ring in range(1, (count + 1) // 2):
        across = inside[ring] * Fraction(2, 3)
        for p in range(ring, count - ring):
            along = inside[p] - across / 2
            found |= {(across, along), (along, across), (along, 1 - along - across)}
    return found
