// The luma of a field with longer filters (texsamp's own, docs/deinterlace.md (32) to (36)): where the hardware averages
// two samples in space or in time, six lines of the field and five lines of the frames before and after take part, and
// the motion measure chooses among 16 sets of coefficients.
#pragma once
#include "deinterlace_luma.h"

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

enum { HQ_ROWS = ANGLE_LINES + 4, HQ_LINE = ANGLE_LINES * ANGLE_WIDTH };

template <typename T> struct HqScratch {
    MissingRows<T> result;               // before it is mixed with the samples along the angle
    T outer[2][2][ANGLE_WIDTH];          // even and odd columns of the lines 5 above the first and 5 below the last
    T frames[2][2][HQ_ROWS * ANGLE_WIDTH];  // both frames' lines of the missing parity; missing line i is row i + 2
    u8 step[HQ_LINE], weights[HQ_WEIGHTS][HQ_LINE];
};

// Lines of one column parity around a missing line, by their distance.
template <typename T> struct HqLines {
    const T *up5, *up3, *up1, *down1, *down3, *down5;
    const T* time[2][5];  // 4 above to 4 below, of the frame of the field and of the other one
};

template <typename T>
FN HqLines<T> hq_lines(const HqScratch<T>& s, const FieldRows<T>& field, s32 i, s32 lines, s32 column) {
    HqLines<T> at;
    at.up5 = i > 0 ? field.at(i - 1, column) : s.outer[0][column];
    at.up3 = field.at(i, column);
    at.up1 = field.at(i + 1, column);
    at.down1 = field.at(i + 2, column);
    at.down3 = field.at(i + 3, column);
    at.down5 = i + 1 < lines ? field.at(i + 4, column) : s.outer[1][column];
    for (s32 frame = 0; frame < 2; ++frame)
        for (s32 n = 0; n < 5; ++n) at.time[frame][n] = s.frames[frame][column] + (i + n) * ANGLE_WIDTH;
    return at;
}

// Phase: one column parity of a line, in space and time, no further than its four nearest samples.
template <typename T>
FN void filter_in_time(const HqLines<T>& at, const HqScratch<T>& s, s32 start, T* __restrict__ out) {
    const T* __restrict__ up5 = at.up5;
    const T* __restrict__ up3 = at.up3;
    const T* __restrict__ up1 = at.up1;
    const T* __restrict__ down1 = at.down1;
    const T* __restrict__ down3 = at.down3;
    const T* __restrict__ down5 = at.down5;
    const T* __restrict__ c0 = at.time[0][0];
    const T* __restrict__ c1 = at.time[0][1];
    const T* __restrict__ c2 = at.time[0][2];
    const T* __restrict__ c3 = at.time[0][3];
    const T* __restrict__ c4 = at.time[0][4];
    const T* __restrict__ r0 = at.time[1][0];
    const T* __restrict__ r1 = at.time[1][1];
    const T* __restrict__ r2 = at.time[1][2];
    const T* __restrict__ r3 = at.time[1][3];
    const T* __restrict__ r4 = at.time[1][4];
    const u8* __restrict__ w3 = s.weights[0] + start;
    const u8* __restrict__ w5 = s.weights[1] + start;
    const u8* __restrict__ t0 = s.weights[2] + start;
    const u8* __restrict__ t2 = s.weights[3] + start;
    const u8* __restrict__ t4 = s.weights[4] + start;
    FOR_LINE(k, ANGLE_WIDTH) {
        const s16 near = (s16)(up1[k] + down1[k]), twice = (s16)(2 * near);
        const s16 d3 = (s16)((s16)(up3[k] + down3[k]) - near), d5 = (s16)((s16)(up5[k] + down5[k]) - near);
        const s16 e0 = (s16)((s16)(c2[k] + r2[k]) - near);
        const s16 e2 = (s16)((s16)((s16)(c1[k] + c3[k]) + (s16)(r1[k] + r3[k])) - twice);
        const s16 e4 = (s16)((s16)((s16)(c0[k] + c4[k]) + (s16)(r0[k] + r4[k])) - twice);
        const s32 sum = 128 * near + d3 * (s16)(w3[k] - HQ_BIAS) + d5 * (s16)(w5[k] - HQ_BIAS) +
                        e0 * (s16)(t0[k] - HQ_BIAS) + e2 * (s16)(t2[k] - HQ_BIAS) + e4 * (s16)(t4[k] - HQ_BIAS);
        const T low = min_of(min_of(up1[k], down1[k]), min_of(c2[k], r2[k]));
        const T high = max_of(max_of(up1[k], down1[k]), max_of(c2[k], r2[k]));
        out[k] = (T)clamp_to((s16)((sum + 128) >> 8), (s16)low, (s16)high);
    }
}

