// Total color control and the contrast curve where pairs of pixels share their chroma (color_pairs.h): of several lines the
// one that counts is looked up by how many of their beginnings a value has reached.
#pragma once
#include "color_pairs_state.h"

// What is below the beginnings of `count` lines as they count: the last one that is reached does.
FN void put_below(s16* below, const s32* begins, s32 count) {
    s32 least = 1 << 14;
    for (s32 i = count - 1; i >= 0; --i) {
        least = min_of(least, begins[i]);
        below[i] = (s16)(least - 1);
    }
}

// Which line counts for some values.
template <int COUNT> FN void find_lines(const s16* __restrict__ below, const s16* __restrict__ values, u8* __restrict__ lines, s32 count) {
    FOR_LINE(k, count) {
        s16 reached = 0;  // counted down, as conditions of vectors are -1
        UNROLL for (s32 i = 0; i < COUNT / 2; ++i) reached = (s16)(reached + (values[k] > below[i] ? (s16)-1 : (s16)0));
        UNROLL for (s32 i = COUNT / 2; i < COUNT; ++i) reached = (s16)(reached + (values[k] > below[i] ? (s16)-1 : (s16)0));
        lines[k] = (u8)-reached;
    }
}
FN void look_up_lines(const u8* table, const u8* lines, u8* found, s32 count) {
    for (s32 k = 0; k < count; k += 16) look_up_16(table, lines + k, found + k);
}

struct CurveTables {
    alignas(16) u8 point[16], bias[16], slope[2][16];  // in 8 bits; four times the slope as two bytes
    s16 below[10];
};

FN CurveTables curve_tables(const ColorContrast& c) {
    CurveTables made = {};
    for (s32 i = 0; i < 11; ++i) {
        made.point[i] = (u8)(c.points[i] >> 4);
        made.bias[i] = (u8)((c.offsets[i] + c.slopes[i] * c.points[i]) >> 14);
        made.slope[0][i] = (u8)(c.slopes[i] << 2);
        made.slope[1][i] = (u8)(c.slopes[i] >> 6);
    }
    put_below(made.below, c.points + 1, 10);
    return made;
}

// A line of luma, of whole groups of pairs.
FN void contrast_line(const ColorContrast& c, const CurveTables& tables, s16* __restrict__ y, s32 count) {
    alignas(64) u8 lines[PAIRS_PITCH], point[PAIRS_PITCH], bias[PAIRS_PITCH], low[PAIRS_PITCH], high[PAIRS_PITCH];
    find_lines<10>(tables.below, y, lines, count);
    look_up_lines(tables.point, lines, point, count);
    look_up_lines(tables.bias, lines, bias, count);
    look_up_lines(tables.slope[0], lines, low, count);
    look_up_lines(tables.slope[1], lines, high, count);
    const s16 begin = (s16)c.points[0], end = (s16)c.points[11];
    FOR_LINE(k, count) {
        const u16 slope = (u16)(low[k] | high[k] << 8), along = (u16)((u16)(y[k] - point[k] * 16) * 16);
        const s16 curve = min_of<s16>((s16)(bias[k] * 16 + (u16)((u32)along * (u32)slope >> 16)), 4095);
        y[k] = (y[k] < begin) | (y[k] >= end) ? y[k] : curve;
    }
}

struct ControlTables {
    alignas(16) u8 from[16], to[16], slope[2][16], base[2][16], bias[2][16];  // words as two bytes
    s16 below[6];
};

// Line 0 is that below all bases: behind the last one, a turn on.
FN ControlTables control_tables(const ColorControl& c) {
    ControlTables made = {};
    for (s32 i = 0; i < 7; ++i) {
        const s32 color = (i + 5) % 6, base = c.bases[color] - (i ? 0 : 1024), bias = -(c.offsets[color] + c.bases[color] * c.slopes[color]) >> 8;
        made.from[i] = (u8)c.factors[color];
        made.to[i] = (u8)c.factors[(color + 1) % 6];
        for (s32 n = 0; n < 2; ++n) {
            made.slope[n][i] = (u8)(c.slopes[color] >> 8 * n);
            made.base[n][i] = (u8)(base >> 8 * n);
            made.bias[n][i] = (u8)(bias >> 8 * n);
        }
    }
    put_below(made.below, c.bases, 6);
    return made;
}

