// Bytes of a line in pairs, as many as an instruction takes, and a word of 16 bits for each pair. Compilers take pairs of
// bytes apart and put them together again, where instructions have sums of them. What has none of these goes another way.
#pragma once
#include "portable.h"

#if defined(__SSE4_1__) && !defined(TEXSAMP_THREADED_TILES)
#include "intrinsics.h"
#define HAS_BYTE_PAIRS 1

#if defined(__AVX2__)
FN __m256i repeated_16(const u8* bytes) { return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i*)bytes)); }
#define LANES(name) _mm256_##name
#define LANES_ALL(name) _mm256_##name##_si256
typedef __m256i PairLanes;
FN PairLanes words_of_bytes(const u8* from) { return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i*)from)); }
FN PairLanes words_of_bytes(const s8* from) { return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i*)from)); }
FN void store_signed_bytes(void* to, __m256i words) {
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packs_epi16(words, words), 0xd8);
    _mm_storeu_si128((__m128i*)to, _mm256_castsi256_si128(packed));
}
FN void store_low_bytes(void* to, __m256i words) {
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi16(words, words), 0xd8);
    _mm_storeu_si128((__m128i*)to, _mm256_castsi256_si128(packed));
}
// Words of the lower and the upper half of every 16 bytes, one behind the other; and signed bytes of words that were in order.
FN void store_halves_in_order(void* to, __m256i low, __m256i high) {
    _mm256_storeu_si256((__m256i*)to, _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256((__m256i*)to + 1, _mm256_permute2x128_si256(low, high, 0x31));
}
// Two of every four sums, of as many blocks as there are; then the other two.
FN void store_turns(void* first, void* last, __m256i turns) {
    const __m256i parted = _mm256_permute4x64_epi64(turns, 0xd8);
    _mm_storeu_si128((__m128i*)first, _mm256_castsi256_si128(parted));
    _mm_storeu_si128((__m128i*)last, _mm256_extracti128_si256(parted, 1));
}
FN __m256i in_order(__m256i packed) { return _mm256_permute4x64_epi64(packed, 0xd8); }
// Eight bytes and those behind them, and the next eight.
FN __m256i eights_at(const u8* from) {
    const __m256i first = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i*)from));
    return _mm256_inserti128_si256(first, _mm_loadu_si128((const __m128i*)(from + 8)), 1);
}
// 16 bytes of each place.
FN __m256i parts_at(const u8* const* places) {
    const __m256i first = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i*)places[0]));
    return _mm256_inserti128_si256(first, _mm_loadu_si128((const __m128i*)places[1]), 1);
}
FN __m128i sum_of_halves(__m256i v) { return _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1)); }
#else
FN __m128i repeated_16(const u8* bytes) { return _mm_loadu_si128((const __m128i*)bytes); }
#define LANES(name) _mm_##name
#define LANES_ALL(name) _mm_##name##_si128
typedef __m128i PairLanes;
FN PairLanes words_of_bytes(const u8* from) { return _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i*)from)); }
FN PairLanes words_of_bytes(const s8* from) { return _mm_cvtepi8_epi16(_mm_loadl_epi64((const __m128i*)from)); }
FN void store_signed_bytes(void* to, __m128i words) { _mm_storel_epi64((__m128i*)to, _mm_packs_epi16(words, words)); }
FN void store_low_bytes(void* to, __m128i words) { _mm_storel_epi64((__m128i*)to, _mm_packus_epi16(words, words)); }
FN void store_halves_in_order(void* to, __m128i low, __m128i high) {
    _mm_storeu_si128((__m128i*)to, low);
    _mm_storeu_si128((__m128i*)to + 1, high);
}
FN void store_turns(void* first, void* last, __m128i turns) {
    _mm_storel_epi64((__m128i*)first, turns);
    _mm_storel_epi64((__m128i*)last, _mm_unpackhi_epi64(turns, turns));
}
FN __m128i in_order(__m128i packed) { return packed; }
FN __m128i eights_at(const u8* from) { return _mm_loadu_si128((const __m128i*)from); }
FN __m128i parts_at(const u8* const* places) { return _mm_loadu_si128((const __m128i*)places[0]); }
FN __m128i sum_of_halves(__m128i v) { return v; }
#endif
enum { LANE_BYTES = sizeof(PairLanes), LANE_PAIRS = LANE_BYTES / 2 };

