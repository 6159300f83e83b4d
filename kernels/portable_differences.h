// Sums of absolute differences of bytes.
#pragma once
#include "portable.h"

#if !defined(__CUDACC__) && !defined(TEXSAMP_THREADED_TILES) && defined(__SSE2__)
#include <emmintrin.h>

// Of 16 bytes, at any address.
FN s32 differences_of_16(const u8* a, const u8* b) {
    const __m128i left = _mm_loadu_si128((const __m128i*)a), right = _mm_loadu_si128((const __m128i*)b);
    const __m128i sums = _mm_sad_epu8(left, right);
    return _mm_cvtsi128_si32(_mm_add_epi64(sums, _mm_unpackhi_epi64(sums, sums)));
}
#else
FN s32 differences_of_16(const u8* a, const u8* b) {
    s32 sum = 0;
    for (s32 k = 0; k < 16; ++k) sum += a[k] < b[k] ? b[k] - a[k] : a[k] - b[k];
    return sum;
}
#endif
