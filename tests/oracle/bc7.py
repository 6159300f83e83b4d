"""BC7 written out from GL_ARB_texture_compression_bptc (tables) and Direct3D 11.3 functional specification 19.5.14.

Vectorized over blocks of one mode. Fields are read one after the other from an array of bits, indices bit by bit.
"""

from __future__ import annotations

import numpy as np

from oracle.bc import Ints, bits_of, number

TABLE_M = {
    # mode: NS PB RB ISB CB AB EPB SPB IB IB2
    0: (3, 4, 0, 0, 4, 0, 1, 0, 3, 0),
    1: (2, 6, 0, 0, 6, 0, 0, 1, 3, 0),
    2: (3, 6, 0, 0, 5, 0, 0, 0, 2, 0),
    3: (2, 6, 0, 0, 7, 0, 1, 0, 2, 0),
    4: (1, 0, 2, 1, 5, 6, 0, 0, 2, 3),
    5: (1, 0, 2, 0, 7, 8, 0, 0, 2, 2),
    6: (1, 0, 0, 0, 7, 7, 1, 0, 4, 0),
    7: (2, 6, 0, 0, 5, 5, 1, 0, 2, 0),
}
WEIGHTS = {
    2: (0, 21, 43, 64),
    3: (0, 9, 18, 27, 37, 46, 55, 64),
    4: (0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64),
}


def _shapes(text: str) -> Ints:
    return np.array([[int(digit) for digit in row] for row in text.split()])


TABLE_P2 = _shapes(
    """
    0011001100110011 0001000100010001 0111011101110111 0001001100110111 0000000100010011 0011011101111111
    0001001101111111 0000000100110111 0000000000010011 0011011111111111 0000000101111111 0000000000010111
    0001011111111111 0000000011111111 0000111111111111 0000000000001111 0000100011101111 0111000100000000
    0000000010001110 0111001100010000 0011000100000000 0000100011001110 0000000010001100 0111001100110001
    0011000100010000 0000100010001100 0110011001100110 0011011001101100 0001011111101000 0000111111110000
    0111000110001110 0011100110011100 0101010101010101 0000111100001111 0101101001011010 0011001111001100
    0011110000111100 0101010110101010 0110100101101001 0101101010100101 0111001111001110 0001001111001000
    0011001001001100 0011101111011100 0110100110010110 0011110011000011 0110011010011001 0000011001100000
    0100111001000000 0010011100100000 0000001001110010 0000010011100100 0110110010010011 0011011011001001
    0110001110011100 0011100111000110 0110110011001001 0110001100111001 0111111010000001 0001100011100111
    0000111100110011 0011001111110000 0010001011101110 0100010001110111
    """
)
TABLE_P3 = _shapes(
    """
    0011001102212222 0001001122112221 0000200122112211 0222002200110111 0000000011221122 0011001100220022
    0022002211111111 0011001122112211 0000000011112222 0000111111112222 0000111122222222 0012001200120012
    0112011201120112 0122012201220122 0011011211221222 0011200122002220 0001001101121122 0111001120012200
    0000112211221122 0022002200221111 0111011102220222 0001000122212221 0000001101220122 0000110022102210
    0122012200110000 0012001211222222 0110122112210110 0000011012211221 0022110211020022 0110011020022222
    0011012201220011 0000200022112221 0000000211221222 0222002200120011 0011001200220222 0120012001200120
    0000111122220000 0120120120120120 0120201212010120 0011220011220011 0011112222000011 0101010122222222
    0000000021212121 0022112200221122 0022001100220011 0220122102201221 0101222222220101 0000212121212121
    0101010101012222 0222011102220111 0002111200021112 0000211221122112 0222011101110222 0002111211120002
    0110011001102222 0000000021122112 0110011022222222 0022001100110022 0022112211220022 0000000000002112
    0002000100020001 0222122202221222 0101222222222222 0111201122012220
    """
)
# fmt: off
TABLE_A2 = (
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
    15, 2, 8, 2, 2, 8, 8, 15, 2, 8, 2, 2, 8, 8, 2, 2,
    15, 15, 6, 8, 2, 8, 15, 15, 2, 8, 2, 2, 2, 15, 15, 6,
    6, 2, 6, 8, 15, 15, 2, 2, 15, 15, 15, 15, 15, 2, 2, 15,
)
TABLE_A3A = (
    3, 3, 15, 15, 8, 3, 15, 15, 8, 8, 6, 6, 6, 5, 3, 3,
    3, 3, 8, 15, 3, 3, 6, 10, 5, 8, 8, 6, 8, 5, 15, 15,
    8, 15, 3, 5, 6, 10, 8, 15, 15, 3, 15, 5, 15, 15, 15, 15,
    3, 15, 5, 5, 5, 8, 5, 10, 5, 10, 8, 13, 15, 12, 3, 3,
)
TABLE_A3B = (
    15, 8, 8, 3, 15, 15, 3, 8, 15, 15, 15, 15, 15, 15, 15, 8,
    15, 8, 15, 3, 15, 8, 15, 8, 3, 15, 6, 10, 15, 15, 10, 8,
    15, 3, 15, 10, 10, 8, 9, 10, 6, 15, 8, 15, 3, 6, 6, 8,
    15, 3, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 3, 15, 15, 8,
)
# fmt: on
ONE_SUBSET = np.zeros((1, 16), int)