struct BytePairs {
    PairLanes v;
};
FN BytePairs bytes_at(const void* from) { return {LANES_ALL(loadu)((const PairLanes*)from)}; }
FN void store(void* to, BytePairs b) { LANES_ALL(storeu)((PairLanes*)to, b.v); }
FN BytePairs min_of(BytePairs a, BytePairs b) { return {LANES(min_epu8)(a.v, b.v)}; }
FN BytePairs max_of(BytePairs a, BytePairs b) { return {LANES(max_epu8)(a.v, b.v)}; }
FN BytePairs operator+(BytePairs a, BytePairs b) { return {LANES(add_epi8)(a.v, b.v)}; }
FN BytePairs operator&(BytePairs a, BytePairs b) { return {a.v & b.v}; }
FN BytePairs operator-(BytePairs a, BytePairs b) { return {LANES(sub_epi8)(a.v, b.v)}; }
FN BytePairs equal(BytePairs a, BytePairs b) { return {LANES(cmpeq_epi8)(a.v, b.v)}; }
FN BytePairs not_more(BytePairs a, BytePairs b) { return equal(min_of(a, b), a); }
FN BytePairs pick(BytePairs mask, BytePairs yes, BytePairs no) { return {LANES(blendv_epi8)(no.v, yes.v, mask.v)}; }
FN BytePairs looked_up(BytePairs table, BytePairs index) { return {LANES(shuffle_epi8)(table.v, index.v)}; }
// Bytes of one and of another in turns, of the lower and of the upper half of every 16; and what is made of both again.
FN BytePairs mixed_low(BytePairs a, BytePairs b) { return {LANES(unpacklo_epi8)(a.v, b.v)}; }
FN BytePairs mixed_high(BytePairs a, BytePairs b) { return {LANES(unpackhi_epi8)(a.v, b.v)}; }
FN BytePairs every_byte(s32 value) { return {LANES(set1_epi8)((char)value)}; }
FN BytePairs excess(BytePairs a, BytePairs b) { return {LANES(subs_epu8)(a.v, b.v)}; }  // a - b, or 0 if that is less
FN BytePairs limited_sum(BytePairs a, BytePairs b) { return {LANES(adds_epu8)(a.v, b.v)}; }  // or white if that is more
FN BytePairs average(BytePairs a, BytePairs b) { return {LANES(avg_epu8)(a.v, b.v)}; }
FN BytePairs lower_average(BytePairs a, BytePairs b) {  // rounded down
    return {LANES(sub_epi8)(LANES(avg_epu8)(a.v, b.v), (a.v ^ b.v) & LANES(set1_epi8)(1))};
}
FN BytePairs unlike_bits(BytePairs a, BytePairs b) { return {a.v ^ b.v}; }
FN BytePairs operator|(BytePairs a, BytePairs b) { return {a.v | b.v}; }
FN bool has_bits(BytePairs b) { return !LANES_ALL(testz)(b.v, b.v); }
FN BytePairs difference(BytePairs a, BytePairs b) {
    return {LANES(subs_epu8)(a.v, b.v) | LANES(subs_epu8)(b.v, a.v)};
}

FN BytePairs every_16(const u8* bytes) { return {repeated_16(bytes)}; }
FN BytePairs of_parts(const u8* const* places) { return {parts_at(places)}; }

