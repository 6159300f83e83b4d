"""Tone mapping, literally by docs/tonemap.md: one pixel at a time, float32 where it says so."""

from fractions import Fraction
from math import exp, floor, frexp, log2, log10

import numpy as np

from oracle.color_primaries import light_matrix, xyz_of

F = np.float32


def pq_to_light(code: float) -> float:
    """BT.2100 table 4, the EOTF: cd/m² of a code from 0 to 1."""
    m1, m2, c1, c2, c3 = 0.1593017578125, 78.84375, 0.8359375, 18.8515625, 18.6875
    root = code ** (1 / m2)
    return 10000 * (max(root - c1, 0) / (c2 - c3 * root)) ** (1 / m1)


def light_to_pq(light: float) -> float:
    """BT.2100 table 4, the inverse of the EOTF."""
    m1, m2, c1, c2, c3 = 0.1593017578125, 78.84375, 0.8359375, 18.8515625, 18.6875
    y = (light / 10000) ** m1
    return ((c1 + c2 * y) / (1 + c3 * y)) ** m2


def hlg_to_scene(code: float) -> float:
    """BT.2100 table 5, the inverse of the OETF."""
    a, b, c = 0.17883277, 0.28466892, 0.55991073
    return code**2 / 3 if code <= 0.5 else (exp((code - c) / a) + b) / 12


def gamma_of(peak: float) -> float:
    """BT.2100 table 5, note 5f."""
    return 1.2 + 0.42 * log10(peak / 1000) if 400 <= peak <= 2000 else 1.2 * 1.111 ** log2(peak / 1000)


def eetf(light: float, peak: float, white: float) -> float:
    """BT.2390, section 5.4.1, steps 1 to 4 with a black of 0: cd/m² to cd/m²."""
    e1 = min(light_to_pq(light) / light_to_pq(peak), 1)
    max_lum = light_to_pq(white) / light_to_pq(peak)
    if max_lum >= 1:
        return min(light, white)
    ks = 1.5 * max_lum - 0.5
    if e1 < ks:
        return light
    t = (e1 - ks) / (1 - ks)
    e2 = (2 * t**3 - 3 * t**2 + 1) * ks + (t**3 - 2 * t**2 + t) * (1 - ks) + (-2 * t**3 + 3 * t**2) * max_lum
    return pq_to_light(min(e2, max_lum) * light_to_pq(peak))


class Curve:
    """A function over light with 64 entries per octave."""

    def __init__(self, function, at_0: float):
        self.function, self.at_0 = function, at_0

    def entry(self, index: int):
        if index == 0:
            return F(self.at_0)
        octave, k = divmod(index, 64)
        return F(self.function(2.0 ** (octave - 32) * (1 + k / 64)))

    def __call__(self, v):
        if v < 2.0**-32:
            return self.entry(0)
        fraction, exponent = frexp(min(float(v), float(np.nextafter(F(256), F(0)))))
        k = 64 * (2 * fraction - 1)
        index = 64 * (exponent - 1 + 32) + floor(k)
        a, b = self.entry(index), self.entry(index + 1)
        return a + F(k - floor(k)) * (b - a)


def spans(full_range: bool, bits: int) -> tuple[int, int, int, int]:
    """Luma's span, chroma's span, black and middle in samples."""
    if full_range:
        return 2**bits - 1, 2**bits - 1, 0, 2 ** (bits - 1)
    return 219 << bits - 8, 224 << bits - 8, 16 << bits - 8, 2 ** (bits - 1)


