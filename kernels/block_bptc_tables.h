// Tables of BC6H and BC7: which subset each texel of a block belongs to (GL_ARB_texture_compression_bptc, Table.P2,
// Table.P3, Table.A2, Table.A3a, Table.A3b; Direct3D 11.3 functional specification 19.5.14.5-6).
#pragma once
#include "portable.h"

// The digits of the 16 texels, left to right and top to bottom, `bits` each; texel 0 in the lowest bits.
FN constexpr u32 partition(const char* digits, int bits) {
    u32 packed = 0;
    for (int t = 0; t < 16; ++t) packed |= (u32)(digits[t] - '0') << (bits * t);
    return packed;
}

// Two subsets: 1 bit per texel. BC6H uses the first half.
TABLE u32 PARTITIONS_2[64] = {
    partition("0011001100110011", 1), partition("0001000100010001", 1), partition("0111011101110111", 1),
    partition("0001001100110111", 1), partition("0000000100010011", 1), partition("0011011101111111", 1),
    partition("0001001101111111", 1), partition("0000000100110111", 1), partition("0000000000010011", 1),
    partition("0011011111111111", 1), partition("0000000101111111", 1), partition("0000000000010111", 1),
    partition("0001011111111111", 1), partition("0000000011111111", 1), partition("0000111111111111", 1),
    partition("0000000000001111", 1), partition("0000100011101111", 1), partition("0111000100000000", 1),
    partition("0000000010001110", 1), partition("0111001100010000", 1), partition("0011000100000000", 1),
    partition("0000100011001110", 1), partition("0000000010001100", 1), partition("0111001100110001", 1),
    partition("0011000100010000", 1), partition("0000100010001100", 1), partition("0110011001100110", 1),
    partition("0011011001101100", 1), partition("0001011111101000", 1), partition("0000111111110000", 1),
    partition("0111000110001110", 1), partition("0011100110011100", 1), partition("0101010101010101", 1),
    partition("0000111100001111", 1), partition("0101101001011010", 1), partition("0011001111001100", 1),
    partition("0011110000111100", 1), partition("0101010110101010", 1), partition("0110100101101001", 1),
    partition("0101101010100101", 1), partition("0111001111001110", 1), partition("0001001111001000", 1),
    partition("0011001001001100", 1), partition("0011101111011100", 1), partition("0110100110010110", 1),
    partition("0011110011000011", 1), partition("0110011010011001", 1), partition("0000011001100000", 1),
    partition("0100111001000000", 1), partition("0010011100100000", 1), partition("0000001001110010", 1),
    partition("0000010011100100", 1), partition("0110110010010011", 1), partition("0011011011001001", 1),
    partition("0110001110011100", 1), partition("0011100111000110", 1), partition("0110110011001001", 1),
    partition("0110001100111001", 1), partition("0111111010000001", 1), partition("0001100011100111", 1),
    partition("0000111100110011", 1), partition("0011001111110000", 1), partition("0010001011101110", 1),
    partition("0100010001110111", 1),
};

// Three subsets: 2 bits per texel.
TABLE u32 PARTITIONS_3[64] = {
    partition("0011001102212222", 2), partition("0001001122112221", 2), partition("0000200122112211", 2),
    partition("0222002200110111", 2), partition("0000000011221122", 2), partition("0011001100220022", 2),
    partition("0022002211111111", 2), partition("0011001122112211", 2), partition("0000000011112222", 2),
    partition("0000111111112222", 2), partition("0000111122222222", 2), partition("0012001200120012", 2),
    partition("0112011201120112", 2), partition("0122012201220122", 2), partition("0011011211221222", 2),
    partition("0011200122002220", 2), partition("0001001101121122", 2), partition("0111001120012200", 2),
    partition("0000112211221122", 2), partition("0022002200221111", 2), partition("0111011102220222", 2),
    partition("0001000122212221", 2), partition("0000001101220122", 2), partition("0000110022102210", 2),
    partition("0122012200110000", 2), partition("0012001211222222", 2), partition("0110122112210110", 2),
    partition("0000011012211221", 2), partition("0022110211020022", 2), partition("0110011020022222", 2),
    partition("0011012201220011", 2), partition("0000200022112221", 2), partition("0000000211221222", 2),
    partition("0222002200120011", 2), partition("0011001200220222", 2), partition("0120012001200120", 2),
    partition("0000111122220000", 2), partition("0120120120120120", 2), partition("0120201212010120", 2),
    partition("0011220011220011", 2), partition("0011112222000011", 2), partition("0101010122222222", 2),
    partition("0000000021212121", 2), partition("0022112200221122", 2), partition("0022001100220011", 2),
    partition("0220122102201221", 2), partition("0101222222220101", 2), partition("0000212121212121", 2),
    partition("0101010101012222", 2), partition("0222011102220111", 2), partition("0002111200021112", 2),
    partition("0000211221122112", 2), partition("0222011101110222", 2), partition("0002111211120002", 2),
    partition("0110011001102222", 2), partition("0000000021122112", 2), partition("0110011022222222", 2),
    partition("0022001100110022", 2), partition("0022112211220022", 2), partition("0000000000002112", 2),
    partition("0002000100020001", 2), partition("0222122202221222", 2), partition("0101222222222222", 2),
    partition("0111201122012220", 2),
};

// Anchors: the texel of a subset whose index lacks its highest bit. That of subset 0 is always texel 0.
// Subset 1 of two:
TABLE u8 ANCHOR_2[64] = {
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
    15, 2, 8, 2, 2, 8, 8, 15, 2, 8, 2, 2, 8, 8, 2, 2,
    15, 15, 6, 8, 2, 8, 15, 15, 2, 8, 2, 2, 2, 15, 15, 6,
    6, 2, 6, 8, 15, 15, 2, 2, 15, 15, 15, 15, 15, 2, 2, 15,
};

// Subset 1 of three:
TABLE u8 ANCHOR_3A[64] = {
    3, 3, 15, 15, 8, 3, 15, 15, 8, 8, 6, 6, 6, 5, 3, 3,
    3, 3, 8, 15, 3, 3, 6, 10, 5, 8, 8, 6, 8, 5, 15, 15,
    8, 15, 3, 5, 6, 10, 8, 15, 15, 3, 15, 5, 15, 15, 15, 15,
    3, 15, 5, 5, 5, 8, 5, 10, 5, 10, 8, 13, 15, 12, 3, 3,
};

// Subset 2 of three:
TABLE u8 ANCHOR_3B[64] = {
    15, 8, 8, 3, 15, 15, 3, 8, 15, 15, 15, 15, 15, 15, 15, 8,
    15, 8, 15, 3, 15, 8, 15, 8, 3, 15, 6, 10, 15, 15, 10, 8,
    15, 3, 15, 10, 10, 8, 9, 10, 6, 15, 8, 15, 3, 6, 6, 8,
    15, 3, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 3, 15, 15, 8,
};
