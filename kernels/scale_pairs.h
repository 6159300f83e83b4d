// scale_linear.h for bytes, on processors with products of pairs of neighbors: what it computes is the same. Along x
// columns of pairs of samples are multiplied by pairs of bytes, along y pairs of sums by pairs of coefficients; both
// transposes make pairs, so that no vector is taken apart between a load and a product.
#pragma once
#include "portable_elements.h"
#include "portable_vectors.h"
#include "scale_linear.h"

#if HAS_VECTORS
enum {
    PAIR_COLUMNS = 32,                   // of sums along x, between both loops long enough to leave the store buffer
    TURNED_COLUMNS = 4 * TRANSPOSE_LANES,
    PAIR_LINES = sizeof(Vector) / 2,     // lines that one vector along x has
    PAIR_PITCH = SCALE_SRC_HEIGHT + PAIR_LINES,
    PAIR_ROW = SCALE_DST_WIDTH + 16,     // words; rows a power of two apart would share few places in the cache
};

struct PairScratch {
    const u8* lines[SCALE_SRC_HEIGHT];
    u8 rows[SCALE_SRC_HEIGHT * ScalePitch<u8>::ROW + 64];
    u16 columns[SCALE_SRC_WIDTH * SCALE_SRC_HEIGHT];   // each sample and the next one in its line
    s16 x_columns[PAIR_COLUMNS * PAIR_PITCH];
    u32 x_rows[SCALE_SRC_HEIGHT * PAIR_ROW];           // each sum and that of the next line
    u8 finished[SCALE_DST_HEIGHT * SCALE_DST_WIDTH];
};

// The lines of a window, in the picture if they lie in it whole, else in scratch, `count` of them.
FN void find_lines(const SamplePlane& plane, const ScaleGeometry& g, const Window& w, s32 columns, s32 count, PairScratch& s) {
    if (plane.src_step == 1 && w.x >= 0 && w.x + columns + 1 <= g.src_width) {
        for (s32 r = 0; r < count; ++r)
            s.lines[r] = (const u8*)plane.src + (s64)edge_index(w.y + r, g.src_height, g.mirror) * plane.src_pitch_B + w.x;
    } else {
        load_window(plane, g, w, s.rows);
        for (s32 r = 0; r < count; ++r) s.lines[r] = s.rows + min_of(r, w.padded_height - 1) * ScalePitch<u8>::ROW;
    }
}

// Where the taps of a position begin, and its coefficients.
template <int TAPS> struct PairPhase {
    enum { SKIP = (8 - TAPS) / 2 };
    s32 first;
    const s16* k;
};
template <int TAPS> FN PairPhase<TAPS> pair_phase(s32 position, const s16* taps, s32 window_origin) {
    enum { SKIP = PairPhase<TAPS>::SKIP };
    return {(position >> 5) - 3 + SKIP - window_origin, taps + (position & 31) * 8 + SKIP};
}

// Sums along x of one column of the output.
template <int TAPS> FN void sum_column(PairPhase<TAPS> p, const u16* columns, s16* out, s32 count) {
    const __m128i words = _mm_loadu_si128((const __m128i*)(p.k - PairPhase<TAPS>::SKIP));
    const Vector bytes = in_parts(_mm_packs_epi16(words, words));
    Vector k[TAPS / 2];
    UNROLL for (int j = 0; j < TAPS / 2; ++j)
        k[j] = VECTOR(shuffle_epi8)(bytes, VECTOR(set1_epi16)((s16)(0x0100 + 0x0202 * (j + PairPhase<TAPS>::SKIP / 2))));
    const u16* from = columns + p.first * SCALE_SRC_HEIGHT;
    for (s32 r = 0; r < count; r += PAIR_LINES) {
        Vector sum = VECTOR(maddubs_epi16)(load_vector(from + r), k[0]);
        UNROLL for (int j = 1; j < TAPS / 2; ++j)
            sum = VECTOR(add_epi16)(sum, VECTOR(maddubs_epi16)(load_vector(from + 2 * j * SCALE_SRC_HEIGHT + r), k[j]));
        store_vector(out + r, sum);
    }
}