class ToneMapping:
    """From samples of one depth to samples of another: `peak` is the roll-off's, `nominal` that of HLG's system."""

    def __init__(self, transfer: str, full_range: bool, bits: tuple[int, int], white: int, peak: float, nominal: int):
        self.transfer, self.full_range, self.bits, self.white = transfer, full_range, bits, white
        self.system = Curve(lambda y: nominal / white * y ** (gamma_of(nominal) - 1), 0)
        self.gain = Curve(lambda m: eetf(m * white, peak, white) / (m * white), 1)
        self.code = Curve(lambda c: min(c, 1) ** (1 / 2.4), 0)
        self.luminance = [F(float(k)) for k in xyz_of("bt2020")[1]]
        self.primaries = [[F(float(k)) for k in row] for row in light_matrix("bt709")]
        luma, chroma, self.black, self.middle = spans(full_range, bits[0])
        kr, kb = Fraction(2627, 10000), Fraction(593, 10000)
        red, blue = 2 * (1 - kr) / chroma, 2 * (1 - kb) / chroma
        kg = 1 - kr - kb
        rows = [[Fraction(1, luma), 0, red], [Fraction(1, luma), -kb * blue / kg, -kr * red / kg]]
        rows.append([Fraction(1, luma), blue, 0])
        self.matrix = [[round(k * 16384 * 8192) for k in row] for row in rows]

    def light(self, y: int, u: int, v: int):
        """Steps 1 to 3."""
        less = (y - self.black, u - self.middle, v - self.middle)
        sums = [sum(k * c for k, c in zip(row, less, strict=True)) for row in self.matrix]
        codes = [min(max(floor(Fraction(s, 8192) + Fraction(1, 2)), 0), 16384) / 16384 for s in sums]
        if self.transfer == "pq":
            return [F(pq_to_light(c) / self.white) for c in codes]
        scene = [F(hlg_to_scene(c)) for c in codes]
        by = self.system(self.sum_of(self.luminance, scene))
        return [c * by for c in scene]

    @staticmethod
    def sum_of(weights, values):
        a, b, c = (w * v for w, v in zip(weights, values, strict=True))
        return (a + b) + c

    def display(self, light):
        """Steps 4 to 7: R', G', B'."""
        rgb = [self.sum_of(row, light) for row in self.primaries]
        by = self.gain(max(rgb))
        gray = self.sum_of(self.luminance, light) * by
        rgb = [c * by for c in rgb]
        kept = gray / max(gray - min(rgb), gray, F(2.0**-60))
        return [self.code(gray + kept * (c - gray)) for c in rgb]

    def parts(self, y: int, u: int, v: int):
        """Y', B' - Y' and R' - Y' of a pixel."""
        r, g, b = self.display(self.light(y, u, v))
        luma = self.sum_of((F(0.2126), F(0.7152), F(0.0722)), (r, g, b))
        return luma, b - luma, r - luma

    def frame(self, y, u, v, log2_width: int, log2_height: int):
        """Arrays of samples to arrays of samples."""
        height, width = y.shape
        parts = np.empty((3, height, width), F)
        for row in range(height):
            for column in range(width):
                at = row >> log2_height, column >> log2_width
                parts[:, row, column] = self.parts(int(y[row, column]), int(u[at]), int(v[at]))
        luma, chroma, black, middle = spans(self.full_range, self.bits[1])
        pixels = 1 << log2_width + log2_height
        top = 2 ** self.bits[1] - 1

        def samples(values, scale, offset):
            made = np.floor(values * F(scale) + F(offset + 0.5))
            return np.clip(made, 0, top).astype(np.int64)

        planes = [samples(parts[0], luma, black)]
        for part, k in ((parts[1], 0.9278), (parts[2], 0.7874)):
            padded = np.pad(part, ((0, height % 2), (0, width % 2)), "edge")
            sums = part
            if log2_width:
                sums = padded[:, ::2] + padded[:, 1::2]
                sums = sums[::2] + sums[1::2] if log2_height else sums[:height]
            planes.append(samples(sums, Fraction(chroma, pixels) / (2 * Fraction(str(k))), middle))
        return planes


def peak_of(lights, white: int) -> float:
    """The upper end of the brightest bin that more than one of 10,000 pixels reach, in cd/m²."""

    def bin_of(light) -> int:
        if light < 2.0**-32:
            return 0
        fraction, exponent = frexp(light)
        return 16 * (exponent - 1 + 32) + floor(16 * (2 * fraction - 1))

    bins = sorted((bin_of(float(max(light))) for light in lights), reverse=True)
    octave, k = divmod(bins[len(bins) // 10000] + 1, 16)
    return 2.0 ** (octave - 32) * (1 + k / 16) * white
