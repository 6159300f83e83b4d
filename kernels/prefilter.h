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

FN s32 sample_of(s32 sum, s32, s32) { return sum; }

// Adds two symmetric pairs of taps: (a + b) * ab + (c + d) * cd.
template <typename T> struct Pairs {
    const T *a, *b, *c, *d;
    s32 ab, cd;
};

template <typename T> FN void add_pairs(s32* __restrict__ sums, const Pairs<T>& p, s32 step, s32 shift, s32 max, s32 n) {
    const T* __restrict__ a = p.a;
    const T* __restrict__ b = p.b;
    const T* __restrict__ c = p.c;
    const T* __restrict__ d = p.d;
    const s32 ab = p.ab, cd = p.cd;
    if (step == 1) {
        FOR_EACH(i, n) {
            const s32 outer = sample_of(a[i], shift, max) + sample_of(b[i], shift, max);
            const s32 inner = sample_of(c[i], shift, max) + sample_of(d[i], shift, max);
            sums[i] += outer * ab + inner * cd;
        }
    } else {
        FOR_EACH(i, n) {
            const s64 x = (s64)i * step;
            const s32 outer = sample_of(a[x], shift, max) + sample_of(b[x], shift, max);
            const s32 inner = sample_of(c[x], shift, max) + sample_of(d[x], shift, max);
            sums[i] += outer * ab + inner * cd;
        }
    }
}

template <typename T> FN void prefilter_tile(const PrefilterParams& p, s32 tile_x, s32 y) {
    SHARED s32 column[2 * PREFILTER_WIDTH + PREFILTER_TAPS], sums[PREFILTER_WIDTH];
    SHARED s32 phases[2][PREFILTER_WIDTH + PREFILTER_TAPS];
    const s32 x0 = tile_x * PREFILTER_WIDTH, count = min_of<s32>(PREFILTER_WIDTH, p.dst_width - x0);
    const s32 first_x = x0 * p.x_keep - (p.x_count - 1) / 2, first_y = y * p.y_keep - (p.y_count - 1) / 2;
    const s32 width = (count - 1) * p.x_keep + p.x_count;
    const s32 left = clamp_to(-first_x, 0, width - 1), right = clamp_to(p.src_width - first_x, left + 1, width);
    const s32 step = p.plane.src_step, shift = p.plane.src_shift, max = p.plane.src_max;
    const auto row = [&](s32 tap) {
        const s64 clamped = clamp_to(first_y + tap, 0, p.src_height - 1);
        return (const T*)((const u8*)p.plane.src + clamped * p.plane.src_pitch_B) +
               (s64)clamp_to(first_x + left, 0, p.src_width - 1) * step;
    };

    const T* __restrict__ middle = row(p.y_count / 2);
    const s32 middle_tap = p.y_count % 2 ? p.y_taps[p.y_count / 2] : 0, half = 1 << (p.middle_shift - 1);
    FOR_EACH(i, right - left) column[left + i] = sample_of(middle[(s64)i * step], shift, max) * middle_tap + half;
    for (s32 j = 0; j < p.y_count / 2; j += 2) {
        const s32 far = p.y_count - 1 - j, inner = j + 1 < p.y_count / 2 ? p.y_taps[j + 1] : 0;
        const Pairs<T> pairs = {row(j), row(far), row(j + 1), row(far - 1), p.y_taps[j], inner};
        add_pairs(column + left, pairs, step, shift, max, right - left);
    }
    FOR_EACH(i, right - left) column[left + i] >>= p.middle_shift;
    BARRIER();
    FOR_EACH(i, left) column[i] = column[left];
    FOR_EACH(i, width - right) column[right + i] = column[right - 1];
    BARRIER();
    const s32 last_shift = 24 - p.middle_shift;
    if (p.x_keep == 2) {  // even and odd columns apart, so that every tap reads neighbors
        FOR_EACH(i, count + p.x_count / 2 - 1) {
            phases[0][i] = column[2 * i];
            phases[1][i] = column[2 * i + 1];
        }
        BARRIER();
    }
    const auto tap_column = [&](s32 tap) { return p.x_keep == 2 ? phases[tap & 1] + tap / 2 : column + tap; };
    const s32 x_middle_tap = p.x_count % 2 ? p.x_taps[p.x_count / 2] : 0;
    const s32* __restrict__ x_middle = tap_column(p.x_count / 2);
    FOR_EACH(i, count) sums[i] = x_middle[i] * x_middle_tap + (1 << (last_shift - 1));
    for (s32 j = 0; j < p.x_count / 2; j += 2) {
        const s32 far = p.x_count - 1 - j, inner = j + 1 < p.x_count / 2 ? p.x_taps[j + 1] : 0;
        const Pairs<s32> pairs = {tap_column(j), tap_column(far), tap_column(j + 1), tap_column(far - 1), p.x_taps[j], inner};
        add_pairs(sums, pairs, 1, 0, 0, count);
    }
    T* __restrict__ out = picture_line<T>(p.plane, x0, y);
    FOR_EACH(x, count) out[x] = (T)clamp_to(sums[x] >> last_shift, 0, max);
}
