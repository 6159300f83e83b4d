// Bytes by sixteens: means, and sums of absolute differences.
#pragma once
#include "portable.h"

#if !defined(__CUDACC__) && !defined(TEXSAMP_THREADED_TILES) && defined(__SSE2__)
#include <emmintrin.h>

struct Bytes16 {
    __m128i bytes;
};

// At any address.
FN Bytes16 bytes_16(const u8* at) { return {_mm_loadu_si128((const __m128i*)at)}; }

FN Bytes16 average(Bytes16 a, Bytes16 b) { return {_mm_avg_epu8(a.bytes, b.bytes)}; }

// How far some of them are apart, added up; `total` is the sum.
struct Differences {
    __m128i parts;
};

FN Differences no_differences() { return {_mm_setzero_si128()}; }

FN void add_differences(Differences& sums, Bytes16 a, Bytes16 b) {
    sums.parts = _mm_add_epi32(sums.parts, _mm_sad_epu8(a.bytes, b.bytes));
}

FN s32 total(Differences sums) {
    return _mm_cvtsi128_si32(_mm_add_epi32(sums.parts, _mm_unpackhi_epi64(sums.parts, sums.parts)));
}
#elif defined(__CUDACC__)
struct Bytes16 {
    u32 words[4];
};

// Of the words that hold them, none of which is wholly beyond.
FN Bytes16 bytes_16(const u8* at) {
    const u32 apart = (u32)(u64)at & 3;
    const u32* words = (const u32*)(at - apart);
    Bytes16 out;
    u32 low = words[0];
    UNROLL for (s32 k = 0; k < 4; ++k) {
        const u32 high = words[k + (k < 3 || apart != 0)];
        out.words[k] = __funnelshift_r(low, high, 8 * apart);
        low = high;
    }
    return out;
}

FN Bytes16 average(Bytes16 a, Bytes16 b) {
    UNROLL for (s32 k = 0; k < 4; ++k)
        a.words[k] = (a.words[k] | b.words[k]) - (((a.words[k] ^ b.words[k]) >> 1) & 0x7f7f7f7f);
    return a;
}

struct Differences {
    u32 sum;
};

FN Differences no_differences() { return {0}; }

FN void add_differences(Differences& sums, Bytes16 a, Bytes16 b) {
    UNROLL for (s32 k = 0; k < 4; ++k) sums.sum += __vsadu4(a.words[k], b.words[k]);
}

FN s32 total(Differences sums) { return (s32)sums.sum; }
#else
struct Bytes16 {
    u8 bytes[16];
};

FN Bytes16 bytes_16(const u8* at) {
    Bytes16 out;
    UNROLL for (s32 k = 0; k < 16; ++k) out.bytes[k] = at[k];
    return out;
}

FN Bytes16 average(Bytes16 a, Bytes16 b) {
    UNROLL for (s32 k = 0; k < 16; ++k) a.bytes[k] = (u8)((a.bytes[k] + b.bytes[k] + 1) >> 1);
    return a;
}

struct Differences {
    s32 sum;
};

FN Differences no_differences() { return {0}; }

FN void add_differences(Differences& sums, Bytes16 a, Bytes16 b) {
    UNROLL for (s32 k = 0; k < 16; ++k) sums.sum += a.bytes[k] < b.bytes[k] ? b.bytes[k] - a.bytes[k] : a.bytes[k] - b.bytes[k];
}

FN s32 total(Differences sums) { return sums.sum; }
#endif
