"""Pixel layouts by docs/conversions.md, one sample at a time: depths, chroma subsampling, bytes of the layouts.

Pictures are dictionaries of component to rows of samples; the layouts' bytes are written out from FFmpeg's descriptions
of its formats.
"""

from fractions import Fraction
from math import floor

Rows = list[list[int]]
Picture = dict[str, Rows]


def rounded(value: Fraction) -> int:
    """To the nearest integer, halves up."""
    return floor(value + Fraction(1, 2))


def of_depth(value: Fraction, bits: int, to_bits: int, *, full: bool, chroma: bool) -> int:
    """A sample, or an average of some, in another depth."""
    largest, to_largest = 2**bits - 1, 2**to_bits - 1
    if not full:
        exact = value * Fraction(2**to_bits, 2**bits)
    elif chroma:
        exact = (value - 2 ** (bits - 1)) * Fraction(to_largest, largest) + 2 ** (to_bits - 1)
    else:
        exact = value * Fraction(to_largest, largest)
    return min(max(rounded(exact), 0), to_largest)


def chroma_line(rows: Rows, y: int, interlaced: bool) -> list[int]:
    """The 4:2:0 chroma of luma row y: that of the pair of rows, in interlaced pictures of the pair of its field."""
    line = 2 * (y // 4) + y % 2 if interlaced else y // 2
    return rows[min(line, len(rows) - 1)]


def averaged_lines(rows: Rows, y: int, interlaced: bool) -> list[list[int]]:
    """The rows that 4:2:0 row y is the average of."""
    pair = (4 * (y // 2) + y % 2, 4 * (y // 2) + y % 2 + 2) if interlaced else (2 * y, 2 * y + 1)
    inside = [row for row in pair if row < len(rows)]
    return [rows[row] for row in inside] or [rows[-1]]


def resampled(
    rows: Rows, have: tuple[int, int], wanted: tuple[int, int], size: tuple[int, int], *, interlaced: bool
) -> list[list[Fraction]]:
    """Chroma of one subsampling (log2 across, log2 down) in another; size is the result's width and height."""
    width, height = size
    result = []
    for y in range(height):
        if wanted[1] > have[1]:
            lines = averaged_lines(rows, y, interlaced)
        elif wanted[1] < have[1]:
            lines = [chroma_line(rows, y, interlaced)]
        else:
            lines = [rows[y]]
        line = []
        for x in range(width):
            if wanted[0] > have[0]:
                columns = [2 * x, min(2 * x + 1, len(lines[0]) - 1)]
            elif wanted[0] < have[0]:
                columns = [x // 2]
            else:
                columns = [x]
            values = [row[column] for row in lines for column in columns]
            line.append(Fraction(sum(values), len(values)))
        result.append(line)
    return result
