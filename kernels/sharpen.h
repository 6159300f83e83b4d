// Image enhancement filter (IEF): video signal analysis and the detail or smooth filter on luma (seed 003:1641-1700,
// 3541-3668). The detail equations are lost; docs/fidelity.md gives the reconstruction that is written here.
//
// The manual's luma has 10 bits. 8-bit samples stay as they are here and every constant is divided by 4 instead, which
// is exact: SCALE is the number of bits between the samples and the manual's.
#pragma once
#include "scale.h"

enum { SHARPEN_WIDTH = ON_DEVICE(256, 64), SHARPEN_HEIGHT = 8 };

struct SharpenParams {
    SamplePlane plane;
    const u8* score;  // skin-tone score 0..31 per pixel, or null (seed 003:1685-1699)
    s32 score_pitch_B;
    s32 width, height;
    s32 r3x, r3c, r5x, r5cx, r5c;  // U0.5; the 3x3 ones negative if the filters are subtracted
    s32 gain;
    s32 strong_threshold, weak_threshold;
    s32 strong_weight, regular_weight, non_edge_weight;
    s32 smooth_threshold;  // largest difference, exclusive, that smooth mode averages
    s32 smooth;
    s32 narrow;  // 16 bits hold the weighted sum of differences of bytes
};
static_assert(sizeof(SharpenParams) == 128, "parameter layout");

enum { SHARPEN_PITCH = SHARPEN_WIDTH + 16, SHARPEN_ROWS = SHARPEN_HEIGHT + 4 };

// Phase: the tile and two samples around it, edges replicated, with so many bits more.
template <typename T, int SCALE = 0, typename Params, typename Luma>
FN void load_tile(const Params& p, s32 x0, s32 y0, s32 width, s32 height, Luma* tile) {
    const s32 left = clamp_to(2 - x0, 0, 2), right = clamp_to(p.width - x0 + 2, 0, width + 4);
    const s32 step = p.plane.src_step, shift = p.plane.src_shift, max = p.plane.src_max;
    FOR_LINES(r, height + 4) {
        const s64 row = clamp_to(y0 + r - 2, 0, p.height - 1);
        const T* __restrict__ in = (const T*)((const u8*)p.plane.src + row * p.plane.src_pitch_B);
        Luma* __restrict__ out = tile + r * SHARPEN_PITCH;
        const T* __restrict__ inside = in + (s64)(x0 - 2 + left) * step;
        if (step == 1) {
            FOR_LINE_OF(inside, i, right - left) out[left + i] = (Luma)(sample_of(inside[i], shift, max) << SCALE);
        } else {
            FOR_LINE(i, right - left) out[left + i] = (Luma)(sample_of(inside[(s64)i * step], shift, max) << SCALE);
        }
        const T last = in[(s64)(p.width - 1) * step];
        FOR_LINE(i, left) out[i] = (Luma)(sample_of(in[0], shift, max) << SCALE);
        FOR_LINE(i, width + 4 - right) out[right + i] = (Luma)(sample_of(last, shift, max) << SCALE);
    }
}

// From the manual's 10 bits back to the sample's depth.
template <int SCALE> FN s32 to_sample(s32 luma10, s32 max) {
    return min_of((clamp_to(luma10, 0, 1023) + (SCALE ? 2 : 0)) >> SCALE, max);
}

// (delta * (31 - score)) / 31, toward zero
FN s32 skin_tone_tuned(s32 delta, s32 score) { return delta * (31 - score) / 31; }

// One column of the 5x5 window, weighted and summed: what it contributes as the outermost column (x - 2 and x + 2), as
// the next one (x - 1 and x + 1) and as the middle one; and its part of the two Sobel filters.
template <typename O, typename C> struct ColumnSums {
    O outer[SHARPEN_HEIGHT * SHARPEN_PITCH];
    C inner[SHARPEN_HEIGHT * SHARPEN_PITCH];
    C middle[SHARPEN_HEIGHT * SHARPEN_PITCH];
    s16 down[SHARPEN_HEIGHT * SHARPEN_PITCH], across[SHARPEN_HEIGHT * SHARPEN_PITCH];
};

template <typename T, typename O, typename C>
FN void sum_columns(const SharpenParams& p, const T* tile, ColumnSums<O, C>& sums, s32 width, s32 height) {
    const C r3x = (C)p.r3x, r3c = (C)p.r3c, r5x = (C)p.r5x, r5cx = (C)p.r5cx, r5c = (C)p.r5c;
    FOR_LINES(y, height) {
        const T* __restrict__ row = tile + y * SHARPEN_PITCH;
        O* __restrict__ outer = sums.outer + y * SHARPEN_PITCH;
        C* __restrict__ inner = sums.inner + y * SHARPEN_PITCH;
        C* __restrict__ middle = sums.middle + y * SHARPEN_PITCH;
        s16* __restrict__ down = sums.down + y * SHARPEN_PITCH;
        s16* __restrict__ across = sums.across + y * SHARPEN_PITCH;
        FOR_LINE(x, width + 4) {
            const C above = (C)row[SHARPEN_PITCH + x], here = (C)row[2 * SHARPEN_PITCH + x];
            const C below = (C)row[3 * SHARPEN_PITCH + x];
            const C far = (C)((C)row[x] + (C)row[4 * SHARPEN_PITCH + x]), near = (C)(above + below);
            outer[x] = (O)((O)(r5x * far) + (O)((O)(r5cx * near) + (O)(r5c * here)));
            inner[x] = (C)((C)(r5cx * far) + (C)((C)(r3x * near) + (C)(r3c * here)));
            middle[x] = (C)((C)(r5c * far) + (C)(r3c * near));
            down[x] = (s16)(below - above);
            across[x] = (s16)((s16)near + (s16)(here + here));
        }
    }
}

