// Total color control and the contrast curve of the color pipe (seed 003:6541-6740, 7547-7718). docs/color.md.
#pragma once
#include "magnitude.h"

struct ColorControl {
    s32 enable;
    s32 factors[6];           // U1.7
    s32 bases[6], slopes[6];  // 1/1024 turns, U0.16
    s32 offsets[6];           // of the lines that the weight of a next color is, 16 fraction bits
    s32 threshold, threshold_bits;
    s32 skin_threshold, skin_scale;  // scale: 8 * 2^slope bits
    s32 max_color, inverse_max;      // U0.16
    s32 pad_;
};
static_assert(sizeof(ColorControl) == 128, "parameter layout");

struct ColorContrast {
    s32 enable;
    s32 points[12];   // 12 bits
    s32 offsets[11];  // of the lines through the points, 10 fraction bits
    s32 slopes[11];   // U1.10
    s32 pad_;
};
static_assert(sizeof(ColorContrast) == 144, "parameter layout");

// arctan(x) = -0.2880 x^2 + 1.0797 x - 0.005 (6616) in 1/1024 turns with 12 fraction bits
enum { ARCTAN_QUADRATIC = 192253, ARCTAN_LINEAR = 720747, ARCTAN_CONSTANT = 3338 };

// Hue angle of a chroma vector, 0..1023, from +U toward +V (6612-6622). Components below 2^13.
FN s32 hue_angle(s32 u, s32 v) {
    const s32 au = magnitude_of(u), av = magnitude_of(v);
    const s32 small = min_of(au, av), large = max_of(max_of(au, av), 1);
    const s32 x = (s32)((float)(small * 1024) / (float)large);  // exact: the quotient has 10 bits
    const s32 octant = max_of(((ARCTAN_LINEAR - (ARCTAN_QUADRATIC * x >> 10)) * x >> 10) - ARCTAN_CONSTANT, 0);
    const s32 quadrant = av > au ? (1 << 20) - octant : octant;
    const s32 half = u < 0 ? (1 << 21) - quadrant : quadrant;
    return ((v < 0 ? (1 << 22) - half : half) >> 12) & 1023;
}

// What U and V are multiplied by, in 1/128 (6624-6710). u and v: 10 bits, signed.
FN s32 saturation_factor(const ColorControl& c, s32 u, s32 v, s32 score) {
    const s32 angle = hue_angle(u, v);
    s32 slope = c.slopes[5], offset = c.offsets[5] + 1024 * c.slopes[5];  // below all bases: behind the last, a turn on
    s32 from = c.factors[5], to = c.factors[0];
    UNROLL for (int i = 0; i < 6; ++i) {
        const bool reached = c.bases[i] <= angle;
        slope = reached ? c.slopes[i] : slope;
        offset = reached ? c.offsets[i] : offset;
        from = reached ? c.factors[i] : from;
        to = reached ? c.factors[i == 5 ? 0 : i + 1] : to;
    }
    const s32 alpha = clamp_to(angle * slope + offset, 0, 65536) >> 8;
    const s32 interpolated = ((256 - alpha) * from + alpha * to) >> 8;
    const s32 largest = max_of(magnitude_of(u), magnitude_of(v));
    const s32 room = min_of(max_of(c.max_color - largest, 0) * c.inverse_max >> 8, 256);
    const s32 not_over = largest > c.max_color ? 128 : 128 + ((interpolated - 128) * room >> 8);
    const s32 limited = interpolated <= 128 ? interpolated : not_over;
    const s32 above = clamp_to(largest - c.threshold, 0, 1 << c.threshold_bits);
    const s32 not_gray = limited <= 128 ? limited : 128 + ((limited - 128) * above >> c.threshold_bits);
    const s32 skin = clamp_to((score - c.skin_threshold) * c.skin_scale, 0, 255);
    return (128 * skin + (256 - skin) * not_gray) >> 8;
}

FN s32 color_controlled(s32 component, s32 factor) { return clamp_to((component * factor >> 7) + 512, 0, 1023) * 4; }

// A segment of the contrast curve, and the next one from where it begins.
struct ContrastSegment {
    s32 offset, slope;
};

FN ContrastSegment later(const ColorContrast& c, ContrastSegment at, s32 y, int next) {
    const bool reached = y >= c.points[next];
    return {reached ? c.offsets[next] : at.offset, reached ? c.slopes[next] : at.slope};
}

FN s32 contrasted(const ColorContrast& c, s32 y) {
    ContrastSegment at = {c.offsets[0], c.slopes[0]};
    UNROLL for (int i = 1; i < 6; ++i) at = later(c, at, y, i);
    UNROLL for (int i = 6; i < 11; ++i) at = later(c, at, y, i);
    const s32 curve = clamp_to((at.slope * y + at.offset) >> 10, 0, 4095);
    return (y < c.points[0]) | (y >= c.points[11]) ? y : curve;
}
