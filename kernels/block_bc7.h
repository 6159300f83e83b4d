// BC7 (Direct3D 11.3 functional specification 19.5.14; GL_ARB_texture_compression_bptc).
#pragma once
#include "block_bptc.h"

// A row of Table.M; the fields of a block follow one another in this order, after the mode's unary code.
struct Bc7Mode {
    int subsets, partition_bits, rotation_bits, selector_bits, color_bits, alpha_bits;
    int endpoint_p, shared_p;  // bits below the endpoints: one per endpoint, or one per subset
    int index_bits, index2_bits;
};
FN constexpr Bc7Mode bc7_mode(int mode) {
    constexpr Bc7Mode MODES[8] = {
        // subsets partition rotation selector color alpha endpoint_p shared_p index index2
        {3, 4, 0, 0, 4, 0, 1, 0, 3, 0},
        {2, 6, 0, 0, 6, 0, 0, 1, 3, 0},
        {3, 6, 0, 0, 5, 0, 0, 0, 2, 0},
        {2, 6, 0, 0, 7, 0, 1, 0, 2, 0},
        {1, 0, 2, 1, 5, 6, 0, 0, 2, 3},
        {1, 0, 2, 0, 7, 8, 0, 0, 2, 2},
        {1, 0, 0, 0, 7, 7, 1, 0, 4, 0},
        {2, 6, 0, 0, 5, 5, 1, 0, 2, 0},
    };
    return MODES[mode];
}

// Two channels are computed at once as fields of 16 bits: low + high * 65536. Sums of products are exact even where a
// field of the difference is negative, because every final field lies in 0..65535.
FN u32 two(u32 low, u32 high) { return low | high << 16; }

// Fields of `precision` bits widened to 8 by repeating their highest bits.
FN u32 widen(u32 fields, int precision) {
    const u32 repeated = (1u << (8 - precision)) - 1;
    return fields << (8 - precision) | (fields >> (2 * precision - 8) & two(repeated, repeated));
}

// 64 * endpoint 0 + 32, and endpoint 1 - endpoint 0: a texel is (base + weight * difference) >> 6.
struct Bc7Line {
    u32 base, difference;
};
FN Bc7Line bc7_line(u32 endpoint0, u32 endpoint1) { return {64 * endpoint0 + two(32, 32), endpoint1 - endpoint0}; }

FN u32 interpolated(u32 base, u32 difference, s32 weight) {
    return (base + difference * (u32)weight) >> 6 & two(255, 255);
}

FN u32 select_subset(u32 subset, u32 first, u32 second, u32 third) {
    const u32 low = subset & 1 ? second : first;
    return subset & 2 ? third : low;
}

// Modes 0-3, 6 and 7: one index per texel interpolates all channels.
template <int MODE> FN void bc7_joint(const Bits128& block, u32* __restrict__ texels) {
    constexpr Bc7Mode M = bc7_mode(MODE);
    constexpr int ENDS = 2 * M.subsets, HAS_P = M.endpoint_p | M.shared_p, PRECISION = M.color_bits + HAS_P;
    constexpr int COLOR_AT = MODE + 1 + M.partition_bits, ALPHA_AT = COLOR_AT + 3 * ENDS * M.color_bits;
    constexpr int P_AT = ALPHA_AT + ENDS * M.alpha_bits;
    constexpr int INDEX_AT = P_AT + ENDS * M.endpoint_p + M.subsets * M.shared_p;
    static_assert(INDEX_AT + 16 * M.index_bits - M.subsets == 128 && INDEX_AT >= 64, "fields fill the block");
    const u32 shape = M.partition_bits ? bits_at(block, MODE + 1, max_of(M.partition_bits, 1)) : 0;

    u32 rb[6], ga[6];
    UNROLL for (int e = 0; e < ENDS; ++e) {
        const u32 p = HAS_P ? bits_at(block, P_AT + (M.shared_p ? e / 2 : e), 1) : 0;
        const u32 r = bits_at(block, COLOR_AT + e * M.color_bits, M.color_bits);
        const u32 g = bits_at(block, COLOR_AT + (ENDS + e) * M.color_bits, M.color_bits);
        const u32 b = bits_at(block, COLOR_AT + (2 * ENDS + e) * M.color_bits, M.color_bits);
        const u32 a = M.alpha_bits ? bits_at(block, ALPHA_AT + e * M.alpha_bits, max_of(M.alpha_bits, 1)) : 0;
        rb[e] = widen(two(r, b) << HAS_P | two(p, p), PRECISION);
        ga[e] = widen(two(g, a) << HAS_P | two(p, p), PRECISION);
        if (!M.alpha_bits) ga[e] |= two(0, 255);
    }
    Bc7Line rb_line[3], ga_line[3];
    UNROLL for (int s = 0; s < 3; ++s) {
        const int e = s < M.subsets ? 2 * s : 0;
        rb_line[s] = bc7_line(rb[e], rb[e + 1]);
        ga_line[s] = bc7_line(ga[e], ga[e + 1]);
    }

    const u64 stored = block.high >> (INDEX_AT - 64);
    const u64 all = M.subsets == 3   ? insert_anchors_3(stored, shape, M.index_bits)
                    : M.subsets == 2 ? insert_anchors_2(stored, shape, M.index_bits)
                                     : insert_anchor(stored, 0, M.index_bits);
    const Indices indices = indices_of(all, M.index_bits);
    const u32 subsets = M.subsets == 3 ? PARTITIONS_3[shape] : M.subsets == 2 ? PARTITIONS_2[shape] : 0;
    constexpr int SUBSET_BITS = M.subsets - 1;
    FOR_LINE(t, 16) {
        const u32 subset = subsets >> SUBSET_BITS * t & ((1u << SUBSET_BITS) - 1);
        const s32 weight = weight_of(indices.at(t), weight_scale(M.index_bits));
        const u32 rb_base = select_subset(subset, rb_line[0].base, rb_line[1].base, rb_line[2].base);
        const u32 ga_base = select_subset(subset, ga_line[0].base, ga_line[1].base, ga_line[2].base);
        const u32 rb_difference =
            select_subset(subset, rb_line[0].difference, rb_line[1].difference, rb_line[2].difference);
        const u32 ga_difference =
            select_subset(subset, ga_line[0].difference, ga_line[1].difference, ga_line[2].difference);
        texels[t] = interpolated(rb_base, rb_difference, weight) | interpolated(ga_base, ga_difference, weight) << 8;
    }
}

