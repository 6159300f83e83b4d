"""Skin tone detection and enhancement, literally; see `oracle.color`."""

from fractions import Fraction
from math import floor

from oracle.color_state import Dwords, clamp, floor_to


def turned(d: Dwords, u: Fraction, v: Fraction) -> tuple[Fraction, Fraction]:
    """(Sat, Hue): shift by U_mid, V_mid and turn (6178-6188)."""
    cos, sin = Fraction(d.s(1, 17, 10), 128), Fraction(d.s(1, 7, 0), 128)
    u_center, v_center = u - d.u(0, 23, 16), v - d.u(0, 31, 24)
    return -(u_center * cos - v_center * sin), -(u_center * sin + v_center * cos)


def rectangle(d: Dwords, sat: Fraction, hue: Fraction) -> int:
    """Rectangle skin tone factor (6196-6222); both branches multiply by 2^(5 - HS_margin)."""
    sat_max, hue_max = d.u(0, 9, 4), d.u(0, 15, 10)
    if abs(sat) > sat_max or abs(hue) > hue_max:
        return 0
    slope = Fraction(2) ** (5 - d.u(1, 20, 18))
    return min(floor((sat_max - abs(sat)) * slope), floor((hue_max - abs(hue)) * slope), 31)


def rhombus(d: Dwords, sat: Fraction, hue: Fraction) -> int:
    """Diamond skin tone factor (6232-6258), 31 where the distance is 2^margin inside."""
    du, dv, alpha = d.s(1, 27, 21), d.s(2, 6, 0), Fraction(d.u(2, 20, 13), 64)
    threshold, margin = d.u(2, 12, 7), d.u(1, 30, 28)
    distance = abs(sat - du) + alpha * abs(hue - dv)
    if distance >= threshold:
        return 0
    return min(floor((threshold - distance) * Fraction(2) ** (5 - margin)), 31)


def luma_factor(d: Dwords, y: Fraction) -> int:
    """Y membership (6271-6283)."""
    p1, p2, p3, p4 = d.u(3, 15, 8), d.u(3, 23, 16), d.u(3, 31, 24), d.u(4, 7, 0)
    slope1, slope2 = Fraction(d.u(4, 12, 8), 8), Fraction(d.u(4, 17, 13), 8)
    if p1 <= y < p2:
        factor = (y - p1) * slope1
    elif p2 <= y < p3:
        factor = Fraction(31)
    elif p3 <= y < p4:
        factor = (p4 - y) * slope2
    else:
        factor = Fraction(0)
    return floor(clamp(factor, 0, 31))


def _segment(points: list[int], at: Fraction) -> int:
    """The last segment that begins at or before a place; the first one before all."""
    return max((i for i in range(len(points)) if points[i] <= at), default=0)


def vy_factor(d: Dwords, y: Fraction, v: Fraction) -> int:
    """Detection between two piecewise linear V(Y) curves (6289-6349); the curves have 4 fraction bits."""
    lower = (
        [d.u(6, 23, 16), d.u(6, 31, 24), d.u(7, 7, 0), d.u(7, 15, 8)],
        [d.u(7, 23, 16), d.u(7, 31, 24), d.u(8, 7, 0), d.u(8, 15, 8)],
        [d.s(8, 26, 16), d.s(9, 10, 0), d.s(9, 21, 11), d.s(10, 10, 0)],
    )
    upper = (
        [d.u(10, 18, 11), d.u(10, 26, 19), d.u(11, 7, 0), d.u(11, 15, 8)],
        [d.u(11, 23, 16), d.u(11, 31, 24), d.u(12, 7, 0), d.u(12, 15, 8)],
        [d.s(12, 26, 16), d.s(13, 10, 0), d.s(13, 21, 11), d.s(14, 10, 0)],
    )

    def curve(points: list[int], biases: list[int], slopes: list[int]) -> Fraction:
        i = _segment(points, y)
        return biases[i] + floor_to(Fraction(slopes[i], 256) * (y - points[i]), 4)

    det_l = (v - curve(*lower)) * Fraction(d.u(5, 15, 0), 65536)
    det_u = (curve(*upper) - v) * Fraction(d.u(6, 15, 0), 65536)
    return min(min(floor(clamp(det, 0, 1) * 32), 31) for det in (det_l, det_u))


