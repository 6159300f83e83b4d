// Bytes at twice their width, where every second column is one of the source's and the taps of those between mirror each
// other: sums down the columns of four lines first, then lines of these sums, for both kinds of columns.
#pragma once
#include "portable_vectors.h"

#if HAS_VECTORS
enum {
    DOUBLED_STEP = sizeof(Vector) / 2,         // columns of the source that one vector has
    DOUBLED_PITCH = 128 + 3 * DOUBLED_STEP,    // between lines of sums
    DOUBLED_MIDDLE = 128 * 64,                 // sums are less by this, so that those of two fit 16 bits
};

// Taps of four lines as factors of pairs.
struct DownTaps {
    Vector upper, lower;
};
FN DownTaps down_taps(const s16* taps) {
    return {VECTOR(set1_epi16)((s16)((taps[2] & 255) | taps[3] * 256)), VECTOR(set1_epi16)((s16)((taps[4] & 255) | taps[5] * 256))};
}

// Sums down the columns of four lines, less the middle, for COUNT lines of the output whose taps begin at the same line.
// The last vector ends with the columns.
template <int COUNT> FN void sum_down(const u8* const* lines, const s16* taps, s32 phase, s16* out, s32 count) {
    const DownTaps factors[2] = {down_taps(taps + phase * 8), down_taps(taps + (phase + 16 * (COUNT - 1)) * 8)};
    const Vector middle = VECTOR(set1_epi16)(-DOUBLED_MIDDLE);
    for (s32 next = 0; next < count; next += DOUBLED_STEP) {
        const s32 x = min_of<s32>(next, count - DOUBLED_STEP);
        const Vector above = VECTOR(unpacklo_epi8)(bytes_in_halves(lines[0] + x), bytes_in_halves(lines[1] + x));
        const Vector below = VECTOR(unpacklo_epi8)(bytes_in_halves(lines[2] + x), bytes_in_halves(lines[3] + x));
        UNROLL for (int k = 0; k < COUNT; ++k) {
            const Vector upper = VECTOR(maddubs_epi16)(above, factors[k].upper), lower = VECTOR(maddubs_epi16)(below, factors[k].lower);
            store_vector(out + k * DOUBLED_PITCH + x, VECTOR(add_epi16)(VECTOR(add_epi16)(upper, lower), middle));
        }
    }
}

// A line of the output from sums down the columns, of which [0] is that of the output's first.
struct DoubledLine {
    const s16* sums;
    Vector factors;  // of two near columns and of two far ones

    // Its bytes from an even place on.
    FN_MEMBER Vector operator()(s32 x) const {
        const s16* at = sums + x / 2;
        const Vector half = VECTOR(set1_epi16)(DOUBLED_MIDDLE + 32), between_half = VECTOR(set1_epi32)(64 * DOUBLED_MIDDLE + (1 << 11));
        const Vector mixed = in_parts(_mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15)), sum = load_vector(at);
        const Vector near = VECTOR(add_epi16)(sum, load_vector(at + 1));
        const Vector far = VECTOR(add_epi16)(load_vector(at - 1), load_vector(at + 2));
        const Vector low = VECTOR(madd_epi16)(VECTOR(unpacklo_epi16)(near, far), factors);
        const Vector high = VECTOR(madd_epi16)(VECTOR(unpackhi_epi16)(near, far), factors);
        const Vector between = VECTOR(packs_epi32)(VECTOR(srai_epi32)(VECTOR(add_epi32)(low, between_half), 12),
                                                   VECTOR(srai_epi32)(VECTOR(add_epi32)(high, between_half), 12));
        const Vector whole = VECTOR(srai_epi16)(VECTOR(add_epi16)(sum, half), 6);
        return VECTOR(shuffle_epi8)(VECTOR(packus_epi16)(whole, between), mixed);
    }
};

// between: the taps of columns between two, a phase of eight.
FN DoubledLine doubled_line(const s16* sums, const s16* between) {
    return {sums, VECTOR(set1_epi32)((s32)(((u32)between[3] & 0xffff) | (u32)between[2] << 16))};
}
#endif

// Whether sums down the columns stay within 16 bits, less the middle and two at once.
FN bool sums_of_two_fit(const s16* taps) {
    s32 sum = 0, below = 0;
    for (s32 j = 2; j < 6; ++j) {
        sum += taps[j];
        below -= min_of<s32>(taps[j], 0);
    }
    return sum == 64 && below <= 32;
}

// Whether taps are such ones, of lines at `phase` and half a line further on.
FN bool taps_double(const s16* x_taps, const s16* y_taps, s32 phase) {
    const s16 *whole = x_taps, *between = x_taps + 16 * 8;
    const bool kept = whole[3] == 64 && !whole[2] && !whole[4] && !whole[5];
    const bool mirrored = between[2] == between[5] && between[3] == between[4] && between[2] + between[3] == 32;
    return kept && mirrored && sums_of_two_fit(y_taps + phase * 8) && sums_of_two_fit(y_taps + ((phase + 16) & 31) * 8);
}
