// What media messages answer that no plane of samples holds.
#pragma once
#include "portable.h"

enum { EU_MEDIA_THREADS = 64 };  // of a tile
enum { EU_STATISTICS_DWORDS = 8, EU_STATISTICS_SUMS = 5, EU_STATISTICS_FILM = 11 };
enum { EU_STAD = 0, EU_SHCM = 3, EU_SVCM = 4 };  // of the sums of a block, those that are returned

// The register of statistics of the deinterlacer's messages, of Ivy Bridge and later (seed 003:5737-5790).
struct EuStatisticsParams {
    u32* out;          // [threads][EU_STATISTICS_DWORDS]
    const s32* x;      // of every thread, the upper left pixel of its block
    const s32* y;
    const u16* sums;   // [down][across][EU_STATISTICS_SUMS] of 4x4 pixels; null: 0
    const u8* history;  // the same
    const u8* noise;   // [wide_down][wide_across] of 16x4 pixels
    const u32* film;   // [wide_down][wide_across][EU_STATISTICS_FILM]
    s32 history_pitch;
    s32 down, across, wide_down, wide_across;
    s32 threads;
    s32 deinterlaced;  // else a block is two, one above the other
    s32 pad_;
};
static_assert(sizeof(EuStatisticsParams) == 88, "parameter layout");

// Sums over 16x4 pixels, of which the picture may have less.
FN void add_sums(const EuStatisticsParams& p, s32 column, s32 row, u32& stad, u32& shcm, u32& svcm) {
    stad = shcm = svcm = 0;
    if (!p.sums || row >= p.down) return;
    for (s32 c = column; c < min_of(column + 4, p.across); ++c) {
        const u16* sums = p.sums + ((s64)row * p.across + c) * EU_STATISTICS_SUMS;
        stad += sums[EU_STAD];
        shcm += sums[EU_SHCM];
        svcm += sums[EU_SVCM];
    }
}

FN u32 four_of_history(const EuStatisticsParams& p, s32 column, s32 row) {
    u32 four = 0;
    if (row >= p.down) return four;
    for (s32 c = 0; c < 4; ++c)
        if (column + c < p.across) four |= (u32)p.history[(s64)row * p.history_pitch + column + c] << 8 * c;
    return four;
}

FN u32 noise_of(const EuStatisticsParams& p, s32 column, s32 row) {
    const bool inside = row < p.wide_down && column < p.wide_across;
    return inside ? p.noise[(s64)row * p.wide_across + column] : 255;
}

FN void eu_statistics_tile(const EuStatisticsParams& p, s32, s32 tile) {
    const s64 first = (s64)tile * EU_MEDIA_THREADS;
    const s32 threads = (s32)min_of<s64>(EU_MEDIA_THREADS, p.threads - first);
    FOR_ITEMS(i, threads) {
        const s32 x = p.x[first + i], y = p.y[first + i], column = x >> 2, row = y >> 2, wide = x >> 4;
        u32* out = p.out + (first + i) * EU_STATISTICS_DWORDS;
        u32 stad, shcm, svcm;
        add_sums(p, column, row, stad, shcm, svcm);
        out[0] = four_of_history(p, column, row);
        out[6] = stad << 16 | shcm;
        out[7] = (u32)y << 16 | (u32)x;
        if (p.deinterlaced) {
            const bool inside = row < p.wide_down && wide < p.wide_across;
            u32 film[8];
            for (s32 k = 0; k < 8; ++k)
                film[k] = inside ? p.film[((s64)row * p.wide_across + wide) * EU_STATISTICS_FILM + k] : 0;
            out[1] = film[5] << 24 | film[6] << 16 | film[7] << 8 | noise_of(p, wide, row);
            out[2] = 0;
            for (s32 k = 0; k < 5; ++k) film[k] = min_of(film[k], 0xFFFFu);
            out[3] = film[3] << 16 | film[4];
            out[4] = film[1] << 16 | film[2];
            out[5] = svcm << 16 | film[0];
        } else {
            u32 lower_stad, lower_shcm, lower_svcm;
            add_sums(p, column, row + 1, lower_stad, lower_shcm, lower_svcm);
            out[1] = four_of_history(p, column, row + 1);
            out[2] = min_of(noise_of(p, wide, row), noise_of(p, wide, row + 1));
            out[3] = 0;
            out[4] = lower_shcm << 16 | lower_svcm;
            out[5] = svcm << 16 | lower_stad;
        }
    }
}
