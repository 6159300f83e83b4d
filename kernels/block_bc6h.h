// BC6H (Direct3D 11.3 functional specification 19.5.13; GL_ARB_texture_compression_bptc).
#pragma once
#include "block_bptc.h"

// Four endpoints of three channels; 0 and 1 are those of the first subset. Table.F's names.
enum Bc6hField { R0, R1, R2, R3, G0, G1, G2, G3, B0, B1, B2, B3 };

// Bits [high:low] of a field lie next in the block; if high < low, they lie there in reverse order.
struct Bc6hPiece {
    int field, high, low;
};

// A row of Table.MF and its pieces from Table.F, from the mode bits up to the partition or the indices.
struct Bc6hMode {
    u32 number;
    int mode_bits, transformed, subsets, endpoint_bits, delta_bits[3];
    Bc6hPiece pieces[25];
};
enum { BC6H_MODES = 14 };
FN constexpr Bc6hMode bc6h_mode(int row) {
    constexpr Bc6hMode MODES[BC6H_MODES] = {
        // number, mode bits, transformed, subsets, endpoint bits, {delta bits}, {pieces}
        {0, 2, 1, 2, 10, {5, 5, 5},
         {{G2, 4, 4}, {B2, 4, 4}, {B3, 4, 4}, {R0, 9, 0}, {G0, 9, 0}, {B0, 9, 0}, {R1, 4, 0}, {G3, 4, 4},
          {G2, 3, 0}, {G1, 4, 0}, {B3, 0, 0}, {G3, 3, 0}, {B1, 4, 0}, {B3, 1, 1}, {B2, 3, 0}, {R2, 4, 0},
          {B3, 2, 2}, {R3, 4, 0}, {B3, 3, 3}}},
        {1, 2, 1, 2, 7, {6, 6, 6},
         {{G2, 5, 5}, {G3, 4, 4}, {G3, 5, 5}, {R0, 6, 0}, {B3, 0, 0}, {B3, 1, 1}, {B2, 4, 4}, {G0, 6, 0},
          {B2, 5, 5}, {B3, 2, 2}, {G2, 4, 4}, {B0, 6, 0}, {B3, 3, 3}, {B3, 5, 5}, {B3, 4, 4}, {R1, 5, 0},
          {G2, 3, 0}, {G1, 5, 0}, {G3, 3, 0}, {B1, 5, 0}, {B2, 3, 0}, {R2, 5, 0}, {R3, 5, 0}}},
        {2, 5, 1, 2, 11, {5, 4, 4},
         {{R0, 9, 0}, {G0, 9, 0}, {B0, 9, 0}, {R1, 4, 0}, {R0, 10, 10}, {G2, 3, 0}, {G1, 3, 0}, {G0, 10, 10},
          {B3, 0, 0}, {G3, 3, 0}, {B1, 3, 0}, {B0, 10, 10}, {B3, 1, 1}, {B2, 3, 0}, {R2, 4, 0}, {B3, 2, 2},
          {R3, 4, 0}, {B3, 3, 3}}},
        {6, 5, 1, 2, 11, {4, 5, 4},
         {{R0, 9, 0}, {G0, 9, 0}, {B0, 9, 0}, {R1, 3, 0}, {R0, 10, 10}, {G3, 4, 4}, {G2, 3, 0}, {G1, 4, 0},
          {G0, 10, 10}, {G3, 3, 0}, {B1, 3, 0}, {B0, 10, 10}, {B3, 1, 1}, {B2, 3, 0}, {R2, 3, 0}, {B3, 0, 0},
          {B3, 2, 2}, {R3, 3, 0}, {G2, 4, 4}, {B3, 3, 3}}},
        {10, 5, 1, 2, 11, {4, 4, 5},
         {{R0, 9, 0}, {G0, 9, 0}, {B0, 9, 0}, {R1, 3, 0}, {R0, 10, 10}, {B2, 4, 4}, {G2, 3, 0}, {G1, 3, 0},
          {G0, 10, 10}, {B3, 0, 0}, {G3, 3, 0}, {B1, 4, 0}, {B0, 10, 10}, {B2, 3, 0}, {R2, 3, 0}, {B3, 1, 1},
          {B3, 2, 2}, {R3, 3, 0}, {B3, 4, 4}, {B3, 3, 3}}},
        {14, 5, 1, 2, 9, {5, 5, 5},
         {{R0, 8, 0}, {B2, 4, 4}, {G0, 8, 0}, {G2, 4, 4}, {B0, 8, 0}, {B3, 4, 4}, {R1, 4, 0}, {G3, 4, 4},
          {G2, 3, 0}, {G1, 4, 0}, {B3, 0, 0}, {G3, 3, 0}, {B1, 4, 0}, {B3, 1, 1}, {B2, 3, 0}, {R2, 4, 0},
          {B3, 2, 2}, {R3, 4, 0}, {B3, 3, 3}}},
        {18, 5, 1, 2, 8, {6, 5, 5},
         {{R0, 7, 0}, {G3, 4, 4}, {B2, 4, 4}, {G0, 7, 0}, {B3, 2, 2}, {G2, 4, 4}, {B0, 7, 0}, {B3, 3, 3},
          {B3, 4, 4}, {R1, 5, 0}, {G2, 3, 0}, {G1, 4, 0}, {B3, 0, 0}, {G3, 3, 0}, {B1, 4, 0}, {B3, 1, 1},
          {B2, 3, 0}, {R2, 5, 0}, {R3, 5, 0}}},
        {22, 5, 1, 2, 8, {5, 6, 5},
         {{R0, 7, 0}, {B3, 0, 0}, {B2, 4, 4}, {G0, 7, 0}, {G2, 5, 5}, {G2, 4, 4}, {B0, 7, 0}, {G3, 5, 5},
          {B3, 4, 4}, {R1, 4, 0}, {G3, 4, 4}, {G2, 3, 0}, {G1, 5, 0}, {G3, 3, 0}, {B1, 4, 0}, {B3, 1, 1},
          {B2, 3, 0}, {R2, 4, 0}, {B3, 2, 2}, {R3, 4, 0}, {B3, 3, 3}}},
        {26, 5, 1, 2, 8, {5, 5, 6},
         {{R0, 7, 0}, {B3, 1, 1}, {B2, 4, 4}, {G0, 7, 0}, {B2, 5, 5}, {G2, 4, 4}, {B0, 7, 0}, {B3, 5, 5},
          {B3, 4, 4}, {R1, 4, 0}, {G3, 4, 4}, {G2, 3, 0}, {G1, 4, 0}, {B3, 0, 0}, {G3, 3, 0}, {B1, 5, 0},
          {B2, 3, 0}, {R2, 4, 0}, {B3, 2, 2}, {R3, 4, 0}, {B3, 3, 3}}},
        {30, 5, 0, 2, 6, {6, 6, 6},
         {{R0, 5, 0}, {G3, 4, 4}, {B3, 0, 0}, {B3, 1, 1}, {B2, 4, 4}, {G0, 5, 0}, {G2, 5, 5}, {B2, 5, 5},
          {B3, 2, 2}, {G2, 4, 4}, {B0, 5, 0}, {G3, 5, 5}, {B3, 3, 3}, {B3, 5, 5}, {B3, 4, 4}, {R1, 5, 0},
          {G2, 3, 0}, {G1, 5, 0}, {G3, 3, 0}, {B1, 5, 0}, {B2, 3, 0}, {R2, 5, 0}, {R3, 5, 0}}},
        {3, 5, 0, 1, 10, {10, 10, 10},
         {{R0, 9, 0}, {G0, 9, 0}, {B0, 9, 0}, {R1, 9, 0}, {G1, 9, 0}, {B1, 9, 0}}},
        {7, 5, 1, 1, 11, {9, 9, 9},
         {{R0, 9, 0}, {G0, 9, 0}, {B0, 9, 0}, {R1, 8, 0}, {R0, 10, 10}, {G1, 8, 0}, {G0, 10, 10}, {B1, 8, 0},
          {B0, 10, 10}}},
        {11, 5, 1, 1, 12, {8, 8, 8},
         {{R0, 9, 0}, {G0, 9, 0}, {B0, 9, 0}, {R1, 7, 0}, {R0, 10, 11}, {G1, 7, 0}, {G0, 10, 11}, {B1, 7, 0},
          {B0, 10, 11}}},
        {15, 5, 1, 1, 16, {4, 4, 4},
         {{R0, 9, 0}, {G0, 9, 0}, {B0, 9, 0}, {R1, 3, 0}, {R0, 10, 15}, {G1, 3, 0}, {G0, 10, 15}, {B1, 3, 0},
          {B0, 10, 15}}},
    };
    return MODES[row];
}

