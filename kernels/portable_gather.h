// What portable.h offers for tables that are read at scattered places; it knows the device, too.
#pragma once
#include "portable.h"

// The largest integer not above v, as a float.
FN float floor_float(float v) {
#if defined(__CUDACC__)
    return floorf(v);
#else
    return __builtin_floorf(v);
#endif
}

// Ask for what will be read soon: in a table larger than the cache, waiting for one place after the other is slow. Every
// second one is enough where most share their cache line with a neighbor.
template <typename T> FN void prefetch_places(const T* table, const s32* places, int n) {
    if (ON_DEVICE(true, false))  // a device would read other threads' places
        for (int i = 0; i < n; i += 2) PREFETCH(table + places[i]);
}
FN void prefetch_row(const float* row, int n) {
    for (int i = 0; i < n; i += 16) PREFETCH(row + i);
}

// out[2 i], out[2 i + 1] = the word at a place and the next one. A vector loop would take the places out of vectors again,
// which takes longer than all of this.
#if !defined(__CUDACC__) && !defined(TEXSAMP_THREADED_TILES) && defined(__SSE2__)
#include <emmintrin.h>

FN void gather_pairs(const u32* words, const s32* places, int n, u32* out) {
    int i = 0;
    for (; i + 1 < n; i += 2) {
        const __m128i first = _mm_loadl_epi64((const __m128i*)(words + places[i]));
        const __m128i second = _mm_loadl_epi64((const __m128i*)(words + places[i + 1]));
        _mm_storeu_si128((__m128i*)(out + 2 * i), _mm_unpacklo_epi64(first, second));
    }
    if (i < n) _mm_storel_epi64((__m128i*)(out + 2 * i), _mm_loadl_epi64((const __m128i*)(words + places[i])));
}
#else
FN void gather_pairs(const u32* words, const s32* places, int n, u32* out) {
    FOR_EACH(i, n) {
        out[2 * i] = words[places[i]];
        out[2 * i + 1] = words[places[i] + 1];
    }
}
#endif
