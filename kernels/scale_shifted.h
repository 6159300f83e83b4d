// scale_linear.h for bytes at the same size, where lines are the source's and columns lie as far beside them everywhere, as
// those of chroma after its low-pass: one sum, whose coefficients stay in registers, and nothing is turned.
#pragma once
#include "scale_pairs.h"

#if HAS_VECTORS
FN bool steps_by(s32 step, const s32* positions, s32 count) {
    s32 other = 0;
    for (s32 i = 0; i < count; ++i) other |= positions[i] ^ (positions[0] + step * i);
    return !other;
}

FN bool is_shifted(const ScaleLinearParams& params, s32 x0, s32 y0, s32 width, s32 height) {
    const ScaleGeometry& g = params.geometry;
    if (!params.in_pairs || (g.y_positions[y0] & 31)) return false;
    if (!steps_by(32, g.x_positions + x0, width) || !steps_by(32, g.y_positions + y0, height)) return false;
    s32 other = 0;
    for (s32 k = 0; k < 8; ++k) other |= g.y_taps[k] ^ (k == 3 ? 64 : 0);
    return !other;
}

template <int TAPS> FN_APART void shift_tile(const ScaleLinearParams& params, s32 x0, s32 y0, s32 width, s32 height) {
    enum { SOME = sizeof(Vector) };
    alignas(64) PairScratch s;
    const ScaleGeometry& g = params.geometry;
    const SamplePlane& plane = params.plane;
    const Window w = window_of(g, x0, y0, width, height);
    find_lines(plane, g, w, round_up(width, SOME) + 8, w.height, s);
    const PairPhase<TAPS> p = pair_phase<TAPS>(g.x_positions[x0], g.x_taps, w.x);
    Vector k[TAPS / 2];
    UNROLL for (int j = 0; j < TAPS / 2; ++j)
        k[j] = VECTOR(set1_epi16)((s16)((p.k[2 * j] & 0xff) + p.k[2 * j + 1] * 256));
    const Vector half = VECTOR(set1_epi16)(32);
    const bool direct = stores_directly<u8>(plane) && width % SOME == 0;
    for (s32 y = 0; y < height; ++y) {
        u8* out = direct ? picture_line<u8>(plane, x0, y0 + y) : s.finished + y * SCALE_DST_WIDTH;
        const u8* line = s.lines[y + 3] + p.first;
        for (s32 x = 0; x < width; x += SOME) {
            Vector low = half, high = half;
            UNROLL for (int j = 0; j < TAPS / 2; ++j) {
                const Vector a = load_vector(line + x + 2 * j), b = load_vector(line + x + 2 * j + 1);
                low = VECTOR(add_epi16)(low, VECTOR(maddubs_epi16)(VECTOR(unpacklo_epi8)(a, b), k[j]));
                high = VECTOR(add_epi16)(high, VECTOR(maddubs_epi16)(VECTOR(unpackhi_epi8)(a, b), k[j]));
            }
            store_vector(out + x, VECTOR(packus_epi16)(VECTOR(srai_epi16)(low, 6), VECTOR(srai_epi16)(high, 6)));
        }
    }
    if (!direct) store_tile(plane, s.finished, SCALE_DST_WIDTH, x0, y0, width, height);
}
#endif
