"""ASTC written out from the Khronos Data Format Specification, chapter "ASTC Compressed Texture Image Formats": 2D
blocks of the LDR and HDR profiles, one texel after the other.

A block is a Python integer whose bit i is bit i of the block. Texels are four integers: 0 to 255 of `decode_unorm8` and
sRGB, or the bits of a half of `decode_float16`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oracle.astc_endpoints import HDR_MODES, decode_endpoints
from oracle.astc_sequences import (
    COLOR_RANGES,
    WEIGHT_RANGES,
    Range,
    ceil_div,
    decode_sequence,
    field,
    sequence_bits,
    unquantize_color,
    unquantize_weight,
)

LINEAR, SRGB, FLOAT16, HDR = "decode_unorm8", "srgb", "decode_float16", "hdr"
MAGENTA = (0xFFFF, 0, 0xFFFF, 0xFFFF)
NAN = 0xFFFF


class IllegalBlockError(Exception):
    """One of the situations of section "Illegal Encodings"."""


class BlockMode(NamedTuple):
    width: int
    height: int
    range: Range
    dual_plane: bool
    depth: int = 1

    @property
    def size(self) -> tuple[int, int, int]:
        """Of the weight grid."""
        return self.width, self.height, self.depth


def block_mode(b: int) -> BlockMode:
    """Bits 10..0: table "2D block mode layout"."""
    if field(b, 3, 0) == 0 or (field(b, 1, 0) == 0 and field(b, 8, 6) == 0b111):
        raise IllegalBlockError("reserved block mode")
    D, P, R0 = field(b, 10, 10), field(b, 9, 9), field(b, 4, 4)
    if field(b, 1, 0):
        R2, R1 = field(b, 1, 1), field(b, 0, 0)
        case, low, high = field(b, 3, 2), field(b, 6, 5), field(b, 8, 7)
        if case == 0b00:
            width, height = high + 4, low + 2
        elif case == 0b01:
            width, height = high + 8, low + 2
        elif case == 0b10:
            width, height = low + 2, high + 8
        elif field(b, 8, 8) == 0:
            width, height = low + 2, field(b, 7, 7) + 6
        else:
            width, height = field(b, 7, 7) + 2, low + 2
    else:
        R2, R1 = field(b, 3, 3), field(b, 2, 2)
        case, low = field(b, 8, 7), field(b, 6, 5)
        if case == 0b00:
            width, height = 12, low + 2
        elif case == 0b01:
            width, height = low + 2, 12
        elif case == 0b10:
            width, height, D, P = low + 6, field(b, 10, 9) + 6, 0, 0
        else:
            width, height = (6, 10) if low == 0b00 else (10, 6)
    # the table prints the fields of R as R0 in bit 4, then R2 and R1
    return BlockMode(width, height, WEIGHT_RANGES[P, R2 << 2 | R1 << 1 | R0], bool(D))


def check_void_extent(block: int) -> None:
    if field(block, 11, 10) != 0b11:
        raise IllegalBlockError("reserved bits of a void extent")
    coordinates = [field(block, 12 + 13 * k + 12, 12 + 13 * k) for k in range(4)]
    if all(c == 0x1FFF for c in coordinates):
        return
    low_s, high_s, low_t, high_t = coordinates
    if low_s >= high_s or low_t >= high_t:
        raise IllegalBlockError("void extent without extent")


def hash52(p: int) -> int:
    mask = 0xFFFFFFFF
    p ^= p >> 15
    p = p - (p << 17) & mask
    p = p + (p << 7) & mask
    p = p + (p << 4) & mask
    p ^= p >> 5
    p = p + (p << 16) & mask
    p ^= p >> 7
    p ^= p >> 3
    p ^= p << 6 & mask
    p ^= p >> 17
    return p


def select_partition(seed: int, x: int, y: int, partitioncount: int, small_block: bool) -> int:
    if small_block:
        x <<= 1
        y <<= 1
    seed += (partitioncount - 1) * 1024
    rnum = hash52(seed)
    nibbles = [rnum >> 4 * k & 0xF for k in range(8)]
    squares = [n * n for n in nibbles]
    if seed & 1:
        sh1, sh2 = (4 if seed & 2 else 5), (6 if partitioncount == 3 else 5)
    else:
        sh1, sh2 = (6 if partitioncount == 3 else 5), (4 if seed & 2 else 5)
    seed1, seed2, seed3, seed4, seed5, seed6, seed7, seed8 = (
        square >> (sh2 if k % 2 else sh1) for k, square in enumerate(squares)
    )
    a = seed1 * x + seed2 * y + (rnum >> 14) & 0x3F
    b = seed3 * x + seed4 * y + (rnum >> 10) & 0x3F
    c = seed5 * x + seed6 * y + (rnum >> 6) & 0x3F
    d = seed7 * x + seed8 * y + (rnum >> 2) & 0x3F
    if partitioncount < 4:
        d = 0
    if partitioncount < 3:
        c = 0
    if a >= b and a >= c and a >= d:
        return 0
    if b >= c and b >= d:
        return 1
    return 2 if c >= d else 3


class Parsed(NamedTuple):
    """A legal block that is no void extent, taken apart."""

    mode: BlockMode
    partitions: int
    partition_index: int
    endpoint_modes: list[int]
    endpoints: list[tuple[tuple[int, ...], tuple[int, ...]]]
    color_range: Range
    plane_2_component: int | None
    weights: list[list[int]]


def parse(block: int, block_width: int, block_height: int) -> Parsed:
    mode = block_mode(block)
    if mode.width > block_width or mode.height > block_height:
        raise IllegalBlockError("weight grid larger than the footprint")
    return parse_grid(block, mode, mode.width * mode.height)


def parse_grid(block: int, mode: BlockMode, cells: int) -> Parsed:
    partitions = field(block, 12, 11) + 1
    planes = 2 if mode.dual_plane else 1
    weight_count = cells * planes
    weight_bits = sequence_bits(weight_count, mode.range)
    if weight_count > 64:
        raise IllegalBlockError("more than 64 weights")
    if not 24 <= weight_bits <= 96:
        raise IllegalBlockError("weight bits")
    if mode.dual_plane and partitions == 4:
        raise IllegalBlockError("dual plane with 4 partitions")

    below = 128 - weight_bits
    partition_index = 0
    if partitions == 1:
        color_at, config_bits = 17, 17
        endpoint_modes = [field(block, 16, 13)]
    else:
        color_at = 29
        partition_index = field(block, 22, 13)
        selector = field(block, 24, 23)
        if selector == 0:
            config_bits = 29
            endpoint_modes = [field(block, 28, 25)] * partitions
        else:
            config_bits = 25 + 3 * partitions
            extra = config_bits - 29
            below -= extra
            fields = field(block, 28, 25) | field(block, below + extra - 1, below) << 4
            endpoint_modes = []
            for i in range(partitions):
                endpoint_class = selector - 1 + (fields >> i & 1)
                endpoint_modes.append(endpoint_class * 4 + (fields >> partitions + 2 * i & 3))
    plane_2_component = None
    if mode.dual_plane:
        config_bits += 2
        below -= 2
        plane_2_component = field(block, below + 1, below)

    remaining_bits = 128 - config_bits - weight_bits
    counts = [2 * (m // 4 + 1) for m in endpoint_modes]
    if sum(counts) > 18:
        raise IllegalBlockError("more than 18 color values")
    if remaining_bits < ceil_div(13 * sum(counts), 5):
        raise IllegalBlockError("too few color bits")
    color_range = next(r for r in reversed(COLOR_RANGES) if sequence_bits(sum(counts), r) <= remaining_bits)
    values = [unquantize_color(v, color_range) for v in decode_sequence(block >> color_at, sum(counts), color_range)]
    endpoints = []
    for endpoint_mode, count in zip(endpoint_modes, counts, strict=True):
        endpoints.append(decode_endpoints(endpoint_mode, values[:count]))
        values = values[count:]

    reversed_block = int(format(block, "0128b")[::-1], 2)
    stored = decode_sequence(reversed_block, weight_count, mode.range)
    unquantized = [unquantize_weight(v, mode.range) for v in stored]
    weights = [unquantized[plane::planes] for plane in range(planes)]
    return Parsed(mode, partitions, partition_index, endpoint_modes, endpoints, color_range, plane_2_component, weights)


def infill(weights: list[int], mode: BlockMode, block_width: int, block_height: int, x: int, y: int) -> int:
    """Section "Weight Infill"."""
    Ds = (1024 + block_width // 2) // (block_width - 1)
    Dt = (1024 + block_height // 2) // (block_height - 1)
    gs = (Ds * x * (mode.width - 1) + 32) >> 6
    gt = (Dt * y * (mode.height - 1) + 32) >> 6
    js, fs = gs >> 4, gs & 0xF
    jt, ft = gt >> 4, gt & 0xF
    v0 = js + jt * mode.width

    def p(n: int) -> int:
        return weights[n] if n < len(weights) else 0  # reached with factor 0 only

    w11 = (fs * ft + 8) >> 4
    w10 = ft - w11
    w01 = fs - w11
    w00 = 16 - fs - ft + w11
    return (p(v0) * w00 + p(v0 + 1) * w01 + p(v0 + mode.width) * w10 + p(v0 + mode.width + 1) * w11 + 8) >> 4


def half_of_unorm16(C: int) -> int:
    """C / 65536 as the bits of a half, rounded toward zero; 65535 is 1.0."""
    if C == 65535:
        return 0x3C00
    nearest = np.float16(C / 65536)
    if float(nearest) > C / 65536:
        nearest = np.nextafter(nearest, np.float16(0))
    return int(nearest.view(np.uint16))


def half_of_lns(C: int) -> int:
    E, M = (C & 0xF800) >> 11, C & 0x7FF
    if M < 512:
        Mt = 3 * M
    elif M >= 1536:
        Mt = 5 * M - 2048
    else:
        Mt = 4 * M - 512
    Cf = (E << 10) + (Mt >> 3)
    return 0x7BFF if Cf >= 0x7C00 else Cf


def result(C: int, component: int, decode: str) -> int:
    """An interpolated UNORM16 of an LDR component as the texel has it."""
    return half_of_unorm16(C) if decode in (FLOAT16, HDR) else C >> 8


def error_texel(decode: str) -> tuple[int, ...]:
    if decode == HDR:
        return (NAN,) * 4
    return tuple(result(C, k, decode) for k, C in enumerate(MAGENTA))


def interpolated(e0: int, e1: int, weight: int, component: int, endpoint_mode: int, decode: str) -> int:
    """Section "Weight Application", one component."""
    hdr = endpoint_mode in HDR_MODES and not (endpoint_mode == 14 and component == 3)
    if hdr:
        C0, C1 = e0 << 4, e1 << 4
    elif decode == SRGB and component < 3:
        C0, C1 = e0 << 8 | 0x80, e1 << 8 | 0x80
    else:
        C0, C1 = e0 << 8 | e0, e1 << 8 | e1
    C = (C0 * (64 - weight) + C1 * weight + 32) // 64
    return half_of_lns(C) if hdr else result(C, component, decode)


def void_color(block: int, decode: str) -> tuple[int, ...]:
    color = [field(block, 64 + 16 * k + 15, 64 + 16 * k) for k in range(4)]
    if not field(block, 9, 9):
        color = [result(C, k, decode) for k, C in enumerate(color)]
    elif decode != HDR:
        raise IllegalBlockError("HDR void extent in LDR mode")
    return tuple(color)


def decode_texels(block: int, block_width: int, block_height: int, decode: str) -> list[tuple[int, ...]]:
    """Texels of a legal block, row by row; IllegalBlockError if the whole block is an error."""
    if field(block, 8, 0) == 0b111111100:
        check_void_extent(block)
        return [void_color(block, decode)] * (block_width * block_height)

    parsed = parse(block, block_width, block_height)
    small_block = block_width * block_height < 31
    texels = []
    for y in range(block_height):
        for x in range(block_width):
            partition = 0
            if parsed.partitions > 1:
                partition = select_partition(parsed.partition_index, x, y, parsed.partitions, small_block)
            weight = [infill(plane, parsed.mode, block_width, block_height, x, y) for plane in parsed.weights]
            texels.append(texel(parsed, partition, weight, decode))
    return texels


def texel(parsed: Parsed, partition: int, weight: list[int], decode: str) -> tuple[int, ...]:
    endpoint_mode = parsed.endpoint_modes[partition]
    if endpoint_mode in HDR_MODES and decode != HDR:
        return error_texel(decode)
    e0, e1 = parsed.endpoints[partition]
    return tuple(
        interpolated(e0[k], e1[k], weight[parsed.plane_2_component == k], k, endpoint_mode, decode) for k in range(4)
    )


def is_error(block: int, block_width: int, block_height: int, decode: str) -> bool:
    """Whether a block is illegal, or has an endpoint mode that the LDR profile reserves."""
    try:
        if field(block, 8, 0) == 0b111111100:
            decode_texels(block, block_width, block_height, decode)
            return False
        parsed = parse(block, block_width, block_height)
    except IllegalBlockError:
        return True
    return decode != HDR and any(m in HDR_MODES for m in parsed.endpoint_modes)


def decode_block(block: int, block_width: int, block_height: int, decode: str) -> list[tuple[int, ...]]:
    """Texels of any block, row by row."""
    try:
        return decode_texels(block, block_width, block_height, decode)
    except IllegalBlockError:
        return [error_texel(decode)] * (block_width * block_height)


def decode_astc(blocks, block_width: int, block_height: int, decode: str):
    """(count, 16) bytes to (count, block_height, block_width, 4) uint8, or uint16 for halves."""
    dtype = np.uint16 if decode in (FLOAT16, HDR) else np.uint8
    texels = [
        decode_block(int.from_bytes(block.tobytes(), "little"), block_width, block_height, decode) for block in blocks
    ]
    return np.array(texels, dtype).reshape(len(blocks), block_height, block_width, 4)
