"""ETC1, ETC2 and EAC written out from the Khronos Data Format Specification 1.4, chapters "ETC1" and "ETC2".

Blocks are arrays (count, bytes); texels come back as (count, 16, channels), left to right and top to bottom. A word is
the specification's int64bit: the first byte is the most significant. Bit numbers are the specification's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Ints = np.ndarray[Any, np.dtype[Any]]

MODIFIERS = ((2, 8), (5, 17), (9, 29), (13, 42), (18, 60), (24, 80), (33, 106), (47, 183))
"""a and b by table codeword."""

DISTANCES = (3, 6, 11, 16, 23, 32, 41, 64)
"""By distance index."""

EAC_MODIFIERS = (
    (-3, -6, -9, -15, 2, 5, 8, 14),
    (-3, -7, -10, -13, 2, 6, 9, 12),
    (-2, -5, -8, -13, 1, 4, 7, 12),
    (-2, -4, -6, -13, 1, 3, 5, 12),
    (-3, -6, -8, -12, 2, 5, 7, 11),
    (-3, -7, -9, -11, 2, 6, 8, 10),
    (-4, -7, -8, -11, 3, 6, 7, 10),
    (-3, -5, -8, -11, 2, 4, 7, 10),
    (-2, -6, -8, -10, 1, 5, 7, 9),
    (-2, -5, -8, -10, 1, 4, 7, 9),
    (-2, -4, -8, -10, 1, 3, 7, 9),
    (-2, -5, -7, -10, 1, 4, 6, 9),
    (-3, -4, -7, -10, 2, 3, 6, 9),
    (-1, -2, -3, -10, 0, 1, 2, 9),
    (-4, -6, -8, -9, 3, 5, 7, 8),
    (-3, -5, -7, -9, 2, 4, 6, 8),
)
"""By table index, then pixel index."""

LETTER = np.array([4 * x + y for y in range(4) for x in range(4)])
"""Position in a, b, ... p of each texel: letters go down the columns."""

X, Y = np.tile(np.arange(4), 4), np.repeat(np.arange(4), 4)
"""Place of each texel."""


def words(blocks: Ints) -> Ints:
    """(count, bytes) to (count, bytes / 8)."""
    return np.ascontiguousarray(blocks).view(">u8").astype(np.uint64)


def field(word: Ints, high: int, low: int) -> Ints:
    return (word >> np.uint64(low) & np.uint64((1 << (high - low + 1)) - 1)).astype(np.int64)


def rgb(*parts: Ints) -> Ints:
    return np.stack(parts, axis=-1)


def extend(value: Ints, bits: int) -> Ints:
    """To 8 bits by repeating the highest bits."""
    return value << (8 - bits) | value >> (2 * bits - 8)


def clamp255(value: Ints) -> Ints:
    return np.clip(value, 0, 255)


def three_bit_complement(value: Ints) -> Ints:
    return np.where(value >= 4, value - 8, value)


def pixel_indices(word: Ints) -> Ints:
    """(count, 16) of 2 * most significant bit + least significant bit (table ETC2 f)."""
    least = [field(word, k, k) for k in LETTER]
    most = [field(word, 16 + k, 16 + k) for k in LETTER]
    return 2 * np.stack(most, axis=1) + np.stack(least, axis=1)


def subblock_texels(word: Ints, base_1: Ints, base_2: Ints, opaque: Ints) -> Ints:
    """Individual and differential mode, from the two base colors (count, 3)."""
    second = np.where(field(word, 32, 32)[:, None] == 1, Y >= 2, X >= 2)
    table = np.where(second, field(word, 36, 34)[:, None], field(word, 39, 37)[:, None])
    index = pixel_indices(word)
    a, b = np.array(MODIFIERS)[table][..., 0], np.array(MODIFIERS)[table][..., 1]
    a = np.where(opaque[:, None], a, 0)
    modifier = np.choose(index, [a, b, -a, -b])
    base = np.where(second[..., None], base_2[:, None], base_1[:, None])
    return clamp255(base + modifier[..., None])


def paint(word: Ints, colors: list[Ints]) -> Ints:
    """T and H mode: texels pick one of four paint colors (count, 3)."""
    table = clamp255(np.stack(colors, axis=1))
    return np.take_along_axis(table, pixel_indices(word)[..., None], axis=1)


def t_mode(word: Ints) -> Ints:
    base_1 = extend(rgb(field(word, 60, 59) << 2 | field(word, 57, 56), field(word, 55, 52), field(word, 51, 48)), 4)
    base_2 = extend(rgb(field(word, 47, 44), field(word, 43, 40), field(word, 39, 36)), 4)
    d = np.array(DISTANCES)[field(word, 35, 34) << 1 | field(word, 32, 32)][:, None]
    return paint(word, [base_1, base_2 + d, base_2, base_2 - d])


def h_mode(word: Ints) -> Ints:
    green_1 = field(word, 58, 56) << 1 | field(word, 52, 52)
    blue_1 = field(word, 51, 51) << 3 | field(word, 49, 47)
    base_1 = extend(rgb(field(word, 62, 59), green_1, blue_1), 4)
    base_2 = extend(rgb(field(word, 46, 43), field(word, 42, 39), field(word, 38, 35)), 4)
    value_1, value_2 = ((base[:, 0] << 16) + (base[:, 1] << 8) + base[:, 2] for base in (base_1, base_2))
    index = field(word, 34, 34) << 2 | field(word, 32, 32) << 1 | (value_1 >= value_2)
    d = np.array(DISTANCES)[index][:, None]
    return paint(word, [base_1 + d, base_1 - d, base_2 + d, base_2 - d])


def planar_mode(word: Ints) -> Ints:
    green_o = field(word, 56, 56) << 6 | field(word, 54, 49)
    blue_o = field(word, 48, 48) << 5 | field(word, 44, 43) << 3 | field(word, 41, 39)
    red_h = field(word, 38, 34) << 1 | field(word, 32, 32)
    stored = {
        "O": (field(word, 62, 57), green_o, blue_o),
        "H": (red_h, field(word, 31, 25), field(word, 24, 19)),
        "V": (field(word, 18, 13), field(word, 12, 6), field(word, 5, 0)),
    }
    o, h, v = (rgb(extend(r, 6), extend(g, 7), extend(b, 6))[:, None] for r, g, b in stored.values())
    x, y = X[:, None], Y[:, None]
    return clamp255((x * (h - o) + y * (v - o) + 4 * o + 2) >> 2)


MODES = ("individual", "differential", "T", "H", "planar")


def modes_of(word: Ints, *, punchthrough: bool = False) -> Ints:
    """Place in MODES of each block's mode."""
    outside = []
    for high in (63, 55, 47):
        total = field(word, high, high - 4) + three_bit_complement(field(word, high - 5, high - 7))
        outside.append((total < 0) | (total > 31))
    mode = np.select(outside, [2, 3, 4], 1)
    return mode if punchthrough else np.where(field(word, 33, 33) == 0, 0, mode)


