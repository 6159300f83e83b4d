"""The color pipe written out literally: one pixel at a time, exact fractions, truncated where docs/color.md says so.

Line numbers are those of seed 003. The state is the 67 dwords of COLOR_PROCESSING_STATE, taken apart by the manual's
bit numbers. Values are in 8-bit units (a 12-bit sample is n/16), so that the manual's constants can be read as printed.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import floor

from oracle import color_gamut, color_skin, color_tone
from oracle.color_state import Dwords, clamp, floor_to

Pixel = tuple[Fraction, Fraction, Fraction]
WHITE = Fraction(4095, 16)
"""Largest value of the pipe."""


def unpack(sample: int, bits: int) -> Fraction:
    """A sample of 8, 10 or 16 bits in the 12-bit pipe (6062-6066): the MSBs line up, further LSBs are cut."""
    return Fraction(floor(Fraction(sample * 4096, 1 << bits)), 16)


def repack(value: Fraction, bits: int) -> int:
    """8 bits take the 8 MSB, 16 bits get 0000 at the LSB (6066); 10 bits take the 10 MSB."""
    return floor(value * 16 * (1 << bits) / 4096)


def is_422(quad: Sequence[Sequence[tuple[Fraction, Fraction]]]) -> bool:
    """Auto detection on (U, V) of [[pixel 0, pixel 1], [pixel 2, pixel 3]]: equal 8 MSB along rows (6098-6110)."""
    return all(floor(row[0][c]) == floor(row[1][c]) for row in quad for c in (0, 1))


def procamp(d: Dwords, pixel: Pixel) -> Pixel:
    """Y' = (Y - 256) * C + B + 256; U, V turned and scaled (6748-6770). 256 and 2048 are 16 and 128 here."""
    y, u, v = pixel
    C, B = Fraction(d.u(53, 27, 17), 128), Fraction(d.s(53, 12, 1), 16)
    cos, sin = Fraction(d.s(54, 31, 16), 256), Fraction(d.s(54, 15, 0), 256)
    return (
        clamp(floor_to((y - 16) * C, 4) + B + 16, 0, WHITE),
        clamp(floor_to((u - 128) * cos + (v - 128) * sin, 4) + 128, 0, WHITE),
        clamp(floor_to((v - 128) * cos - (u - 128) * sin, 4) + 128, 0, WHITE),
    )


def csc(d: Dwords, pixel: Pixel) -> Pixel:
    """vout = A * (vin + v0) + u0, clipped (6780-6806); the offsets count 10-bit codes, a quarter of an 8-bit one."""
    places = (
        (55, 15, 3),
        (55, 28, 16),
        (56, 12, 0),
        (56, 25, 13),
        (57, 12, 0),
        (57, 25, 13),
        (58, 12, 0),
        (58, 25, 13),
    )
    X = [Fraction(d.s(*place), 1024) for place in (*places, (59, 12, 0))]
    yuv_in, yuv_out = d.u(55, 2, 2), d.u(55, 1, 1)
    v0 = [yuv_in * Fraction(d.s(60 + i, 9, 0), 4) for i in range(3)]
    u0 = [yuv_out * Fraction(d.s(60 + i, 19, 10), 4) for i in range(3)]
    return transform(pixel, X, v0, u0)


def transform(pixel: Pixel, X: Sequence[Fraction], v0: Sequence[Fraction], u0: Sequence[Fraction]) -> Pixel:
    """The matrix with its two offset vectors."""
    out = []
    for row in range(3):
        total = sum((X[3 * row + c] * (pixel[c] + v0[c]) for c in range(3)), Fraction(0))
        out.append(clamp(floor_to(total, 4) + u0[row], 0, WHITE))
    return out[0], out[1], out[2]


def combined(mode: int, a: int, b: int) -> int:
    """Minimum, maximum or average of a factor of two pixels that share chroma (8077-8106)."""
    return {0: min(a, b), 1: max(a, b), 2: (a + b) >> 1}[mode]


def pair(d: Dwords, pixels: Sequence[Pixel], shared_chroma: bool) -> tuple[list[Pixel], list[int]]:
    """Two pixels side by side through the pipe, and their skin scores.

    With shared chroma they have one U and V (4:2:2, 6126-6158).
    """
    pixels = list(pixels)
    scores = [0, 0]
    if d.u(0, 0, 0):
        scores = [color_skin.score(d, *pixel) for pixel in pixels]
        if shared_chroma:
            scores = [combined(d.u(66, 27, 26), *scores)] * 2
        if d.u(0, 1, 1):
            dark = [color_skin.dark_membership(d, pixel[0]) for pixel in pixels]
            if shared_chroma:
                dark = [combined(d.u(66, 25, 24), *dark)] * 2
            pixels = [
                (p[0], *color_skin.enhance(d, p[1], p[2], s, m)) for p, s, m in zip(pixels, scores, dark, strict=True)
            ]
        if d.u(0, 2, 2):  # 6527-6533
            pixels = [(Fraction(0x7FF + (s << 6), 16), Fraction(0x7FF, 16), Fraction(0x7FF, 16)) for s in scores]
    if d.u(64, 31, 31):
        found = [color_gamut.compress(d, pixel) for pixel in pixels]
        scaling = [f.scaling for f in found]
        if shared_chroma:
            scaling = [combined(d.u(66, 23, 22), *scaling)] * 2
        pixels = [color_gamut.scaled(d, p, f, s) for p, f, s in zip(pixels, found, scaling, strict=True)]
    done = []
    for (y, u, v), skin in zip(pixels, scores, strict=True):
        if d.u(42, 7, 7):
            u, v = color_tone.total_color_control(d, u, v, skin)  # noqa: PLW2901 - the pipe's own names
        if d.u(29, 0, 0):
            y = color_tone.contrast(d, y)  # noqa: PLW2901
        pixel = (y, u, v)
        if d.u(53, 0, 0):
            pixel = procamp(d, pixel)
        if d.u(55, 0, 0):
            pixel = csc(d, pixel)
        done.append(pixel)
    return done, scores


def picture(
    d: Dwords, planes: Sequence[Sequence[Sequence[Fraction]]], shared_chroma: bool | None
) -> tuple[list[list[Pixel]], list[list[int]]]:
    """Rows of (Y, U, V) and of scores; planes are Y, U, V in pipe units, chroma repeated for every pixel.

    ``shared_chroma`` None detects 4:2:2 in every 2x2 pixels. A last column or row without a partner is its own.
    """
    height, width = len(planes[0]), len(planes[0][0])
    pixels: list[list[Pixel]] = [[(Fraction(0),) * 3] * width for _ in range(height)]
    scores = [[0] * width for _ in range(height)]
    for y0 in range(0, height, 2):
        rows = (y0, min(y0 + 1, height - 1))
        for x0 in range(0, width, 2):
            columns = (x0, min(x0 + 1, width - 1))
            quad = [[(planes[1][r][c], planes[2][r][c]) for c in columns] for r in rows]
            shared = is_422(quad) if shared_chroma is None else shared_chroma
            for r, chroma in zip(rows, quad, strict=True):
                if shared_chroma is None and shared:
                    average = [floor_to((chroma[0][i] + chroma[1][i]) / 2, 4) for i in (0, 1)]
                    chroma = [average, average]  # noqa: PLW2901 - one row's
                both = [(planes[0][r][c], *uv) for c, uv in zip(columns, chroma, strict=True)]
                out, skin = pair(d, both, shared)
                for c, pixel, s in zip(columns, out, skin, strict=True):
                    pixels[r][c], scores[r][c] = pixel, s
    return pixels, scores
