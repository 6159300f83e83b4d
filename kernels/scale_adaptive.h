// Adaptive scaling: sharp and smooth results blended pixel by pixel (seed 003:1629-1639, 4146-4188).
// The weight formula's figure is lost; docs/fidelity.md gives the reconstruction that is written here.
#pragma once
#include "scale.h"

enum { SCALE_MAX_PLANES = 5 };  // R, G, B, A and the guide made of them

struct ScaleAdaptiveParams {
    ScalePlane planes[SCALE_MAX_PLANES];  // the guide first; its dst may be null
    ScaleGeometry geometry;
    s32 plane_count;
    s32 guide_shift;         // bits below the 8 that the weights look at
    s32 max_derivative8, transition8, max_derivative4, transition4;
    s32 fixed_x, fixed_y;    // weight of the smooth filter, 0..256, where a direction is not adaptive; else -1
};
static_assert(sizeof(ScaleAdaptiveParams) == 336, "parameter layout");

FN u8 absolute_difference(u8 a, u8 b) { return (u8)(max_of(a, b) - min_of(a, b)); }

// clamp((derivative - threshold) << (8 - transition), 0, 256), without overflow
FN s16 ramp(s16 derivative, s16 threshold, s16 transition) {
    const s16 over = clamp_to<s16>((s16)(derivative - threshold), 0, (s16)(1 << transition));
    return (s16)(over * (s16)(1 << (8 - transition)));
}

// Phase: weight of the smooth filter from seven neighboring differences: large where an edge lies inside the 8-sample
// window (it would ring) while the middle four samples are calm (so that the ringing would show).
FN void smooth_weights(const ScaleAdaptiveParams& params, const u8* __restrict__ differences, s32 pitch,
                       s16* __restrict__ weights, s32 count) {
    const s16 max8 = (s16)params.max_derivative8, transition8 = (s16)params.transition8;
    const s16 max4 = (s16)params.max_derivative4, transition4 = (s16)params.transition4;
    FOR_LINE(i, count) {
        const u8* d = differences + i;
        const u8 middle = max_of(max_of(d[2 * pitch], d[3 * pitch]), d[4 * pitch]);
        const u8 outer = max_of(max_of(d[0], d[pitch]), max_of(d[5 * pitch], d[6 * pitch]));
        const s16 edge = ramp((s16)max_of(middle, outer), max8, transition8);
        const s16 busy = ramp((s16)middle, max4, transition4);
        weights[i] = min_of<s16>(edge, (s16)(256 - busy));
    }
}

// (alpha * sharp + (256 - alpha) * smooth + 128) >> 8 with weight = 256 - alpha
template <typename Blend> FN Blend blend(Blend sharp, Blend smooth, Blend weight) {
    return sharp + ((weight * (smooth - sharp) + 128) >> 8);
}

