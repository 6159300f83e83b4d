// Pixels of film detection side by side: as many as an instruction takes, or one. What it asks of bytes, of their
// squares and of sums of these has instructions of its own, which compilers do not find in plain loops.
#pragma once
#include "fields.h"

// a - b, or 0 if that is less.
template <typename T> FN T excess(T a, T b) { return (T)(max_of(a, b) - b); }

// How far b lies outside a and c, neighbors of the same field: half of |a - b| + |b - c| - |a - c|.
template <typename B> FN B outside(B a, B b, B c) {
    return (B)(excess(b, max_of(a, c)) | excess(min_of(a, c), b));
}

#if defined(__SSE4_1__) && !defined(TEXSAMP_THREADED_TILES)
#include "intrinsics.h"

#if defined(__AVX512BW__)  // "maskz" where GCC warns of the undefined operand that its plain ones have
#define LANES(name) _mm512_##name
#define LANES_ALL(name) _mm512_##name##_si512
typedef __m512i Lanes;
FN Lanes bytes_not_less(Lanes a, Lanes b) { return _mm512_movm_epi8(_mm512_cmpge_epu8_mask(a, b)); }
FN Lanes words_not_less(Lanes a, Lanes b) { return _mm512_movm_epi16(_mm512_cmpge_epu16_mask(a, b)); }
FN Lanes words_greater(Lanes a, Lanes b) { return _mm512_movm_epi16(_mm512_cmpgt_epi16_mask(a, b)); }
FN bool has_bits(Lanes v) { return _mm512_test_epi32_mask(v, v) != 0; }
FN bool has_upper_bits(Lanes bytes) { return _mm512_movepi8_mask(bytes) != 0; }
FN Lanes sums_of_two(Lanes a, Lanes b) {
    const __m512 x = _mm512_castsi512_ps(a), y = _mm512_castsi512_ps(b);
    return _mm512_add_epi32(_mm512_castps_si512(_mm512_shuffle_ps(x, y, 0x88)),
                            _mm512_castps_si512(_mm512_shuffle_ps(x, y, 0xdd)));
}
FN Lanes sixteenths(Lanes sums) { return _mm512_maskz_srli_epi32(0xffff, sums, 4); }
FN Lanes times_65536(Lanes sums) { return _mm512_maskz_slli_epi32(0xffff, sums, 16); }
FN Lanes with_sixteenths(Lanes sums) { return _mm512_mask_srli_epi32(sums, 0x8888, sums, 4); }
FN Lanes sixteenths_of_three(Lanes sums) { return _mm512_mask_srli_epi32(sums, 0x7777, sums, 4); }
template <int N> FN __m128i part(Lanes v) { return _mm512_maskz_extracti32x4_epi32(0xf, v, N); }
#else
#if defined(__AVX2__)
#define LANES(name) _mm256_##name
#define LANES_ALL(name) _mm256_##name##_si256
typedef __m256i Lanes;
template <int N> FN __m128i part(Lanes v) { return _mm256_extracti128_si256(v, N); }
#else
#define LANES(name) _mm_##name
#define LANES_ALL(name) _mm_##name##_si128
typedef __m128i Lanes;
template <int> FN __m128i part(Lanes v) { return v; }
#endif
FN Lanes bytes_not_less(Lanes a, Lanes b) { return LANES(cmpeq_epi8)(LANES(max_epu8)(a, b), a); }
FN Lanes words_not_less(Lanes a, Lanes b) { return LANES(cmpeq_epi16)(LANES(max_epu16)(a, b), a); }
FN Lanes words_greater(Lanes a, Lanes b) { return LANES(cmpgt_epi16)(a, b); }
FN bool has_bits(Lanes v) { return !LANES_ALL(testz)(v, v); }
FN bool has_upper_bits(Lanes bytes) { return LANES(movemask_epi8)(bytes) != 0; }
// Sums of neighbors: two of a, two of b, for every 16 bytes of either.
FN Lanes sums_of_two(Lanes a, Lanes b) { return LANES(hadd_epi32)(a, b); }
FN Lanes sixteenths(Lanes sums) { return LANES(srli_epi32)(sums, 4); }
FN Lanes times_65536(Lanes sums) { return LANES(slli_epi32)(sums, 16); }
FN Lanes with_sixteenths(Lanes sums) { return LANES(blend_epi16)(sums, sixteenths(sums), 0xc0); }  // every fourth sum
FN Lanes sixteenths_of_three(Lanes sums) { return LANES(blend_epi16)(sixteenths(sums), sums, 0xc0); }  // all but those
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
FN Bytes operator&(Bytes a, Bytes b) { return {a.v & b.v}; }
FN Bytes operator|(Bytes a, Bytes b) { return {a.v | b.v}; }
FN Bytes without(Bytes a, Bytes mask) { return {a.v & ~mask.v}; }
// The bits of flags one place up, and another one from a mask.
FN Bytes appended(Bytes flags, Bytes mask) {
    return {LANES(sub_epi8)(LANES(add_epi8)(flags.v, flags.v), mask.v)};
}
FN Bytes max_of(Bytes a, Bytes b) { return {LANES(max_epu8)(a.v, b.v)}; }
FN Bytes min_of(Bytes a, Bytes b) { return {LANES(min_epu8)(a.v, b.v)}; }
FN Bytes excess(Bytes a, Bytes b) { return {LANES(subs_epu8)(a.v, b.v)}; }
FN Bytes difference(Bytes a, Bytes b) { return excess(a, b) | excess(b, a); }
FN Bytes not_less(Bytes a, Bytes b) { return {bytes_not_less(a.v, b.v)}; }
FN bool has_bits(Bytes b) { return has_bits(b.v); }
// Whether two squares of these fit 15 bits.
FN bool are_small(Bytes d) { return !has_upper_bits(d.v); }
// Whether four do.
FN bool are_smaller(Bytes d) { return !has_upper_bits(LANES(adds_epu8)(d.v, LANES(set1_epi8)(127 - 90))); }

