// Sandy Bridge's image enhancement filters: the detail filters of 3x3 and sparse 5x5, and the combination of sharpening
// and smoothing (Sandy Bridge PRM volume 4 part 1, pages 61 to 69). What its pages leave open: docs/fidelity.md.
// Luma has 10 bits here; samples of 8 are multiplied by 4.
#pragma once
#include "sharpen.h"

enum Gen6Mode { GEN6_DETAIL_3X3, GEN6_DETAIL_5X5, GEN6_COMBINATION };
enum { PWL_SEGMENTS = 7 };

struct SharpenGen6Params {
    SamplePlane plane;
    s32 width, height;
    s32 mode;
    s32 gain, strong_threshold, weak_threshold, strong_weight, regular_weight, non_edge_weight;  // detail
    s32 noise_estimate;                                                                          // the rest: combination
    s32 r3x, r3c, r5x, r5cx, r5c;  // U0.5
    s32 steepness_threshold, steepness_boost, ridge_threshold, ridge_boost;
    s32 max_limiter, min_limiter, limiter_boost;  // U0.4
    s32 clip_limiter;
    s32 points[PWL_SEGMENTS];  // the first is 0
    s32 sharp_biases[PWL_SEGMENTS], sharp_slopes[PWL_SEGMENTS];
    s32 smooth_biases[PWL_SEGMENTS], smooth_slopes[PWL_SEGMENTS];
    s32 pad_[2];
};
static_assert(sizeof(SharpenGen6Params) == 288, "parameter layout");

// The least and the most of three neighbors in a line, and of three lines.
FN s16 least_of_3(const s16* c) { return min_of(min_of(c[-1], c[0]), c[1]); }
FN s16 most_of_3(const s16* c) { return max_of(max_of(c[-1], c[0]), c[1]); }
FN s16 least_of_9(const s16* c) {
    return min_of(min_of(least_of_3(c - SHARPEN_PITCH), least_of_3(c)), least_of_3(c + SHARPEN_PITCH));
}
FN s16 most_of_9(const s16* c) {
    return max_of(max_of(most_of_3(c - SHARPEN_PITCH), most_of_3(c)), most_of_3(c + SHARPEN_PITCH));
}

FN s32 magnitude(s32 v) { return max_of(v, -v); }

// Floor of a quotient from -64 up; |dividend| < 2^17, 0 < divisor < 2^15: in floats the sum is exact, and a quotient that
// is no integer is further from one than the rounding of the division.
FN s32 floor_quotient(s32 dividend, s32 divisor) {
    return (s32)((float)(dividend + 64 * divisor) / (float)divisor) - 64;
}

// min(dividend / divisor, 15) of numbers that are not negative, exact as above
FN s32 quotient_of_4_bits(s32 dividend, s32 divisor) { return min_of((s32)((float)dividend / (float)divisor), 15); }

// Phase: one line of a detail filter (pages 62 to 64).
template <typename T, int SCALE>
FN void gen6_detail_line(const SharpenGen6Params& p, const s16* __restrict__ luma, T* __restrict__ out, s32 count) {
    enum { PITCH = SHARPEN_PITCH };
    const s32 reach = p.mode == GEN6_DETAIL_5X5 ? 2 : 1, max = p.plane.src_max;
    FOR_LINE(x, count) {
        const s16* c = luma + x + 2;
        s32 around = 0;
        UNROLL for (int dy = -1; dy <= 1; ++dy) {
            UNROLL for (int dx = -1; dx <= 1; ++dx) around += c[reach * (dy * PITCH + dx)];
        }
        const s32 edge_h = c[PITCH - 1] + 2 * c[PITCH] + c[PITCH + 1] - c[-PITCH - 1] - 2 * c[-PITCH] - c[-PITCH + 1];
        const s32 edge_v = c[-PITCH + 1] + 2 * c[1] + c[PITCH + 1] - c[-PITCH - 1] - 2 * c[-1] - c[PITCH - 1];
        const s32 edge_metric = min_of((magnitude(edge_h) + magnitude(edge_v) + 4) >> 3, 15);
        const s32 weak_or_none = edge_metric > p.weak_threshold ? p.regular_weight : p.non_edge_weight;
        const s32 weight = edge_metric > p.strong_threshold ? p.strong_weight : weak_or_none;
        const s32 sigma = clamp_to(9 * c[0] - around, -128, 127);  // the sum holds the pixel itself
        const s32 divisor = 128 * min_of(8 + most_of_9(c) - least_of_9(c), 255);
        out[x] = (T)to_sample<SCALE>(c[0] + floor_quotient(sigma * p.gain * weight + 64, divisor), max);
    }
}

