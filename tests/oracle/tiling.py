"""Tilings written out as arithmetic, one byte at a time: the second voice beside the address bits of the package.

X, Y and W are the formulas of Mesa's copy routines, TileYF and TileYS follow the Gen9 description of blocks in blocks.
"""

from __future__ import annotations

import numpy as np

TILE_B = 4096


def linear(x_B: int, y_rows: int, pitch_B: int) -> int:
    return y_rows * pitch_B + x_B


def x_tiled(x_B: int, y_rows: int, pitch_B: int) -> int:
    """Tiles of 8 rows of 512 bytes."""
    tile = (y_rows // 8) * (pitch_B // 512) + x_B // 512
    return tile * TILE_B + (y_rows % 8) * 512 + x_B % 512


def y_tiled(x_B: int, y_rows: int, pitch_B: int) -> int:
    """Tiles of 8 columns of 32 rows of 16 bytes."""
    tile = (y_rows // 32) * (pitch_B // 128) + x_B // 128
    return tile * TILE_B + (x_B % 128 // 16) * 512 + (y_rows % 32) * 16 + x_B % 16


def w_tiled(x_B: int, y_rows: int, pitch_B: int) -> int:
    """Tiles of 8 x 8 blocks, a column of blocks after the other; in a block 4 x 4 pieces, 2 x 2 pairs, pairs."""
    tile = (y_rows // 64) * (pitch_B // 64) + x_B // 64
    block = (x_B % 64 // 8) * 8 + y_rows % 64 // 8
    x, y = x_B % 8, y_rows % 8
    return (
        tile * TILE_B
        + block * 64
        + (y // 4) * 32
        + (x // 4) * 16
        + (y // 2 % 2) * 8
        + (x // 2 % 2) * 4
        + (y % 2) * 2
        + x % 2
    )


def _alternate(first: int, second: int, bits: int) -> int:
    """Bits of two numbers in turn, from the lowest."""
    out = 0
    for bit in range(bits):
        out |= (((first, second)[bit % 2] >> (bit // 2)) & 1) << bit
    return out


def standard(x_B: int, y_rows: int, sample: int, element_bits: int, samples: int, tile_B: int) -> int:
    """One 2D tile of TileYF (4 KB) or TileYS (64 KB): blocks of 256 bytes in Morton order, samples outermost."""
    rows = {8: 16, 16: 8, 32: 8, 64: 4, 128: 4}[element_bits]
    width_B = 256 // rows
    inside = (x_B % width_B // 16) * (rows * 16) + (y_rows % rows) * 16 + x_B % 16
    blocks_per_sample = tile_B // 256 // samples
    order = _alternate(y_rows // rows, x_B // width_B, blocks_per_sample.bit_length() - 1)
    return (sample * blocks_per_sample + order) * 256 + inside


def standard_volume(x_B: int, y: int, z: int, element_bits: int, tile_B: int) -> int:
    """One 3D tile: blocks of 16 bytes x 4 rows x 4 slices, and what doubles a block on the way to the tile."""
    steps = {8: "zyzy", 16: "zyzy", 32: "yxzy", 64: "xxzy", 128: "xxzy"}[element_bits]
    if tile_B > TILE_B:
        steps += "xzyx"
    rest = {"x": x_B // 16, "y": y // 4, "z": z // 4}
    out = (z % 4) * 64 + (y % 4) * 16 + x_B % 16
    size = 256
    for axis in steps:
        out += (rest[axis] % 2) * size
        rest[axis] //= 2
        size *= 2
    return out


FORMULAS = {"linear": linear, "X": x_tiled, "Y": y_tiled, "W": w_tiled}


def swizzled(offset: int, bits: tuple[int, ...]) -> int:
    """Flip address bit 6 if an odd number of the other bits is set."""
    ones = sum(1 for bit in bits if offset & 2**bit)
    return offset ^ 64 if ones % 2 else offset


def detile(memory, formula, pitch_B, x_B, y_rows, width_B, height_rows, bits=()):
    """A rectangle of a tiled surface, byte by byte."""
    out = np.zeros((height_rows, width_B), np.uint8)
    for y in range(height_rows):
        for x in range(width_B):
            out[y, x] = memory[swizzled(formula(x_B + x, y_rows + y, pitch_B), bits)]
    return out