// T: sample; X: sums along x; Y: sums along y; Blend: the products of weights.
template <typename T, typename X, typename Y, typename Blend>
FN void scale_adaptive_tile(const ScaleAdaptiveParams& params, s32 tile_x, s32 tile_y) {
    SHARED T rows[SCALE_SRC_HEIGHT * SCALE_SRC_WIDTH];
    SHARED T columns[SCALE_SRC_WIDTH * SCALE_SRC_HEIGHT];
    SHARED u8 x_differences[SCALE_SRC_WIDTH * SCALE_SRC_HEIGHT];
    SHARED s16 x_weights[SCALE_SRC_WIDTH * SCALE_SRC_HEIGHT];
    SHARED X x_columns[SCALE_DST_WIDTH * SCALE_SRC_HEIGHT];
    SHARED Y x_rows[SCALE_SRC_HEIGHT * SCALE_DST_WIDTH];
    SHARED u8 y_differences[SCALE_SRC_HEIGHT * SCALE_DST_WIDTH];
    SHARED s16 y_weights[SCALE_DST_HEIGHT * SCALE_DST_WIDTH];
    SHARED T finished[SCALE_DST_HEIGHT * SCALE_DST_WIDTH];
    const ScaleGeometry& g = params.geometry;
    const s32 x0 = tile_x * g.tile_width, y0 = tile_y * g.tile_height;
    const s32 width = min_of(g.tile_width, g.dst_width - x0), height = min_of(g.tile_height, g.dst_height - y0);
    const Window w = window_of(g, x0, y0, width, height);
    const s32 padded_width = round_up(width, 8), guide_shift = params.guide_shift;

    for (s32 c = 0; c < params.plane_count; ++c) {
        const ScalePlane& plane = params.planes[c];
        BARRIER();
        load_window(plane, g, w, rows);
        BARRIER();
        transpose(columns, SCALE_SRC_HEIGHT, rows, SCALE_SRC_WIDTH, w.padded_height, w.padded_width);
        BARRIER();
        if (c == 0) {
            FOR_LINES(x, w.width - 1) {
                const T* __restrict__ t = columns + x * SCALE_SRC_HEIGHT;
                u8* __restrict__ out = x_differences + x * SCALE_SRC_HEIGHT;
                FOR_LINE(r, w.padded_height) {
                    out[r] = absolute_difference((u8)(t[r] >> guide_shift), (u8)(t[SCALE_SRC_HEIGHT + r] >> guide_shift));
                }
            }
            BARRIER();
            FOR_LINES(x, w.width - 7) {
                s16* __restrict__ out = x_weights + x * SCALE_SRC_HEIGHT;
                if (params.fixed_x >= 0) {
                    FOR_LINE(r, w.padded_height) out[r] = (s16)params.fixed_x;
                } else {
                    smooth_weights(params, x_differences + x * SCALE_SRC_HEIGHT, SCALE_SRC_HEIGHT, out, w.padded_height);
                }
            }
            BARRIER();
        }
        FOR_LINES(x, padded_width) {
            const s32 position = g.x_positions[x0 + min_of(x, width - 1)];
            const Phase<8> p = phase_at<8>(position, g.x_taps, w.x);
            const s16 beta = (s16)(position & 31);
            const T* __restrict__ t = columns + p.first * SCALE_SRC_HEIGHT;
            const s16* __restrict__ weight = x_weights + p.first * SCALE_SRC_HEIGHT;
            X* __restrict__ out = x_columns + x * SCALE_SRC_HEIGHT;
            FOR_LINE(r, w.padded_height) {
                X sharp = 0;
                UNROLL for (int j = 0; j < 8; ++j) sharp = weighted((X)t[j * SCALE_SRC_HEIGHT + r], (X)p.k[j], sharp);
                const X left = (X)t[3 * SCALE_SRC_HEIGHT + r], right = (X)t[4 * SCALE_SRC_HEIGHT + r];
                const X smooth = weighted(left, (X)(64 - 2 * beta), weighted(right, (X)(2 * beta), (X)0));
                out[r] = (X)blend<Blend>(sharp, smooth, weight[r]);
            }
        }
        BARRIER();
        transpose(x_rows, SCALE_DST_WIDTH, x_columns, SCALE_SRC_HEIGHT, padded_width, w.padded_height);
        BARRIER();
        if (c == 0) {
            FOR_LINES(r, w.height - 1) {
                const Y* __restrict__ t = x_rows + r * SCALE_DST_WIDTH;
                u8* __restrict__ out = y_differences + r * SCALE_DST_WIDTH;
                FOR_LINE(x, width) {
                    const s32 a = clamp_to((s32)t[x] >> 6, 0, plane.src_max) >> guide_shift;
                    const s32 b = clamp_to((s32)t[SCALE_DST_WIDTH + x] >> 6, 0, plane.src_max) >> guide_shift;
                    out[x] = absolute_difference((u8)a, (u8)b);
                }
            }
            BARRIER();
            FOR_LINES(y, height) {
                const s32 first = (g.y_positions[y0 + y] >> 5) - 3 - w.y;
                s16* __restrict__ out = y_weights + y * SCALE_DST_WIDTH;
                if (params.fixed_y >= 0) {
                    FOR_LINE(x, width) out[x] = (s16)params.fixed_y;
                } else {
                    smooth_weights(params, y_differences + first * SCALE_DST_WIDTH, SCALE_DST_WIDTH, out, width);
                }
            }
            BARRIER();
        }
        if (plane.dst == nullptr) continue;
        const bool direct = stores_directly<T>(plane);
        const Blend sharp_max = (Blend)plane.src_max << 12;
        const s32 out_max = largest_output(plane, g);
        FOR_LINES(y, height) {
            const s32 position = g.y_positions[y0 + y];
            const Phase<8> p = phase_at<8>(position, g.y_taps, w.y);
            const s16 beta = (s16)(position & 31);
            const Y* __restrict__ t = x_rows + p.first * SCALE_DST_WIDTH;
            const s16* __restrict__ weight = y_weights + y * SCALE_DST_WIDTH;
            T* __restrict__ out = direct ? picture_line<T>(plane, x0, y0 + y) : finished + y * SCALE_DST_WIDTH;
            FOR_LINE(x, width) {
                Y sum = 0;
                UNROLL for (int j = 0; j < 8; ++j) sum = weighted(t[j * SCALE_DST_WIDTH + x], (Y)p.k[j], sum);
                const Y above = t[3 * SCALE_DST_WIDTH + x], below = t[4 * SCALE_DST_WIDTH + x];
                const Y smooth = weighted(above, (Y)(64 - 2 * beta), weighted(below, (Y)(2 * beta), (Y)0));
                const Blend sharp = clamp_to<Blend>((Blend)sum, 0, sharp_max);
                out[x] = (T)rounded(blend<Blend>(sharp, (Blend)smooth, weight[x]), g.out_shift, out_max);
            }
        }
        BARRIER();
        if (!direct) store_tile(plane, finished, SCALE_DST_WIDTH, x0, y0, width, height);
    }
}

// (R + 2G + B) >> 2, the guide of RGB adaptive filtering (seed 003:1631, 4106-4112). A tile is one row.
struct RgbGuideParams {
    const void* red;
    const void* green;
    const void* blue;
    void* guide;
    s32 src_pitch_B, guide_pitch_B, step, width;
    s32 shift, max;
};
static_assert(sizeof(RgbGuideParams) == 56, "parameter layout");

template <typename T> FN void rgb_guide_tile(const RgbGuideParams& p, s32, s32 y) {
    const T* __restrict__ red = (const T*)((const u8*)p.red + (s64)y * p.src_pitch_B);
    const T* __restrict__ green = (const T*)((const u8*)p.green + (s64)y * p.src_pitch_B);
    const T* __restrict__ blue = (const T*)((const u8*)p.blue + (s64)y * p.src_pitch_B);
    T* __restrict__ guide = (T*)((u8*)p.guide + (s64)y * p.guide_pitch_B);
    FOR_EACH(x, p.width) {
        const s64 i = (s64)x * p.step;
        const s32 r = sample_of(red[i], p.shift, p.max), b = sample_of(blue[i], p.shift, p.max);
        guide[x] = (T)((r + 2 * sample_of(green[i], p.shift, p.max) + b) >> 2);
    }
}
