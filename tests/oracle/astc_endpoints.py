"""ASTC's color endpoint modes, from the Khronos Data Format Specification, chapter "ASTC Compressed Texture Image
Formats": "LDR Endpoint Decoding" and "HDR Endpoint Decoding".
"""

from __future__ import annotations

from collections.abc import Sequence

HDR_MODES = frozenset((2, 3, 7, 11, 14, 15))
ONE = 0x780
"""1.0 of a 12-bit HDR component."""

Color = tuple[int, int, int, int]


def bit_transfer_signed(a: int, b: int) -> tuple[int, int]:
    b >>= 1
    b |= a & 0x80
    a >>= 1
    a &= 0x3F
    if a & 0x20:
        a -= 0x40
    return a, b


def blue_contract(r: int, g: int, b: int, a: int) -> Color:
    return (r + b) >> 1, (g + b) >> 1, b, a


def clamp_unorm8(color: Color) -> Color:
    r, g, b, a = (min(max(c, 0), 255) for c in color)
    return r, g, b, a


def clamp12(v: int) -> int:
    return min(max(v, 0), 0xFFF)


def decode_endpoints(mode: int, v: Sequence[int]) -> tuple[Color, Color]:
    """Unquantized values of a mode to e0 and e1: 8 bits, or 12 for components of HDR modes (but alpha of mode 14)."""
    return MODES[mode](*v)


def mode_0(v0, v1):
    return (v0, v0, v0, 0xFF), (v1, v1, v1, 0xFF)


def mode_1(v0, v1):
    L0 = (v0 >> 2) | (v1 & 0xC0)
    L1 = min(L0 + (v1 & 0x3F), 0xFF)
    return (L0, L0, L0, 0xFF), (L1, L1, L1, 0xFF)


def mode_2(v0, v1):
    if v1 >= v0:
        y0, y1 = v0 << 4, v1 << 4
    else:
        y0, y1 = (v1 << 4) + 8, (v0 << 4) - 8
    return (y0, y0, y0, ONE), (y1, y1, y1, ONE)


def mode_3(v0, v1):
    if v0 & 0x80:
        y0 = ((v1 & 0xE0) << 4) | ((v0 & 0x7F) << 2)
        d = (v1 & 0x1F) << 2
    else:
        y0 = ((v1 & 0xF0) << 4) | ((v0 & 0x7F) << 1)
        d = (v1 & 0x0F) << 1
    y1 = min(y0 + d, 0xFFF)
    return (y0, y0, y0, ONE), (y1, y1, y1, ONE)


def mode_4(v0, v1, v2, v3):
    return (v0, v0, v0, v2), (v1, v1, v1, v3)


def mode_5(v0, v1, v2, v3):
    v1, v0 = bit_transfer_signed(v1, v0)
    v3, v2 = bit_transfer_signed(v3, v2)
    return clamp_unorm8((v0, v0, v0, v2)), clamp_unorm8((v0 + v1, v0 + v1, v0 + v1, v2 + v3))


def mode_6(v0, v1, v2, v3):
    return (v0 * v3 >> 8, v1 * v3 >> 8, v2 * v3 >> 8, 0xFF), (v0, v1, v2, 0xFF)


RED, GREEN, BLUE, SCALE = "red", "green", "blue", "scale"
MODE_7_BITS = {
    # table "HDR mode 7 endpoint bit mode": where X0 to X6 go
    0: ((RED, 9), (RED, 8), (RED, 7), (RED, 10), (RED, 6), (SCALE, 6), (SCALE, 5)),
    1: ((RED, 8), (GREEN, 5), (RED, 7), (BLUE, 5), (RED, 6), (RED, 10), (RED, 9)),
    2: ((RED, 9), (RED, 8), (RED, 7), (RED, 6), (SCALE, 7), (SCALE, 6), (SCALE, 5)),
    3: ((RED, 8), (GREEN, 5), (RED, 7), (BLUE, 5), (RED, 6), (SCALE, 6), (SCALE, 5)),
    4: ((GREEN, 6), (GREEN, 5), (BLUE, 6), (BLUE, 5), (RED, 6), (RED, 7), (SCALE, 5)),
    5: ((GREEN, 6), (GREEN, 5), (BLUE, 6), (BLUE, 5), (RED, 6), (SCALE, 6), (SCALE, 5)),
}
MODE_7_SHIFT = (1, 1, 2, 3, 4, 5)


