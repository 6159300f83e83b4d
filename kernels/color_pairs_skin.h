// Skin tone detection and enhancement where pairs of pixels share their chroma (color_pairs.h).
#pragma once
#include "color_pairs_state.h"

FN s32 uv_factor(const ColorSkin& s, s32 u, s32 v) {
    const SatHue turn = turned(s, u, v);
    return min_of(rectangle_factor(s, turn), rhombus_factor(s, turn));
}
FN s32 luma_score(const ColorSkin& s, s32 uv, s32 y, s32 v) {
    const s32 in_luma = min_of(uv, luma_factor(s, y));
    return s.vy_enable ? min_of(in_luma, vy_factor(s, y, v)) : in_luma;
}

FN void no_scores(s16* __restrict__ score) {
    FOR_LINE(k, SOME_PAIRS) score[k] = 0;
}

// Scores of a line, whose chroma has these factors.
FN void score_line(const ColorSkin& s, ColorPairs& t, s32 at, s32 chroma_at, const s16* __restrict__ factor) {
    const s16* __restrict__ v = t.v[0] + chroma_at;
    const s16* __restrict__ first = t.y[0] + at;
    const s16* __restrict__ second = t.y[1] + at;
    s16* __restrict__ score = t.score + at;
    FOR_LINE(k, SOME_PAIRS) {
        const s32 uv = factor[k];
        score[k] = (s16)combined(s.score_mode, luma_score(s, uv, first[k], v[k]), luma_score(s, uv, second[k], v[k]));
    }
}

FN void enhance_line(const ColorSkin& s, ColorPairs& t, s32 at) {
    alignas(64) s16 dark[SOME_PAIRS] = {};
    const s16* __restrict__ first = t.y[0] + at;
    const s16* __restrict__ second = t.y[1] + at;
    if (s.types)
        FOR_LINE(k, SOME_PAIRS) dark[k] = (s16)combined(s.dark_mode, dark_membership(s, first[k]), dark_membership(s, second[k]));
    const s16* __restrict__ score = t.score + at;
    s16* __restrict__ u = t.u[0] + at;
    s16* __restrict__ v = t.v[0] + at;
    FOR_LINE(k, SOME_PAIRS) {
        const Chroma made = enhanced(s, u[k], v[k], score[k], dark[k]);
        u[k] = (s16)made.u;
        v[k] = (s16)made.v;
    }
}

FN void pairs_skin(const ColorSkin& s, ColorPairs& t, SomePairs& some) {
    alignas(64) s16 factor[SOME_PAIRS];
    bool near = false, scored[COLOR_HEIGHT];
    for (s32 r = 0; r < COLOR_HEIGHT; ++r) {
        const s32 at = some.at + r * PAIRS_PITCH, chroma_at = some.two_lines ? at : some.at;
        if (chroma_at == at) {
            const s16* __restrict__ u = t.u[0] + at;
            const s16* __restrict__ v = t.v[0] + at;
            FOR_LINE(k, SOME_PAIRS) factor[k] = (s16)uv_factor(s, u[k], v[k]);
            near = any_of_some(factor);
        }
        if (near) {
            score_line(s, t, at, chroma_at, factor);
        } else {
            no_scores(t.score + at);
        }
        scored[r] = near && any_of_some(t.score + at);
        some.scored |= scored[r];
    }
    if (s.enhance && some.scored) {
        part_lines(t, some);
        for (s32 r = 0; r < COLOR_HEIGHT; ++r)
            if (scored[r]) enhance_line(s, t, some.at + r * PAIRS_PITCH);
    }
    if (s.output_scores) {
        part_lines(t, some);
        for (s32 at = some.at; at < COLOR_PAIRS; at += PAIRS_PITCH) {
            FOR_LINE(k, SOME_PAIRS) {
                t.y[0][at + k] = t.y[1][at + k] = (s16)(0x7FF + t.score[at + k] * 64);
                t.u[0][at + k] = t.v[0][at + k] = 0x7FF;
            }
        }
    }
}
