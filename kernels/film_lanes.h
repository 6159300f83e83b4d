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

#if defined(__SSE4_1__) && !defined(TEXSAMP_THREADED_TILES)
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
// Pixels of a line, so many at a time, and steps of several of these: loops of vectors already.
#define FOR_LANES(x, n) for (int x = 0; x < (n); x += (int)sizeof(Lanes))
#define FOR_STEPS(i, n) for (int i = 0; i < (n); ++i)

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
// The bits of flags one place up, and another one from a mask.
FN Bytes appended(Bytes flags, Bytes mask) {
    return {LANES(sub_epi8)(LANES(add_epi8)(flags.v, flags.v), mask.v)};
}
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

FN bool has_bits(Bytes b) { return !LANES_ALL(testz)(b.v, b.v); }
FN bool are_small(Bytes d) { return LANES(movemask_epi8)(d.v) == 0; }

// Sums of 32 bits, four for every 16 pixels.
struct Sums {
    Lanes v;
};
FN Sums no_sum() { return {LANES_ALL(setzero)()}; }
FN Sums plus_squares(Sums s, Bytes d) {
    const Lanes zero = LANES_ALL(setzero)();
    const Lanes low = LANES(unpacklo_epi8)(d.v, zero), high = LANES(unpackhi_epi8)(d.v, zero);
    return {LANES(add_epi32)(LANES(add_epi32)(s.v, LANES(madd_epi16)(low, low)), LANES(madd_epi16)(high, high))};
}
// The same of bytes below 128, two of whose squares fit 15 bits.
FN Sums plus_small_squares(Sums s, Bytes d) {
    const Lanes pairs = LANES(maddubs_epi16)(d.v, d.v);
    return {LANES(add_epi32)(s.v, LANES(madd_epi16)(pairs, LANES(set1_epi16)(1)))};
}

// Eight sums of every block; the last five divided by 16.
FN void store_sums(u32 (*out)[8], const Sums s[8]) {
    const Lanes whole = LANES(hadd_epi32)(LANES(hadd_epi32)(s[0].v, s[1].v), LANES(hadd_epi32)(s[2].v, s[3].v));
    const Lanes last = LANES(hadd_epi32)(LANES(hadd_epi32)(s[4].v, s[5].v), LANES(hadd_epi32)(s[6].v, s[7].v));
    const Lanes a = LANES(blend_epi16)(whole, LANES(srli_epi32)(whole, 4), 0xc0), b = LANES(srli_epi32)(last, 4);
#if defined(__AVX2__)
    _mm256_storeu_si256((Lanes*)out[0], _mm256_permute2x128_si256(a, b, 0x20));
    _mm256_storeu_si256((Lanes*)out[1], _mm256_permute2x128_si256(a, b, 0x31));
#else
    _mm_storeu_si128((Lanes*)out[0], a);
    _mm_storeu_si128((Lanes*)out[0] + 1, b);
#endif
}

// Adds how many bytes of every block, in two lines, have each of six bits, from the lowest up.
FN void count_flags(const Bytes lines[2], u32 (*counts)[6]) {
#if defined(__AVX2__)
    const __m256i blocks[2] = {_mm256_permute2x128_si256(lines[0].v, lines[1].v, 0x20),
                               _mm256_permute2x128_si256(lines[0].v, lines[1].v, 0x31)};
    for (int n = 0; n < 2; ++n)
        for (int k = 0; k < 6; ++k)
            counts[n][k] = (u32)__builtin_popcount((u32)_mm256_movemask_epi8(_mm256_slli_epi16(blocks[n], 7 - k)));
#else
    for (int k = 0; k < 6; ++k) {
        const u32 above = (u32)_mm_movemask_epi8(_mm_slli_epi16(lines[0].v, 7 - k));
        const u32 below = (u32)_mm_movemask_epi8(_mm_slli_epi16(lines[1].v, 7 - k));
        counts[0][k] = (u32)__builtin_popcount(above | below << 16);
    }
#endif
}
#undef LANES
#undef LANES_ALL
#else
#define FOR_LANES(x, n) FOR_LINE(x, n)
#define FOR_STEPS(i, n) FOR_LINE(i, n)
typedef u8 Bytes;
typedef u16 Squares;
FN u8 loaded(const u8* from) { return *from; }
FN void store(u8* to, u8 byte) { *to = byte; }
FN u8 every(u8 value) { return value; }
FN u16 every_square(u16 value) { return value; }
FN u8 appended(u8 flags, u8 mask) { return (u8)(flags << 1 | (mask & 1)); }
FN u8 without(u8 a, u8 mask) { return (u8)(a & ~mask); }
FN u8 not_less(u8 a, u8 b) { return (u8)~less(a, b); }
FN u16 squared(u8 d) { return (u16)((u16)d * (u16)d); }
FN u8 not_more_than_sum(u16 a, u16 b, u16 c) { return (u8)~less<u16>(0, excess(excess(a, b), c)); }
FN u8 not_less_sum(u16 a, u16 b, u16 c) { return (u8)~less(a, excess(c, b)); }

FN bool has_bits(u8 byte) { return byte != 0; }
FN bool are_small(u8) { return true; }

typedef u32 Sums;
FN u32 no_sum() { return 0; }
FN u32 plus_squares(u32 s, u8 d) { return s + squared(d); }
FN u32 plus_small_squares(u32 s, u8 d) { return s + squared(d); }
FN void store_sums(u32 (*out)[8], const u32 s[8]) {
    for (int k = 0; k < 8; ++k) out[0][k] = s[k] >> (k < 3 ? 0 : 4);
}
FN void count_flags(const u8 lines[2], u32 (*counts)[6]) {
    for (int k = 0; k < 6; ++k) counts[0][k] += ((lines[0] >> k) & 1u) + ((lines[1] >> k) & 1u);
}
#endif