// Phase: the same without another frame.
template <typename T> FN void filter_alone(const HqLines<T>& at, T* __restrict__ out) {
    const T* __restrict__ up5 = at.up5;
    const T* __restrict__ up3 = at.up3;
    const T* __restrict__ up1 = at.up1;
    const T* __restrict__ down1 = at.down1;
    const T* __restrict__ down3 = at.down3;
    const T* __restrict__ down5 = at.down5;
    FOR_LINE(k, ANGLE_WIDTH) {
        const s32 sum = (128 - HQ_ALONE_3 - HQ_ALONE_5) * (up1[k] + down1[k]) + HQ_ALONE_3 * (up3[k] + down3[k]) +
                        HQ_ALONE_5 * (up5[k] + down5[k]);
        const T low = min_of(min_of(up1[k], down1[k]), min_of(up3[k], down3[k]));
        const T high = max_of(max_of(up1[k], down1[k]), max_of(up3[k], down3[k]));
        out[k] = (T)clamp_to((s16)((sum + 128) >> 8), (s16)low, (s16)high);
    }
}

// Phase: where there is an angle and it is not still, a quarter of the result is the mean along the angle.
template <typename T>
FN void mix_angled(const s8* __restrict__ angles, const u8* __restrict__ step, const T* __restrict__ filtered,
                   T* __restrict__ out) {
    FOR_LINE(k, ANGLE_WIDTH) {
        const T mask = (T)((angles[k] != 0) & (step[k] != 0) ? ~0 : 0);
        const T mixed = (T)((u16)((u16)(3 * filtered[k]) + (u16)(out[k] + 2)) >> 2);
        out[k] = pick(mask, mixed, filtered[k]);
    }
}

struct Hq {
    enum { BLENDS = 0, ALWAYS_OURS = 1 };
    template <typename T> using Scratch = HqScratch<T>;

    template <typename T>
    FN_MEMBER void load(Scratch<T>& s, const DeinterlaceLumaParams& p, s32 first, s32 y0, s32 lines) const {
        FOR_LINES(i, 2) {
            const s32 line = line_in_picture(i ? y0 + 2 * (lines - 1) + 5 : y0 - 5, p.height);
            load_pairs(p.current, line, p.width, first - 2, ANGLE_WIDTH, s.outer[i][0], s.outer[i][1]);
        }
        if (p.reference.data == nullptr) return;
        FOR_LINES(i, lines + 4) {
            const s32 line = line_in_picture(y0 + 2 * i - 4, p.height), at = i * ANGLE_WIDTH;
            load_pairs(p.current, line, p.width, first - 2, ANGLE_WIDTH, s.frames[0][0] + at, s.frames[0][1] + at);
            load_pairs(p.reference, line, p.width, first - 2, ANGLE_WIDTH, s.frames[1][0] + at, s.frames[1][1] + at);
        }
    }

    template <typename T>
    FN_MEMBER void apply(Scratch<T>& s, const DeinterlaceLumaParams& p, const FieldRows<T>& field, const AngleCosts&,
                         const s8* angles, const u32*, const u8* stmm, MissingRows<T>& result, s32 lines) const {
        const bool temporal = p.reference.data != nullptr;
        FOR_LINES(i, lines) {
            const u8* __restrict__ in = stmm + i * ANGLE_PITCH + ANGLE_SPARE;
            u8* __restrict__ out = s.step + i * ANGLE_WIDTH;
            if (temporal) {
                FOR_LINE(k, ANGLE_WIDTH) out[k] = (u8)(max_of(max_of(in[k - 1], in[k]), in[k + 1]) >> 4);
            } else {
                FOR_LINE(k, ANGLE_WIDTH) out[k] = HQ_STEPS - 1;
            }
        }
        BARRIER();
        if (temporal) {
            FOR_ITEMS(n, HQ_WEIGHTS * (HQ_LINE / 16)) {
                const s32 weight = n / (HQ_LINE / 16), at = n % (HQ_LINE / 16) * 16;
                if (at < lines * ANGLE_WIDTH) look_up_16(HQ_TABLE[weight], s.step + at, s.weights[weight] + at);
            }
            BARRIER();
        }
        FOR_LINES(i, lines) {
            for (s32 column = 0; column < 2; ++column) {
                const HqLines<T> at = hq_lines(s, field, i, lines, column);
                T* out = (column ? s.result.odd : s.result.even) + i * ANGLE_WIDTH;
                if (temporal)
                    filter_in_time(at, s, i * ANGLE_WIDTH, out);
                else
                    filter_alone(at, out);
            }
        }
        BARRIER();
        FOR_LINES(i, lines) {
            const s32 at = i * ANGLE_WIDTH;
            mix_angled(angles + i * ANGLE_PITCH, s.step + at, s.result.even + at, result.even + at);
            mix_angled(angles + i * ANGLE_PITCH, s.step + at, s.result.odd + at, result.odd + at);
        }
        BARRIER();
    }
};

template <typename T> FN void deinterlace_hq_tile(const DeinterlaceLumaParams& p, s32 tile_x, s32 tile_y) {
    luma_tile<T>(p, Hq(), tile_x, tile_y);
}
