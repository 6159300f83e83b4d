// YUV bytes with chroma at every pixel to words of RGB bytes by a matrix alone, on processors with products of pairs:
// what color.h computes, with eight bits where it has twelve, since every number in it is a multiple of 16.
#pragma once
#include "color.h"
#include "portable_vectors.h"

#if HAS_VECTORS
// Factors of luma and a chroma, side by side.
FN Vector factors_of_pair(s32 luma, s32 chroma) { return VECTOR(set1_epi32)((s32)(((u32)luma & 0xffff) | (u32)chroma << 16)); }

enum { WORDS_SHIFT = 14, WORDS_STEP = sizeof(Vector) };

// What words_of_line multiplies by: luma counts alike for all, the first byte of a word lacks the first chroma, the third
// the second, and the largest factor, which may have a bit more than a product takes, is cut in two.
struct WordFactors {
    s32 luma, outer[2], inner[2];  // outer: of the first byte, of the third
    s32 added[3];
};

// One line. LARGE: which of both outer factors is cut.
template <int LARGE>
FN void words_of_line(const u8* y, const u8* first, const u8* second, const WordFactors& f, u8* out, s32 count) {
    const s32 rest = f.outer[LARGE] >> 1, cut[2] = {f.outer[0] - (LARGE ? 0 : rest), f.outer[1] - (LARGE ? rest : 0)};
    const Vector k0 = factors_of_pair(f.luma, cut[0]), k1 = factors_of_pair(f.luma, f.inner[0]);
    const Vector k2 = factors_of_pair(0, f.inner[1]), k3 = factors_of_pair(f.luma, cut[1]), k4 = factors_of_pair(0, rest);
    const Vector added[3] = {VECTOR(set1_epi32)(f.added[0]), VECTOR(set1_epi32)(f.added[1]), VECTOR(set1_epi32)(f.added[2])};
    const Vector none = VECTOR(set1_epi32)(0), opaque = VECTOR(set1_epi32)(-1);
    for (s32 i = 0; i < count; i += WORDS_STEP) {
        const s32 x = min_of<s32>(i, count - WORDS_STEP);  // the last vector ends with the line
        const Vector luma = load_vector(y + x), a = load_vector(first + x), b = load_vector(second + x);
        const Vector with_first[2] = {VECTOR(unpacklo_epi8)(luma, a), VECTOR(unpackhi_epi8)(luma, a)};
        const Vector with_second[2] = {VECTOR(unpacklo_epi8)(luma, b), VECTOR(unpackhi_epi8)(luma, b)};
        Vector halves[3][2];
        UNROLL for (int h = 0; h < 2; ++h) {
            Vector sums[3][2];
            UNROLL for (int q = 0; q < 2; ++q) {
                const Vector u = q ? VECTOR(unpackhi_epi8)(with_first[h], none) : VECTOR(unpacklo_epi8)(with_first[h], none);
                const Vector v = q ? VECTOR(unpackhi_epi8)(with_second[h], none) : VECTOR(unpacklo_epi8)(with_second[h], none);
                sums[0][q] = VECTOR(madd_epi16)(v, k0);
                sums[1][q] = VECTOR(add_epi32)(VECTOR(madd_epi16)(u, k1), VECTOR(madd_epi16)(v, k2));
                sums[2][q] = VECTOR(madd_epi16)(u, k3);
                sums[2 * LARGE][q] = VECTOR(add_epi32)(sums[2 * LARGE][q], VECTOR(madd_epi16)(LARGE ? u : v, k4));
                UNROLL for (int c = 0; c < 3; ++c)
                    sums[c][q] = VECTOR(srai_epi32)(VECTOR(add_epi32)(sums[c][q], added[c]), WORDS_SHIFT);
            }
            UNROLL for (int c = 0; c < 3; ++c) halves[c][h] = VECTOR(packs_epi32)(sums[c][0], sums[c][1]);
        }
        Vector bytes[3];
        UNROLL for (int c = 0; c < 3; ++c) bytes[c] = VECTOR(packus_epi16)(halves[c][0], halves[c][1]);
        const Vector low[2] = {VECTOR(unpacklo_epi8)(bytes[0], bytes[1]), VECTOR(unpackhi_epi8)(bytes[0], bytes[1])};
        const Vector high[2] = {VECTOR(unpacklo_epi8)(bytes[2], opaque), VECTOR(unpackhi_epi8)(bytes[2], opaque)};
        store_four(out + 4 * x, VECTOR(unpacklo_epi16)(low[0], high[0]), VECTOR(unpackhi_epi16)(low[0], high[0]),
                   VECTOR(unpacklo_epi16)(low[1], high[1]), VECTOR(unpackhi_epi16)(low[1], high[1]));
    }
}