// Phase: |dx| + |dy| of each 2x2 on 8 bits, at its upper left pixel (pages 65 and 66).
FN void gradient_norms(const s16* tile, s16* norms, s32 width, s32 height) {
    FOR_LINES(y, height + 3) {
        const s16* __restrict__ row = tile + y * SHARPEN_PITCH;
        s16* __restrict__ out = norms + y * SHARPEN_PITCH;
        FOR_LINE(x, width + 3) {
            const s16 a = (s16)(row[x] >> 2), b = (s16)(row[x + 1] >> 2);
            const s16 c = (s16)(row[SHARPEN_PITCH + x] >> 2), d = (s16)(row[SHARPEN_PITCH + x + 1] >> 2);
            out[x] = (s16)(magnitude(a - b + c - d) + magnitude(a + b - c - d));
        }
    }
}

// The line between two of the points, slopes S3.4 (page 65).
FN s32 piecewise(s32 diff, const s32* points, const s32* biases, const s32* slopes) {
    s32 point = points[0], bias = biases[0], slope = slopes[0];
    UNROLL for (int k = 1; k < PWL_SEGMENTS; ++k) {
        const bool reached = diff >= points[k];
        point = reached ? points[k] : point;
        bias = reached ? biases[k] : bias;
        slope = reached ? slopes[k] : slope;
    }
    return clamp_to(((diff - point) * slope >> 4) + bias, 0, 255);
}

FN s32 kept(s32 difference, s32 threshold) { return magnitude(difference) < threshold ? difference : 0; }

// 12 times the mean of four differences, of those below a threshold.
FN s32 kept_mean_12(s32 a, s32 b, s32 c, s32 d, s32 threshold) {
    const s32 sum = kept(a, threshold) + kept(b, threshold) + kept(c, threshold) + kept(d, threshold);
    const s32 count = (magnitude(a) < threshold) + (magnitude(b) < threshold) + (magnitude(c) < threshold) +
                      (magnitude(d) < threshold);
    return sum * (count < 2 ? 12 : 7 - count + (count == 2));
}

