// YUV bytes with chroma at every pixel to words of RGB bytes by a matrix alone, on processors with products of pairs:
// what color.h computes, with eight bits where it has twelve, since every number in it is a multiple of 16.
#pragma once
#include "color.h"
#include "portable_vectors.h"

#if HAS_VECTORS
// A byte, moved by an offset, and 128 times that: pairs which times the two parts of a coefficient are one product.
struct TwoParts {
    Vector low, high;  // of the first pixels of each lane, and of the others
};
FN TwoParts two_parts(const u8* bytes, s16 offset) {
    const Vector moved = VECTOR(add_epi16)(bytes_as_words(bytes), VECTOR(set1_epi16)(offset));
    const Vector scaled = VECTOR(slli_epi16)(moved, 7);
    return {VECTOR(unpacklo_epi16)(moved, scaled), VECTOR(unpackhi_epi16)(moved, scaled)};
}
FN Vector parts_of_coefficient(s32 c) { return VECTOR(set1_epi32)((c & 127) | (s32)((u32)(c >> 7) << 16)); }

enum { WORDS_SHIFT = 14, WORDS_STEP = sizeof(Vector) / 2 };

// One line. Luma counts alike for all; the first byte of a word lacks the first chroma, the third the second.
FN void words_of_line(const u8* y, const u8* first, const u8* second, const s16* offsets, const s32* k, const s32* halves,
                      u8* out, s32 count) {
    const Vector luma_k = parts_of_coefficient(k[0]), k0 = parts_of_coefficient(k[1]), k1 = parts_of_coefficient(k[2]);
    const Vector k2 = parts_of_coefficient(k[3]), k3 = parts_of_coefficient(k[4]), opaque = VECTOR(set1_epi16)(255);
    const Vector half0 = VECTOR(set1_epi32)(halves[0]), half1 = VECTOR(set1_epi32)(halves[1]), half2 = VECTOR(set1_epi32)(halves[2]);
    for (s32 x = 0; x < count; x += WORDS_STEP) {
        const TwoParts luma = two_parts(y + x, offsets[0]), a = two_parts(first + x, offsets[1]), b = two_parts(second + x, offsets[2]);
        Vector sums[2][3];
        UNROLL for (int h = 0; h < 2; ++h) {
            const Vector u = h ? a.high : a.low, v = h ? b.high : b.low;
            const Vector l = VECTOR(madd_epi16)(h ? luma.high : luma.low, luma_k);
            const Vector both = VECTOR(add_epi32)(VECTOR(madd_epi16)(u, k1), VECTOR(madd_epi16)(v, k2));
            sums[h][0] = VECTOR(add_epi32)(VECTOR(add_epi32)(l, half0), VECTOR(madd_epi16)(v, k0));
            sums[h][1] = VECTOR(add_epi32)(VECTOR(add_epi32)(l, half1), both);
            sums[h][2] = VECTOR(add_epi32)(VECTOR(add_epi32)(l, half2), VECTOR(madd_epi16)(u, k3));
            UNROLL for (int c = 0; c < 3; ++c) sums[h][c] = VECTOR(srai_epi32)(sums[h][c], WORDS_SHIFT);
        }
        const Vector outer = VECTOR(packus_epi16)(VECTOR(packs_epi32)(sums[0][0], sums[1][0]), VECTOR(packs_epi32)(sums[0][2], sums[1][2]));
        const Vector inner = VECTOR(packus_epi16)(VECTOR(packs_epi32)(sums[0][1], sums[1][1]), opaque);
        const Vector low = VECTOR(unpacklo_epi8)(outer, inner), high = VECTOR(unpackhi_epi8)(outer, inner);
        store_two(out + 4 * x, VECTOR(unpacklo_epi16)(low, high), VECTOR(unpackhi_epi16)(low, high));
    }
}

// Whether a matrix is that of words_of_line, whose chroma is `swapped` if the first byte is blue.
FN bool matrix_makes_words(const ColorMatrix& m, bool swapped) {
    const s32 *k = m.coefficients, u = swapped ? 2 : 1, v = swapped ? 1 : 2, top = swapped ? 6 : 0, low = swapped ? 0 : 6;
    bool so = m.enable && m.shift == WORDS_SHIFT && k[0] == k[3] && k[0] == k[6] && k[top + u] == 0 && k[low + v] == 0;
    for (int c = 0; c < 3; ++c) so &= m.offsets_in[c] <= 0 && m.offsets_in[c] >= -4096 && m.offsets_in[c] % 16 == 0;
    return so;
}

// Whether the tile was made.
FN_APART bool words_tile(const ColorParams& p, WordPlaces at, s32 x0, s32 y0, s32 width) {
    const bool swapped = at.y == 16;
    if (!at.whole || at.u != 8 || (at.y != 0 && !swapped) || width % WORDS_STEP || p.pairing >= FORCED_AVERAGE || p.score || p.outside ||
        p.skin.detect || p.primaries.enable || p.gamut.enable || p.control.enable || p.contrast.enable || p.procamp.enable)
        return false;
    for (int c = 0; c < 3; ++c) {
        const ColorPlane& plane = p.planes[c];
        if (!plane.src || plane.src_step != 1 || plane.src_log2_width || plane.src_log2_height) return false;
    }
    const ColorMatrix& m = p.matrix;
    if (!matrix_makes_words(m, swapped)) return false;
    const s32 first = swapped ? 2 : 1, second = 3 - first, top = swapped ? 2 : 0, low = 2 - top;
    const s32 k[5] = {m.coefficients[0], m.coefficients[3 * top + second], m.coefficients[3 + first], m.coefficients[3 + second],
                      m.coefficients[3 * low + first]};
    const s32 places[3] = {0, first, second}, rows[3] = {top, 1, low};
    s16 offsets[3];
    s32 halves[3];
    for (int c = 0; c < 3; ++c) offsets[c] = (s16)(m.offsets_in[places[c]] / 16);
    for (int c = 0; c < 3; ++c) halves[c] = m.offsets_out[rows[c]] * (1 << (WORDS_SHIFT - 4));
    for (s32 y = y0; y < min_of<s32>(y0 + COLOR_HEIGHT, p.height); ++y) {
        const u8* lines[3];
        for (int c = 0; c < 3; ++c)
            lines[c] = (const u8*)p.planes[places[c]].src + (s64)y * p.planes[places[c]].src_pitch_B + x0;
        u8* out = at.first + (s64)y * p.planes[0].dst_pitch_B + 4 * (s64)x0;
        words_of_line(lines[0], lines[1], lines[2], offsets, k, halves, out, width);
    }
    return true;
}
#else
FN bool words_tile(const ColorParams&, WordPlaces, s32, s32, s32) { return false; }
#endif
