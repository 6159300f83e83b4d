"""ASTC's blocks of three dimensions written out from the Khronos Data Format Specification; what they share with those
of two is in `oracle.astc`. Texels are listed slice by slice, row by row."""

from __future__ import annotations

import numpy as np

from oracle.astc import (
    HDR,
    BlockMode,
    IllegalBlockError,
    Parsed,
    error_texel,
    hash52,
    parse_grid,
    texel,
    void_color,
)
from oracle.astc_sequences import WEIGHT_RANGES, field


def block_mode(b: int) -> BlockMode:
    """Bits 10..0: table "3D block mode layout"."""
    if field(b, 3, 0) == 0 or (field(b, 1, 0) == 0 and field(b, 8, 5) == 0b1111):
        raise IllegalBlockError("reserved block mode")
    D, H, R0 = field(b, 10, 10), field(b, 9, 9), field(b, 4, 4)
    A = field(b, 6, 5)
    if field(b, 1, 0):
        R2, R1 = field(b, 1, 1), field(b, 0, 0)
        size = (A + 2, field(b, 8, 7) + 2, field(b, 3, 2) + 2)
    else:
        R2, R1 = field(b, 3, 3), field(b, 2, 2)
        case, B = field(b, 8, 7), field(b, 10, 9)
        if case == 0b11:
            size = {0b00: (6, 2, 2), 0b01: (2, 6, 2), 0b10: (2, 2, 6)}[A]
        else:
            size = {0b00: (6, B + 2, A + 2), 0b01: (A + 2, 6, B + 2), 0b10: (A + 2, B + 2, 6)}[case]
            D = H = 0
    width, height, depth = size
    return BlockMode(width, height, WEIGHT_RANGES[H, R2 << 2 | R1 << 1 | R0], bool(D), depth)


def check_void_extent(block: int) -> None:
    ends = [field(block, 10 + 9 * k + 8, 10 + 9 * k) for k in range(6)]
    if all(end == 0x1FF for end in ends):
        return
    if any(low >= high for low, high in zip(ends[::2], ends[1::2], strict=True)):
        raise IllegalBlockError("void extent without extent")


def select_partition(seed: int, x: int, y: int, z: int, partitioncount: int, small_block: bool) -> int:
    if small_block:
        x, y, z = x << 1, y << 1, z << 1
    seed += (partitioncount - 1) * 1024
    rnum = hash52(seed)
    by_axis = [rnum >> shift & 0xF for shift in (0, 4, 8, 12, 16, 20, 24, 28, 18, 22, 26)]
    by_axis.append((rnum >> 30 | rnum << 2) & 0xF)
    if seed & 1:
        sh1, sh2 = (4 if seed & 2 else 5), (6 if partitioncount == 3 else 5)
    else:
        sh1, sh2 = (6 if partitioncount == 3 else 5), (4 if seed & 2 else 5)
    sh3 = sh1 if seed & 0x10 else sh2
    shifts = (sh1, sh2) * 4 + (sh3,) * 4
    s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12 = (n * n >> sh for n, sh in zip(by_axis, shifts, strict=True))
    a = s1 * x + s2 * y + s11 * z + (rnum >> 14) & 0x3F
    b = s3 * x + s4 * y + s12 * z + (rnum >> 10) & 0x3F
    c = s5 * x + s6 * y + s9 * z + (rnum >> 6) & 0x3F
    d = s7 * x + s8 * y + s10 * z + (rnum >> 2) & 0x3F
    if partitioncount < 4:
        d = 0
    if partitioncount < 3:
        c = 0
    if a >= b and a >= c and a >= d:
        return 0
    if b >= c and b >= d:
        return 1
    return 2 if c >= d else 3


def infill(weights: list[int], mode: BlockMode, block: tuple[int, int, int], at: tuple[int, int, int]) -> int:
    """Section "Weight Infill", simplex interpolation."""
    N, M, Q = mode.size
    whole, parts = [], []
    for texels, place, cells in zip(block, at, (N, M, Q), strict=True):
        D = (1024 + texels // 2) // (texels - 1)
        g = (D * place * (cells - 1) + 32) >> 6
        whole.append(g >> 4)
        parts.append(g & 0xF)
    fs, ft, fr = parts
    s1, s2, w = {
        (True, True, True): (1, N, (16 - fs, fs - ft, ft - fr, fr)),
        (False, True, True): (N, 1, (16 - ft, ft - fs, fs - fr, fr)),
        (True, False, True): (1, N * M, (16 - fs, fs - fr, fr - ft, ft)),
        (True, False, False): (N * M, 1, (16 - fr, fr - fs, fs - ft, ft)),
        (False, True, False): (N, N * M, (16 - ft, ft - fr, fr - fs, fs)),
        (False, False, False): (N * M, N, (16 - fr, fr - ft, ft - fs, fs)),
    }[fs > ft, ft > fr, fs > fr]
    v0 = whole[0] + whole[1] * N + whole[2] * N * M
    places = (v0, v0 + s1, v0 + s1 + s2, v0 + N * M + N + 1)
    # places beyond the grid are reached with factor 0 only
    return (sum(weights[n] * part for n, part in zip(places, w, strict=True) if part) + 8) >> 4


def parse(block: int, size: tuple[int, int, int]) -> Parsed:
    mode = block_mode(block)
    if any(cells > texels for cells, texels in zip(mode.size, size, strict=True)):
        raise IllegalBlockError("weight grid larger than the footprint")
    return parse_grid(block, mode, mode.width * mode.height * mode.depth)


def decode_texels(block: int, size: tuple[int, int, int], decode: str) -> list[tuple[int, ...]]:
    """Texels of a legal block; IllegalBlockError if the whole block is an error."""
    width, height, depth = size
    count = width * height * depth
    if field(block, 8, 0) == 0b111111100:
        check_void_extent(block)
        return [void_color(block, decode)] * count
    parsed = parse(block, size)
    texels = []
    for at in np.ndindex(depth, height, width):
        z, y, x = at
        partition = 0
        if parsed.partitions > 1:
            partition = select_partition(parsed.partition_index, x, y, z, parsed.partitions, count < 31)
        weight = [infill(plane, parsed.mode, size, (x, y, z)) for plane in parsed.weights]
        texels.append(texel(parsed, partition, weight, decode))
    return texels


def decode_astc(blocks, size: tuple[int, int, int], decode: str):
    """(count, 16) bytes to (count, depth, height, width, 4) uint8, or uint16 for halves."""
    made = []
    for block in blocks:
        try:
            made.append(decode_texels(int.from_bytes(block.tobytes(), "little"), size, decode))
        except IllegalBlockError:
            made.append([error_texel(decode)] * (size[0] * size[1] * size[2]))
    return np.array(made, np.uint16 if decode == HDR else np.uint8).reshape(len(blocks), *size[::-1], 4)
