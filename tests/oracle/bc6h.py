"""BC6H written out from GL_ARB_texture_compression_bptc (Table.MF, Table.F) and Direct3D 11.3 functional spec 19.5.13.

Vectorized over blocks of one mode, with unbounded room in 64-bit integers. Results are the 16 bits of the halves.
"""

from __future__ import annotations

import re

import numpy as np

from oracle.bc import Ints, bits_of
from oracle.bc7 import WEIGHTS, Reader, subsets_and_anchors

TABLE_MF = {
    # mode: transformed, partition bits, endpoint bits, delta bits
    0: (1, 5, 10, (5, 5, 5)),
    1: (1, 5, 7, (6, 6, 6)),
    2: (1, 5, 11, (5, 4, 4)),
    6: (1, 5, 11, (4, 5, 4)),
    10: (1, 5, 11, (4, 4, 5)),
    14: (1, 5, 9, (5, 5, 5)),
    18: (1, 5, 8, (6, 5, 5)),
    22: (1, 5, 8, (5, 6, 5)),
    26: (1, 5, 8, (5, 5, 6)),
    30: (0, 5, 6, (6, 6, 6)),
    3: (0, 0, 10, (10, 10, 10)),
    7: (1, 0, 11, (9, 9, 9)),
    11: (1, 0, 12, (8, 8, 8)),
    15: (1, 0, 16, (4, 4, 4)),
}
TABLE_F = {
    0: (
        "m[1:0],g2[4],b2[4],b3[4],r0[9:0],g0[9:0],b0[9:0],r1[4:0],g3[4],g2[3:0],g1[4:0],b3[0],g3[3:0],"
        "b1[4:0],b3[1],b2[3:0],r2[4:0],b3[2],r3[4:0],b3[3]"
    ),
    1: (
        "m[1:0],g2[5],g3[4],g3[5],r0[6:0],b3[0],b3[1],b2[4],g0[6:0],b2[5],b3[2],g2[4],b0[6:0],b3[3],b3[5],"
        "b3[4],r1[5:0],g2[3:0],g1[5:0],g3[3:0],b1[5:0],b2[3:0],r2[5:0],r3[5:0]"
    ),
    2: (
        "m[4:0],r0[9:0],g0[9:0],b0[9:0],r1[4:0],r0[10],g2[3:0],g1[3:0],g0[10],b3[0],g3[3:0],b1[3:0],b0[10],"
        "b3[1],b2[3:0],r2[4:0],b3[2],r3[4:0],b3[3]"
    ),
    6: (
        "m[4:0],r0[9:0],g0[9:0],b0[9:0],r1[3:0],r0[10],g3[4],g2[3:0],g1[4:0],g0[10],g3[3:0],b1[3:0],b0[10],"
        "b3[1],b2[3:0],r2[3:0],b3[0],b3[2],r3[3:0],g2[4],b3[3]"
    ),
    10: (
        "m[4:0],r0[9:0],g0[9:0],b0[9:0],r1[3:0],r0[10],b2[4],g2[3:0],g1[3:0],g0[10],b3[0],g3[3:0],b1[4:0],"
        "b0[10],b2[3:0],r2[3:0],b3[1],b3[2],r3[3:0],b3[4],b3[3]"
    ),
    14: (
        "m[4:0],r0[8:0],b2[4],g0[8:0],g2[4],b0[8:0],b3[4],r1[4:0],g3[4],g2[3:0],g1[4:0],b3[0],g3[3:0],"
        "b1[4:0],b3[1],b2[3:0],r2[4:0],b3[2],r3[4:0],b3[3]"
    ),
    18: (
        "m[4:0],r0[7:0],g3[4],b2[4],g0[7:0],b3[2],g2[4],b0[7:0],b3[3],b3[4],r1[5:0],g2[3:0],g1[4:0],b3[0],"
        "g3[3:0],b1[4:0],b3[1],b2[3:0],r2[5:0],r3[5:0]"
    ),
    22: (
        "m[4:0],r0[7:0],b3[0],b2[4],g0[7:0],g2[5],g2[4],b0[7:0],g3[5],b3[4],r1[4:0],g3[4],g2[3:0],g1[5:0],"
        "g3[3:0],b1[4:0],b3[1],b2[3:0],r2[4:0],b3[2],r3[4:0],b3[3]"
    ),
    26: (
        "m[4:0],r0[7:0],b3[1],b2[4],g0[7:0],b2[5],g2[4],b0[7:0],b3[5],b3[4],r1[4:0],g3[4],g2[3:0],g1[4:0],"
        "b3[0],g3[3:0],b1[5:0],b2[3:0],r2[4:0],b3[2],r3[4:0],b3[3]"
    ),
    30: (
        "m[4:0],r0[5:0],g3[4],b3[0],b3[1],b2[4],g0[5:0],g2[5],b2[5],b3[2],g2[4],b0[5:0],g3[5],b3[3],b3[5],"
        "b3[4],r1[5:0],g2[3:0],g1[5:0],g3[3:0],b1[5:0],b2[3:0],r2[5:0],r3[5:0]"
    ),
    3: "m[4:0],r0[9:0],g0[9:0],b0[9:0],r1[9:0],g1[9:0],b1[9:0]",
    7: "m[4:0],r0[9:0],g0[9:0],b0[9:0],r1[8:0],r0[10],g1[8:0],g0[10],b1[8:0],b0[10]",
    11: "m[4:0],r0[9:0],g0[9:0],b0[9:0],r1[7:0],r0[10:11],g1[7:0],g0[10:11],b1[7:0],b0[10:11]",
    15: "m[4:0],r0[9:0],g0[9:0],b0[9:0],r1[3:0],r0[10:15],g1[3:0],g0[10:15],b1[3:0],b0[10:15]",
}
RESERVED = (19, 23, 27, 31)


