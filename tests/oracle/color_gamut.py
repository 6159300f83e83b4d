"""Color gamut compression, literally; see `oracle.color`. Here 1.0 is 4096 and samples are 12-bit integers."""

from dataclasses import dataclass
from fractions import Fraction
from math import cos, floor, isqrt, pi, sin

from oracle.color_state import Dwords
from oracle.color_tone import angle

KR_KB = {0: (0.2126, 0.0722), 1: (0.299, 0.114)}
"""Display color space mode 0 is BT.709, 1 is BT.601 (Valleyview PRM volume 2 part 4, page 60)."""


def vertex(space: int, index: int) -> tuple[int, int]:
    """(Sat_Vertex, Luma1) at a hue of index/512 half turns (6900-6930): the tip of the RGB cube's outline there.

    Along the hue, R, G and B move by d per unit of chroma; the tip is where both the largest reaches 1 and the
    smallest 0.
    """
    kr, kb = KR_KB[space]
    kg = 1 - kr - kb
    theta = pi * index / 512
    u, v = cos(theta), sin(theta)
    d = (2 * (1 - kr) * v, -(2 * kr * (1 - kr) * v + 2 * kb * (1 - kb) * u) / kg, 2 * (1 - kb) * u)
    chroma = 1 / (max(d) - min(d))
    return floor(4096 * chroma + 0.5), floor(-4096 * min(d) * chroma + 0.5)


@dataclass(frozen=True)
class Compressed:
    """Decoded luma and chroma of one pixel, its scaling factor in 1/4096, its new luma, and the test of (4)."""

    y: int
    u: int
    v: int
    scaling: int
    luma: int
    outside: bool


def decoded(d: Dwords, pixel: tuple[Fraction, Fraction, Fraction]) -> tuple[int, int, int]:
    """xvYCC decoding (6866-6886), or the samples themselves."""
    y, u, v = (int(c * 16) for c in pixel)
    if d.u(66, 31, 31):
        return (y - 256) * 4788 >> 12, (u - 2048) * 4681 >> 12, (v - 2048) * 4681 >> 12
    return y, u - 2048, v - 2048


def compress(d: Dwords, pixel: tuple[Fraction, Fraction, Fraction]) -> Compressed:
    """The scaling factor and the luma of a pixel (6888-7045)."""
    luma, u, v = decoded(d, pixel)
    c = isqrt(u * u + v * v)
    unchanged = Compressed(luma, u, v, 4096, luma, False)
    if c == 0:
        return unchanged
    index = floor(angle(u, v))
    c_v, luma1 = vertex(d.u(66, 3, 0), index % 512)
    upper_side = v > 0 or (v == 0 and u > 0)
    l_v = luma1 if upper_side else 4096 - luma1
    above_line = luma - Fraction(l_v - 4096, c_v) * c - 4096 >= 0
    below_line = luma - Fraction(l_v, c_v) * c < 0
    outside = above_line if luma >= l_v else below_line
    e = 4096 if luma > l_v else 0
    m_boundary = Fraction(l_v - e, c_v)
    m_comp = -1 / m_boundary / (1 << d.u(65, 30, 28))
    l_i = luma - c * m_comp
    c_b = min(max(floor((l_i - e) / (m_boundary - m_comp)), 0), 8191)
    clipped = min(c, c_b) if outside else c
    c_out = mapped(d, luma, c, l_v, l_i, m_comp, c_b) if d.u(64, 30, 30) else clipped
    if c_out == c:
        return Compressed(luma, u, v, 4096, luma, outside)
    l_out = floor(luma + (c_out - c) * m_comp)
    return Compressed(luma, u, v, c_out * 4096 // c, l_out, outside)


def mapped(d: Dwords, luma: int, c: int, l_v: int, l_i: Fraction, m_comp: Fraction, c_b: int) -> int:
    """New chroma of full range mapping (7024-7045); distances are counted in chroma from the reference point R.

    The law of d_final is lost: what lies within d_in of the boundary and d_out beyond it is squeezed into d_in.
    """
    above = luma > l_v
    l_r = max(l_i, Fraction(l_v)) if above else min(l_i, Fraction(l_v))
    c_r = max(c - floor((luma - l_r) / m_comp), 0)
    if c_b < c_r:  # the reference point itself is outside
        return min(c, c_b)
    d_in, d_out = (d.u(64, 29, 20), d.u(64, 19, 10)) if above else (d.u(65, 9, 0), d.u(64, 9, 0))
    to_boundary, distance = c_b - c_r, c - c_r
    inner, outer = min(4 * d_in, to_boundary), 4 * d_out
    begin = to_boundary - inner
    if distance <= begin:
        return c
    rest = (distance - begin) * inner // (inner + outer) if inner + outer else 0
    return c_r + min(to_boundary, begin + rest)


def scaled(
    d: Dwords, pixel: tuple[Fraction, Fraction, Fraction], found: Compressed, scaling: int
) -> tuple[Fraction, Fraction, Fraction]:
    """The pixel with its new luma and chroma, encoded again (7016-7022, 7047-7051); what did not change stays."""

    def sample(value: int) -> Fraction:
        return Fraction(min(max(value, 0), 4095), 16)

    y, u, v = pixel
    encode = bool(d.u(66, 31, 31))
    if found.luma != found.y:
        y = sample((found.luma * 3504 >> 12) + 256 if encode else found.luma)
    if scaling != 4096:
        new = [component * scaling >> 12 for component in (found.u, found.v)]
        u, v = (sample((component * 3584 >> 12 if encode else component) + 2048) for component in new)
    return y, u, v
