"""Texels written out from the manual, one at a time: Python integers and fractions, nothing shared with the kernels.

A texel comes and goes as a list of numbers, one per channel. Fractions are exact; `to_float32` rounds them once.
Sources: seed 001:1201-1350 (number formats), 1356-1452 (order, luminance, palettes), 2066-2105 (4:2:2). What the manual
leaves open is marked "ours"; docs/texels.md lists it.
"""

from __future__ import annotations

import math
import struct
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

Number = Fraction | float | int


# -- floats as bit patterns ------------------------------------------------------------------------------------------


def bits_of_float32(value: float) -> int:
    """Bits of a float32 that is exactly `value`."""
    return int.from_bytes(struct.pack("<f", value), "little")


@cache
def power_of_two(exponent: int) -> Fraction:
    return Fraction(2) ** exponent


def to_float32(value: Fraction) -> int:
    """Bits of the float32 nearest to a fraction, ties to even."""
    if value == 0:
        return 0
    sign, magnitude = (0x80000000 if value < 0 else 0), abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if power_of_two(exponent) > magnitude:
        exponent -= 1
    exponent = max(exponent, -126)
    scaled = magnitude / power_of_two(exponent - 23)
    fraction = math.floor(scaled)
    rest = scaled - fraction
    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and fraction % 2):
        fraction += 1
    # a carry into the next binade, or out of the denormals, is the right pattern by itself
    return sign | (((exponent + 126) << 23) + fraction)


def small_float(code: int, fraction_bits: int, signed: bool) -> int:
    """Float32 bits of a float with 5 bits of exponent (001:1269-1336). NaN keeps its fraction's top bits: ours."""
    sign = code >> (fraction_bits + 5) if signed else 0
    exponent = code >> fraction_bits & 31
    fraction = code & ((1 << fraction_bits) - 1)
    if exponent == 31:
        return sign << 31 | 0x7F800000 | fraction << (23 - fraction_bits)
    if exponent == 0:
        value = Fraction(fraction, 1 << fraction_bits) * power_of_two(-14)
    else:
        value = (1 + Fraction(fraction, 1 << fraction_bits)) * power_of_two(exponent - 15)
    return to_float32(value) | sign << 31


def float32_value(bits: int) -> Fraction:
    """The number that finite float32 bits stand for (001:1237-1250)."""
    exponent, fraction = bits >> 23 & 255, bits & 0x7FFFFF
    value = Fraction(fraction, 1 << 23) * power_of_two(-126)
    if exponent:
        value = (1 + Fraction(fraction, 1 << 23)) * power_of_two(exponent - 127)
    return -value if bits >> 31 else value


def is_nan(bits: int) -> bool:
    return bits & 0x7FFFFFFF > 0x7F800000


def to_small_float(bits: int, fraction_bits: int, signed: bool) -> int:
    """The nearest float with 5 bits of exponent, ties to even (001:1307, said of 16 bits; the others: ours).

    16 bits overflow to infinity; without a sign negative numbers are 0 and overflow is the largest number (ours, as
    EXT_packed_float has it). NaN keeps the top of its fraction, and is quiet if those are zero (ours).
    """
    infinity = 31 << fraction_bits
    sign = (bits >> 31) << (fraction_bits + 5)
    if is_nan(bits):
        kept = (bits & 0x7FFFFF) >> (23 - fraction_bits)
        return (sign if signed else 0) | infinity | (kept or 1 << (fraction_bits - 1))
    if bits >> 31 and not signed:
        return 0
    if bits & 0x7FFFFFFF == 0x7F800000:
        return (sign if signed else 0) | infinity
    magnitude = abs(float32_value(bits))
    code = nearest_code(magnitude, fraction_bits)
    if code >= infinity:
        code = infinity if signed else infinity - 1
    return (sign if signed else 0) | code


def nearest_code(magnitude: Fraction, fraction_bits: int) -> int:
    """Exponent and fraction bits of the float nearest to a number that is not negative; codes are in order."""
    exponent = -14
    while magnitude >= power_of_two(exponent + 1):
        exponent += 1
    steps = magnitude / power_of_two(exponent - fraction_bits)
    whole, rest = math.floor(steps), steps - math.floor(steps)
    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2):
        whole += 1
    return ((exponent + 14) << fraction_bits) + whole


# -- one channel -----------------------------------------------------------------------------------------------------


def signed_of(code: int, bits: int) -> int:
    return code - (1 << bits) if code >> (bits - 1) else code


@cache
def linear_of_srgb(numerator: int, denominator: int) -> int:
    """Float32 bits of the sRGB electro-optical function of a fraction (003:724 as repaired, S9)."""
    encoded = Fraction(numerator, denominator)
    if encoded <= Fraction(4045, 100000):
        return to_float32(encoded / Fraction(1292, 100))
    with localcontext() as context:
        context.prec = 60
        base = (Decimal(encoded.numerator) / Decimal(encoded.denominator) + Decimal("0.055")) / Decimal("1.055")
        return to_float32(Fraction(base ** Decimal("2.4")))


def srgb_of_linear(linear: Fraction) -> Fraction:
    """The forward function, to 60 digits."""
    if linear <= Fraction(31308, 10**7):
        return linear * Fraction(1292, 100)
    with localcontext() as context:
        context.prec = 60
        power = (Decimal(linear.numerator) / Decimal(linear.denominator)) ** (Decimal(1) / Decimal("2.4"))
        return Fraction(Decimal("1.055") * power - Decimal("0.055"))


