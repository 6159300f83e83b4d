"""Color matrices of Y'CbCr, computed from Kr and Kb, as integers for the color pipe (seed 003:6774-6806)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from texsamp.video.color.params import Block
from texsamp.video.frame import Frame

KR_KB: dict[str, tuple[Fraction, Fraction]] = {
    "bt601": (Fraction(299, 1000), Fraction(114, 1000)),
    "bt709": (Fraction(2126, 10000), Fraction(722, 10000)),
    "bt2020": (Fraction(2627, 10000), Fraction(593, 10000)),
    "smpte240m": (Fraction(212, 1000), Fraction(87, 1000)),
}
"""Luma coefficients of red and blue."""

SHIFT = 14
"""Fraction bits of the coefficients; the state has 10, which at 10 bits per sample costs a step."""

HD_ROWS = 720
"""Untagged video of so many rows and more is taken as BT.709, of fewer as BT.601."""

_OF_TAG = {1: "bt709", 5: "bt601", 6: "bt601", 7: "smpte240m", 9: "bt2020"}
_UNSPECIFIED_TAG = 2
_MIDDLE = 2048
Matrix = list[list[Fraction]]


def usual_matrix(rows: int) -> str:
    """What video of a height usually has."""
    return "bt709" if rows >= HD_ROWS else "bt601"


def tagged_matrix(frame: Frame) -> tuple[str, str]:
    """A frame's matrix by its tag, or the usual one and words for people."""
    tag = frame.color.matrix
    if tag in _OF_TAG:
        return _OF_TAG[tag], ""
    matrix = usual_matrix(frame.height_px)
    said = "does not say its matrix" if tag == _UNSPECIFIED_TAG else f"has matrix {tag}"
    return matrix, f"the video {said}: {matrix} is assumed for {frame.height_px} rows"


def _diagonal(value: Fraction) -> Matrix:
    return [[value if row == column else Fraction(0) for column in range(3)] for row in range(3)]


@dataclass(frozen=True)
class ColorSpace:
    """What samples mean: ``matrix`` is a name in KR_KB or None for RGB; ``bits`` place white of the full range."""

    matrix: str | None
    full_range: bool
    bits: int

    @property
    def black(self) -> int:
        """Black in 12-bit steps."""
        return 0 if self.full_range else 256

    @property
    def luma_span(self) -> Fraction:
        """White less black."""
        return Fraction(((1 << self.bits) - 1) * 4096, 1 << self.bits) if self.full_range else Fraction(219 * 16)

    @property
    def chroma_span(self) -> Fraction:
        """Largest less smallest chroma."""
        return self.luma_span if self.full_range else Fraction(224 * 16)

    @property
    def offsets(self) -> tuple[int, int, int]:
        """The samples of black."""
        chroma = self.black if self.matrix is None else _MIDDLE
        return self.black, chroma, chroma

    def to_rgb(self) -> Matrix:
        """Rows R, G, B in 0..1 from samples less their offsets."""
        luma = 1 / self.luma_span
        if self.matrix is None:
            return _diagonal(luma)
        (kr, kb), chroma = KR_KB[self.matrix], 1 / self.chroma_span
        kg = 1 - kr - kb
        blue, red = 2 * (1 - kb) * chroma, 2 * (1 - kr) * chroma
        return [[luma, Fraction(0), red], [luma, -blue * kb / kg, -red * kr / kg], [luma, blue, Fraction(0)]]

    def from_rgb(self) -> Matrix:
        """Rows Y, U, V (or R, G, B) less their offsets, from R, G, B in 0..1."""
        luma = self.luma_span
        if self.matrix is None:
            return _diagonal(luma)
        kr, kb = KR_KB[self.matrix]
        kg = 1 - kr - kb
        u, v = self.chroma_span / (2 * (1 - kb)), self.chroma_span / (2 * (1 - kr))
        return [
            [luma * kr, luma * kg, luma * kb],
            [-u * kr, -u * kg, u * (1 - kb)],
            [v * (1 - kr), -v * kg, -v * kb],
        ]


def product(a: Matrix, b: Matrix) -> Matrix:
    """The matrix product."""
    return [[sum((a[r][k] * b[k][c] for k in range(3)), Fraction(0)) for c in range(3)] for r in range(3)]


def rounded_row(row: Sequence[Fraction], shift: int) -> list[int]:
    """Integers whose sum is the rounded sum, so that gray stays gray and white white; the largest takes the rest."""
    codes = [round(value * (1 << shift)) for value in row]
    rest = round(sum(row) * (1 << shift)) - sum(codes)
    codes[max(range(3), key=lambda i: abs(row[i]))] += rest
    return codes


@lru_cache(maxsize=32)  # as every frame of a video asks for the same
def conversion(source: ColorSpace, target: ColorSpace) -> Block:
    """The pipe's matrix block from one meaning of samples to another, rounding to the nearest output sample."""
    exact = product(target.from_rgb(), source.to_rgb())
    half_step = (4096 >> target.bits) // 2
    return {
        "enable": 1,
        "shift": SHIFT,
        "coefficients": [code for row in exact for code in _coefficients(row, source)],
        "offsets_in": [-offset for offset in source.offsets],
        "offsets_out": [offset + half_step for offset in target.offsets],
    }


def _coefficients(row: Sequence[Fraction], source: ColorSpace) -> list[int]:
    if source.matrix is not None:  # gray is luma alone
        return [round(value * (1 << SHIFT)) for value in row]
    return rounded_row(row, SHIFT)
