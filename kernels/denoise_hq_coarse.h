// The coarse search of denoise=fast and hq on a CPU, many cells at once: windows are as wide as what one instruction adds up, and those
// of every other cell lie side by side.
#pragma once
#include "denoise_hq_match.h"

#if defined(__SSE4_1__) && !defined(TEXSAMP_THREADED_TILES)
#include "intrinsics.h"
#if defined(__AVX512BW__)
#define HQ(name) _mm512_##name
typedef __m512i HqBytes;
FN HqBytes load_hq_bytes(const u8* from) { return _mm512_loadu_si512(from); }
#elif defined(__AVX2__)
#define HQ(name) _mm256_##name
typedef __m256i HqBytes;
FN HqBytes load_hq_bytes(const u8* from) { return _mm256_loadu_si256((const __m256i*)from); }
#else
#define HQ(name) _mm_##name
typedef __m128i HqBytes;
FN HqBytes load_hq_bytes(const u8* from) { return _mm_loadu_si128((const __m128i*)from); }
#endif
FN HqBytes hq_words(u32 v) { return HQ(set1_epi32)((s32)v); }

enum { HQ_GROUP = sizeof(HqBytes) / 4 };  // cells
static_assert(HQ_CELLS % HQ_GROUP == 0, "groups fill tiles");

// Vectors of a group of cells. A cost and the candidate's number behind it are one word, of which the least is
// wanted; those of even places count.
FN void match_hq_group(const DenoiseHqMatchParams& p, s32 column, s32 row) {
    const u8* a = (const u8*)p.current + (s64)(4 * row - 2) * p.pitch_B + 4 * column - 2;
    const u8* b = (const u8*)p.reference + (s64)(4 * row - 2 - p.radius) * p.pitch_B + 4 * column - 2 - p.radius;
    HqBytes even[8], odd[8], best_even = hq_words(~0u), best_odd = best_even;
    UNROLL for (int j = 0; j < 8; ++j) {
        even[j] = load_hq_bytes(a + (s64)j * p.pitch_B);
        odd[j] = load_hq_bytes(a + (s64)j * p.pitch_B + 4);
    }
    const s32 side = 2 * p.radius + 1;
    for (s32 k = 0; k < side * side; ++k) {
        const s32 down = k / side, across = k - down * side;
        const u8* there = b + (s64)down * p.pitch_B + across;
        HqBytes sum_even = hq_words(0), sum_odd = sum_even;
        UNROLL for (int j = 0; j < 8; ++j) {
            const u8* line = there + (s64)j * p.pitch_B;
            sum_even = HQ(add_epi32)(sum_even, HQ(sad_epu8)(even[j], load_hq_bytes(line)));
            sum_odd = HQ(add_epi32)(sum_odd, HQ(sad_epu8)(odd[j], load_hq_bytes(line + 4)));
        }
        const s32 dx = across - p.radius, dy = down - p.radius;
        const HqBytes cost = hq_words((u32)(p.bias * (magnitude_of(dx) + magnitude_of(dy))) << 16 | (u32)k);
        best_even = HQ(min_epu32)(best_even, HQ(add_epi32)(HQ(slli_epi32)(sum_even, 16), cost));
        best_odd = HQ(min_epu32)(best_odd, HQ(add_epi32)(HQ(slli_epi32)(sum_odd, 16), cost));
    }
    u64 best[2][HQ_GROUP / 2];
    __builtin_memcpy(best[0], &best_even, sizeof(best_even));
    __builtin_memcpy(best[1], &best_odd, sizeof(best_odd));
    s16* out = p.vectors + 2 * ((s64)row * p.columns + column);
    for (s32 i = 0; i < HQ_GROUP; ++i) {
        const s32 k = (s32)(best[i & 1][i >> 1] & 0xffff), down = k / side;
        out[2 * i] = (s16)(k - down * side - p.radius);
        out[2 * i + 1] = (s16)(down - p.radius);
    }
}
#undef HQ

// Narrow pictures have no whole group; where one does not fit behind the others, it lies over the last of these.
FN void denoise_hq_match_coarse_tile(const DenoiseHqMatchParams& p, s32 tile_x, s32 row) {
    if (p.columns < HQ_GROUP || 2 * p.radius * p.bias >= (1 << 16) - 64 * 255) {
        denoise_hq_match_tile<u8, 8>(p, tile_x, row);
        return;
    }
    const s32 end = min_of<s32>((tile_x + 1) * HQ_CELLS, p.columns);
    for (s32 column = tile_x * HQ_CELLS; column < end; column += HQ_GROUP)
        match_hq_group(p, min_of<s32>(column, p.columns - HQ_GROUP), row);
}
#else
FN void denoise_hq_match_coarse_tile(const DenoiseHqMatchParams& p, s32 tile_x, s32 row) {
    denoise_hq_match_tile<u8, 8>(p, tile_x, row);
}
#endif