def score(d: Dwords, y: Fraction, u: Fraction, v: Fraction) -> int:
    """Skin tone factor 0..31 of one pixel: the minimum of all (6262, 6287, 6347)."""
    sat, hue = turned(d, u, v)
    factor = min(rectangle(d, sat, hue), rhombus(d, sat, hue), luma_factor(d, y))
    return min(factor, vy_factor(d, y, v)) if d.u(3, 7, 7) else factor


def dark_membership(d: Dwords, y: Fraction) -> int:
    """MV_Dark in 1/256 (6459-6477)."""
    threshold, margin = d.u(14, 19, 12), d.u(14, 27, 20)
    y_a, y_b = threshold - margin, threshold + margin
    if y < y_a:
        return 256
    if y > y_b:
        return 0
    return floor(clamp((y_b - y) * Fraction(d.u(5, 31, 16), 65536) * 256, 0, 256))


def corrected(d: Dwords, at: Fraction, half: int, points: list[int], biases: list[int], slopes: list[int]) -> Fraction:
    """The saturation or hue curve (6351-6437), from (-half, -half); 11 fraction bits. Inputs stop at -64 and 64."""
    at = clamp(at, -64, 64)
    p = [-half, *points]
    b = [Fraction(-half), *(Fraction(bias, 4) for bias in biases)]
    i = 0
    for k in (1, 2, 3):
        if at >= p[k]:
            i = k
    return floor_to(b[i] + Fraction(slopes[i], 256) * (at - p[i]), 11)


def _curves(
    d: Dwords, base: int
) -> tuple[tuple[list[int], list[int], list[int]], tuple[list[int], list[int], list[int]]]:
    """Points, biases and slopes of the saturation and the hue curve; base is dword 15 (bright) or 22 (dark)."""
    sat = (
        [d.s(base, 6, 0), d.s(base, 13, 7), d.s(base, 20, 14)],
        [d.s(base, 30, 21), d.s(base + 1, 9, 0), d.s(base + 1, 19, 10)],
        [d.u(base + 1, 30, 20), d.u(base + 2, 10, 0), d.u(base + 2, 21, 11), d.u(base + 3, 10, 0)],
    )
    hue = (
        [d.s(base + 3, 17, 11), d.s(base + 3, 24, 18), d.s(base + 3, 31, 25)],
        [d.s(base + 4, 9, 0), d.s(base + 4, 19, 10), d.s(base + 4, 29, 20)],
        [d.u(base + 5, 10, 0), d.u(base + 5, 21, 11), d.u(base + 6, 10, 0), d.u(base + 6, 21, 11)],
    )
    return sat, hue


def enhance(d: Dwords, u: Fraction, v: Fraction, skin: int, dark: int) -> tuple[Fraction, Fraction]:
    """U and V corrected by the curves, blended by the skin type (6479-6483) and the score (6505-6525)."""
    cos, sin = Fraction(d.s(1, 17, 10), 128), Fraction(d.s(1, 7, 0), 128)
    sat, hue = turned(d, u, v)
    sat_max, hue_max = d.u(0, 9, 4), d.u(0, 15, 10)
    sat_curve, hue_curve = _curves(d, 15)
    sat_new, hue_new = corrected(d, sat, sat_max, *sat_curve), corrected(d, hue, hue_max, *hue_curve)
    if d.u(14, 11, 11):
        sat_curve, hue_curve = _curves(d, 22)
        sat_dark, hue_dark = corrected(d, sat, sat_max, *sat_curve), corrected(d, hue, hue_max, *hue_curve)
        m = Fraction(dark, 256)
        sat_new = floor_to(m * sat_dark + (1 - m) * sat_new, 11)
        hue_new = floor_to(m * hue_dark + (1 - m) * hue_new, 11)
    u_new = floor_to(-(sat_new * cos + hue_new * sin), 4) + d.u(0, 23, 16)
    v_new = floor_to(sat_new * sin - hue_new * cos, 4) + d.u(0, 31, 24)
    likelihood = Fraction(skin, 32)
    return (
        clamp(u + floor_to((u_new - u) * likelihood, 4), 0, Fraction(4095, 16)),
        clamp(v + floor_to((v_new - v) * likelihood, 4), 0, Fraction(4095, 16)),
    )