def mode_7(v0, v1, v2, v3):
    modeval = (v0 & 0xC0) >> 6 | (v1 & 0x80) >> 5 | (v2 & 0x80) >> 4
    if modeval & 0xC != 0xC:
        majcomp, mode = modeval >> 2, modeval & 3
    elif modeval != 0xF:
        majcomp, mode = modeval & 3, 4
    else:
        majcomp, mode = 0, 5
    parts = {RED: v0 & 0x3F, GREEN: v1 & 0x1F, BLUE: v2 & 0x1F, SCALE: v3 & 0x1F}
    extra = (v1 >> 6, v1 >> 5, v2 >> 6, v2 >> 5, v3 >> 7, v3 >> 6, v3 >> 5)
    for x, (part, bit) in zip(extra, MODE_7_BITS[mode], strict=True):
        parts[part] |= (x & 1) << bit
    red, green, blue, scale = (parts[name] << MODE_7_SHIFT[mode] for name in (RED, GREEN, BLUE, SCALE))
    if mode != 5:
        green, blue = red - green, red - blue
    if majcomp == 1:
        red, green = green, red
    if majcomp == 2:
        red, blue = blue, red
    e1 = (clamp12(red), clamp12(green), clamp12(blue), ONE)
    e0 = (clamp12(red - scale), clamp12(green - scale), clamp12(blue - scale), ONE)
    return e0, e1


def mode_8(v0, v1, v2, v3, v4, v5):
    return mode_12(v0, v1, v2, v3, v4, v5, 0xFF, 0xFF)


def mode_9(v0, v1, v2, v3, v4, v5):
    v1, v0 = bit_transfer_signed(v1, v0)
    v3, v2 = bit_transfer_signed(v3, v2)
    v5, v4 = bit_transfer_signed(v5, v4)
    if v1 + v3 + v5 >= 0:
        e0, e1 = (v0, v2, v4, 0xFF), (v0 + v1, v2 + v3, v4 + v5, 0xFF)
    else:
        e0, e1 = blue_contract(v0 + v1, v2 + v3, v4 + v5, 0xFF), blue_contract(v0, v2, v4, 0xFF)
    return clamp_unorm8(e0), clamp_unorm8(e1)


def mode_10(v0, v1, v2, v3, v4, v5):
    return (v0 * v3 >> 8, v1 * v3 >> 8, v2 * v3 >> 8, v4), (v0, v1, v2, v5)


A, B0, B1, C, D0, D1 = "a", "b0", "b1", "c", "d0", "d1"
MODE_11_BITS = {
    # table "HDR mode 11 endpoint bit mode": where X0 to X5 go
    0: ((B0, 6), (B1, 6), (D0, 6), (D1, 6), (D0, 5), (D1, 5)),
    1: ((B0, 6), (B1, 6), (B0, 7), (B1, 7), (D0, 5), (D1, 5)),
    2: ((A, 9), (C, 6), (D0, 6), (D1, 6), (D0, 5), (D1, 5)),
    3: ((B0, 6), (B1, 6), (A, 9), (C, 6), (D0, 5), (D1, 5)),
    4: ((B0, 6), (B1, 6), (B0, 7), (B1, 7), (A, 9), (A, 10)),
    5: ((A, 9), (A, 10), (C, 7), (C, 6), (D0, 5), (D1, 5)),
    6: ((B0, 6), (B1, 6), (A, 11), (C, 6), (A, 9), (A, 10)),
    7: ((A, 9), (A, 10), (A, 11), (C, 6), (D0, 5), (D1, 5)),
}
MODE_11_D_BITS = (7, 6, 7, 6, 5, 6, 5, 6)


