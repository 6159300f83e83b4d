// The sums of prefilter.h for bytes, with products of pairs of neighbors and rounded products: the same numbers. All taps
// of a vector are added while its sums stay in registers.
#pragma once
#include "portable_vectors.h"

#if HAS_VECTORS && defined(__AVX2__)  // with vectors of 16 bytes plain loops take three quarters of the time
FN Vector rounded_product(Vector v, const s16* tap) { return VECTOR(mulhrs_epi16)(v, VECTOR(set1_epi16)((s16)(*tap * 4))); }

// Along y: lines of bytes, of which a pair has 128 times the distances of its two from 128. Whether n is large enough.
FN bool sums_in_vectors(s16* sums, const s16* taps, s32 count, const u8* const* lines, s32 n) {
    enum { SOME = sizeof(Vector) };
    if (n < SOME) return false;
    const Vector middle = VECTOR(set1_epi8)((char)128), none = VECTOR_ALL(setzero)();
    for (s32 i = 0; i < n; i += SOME) {
        const s32 x = i + SOME <= n ? i : n - SOME;
        Vector low = none, high = none;
        for (s32 j = 0; j < (count + 1) / 2; ++j) {
            const Vector a = VECTOR_ALL(xor)(load_vector(lines[j] + x), middle);
            const Vector b = 2 * j + 1 == count ? none : VECTOR_ALL(xor)(load_vector(lines[count - 1 - j] + x), middle);
            const Vector pair_low = VECTOR(maddubs_epi16)(middle, VECTOR(unpacklo_epi8)(a, b));
            const Vector pair_high = VECTOR(maddubs_epi16)(middle, VECTOR(unpackhi_epi8)(a, b));
            low = VECTOR(add_epi16)(low, rounded_product(pair_low, taps + j));
            high = VECTOR(add_epi16)(high, rounded_product(pair_high, taps + j));
        }
        store_two((u8*)(sums + x), low, high);
    }
    return true;
}

// Along x: columns of what that has made.
FN bool sums_in_vectors(s16* sums, const s16* taps, s32 count, const s16* const* columns, s32 n) {
    enum { SOME = sizeof(Vector) / 2 };
    if (n < SOME) return false;
    for (s32 i = 0; i < n; i += SOME) {
        const s32 x = i + SOME <= n ? i : n - SOME;
        Vector sum = VECTOR_ALL(setzero)();
        for (s32 j = 0; j < (count + 1) / 2; ++j) {
            Vector pair = load_vector(columns[j] + x);
            if (2 * j + 1 != count) pair = VECTOR(add_epi16)(pair, load_vector(columns[count - 1 - j] + x));
            sum = VECTOR(add_epi16)(sum, rounded_product(pair, taps + j));
        }
        store_vector(sums + x, sum);
    }
    return true;
}
#endif