FN Squares squared(Bytes d) {
    const Lanes zero = LANES_ALL(setzero)();
    const Lanes low = LANES(unpacklo_epi8)(d.v, zero), high = LANES(unpackhi_epi8)(d.v, zero);
    return {LANES(mullo_epi16)(low, low), LANES(mullo_epi16)(high, high)};
}
// Sums that 16 bits do not hold are as large as those can be: no square is larger.
FN Squares operator+(Squares a, Squares b) {
    return {LANES(adds_epu16)(a.low, b.low), LANES(adds_epu16)(a.high, b.high)};
}
FN Bytes not_less(Squares a, Squares b) {
    return {LANES(packs_epi16)(words_not_less(a.low, b.low), words_not_less(a.high, b.high))};
}
// The same sums of squares, and whether one is larger than another: of small bytes, which need fewer steps, or of any.
template <bool SMALL> FN Squares squares_of_two(Bytes a, Bytes b) {
    if constexpr (!SMALL) return squared(a) + squared(b);
    const Lanes low = LANES(unpacklo_epi8)(a.v, b.v), high = LANES(unpackhi_epi8)(a.v, b.v);
    return {LANES(maddubs_epi16)(low, low), LANES(maddubs_epi16)(high, high)};
}
template <bool SMALL> FN Bytes exceeds(Squares a, Squares b) {
    if constexpr (!SMALL) return without(every(0xff), not_less(b, a));
    return {LANES(packs_epi16)(words_greater(a.low, b.low), words_greater(a.high, b.high))};
}

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
// Sums of the squares of neighbors, of two lines: words hold them if they are of the smaller bytes.
struct SquareWords {
    Lanes v;
};
FN SquareWords no_words() { return {LANES_ALL(setzero)()}; }
FN SquareWords squares_of_neighbors(Bytes d) { return {LANES(maddubs_epi16)(d.v, d.v)}; }
FN SquareWords operator+(SquareWords a, SquareWords b) { return {LANES(add_epi16)(a.v, b.v)}; }
FN Sums plus_words(Sums s, SquareWords w) {
    return {LANES(add_epi32)(s.v, LANES(madd_epi16)(w.v, LANES(set1_epi16)(1)))};
}
// Levels of two lines: those of the lower one count 65536 times.
FN Sums plus_levels(Sums s, Bytes upper, Bytes lower) {
    const Lanes zero = LANES_ALL(setzero)();
    const Lanes above = LANES(sad_epu8)(upper.v, zero), below = LANES(sad_epu8)(lower.v, zero);
    return {LANES(add_epi32)(s.v, LANES(add_epi32)(above, times_65536(below)))};
}
template <int N> FN void store_sums(u32 (*out)[8], Lanes first, Lanes last) {
    _mm_storeu_si128((__m128i*)out[N], part<N>(first));
    _mm_storeu_si128((__m128i*)out[N] + 1, part<N>(last));
    if constexpr (N > 0) store_sums<N - 1>(out, first, last);
}
// Eight sums of every block; the last five divided by 16.
FN void store_sums(u32 (*out)[8], const Sums s[8]) {
    const Lanes first = sums_of_two(sums_of_two(s[0].v, s[1].v), sums_of_two(s[2].v, s[3].v));
    const Lanes last = sums_of_two(sums_of_two(s[4].v, s[5].v), sums_of_two(s[6].v, s[7].v));
    store_sums<sizeof(Lanes) / 16 - 1>(out, with_sixteenths(first), sixteenths(last));
}
template <int N> FN void store_quads(u32 (*out)[4], Lanes v) {
    _mm_storeu_si128((__m128i*)out[N], part<N>(v));
    if constexpr (N > 0) store_quads<N - 1>(out, v);
}
// Four sums of every block, the first three divided by 16.
FN void store_rises(u32 (*out)[4], const Sums s[4]) {
    const Lanes sums = sums_of_two(sums_of_two(s[0].v, s[1].v), sums_of_two(s[2].v, s[3].v));
    store_quads<sizeof(Lanes) / 16 - 1>(out, sixteenths_of_three(sums));
}

