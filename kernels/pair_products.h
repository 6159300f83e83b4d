// Sums of products of pairs of s16, with the vector instructions that are made for them: compilers find those in plain
// loops only where a whole line is one sum.
#pragma once
#include "portable.h"

// upper[i] = the sum over r < rows, c < columns of both products of pairs[r * pitch + i + c] and weights[32 * r + c], for
// i < count, lower[i] that with weights[32 * r + 16 + c]. A pair is two s16 in a word. May write, and read pairs for, up
// to the next multiple of PAIR_BLOCK sums.
enum { PAIR_BLOCK = 64 };

#if defined(__SSE2__) && !defined(TEXSAMP_THREADED_TILES)
#include "intrinsics.h"

#if defined(__AVX512BW__)
#define PAIRS(name) _mm512_##name
typedef __m512i Pairs;
FN Pairs load_pairs(const void* from) { return _mm512_loadu_si512(from); }
FN void store_pairs(void* to, Pairs sums) { _mm512_storeu_si512(to, sums); }
#elif defined(__AVX2__)
#define PAIRS(name) _mm256_##name
typedef __m256i Pairs;
FN Pairs load_pairs(const void* from) { return _mm256_loadu_si256((const __m256i*)from); }
FN void store_pairs(void* to, Pairs sums) { _mm256_storeu_si256((__m256i*)to, sums); }
#else
#define PAIRS(name) _mm_##name
typedef __m128i Pairs;
FN Pairs load_pairs(const void* from) { return _mm_loadu_si128((const __m128i*)from); }
FN void store_pairs(void* to, Pairs sums) { _mm_storeu_si128((__m128i*)to, sums); }
#endif

FN void sums_of_pairs(s32* upper, s32* lower, const u32* pairs, s32 pitch, const u32* weights, s32 rows, s32 columns,
                      s32 count) {
    enum { LANES = sizeof(Pairs) / sizeof(u32), VECTORS = 4 };  // so many sums of either stay in registers
    for (s32 i = 0; i < count; i += VECTORS * LANES) {
        Pairs up[VECTORS], down[VECTORS];
        UNROLL for (int k = 0; k < VECTORS; ++k) up[k] = down[k] = PAIRS(set1_epi32)(0);
        for (s32 r = 0; r < rows; ++r)
            for (s32 c = 0; c < columns; ++c) {
                const Pairs above = PAIRS(set1_epi32)((s32)weights[32 * r + c]);
                const Pairs below = PAIRS(set1_epi32)((s32)weights[32 * r + 16 + c]);
                const u32* from = pairs + r * pitch + i + c;
                UNROLL for (int k = 0; k < VECTORS; ++k) {
                    const Pairs pair = load_pairs(from + k * LANES);
                    up[k] = PAIRS(add_epi32)(up[k], PAIRS(madd_epi16)(pair, above));
                    down[k] = PAIRS(add_epi32)(down[k], PAIRS(madd_epi16)(pair, below));
                }
            }
        UNROLL for (int k = 0; k < VECTORS; ++k) {
            store_pairs(upper + i + k * LANES, up[k]);
            store_pairs(lower + i + k * LANES, down[k]);
        }
    }
}
#undef PAIRS
#else
FN s32 both_products(u32 a, u32 b) { return (s16)a * (s16)b + (s16)(a >> 16) * (s16)(b >> 16); }

FN void sums_of_pairs(s32* upper, s32* lower, const u32* pairs, s32 pitch, const u32* weights, s32 rows, s32 columns,
                      s32 count) {
    FOR_LINE(i, count) {
        s32 up = 0, down = 0;
        for (s32 r = 0; r < rows; ++r)
            for (s32 c = 0; c < columns; ++c) {
                const u32 pair = pairs[r * pitch + i + c];
                up += both_products(pair, weights[32 * r + c]);
                down += both_products(pair, weights[32 * r + 16 + c]);
            }
        upper[i] = up;
        lower[i] = down;
    }
}
#endif
