"""Convolve as seed 003:1701-1783 writes it out: one pixel, one coefficient at a time, in exact fractions.

Two repairs (hole V1): `ij` at 1768 is `jj`, and the last clamp is that of the 16-bit SINT destination (1726). INT is
the number without fraction bits, so it goes down. Coefficients are S3.12 codes: 4096 is 1.0.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import floor

Matrix = Sequence[Sequence[int]]


def convolve(src: Matrix, kernel: Matrix, scale: int, *, clamp: bool) -> list[list[int]]:
    """src[jj][ii] are samples, kernel[n][m] codes; the result has src's size."""
    height, width = len(src), len(src[0])
    kernel_height, kernel_width = len(kernel), len(kernel[0])
    dest = [[0] * width for _ in range(height)]
    for j in range(height):
        for i in range(width):
            total = 0  # of tmp, in S3.12
            for m in range(kernel_width):
                for n in range(kernel_height):
                    ii = i + m - ((kernel_width - 1) >> 1)
                    jj = j + n - ((kernel_height - 1) >> 1)
                    if ii < 0:
                        ii = 0 if clamp else -ii - 1
                    elif ii > width - 1:
                        ii = width - 1 if clamp else 2 * width - ii - 1
                    if jj < 0:
                        jj = 0 if clamp else -jj - 1
                    elif jj > height - 1:
                        jj = height - 1 if clamp else 2 * height - jj - 1
                    outside = ii < 0 or ii > width - 1 or jj < 0 or jj > height - 1
                    val = 0 if outside else src[jj][ii]
                    total += val * kernel[n][m]
            tmp = Fraction(total, 4096) * 2
            whole = floor(tmp) >> scale
            whole = (whole + 1) >> 1
            dest[j][i] = min(max(whole, -(2**15)), 2**15 - 1)
    return dest


def automatic_scale(coefficients: Sequence[Sequence[Fraction]]) -> int:
    """Scale of real coefficients (1709-1721): the largest power of two up to 512 that keeps every code in S3.12.

    As printed, 8 / MAX is a power of two for 1.0, and 1.0 becomes 8.0, which S3.12 has not: one less then.
    """
    largest = max(abs(c) for row in coefficients for c in row)
    if largest == 0:
        return 0
    scale = 0
    while scale < 9 and Fraction(2) ** (scale + 1) <= 8 / largest:
        scale += 1
    codes = [floor(c * 2**scale * 4096 + Fraction(1, 2)) for row in coefficients for c in row]
    return scale - 1 if max(codes) > 2**15 - 1 else scale