// Factors of a line's chroma before skin counts: saturation_factor of color_tone.h.
FN void chroma_factors(const ColorControl& c, const ControlTables& tables, const s16* __restrict__ u, const s16* __restrict__ v,
                       s16* __restrict__ factor, s32 count) {
    alignas(64) s16 angle[PAIRS_PITCH];
    alignas(64) u8 lines[PAIRS_PITCH], from[PAIRS_PITCH], to[PAIRS_PITCH], slope[2][PAIRS_PITCH], base[2][PAIRS_PITCH], bias[2][PAIRS_PITCH];
    FOR_LINE(k, count) angle[k] = (s16)hue_angle((u[k] >> 2) - 512, (v[k] >> 2) - 512);
    find_lines<6>(tables.below, angle, lines, count);
    look_up_lines(tables.from, lines, from, count);
    look_up_lines(tables.to, lines, to, count);
    for (s32 n = 0; n < 2; ++n) {
        look_up_lines(tables.slope[n], lines, slope[n], count);
        look_up_lines(tables.base[n], lines, base[n], count);
        look_up_lines(tables.bias[n], lines, bias[n], count);
    }
    const s16 max_color = (s16)c.max_color, threshold = (s16)c.threshold, most = (s16)(1 << c.threshold_bits);
    const s32 bits = c.threshold_bits, inverse = c.inverse_max;
    FOR_LINE(k, count) {
        const s16 u10 = (s16)((u[k] >> 2) - 512), v10 = (s16)((v[k] >> 2) - 512);
        const s16 along = (s16)(angle[k] - (s16)(base[0][k] | base[1][k] << 8));
        const s32 climbed = (s32)((u32)(u16)along * (u32)(u16)(slope[0][k] | slope[1][k] << 8) >> 8);
        const u16 alpha = (u16)clamp_to<s32>(climbed - (s32)(bias[0][k] | bias[1][k] << 8), 0, 256);
        const s16 interpolated = (s16)((u16)((u16)(from[k] * 256) + (u16)(alpha * (u16)(to[k] - from[k]))) >> 8);
        const s16 largest = max_of(max_of(u10, (s16)-u10), max_of(v10, (s16)-v10));
        const s16 room = (s16)min_of<s32>((s32)max_of<s16>((s16)(max_color - largest), 0) * inverse >> 8, 256);
        const s16 not_over = (s16)(128 + (largest > max_color ? (s16)0 : (s16)((s16)((s16)(interpolated - 128) * room) >> 8)));
        const s16 limited = min_of(interpolated, not_over);
        const s16 above = clamp_to<s16>((s16)(largest - threshold), 0, most);
        factor[k] = limited <= 128 ? limited : (s16)(128 + ((s16)((s16)(limited - 128) * above) >> bits));
    }
}

FN void control_line(const ColorControl& c, const ControlTables& tables, ColorPairs& t, s32 at, s32 count, s32 scored) {
    alignas(64) s16 factor[PAIRS_PITCH];
    s16* __restrict__ u = t.u[0] + at;
    s16* __restrict__ v = t.v[0] + at;
    const s16* __restrict__ score = t.score + at;
    chroma_factors(c, tables, u, v, factor, count);
    if (scored) {
        const s32 threshold = c.skin_threshold, scale = c.skin_scale;
        FOR_LINE(k, count) {
            const s32 skin = clamp_to((score[k] - threshold) * scale, 0, 255);
            factor[k] = (s16)((128 * skin + (256 - skin) * factor[k]) >> 8);
        }
    }
    FOR_LINE(k, count) {  // color_controlled
        const s16 u_by_64 = (s16)((s16)((u[k] >> 2) - 512) * 64), v_by_64 = (s16)((s16)((v[k] >> 2) - 512) * 64), by = (s16)(factor[k] * 8);
        u[k] = (s16)(clamp_to<s16>((s16)(upper_half(u_by_64, by) + 512), 0, 1023) * 4);
        v[k] = (s16)(clamp_to<s16>((s16)(upper_half(v_by_64, by) + 512), 0, 1023) * 4);
    }
}