// Phase: one line of the combination (pages 64 to 69).
template <typename T, int SCALE>
FN void gen6_combination_line(const SharpenGen6Params& p, const s16* __restrict__ luma, const s16* __restrict__ norms,
                              T* __restrict__ out, s32 count) {
    enum { PITCH = SHARPEN_PITCH };
    const s32 noise = p.noise_estimate, threshold = noise << 2, max = p.plane.src_max;
    FOR_LINE(x, count) {
        const s16* c = luma + x + 2;
        const s32 here = c[0];
        const s16 low3 = least_of_9(c), high3 = most_of_9(c);
        const s16 low5 = min_of(low3, min_of(min_of(least_of_9(c - PITCH - 1), least_of_9(c - PITCH + 1)),
                                             min_of(least_of_9(c + PITCH - 1), least_of_9(c + PITCH + 1))));
        const s16 high5 = max_of(high3, max_of(max_of(most_of_9(c - PITCH - 1), most_of_9(c - PITCH + 1)),
                                               max_of(most_of_9(c + PITCH - 1), most_of_9(c + PITCH + 1))));
        // sums of differences in the 5x5 ring
        const s32 axes = c[-2 * PITCH] + c[2 * PITCH] + c[-2] + c[2] - 4 * here;
        const s32 corners = c[-2 * PITCH - 2] + c[-2 * PITCH + 2] + c[2 * PITCH - 2] + c[2 * PITCH + 2] - 4 * here;
        const s32 others = c[-2 * PITCH - 1] + c[-2 * PITCH + 1] + c[2 * PITCH - 1] + c[2 * PITCH + 1] +
                           c[-PITCH - 2] + c[-PITCH + 2] + c[PITCH - 2] + c[PITCH + 2] - 8 * here;
        s32 norm_sum = 0;
        s16 norm_max = 0;
        UNROLL for (int dy = 0; dy < 4; ++dy) {
            UNROLL for (int dx = 0; dx < 4; ++dx) {
                const s16 norm = norms[dy * PITCH + x + dx];
                norm_sum += norm;
                norm_max = max_of(norm_max, norm);
            }
        }
        const s32 diff5 = (high5 >> 2) - (low5 >> 2), diff3 = (high3 >> 2) - (low3 >> 2);
        const s32 ridges = quotient_of_4_bits(5 * (max_of(norm_sum - (23 * diff5 >> 1), 0) >> 3), diff5 + 1);
        const s32 diff5_mod = (3 * diff5 >> 3) + 1;
        const s32 steepness = quotient_of_4_bits(max_of((2 * norm_max - diff5_mod) >> 2, 0), diff5_mod) -
                              max_of(8 - (diff3 >> 1), 0);
        const s32 wide = diff5 - noise, narrow = max_of(diff3 - noise, 0) * 3 >> 1;
        const s32 larger = clamp_to(max_of(wide, narrow), 1, 255);
        const s32 diff = larger > p.points[3] ? max_of(min_of(wide, narrow), 0) : larger;
        const s32 boost = max_of(ridges - p.ridge_threshold, 0) * p.ridge_boost +
                          max_of(steepness - p.steepness_threshold, 0) * p.steepness_boost;
        const s32 sharp_strength =
            piecewise(diff, p.points, p.sharp_biases, p.sharp_slopes) * (16 - min_of(boost, 15)) >> 4;
        const s32 smooth_strength = piecewise(diff, p.points, p.smooth_biases, p.smooth_slopes);
        const s32 sharp = (p.r5c * axes + p.r5x * corners + p.r5cx * others + 4) >> 3;
        // 12 / count of what is kept; twelfths of U0.5 become 2 fraction bits, rounded down: they are above -8192
        const s32 twelfths = p.r3x * kept_mean_12(c[-PITCH - 1] - here, c[-PITCH + 1] - here, c[PITCH - 1] - here,
                                                  c[PITCH + 1] - here, threshold) +
                             p.r3c * kept_mean_12(c[-PITCH] - here, c[-1] - here, c[1] - here, c[PITCH] - here,
                                                  threshold);
        const s32 smooth = (twelfths + 48 + 96 * 8192) / 96 - 8192;
        s32 value = here + ((smooth_strength * smooth - sharp_strength * sharp + 512) >> 10);
        const s32 over = high5 + min_of((value - high5) * p.max_limiter >> 4,
                                           p.clip_limiter + ((high5 - high3) * p.limiter_boost >> 4));
        const s32 under = low5 - min_of((low5 - value) * p.min_limiter >> 4,
                                           p.clip_limiter + ((low3 - low5) * p.limiter_boost >> 4));
        value = value > high5 ? over : value < low5 ? under : value;
        out[x] = (T)to_sample<SCALE>(value, max);
    }
}

template <typename T, int SCALE> FN void sharpen_gen6_tile(const SharpenGen6Params& p, s32 tile_x, s32 tile_y) {
    SHARED s16 tile[SHARPEN_ROWS * SHARPEN_PITCH];
    SHARED s16 norms[SHARPEN_ROWS * SHARPEN_PITCH];
    SHARED T finished[SHARPEN_HEIGHT * SHARPEN_PITCH];
    const s32 x0 = tile_x * SHARPEN_WIDTH, y0 = tile_y * SHARPEN_HEIGHT;
    const s32 width = min_of<s32>(SHARPEN_WIDTH, p.width - x0), height = min_of<s32>(SHARPEN_HEIGHT, p.height - y0);
    load_tile<T, SCALE>(p, x0, y0, width, height, tile);
    BARRIER();
    if (p.mode == GEN6_COMBINATION) gradient_norms(tile, norms, width, height);
    BARRIER();
    FOR_LINES(y, height) {
        const s16* luma = tile + (y + 2) * SHARPEN_PITCH;
        T* out = finished + y * SHARPEN_PITCH;
        if (p.mode == GEN6_COMBINATION)
            gen6_combination_line<T, SCALE>(p, luma, norms + y * SHARPEN_PITCH, out, width);
        else
            gen6_detail_line<T, SCALE>(p, luma, out, width);
    }
    BARRIER();
    store_tile(p.plane, finished, SHARPEN_PITCH, x0, y0, width, height);
}
