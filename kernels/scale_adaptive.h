// Adaptive scaling: sharp and smooth results blended pixel by pixel (seed 003:1629-1639, 4146-4188; the equations, which
// the seed lacks, are those of Sandy Bridge PRM volume 4 part 1, pages 60 and 61).
#pragma once
#include "portable_elements.h"
#include "scale.h"

enum { SCALE_MAX_PLANES = 5 };  // R, G, B, A and the guide made of them

struct ScaleAdaptiveParams {
    SamplePlane planes[SCALE_MAX_PLANES];  // the guide first; its dst may be null
    ScaleGeometry geometry;
    s32 plane_count;
    s32 guide_shift;         // bits below the 8 that the weights look at
    s32 max_derivative8, shift8, width8;  // a ramp begins at the derivative, rises by 2^shift, ends after its width
    s32 max_derivative4, shift4, width4;
    s32 fixed_x, fixed_y;  // weight of the sharp filter, 0..256, where a direction is not adaptive; else -1
    s32 rule;              // AdaptiveRule
    s32 in_pairs;          // as of ScaleLinearParams
};
static_assert(sizeof(ScaleAdaptiveParams) == 360, "parameter layout");

FN u8 absolute_difference(u8 a, u8 b) { return (u8)(max_of(a, b) - min_of(a, b)); }

enum AdaptiveRule { ADAPTIVE_HARDWARE, ADAPTIVE_LITERAL, ADAPTIVE_OURS };

// Rises from 0 at the threshold by so much a step; at its width it is 256, to which only a literal one has to jump.
template <AdaptiveRule RULE> FN s16 ramp(s16 derivative, s16 threshold, s16 width, s16 rise) {
    const s16 over = clamp_to<s16>((s16)(derivative - threshold), 0, width);
    return RULE == ADAPTIVE_LITERAL && over == width ? (s16)256 : (s16)(over * rise);
}

FN s16 magnitude(s16 v) { return max_of<s16>(v, (s16)-v); }

// Phase: weight of the sharp filter from the 8 luma samples of the window: small where they hold an edge (it would ring)
// while the middle ones are calm (so that the ringing would show). The manual's alpha of 255 is all sharp, so 256 here.
template <AdaptiveRule RULE>
FN void sharp_weights(const ScaleAdaptiveParams& params, const u8* __restrict__ window, s32 pitch,
                      s16* __restrict__ weights, s32 count) {
    const s16 max8 = (s16)params.max_derivative8, width8 = (s16)params.width8, rise8 = (s16)(1 << params.shift8);
    const s16 max4 = (s16)params.max_derivative4, width4 = (s16)params.width4, rise4 = (s16)(1 << params.shift4);
    FOR_LINE(i, count) {
        u8 w[8], d[7];
        UNROLL for (int k = 0; k < 8; ++k) w[k] = window[i + k * pitch];
        UNROLL for (int k = 0; k < 7; ++k) d[k] = absolute_difference(w[k], w[k + 1]);
        const u8 middle = max_of(max_of(d[2], d[3]), d[4]);
        const u8 outer = max_of(max_of(d[0], d[1]), max_of(d[5], d[6]));
        const s16 largest = (s16)max_of(middle, outer);
        const u8 steps = min_of(max_of(d[2], d[3]), max_of(d[3], d[4]));
        if constexpr (RULE == ADAPTIVE_OURS) {
            const s16 busy = (s16)(max_of<s16>((s16)(steps - max4), 0) * width4);
            weights[i] = (s16)(256 - ramp<RULE>((s16)(largest - busy), max8, width8, rise8));
        } else {
            const s16 edge = ramp<RULE>(largest, max8, width8, rise8);
            const s16 step = (s16)(w[3] - w[4]);
            const s16 bends = (s16)(magnitude((s16)(w[2] - w[3] - step)) + magnitude((s16)(w[4] - w[5] - step)));
            const s16 busy = ramp<RULE>(min_of<s16>((s16)(bends >> 1), (s16)steps), max4, width4, rise4);
            const s16 alpha = max_of<s16>((s16)(255 - edge), min_of<s16>(busy, 255));
            weights[i] = (s16)(alpha + (alpha == 255));
        }
    }
}