// One line of the output, 24.8 sums to bytes; may write up to the next multiple of a vector.
template <int TAPS> FN void sum_line(PairPhase<TAPS> p, const u32* rows, u8* out, s32 count) {
    enum { WORDS = sizeof(Vector) / 4 };
    Vector k[TAPS / 2];
    UNROLL for (int j = 0; j < TAPS / 2; ++j) k[j] = VECTOR(set1_epi32)(element_at<s32>(p.k + 2 * j));
    const u32* from = rows + p.first * PAIR_ROW;
    for (s32 x = 0; x < count; x += 4 * WORDS) {
        Vector sum[4];
        UNROLL for (int i = 0; i < 4; ++i) sum[i] = VECTOR(set1_epi32)(1 << 11);
        UNROLL for (int j = 0; j < TAPS / 2; ++j) {
            const u32* at = from + 2 * j * PAIR_ROW + x;
            UNROLL for (int i = 0; i < 4; ++i)
                sum[i] = VECTOR(add_epi32)(sum[i], VECTOR(madd_epi16)(load_vector(at + i * WORDS), k[j]));
        }
        UNROLL for (int i = 0; i < 4; ++i) sum[i] = VECTOR(srai_epi32)(sum[i], 12);
        const Vector low = VECTOR(packs_epi32)(sum[0], sum[1]), high = VECTOR(packs_epi32)(sum[2], sum[3]);
        store_vector(out + x, in_order(VECTOR(packus_epi16)(low, high)));
    }
}

template <int TAPS> FN_APART void scale_pairs_taps(const ScaleLinearParams& params, s32 tile_x, s32 tile_y) {
    alignas(64) PairScratch s;
    const ScaleGeometry& g = params.geometry;
    const SamplePlane& plane = params.plane;
    const s32 x0 = tile_x * g.tile_width, y0 = tile_y * g.tile_height;
    const s32 width = min_of(g.tile_width, g.dst_width - x0), height = min_of(g.tile_height, g.dst_height - y0);
    const Window w = window_of(g, x0, y0, width, height);

    const s32 columns = round_up(w.width, 16), lines = round_up(w.height, PAIR_LINES);
    find_lines(plane, g, w, columns, lines, s);
    for (s32 c = 0; c < columns; c += 16)
        for (s32 r = 0; r < lines; r += 8 * TRANSPOSE_LANES) {
            u16* out = s.columns + c * SCALE_SRC_HEIGHT + r;
            transpose_byte_pairs(out, 2 * SCALE_SRC_HEIGHT, s.lines + r, c);
            transpose_byte_pairs(out + SCALE_SRC_HEIGHT, 2 * SCALE_SRC_HEIGHT, s.lines + r, c + 1);
        }
    for (s32 x = 0; x < width; x += PAIR_COLUMNS) {
        const s32 some = round_up(min_of<s32>(width - x, PAIR_COLUMNS), TURNED_COLUMNS);
        for (s32 i = 0; i < some; ++i) {
            const s32 position = g.x_positions[x0 + min_of(x + i, width - 1)];
            sum_column(pair_phase<TAPS>(position, g.x_taps, w.x), s.columns, s.x_columns + i * PAIR_PITCH, lines);
        }
        for (s32 i = 0; i < some; i += TURNED_COLUMNS)
            for (s32 r = 0; r < lines; r += 8) {
                u32* out = s.x_rows + r * PAIR_ROW + x + i;
                const s16* from = s.x_columns + i * PAIR_PITCH + r;
                transpose_word_pairs(out, 2 * PAIR_ROW, from, PAIR_PITCH);
                transpose_word_pairs(out + PAIR_ROW, 2 * PAIR_ROW, from + 1, PAIR_PITCH);
            }
    }
    const bool direct = stores_directly<u8>(plane) && width % (s32)sizeof(Vector) == 0;
    for (s32 y = 0; y < height; ++y) {
        u8* out = direct ? picture_line<u8>(plane, x0, y0 + y) : s.finished + y * SCALE_DST_WIDTH;
        sum_line(pair_phase<TAPS>(g.y_positions[y0 + y], g.y_taps, w.y), s.x_rows, out, width);
    }
    if (!direct) store_tile(plane, s.finished, SCALE_DST_WIDTH, x0, y0, width, height);
}
#endif