// Adds the pieces of a mode, from bit AT on, to the fields.
template <int ROW, int PIECE, int AT> FN void bc6h_gather(const Bits128& block, u32* fields) {
    constexpr Bc6hMode M = bc6h_mode(ROW);
    if constexpr (AT < (M.subsets == 2 ? 77 : 65)) {
        constexpr Bc6hPiece P = M.pieces[PIECE];
        constexpr int COUNT = (P.high > P.low ? P.high - P.low : P.low - P.high) + 1;
        const u32 bits = bits_at(block, AT, COUNT);
        if constexpr (P.high >= P.low) {
            fields[P.field] |= bits << P.low;
        } else {
            UNROLL for (int k = 0; k < COUNT; ++k) fields[P.field] |= (bits >> k & 1) << (P.low - k);
        }
        bc6h_gather<ROW, PIECE + 1, AT + COUNT>(block, fields);
    }
}

FN s32 sign_extended(u32 v, int bits) { return (s32)(v << (32 - bits)) >> (32 - bits); }

// Endpoint to the range of interpolation: 0..0xffff, or -0x7fff..0x7fff if signed (19.5.13.9).
template <bool SIGNED> FN s32 unquantized(s32 v, int bits) {
    if (SIGNED) {
        if (bits >= 16) return v;
        const s32 sign = v >> 31, magnitude = (v ^ sign) - sign;
        const s32 middle = ((magnitude << 15) + 0x4000) >> (bits - 1);
        const s32 most = magnitude >= (1 << (bits - 1)) - 1 ? 0x7fff : middle;
        const s32 result = magnitude == 0 ? 0 : most;
        return (result ^ sign) - sign;
    }
    if (bits >= 15) return v;
    const s32 middle = ((v << 16) + 0x8000) >> bits;
    const s32 most = v == (1 << bits) - 1 ? 0xffff : middle;
    return v == 0 ? 0 : most;
}

