// Statistics of the contrast block (seed 003:6574-6578): luma histograms of an area's skin and of its other pixels, and
// how many lie outside the gamut. docs/color.md.
#pragma once
#include "portable.h"

// Luma that is not skin by its 8 high bits, skin by 10, from which its extremes follow.
enum { STATISTICS_LINES = 32, SKIN_BIN = 256, OUTSIDE_BIN = SKIN_BIN + 1024, STATISTICS_BINS = OUTSIDE_BIN + 1 };

// Parts of the histogram that take turns, so that equal neighbors do not wait for each other.
enum { STATISTICS_PARTS = 4 };

struct ColorStatisticsParams {
    const u16* luma;    // 10 bits
    const u8* score;    // of skin
    const u8* outside;  // 1 outside the gamut, or null
    u32* sums;          // a row of STATISTICS_BINS per row of tiles
    s32 luma_pitch_B, score_pitch_B, outside_pitch_B, sums_pitch_B;
    s32 left, top, right, bottom;  // the area
    s32 threshold;                 // a higher score is skin
    s32 pad_;
};
static_assert(sizeof(ColorStatisticsParams) == 72, "parameter layout");

FN void color_statistics_tile(const ColorStatisticsParams& p, s32, s32 tile_y) {
    SHARED u32 counts[STATISTICS_PARTS * STATISTICS_BINS];
    FOR_EACH(i, STATISTICS_PARTS * STATISTICS_BINS) counts[i] = 0;
    BARRIER();
    const s32 begin = p.top + tile_y * STATISTICS_LINES, end = min_of<s32>(begin + STATISTICS_LINES, p.bottom);
    const s32 width = p.right - p.left, threshold = p.threshold;
    for (s32 y = begin; y < end; ++y) {
        const u16* __restrict__ luma = (const u16*)((const u8*)p.luma + (s64)y * p.luma_pitch_B) + p.left;
        const u8* __restrict__ score = p.score + (s64)y * p.score_pitch_B + p.left;
        FOR_ITEMS(x, width) {
            const s32 bin = score[x] > threshold ? SKIN_BIN + luma[x] : luma[x] >> 2;
            add_shared(&counts[x % STATISTICS_PARTS * STATISTICS_BINS + bin], 1);
        }
        if (p.outside) {
            const u8* __restrict__ outside = p.outside + (s64)y * p.outside_pitch_B + p.left;
            FOR_ITEMS(x, width) add_shared(&counts[x % STATISTICS_PARTS * STATISTICS_BINS + OUTSIDE_BIN], outside[x]);
        }
    }
    BARRIER();
    u32* __restrict__ out = (u32*)((u8*)p.sums + (s64)tile_y * p.sums_pitch_B);
    FOR_EACH(i, STATISTICS_BINS) {
        u32 sum = 0;
        for (s32 part = 0; part < STATISTICS_PARTS; ++part) sum += counts[part * STATISTICS_BINS + i];
        out[i] = sum;
    }
}
