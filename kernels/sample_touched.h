// Which texels a sample reads: the general kernel, whose texels are marks.
#pragma once
#include "sample.h"

enum { TOUCHED_RUN = 64 };  // texels of a mark, of texsamp/sampler/touched.py

// A texel that is read leaves its mark; nothing is computed.
struct Touched {
    enum { FILTERS = true };
    FN Color fetch(const void* marks, s32 index) {
        ((u8*)marks)[index / TOUCHED_RUN] = 1;
        return Color{};
    }
    FN u32 halfway(u32 a, u32) { return a; }
    FN u32 mean(u32 a, u32, u32) { return a; }
    FN u32 compared(bool) { return 0; }
    FN float number(u32) { return 0.0f; }
    FN u32 blend(u32 a, u32, s32) { return a; }
    FN u32 finish(u32 a, s32) { return a; }
    FN u32 blend_levels(u32 a, u32, s32) { return a; }
    FN u32 no_probe(u32 first) { return first; }
    FN u32 add_probe(u32 sum, u32, u32, s32) { return sum; }
    FN u32 finish_probes(u32 sum) { return sum; }
};

FN void touched_tile(const SampleParams& p, s32 tile_x, s32 tile_y) {
    const s64 first = ((s64)tile_y * 64 + tile_x) * SAMPLE_TILE;
    FOR_EACH(i, (s32)min_of(p.count - first, (s64)SAMPLE_TILE)) sample_one<Touched>(p, first + i);
}
