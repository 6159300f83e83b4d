// Pixels of film detection side by side: as many as an instruction takes, or one. What it asks of bytes, of their
// squares and of sums of these has instructions of its own, which compilers do not find in plain loops.
#pragma once
#include "deinterlace.h"

// a - b, or 0 if that is less.
template <typename T> FN T excess(T a, T b) { return (T)(max_of(a, b) - b); }

// How far b lies outside a and c, neighbors of the same field: half of |a - b| + |b - c| - |a - c|.
template <typename B> FN B outside(B a, B b, B c) {
    return (B)(excess(b, max_of(a, c)) | excess(min_of(a, c), b));
}

#if defined(__SSSE3__) && !defined(TEXSAMP_THREADED_TILES)
#include <immintrin.h>

#if defined(__AVX2__)
#define LANES(name) _mm256_##name
#define LANES_ALL(name) _mm256_##name##_si256
typedef __m256i Lanes;
#else
#define LANES(name) _mm_##name
#define LANES_ALL(name) _mm_##name##_si128
typedef __m128i Lanes;
#endif
#define FOR_LANES(x, n) for (int x = 0; x < (n); x += (int)sizeof(Lanes))

struct Bytes {
    Lanes v;
};
struct Squares {  // of the pixels whose bytes are in the lower and the upper half of every 16
    Lanes low, high;
};
FN Bytes loaded(const u8* from) { return {LANES_ALL(loadu)((const Lanes*)from)}; }
FN void store(u8* to, Bytes b) { LANES_ALL(storeu)((Lanes*)to, b.v); }
FN Bytes every(u8 value) { return {LANES(set1_epi8)((char)value)}; }
FN Squares every_square(u16 value) { return {LANES(set1_epi16)((s16)value), LANES(set1_epi16)((s16)value)}; }
FN Bytes operator&(Bytes a, Bytes b) { return {LANES_ALL(and)(a.v, b.v)}; }
FN Bytes operator|(Bytes a, Bytes b) { return {LANES_ALL(or)(a.v, b.v)}; }
FN Bytes without(Bytes a, Bytes mask) { return {LANES_ALL(andnot)(mask.v, a.v)}; }
FN Bytes max_of(Bytes a, Bytes b) { return {LANES(max_epu8)(a.v, b.v)}; }
FN Bytes min_of(Bytes a, Bytes b) { return {LANES(min_epu8)(a.v, b.v)}; }
FN Bytes excess(Bytes a, Bytes b) { return {LANES(subs_epu8)(a.v, b.v)}; }
FN Bytes difference(Bytes a, Bytes b) { return excess(a, b) | excess(b, a); }
FN Bytes not_less(Bytes a, Bytes b) { return {LANES(cmpeq_epi8)(LANES(max_epu8)(a.v, b.v), a.v)}; }
FN Squares squared(Bytes d) {
    const Lanes zero = LANES_ALL(setzero)();
    const Lanes low = LANES(unpacklo_epi8)(d.v, zero), high = LANES(unpackhi_epi8)(d.v, zero);
    return {LANES(mullo_epi16)(low, low), LANES(mullo_epi16)(high, high)};
}
FN Lanes not_more_than_sum(Lanes a, Lanes b, Lanes c) {
    return LANES(cmpeq_epi16)(LANES(subs_epu16)(LANES(subs_epu16)(a, b), c), LANES_ALL(setzero)());
}
// Where a <= b + c, whether or not there is such a sum in 16 bits.
FN Bytes not_more_than_sum(Squares a, Squares b, Squares c) {
    return {LANES(packs_epi16)(not_more_than_sum(a.low, b.low, c.low), not_more_than_sum(a.high, b.high, c.high))};
}

FN Lanes not_less_sum(Lanes a, Lanes b, Lanes c) {
    const Lanes left = LANES(subs_epu16)(c, b);
    return LANES(cmpeq_epi16)(LANES(max_epu16)(a, left), a);
}
// Where a + b >= c.
FN Bytes not_less_sum(Squares a, Squares b, Squares c) {
    return {LANES(packs_epi16)(not_less_sum(a.low, b.low, c.low), not_less_sum(a.high, b.high, c.high))};
}

