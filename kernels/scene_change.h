// How much two frames differ: sums of absolute differences of one component on every fifth line, per column
// (texsamp's own, to find scene cuts). Five is odd, so both fields are looked at alike.
#pragma once
#include "fields.h"

enum { SCENE_WIDTH = ON_DEVICE(512, 256), SCENE_LINES = 64, SCENE_STEP = 5 };

struct SceneChangeParams {
    FieldSamples first, second;
    u32* sums;  // per tile row and column
    s32 sums_pitch_B;
    s32 width, height;
    s32 pad_;
};
static_assert(sizeof(SceneChangeParams) == 72, "parameter layout");

template <typename T> FN void scene_change_tile(const SceneChangeParams& p, s32 tile_x, s32 tile_y) {
    SHARED u32 sums[SCENE_WIDTH];
    const s32 first = tile_x * SCENE_WIDTH, count = min_of<s32>(SCENE_WIDTH, p.width - first);
    const s32 begin = tile_y * SCENE_LINES, end = min_of<s32>(begin + SCENE_LINES, p.height);
    const s32 step = p.first.step, shift = p.first.shift, max = p.first.max;
    FOR_EACH(x, count) sums[x] = 0;
    for (s32 y = (begin + SCENE_STEP - 1) / SCENE_STEP * SCENE_STEP; y < end; y += SCENE_STEP) {
        const T* __restrict__ a = row_of<T>(p.first, y) + (s64)first * step;
        const T* __restrict__ b = row_of<T>(p.second, y) + (s64)first * step;
        if (step == 1) {
            FOR_EACH(x, count) sums[x] += difference(sample_of(a[x], shift, max), sample_of(b[x], shift, max));
        } else {
            FOR_EACH(x, count) {
                const s64 at = (s64)x * step;
                sums[x] += difference(sample_of(a[at], shift, max), sample_of(b[at], shift, max));
            }
        }
    }
    u32* __restrict__ out = (u32*)((u8*)p.sums + (s64)tile_y * p.sums_pitch_B) + first;
    FOR_EACH(x, count) out[x] = sums[x];
}
