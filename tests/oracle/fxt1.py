"""FXT1 written out from the manual's Memory Data Formats (seed 001:1461-1906).

Blocks are arrays (count, 16); texels come back as (count, 32, 4), left to right and top to bottom of the 8x4 texels.
Its slips are set right: channels are 5 bits where it prints Color n [23:17], Green[1:0] is the upper two bits of a
6-bit green, and table 6-12 rounds as table 6-11 does.
"""

from __future__ import annotations

import numpy as np

from oracle.bc import Ints, bits_of, number

TEXEL = np.array([(16 if x >= 4 else 0) + 4 * y + x % 4 for y in range(4) for x in range(8)])
"""Number t of each texel: t0 to t15 are the left 4x4, t16 to t31 the right one (figure 6-1)."""


def span(bits: Ints, high: int, low: int) -> Ints:
    return number(bits[:, low : high + 1])


def expanded(value: Ints, width: int) -> Ints:
    """To 8 bits: the highest bits follow below the lowest."""
    return value << (8 - width) | value >> (2 * width - 8)


def color(bits: Ints, low: int, green_0: Ints | None = None) -> Ints:
    """(count, 4) R, G, B, 255 of the R5G5B5 color whose blue begins at bit ``low``; green may have a sixth bit."""
    red, green, blue = (span(bits, at + 4, at) for at in (low + 10, low + 5, low))
    green_8 = expanded(green, 5) if green_0 is None else expanded(green << 1 | green_0, 6)
    return np.stack([expanded(red, 5), green_8, expanded(blue, 5), np.full_like(red, 255)], axis=1)


def black(bits: Ints) -> Ints:
    return np.zeros((len(bits), 4), np.int64)


def looked_up(bits: Ints, width: int, left: list[Ints], right: list[Ints]) -> Ints:
    """Texels from the tables of texels 0-15 and 16-31 by their selects of ``width`` bits."""
    selects = number(bits[:, : 32 * width].reshape(-1, 32, width))[:, TEXEL]
    of_left, of_right = (np.take_along_axis(np.stack(t, axis=1), selects[..., None], axis=1) for t in (left, right))
    return np.where(TEXEL[:, None] < 16, of_left, of_right)


def cc_hi(bits: Ints) -> Ints:
    color_0, color_1 = color(bits, 96), color(bits, 111)
    table = [((6 - k) * color_0 + k * color_1 + 3) // 6 for k in range(7)]
    table.append(black(bits))
    return looked_up(bits, 3, table, table)


def cc_chroma(bits: Ints) -> Ints:
    table = [color(bits, at) for at in (64, 79, 94, 109)]
    return looked_up(bits, 2, table, table)


def thirds(a: Ints, b: Ints) -> list[Ints]:
    return [a, (2 * a + b + 1) // 3, (a + 2 * b + 1) // 3, b]


def cc_mixed(bits: Ints) -> Ints:
    b = {n: span(bits, n, n) for n in (1, 33, 125, 126)}
    plain = (
        thirds(color(bits, 64, b[1] ^ b[125]), color(bits, 79, b[125])),
        thirds(color(bits, 94, b[33] ^ b[126]), color(bits, 109, b[126])),
    )
    cut = []
    for zero, one in (
        (color(bits, 64), color(bits, 79, b[125])),
        (color(bits, 94), color(bits, 109, b[126])),
    ):
        cut.append([zero, (zero + one) // 2, one, black(bits)])
    alpha = span(bits, 124, 124)[:, None, None]
    return np.where(alpha == 1, looked_up(bits, 2, *cut), looked_up(bits, 2, *plain))


def cc_alpha(bits: Ints) -> Ints:
    colors = []
    for at, alpha_at in ((64, 109), (79, 114), (94, 119)):
        made = color(bits, at)
        made[:, 3] = expanded(span(bits, alpha_at + 4, alpha_at), 5)
        colors.append(made)
    direct = [*colors, black(bits)]
    lerp = span(bits, 124, 124)[:, None, None]
    lerped = looked_up(bits, 2, thirds(colors[0], colors[1]), thirds(colors[2], colors[1]))
    return np.where(lerp == 1, lerped, looked_up(bits, 2, direct, direct))


def decode_fxt1(blocks: Ints) -> Ints:
    bits = bits_of(blocks)
    mode = span(bits, 127, 125)  # table 6-1: CC_HI 00x, CC_CHROMA 010, CC_ALPHA 011, CC_MIXED 1xx
    made = [cc_hi(bits), cc_hi(bits), cc_chroma(bits), cc_alpha(bits)] + [cc_mixed(bits)] * 4
    return np.choose(mode[:, None, None], made).astype(np.uint8)