// Bits of the half: 31/64 of the interpolated value, or 31/32 with the sign apart (19.5.13.10: no negative zero).
template <bool SIGNED> FN u16 half_bits(s32 v) {
    if (!SIGNED) return (u16)(v * 31 >> 6);
    const s32 sign = v >> 31, magnitude = ((v ^ sign) - sign) * 31 >> 5;
    return (u16)(magnitude | (magnitude > 0 ? sign & 0x8000 : 0));
}

template <int ROW, bool SIGNED> FN void bc6h_block(const Bits128& block, u16* __restrict__ texels) {
    constexpr Bc6hMode M = bc6h_mode(ROW);
    constexpr int ENDS = 2 * M.subsets, INDEX_AT = M.subsets == 2 ? 82 : 65, INDEX_BITS = M.subsets == 2 ? 3 : 4;
    u32 fields[12] = {};
    bc6h_gather<ROW, 0, M.mode_bits>(block, fields);

    s32 base[3][2], difference[3][2];
    UNROLL for (int c = 0; c < 3; ++c) {
        const u32* stored = fields + 4 * c;
        s32 end[4];
        end[0] = SIGNED ? sign_extended(stored[0], M.endpoint_bits) : (s32)stored[0];
        UNROLL for (int e = 1; e < ENDS; ++e) {
            if (M.transformed) {  // a signed difference to endpoint 0; the sum wraps around (19.5.13.7)
                const u32 sum = stored[0] + (u32)sign_extended(stored[e], M.delta_bits[c]);
                end[e] = SIGNED ? sign_extended(sum, M.endpoint_bits) : (s32)(sum & ((1u << M.endpoint_bits) - 1));
            } else {
                end[e] = SIGNED ? sign_extended(stored[e], M.delta_bits[c]) : (s32)stored[e];
            }
        }
        UNROLL for (int s = 0; s < M.subsets; ++s) {
            const s32 from = unquantized<SIGNED>(end[2 * s], M.endpoint_bits);
            base[c][s] = 64 * from + 32;
            difference[c][s] = unquantized<SIGNED>(end[2 * s + 1], M.endpoint_bits) - from;
        }
        if (M.subsets == 1) {
            base[c][1] = base[c][0];
            difference[c][1] = difference[c][0];
        }
    }

    const u32 shape = M.subsets == 2 ? bits_at(block, 77, 5) : 0;
    const u64 in_block = block.high >> (INDEX_AT - 64);
    const u64 all = M.subsets == 2 ? insert_anchors_2(in_block, shape, 3) : insert_anchor(in_block, 0, 4);
    const Indices indices = indices_of(all, INDEX_BITS);
    const u32 subsets = M.subsets == 2 ? PARTITIONS_2[shape] : 0;
    FOR_LINE(t, 16) {
        const u32 second = subsets >> t & 1;
        const s32 weight = weight_of(indices.at(t), weight_scale(INDEX_BITS));
        UNROLL for (int c = 0; c < 3; ++c) {
            const s32 from = second ? base[c][1] : base[c][0];
            const s32 step = second ? difference[c][1] : difference[c][0];
            texels[16 * c + t] = half_bits<SIGNED>((from + step * weight) >> 6);
        }
    }
}

// Decodes with the row of the block's mode; a mode without a row is reserved: zeroes in all channels but alpha
// (19.5.13.3).
template <int ROW, bool SIGNED> FN void bc6h_dispatch(u32 mode, const Bits128& block, u16* texels) {
    if constexpr (ROW == BC6H_MODES) {
        FOR_LINE(i, 48) texels[i] = 0;
    } else if (mode == bc6h_mode(ROW).number) {
        bc6h_block<ROW, SIGNED>(block, texels);
    } else {
        bc6h_dispatch<ROW + 1, SIGNED>(mode, block, texels);
    }
}

template <bool SIGNED> struct Bc6h {
    typedef u16 Element;
    enum { CHANNELS = 3 };
    static FN_MEMBER void decode(const Bits128& block, u16* texels) {
        const u32 bits = (u32)block.low & 31;
        bc6h_dispatch<0, SIGNED>(bits & 2 ? bits : bits & 1, block, texels);
    }
};
