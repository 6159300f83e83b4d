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


SITING = {
    0: (Fraction(0), Fraction(1, 2)),  # unspecified means left
    1: (Fraction(0), Fraction(1, 2)),
    2: (Fraction(1, 2), Fraction(1, 2)),
    3: (Fraction(0), Fraction(0)),
    4: (Fraction(1, 2), Fraction(0)),
    5: (Fraction(0), Fraction(1)),
    6: (Fraction(1, 2), Fraction(1)),
}
"""FFmpeg's chroma locations: where the first chroma sample lies, across and down, in luma samples."""


def between(samples: list[int], position: Fraction, taps: list[list[int]]) -> int:
    """64 times the value at a position among samples, by the row of taps for its 1/32; the ends repeat."""
    base = floor(position)
    row = taps[int((position - base) * 32)]
    return sum(tap * samples[min(max(base - 3 + k, 0), len(samples) - 1)] for k, tap in enumerate(row))


def interpolated(
    rows: Rows,
    have: tuple[int, int],
    location: int,
    size: tuple[int, int],
    taps: list[list[int]],
    largest: int,
    *,
    interlaced: bool,
) -> Rows:
    """Subsampled chroma (log2 across, down) at every pixel: across first, kept exact, rounded once."""
    width, height = size
    x_siting, y_siting = SITING[location]
    across = [(x - x_siting) / 2 if have[0] else Fraction(x) for x in range(width)]
    fields = 2 if interlaced and have[1] and len(rows) > 1 else 1
    wide = [[between(row, x, taps) for x in across] for row in rows]
    result = []
    for y in range(height):
        own = wide[y % fields :: fields]
        line = Fraction(y // fields)
        if have[1]:
            line = (line - (Fraction(1 + 2 * (y % 2), 4) if fields == 2 else y_siting)) / 2
        sums = [between([row[x] for row in own], line, taps) for x in range(width)]
        result.append([min(max(rounded(Fraction(v, 64 * 64)), 0), largest) for v in sums])
    return result
