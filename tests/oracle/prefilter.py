"""The low-pass before scaling down, written out literally; it is texsamp's own, so this text is its definition.

Ratios (destination over source) at or below 1/2 are halved, as often as that holds, by Lanczos-3 at 1/2 sampled
between two source samples; a ratio left between 1/2 and 1 gets Lanczos-3 at that ratio, and keeps every sample.
Each axis by itself. Taps are integers in 1/4096; edges repeat. Samples of 8 bits are filtered as distances from 128,
and every product with the sum of two symmetric samples is rounded; others are summed exactly.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

ONE = 4096
HALF = Fraction(1, 2)


def sinc(x: float) -> float:
    """sin(pi x) / (pi x)."""
    return 1.0 if x == 0 else math.sin(math.pi * x) / (math.pi * x)


def taps_of(ratio: Fraction, *, halve: bool) -> list[int]:
    """Lanczos-3 stretched to the ratio, around a sample or, halving, around the middle between two samples.

    Every tap is rounded to the nearest 1/4096; what is missing to 1 goes to the tap (both taps) in the middle.
    """
    reach = 3 / ratio
    half = Fraction(1, 2) if halve else Fraction(0)
    distances = [d + half for d in range(-20, 20) if abs(d + half) < reach]
    weights = [sinc(float(d * ratio)) * sinc(float(d * ratio / 3)) for d in distances]
    taps = [round(weight / sum(weights) * ONE) for weight in weights]
    middle = [i for i, d in enumerate(distances) if abs(d) <= half]
    for i in middle:
        taps[i] += (ONE - sum(taps)) // (len(middle) if i == middle[0] else 1)
    return taps


Filter = Callable[[list[int], list[int]], int]
"""Result of one axis from the samples under the taps and the taps."""


def round_half_up(value: Fraction) -> int:
    """Nearest integer, the upper one of two."""
    return math.floor(value + HALF)


def exact_filters(bits: int) -> tuple[Filter, Filter]:
    """The y and the x axis: exact sums, rounded to 6 fraction bits (10-bit samples: 4, 16-bit: none), then to none."""
    kept = {2: 6, 10: 4, 16: 0}[bits]

    def total(samples: list[int], taps: list[int]) -> int:
        return sum(sample * tap for sample, tap in zip(samples, taps, strict=True))

    return (
        lambda samples, taps: round_half_up(Fraction(total(samples, taps) << kept, ONE)),
        lambda samples, taps: round_half_up(Fraction(total(samples, taps), ONE << kept)),
    )


def rounded_filters() -> tuple[Filter, Filter]:
    """The y and the x axis for 8-bit samples: products are rounded to 1/64 along y and to 1/32 along x."""

    def total(samples: list[int], taps: list[int], unit: Fraction) -> int:
        """Sum of the rounded products, in units; samples are in units of 1."""
        n = len(taps)
        result = round_half_up(samples[n // 2] * Fraction(taps[n // 2], ONE) / unit) if n % 2 else 0
        for j in range(n // 2):
            pair = samples[j] + samples[n - 1 - j]
            result += round_half_up(pair * Fraction(taps[j], ONE) / unit)
        return result

    return (
        lambda samples, taps: total([sample - 128 for sample in samples], taps, Fraction(1, 64)),
        lambda samples, taps: round_half_up(Fraction(total(samples, taps, Fraction(64, 32)), 32)) + 128,
    )


def filtered(
    samples: Sequence[Sequence[int]], taps: tuple[list[int], list[int]], keep: tuple[int, int], bits: int
) -> list[list[int]]:
    """Taps (x, y) around every sample, or around the middle of every pair of samples: vertical first."""
    height, width = len(samples), len(samples[0])
    along_y, along_x = rounded_filters() if bits == 8 else exact_filters(bits)

    def under(position: int, axis: int, size: int) -> list[int]:
        first = keep[axis] * position - (len(taps[axis]) - 1) // 2
        return [min(max(first + j, 0), size - 1) for j in range(len(taps[axis]))]

    columns = [
        [along_y([samples[row][x] for row in under(y, 1, height)], taps[1]) for x in range(width)]
        for y in range(-(-height // keep[1]))
    ]
    result = [
        [along_x([row[column] for column in under(x, 0, width)], taps[0]) for x in range(-(-width // keep[0]))]
        for row in columns
    ]
    return [[min(max(value, 0), 2**bits - 1) for value in row] for row in result]


def prefiltered(
    samples: np.ndarray, ratios: tuple[Fraction, Fraction], bits: int
) -> tuple[np.ndarray, tuple[int, int]]:
    """The plane after all passes, int64, and how often each axis (x, y) was halved."""
    current = [[int(value) for value in row] for row in samples]
    left = list(ratios)
    halvings = [0, 0]
    while min(left) <= HALF:
        halved = [ratio <= HALF for ratio in left]
        taps = [taps_of(HALF, halve=True) if h else [ONE] for h in halved]
        current = filtered(current, (taps[0], taps[1]), (1 + halved[0], 1 + halved[1]), bits)
        for axis in (0, 1):
            if halved[axis]:
                left[axis] *= 2
                halvings[axis] += 1
    if min(left) < 1:
        taps = [taps_of(ratio, halve=False) if ratio < 1 else [ONE] for ratio in left]
        current = filtered(current, (taps[0], taps[1]), (1, 1), bits)
    return np.array(current, dtype=np.int64), (halvings[0], halvings[1])