struct PairWords {
    PairLanes v;
};
FN PairWords words_at(const void* from) { return {LANES_ALL(loadu)((const PairLanes*)from)}; }
FN void store(void* to, PairWords w) { LANES_ALL(storeu)((PairLanes*)to, w.v); }
FN PairWords every_two_words(s32 first, s32 second) { return {LANES(set1_epi32)((first & 0xffff) | second * 65536)}; }
FN PairWords every_word(s32 value) { return {LANES(set1_epi16)((s16)value)}; }
FN PairWords operator+(PairWords a, PairWords b) { return {LANES(add_epi16)(a.v, b.v)}; }
FN PairWords operator-(PairWords a, PairWords b) { return {LANES(sub_epi16)(a.v, b.v)}; }
FN PairWords operator*(PairWords a, PairWords b) { return {LANES(mullo_epi16)(a.v, b.v)}; }
FN PairWords operator&(PairWords a, PairWords b) { return {a.v & b.v}; }
FN PairWords operator|(PairWords a, PairWords b) { return {a.v | b.v}; }
FN PairWords operator^(PairWords a, PairWords b) { return {a.v ^ b.v}; }
FN PairWords without(PairWords a, PairWords mask) { return {LANES_ALL(andnot)(mask.v, a.v)}; }
FN PairWords min_of(PairWords a, PairWords b) { return {LANES(min_epi16)(a.v, b.v)}; }
FN PairWords max_of(PairWords a, PairWords b) { return {LANES(max_epi16)(a.v, b.v)}; }
FN PairWords less(PairWords a, PairWords b) { return {LANES(cmpgt_epi16)(b.v, a.v)}; }
FN PairWords size_of(PairWords w) { return {LANES(abs_epi16)(w.v)}; }
FN PairWords equal(PairWords a, PairWords b) { return {LANES(cmpeq_epi16)(a.v, b.v)}; }
FN PairWords pick(PairWords mask, PairWords yes, PairWords no) { return {LANES(blendv_epi8)(no.v, yes.v, mask.v)}; }
FN BytePairs pick(PairWords mask, BytePairs yes, BytePairs no) { return {LANES(blendv_epi8)(no.v, yes.v, mask.v)}; }
FN PairWords times_8(PairWords w) { return {LANES(slli_epi16)(w.v, 3)}; }
FN PairWords shifted_down(PairWords w, s32 shift) { return {LANES(sra_epi16)(w.v, _mm_cvtsi32_si128(shift))}; }
FN PairWords shifted_up(PairWords w, s32 shift) { return {LANES(sll_epi16)(w.v, _mm_cvtsi32_si128(shift))}; }
FN PairWords upper_product(PairWords a, PairWords b) { return {LANES(mulhi_epu16)(a.v, b.v)}; }
FN PairWords limited_sum(PairWords a, PairWords b) { return {LANES(adds_epu16)(a.v, b.v)}; }  // 65535 if that is more
FN PairWords lower_of(PairWords a, PairWords b) { return {LANES(min_epu16)(a.v, b.v)}; }      // without signs
FN bool has_bits(PairWords w) { return !LANES_ALL(testz)(w.v, w.v); }

FN BytePairs put_together(PairWords low, PairWords high) { return {LANES(packus_epi16)(low.v, high.v)}; }
FN BytePairs put_together_signed(PairWords low, PairWords high) { return {LANES(packs_epi16)(low.v, high.v)}; }
FN PairWords as_words(BytePairs b) { return {b.v}; }
FN BytePairs as_bytes(PairWords w) { return {w.v}; }
FN PairWords upper_bytes(PairWords w) { return {LANES(srli_epi16)(w.v, 8)}; }
// The sum of both products of pairs; the second one's bytes are signed.
FN PairWords sum_of_products(BytePairs a, BytePairs b) { return {LANES(maddubs_epi16)(a.v, b.v)}; }
FN s32 first_of(PairWords mask) { return __builtin_ctz((u32)LANES(movemask_epi8)(mask.v)) / 2; }  // of masks
// Sums of 32 bits, of a quarter of a strip: a and b times their weights, which take turns.
struct PairSums {
    PairLanes v;
};
FN PairSums every_sum(s32 value) { return {LANES(set1_epi32)(value)}; }
FN PairSums operator+(PairSums a, PairSums b) { return {LANES(add_epi32)(a.v, b.v)}; }
FN PairSums weighted_low(PairWords a, PairWords b, PairWords weights) {
    return {LANES(madd_epi16)(LANES(unpacklo_epi16)(a.v, b.v), weights.v)};
}
FN PairSums weighted_high(PairWords a, PairWords b, PairWords weights) {
    return {LANES(madd_epi16)(LANES(unpackhi_epi16)(a.v, b.v), weights.v)};
}
FN PairWords shifted_down(PairSums low, PairSums high, s32 shift) {
    const __m128i by = _mm_cvtsi32_si128(shift);
    return {LANES(packs_epi32)(LANES(sra_epi32)(low.v, by), LANES(sra_epi32)(high.v, by))};
}
// Sums of two words that follow each other, of 32 bits.
FN void store_sums_of_two(s32* to, PairWords w) { store(to, PairWords{LANES(madd_epi16)(w.v, LANES(set1_epi16)(1))}); }

