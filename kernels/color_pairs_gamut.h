// Color gamut compression where pairs of pixels share their chroma (color_pairs.h). Most groups of pairs are seen to be
// inside by how far R, G and B are from luma at most; hues are looked up for the others alone.
#pragma once
#include "color_pairs_state.h"

enum { GAMUT_RATES = 2 * 512 };  // where four rates are behind the vertices, in 1/4096: of red by V, blue by U, green by both

// What decoded_luma and decoded_chroma of color_gamut.h give, by the upper half of a product.
template <bool XVYCC> FN s16 pair_luma(s16 y) { return XVYCC ? upper_half((s16)((s16)(y - 256) * 8), 2 * 4788) : y; }
template <bool XVYCC> FN s16 pair_chroma(s16 c) {
    return XVYCC ? upper_half((s16)((s16)(c - 2048) * 16), 4681) : (s16)(c - 2048);
}

// Luma between which no pixel of this chroma is outside: the darkest of R, G and B is above 0 and the brightest below 1
// by more than what hue_angle, which is right to 0.012 in radians, and roundings may change.
struct InsideLuma {
    s16 least, most;
};
FN InsideLuma inside_luma(const s32* __restrict__ rates, s16 u, s16 v) {
    const s16 u_by_8 = (s16)(u * 8), v_by_8 = (s16)(v * 8);  // chroma is below 2^12
    const s16 red = upper_half(v_by_8, (s16)(2 * rates[0])), blue = upper_half(u_by_8, (s16)(2 * rates[1]));
    const s16 green = (s16)(upper_half(u_by_8, (s16)(2 * rates[2])) + upper_half(v_by_8, (s16)(2 * rates[3])));
    const s16 slack = (s16)(((s16)(max_of<s16>(u, (s16)-u) + max_of<s16>(v, (s16)-v)) >> 5) + 16);
    return {(s16)(slack - min_of(min_of(red, blue), green)), (s16)(4096 - slack - max_of(max_of(red, blue), green))};
}

// Whether any luma of a line may be outside, or of both lines that share this chroma.
template <bool XVYCC> FN bool near_outside(const s32* __restrict__ rates, const ColorPairs& t, s32 at, s32 other) {
    const s16* __restrict__ u = t.u[0] + at;
    const s16* __restrict__ v = t.v[0] + at;
    const s16* __restrict__ y[4] = {t.y[0] + at, t.y[1] + at, t.y[0] + other, t.y[1] + other};
    alignas(64) s16 beyond[SOME_PAIRS];
    FOR_LINE(k, SOME_PAIRS) {
        const InsideLuma inside = inside_luma(rates, pair_chroma<XVYCC>(u[k]), pair_chroma<XVYCC>(v[k]));
        const s16 darkest = min_of(min_of(y[0][k], y[1][k]), min_of(y[2][k], y[3][k]));
        const s16 brightest = max_of(max_of(y[0][k], y[1][k]), max_of(y[2][k], y[3][k]));
        beyond[k] = (s16)((pair_luma<XVYCC>(darkest) < inside.least) | (pair_luma<XVYCC>(brightest) > inside.most));
    }
    return any_of_some(beyond);
}
FN bool near_outside(const ColorGamut& g, const s32* __restrict__ rates, const ColorPairs& t, s32 at, s32 other) {
    return g.xvycc ? near_outside<true>(rates, t, at, other) : near_outside<false>(rates, t, at, other);
}
FN bool near_outside(const ColorGamut& g, const s32* __restrict__ rates, const ColorPairs& t, SomePairs some) {
    const s32 lower = some.at + PAIRS_PITCH;
    if (!some.two_lines) return near_outside(g, rates, t, some.at, lower);
    return near_outside(g, rates, t, some.at, some.at) || near_outside(g, rates, t, lower, lower);
}

// Luma of a line and what its chroma is multiplied by, for one of both places.
FN void compress_line(const ColorGamut& g, const s16* __restrict__ outside, const s16* __restrict__ chroma, const s16* __restrict__ tip,
                      const s16* __restrict__ tip_luma, s16* __restrict__ y, s16* __restrict__ scaling) {
    if (!g.full_range_mapping && !any_of_some(outside)) {
        FOR_LINE(k, SOME_PAIRS) scaling[k] = 4096;
        return;
    }
    FOR_LINE(k, SOME_PAIRS) {
        const s32 luma = decoded_luma(g, y[k]);
        const GamutPixel found = compressed(g, gamut_place({chroma[k], tip[k], tip_luma[k]}, luma));
        y[k] = (s16)(found.luma == luma ? y[k] : encoded_luma(g, found.luma));
        scaling[k] = (s16)found.scaling;
    }
}

FN void pairs_gamut(const ColorGamut& g, const s32* __restrict__ vertices, ColorPairs& t, SomePairs& some) {
    if (!g.full_range_mapping && !near_outside(g, vertices + GAMUT_RATES, t, some)) {
        for (s32 place = 0; place < 2; ++place) {
            s16* __restrict__ outside = t.outside[place] + some.at;
            FOR_LINE(k, SOME_PAIRS) outside[k] = outside[PAIRS_PITCH + k] = 0;
        }
        return;
    }
    alignas(64) s16 chroma[SOME_PAIRS], tip[SOME_PAIRS], tip_luma[SOME_PAIRS], scaling[COLOR_HEIGHT][2][SOME_PAIRS];
    s16 any = 0;
    for (s32 r = 0; r < COLOR_HEIGHT; ++r) {
        const s32 at = some.at + r * PAIRS_PITCH;
        if (r == 0 || some.two_lines) {
            const s16* __restrict__ u = t.u[0] + at;
            const s16* __restrict__ v = t.v[0] + at;
            FOR_LINE(k, SOME_PAIRS) {
                const GamutHue hue = gamut_hue(vertices, decoded_chroma(g, u[k]), decoded_chroma(g, v[k]));
                chroma[k] = (s16)hue.chroma;
                tip[k] = (s16)hue.tip;
                tip_luma[k] = (s16)hue.tip_luma;
            }
        }
        for (s32 place = 0; place < 2; ++place) {
            s16* __restrict__ y = t.y[place] + at;
            s16* __restrict__ outside = t.outside[place] + at;
            FOR_LINE(k, SOME_PAIRS) outside[k] = is_outside({chroma[k], tip[k], tip_luma[k]}, decoded_luma(g, y[k]));
            any = (s16)(any | any_of_some(outside));
            compress_line(g, outside, chroma, tip, tip_luma, y, scaling[r][place]);
        }
    }
    if (!g.full_range_mapping && !any) return;
    part_lines(t, some);
    for (s32 r = 0; r < COLOR_HEIGHT; ++r) {
        s16* __restrict__ u = t.u[0] + some.at + r * PAIRS_PITCH;
        s16* __restrict__ v = t.v[0] + some.at + r * PAIRS_PITCH;
        const s16* __restrict__ first = scaling[r][0];
        const s16* __restrict__ second = scaling[r][1];
        FOR_LINE(k, SOME_PAIRS) {
            const s32 u_in = u[k], v_in = v[k], both = combined(g.scaling_mode, first[k], second[k]);
            const s32 u_new = decoded_chroma(g, u_in) * both >> 12, v_new = decoded_chroma(g, v_in) * both >> 12;
            u[k] = (s16)chosen(both == 4096, u_in, encoded_chroma(g, u_new));
            v[k] = (s16)chosen(both == 4096, v_in, encoded_chroma(g, v_new));
        }
    }
}
