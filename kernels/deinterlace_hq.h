// The luma of a field with longer filters (texsamp's own, docs/deinterlace-hq.md (32) to (36)): where the hardware
// averages two samples in space or in time, six lines of the field and five lines of the frames before and after take
// part, and the motion measure chooses among 16 sets of coefficients.
#pragma once
#include "deinterlace_limits.h"

enum { HQ_STEPS = 16, HQ_WEIGHTS = 5, HQ_BIAS = 64 };

// Weights in 1/256, plus HQ_BIAS so that bytes hold them, by STMM3 / 16 (0: still). The nearest two lines of the field
// have what is left of 128.
TABLE u8 HQ_TABLE[HQ_WEIGHTS][HQ_STEPS] = {
    // 3 lines away, of the field
    {64, 87, 81, 73, 71, 66, 56, 53, 48, 44, 40, 37, 34, 34, 33, 35},
    // 5 lines away
    {64, 66, 64, 63, 63, 61, 59, 60, 62, 64, 66, 68, 70, 69, 70, 70},
    // the line itself, before and after
    {192, 152, 143, 142, 135, 127, 115, 108, 103, 96, 87, 83, 76, 75, 70, 66},
    // 2 lines away, before and after
    {64, 41, 38, 40, 38, 36, 38, 39, 40, 43, 49, 51, 55, 56, 60, 62},
    // 4 lines away, before and after
    {64, 60, 63, 65, 66, 69, 73, 73, 72, 71, 70, 68, 67, 67, 65, 65},
};
enum { HQ_ALONE_3 = -30, HQ_ALONE_5 = 6 };  // weights without another frame

enum { LONG_FILTERED = ON_DEVICE(256, 64), LONG_FILTERED_LINES = 8 };  // of a tile
enum { LONG_FILTERED_PAIRS = LONG_FILTERED / 2, HQ_SPARE = 8, HQ_PITCH = LONG_FILTERED_PAIRS + 2 * HQ_SPARE };

template <typename T> struct HqScratch {
    T field[(LONG_FILTERED_LINES + 5) * LONG_FILTERED];      // missing line i lies between rows i + 2 and i + 3
    T frames[2][(LONG_FILTERED_LINES + 4) * LONG_FILTERED];  // both frames' lines of the missing parity; missing line i is row i + 2
    T made[LONG_FILTERED_LINES * LONG_FILTERED];
    u8 stmm[LONG_FILTERED_LINES * HQ_PITCH];
    u8 step[LONG_FILTERED_LINES * LONG_FILTERED], weights[HQ_WEIGHTS][LONG_FILTERED_LINES * LONG_FILTERED];
};

// Phase: a line, in space and time, no further than its four nearest samples.
template <typename T> FN void filter_in_time(const HqScratch<T>& s, s32 i, s32 count, T* __restrict__ made) {
    const s32 start = i * LONG_FILTERED;
    const T* __restrict__ up5 = s.field + start;
    const T* __restrict__ up3 = s.field + start + 1 * LONG_FILTERED;
    const T* __restrict__ up1 = s.field + start + 2 * LONG_FILTERED;
    const T* __restrict__ down1 = s.field + start + 3 * LONG_FILTERED;
    const T* __restrict__ down3 = s.field + start + 4 * LONG_FILTERED;
    const T* __restrict__ down5 = s.field + start + 5 * LONG_FILTERED;
    const T* __restrict__ c0 = s.frames[0] + start;
    const T* __restrict__ c1 = s.frames[0] + start + 1 * LONG_FILTERED;
    const T* __restrict__ c2 = s.frames[0] + start + 2 * LONG_FILTERED;
    const T* __restrict__ c3 = s.frames[0] + start + 3 * LONG_FILTERED;
    const T* __restrict__ c4 = s.frames[0] + start + 4 * LONG_FILTERED;
    const T* __restrict__ r0 = s.frames[1] + start;
    const T* __restrict__ r1 = s.frames[1] + start + 1 * LONG_FILTERED;
    const T* __restrict__ r2 = s.frames[1] + start + 2 * LONG_FILTERED;
    const T* __restrict__ r3 = s.frames[1] + start + 3 * LONG_FILTERED;
    const T* __restrict__ r4 = s.frames[1] + start + 4 * LONG_FILTERED;
    const u8* __restrict__ w3 = s.weights[0] + start;
    const u8* __restrict__ w5 = s.weights[1] + start;
    const u8* __restrict__ t0 = s.weights[2] + start;
    const u8* __restrict__ t2 = s.weights[3] + start;
    const u8* __restrict__ t4 = s.weights[4] + start;
    FOR_LINE(k, count) {
        const s16 near = (s16)(up1[k] + down1[k]), twice = (s16)(2 * near);
        const s16 d3 = (s16)((s16)(up3[k] + down3[k]) - near), d5 = (s16)((s16)(up5[k] + down5[k]) - near);
        const s16 e0 = (s16)((s16)(c2[k] + r2[k]) - near);
        const s16 e2 = (s16)((s16)((s16)(c1[k] + c3[k]) + (s16)(r1[k] + r3[k])) - twice);
        const s16 e4 = (s16)((s16)((s16)(c0[k] + c4[k]) + (s16)(r0[k] + r4[k])) - twice);
        const s32 sum = 128 * near + d3 * (s16)(w3[k] - HQ_BIAS) + d5 * (s16)(w5[k] - HQ_BIAS) +
                        e0 * (s16)(t0[k] - HQ_BIAS) + e2 * (s16)(t2[k] - HQ_BIAS) + e4 * (s16)(t4[k] - HQ_BIAS);
        const T low = min_of(min_of(up1[k], down1[k]), min_of(c2[k], r2[k]));
        const T high = max_of(max_of(up1[k], down1[k]), max_of(c2[k], r2[k]));
        made[k] = (T)clamp_to((s16)((sum + 128) >> 8), (s16)low, (s16)high);
    }
}

