"""From the primaries of BT.2020 to those of a narrower gamut, as integers for the color pipe (docs/color.md)."""

from __future__ import annotations

from fractions import Fraction

from texsamp.video.color.matrices import ColorSpace, Matrix, product, rounded_row
from texsamp.video.color.params import Block

CHROMATICITIES: dict[str, tuple[tuple[int, int], ...]] = {
    "bt2020": ((708, 292), (170, 797), (131, 46)),
    "bt709": ((640, 330), (300, 600), (150, 60)),
    "bt601": ((630, 340), (310, 595), (155, 70)),
}
"""x and y of red, green and blue in 1/1000; BT.601 has those of its 525-line form, SMPTE 170M. White is D65."""

_D65 = (Fraction(3127, 10000), Fraction(3290, 10000))
_CODE_BITS, _LIGHT_BITS = 14, 13


def _column(x: Fraction, y: Fraction) -> list[Fraction]:
    """X, Y, Z of a chromaticity at Y = 1."""
    return [x / y, Fraction(1), (1 - x - y) / y]


def inverse(m: Matrix) -> Matrix:
    """The inverse of a 3x3 matrix."""
    cofactors = [
        [
            m[(c + 1) % 3][(r + 1) % 3] * m[(c + 2) % 3][(r + 2) % 3]
            - m[(c + 1) % 3][(r + 2) % 3] * m[(c + 2) % 3][(r + 1) % 3]
            for c in range(3)
        ]
        for r in range(3)
    ]
    determinant = sum((m[0][k] * cofactors[k][0] for k in range(3)), Fraction(0))
    return [[value / determinant for value in row] for row in cofactors]


def to_xyz(name: str) -> Matrix:
    """Linear R, G, B to X, Y, Z."""
    columns = [_column(Fraction(x, 1000), Fraction(y, 1000)) for x, y in CHROMATICITIES[name]]
    shape = [list(row) for row in zip(*columns, strict=True)]
    white = [[value] * 3 for value in _column(*_D65)]
    scale = [row[0] for row in product(inverse(shape), white)]
    return [[shape[r][c] * scale[c] for c in range(3)] for r in range(3)]


def primaries_block(source: ColorSpace, to: str) -> Block:
    """The pipe's block from BT.2020 samples to xvYCC samples of limited range with the primaries and matrix ``to``."""
    decode = [[value * 4096 for value in row] for row in source.to_rgb()]
    light = product(inverse(to_xyz(to)), to_xyz("bt2020"))
    encode = [[value / 4096 for value in row] for row in ColorSpace(to, False, source.bits).from_rgb()]
    return {
        "enable": 1,
        "decode": [round(value * (1 << _CODE_BITS)) for row in decode for value in row],
        "offsets": source.offsets,
        "primaries": [code for row in light for code in rounded_row(row, _LIGHT_BITS)],
        "encode": [code for row in encode for code in rounded_row(row, _CODE_BITS)],
    }
