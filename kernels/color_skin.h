// Skin tone detection and enhancement of the color pipe (seed 003:6160-6539). docs/color.md has the definitions.
// Luma and chroma are 12-bit samples: 8-bit units with 4 fraction bits.
#pragma once
#include "magnitude.h"

struct ColorSkin {
    s32 detect, enhance, output_scores;  // the three switches of dword 0
    s32 u_mid, v_mid;                    // 4 fraction bits
    s32 cos_alpha, sin_alpha;            // S0.7
    s32 sat_max, hue_max, margin_shift;  // maxima with 11 fraction bits
    s32 diamond_du, diamond_dv;          // 11 fraction bits
    s32 diamond_alpha;                   // U2.6
    s32 diamond_threshold, diamond_shift;  // threshold with 17 fraction bits
    s32 y_points[4];                       // 4 fraction bits
    s32 y_slopes[2];                       // U2.3
    s32 vy_enable;
    s32 vy_points[8], vy_biases[8], vy_slopes[8];  // lower curve, then upper; 4 fraction bits, S2.8
    s32 vy_inverses[2];                            // U0.16
    s32 types, type_low, type_high, type_inverse;  // bright and dark skin; luma with 4 fraction bits, U0.16
    s32 curve_points[12];                          // [bright sat, bright hue, dark sat, dark hue][3], 11 fraction bits
    s32 curve_biases[16];                          // [the same][4], 19 fraction bits
    s32 curve_slopes[16];                          // U3.8
    s32 score_mode, dark_mode;                     // of pairs that share chroma: 0 minimum, 1 maximum, 2 average
    s32 pad_;
};
static_assert(sizeof(ColorSkin) == 396, "parameter layout");


struct SatHue {
    s32 sat, hue;  // 11 fraction bits
};

// Shift to the middle of the skin and turn (6178-6188).
FN SatHue turned(const ColorSkin& s, s32 u, s32 v) {
    const s32 uc = u - s.u_mid, vc = v - s.v_mid;
    return {vc * s.sin_alpha - uc * s.cos_alpha, -(uc * s.sin_alpha + vc * s.cos_alpha)};
}

FN s32 rectangle_factor(const ColorSkin& s, SatHue at) {
    const s32 inside = min_of((s.sat_max << 11) - magnitude_of(at.sat), (s.hue_max << 11) - magnitude_of(at.hue));
    return clamp_to(inside >> s.margin_shift, 0, 31);
}

FN s32 rhombus_factor(const ColorSkin& s, SatHue at) {
    const s32 distance = magnitude_of(at.sat - s.diamond_du) * 64 + s.diamond_alpha * magnitude_of(at.hue - s.diamond_dv);
    return clamp_to((s.diamond_threshold - distance) >> s.diamond_shift, 0, 31);
}

// Membership of a luma (6271-6283); where the points fall, the first of the printed intervals counts.
FN s32 luma_factor(const ColorSkin& s, s32 y) {
    const s32 rising = (y - s.y_points[0]) * s.y_slopes[0] >> 7, falling = (s.y_points[3] - y) * s.y_slopes[1] >> 7;
    s32 factor = (y >= s.y_points[2]) & (y < s.y_points[3]) ? falling : 0;
    factor = (y >= s.y_points[1]) & (y < s.y_points[2]) ? 31 : factor;
    factor = (y >= s.y_points[0]) & (y < s.y_points[1]) ? rising : factor;
    return clamp_to(factor, 0, 31);
}

// V of one of the two curves at a luma (6295-6310), 4 fraction bits.
template <int CURVE> FN s32 vy_curve(const ColorSkin& s, s32 y) {
    s32 point = s.vy_points[4 * CURVE], bias = s.vy_biases[4 * CURVE], slope = s.vy_slopes[4 * CURVE];
    UNROLL for (int i = 1; i < 4; ++i) {
        const bool reached = y >= s.vy_points[4 * CURVE + i];
        point = reached ? s.vy_points[4 * CURVE + i] : point;
        bias = reached ? s.vy_biases[4 * CURVE + i] : bias;
        slope = reached ? s.vy_slopes[4 * CURVE + i] : slope;
    }
    return bias + (slope * (y - point) >> 8);
}

FN s32 vy_factor(const ColorSkin& s, s32 y, s32 v) {
    const s32 above = (v - vy_curve<0>(s, y)) * s.vy_inverses[0] >> 15;
    const s32 below = (vy_curve<1>(s, y) - v) * s.vy_inverses[1] >> 15;
    return clamp_to(min_of(above, below), 0, 31);
}

// Score 0..31 of one pixel.
FN s32 skin_score(const ColorSkin& s, s32 y, s32 u, s32 v) {
    const SatHue at = turned(s, u, v);
    const s32 uv = min_of(rectangle_factor(s, at), rhombus_factor(s, at));
    const s32 in_luma = min_of(uv, luma_factor(s, y));
    return s.vy_enable ? min_of(in_luma, vy_factor(s, y, v)) : in_luma;
}

// How dark the skin is, 0..256 (6459-6477).
FN s32 dark_membership(const ColorSkin& s, s32 y) {
    const s32 between = clamp_to((s.type_high - y) * s.type_inverse >> 12, 0, 256);
    return y < s.type_low ? 256 : (y > s.type_high ? 0 : between);
}

FN s32 combined(s32 mode, s32 a, s32 b) { return mode == 0 ? min_of(a, b) : (mode == 1 ? max_of(a, b) : (a + b) >> 1); }

// One of the four curves (6351-6437), 11 fraction bits in and out.
template <int CURVE> FN s32 skin_curve(const ColorSkin& s, s32 at) {
    s32 point = -((CURVE & 1 ? s.hue_max : s.sat_max) << 11), bias = point * 256, slope = s.curve_slopes[4 * CURVE];
    UNROLL for (int i = 1; i < 4; ++i) {
        const bool reached = at >= s.curve_points[3 * CURVE + i - 1];
        point = reached ? s.curve_points[3 * CURVE + i - 1] : point;
        bias = reached ? s.curve_biases[4 * CURVE + i] : bias;
        slope = reached ? s.curve_slopes[4 * CURVE + i] : slope;
    }
    return (bias + slope * (at - point)) >> 8;
}

struct Chroma {
    s32 u, v;
};

FN Chroma enhanced(const ColorSkin& s, s32 u, s32 v, s32 score, s32 dark) {
    const SatHue at = turned(s, u, v);
    const s32 sat = clamp_to(at.sat, -(64 << 11), 64 << 11), hue = clamp_to(at.hue, -(64 << 11), 64 << 11);
    s32 sat_new = skin_curve<0>(s, sat), hue_new = skin_curve<1>(s, hue);
    if (s.types) {
        sat_new = (dark * skin_curve<2>(s, sat) + (256 - dark) * sat_new) >> 8;
        hue_new = (dark * skin_curve<3>(s, hue) + (256 - dark) * hue_new) >> 8;
    }
    const s32 u_new = (-(sat_new * s.cos_alpha + hue_new * s.sin_alpha) >> 14) + s.u_mid;
    const s32 v_new = ((sat_new * s.sin_alpha - hue_new * s.cos_alpha) >> 14) + s.v_mid;
    return {clamp_to(u + ((u_new - u) * score >> 5), 0, 4095), clamp_to(v + ((v_new - v) * score >> 5), 0, 4095)};
}