// How many bytes of a block, in two lines, have each of six bits, from the lowest up.
FN void count_flags(__m128i upper, __m128i lower, u32 counts[6]) {
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
template <int N = sizeof(Lanes) / 16 - 1> FN void count_flags(const Bytes lines[2], u32 (*counts)[6]) {
    count_flags(part<N>(lines[0].v), part<N>(lines[1].v), counts[N]);
    if constexpr (N > 0) count_flags<N - 1>(lines, counts);
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
FN u8 not_less(s32 a, s32 b) { return (u8)~less(a, b); }  // squares and their sums
FN bool has_bits(u8 byte) { return byte != 0; }
FN bool are_small(u8) { return true; }
FN bool are_smaller(u8) { return true; }
template <bool> FN s32 squares_of_two(u8 a, u8 b) { return squared(a) + squared(b); }
template <bool> FN u8 exceeds(s32 a, s32 b) { return (u8)less(b, a); }

typedef u32 Sums;
typedef u32 SquareWords;
FN u32 no_sum() { return 0; }
FN u32 plus_squares(u32 s, u8 d) { return s + squared(d); }
FN u32 no_words() { return 0; }
FN u32 squares_of_neighbors(u8 d) { return squared(d); }
FN u32 plus_words(u32 s, u32 squares) { return s + squares; }
FN u32 plus_levels(u32 s, u8 upper, u8 lower) { return s + (upper | (u32)lower << 16); }
FN void store_sums(u32 (*out)[8], const u32 s[8]) {
    for (int k = 0; k < 8; ++k) out[0][k] = s[k] >> (k < 3 ? 0 : 4);
}
FN void store_rises(u32 (*out)[4], const u32 s[3]) {
    for (int k = 0; k < 4; ++k) out[0][k] = s[k] >> (k < 3 ? 4 : 0);
}
FN void count_flags(const u8 lines[2], u32 (*counts)[6]) {
    for (int k = 0; k < 6; ++k) counts[0][k] += ((lines[0] >> k) & 1u) + ((lines[1] >> k) & 1u);
}
#endif