// Sums of all words of each of four, which are below 2^15, are added to four.
FN void add_sums_of_all(u32* to, PairWords a, PairWords b, PairWords c, PairWords d) {
    const PairLanes one = LANES(set1_epi16)(1);
    const PairLanes ab = LANES(hadd_epi32)(LANES(madd_epi16)(a.v, one), LANES(madd_epi16)(b.v, one));
    const PairLanes cd = LANES(hadd_epi32)(LANES(madd_epi16)(c.v, one), LANES(madd_epi16)(d.v, one));
    const __m128i sums = sum_of_halves(LANES(hadd_epi32)(ab, cd));
    _mm_storeu_si128((__m128i*)to, _mm_add_epi32(_mm_loadu_si128((const __m128i*)to), sums));
}

// Words of both halves of every 16 bytes; and what those of eight bytes each add up to, times weights that eight words hold.
struct PairHalves {
    PairWords low, high;
};
FN PairWords first_six_words() { return {LANES(unpacklo_epi64)(LANES(set1_epi16)(1), LANES(set1_epi64x)(0x10001))}; }
FN PairHalves operator+(PairHalves a, PairHalves b) { return {a.low + b.low, a.high + b.high}; }
FN PairHalves operator-(PairHalves a, PairHalves b) { return {a.low - b.low, a.high - b.high}; }
FN PairHalves size_of(PairHalves w) { return {size_of(w.low), size_of(w.high)}; }
FN PairHalves shifted_down(PairHalves w, s32 shift) { return {shifted_down(w.low, shift), shifted_down(w.high, shift)}; }
FN void store_sums_of_eights(s32* of_a, s32* of_b, PairHalves a, PairHalves b, PairWords weights) {
    const auto sums = [&](PairHalves w) {
        return LANES(hadd_epi32)(LANES(madd_epi16)(w.low.v, weights.v), LANES(madd_epi16)(w.high.v, weights.v));
    };
    store_turns(of_a, of_b, LANES(hadd_epi32)(sums(a), sums(b)));
}

// Of pairs of bytes: the sum, the first, the second; and both from words again.
FN PairWords sum_of_pair(BytePairs b) { return {LANES(maddubs_epi16)(b.v, LANES(set1_epi8)(1))}; }
FN PairWords sum_with_second_twice(BytePairs b) { return {LANES(maddubs_epi16)(b.v, LANES(set1_epi16)(0x0201))}; }
FN PairWords first_of_pair(BytePairs b) { return {b.v & LANES(set1_epi16)(0xff)}; }
FN PairWords second_of_pair(BytePairs b) { return {LANES(srli_epi16)(b.v, 8)}; }
FN BytePairs pair_of(PairWords first, PairWords second) { return {first.v | LANES(slli_epi16)(second.v, 8)}; }

// Of bytes: a word for each; and from words that fit them the bytes again.
template <typename B> FN PairWords one_for_each(const B* from) { return {words_of_bytes(from)}; }
FN void store_each(s8* to, PairWords w) { store_signed_bytes(to, w.v); }
FN void store_each(u8* to, PairWords w) { store_low_bytes(to, w.v); }
// The same of words that brought halves of every 16 bytes together, or that stand in the order of their samples.
FN void store_in_order(u16* to, PairWords low, PairWords high) {
    store_halves_in_order(to, low.v, high.v);
}
FN BytePairs put_in_order(PairWords first, PairWords last) { return {in_order(put_together_signed(first, last).v)}; }
// a times one weight and b times another, of bytes.
FN PairHalves weighted_halves(BytePairs a, BytePairs b, s32 of_a, s32 of_b) {
    const BytePairs weights = {every_word((of_a & 0xff) | of_b * 256).v};
    return {sum_of_products(mixed_low(a, b), weights), sum_of_products(mixed_high(a, b), weights)};
}
FN PairHalves halves_of(BytePairs b) { return {as_words(mixed_low(b, BytePairs{})), as_words(mixed_high(b, BytePairs{}))}; }
TABLE u8 FIRST_OF_FOUR[16] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8};
TABLE u8 LAST_OF_FOUR[16] = {2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10};
// Four samples of a line, from the one before each of some on; weights of two are bytes of a word.
FN PairWords sums_of_four(const u8* at, PairWords first_two, PairWords last_two) {
    const BytePairs samples = {eights_at(at - 1)};
    return sum_of_products(looked_up(samples, every_16(FIRST_OF_FOUR)), {first_two.v}) +
           sum_of_products(looked_up(samples, every_16(LAST_OF_FOUR)), {last_two.v});
}

