// Procamp and color space conversion of the color pipe (seed 003:6742-6806). docs/color.md.
#pragma once
#include "portable.h"

struct ColorProcamp {
    s32 enable;
    s32 contrast;      // U4.7
    s32 brightness;    // 12-bit steps
    s32 cos_hue, sin_hue;  // S7.8, times contrast and saturation
    s32 pad_;
};
static_assert(sizeof(ColorProcamp) == 24, "parameter layout");

struct ColorMatrix {
    s32 enable;
    s32 shift;                          // fraction bits of the coefficients: the state's have 10
    s32 coefficients[9];                // row by row, below 4
    s32 offsets_in[3], offsets_out[3];  // 12-bit steps
    s32 pad_;
};
static_assert(sizeof(ColorMatrix) == 72, "parameter layout");

FN s32 procamp_luma(const ColorProcamp& c, s32 y) {
    return clamp_to(((y - 256) * c.contrast >> 7) + c.brightness + 256, 0, 4095);
}

FN s32 procamp_u(const ColorProcamp& c, s32 u, s32 v) {
    return clamp_to((((u - 2048) * c.cos_hue + (v - 2048) * c.sin_hue) >> 8) + 2048, 0, 4095);
}

FN s32 procamp_v(const ColorProcamp& c, s32 u, s32 v) {
    return clamp_to((((v - 2048) * c.cos_hue - (u - 2048) * c.sin_hue) >> 8) + 2048, 0, 4095);
}

template <int ROW> FN s32 converted(const ColorMatrix& m, s32 a, s32 b, s32 c) {
    const s32 of_chroma = m.coefficients[3 * ROW + 1] * (b + m.offsets_in[1]) + m.coefficients[3 * ROW + 2] * (c + m.offsets_in[2]);
    const s32 sum = of_chroma + m.coefficients[3 * ROW] * (a + m.offsets_in[0]);
    return clamp_to((sum >> m.shift) + m.offsets_out[ROW], 0, 4095);
}
