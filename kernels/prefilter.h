// The low-pass before scaling down: texsamp's addition, since the hardware's 8 taps alias (docs/fidelity.md).
// Separable, symmetric taps in 1/4096; either every sample is kept, or every second one and the grid moves by half a
// sample. A tile is a piece of one output row.
#pragma once
#include "scale.h"

enum { PREFILTER_WIDTH = ON_DEVICE(512, 256), PREFILTER_TAPS = 32 };

struct PrefilterParams {
    ScalePlane plane;
    s16 x_taps[PREFILTER_TAPS], y_taps[PREFILTER_TAPS];
    s32 x_count, y_count;  // taps used
    s32 x_keep, y_keep;    // 1: every sample, 2: every second one
    s32 src_width, src_height, dst_width, dst_height;
    s32 middle_shift;  // fraction bits dropped between the passes; the rest of 24 afterwards
    s32 pad_;
};
static_assert(sizeof(PrefilterParams) == 216, "parameter layout");

template <int KEEP> FN void accumulate(s32* __restrict__ sums, const s32* __restrict__ in, s32 tap, s32 count) {
    FOR_EACH(x, count) sums[x] += in[x * KEEP] * tap;
}

template <typename T> FN void prefilter_tile(const PrefilterParams& p, s32 tile_x, s32 y) {
    SHARED s32 column[2 * PREFILTER_WIDTH + PREFILTER_TAPS];
    SHARED s32 sums[PREFILTER_WIDTH];
    const s32 x0 = tile_x * PREFILTER_WIDTH, count = min_of<s32>(PREFILTER_WIDTH, p.dst_width - x0);
    const s32 first_x = x0 * p.x_keep - (p.x_count - 1) / 2, first_y = y * p.y_keep - (p.y_count - 1) / 2;
    const s32 width = (count - 1) * p.x_keep + p.x_count;
    const s32 left = clamp_to(-first_x, 0, width - 1), right = clamp_to(p.src_width - first_x, left + 1, width);
    const s32 step = p.plane.src_step, shift = p.plane.src_shift, max = p.plane.src_max;

    FOR_EACH(i, right - left) column[left + i] = 1 << (p.middle_shift - 1);
    for (s32 j = 0; j < p.y_count; ++j) {
        const s64 row = clamp_to(first_y + j, 0, p.src_height - 1);
        const T* __restrict__ in = (const T*)((const u8*)p.plane.src + row * p.plane.src_pitch_B) +
                                   (s64)clamp_to(first_x + left, 0, p.src_width - 1) * step;
        const s32 tap = p.y_taps[j];
        if (step == 1) {
            FOR_EACH(i, right - left) column[left + i] += sample_of(in[i], shift, max) * tap;
        } else {
            FOR_EACH(i, right - left) column[left + i] += sample_of(in[(s64)i * step], shift, max) * tap;
        }
    }
    FOR_EACH(i, right - left) column[left + i] >>= p.middle_shift;
    BARRIER();
    FOR_EACH(i, left) column[i] = column[left];
    FOR_EACH(i, width - right) column[right + i] = column[right - 1];
    BARRIER();
    const s32 last_shift = 24 - p.middle_shift;
    FOR_EACH(x, count) sums[x] = 1 << (last_shift - 1);
    for (s32 j = 0; j < p.x_count; ++j) {
        if (p.x_keep == 2)
            accumulate<2>(sums, column + j, p.x_taps[j], count);
        else
            accumulate<1>(sums, column + j, p.x_taps[j], count);
    }
    T* __restrict__ out = picture_line<T>(p.plane, x0, y);
    FOR_EACH(x, count) out[x] = (T)clamp_to(sums[x] >> last_shift, 0, max);
}
