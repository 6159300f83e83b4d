"""Total color control and the contrast curve, literally; see `oracle.color`."""

from fractions import Fraction
from math import floor, pi

from oracle.color_state import Dwords, clamp, floor_to

TURN = Fraction(1024)
QUADRATIC, LINEAR, CONSTANT = (floor(c * 1024 / (2 * pi) * 4096 + 0.5) for c in (0.2880, 1.0797, 0.005))
"""arctan(x) = -0.2880 x^2 + 1.0797 x - 0.005 (6616), in 1/1024 turns with 12 fraction bits."""


def angle(u: int, v: int) -> Fraction:
    """Hue angle of a chroma vector in 1/1024 turns, 12 fraction bits, from +U toward +V (6612-6622)."""
    small, large = sorted((abs(u), abs(v)))
    x = Fraction(floor(Fraction(small * 1024, max(large, 1))), 1024)
    phi = max(floor((LINEAR - floor(QUADRATIC * x)) * x) - CONSTANT, 0)
    theta = Fraction(phi, 4096)
    if abs(v) > abs(u):
        theta = TURN / 4 - theta
    if u < 0:
        theta = TURN / 2 - theta
    if v < 0:
        theta = TURN - theta
    return theta % TURN


def total_color_control(d: Dwords, u: Fraction, v: Fraction, skin: int) -> tuple[Fraction, Fraction]:
    """U and V in 10 bits without their middle, times the saturation factor (6586-6740)."""
    u10, v10 = floor(u * 4) - 512, floor(v * 4) - 512
    factor = saturation_factor(d, u10, v10, skin)
    return tuple(clamp(Fraction(floor(c * factor) + 512, 4), 0, Fraction(1023, 4)) for c in (u10, v10))  # type: ignore[return-value]


def saturation_factor(d: Dwords, u10: int, v10: int, skin: int) -> Fraction:
    """SFs4 in 1/128."""
    theta = floor(angle(u10, v10))
    base = [d.u(44, 9, 0), d.u(44, 19, 10), d.u(44, 29, 20), d.u(45, 9, 0), d.u(45, 19, 10), d.u(45, 29, 20)]
    slope = [d.u(46, 15, 0), d.u(46, 31, 16), d.u(47, 15, 0), d.u(47, 31, 16), d.u(48, 15, 0), d.u(48, 31, 16)]
    bias = [d.u(49, 11, 2), d.u(49, 21, 12), d.u(49, 31, 22), d.u(50, 11, 2), d.u(50, 21, 12), d.u(50, 31, 22)]
    wanted = [d.u(42, 15, 8), d.u(42, 23, 16), d.u(42, 31, 24), d.u(43, 15, 8), d.u(43, 23, 16), d.u(43, 31, 24)]
    sector = 5
    for i in range(6):
        if base[i] <= theta:
            sector = i
    distance = theta - base[sector] + (1024 if theta < base[sector] else 0)
    # 6636: alpha = min(max((theta - BaseColor) * ColorTransitSlope - ColorBias, 0), 1), 8 fraction bits
    alpha = floor_to(clamp(distance * Fraction(slope[sector], 65536) - Fraction(bias[sector], 256), 0, 1), 8)
    sfs1 = floor_to((1 - alpha) * Fraction(wanted[sector], 128) + alpha * Fraction(wanted[(sector + 1) % 6], 128), 7)
    uv_max, max_color = max(abs(u10), abs(v10)), d.u(52, 8, 0)
    if sfs1 <= 1:  # 6646-6656
        sfs2 = sfs1
    elif uv_max > max_color:
        sfs2 = Fraction(1)
    else:
        room = min(floor_to((max_color - uv_max) * Fraction(d.u(52, 31, 16), 65536), 8), Fraction(1))
        sfs2 = 1 + floor_to((sfs1 - 1) * room, 7)
    threshold, bits = d.u(51, 30, 24), d.u(51, 18, 16)
    if sfs2 <= 1:  # 6672-6686
        sfs3 = sfs2
    else:
        limit = clamp(Fraction(uv_max - threshold, 1 << bits), 0, 1)
        sfs3 = 1 + floor_to((sfs2 - 1) * limit, 7)
    skin_factor = min(max((skin - d.u(51, 12, 8)) * 8 * (1 << d.u(51, 2, 0)), 0), 255)
    return floor_to((1 * Fraction(skin_factor) + (256 - skin_factor) * sfs3) / 256, 7)


def contrast(d: Dwords, y: Fraction) -> Fraction:
    """The curve of 11 segments between Ymin and Ymax (6580, 7547-7718); luma outside stays as it is."""
    points = [d.u(30 + i // 4, 8 * (i % 4) + 7, 8 * (i % 4)) for i in range(12)]
    biases = [points[0], *(d.u(33 + i // 4, 8 * (i % 4) + 7, 8 * (i % 4)) for i in range(10))]
    slopes = [d.u(36 + i // 2, 16 * (i % 2) + 10, 16 * (i % 2)) for i in range(11)]
    if not points[0] <= y < points[11]:
        return y
    i = 0
    for k in range(1, 11):
        if y >= points[k]:
            i = k
    return clamp(biases[i] + floor_to(Fraction(slopes[i], 1024) * (y - points[i]), 4), 0, Fraction(4095, 16))