def sign_extend(v: int, bits: int) -> int:
    v &= (1 << bits) - 1
    return v - (1 << bits) if v >> (bits - 1) else v


def mode_11(v0, v1, v2, v3, v4, v5):
    majcomp = (v4 & 0x80) >> 7 | (v5 & 0x80) >> 6
    if majcomp == 3:
        return (v0 << 4, v2 << 4, (v4 & 0x7F) << 5, ONE), (v1 << 4, v3 << 4, (v5 & 0x7F) << 5, ONE)
    mode = (v1 & 0x80) >> 7 | (v2 & 0x80) >> 6 | (v3 & 0x80) >> 5
    parts = {A: v0 | (v1 & 0x40) << 2, B0: v2 & 0x3F, B1: v3 & 0x3F, C: v1 & 0x3F, D0: v4 & 0x1F, D1: v5 & 0x1F}
    extra = (v2 >> 6, v3 >> 6, v4 >> 6, v5 >> 6, v4 >> 5, v5 >> 5)
    for x, (part, bit) in zip(extra, MODE_11_BITS[mode], strict=True):
        parts[part] |= (x & 1) << bit
    for part in (D0, D1):
        parts[part] = sign_extend(parts[part], MODE_11_D_BITS[mode])
    shift = (mode >> 1) ^ 3
    a, b0, b1, c, d0, d1 = (parts[name] << shift for name in (A, B0, B1, C, D0, D1))
    e1 = [clamp12(a), clamp12(a - b0), clamp12(a - b1), ONE]
    e0 = [clamp12(a - c), clamp12(a - b0 - c - d0), clamp12(a - b1 - c - d1), ONE]
    if majcomp:
        for e in (e0, e1):
            e[0], e[majcomp] = e[majcomp], e[0]
    return tuple(e0), tuple(e1)


def mode_12(v0, v1, v2, v3, v4, v5, v6, v7):
    if v1 + v3 + v5 >= v0 + v2 + v4:
        return (v0, v2, v4, v6), (v1, v3, v5, v7)
    return blue_contract(v1, v3, v5, v7), blue_contract(v0, v2, v4, v6)


def mode_13(v0, v1, v2, v3, v4, v5, v6, v7):
    v1, v0 = bit_transfer_signed(v1, v0)
    v3, v2 = bit_transfer_signed(v3, v2)
    v5, v4 = bit_transfer_signed(v5, v4)
    v7, v6 = bit_transfer_signed(v7, v6)
    if v1 + v3 + v5 >= 0:
        e0, e1 = (v0, v2, v4, v6), (v0 + v1, v2 + v3, v4 + v5, v6 + v7)
    else:
        e0, e1 = blue_contract(v0 + v1, v2 + v3, v4 + v5, v6 + v7), blue_contract(v0, v2, v4, v6)
    return clamp_unorm8(e0), clamp_unorm8(e1)


def mode_14(v0, v1, v2, v3, v4, v5, v6, v7):
    e0, e1 = mode_11(v0, v1, v2, v3, v4, v5)
    return (*e0[:3], v6), (*e1[:3], v7)


def mode_15(v0, v1, v2, v3, v4, v5, v6, v7):
    e0, e1 = mode_11(v0, v1, v2, v3, v4, v5)
    mode = (v6 >> 7 & 1) | (v7 >> 6 & 2)
    v6 &= 0x7F
    v7 &= 0x7F
    if mode == 3:
        return (*e0[:3], v6 << 5), (*e1[:3], v7 << 5)
    v6 |= v7 << (mode + 1) & 0x780
    v7 &= 0x3F >> mode
    v7 ^= 0x20 >> mode
    v7 -= 0x20 >> mode
    v6 <<= 4 - mode
    v7 <<= 4 - mode
    return (*e0[:3], v6), (*e1[:3], clamp12(v7 + v6))


MODES = (
    mode_0, mode_1, mode_2, mode_3, mode_4, mode_5, mode_6, mode_7,
    mode_8, mode_9, mode_10, mode_11, mode_12, mode_13, mode_14, mode_15,
)  # fmt: skip