def color_texels(word: Ints, *, punchthrough: bool = False) -> Ints:
    """R, G, B of ETC2 blocks, and their alpha if they are of the punch-through format."""
    mode = modes_of(word, punchthrough=punchthrough)
    opaque = (field(word, 33, 33) == 1) | (not punchthrough)
    nibbles_1 = rgb(field(word, 63, 60), field(word, 55, 52), field(word, 47, 44))
    nibbles_2 = rgb(field(word, 59, 56), field(word, 51, 48), field(word, 43, 40))
    fives = rgb(field(word, 63, 59), field(word, 55, 51), field(word, 47, 43))
    deltas = three_bit_complement(rgb(field(word, 58, 56), field(word, 50, 48), field(word, 42, 40)))
    made = [
        subblock_texels(word, extend(nibbles_1, 4), extend(nibbles_2, 4), opaque),
        subblock_texels(word, extend(fives, 5), extend(np.clip(fives + deltas, 0, 31), 5), opaque),
        t_mode(word),
        h_mode(word),
        planar_mode(word),
    ]
    texels = np.choose(mode[:, None, None], made)
    if not punchthrough:
        return texels
    hidden = ~opaque[:, None] & (pixel_indices(word) == 2) & (mode != MODES.index("planar"))[:, None]
    return np.concatenate([texels, np.full((*hidden.shape, 1), 255)], axis=2) * ~hidden[..., None]


def decode_etc1(blocks: Ints) -> Ints:
    """Sums outside of 0..31 are undefined; texsamp makes their blocks black."""
    word = words(blocks)[:, 0]
    defined = modes_of(word) < 2
    return (color_texels(word) * defined[:, None, None]).astype(np.uint8)


def decode_etc2_rgb8(blocks: Ints) -> Ints:
    return color_texels(words(blocks)[:, 0]).astype(np.uint8)


def decode_etc2_pta(blocks: Ints) -> Ints:
    return color_texels(words(blocks)[:, 0], punchthrough=True).astype(np.uint8)


def eac_modifiers(word: Ints) -> Ints:
    """(count, 16) modifiers of the texels; pixel a's index is in bits 47 to 45."""
    index = np.stack([field(word, 47 - 3 * k, 45 - 3 * k) for k in LETTER], axis=1)
    return np.array(EAC_MODIFIERS)[field(word, 51, 48)[:, None], index]


def eac_8(word: Ints) -> Ints:
    """The alpha of RGBA ETC2."""
    return clamp255(field(word, 63, 56)[:, None] + eac_modifiers(word) * field(word, 55, 52)[:, None])


def eac_11(word: Ints, *, signed: bool) -> Ints:
    """0 to 2047, or -1023 to 1023."""
    base, multiplier = field(word, 63, 56)[:, None], field(word, 55, 52)[:, None]
    step = np.where(multiplier == 0, 1, 8 * multiplier) * eac_modifiers(word)
    if signed:
        base = np.where(base >= 128, base - 256, base)
        base = np.where(base == -128, -127, base)
        return np.clip(8 * base + step, -1023, 1023)
    return np.clip(8 * base + 4 + step, 0, 2047)


def decode_etc2_rgba8(blocks: Ints) -> Ints:
    alpha, color = words(blocks).T
    return np.concatenate([color_texels(color), eac_8(alpha)[..., None]], axis=2).astype(np.uint8)


def decode_eac(blocks: Ints, *, signed: bool = False, floats: bool = False) -> Ints:
    """R11 (one word) and RG11 (two): extended to 16 bits by repeating bits, or as correctly rounded fractions."""
    value = np.stack([eac_11(word, signed=signed) for word in words(blocks).T], axis=2)
    if floats:
        return (value / (1023 if signed else 2047)).astype(np.float32)
    if not signed:
        return ((value << 5) + (value >> 6)).astype(np.uint16)
    magnitude = abs(value)
    return (np.sign(value) * ((magnitude << 5) + (magnitude >> 5))).astype(np.int16)