// Modes 4 and 5: one subset; a rotation picks the channel that has indices of its own.
template <int MODE> FN void bc7_separate(const Bits128& block, u32* __restrict__ texels) {
    constexpr Bc7Mode M = bc7_mode(MODE);
    constexpr int ROTATION_AT = MODE + 1, SELECTOR_AT = ROTATION_AT + 2, COLOR_AT = SELECTOR_AT + M.selector_bits;
    constexpr int ALPHA_AT = COLOR_AT + 6 * M.color_bits, INDEX_AT = ALPHA_AT + 2 * M.alpha_bits;
    constexpr int BITS1 = M.index_bits, BITS2 = M.index2_bits, INDEX2_AT = INDEX_AT + 16 * BITS1 - 1;
    static_assert(INDEX2_AT + 16 * BITS2 - 1 == 128 && INDEX2_AT >= 64, "fields fill the block");

    u32 channel[4][2];
    UNROLL for (int e = 0; e < 2; ++e) {
        UNROLL for (int c = 0; c < 3; ++c) {
            channel[c][e] = widen(bits_at(block, COLOR_AT + (2 * c + e) * M.color_bits, M.color_bits), M.color_bits);
        }
        channel[3][e] = widen(bits_at(block, ALPHA_AT + e * M.alpha_bits, M.alpha_bits), M.alpha_bits);
    }
    // Swapping the channels of the endpoints is swapping those of the result.
    const u32 rotation = bits_at(block, ROTATION_AT, 2);
    UNROLL for (int e = 0; e < 2; ++e) {
        const u32 alpha = channel[3][e];
        UNROLL for (int c = 0; c < 3; ++c) {
            const bool swapped = (int)rotation == c + 1;
            channel[3][e] = swapped ? channel[c][e] : channel[3][e];
            channel[c][e] = swapped ? alpha : channel[c][e];
        }
    }
    const int own = rotation == 0 ? 3 : (int)rotation - 1;
    u32 shared_difference[4], own_difference[4];
    UNROLL for (int c = 0; c < 4; ++c) {
        const u32 difference = channel[c][1] - channel[c][0];
        own_difference[c] = own == c ? difference : 0;
        shared_difference[c] = own == c ? 0 : difference;
    }
    const u32 rb_base = 64 * two(channel[0][0], channel[2][0]) + two(32, 32);
    const u32 ga_base = 64 * two(channel[1][0], channel[3][0]) + two(32, 32);
    const u32 rb_shared = shared_difference[0] + (shared_difference[2] << 16);
    const u32 ga_shared = shared_difference[1] + (shared_difference[3] << 16);
    const u32 rb_own = own_difference[0] + (own_difference[2] << 16);
    const u32 ga_own = own_difference[1] + (own_difference[3] << 16);

    static_assert(BITS1 == 2, "the first indices are 31 bits");
    const u64 all1 = insert_anchor(bits_at(block, INDEX_AT, 31), 0, BITS1);
    const u64 all2 = insert_anchor(block.high >> (INDEX2_AT - 64), 0, BITS2);
    const bool exchanged = M.selector_bits && bits_at(block, SELECTOR_AT, 1);
    const Indices shared = exchanged ? indices_of(all2, BITS2) : indices_of(all1, BITS1);
    const Indices other = exchanged ? indices_of(all1, BITS1) : indices_of(all2, BITS2);
    const s32 shared_scale = exchanged ? weight_scale(BITS2) : weight_scale(BITS1);
    const s32 other_scale = exchanged ? weight_scale(BITS1) : weight_scale(BITS2);
    FOR_LINE(t, 16) {
        const u32 shared_weight = (u32)weight_of(shared.at(t), shared_scale);
        const u32 own_weight = (u32)weight_of(other.at(t), other_scale);
        const u32 rb = (rb_base + rb_shared * shared_weight + rb_own * own_weight) >> 6 & two(255, 255);
        const u32 ga = (ga_base + ga_shared * shared_weight + ga_own * own_weight) >> 6 & two(255, 255);
        texels[t] = rb | ga << 8;
    }
}

struct Bc7 {
    typedef u32 Element;
    enum { CHANNELS = 1 };
    static FN_MEMBER void decode(const Bits128& block, u32* texels) {
        const u32 code = (u32)block.low & 255;
        if (code & 1) return bc7_joint<0>(block, texels);
        if (code & 2) return bc7_joint<1>(block, texels);
        if (code & 4) return bc7_joint<2>(block, texels);
        if (code & 8) return bc7_joint<3>(block, texels);
        if (code & 16) return bc7_separate<4>(block, texels);
        if (code & 32) return bc7_separate<5>(block, texels);
        if (code & 64) return bc7_joint<6>(block, texels);
        if (code & 128) return bc7_joint<7>(block, texels);
        FOR_LINE(t, 16) texels[t] = 0;  // reserved: "an all 0 block will be returned" (19.5.14.4)
    }
};
