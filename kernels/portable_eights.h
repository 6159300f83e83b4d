// Vectors of eight elements of 32 bits, on a CPU: between two short loops a compiler would go through memory. HAS_EIGHTS is 0
// on a GPU, whose threads take an element each.
#pragma once
#include "portable_elements.h"

#if defined(__CUDACC__)
#define HAS_EIGHTS 0
#else
#define HAS_EIGHTS 1
#if defined(__AVX__)
#include "intrinsics.h"
#endif
typedef u32 Bits8 __attribute__((vector_size(32)));
typedef s32 Signed8 __attribute__((vector_size(32)));
typedef float Float8 __attribute__((vector_size(32)));
typedef u64 Words2 __attribute__((vector_size(16)));
typedef float Float4 __attribute__((vector_size(16)));
typedef double Double4 __attribute__((vector_size(32)));

FN Bits8 eight_of(u32 bits) { return bits - Bits8{}; }

// Of each lane the bit of its number.
FN Bits8 bit_of_lane(int first) {
    const Bits8 bit = {1, 2, 4, 8, 16, 32, 64, 128};
    return bit << first;
}
// Masks of lanes, all ones or zeros, from their bits; and bits of lanes, each in its own, together.
FN Bits8 lanes_of(u32 mask, int first) { return (Bits8)((eight_of(mask) & bit_of_lane(first)) != 0); }
FN u32 all_bits(const Bits8& lanes) {
    const Words2 halves = element_at<Words2>(&lanes) | element_at<Words2>((const u8*)&lanes + sizeof(Words2));
    const u64 all = halves[0] | halves[1];
    return (u32)(all | all >> 32);
}

// Of masks of lanes, all ones or zeros, a bit each.
FN u32 bits_of_lanes(Bits8 lanes) {
#if defined(__AVX__)
    return (u32)_mm256_movemask_ps((__m256)lanes);
#else
    return all_bits(lanes & bit_of_lane(0));
#endif
}

template <int HALF> FN Double4 wide(Float8 v) {
#if defined(__AVX__)
    return (Double4)_mm256_cvtps_pd(_mm256_extractf128_ps((__m256)v, HALF));
#else
    return __builtin_convertvector(element_at<Float4>((const u8*)&v + HALF * (int)sizeof(Float4)), Double4);
#endif
}
// x + y * z in 64 bits, rounded once.
FN Float8 wide_sum(Float8 x, Float8 y, Float8 z) {
    const Double4 low = wide<0>(x) + wide<0>(y) * wide<0>(z), high = wide<1>(x) + wide<1>(y) * wide<1>(z);
#if defined(__AVX__)
    return (Float8)_mm256_set_m128(_mm256_cvtpd_ps((__m256d)high), _mm256_cvtpd_ps((__m256d)low));
#else
    Float8 sum;
    put_element(&sum, __builtin_convertvector(low, Float4));
    put_element((u8*)&sum + sizeof(Float4), __builtin_convertvector(high, Float4));
    return sum;
#endif
}
#endif