FN_ONCE void adaptive_weights(const ScaleAdaptiveParams& params, s32 fixed, const u8* window, s32 pitch, s16* weights,
                         s32 count) {
    if (fixed >= 0) {
        FOR_LINE(i, count) weights[i] = (s16)fixed;
    } else if (params.rule == ADAPTIVE_HARDWARE) {
        sharp_weights<ADAPTIVE_HARDWARE>(params, window, pitch, weights, count);
    } else if (params.rule == ADAPTIVE_LITERAL) {
        sharp_weights<ADAPTIVE_LITERAL>(params, window, pitch, weights, count);
    } else {
        sharp_weights<ADAPTIVE_OURS>(params, window, pitch, weights, count);
    }
}

// smooth + (128 + (sharp - smooth) * weight) / 256, down
template <typename Blend> FN Blend blend(Blend sharp, Blend smooth, Blend weight) {
    return smooth + ((weight * (sharp - smooth) + 128) >> 8);
}

// The same in 16 bits, where the difference has no more: sharp + (128 + (sharp - smooth) * (weight - 256)) / 256, down,
// whose product is one instruction.
FN s16 blend_narrow(s16 sharp, s16 smooth, s16 weight) {
    const s16 difference = (s16)(sharp - smooth), from_sharp = (s16)((weight - 256) * 128);
    return (s16)(sharp + (s16)(((difference * from_sharp >> 14) + 1) >> 1));
}

template <typename Blend> FN s16 blend_along_x(s16 sharp, s16 smooth, s16 weight) { return blend_narrow(sharp, smooth, weight); }
template <typename Blend> FN s32 blend_along_x(s32 sharp, s32 smooth, s16 weight) {
    return (s32)blend<Blend>(sharp, smooth, weight);
}

// Neighbors that are blended together, or not at all: most groups of a picture are sharp throughout.
enum { BLEND_GROUP = 32 };

FN bool all_sharp(const s16* weights) {
    u64 all = ~0ull;
    UNROLL for (int i = 0; i < BLEND_GROUP / 4; ++i) all &= element_at<u64>(weights + 4 * i);
    return (all & 0x0100010001000100) == 0x0100010001000100;  // no other weight has the bit of 256
}