class Reader:
    """Reads fields of many blocks at once, from the lowest bit up."""

    def __init__(self, bits: Ints, at: int) -> None:
        self._bits, self._at = bits, at

    def read(self, count: int) -> Ints:
        self._at += count
        return number(self._bits[:, self._at - count : self._at])

    def read_indices(self, width: int, anchors: Ints) -> Ints:
        """Sixteen indices; ``anchors`` (blocks, 16) says which of them have a bit less."""
        at = np.full(len(self._bits), self._at)
        indices = np.zeros((len(self._bits), 16), np.int64)
        for texel in range(16):
            for k in range(width):
                present = k < width - anchors[:, texel]
                bit = self._bits[np.arange(len(at)), np.minimum(at, 127)]
                indices[:, texel] |= np.where(present, bit, 0).astype(np.int64) << k
                at += present
        assert (at == at[0]).all()
        self._at = int(at[0])
        return indices

    def at_end(self) -> bool:
        return self._at == self._bits.shape[1]


def subsets_and_anchors(subsets: int, shape: Ints) -> tuple[Ints, Ints]:
    """Subset of each texel, and whether it is an anchor: both (blocks, 16)."""
    table = {1: ONE_SUBSET, 2: TABLE_P2, 3: TABLE_P3}[subsets]
    anchors = np.zeros((len(shape), 16), bool)
    anchors[:, 0] = True
    for others in {1: (), 2: (TABLE_A2,), 3: (TABLE_A3A, TABLE_A3B)}[subsets]:
        anchors[np.arange(len(shape)), np.array(others)[shape]] = True
    return table[shape], anchors


def interpolate(e0: Ints, e1: Ints, index: Ints, bits: int) -> Ints:
    weight = np.array(WEIGHTS[bits])[index]
    return ((64 - weight) * e0 + weight * e1 + 32) >> 6


def decode_mode(blocks: Ints, mode: int) -> Ints:
    """Blocks of one mode to (count, 16, 4)."""
    subsets, pb, rb, isb, cb, ab, epb, spb, ib, ib2 = TABLE_M[mode]
    reader = Reader(bits_of(blocks), 0)
    assert (reader.read(mode + 1) == 1 << mode).all()
    shape, rotation, selection = reader.read(pb), reader.read(rb), reader.read(isb)
    ends = 2 * subsets
    channels = [[reader.read(cb) for _ in range(ends)] for _ in range(3)]
    channels += [[reader.read(ab) for _ in range(ends)]] if ab else []
    widths = [cb] * 3 + [ab] * (ab > 0)
    if epb or spb:
        p = [reader.read(1) for _ in range(ends if epb else subsets)]
        channels = [[(v << 1) + p[e if epb else e // 2] for e, v in enumerate(channel)] for channel in channels]
        widths = [width + 1 for width in widths]
    # the most significant bit comes first: repeat the digits until eight are there
    endpoints = np.full((len(blocks), ends, 4), 255, np.int64)
    for c, (channel, width) in enumerate(zip(channels, widths, strict=True)):
        for e, v in enumerate(channel):
            endpoints[:, e, c] = ((v << width) + v << 16) >> (2 * width + 8)

    texel_subset, anchors = subsets_and_anchors(subsets, shape)
    primary = reader.read_indices(ib, anchors)
    secondary = reader.read_indices(ib2, anchors) if ib2 else primary
    assert reader.at_end()

    e0 = np.take_along_axis(endpoints, 2 * texel_subset[:, :, None], axis=1)
    e1 = np.take_along_axis(endpoints, 2 * texel_subset[:, :, None] + 1, axis=1)
    by_primary = interpolate(e0, e1, primary[:, :, None], ib)
    by_secondary = interpolate(e0, e1, secondary[:, :, None], ib2 or ib)
    selected = (selection == 1)[:, None]
    texels = np.empty_like(e0)
    texels[:, :, :3] = np.where(selected[:, :, None], by_secondary[:, :, :3], by_primary[:, :, :3])
    texels[:, :, 3] = np.where(selected, by_primary[:, :, 3], by_secondary[:, :, 3])
    for code, channel in ((1, 0), (2, 1), (3, 2)):
        rows = rotation == code
        texels[rows, :, channel], texels[rows, :, 3] = texels[rows, :, 3], texels[rows, :, channel].copy()
    return texels


def decode_bc7(blocks: Ints) -> Ints:
    """Any blocks to (count, 16, 4); a zero first byte is reserved and gives zeros (19.5.14.4)."""
    texels = np.zeros((len(blocks), 16, 4), np.uint8)
    for mode in TABLE_M:
        rows = blocks[:, 0] & ((2 << mode) - 1) == 1 << mode
        if rows.any():
            texels[rows] = decode_mode(blocks[rows], mode)
    return texels
