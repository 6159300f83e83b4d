// prefilter.h for bytes where both axes are halved, as they are first wherever a picture gets at most half as large: the
// same numbers. Taps stay in registers, and sums along y leave them with even and odd columns apart.
#pragma once
#include "prefilter.h"

#if HAS_VECTORS
enum { HALVED_TAPS = 12, HALVED_PAIRS = HALVED_TAPS / 2, HALVED_SOME = sizeof(Vector) };

struct HalvedTaps {
    Vector k[HALVED_PAIRS];
};
FN HalvedTaps halved_taps(const s16* taps, s32 scale) {
    HalvedTaps t;
    UNROLL for (int j = 0; j < HALVED_PAIRS; ++j) t.k[j] = VECTOR(set1_epi16)((s16)(taps[j] * scale));
    return t;
}

FN bool is_halved(const PrefilterParams& p) {
    if (p.x_keep != 2 || p.y_keep != 2 || p.x_count != HALVED_TAPS || p.y_count != HALVED_TAPS) return false;
    for (s32 j = 0; j < HALVED_PAIRS; ++j)
        if (p.y_taps[j] < -4096 || p.y_taps[j] >= 4096) return false;  // 8 times a tap is to fit 16 bits
    return p.plane.src_step == 1;
}

// Along y, `n` columns of which the first is column `left` of both phases. A pair is 64 times its sum, so products lack
// 256 times the tap, over 64, which are whole.
FN void halve_down(s16 (*phases)[PREFILTER_PHASE], s32 left, const u8* const* lines, const s16* taps, s32 n) {
    const HalvedTaps t = halved_taps(taps, 8);
    s32 lacking = 0;
    for (s32 j = 0; j < HALVED_PAIRS; ++j) lacking += 4 * taps[j];
    const Vector start = VECTOR(set1_epi16)((s16)-lacking), weight = VECTOR(set1_epi8)(64);
    const Vector apart = in_parts(_mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15));
    for (s32 i = 0; i < n; i += HALVED_SOME) {
        const s32 x = min_of<s32>(i, n - HALVED_SOME), column = left + x;
        Vector low = start, high = start;
        UNROLL for (int j = 0; j < HALVED_PAIRS; ++j) {
            const Vector a = load_vector(lines[j] + x), b = load_vector(lines[HALVED_TAPS - 1 - j] + x);
            const Vector pair_low = VECTOR(maddubs_epi16)(VECTOR(unpacklo_epi8)(a, b), weight);
            const Vector pair_high = VECTOR(maddubs_epi16)(VECTOR(unpackhi_epi8)(a, b), weight);
            low = VECTOR(add_epi16)(low, VECTOR(mulhrs_epi16)(pair_low, t.k[j]));
            high = VECTOR(add_epi16)(high, VECTOR(mulhrs_epi16)(pair_high, t.k[j]));
        }
        low = VECTOR(shuffle_epi8)(low, apart);
        high = VECTOR(shuffle_epi8)(high, apart);
        store_vector(phases[column & 1] + (column >> 1), VECTOR(unpacklo_epi64)(low, high));
        store_vector(phases[(column + 1) & 1] + ((column + 1) >> 1), VECTOR(unpackhi_epi64)(low, high));
    }
}

// Along x, with the last rounding: from distances to bytes again.
FN void halve_across(u8* out, const s16 (*phases)[PREFILTER_PHASE], const s16* taps, s32 count) {
    const HalvedTaps t = halved_taps(taps, 4);
    const Vector start = VECTOR(set1_epi16)(16 + (128 << 5));
    for (s32 i = 0; i < count; i += HALVED_SOME) {
        const s32 x = min_of<s32>(i, count - HALVED_SOME);
        Vector sum[2] = {start, start};
        UNROLL for (int j = 0; j < HALVED_PAIRS; ++j) {
            const s16 *first = phases[j & 1] + j / 2 + x, *last = phases[~j & 1] + (HALVED_TAPS - 1 - j) / 2 + x;
            UNROLL for (int k = 0; k < 2; ++k) {
                const s32 at = k * HALVED_SOME / 2;
                const Vector pair = VECTOR(add_epi16)(load_vector(first + at), load_vector(last + at));
                sum[k] = VECTOR(add_epi16)(sum[k], VECTOR(mulhrs_epi16)(pair, t.k[j]));
            }
        }
        UNROLL for (int k = 0; k < 2; ++k) sum[k] = VECTOR(srai_epi16)(sum[k], 5);
        store_vector(out + x, halves_in_order(VECTOR(packus_epi16)(sum[0], sum[1])));
    }
}
#endif

FN void prefilter_bytes_tile(const PrefilterParams& p, s32 tile_x, s32 y) {
#if HAS_VECTORS
    const s32 x0 = tile_x * PREFILTER_WIDTH, count = min_of<s32>(PREFILTER_WIDTH, p.dst_width - x0);
    const PrefilterColumns c = columns_of(p, x0, count);
    if (c.right - c.left >= HALVED_SOME && count >= HALVED_SOME && is_halved(p)) {
        alignas(64) s16 phases[2][PREFILTER_PHASE];
        const u8* lines[HALVED_TAPS];
        for (s32 j = 0; j < HALVED_TAPS; ++j) lines[j] = source_line<u8>(p, c, y, j);
        halve_down(phases, c.left, lines, p.y_taps, c.right - c.left);
        for (s32 i = 0; i < c.left; ++i) phases[i & 1][i >> 1] = phases[c.left & 1][c.left >> 1];
        const s32 last = c.right - 1;
        for (s32 i = c.right; i < c.width; ++i) phases[i & 1][i >> 1] = phases[last & 1][last >> 1];
        return halve_across(picture_line<u8>(p.plane, x0, y), phases, p.x_taps, count);
    }
#endif
    prefilter_tile<u8>(p, tile_x, y);
}