// Factors of a matrix that is of that kind, whose first byte is row `top` of the matrix and lacks chroma `first`.
FN bool word_factors(const ColorMatrix& m, s32 top, s32 first, WordFactors& f) {
    const s32 *k = m.coefficients, low = 2 - top, second = 3 - first, rows[3] = {top, 1, low};
    bool so = m.enable && m.shift == WORDS_SHIFT && k[0] == k[3] && k[0] == k[6] && !k[3 * top + first] && !k[3 * low + second];
    f = {k[0], {k[3 * top + second], k[3 * low + first]}, {k[3 + first], k[3 + second]}, {}};
    for (int c = 0; c < 3; ++c) {
        so &= m.offsets_in[c] <= 0 && m.offsets_in[c] >= -4096 && m.offsets_in[c] % 16 == 0;
        f.added[c] = m.offsets_out[rows[c]] * (1 << (WORDS_SHIFT - 4));
        for (int i = 0; i < 3; ++i) {
            so &= magnitude_of(k[3 * c + i]) < (c == 2 && i == 1 ? 1 << 16 : 1 << 15);  // blue's of U is cut
            f.added[c] += k[3 * rows[c] + i] * (m.offsets_in[i] / 16);
        }
    }
    return so;
}

// As many pixels of a line at once: few ends, and sums are in the cache for long before they are read at other places.
enum { WORDS_WIDTH = 2048, WORDS_COLUMNS = WORDS_WIDTH / 2 };

// At most so many pixels to a line of the picture, from column x on, in words or, of those in scratch, in triples.
FN_APART void pixels_of_line(WordPlaces at, const u8* y, const u8* first, const u8* second, const WordFactors& f, u8* out, s32 x,
                             s32 count) {
    alignas(64) u8 scratch[4 * WORDS_WIDTH];
    u8* words = at.triples ? scratch : out + 4 * (s64)x;
    if (at.y == 16) {
        words_of_line<0>(y, first, second, f, words, count);
    } else {
        words_of_line<1>(y, first, second, f, words, count);
    }
    if (!at.triples) return;
    u8* __restrict__ triples = out + 3 * (s64)x;
    FOR_LINE(i, count) {
        UNROLL for (int c = 0; c < 3; ++c) triples[3 * i + c] = words[4 * i + c];
    }
}

// One of both chromas at so many pixels or fewer. What repeats beyond the ends of a line is repeated in the sums.
FN_APART void double_chroma(const ColorParams& p, const DoubledLines& lines, s32 x0, s32 width, u8* out) {
    alignas(64) s16 scratch[WORDS_COLUMNS + 3 * DOUBLED_STEP];
    const s32 first = x0 / 2, columns = width / 2, begin = max_of(first - 1, 0), end = min_of(first + columns + 2, (p.width + 1) >> 1);
    s16* sums = scratch + DOUBLED_STEP;
    const u8* inside[4];
    for (s32 j = 0; j < 4; ++j) inside[j] = lines.line[j] + begin;
    sum_down<1>(inside, p.doubling, lines.phase, sums + begin - first, end - begin);
    if (begin == first) sums[-1] = sums[0];
    for (s32 k = end - first; k < columns + 2; ++k) sums[k] = sums[k - 1];
    const DoubledLine made = doubled_line(sums, p.doubling + 16 * 8);
    for (s32 x = 0; x < width; x += (s32)sizeof(Vector)) store_vector(out + x, made(x));
}

