"""The low-pass before scaling down, written out literally; it is texsamp's own, so this text is its definition.

Ratios (destination over source) at or below 1/2 are halved, as often as that holds, by Lanczos-3 at 1/2 sampled
between two source samples; a ratio left between 1/2 and 1 gets Lanczos-3 at that ratio, and keeps every sample.
Each axis by itself. Taps are integers in 1/4096; edges repeat.
"""

import math
from collections.abc import Sequence
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


def fraction_bits(bits: int) -> int:
    """Bits kept below the sample between the two passes: 6 for 8-bit samples, 4 for 10, none for 16."""
    return {2: 6, 8: 6, 10: 4, 16: 0}[bits]


def filtered(
    samples: Sequence[Sequence[int]], taps: tuple[list[int], list[int]], keep: tuple[int, int], bits: int
) -> list[list[int]]:
    """Taps (x, y) around every sample, or around the middle of every pair of samples: vertical first."""
    height, width = len(samples), len(samples[0])
    kept = fraction_bits(bits)

    def first(position: int, axis: int) -> int:
        return keep[axis] * position - (len(taps[axis]) - 1) // 2

    columns = []
    for y in range(-(-height // keep[1])):
        columns.append([])
        for x in range(width):
            total = 0
            for j, tap in enumerate(taps[1]):
                row = min(max(first(y, 1) + j, 0), height - 1)
                total += samples[row][x] * tap
            columns[y].append(math.floor(Fraction(total, ONE >> kept) + HALF))
    result = []
    for row in columns:
        result.append([])
        for x in range(-(-width // keep[0])):
            total = 0
            for j, tap in enumerate(taps[0]):
                total += row[min(max(first(x, 0) + j, 0), width - 1)] * tap
            value = math.floor(Fraction(total, ONE << kept) + HALF)
            result[-1].append(min(max(value, 0), 2**bits - 1))
    return result


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