def mode_of(blocks: Ints) -> Ints:
    low = blocks[:, 0].astype(int)
    return np.where(low & 3 < 2, low & 3, low & 31)


def sign_extended(value: Ints, bits: int) -> Ints:
    return np.where(value >> (bits - 1) & 1, value - (1 << bits), value)


def unquantized(x: Ints, bits: int, signed: bool) -> Ints:
    """19.5.13.9."""
    if not signed:
        if bits >= 15:
            return x
        inner = ((x << 16) + 0x8000) >> bits
        return np.select([x == 0, x == (1 << bits) - 1], [0, 0xFFFF], inner)
    if bits >= 16:
        return x
    size = abs(x)
    inner = ((size << 15) + 0x4000) >> (bits - 1)
    return np.sign(x) * np.select([size == 0, size >= (1 << (bits - 1)) - 1], [0, 0x7FFF], inner)


def finished(x: Ints, signed: bool) -> Ints:
    """19.5.13.10: the sign is that of the scaled number, so there is no negative zero."""
    if not signed:
        return x * 31 >> 6
    scaled = np.sign(x) * (abs(x) * 31 >> 5)
    return np.where(scaled < 0, 0x8000 | -scaled, scaled)


def decode_mode(blocks: Ints, mode: int, signed: bool) -> Ints:
    """Blocks of one mode to (count, 16, 3) uint16."""
    transformed, partition_bits, bits, delta_bits = TABLE_MF[mode]
    reader = Reader(bits_of(blocks), 0)
    fields = {name: np.zeros(len(blocks), np.int64) for name in ("m", *(c + n for c in "rgb" for n in "0123"))}
    for name, first, last in re.findall(r"(\w+)\[(\d+)(?::(\d+))?\]", TABLE_F[mode]):
        high, low = int(first), int(last or first)
        places = range(low, high + 1) if high >= low else range(low, high - 1, -1)
        for place in places:
            fields[name] |= reader.read(1) << place
    assert (fields["m"] == mode).all()
    shape = reader.read(partition_bits)
    subsets = 2 if partition_bits else 1

    unquantized_ends = np.zeros((len(blocks), 2 * subsets, 3), np.int64)
    for c, channel in enumerate("rgb"):
        ends = [fields[f"{channel}{n}"] for n in range(2 * subsets)]
        if transformed or signed:
            ends[1:] = [sign_extended(end, delta_bits[c]) for end in ends[1:]]
        if signed:
            ends[0] = sign_extended(ends[0], bits)
        if transformed:
            ends[1:] = [(end + ends[0]) & ((1 << bits) - 1) for end in ends[1:]]
            if signed:
                ends[1:] = [sign_extended(end, bits) for end in ends[1:]]
        for e, end in enumerate(ends):
            unquantized_ends[:, e, c] = unquantized(end, bits, signed)

    texel_subset, anchors = subsets_and_anchors(subsets, shape)
    index_bits = 3 if subsets == 2 else 4
    weight = np.array(WEIGHTS[index_bits])[reader.read_indices(index_bits, anchors)][:, :, None]
    assert reader.at_end()
    a = np.take_along_axis(unquantized_ends, 2 * texel_subset[:, :, None], axis=1)
    b = np.take_along_axis(unquantized_ends, 2 * texel_subset[:, :, None] + 1, axis=1)
    return finished((a * (64 - weight) + b * weight + 32) >> 6, signed).astype(np.uint16)


def decode_bc6h(blocks: Ints, signed: bool) -> Ints:
    """Any blocks to (count, 16, 3); reserved modes give zeros (19.5.13.3)."""
    texels = np.zeros((len(blocks), 16, 3), np.uint16)
    modes = mode_of(blocks)
    for mode in TABLE_MF:
        rows = modes == mode
        if rows.any():
            texels[rows] = decode_mode(blocks[rows], mode, signed)
    return texels