// min(a * 2^shift / b, 255) rounded down, of integers below 2^24 whose quotient floats hold.
FN PairLanes float_quotient(PairLanes a, PairLanes b, s32 shift) {
    const PairLanes dividend = LANES(sll_epi32)(a, _mm_cvtsi32_si128(shift));
    return LANES(cvttps_epi32)(LANES(div_ps)(LANES(cvtepi32_ps)(dividend), LANES(cvtepi32_ps)(b)));
}
FN PairWords small_quotient(PairWords a, s32 shift, PairWords b) {
    const PairLanes none = LANES_ALL(setzero)();
    const PairLanes low = float_quotient(LANES(unpacklo_epi16)(a.v, none), LANES(unpacklo_epi16)(b.v, none), shift);
    const PairLanes high = float_quotient(LANES(unpackhi_epi16)(a.v, none), LANES(unpackhi_epi16)(b.v, none), shift);
    return min_of(PairWords{LANES(packs_epi32)(low, high)}, every_word(255));
}
// The first of a strip's bytes, if a line ends there.
FN BytePairs bytes_at(const u8* from, s32 inside) {
    if (inside >= LANE_BYTES) return bytes_at(from);
    u8 bytes[LANE_BYTES] = {};
    copy_bytes(bytes, from, (u64)inside);
    return bytes_at(bytes);
}
// The first of them, if a line ends there, and 0.
FN BytePairs first_bytes(BytePairs b, s32 inside) {
    if (inside >= LANE_BYTES) return b;
    u8 bytes[LANE_BYTES];
    store(bytes, b);
    return bytes_at(bytes, inside);
}
// An eighth of each, rounded.
FN BytePairs rounded_eighth(BytePairs b) {
    return {LANES(srli_epi16)(LANES(adds_epu8)(b.v, LANES(set1_epi8)(4)), 3) & LANES(set1_epi8)(31)};
}
// How far bytes are apart, added up for every 16 of them; totals are words.
struct StripSums {
    PairLanes v;
};
FN StripSums no_strip_sums() { return {LANES_ALL(setzero)()}; }
FN void add_differences(StripSums& sums, BytePairs a, BytePairs b) { sums.v = LANES(add_epi64)(sums.v, LANES(sad_epu8)(a.v, b.v)); }
FN void store_totals(u16* to, StripSums sums) {
    u64 parts[LANE_BYTES / 8];
    LANES_ALL(storeu)((PairLanes*)parts, sums.v);
    for (s32 n = 0; n < LANE_BYTES / 16; ++n) to[n] = (u16)(parts[2 * n] + parts[2 * n + 1]);
}
FN void store_totals_of_eights(s32* to, StripSums sums) {
    u64 parts[LANE_BYTES / 8];
    LANES_ALL(storeu)((PairLanes*)parts, sums.v);
    UNROLL for (s32 n = 0; n < LANE_BYTES / 8; ++n) to[n] = (s32)parts[n];
}
FN void add_bytes(StripSums& sums, BytePairs b) { add_differences(sums, b, BytePairs{}); }
// Those bytes that are from `begin` to `end` of a line.
FN void store_within(u8* line, s32 x, s32 begin, s32 end, BytePairs made) {
    if (x >= begin && x + LANE_BYTES <= end) return store(line + x, made);
    u8 bytes[LANE_BYTES];
    store(bytes, made);
    for (s32 i = max_of(begin - x, 0); i < min_of<s32>(end - x, LANE_BYTES); ++i) line[x + i] = bytes[i];
}
#undef LANES
#undef LANES_ALL
#else
#define HAS_BYTE_PAIRS 0
#endif