def load_channel(kind: str, code: int, bits: int, srgb: bool) -> int:
    """32 bits of what a channel's code stands for: float bits, or an integer modulo 2^32."""
    if kind == "unorm":  # 001:1201-1205
        largest = (1 << bits) - 1
        return linear_of_srgb(code, largest) if srgb else to_float32(Fraction(code, largest))
    if kind == "snorm":  # 001:1213-1215: the most negative value is clamped to -1
        return to_float32(max(Fraction(signed_of(code, bits), (1 << (bits - 1)) - 1), Fraction(-1)))
    if kind == "uint":
        return code
    if kind == "sint":
        return signed_of(code, bits) & 0xFFFFFFFF
    if kind == "uscaled":  # 001:1223
        return to_float32(Fraction(code))
    if kind == "sscaled":
        return to_float32(Fraction(signed_of(code, bits)))
    if kind == "sfixed":  # 16.16
        return to_float32(Fraction(signed_of(code, bits), 1 << 16))
    if kind == "float":
        return code if bits == 32 else small_float(code, {16: 10, 11: 6, 10: 5}[bits], bits == 16)
    raise AssertionError(kind)


def nearest_away(value: Fraction) -> int:
    """To the nearest integer, halves away from zero (Direct3D's rule for normalized stores; ours elsewhere)."""
    whole = math.floor(abs(value) + Fraction(1, 2))
    return whole if value >= 0 else -whole


def store_channel(kind: str, bits: int, word: int, srgb: bool) -> int:
    """The code of 32 bits of value; NaN is 0 wherever the code is not a float, out of range is clamped."""
    if kind in ("uint", "index"):
        return min(word, (1 << bits) - 1)
    if kind == "sint":
        return min(max(signed_of(word, 32), -(1 << (bits - 1))), (1 << (bits - 1)) - 1) & ((1 << bits) - 1)
    if kind == "float":
        return word if bits == 32 else to_small_float(word, {16: 10, 11: 6, 10: 5}[bits], bits == 16)
    if is_nan(word):
        return 0
    infinite = word & 0x7FFFFFFF == 0x7F800000
    value = Fraction(-(1 << 200) if word >> 31 else 1 << 200) if infinite else float32_value(word)
    low, high, scale = {
        "unorm": (0, (1 << bits) - 1, (1 << bits) - 1),
        "snorm": (1 - (1 << (bits - 1)), (1 << (bits - 1)) - 1, (1 << (bits - 1)) - 1),
        "uscaled": (0, (1 << bits) - 1, 1),
        "sscaled": (-(1 << (bits - 1)), (1 << (bits - 1)) - 1, 1),
        "sfixed": (-(1 << (bits - 1)), (1 << (bits - 1)) - 1, 1 << 16),
    }[kind]
    if srgb:
        value = srgb_of_linear(min(max(value, Fraction(0)), Fraction(1)))
    return min(max(nearest_away(value * scale), low), high) & ((1 << bits) - 1)


# -- whole texels ----------------------------------------------------------------------------------------------------


def load_shared_exponent(code: int) -> list[int]:
    """001:1338-1350: red in the low bits, v = 0.f * 2^(e - 15)."""
    exponent = code >> 27
    return [to_float32(Fraction(code >> shift & 511, 512) * power_of_two(exponent - 15)) for shift in (0, 9, 18)]


def store_shared_exponent(words: list[int]) -> int:
    """The smallest exponent that holds the largest channel, halves up (EXT_texture_shared_exponent)."""
    largest = Fraction(511, 512) * 2**16
    values = []
    for word in words:
        if is_nan(word) or word >> 31:
            values.append(Fraction(0))
        elif word == 0x7F800000:
            values.append(largest)
        else:
            values.append(min(float32_value(word), largest))
    for exponent in range(32):
        step = power_of_two(exponent - 24)
        fractions = [math.floor(value / step + Fraction(1, 2)) for value in values]
        if max(fractions) <= 511:
            return fractions[0] | fractions[1] << 9 | fractions[2] << 18 | exponent << 27
    raise AssertionError(values)


def palette_color(palette: list[int], index: int) -> list[int]:
    """R, G, B, A codes of an entry (003:4356-4378): A31:24 R23:16 G15:8 B7:0."""
    entry = palette[index]
    return [entry >> 16 & 255, entry >> 8 & 255, entry & 255, entry >> 24]


PAIRS = {  # bytes of an element, 001:2066-2105
    "YCRCB_NORMAL": ("Y0", "Cb", "Y1", "Cr"),
    "YCRCB_SWAPUVY": ("Cr", "Y0", "Cb", "Y1"),
    "YCRCB_SWAPUV": ("Y0", "Cr", "Y1", "Cb"),
    "YCRCB_SWAPY": ("Cb", "Y0", "Cr", "Y1"),
}


def load_pair(name: str, element: bytes, odd: int) -> list[int]:
    """Cr, Y, Cb codes of one texel of a 4:2:2 element; both texels have the element's chroma (S20)."""
    found = dict(zip(PAIRS[name], element, strict=True))
    return [found["Cr"], found["Y1" if odd else "Y0"], found["Cb"]]


def store_pair(name: str, first: list[int], second: list[int]) -> bytes:
    """An element of two texels' Cr, Y, Cb codes; chroma is their average, halves up (003:6066; the rounding: ours)."""
    found = {
        "Cr": (first[0] + second[0] + 1) // 2,
        "Y0": first[1],
        "Y1": second[1],
        "Cb": (first[2] + second[2] + 1) // 2,
    }
    return bytes(found[part] for part in PAIRS[name])


def small_texel(row: bytes, x: int, bits: int) -> int:
    """Texel x of a row of texels below a byte: texel 0 is in the low bits (001:1370-1383)."""
    return row[x * bits // 8] >> (x * bits % 8) & ((1 << bits) - 1)
