// Bytes of two lines by sixteens: means, and sums of absolute differences. Of a block's lines each in the upper half stands
// beside one in the lower half, so that what lies between two lines is made of two such pairs. What has none of this goes
// another way.
#pragma once
#include "portable.h"

#if defined(__AVX2__) && !defined(TEXSAMP_THREADED_TILES)
#include "intrinsics.h"
#define HAS_LINE_PAIRS 1

struct LinePair {
    __m256i bytes;
};

FN LinePair lines_16(const u8* upper, const u8* lower) {
    const __m256i first = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i*)upper));
    return {_mm256_inserti128_si256(first, _mm_loadu_si128((const __m128i*)lower), 1)};
}

FN LinePair average(LinePair a, LinePair b) { return {_mm256_avg_epu8(a.bytes, b.bytes)}; }

// A sample between two, in quarters: a half is their mean, a quarter that of the half and the nearer one.
template <s32 QUARTERS> FN LinePair between(LinePair a, LinePair b) {
    if (QUARTERS == 0) return a;
    const LinePair half = average(a, b);
    return QUARTERS == 2 ? half : average(QUARTERS == 1 ? a : b, half);
}

// How far some of them are apart, added up, of upper and lower lines by themselves.
struct PairDifferences {
    __m256i parts;
};

FN PairDifferences no_pair_differences() { return {_mm256_setzero_si256()}; }

FN void add_differences(PairDifferences& sums, LinePair a, LinePair b) {
    sums.parts = _mm256_add_epi32(sums.parts, _mm256_sad_epu8(a.bytes, b.bytes));
}

FN s32 sum_of_parts(__m128i parts) { return _mm_cvtsi128_si32(_mm_add_epi32(parts, _mm_unpackhi_epi64(parts, parts))); }
FN s32 upper_total(PairDifferences sums) { return sum_of_parts(_mm256_castsi256_si128(sums.parts)); }
FN s32 lower_total(PairDifferences sums) { return sum_of_parts(_mm256_extracti128_si256(sums.parts, 1)); }
FN s32 total(PairDifferences sums) {
    return sum_of_parts(_mm_add_epi32(_mm256_castsi256_si128(sums.parts), _mm256_extracti128_si256(sums.parts, 1)));
}
#else
#define HAS_LINE_PAIRS 0
#endif