FN void doubled_line_of_words(const ColorParams& p, WordPlaces at, const WordFactors& factors, s32 y) {
    alignas(64) u8 chroma[2][WORDS_WIDTH];
    const s32 first = at.y == 16 ? 2 : 1;
    const DoubledLines lines[2] = {doubled_lines(p, p.planes[first], y), doubled_lines(p, p.planes[3 - first], y)};
    const u8* luma = (const u8*)p.planes[0].src + (s64)y * p.planes[0].src_pitch_B;
    u8* out = at.first + (s64)y * p.planes[0].dst_pitch_B;
    for (s32 x = 0; x < p.width; x += WORDS_WIDTH) {
        const s32 from = max_of<s32>(min_of<s32>(x, p.width - WORDS_WIDTH), 0), width = min_of<s32>(p.width, WORDS_WIDTH);
        for (s32 c = 0; c < 2; ++c) double_chroma(p, lines[c], from, width, chroma[c]);
        pixels_of_line(at, luma + from, chroma[0], chroma[1], factors, out, from, width);
    }
}

// Whether the pipe is a matrix alone from planes, whose chroma has 1 / 2^log2 of the size, to such words.
FN bool makes_words(const ColorParams& p, WordPlaces at, s32 width, s32 log2, WordFactors& factors) {
    const bool swapped = at.y == 16;
    if (!(at.whole || at.triples) || at.u != 8 || (at.y != 0 && !swapped) || width < WORDS_STEP || p.pairing >= FORCED_AVERAGE || p.score || p.outside ||
        p.skin.detect || p.primaries.enable || p.gamut.enable || p.control.enable || p.contrast.enable || p.procamp.enable)
        return false;
    for (int c = 0; c < 3; ++c) {
        const ColorPlane& plane = p.planes[c];
        const s32 expected = c ? log2 : 0;
        if (!plane.src || plane.src_step != 1 || plane.src_log2_width != expected || plane.src_log2_height != expected) return false;
    }
    return word_factors(p.matrix, swapped ? 2 : 0, swapped ? 2 : 1, factors);
}

// Whether two whole lines were made, of chroma that is doubled on its way in.
FN_APART bool doubled_words(const ColorParams& p, WordPlaces at, s32 y0) {
    WordFactors factors;
    if (p.width % 2 || !makes_words(p, at, p.width, 1, factors) || !taps_double(p.doubling, p.doubling, p.chroma_y & 31)) return false;
    for (s32 y = y0; y < min_of<s32>(y0 + COLOR_HEIGHT, p.height); ++y) doubled_line_of_words(p, at, factors, y);
    return true;
}

// Whether the tile was made.
FN_APART bool words_tile(const ColorParams& p, WordPlaces at, s32 x0, s32 y0, s32 width) {
    WordFactors factors;
    if (!makes_words(p, at, width, 0, factors)) return false;
    const s32 first = at.y == 16 ? 2 : 1, places[3] = {0, first, 3 - first};
    for (s32 y = y0; y < min_of<s32>(y0 + COLOR_HEIGHT, p.height); ++y) {
        const u8* lines[3];
        for (int c = 0; c < 3; ++c)
            lines[c] = (const u8*)p.planes[places[c]].src + (s64)y * p.planes[places[c]].src_pitch_B + x0;
        u8* out = at.first + (s64)y * p.planes[0].dst_pitch_B;
        pixels_of_line(at, lines[0], lines[1], lines[2], factors, out, x0, width);
    }
    return true;
}
#else
FN bool words_tile(const ColorParams&, WordPlaces, s32, s32, s32) { return false; }
FN bool doubled_words(const ColorParams&, WordPlaces, s32) { return false; }
#endif
