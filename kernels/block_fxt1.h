// FXT1 (seed 001:1461-1906): 128 bits hold two 4x4 halves that lie side by side.
#pragma once
#include "block_planes.h"

// Bits [low + 4 : low] of words of 32 bits.
FN u32 five_bits(const u32* block, int low) {
    const int word = low / 32, at = low % 32;
    const u32 bits = at > 27 ? block[word] >> at | block[word + 1] << (32 - at) : block[word] >> at;
    return bits & 31;
}

struct FxtColor {
    u32 r, g, b;
};
FN FxtColor fxt_color(const u32* block, int low) {
    return {expand5(five_bits(block, low + 10)), expand5(five_bits(block, low + 5)), expand5(five_bits(block, low))};
}
// Green of 6 bits: its lowest comes from elsewhere.
FN u32 fxt_green6(const u32* block, int low, u32 bit) { return expand6(five_bits(block, low + 5) << 1 | bit); }

FN u32 fxt_texel(const FxtColor& c, u32 alpha) { return rgb_of(c.r, c.g, c.b) | alpha << 24; }

FN u32 third(u32 near, u32 far) { return divide_by_3(2 * near + far + 1); }
FN FxtColor third(const FxtColor& near, const FxtColor& far) {
    return {third(near.r, far.r), third(near.g, far.g), third(near.b, far.b)};
}
FN u32 sixths(u32 a, u32 b, u32 k) { return ((6 - k) * a + k * b + 3) * 10923 >> 16; }  // exact below 32768

// Eight selects of 2 bits as codes of 3 bits.
FN u32 spread_selects(u32 selects) {
    const u32 fours = (selects & 0xff) | (selects & 0xff00) << 4;
    const u32 twos = (fours & 0x00f00f) | (fours & 0x0f00f0) << 2;
    return (twos & 0x0c30c3) | (twos & 0x30c30c) << 1;
}

// Planes: eight colors, then the codes of rows 0-1 and 2-3 of the left half and of the right one, 3 bits a texel.
// In the modes with selects of 2 bits, the left half has the first four colors and the right half the others.
enum { FXT_CODES = 8, FXT_PLANES = 12 };

struct Fxt1 {
    enum { BLOCK_WORDS = 4, PLANES = FXT_PLANES, WORDS = 8 };