// Four sums that add up to that of the squares of a block of 16 columns and two lines.
FN __m128i squares_of_block(const u8* bytes, s32 pitch) {
    const __m128i upper = _mm_loadu_si128((const __m128i*)bytes);
    const __m128i lower = _mm_loadu_si128((const __m128i*)(bytes + pitch));
#if defined(__AVX2__)
    const __m256i a = _mm256_cvtepu8_epi16(upper), b = _mm256_cvtepu8_epi16(lower);
    const __m256i sums = _mm256_add_epi32(_mm256_madd_epi16(a, a), _mm256_madd_epi16(b, b));
    return _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
#else
    const __m128i zero = _mm_setzero_si128();
    const __m128i a = _mm_unpacklo_epi8(upper, zero), b = _mm_unpackhi_epi8(upper, zero);
    const __m128i c = _mm_unpacklo_epi8(lower, zero), d = _mm_unpackhi_epi8(lower, zero);
    return _mm_add_epi32(_mm_add_epi32(_mm_madd_epi16(a, a), _mm_madd_epi16(b, b)),
                         _mm_add_epi32(_mm_madd_epi16(c, c), _mm_madd_epi16(d, d)));
#endif
}

// Sums of the squares of blocks in a row, four of them or more.
FN void squares_of_blocks(const u8* bytes, s32 pitch, s32 count, u32* out) {
    for (s32 b = 0; b < count; b += 4) {
        const s32 at = min_of(b, count - 4);
        const u8* from = bytes + 16 * at;
        const __m128i first = _mm_hadd_epi32(squares_of_block(from, pitch), squares_of_block(from + 16, pitch));
        const __m128i last = _mm_hadd_epi32(squares_of_block(from + 32, pitch), squares_of_block(from + 48, pitch));
        _mm_storeu_si128((__m128i*)(out + at), _mm_hadd_epi32(first, last));
    }
}

// How many bytes of a block of 16 columns and two lines have each of six bits, from the lowest up.
FN void count_flags(const u8* flags, s32 pitch, u32 counts[6]) {
    const __m128i upper = _mm_loadu_si128((const __m128i*)flags);
    const __m128i lower = _mm_loadu_si128((const __m128i*)(flags + pitch));
#if defined(__AVX2__)
    const __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(upper), lower, 1);
    for (int k = 0; k < 6; ++k)
        counts[k] = (u32)__builtin_popcount((u32)_mm256_movemask_epi8(_mm256_slli_epi16(both, 7 - k)));
#else
    for (int k = 0; k < 6; ++k) {
        const u32 above = (u32)_mm_movemask_epi8(_mm_slli_epi16(upper, 7 - k));
        counts[k] = (u32)__builtin_popcount(above | (u32)_mm_movemask_epi8(_mm_slli_epi16(lower, 7 - k)) << 16);
    }
#endif
}
#undef LANES
#undef LANES_ALL
#else
#define FOR_LANES(x, n) FOR_LINE(x, n)
typedef u8 Bytes;
typedef u16 Squares;
FN u8 loaded(const u8* from) { return *from; }
FN void store(u8* to, u8 byte) { *to = byte; }
FN u8 every(u8 value) { return value; }
FN u16 every_square(u16 value) { return value; }
FN u8 without(u8 a, u8 mask) { return (u8)(a & ~mask); }
FN u8 not_less(u8 a, u8 b) { return (u8)~less(a, b); }
FN u16 squared(u8 d) { return (u16)((u16)d * (u16)d); }
FN u8 not_more_than_sum(u16 a, u16 b, u16 c) { return (u8)~less<u16>(0, excess(excess(a, b), c)); }
FN u8 not_less_sum(u16 a, u16 b, u16 c) { return (u8)~less(a, excess(c, b)); }

FN void squares_of_blocks(const u8* bytes, s32 pitch, s32 count, u32* out) {
    for (s32 b = 0; b < count; ++b) {
        u32 sum = 0;
        for (s32 i = 0; i < 32; ++i) sum += squared(bytes[(i >> 4) * pitch + 16 * b + (i & 15)]);
        out[b] = sum;
    }
}

FN void count_flags(const u8* flags, s32 pitch, u32 counts[6]) {
    for (int k = 0; k < 6; ++k) {
        counts[k] = 0;
        for (s32 i = 0; i < 32; ++i) counts[k] += (u32)(flags[(i >> 4) * pitch + (i & 15)] >> k) & 1;
    }
}
#endif