// Phase: the same without another frame.
template <typename T> FN void filter_alone(const HqScratch<T>& s, s32 i, s32 count, T* __restrict__ made) {
    const T* __restrict__ up5 = s.field + i * LONG_FILTERED;
    const T* __restrict__ up3 = s.field + i * LONG_FILTERED + 1 * LONG_FILTERED;
    const T* __restrict__ up1 = s.field + i * LONG_FILTERED + 2 * LONG_FILTERED;
    const T* __restrict__ down1 = s.field + i * LONG_FILTERED + 3 * LONG_FILTERED;
    const T* __restrict__ down3 = s.field + i * LONG_FILTERED + 4 * LONG_FILTERED;
    const T* __restrict__ down5 = s.field + i * LONG_FILTERED + 5 * LONG_FILTERED;
    FOR_LINE(k, count) {
        const s32 sum = (128 - HQ_ALONE_3 - HQ_ALONE_5) * (up1[k] + down1[k]) + HQ_ALONE_3 * (up3[k] + down3[k]) +
                        HQ_ALONE_5 * (up5[k] + down5[k]);
        const T low = min_of(min_of(up1[k], down1[k]), min_of(up3[k], down3[k]));
        const T high = max_of(max_of(up1[k], down1[k]), max_of(up3[k], down3[k]));
        made[k] = (T)clamp_to((s16)((sum + 128) >> 8), (s16)low, (s16)high);
    }
}

// Phase: which of the sets each sample of a line takes, from the STMM of its pair and those beside it.
template <typename T> FN void choose_sets(HqScratch<T>& s, s32 i) {
    const u8* __restrict__ in = s.stmm + i * HQ_PITCH + HQ_SPARE;
    u8* __restrict__ out = s.step + i * LONG_FILTERED;
    FOR_LINE(k, LONG_FILTERED_PAIRS) {
        const u8 step = (u8)(max_of(max_of(in[k - 1], in[k]), in[k + 1]) >> 4);
        out[2 * k] = step;
        out[2 * k + 1] = step;
    }
}

template <typename T, bool LIMITED> FN void long_filtered_tile(const DeinterlaceLumaParams& p, s32 tile_x, s32 tile_y) {
    SHARED HqScratch<T> s;
    const s32 first = tile_x * LONG_FILTERED, count = min_of<s32>(LONG_FILTERED, p.width - first);
    const s32 line0 = tile_y * LONG_FILTERED_LINES, y0 = 2 * line0 + 1 - p.parity;
    const s32 lines = clamp_to((p.height - y0 + 1) >> 1, 0, (s32)LONG_FILTERED_LINES);
    const bool temporal = p.reference.data != nullptr;
    FOR_LINES(i, LONG_FILTERED_LINES) {
        const s32 line = 2 * (line0 + i) + p.parity;
        if (line < p.height) copy_samples<T>(p.current, p.current.step, p.target, p.target.step, line, first, count);
    }
    FOR_LINES(i, lines + 5)
        load_or_zero(p.current, line_in_picture(y0 + 2 * i - 5, p.height), p.width, first, s.field + i * LONG_FILTERED, LONG_FILTERED);
    if (temporal) {
        FOR_LINES(i, lines + 4) {
            const s32 line = line_in_picture(y0 + 2 * i - 4, p.height), at = i * LONG_FILTERED;
            load_or_zero(p.current, line, p.width, first, s.frames[0] + at, LONG_FILTERED);
            load_or_zero(p.reference, line, p.width, first, s.frames[1] + at, LONG_FILTERED);
        }
        FOR_LINES(i, lines) {
            const u8* stmm = p.stmm + (s64)(y0 + 2 * i) * p.stmm_pitch_B;
            load_bytes(stmm, first / 2 - 1, (p.width + 1) / 2, s.stmm + i * HQ_PITCH + HQ_SPARE - 1, LONG_FILTERED_PAIRS + 2);
        }
    }
    BARRIER();
    if (temporal) {
        FOR_LINES(i, lines) choose_sets(s, i);
        BARRIER();
        FOR_ITEMS(n, HQ_WEIGHTS * (lines * LONG_FILTERED / 16)) {
            const s32 weight = n % HQ_WEIGHTS, at = n / HQ_WEIGHTS * 16;
            look_up_16(HQ_TABLE[weight], s.step + at, s.weights[weight] + at);
        }
        BARRIER();
    }
    FOR_LINES(i, lines) {
        const s32 step = p.target.step, shift = p.target.shift;
        T* __restrict__ out = row_of<T>(p.target, y0 + 2 * i) + (s64)first * step;
        T* __restrict__ made = s.made + i * LONG_FILTERED;
        if (temporal)
            filter_in_time(s, i, count, made);
        else
            filter_alone(s, i, count, made);
        if (step == 1) {
            FOR_LINE(k, count) out[k] = element_of(made[k], shift);
            if (LIMITED && temporal) limit_samples<T, false>(p, y0 + 2 * i, first, count);
        } else {
            FOR_LINE(k, count) out[(s64)k * step] = element_of(made[k], shift);
            if (LIMITED && temporal) limit_samples<T, true>(p, y0 + 2 * i, first, count);
        }
    }
}
