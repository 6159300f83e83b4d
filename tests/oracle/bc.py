"""BC1 to BC5 written out from the Direct3D 11.3 functional specification 19.5.3-19.5.12 and seed 001:1910-2060.

Vectorized over blocks with NumPy, but in another way than the kernels: exact fractions, palettes indexed by codes.
Blocks are arrays (count, bytes); texels come back as (count, 16, channels), left to right and top to bottom.
The policies nvidia and amd are those of rgbcx (bc7enc_rdo), which its author read back from the hardware; intel is
that of F. Giesen, "GPU BCn decoding" (2021), measured alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Ints = np.ndarray[Any, np.dtype[Any]]


def bits_of(blocks: Ints) -> Ints:
    """(count, bits), least significant bit of the first byte first."""
    return np.unpackbits(np.ascontiguousarray(blocks), axis=1, bitorder="little")


def number(bits: Ints) -> Ints:
    """The numbers that bits (count, ..., n) spell, least significant first."""
    return bits.astype(np.int64) @ (1 << np.arange(bits.shape[-1], dtype=np.int64))


def codes(bits: Ints, at: int, width: int) -> Ints:
    """Sixteen codes of ``width`` bits from bit ``at``: (count, 16)."""
    return number(bits[:, at : at + 16 * width].reshape(-1, 16, width))


def promoted(value: Ints, base_bits: int) -> Ints:
    """19.5.3, to 8 bits."""
    return value << (8 - base_bits) | value >> (2 * base_bits - 8)


def nearest(numerator: Ints, denominator: Any) -> Ints:
    """Rounded to nearest, halves up: the FLOAT to UNORM conversion of an exact fraction (3.2.3.6)."""
    return (2 * numerator + denominator) // (2 * denominator)


def toward_zero(numerator: Ints, denominator: int) -> Ints:
    return np.sign(numerator) * (abs(numerator) // denominator)


def third(policy: str, a: Ints, b: Ints, channel: int, bits: int) -> Ints:
    """The palette entry one third of the way from a to b (endpoints as stored), by a rounding policy."""
    a8, b8 = promoted(a, bits), promoted(b, bits)
    match policy:
        case "d3d":
            return nearest(2 * a8 + b8, 3)
        case "truncate":
            return (2 * a8 + b8) // 3
        case "amd":
            return (43 * a8 + 21 * b8 + 32) // 64
        case "intel":
            return (171 * a8 + 85 * b8 + 128) // 256
        case "nvidia" if channel == 1:
            return (256 * a8 + toward_zero(b8 - a8, 4) + 128 + 80 * (b8 - a8)) // 256
        case "nvidia":
            return (2 * a + b) * 22 // 8
    raise AssertionError(policy)


def middle(policy: str, a: Ints, b: Ints, channel: int, bits: int) -> Ints:
    """The palette entry halfway."""
    a8, b8 = promoted(a, bits), promoted(b, bits)
    match policy:
        case "d3d" | "amd":
            return nearest(a8 + b8, 2)
        case "truncate":
            return (a8 + b8) // 2
        case "intel":
            return (128 * a8 + 128 * b8 + 128) // 256
        case "nvidia" if channel == 1:
            return (256 * a8 + toward_zero(b8 - a8, 4) + 128 + 128 * (b8 - a8)) // 256
        case "nvidia":
            return (a + b) * 33 // 8
    raise AssertionError(policy)


def colors(bits: Ints, at: int, policy: str, always_four: bool) -> Ints:
    """R, G, B, A of the sixteen texels of a color block at bit ``at`` (19.5.6)."""
    color_0, color_1 = number(bits[:, at : at + 16]), number(bits[:, at + 16 : at + 32])
    four = (color_0 > color_1) | always_four
    palette = np.zeros((len(bits), 4, 4), np.int64)
    for channel, (shift, width) in enumerate(((11, 5), (5, 6), (0, 5))):
        a, b = (color >> shift & ((1 << width) - 1) for color in (color_0, color_1))
        palette[:, 0, channel] = promoted(a, width)
        palette[:, 1, channel] = promoted(b, width)
        blend = third(policy, a, b, channel, width)
        palette[:, 2, channel] = np.where(four, blend, middle(policy, a, b, channel, width))
        palette[:, 3, channel] = np.where(four, third(policy, b, a, channel, width), 0)
    palette[:, :3, 3] = 255
    palette[:, 3, 3] = np.where(four, 255, 0)
    return np.take_along_axis(palette, codes(bits, at + 32, 2)[:, :, None], axis=1)


def channel_fractions(bits: Ints, at: int, signed: bool) -> tuple[Ints, Ints]:
    """Numerators and denominators of the sixteen values of a BC4 block at bit ``at`` (19.5.9-10)."""
    red_0, red_1 = number(bits[:, at : at + 8]), number(bits[:, at + 8 : at + 16])
    if signed:
        red_0, red_1 = ((red + 128) % 256 - 128 for red in (red_0, red_1))
    eight = red_0 > red_1
    a, b = (np.maximum(red, -127) for red in (red_0, red_1)) if signed else (red_0, red_1)
    one = 127 if signed else 255
    steps = np.where(eight, 7, 5)
    numerators = np.empty((len(bits), 8), np.int64)
    numerators[:, 0], numerators[:, 1] = steps * a, steps * b
    for k in range(2, 8):
        numerators[:, k] = (steps + 1 - k) * a + (k - 1) * b
    numerators[:, 6] = np.where(eight, numerators[:, 6], -5 * one if signed else 0)
    numerators[:, 7] = np.where(eight, numerators[:, 7], 5 * one)
    chosen = np.take_along_axis(numerators, codes(bits, at + 16, 3), axis=1)
    return chosen, np.broadcast_to((steps * one)[:, None], chosen.shape)


def channel_bytes(bits: Ints, at: int, policy: str, signed: bool = False) -> Ints:
    numerators, denominators = channel_fractions(bits, at, signed)
    scaled = numerators * (127 if signed else 255)
    return scaled // denominators if policy == "truncate" else nearest(scaled, denominators)


def channel_floats(bits: Ints, at: int, signed: bool) -> Ints:
    """Correctly rounded: a quotient of small integers, rounded to 53 bits first, rounds to the same 24 bits."""
    numerators, denominators = channel_fractions(bits, at, signed)
    return (numerators / denominators).astype(np.float32)


def decode_bc1(blocks: Ints, policy: str = "d3d") -> Ints:
    return colors(bits_of(blocks), 0, policy, always_four=False).astype(np.uint8)


def decode_dxt1_rgb(blocks: Ints, policy: str = "d3d") -> Ints:
    return decode_bc1(blocks, policy)[:, :, :3]


def decode_bc2(blocks: Ints, policy: str = "d3d") -> Ints:
    bits = bits_of(blocks)
    texels = colors(bits, 64, policy, always_four=True)
    texels[:, :, 3] = nearest(codes(bits, 0, 4) * 255, 15)
    return texels.astype(np.uint8)


def decode_bc3(blocks: Ints, policy: str = "d3d") -> Ints:
    bits = bits_of(blocks)
    texels = colors(bits, 64, policy, always_four=True)
    texels[:, :, 3] = channel_bytes(bits, 0, policy)
    return texels.astype(np.uint8)


def decode_bc4_bc5(blocks: Ints, policy: str = "d3d", signed: bool = False, floats: bool = False) -> Ints:
    """Both at once: one channel per 64 bits."""
    bits = bits_of(blocks)
    starts = range(0, bits.shape[1], 64)
    if floats:
        return np.stack([channel_floats(bits, at, signed) for at in starts], axis=2)
    made = np.stack([channel_bytes(bits, at, policy, signed) for at in starts], axis=2)
    return made.astype(np.int8 if signed else np.uint8)


def image_of(texels: Ints, columns: int, width: int = 4) -> Ints:
    """Blocks of ``width`` x 4 texels (count, 4 * width, channels) as an image ``columns`` blocks wide."""
    channels = texels.shape[2]
    grid = texels.reshape(-1, columns, 4, width, channels).transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(grid).reshape(-1, columns * width, channels)