    static FN_MEMBER void unpack(BlockPlanes<PLANES>& out, s32 row, s32 i, const u32* block) {
        const u32 bit_124 = block[3] >> 28 & 1, bit_125 = block[3] >> 29 & 1, bit_126 = block[3] >> 30 & 1;
        // table 6-1; numbers, 0 or 1, because loops that combine truth values are not vectorized
        const u32 mixed = block[3] >> 31, hi = ~(mixed | bit_126) & 1, alpha = ~mixed & bit_126 & bit_125;
        const u32 has_black = mixed & bit_124, two_ends = mixed | (alpha & bit_124);

        // CC_HI: six steps from one color to the other, and transparent black
        const FxtColor hi_0 = fxt_color(block, 96), hi_1 = fxt_color(block, 111);
        u32 hi_table[8];
        UNROLL for (u32 k = 0; k < 7; ++k) {
            const FxtColor step = {sixths(hi_0.r, hi_1.r, k), sixths(hi_0.g, hi_1.g, k), sixths(hi_0.b, hi_1.b, k)};
            hi_table[k] = fxt_texel(step, 255);
        }
        hi_table[7] = 0;

        // The other modes: four colors; in CC_MIXED some greens have a sixth bit
        FxtColor color[4];
        UNROLL for (int k = 0; k < 4; ++k) color[k] = fxt_color(block, 64 + 15 * k);
        const FxtColor plain[4] = {color[0], color[1], color[2], color[3]};
        const u32 green_0 = fxt_green6(block, 64, (block[0] >> 1 & 1) ^ bit_125);
        const u32 green_1 = fxt_green6(block, 79, bit_125);
        const u32 green_2 = fxt_green6(block, 94, (block[1] >> 1 & 1) ^ bit_126);
        const u32 green_3 = fxt_green6(block, 109, bit_126);
        color[0].g = (mixed & ~bit_124) ? green_0 : color[0].g;
        color[1].g = mixed ? green_1 : color[1].g;
        color[2].g = (mixed & ~bit_124) ? green_2 : color[2].g;
        color[3].g = mixed ? green_3 : color[3].g;

        const u32 alpha_0 = alpha ? expand5(five_bits(block, 109)) : 255;
        const u32 alpha_1 = alpha ? expand5(five_bits(block, 114)) : 255;
        const u32 alpha_2 = alpha ? expand5(five_bits(block, 119)) : 255;

        // Tables of two ends: the left half's lie between colors 0 and 1, the right half's between 2 and 3 (CC_MIXED),
        // or between 2 and 1 (CC_ALPHA)
        u32 table[8];
        UNROLL for (int half = 0; half < 2; ++half) {
            const FxtColor from = half ? color[2] : color[0];
            const u32 to_3 = half ? mixed : 0;
            const FxtColor to = {to_3 ? color[3].r : color[1].r, to_3 ? color[3].g : color[1].g,
                                 to_3 ? color[3].b : color[1].b};
            const u32 from_alpha = half ? alpha_2 : alpha_0;
            const FxtColor middle = {(from.r + to.r) >> 1, (from.g + to.g) >> 1, (from.b + to.b) >> 1};
            const u32 near_from = fxt_texel(third(from, to), third(from_alpha, alpha_1));
            const u32 near_to = fxt_texel(third(to, from), third(alpha_1, from_alpha));
            const u32 end = fxt_texel(to, alpha_1);
            table[4 * half] = fxt_texel(from, from_alpha);
            table[4 * half + 1] = has_black ? fxt_texel(middle, 255) : near_from;
            table[4 * half + 2] = has_black ? end : near_to;
            table[4 * half + 3] = has_black ? 0 : end;
        }

        // Tables of colors as they are: CC_CHROMA, and CC_ALPHA without LERP
        const u32 direct[4] = {fxt_texel(plain[0], alpha_0), fxt_texel(plain[1], alpha_1),
                               fxt_texel(plain[2], alpha_2), alpha ? 0 : fxt_texel(plain[3], 255)};
        UNROLL for (int k = 0; k < 8; ++k) {
            const u32 of_two_bits = two_ends ? table[k] : direct[k & 3];
            out.plane[k][row][i] = hi ? hi_table[k] : of_two_bits;
        }

        const u32 hi_codes[4] = {block[0] & 0xffffff, block[0] >> 24 | (block[1] & 0xffff) << 8,
                                 block[1] >> 16 | (block[2] & 0xff) << 16, block[2] >> 8};
        UNROLL for (int k = 0; k < 4; ++k) {
            const u32 selects = block[k >> 1] >> (k & 1 ? 16 : 0) & 0xffff;
            const u32 second_half = k & 2 ? 0x924924 : 0;  // colors 4 to 7
            out.plane[FXT_CODES + k][row][i] = hi ? hi_codes[k] : spread_selects(selects) | second_half;
        }
    }

    struct Line {
        const u32* entry[8];
        const u32* codes[2];
        u32 shift;
        FN_MEMBER void open(const BlockPlanes<PLANES>& planes, s32 row, s32 r) {
            UNROLL for (int k = 0; k < 8; ++k) entry[k] = planes.plane[k][row];
            codes[0] = planes.plane[FXT_CODES + (r >> 1)][row];
            codes[1] = planes.plane[FXT_CODES + 2 + (r >> 1)][row];
            shift = 12 * (u32)(r & 1);
        }
        FN_MEMBER void words(s32 i, u32* out) const {
            u32 values[8];
            UNROLL for (int k = 0; k < 8; ++k) values[k] = entry[k][i];
            UNROLL for (int x = 0; x < 8; ++x) out[x] = pick8(values, codes[x >> 2][i] >> shift >> 3 * (x & 3));
        }
    };
};