// T: sample; X: sums along x; Y: sums along y; Blend: the products of weights.
template <typename T, typename X, typename Y, typename Blend>
FN void scale_adaptive_tile(const ScaleAdaptiveParams& params, s32 tile_x, s32 tile_y) {
    SHARED T rows[SCALE_SRC_HEIGHT * ScalePitch<T>::ROW];
    SHARED T columns[SCALE_SRC_WIDTH * SCALE_SRC_HEIGHT];
    enum { IS_GUIDE = sizeof(T) == 1 };  // samples of 8 bits are what the weights look at
    SHARED u8 x_guide[IS_GUIDE ? 1 : SCALE_SRC_WIDTH * SCALE_SRC_HEIGHT];
    SHARED s16 x_weights[SCALE_SRC_WIDTH * SCALE_SRC_HEIGHT];
    SHARED X x_columns[SCALE_DST_WIDTH * ScalePitch<X>::COLUMN];
    // On a CPU rows a power of two apart would share few places in the cache.
    enum { X_ROW = SCALE_DST_WIDTH + ON_DEVICE(16, 0) };
    SHARED Y x_rows[SCALE_SRC_HEIGHT * X_ROW];
    SHARED u8 y_guide[SCALE_SRC_HEIGHT * SCALE_DST_WIDTH];
    SHARED s16 y_weights[SCALE_DST_HEIGHT * SCALE_DST_WIDTH];
    SHARED T finished[SCALE_DST_HEIGHT * SCALE_DST_WIDTH];
    const ScaleGeometry& g = params.geometry;
    const s32 x0 = tile_x * g.tile_width, y0 = tile_y * g.tile_height;
    const s32 width = min_of(g.tile_width, g.dst_width - x0), height = min_of(g.tile_height, g.dst_height - y0);
    const Window w = window_of(g, x0, y0, width, height);
    const s32* x_positions = x_positions_of(g, x0, y0);
    const s32 padded_width = round_up(width, 8), guide_shift = params.guide_shift;

    for (s32 c = 0; c < params.plane_count; ++c) {
        const SamplePlane& plane = params.planes[c];
        BARRIER();
        load_window(plane, g, w, rows);
        BARRIER();
        transpose(columns, SCALE_SRC_HEIGHT, rows, ScalePitch<T>::ROW, w.padded_height, w.padded_width);
        BARRIER();
        if (c == 0) {
            if constexpr (!IS_GUIDE) {
                FOR_LINES(x, w.width) {
                    const T* __restrict__ t = columns + x * SCALE_SRC_HEIGHT;
                    u8* __restrict__ out = x_guide + x * SCALE_SRC_HEIGHT;
                    FOR_LINE(r, w.padded_height) out[r] = (u8)(t[r] >> guide_shift);
                }
                BARRIER();
            }
            const u8* guide = IS_GUIDE ? (const u8*)columns : x_guide;
            FOR_LINES(x, w.width - 7) {
                adaptive_weights(params, params.fixed_x, guide + x * SCALE_SRC_HEIGHT, SCALE_SRC_HEIGHT,
                                 x_weights + x * SCALE_SRC_HEIGHT, w.padded_height);
            }
            BARRIER();
        }
        FOR_LINES(x, padded_width) {
            const s32 position = x_positions[min_of(x, width - 1)];
            const Phase<8> p = phase_at<8>(position, g.x_taps, w.x);
            const s16 beta = (s16)(position & 31);
            const T* __restrict__ t = columns + p.first * SCALE_SRC_HEIGHT;
            const s16* __restrict__ weight = x_weights + p.first * SCALE_SRC_HEIGHT;
            X* __restrict__ out = x_columns + x * ScalePitch<X>::COLUMN;
            FOR_LINE(r, w.padded_height) {
                X sharp = 0;
                UNROLL for (int j = 0; j < 8; ++j) sharp = weighted((X)t[j * SCALE_SRC_HEIGHT + r], (X)p.k[j], sharp);
                const X left = (X)t[3 * SCALE_SRC_HEIGHT + r], right = (X)t[4 * SCALE_SRC_HEIGHT + r];
                const X smooth = weighted(left, (X)(64 - 2 * beta), weighted(right, (X)(2 * beta), (X)0));
                out[r] = blend_along_x<Blend>(sharp, smooth, weight[r]);
            }
        }
        BARRIER();
        transpose(x_rows, X_ROW, x_columns, ScalePitch<X>::COLUMN, padded_width, w.padded_height);
        BARRIER();
        if (c == 0) {
            FOR_LINES(r, w.height) {
                const Y* __restrict__ t = x_rows + r * X_ROW;
                u8* __restrict__ out = y_guide + r * SCALE_DST_WIDTH;
                FOR_LINE(x, width) out[x] = (u8)(clamp_to((s32)t[x] >> 6, 0, plane.src_max) >> guide_shift);
            }
            BARRIER();
            FOR_LINES(y, height) {
                const s32 first = (g.y_positions[y0 + y] >> 5) - 3 - w.y;
                adaptive_weights(params, params.fixed_y, y_guide + first * SCALE_DST_WIDTH, SCALE_DST_WIDTH,
                                 y_weights + y * SCALE_DST_WIDTH, width);
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
            const Y* __restrict__ t = x_rows + p.first * X_ROW;
            const s16* __restrict__ weight = y_weights + y * SCALE_DST_WIDTH;
            T* __restrict__ out = direct ? picture_line<T>(plane, x0, y0 + y) : finished + y * SCALE_DST_WIDTH;
            const auto sharp_at = [&](s32 x) {
                Y sum = 0;
                UNROLL for (int j = 0; j < 8; ++j) sum = weighted(t[j * X_ROW + x], (Y)p.k[j], sum);
                return clamp_to<Blend>((Blend)sum, 0, sharp_max);
            };
            const auto blended = [&](s32 begin, s32 count) {
                FOR_LINE(i, count) {
                    const s32 x = begin + i;
                    const Y above = t[3 * X_ROW + x], below = t[4 * X_ROW + x];
                    const Y smooth = weighted(above, (Y)(64 - 2 * beta), weighted(below, (Y)(2 * beta), (Y)0));
                    out[x] = (T)rounded(blend<Blend>(sharp_at(x), (Blend)smooth, weight[x]), g.out_shift, out_max);
                }
            };
            s32 x = 0;
            for (; x + BLEND_GROUP <= width; x += BLEND_GROUP) {
                if (ON_DEVICE(all_sharp(weight + x), false)) {
                    FOR_LINE(i, BLEND_GROUP) out[x + i] = (T)rounded(sharp_at(x + i), g.out_shift, out_max);
                } else {
                    blended(x, BLEND_GROUP);
                }
            }
            blended(x, width - x);
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