// Phase: the detail filter on one line. With a score the change is scaled down where the skin tone is.
template <typename T, typename O, typename C, int SCALE, bool SCORED>
FN void detail_line(const SharpenParams& p, const T* __restrict__ luma, const ColumnSums<O, C>& sums, s32 line,
                    const u8* __restrict__ score, T* __restrict__ out, s32 count) {
    const O* __restrict__ outer = sums.outer + line * SHARPEN_PITCH;
    const C* __restrict__ inner = sums.inner + line * SHARPEN_PITCH;
    const C* __restrict__ middle = sums.middle + line * SHARPEN_PITCH;
    const s16* __restrict__ down = sums.down + line * SHARPEN_PITCH;
    const s16* __restrict__ across = sums.across + line * SHARPEN_PITCH;
    const s32 total = 4 * (p.r3x + p.r3c + p.r5x + p.r5c) + 8 * p.r5cx;
    const s32 strong_threshold = p.strong_threshold, weak_threshold = p.weak_threshold, max = p.plane.src_max;
    const s32 strong = p.strong_weight * p.gain, regular = p.regular_weight * p.gain, none = p.non_edge_weight * p.gain;
    FOR_LINE(x, count) {
        const s32 horizontal_edge = down[x + 1] + 2 * down[x + 2] + down[x + 3];
        const s32 vertical_edge = across[x + 3] - across[x + 1];
        const s32 sum = max_of(horizontal_edge, -horizontal_edge) + max_of(vertical_edge, -vertical_edge);
        const s32 edge_metric = min_of((sum + (4 >> SCALE)) >> (3 - SCALE), 63);
        const s32 weak_or_none = edge_metric > weak_threshold ? regular : none;
        const s32 factor = edge_metric > strong_threshold ? strong : weak_or_none;
        const s32 here = luma[x + 2];
        const s32 around = outer[x] + outer[x + 4] + inner[x + 1] + inner[x + 3] + middle[x + 2];
        s32 delta = ((here * total - around) * factor + (1 << (15 - SCALE))) >> (16 - SCALE);
        if constexpr (SCORED) delta = skin_tone_tuned(delta, score[x]);
        out[x] = (T)to_sample<SCALE>((here << SCALE) + delta, max);
    }
}

// Phase: the smooth filter on one line: neighbors that differ little are averaged in.
template <typename T, int SCALE>
FN void smooth_line(const SharpenParams& p, const T* __restrict__ luma, T* __restrict__ out, s32 count) {
    const s32 threshold = p.smooth_threshold, r3x = p.r3x, r3c = p.r3c, max = p.plane.src_max;
    FOR_LINE(x, count) {
        const s32 here = luma[x + 2];
        s32 sum = 0;
        UNROLL for (int dy = -1; dy <= 1; ++dy) {
            UNROLL for (int dx = -1; dx <= 1; ++dx) {
                const s32 difference = luma[dy * SHARPEN_PITCH + x + 2 + dx] - here;
                const s32 size = max_of(difference, -difference);
                sum += size < threshold ? difference * (dx && dy ? r3x : r3c) : 0;
            }
        }
        out[x] = (T)to_sample<SCALE>((here << SCALE) + ((sum + (64 >> SCALE)) >> (7 - SCALE)), max);
    }
}

// T: sample; O, C: column sums.
template <typename T, typename O, typename C, int SCALE> FN void sharpen_tile(const SharpenParams& p, s32 tile_x, s32 tile_y) {
    SHARED T tile[SHARPEN_ROWS * SHARPEN_PITCH];
    SHARED ColumnSums<O, C> sums;
    SHARED T finished[SHARPEN_HEIGHT * SHARPEN_PITCH];
    const s32 x0 = tile_x * SHARPEN_WIDTH, y0 = tile_y * SHARPEN_HEIGHT;
    const s32 width = min_of<s32>(SHARPEN_WIDTH, p.width - x0), height = min_of<s32>(SHARPEN_HEIGHT, p.height - y0);
    load_tile<T>(p, x0, y0, width, height, tile);
    BARRIER();
    if (!p.smooth) sum_columns(p, tile, sums, width, height);
    BARRIER();
    FOR_LINES(y, height) {
        const T* luma = tile + (y + 2) * SHARPEN_PITCH;
        T* out = finished + y * SHARPEN_PITCH;
        const u8* score = p.score ? p.score + (s64)(y0 + y) * p.score_pitch_B + x0 : nullptr;
        if (p.smooth)
            smooth_line<T, SCALE>(p, luma, out, width);
        else if (score)
            detail_line<T, O, C, SCALE, true>(p, luma, sums, y, score, out, width);
        else
            detail_line<T, O, C, SCALE, false>(p, luma, sums, y, score, out, width);
    }
    BARRIER();
    store_tile(p.plane, finished, SHARPEN_PITCH, x0, y0, width, height);
}
