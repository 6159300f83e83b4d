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

// Coefficients of one column of the output, and its sums along x of the lines at `from`.
template <int TAPS> struct ColumnTaps {
    Vector k[TAPS / 2];
    FN_MEMBER Vector sum(const u16* from) const {
        Vector sum = VECTOR(maddubs_epi16)(load_vector(from), k[0]);
        UNROLL for (int j = 1; j < TAPS / 2; ++j)
            sum = VECTOR(add_epi16)(sum, VECTOR(maddubs_epi16)(load_vector(from + 2 * j * SCALE_SRC_HEIGHT), k[j]));
        return sum;
    }
};
template <int TAPS> FN ColumnTaps<TAPS> column_taps(const s16* k) {
    enum { SKIP = PairPhase<TAPS>::SKIP };
    const __m128i words = _mm_loadu_si128((const __m128i*)(k - SKIP));
    const Vector bytes = in_parts(_mm_packs_epi16(words, words));
    ColumnTaps<TAPS> t;
    UNROLL for (int j = 0; j < TAPS / 2; ++j)
        t.k[j] = VECTOR(shuffle_epi8)(bytes, VECTOR(set1_epi16)((s16)(0x0100 + 0x0202 * (j + SKIP / 2))));
    return t;
}

template <int TAPS> FN void sum_column(PairPhase<TAPS> p, const u16* columns, s16* out, s32 count) {
    const ColumnTaps<TAPS> taps = column_taps<TAPS>(p.k);
    const u16* from = columns + p.first * SCALE_SRC_HEIGHT;
    for (s32 r = 0; r < count; r += PAIR_LINES) store_vector(out + r, taps.sum(from + r));
}

enum { LINE_WORDS = sizeof(Vector) / 4, LINE_VECTORS = 4 };  // of sums along y, which become one vector of bytes

// Coefficients of one line of the output, and its sums from the lines of pairs at `from`.
template <int TAPS> struct LineTaps {
    Vector k[TAPS / 2];
    FN_MEMBER void sums(const u32* from, s32 start, Vector sum[LINE_VECTORS]) const {
        UNROLL for (int i = 0; i < LINE_VECTORS; ++i) sum[i] = VECTOR(set1_epi32)(start);
        UNROLL for (int j = 0; j < TAPS / 2; ++j) {
            const u32* at = from + 2 * j * PAIR_ROW;
            UNROLL for (int i = 0; i < LINE_VECTORS; ++i)
                sum[i] = VECTOR(add_epi32)(sum[i], VECTOR(madd_epi16)(load_vector(at + i * LINE_WORDS), k[j]));
        }
    }
};
template <int TAPS> FN LineTaps<TAPS> line_taps(const s16* k) {
    LineTaps<TAPS> t;
    UNROLL for (int j = 0; j < TAPS / 2; ++j) t.k[j] = VECTOR(set1_epi32)(element_at<s32>(k + 2 * j));
    return t;
}

// Sums of 20.12 to bytes.
FN Vector bytes_of_sums(const Vector sum[LINE_VECTORS]) {
    Vector whole[LINE_VECTORS];
    UNROLL for (int i = 0; i < LINE_VECTORS; ++i) whole[i] = VECTOR(srai_epi32)(sum[i], 12);
    return in_order(VECTOR(packus_epi16)(VECTOR(packs_epi32)(whole[0], whole[1]), VECTOR(packs_epi32)(whole[2], whole[3])));
}

// One line of the output; may write up to the next multiple of a vector.
template <int TAPS> FN void sum_line(PairPhase<TAPS> p, const u32* rows, u8* out, s32 count) {
    const LineTaps<TAPS> taps = line_taps<TAPS>(p.k);
    const u32* from = rows + p.first * PAIR_ROW;
    for (s32 x = 0; x < count; x += LINE_VECTORS * LINE_WORDS) {
        Vector sum[LINE_VECTORS];
        taps.sums(from + x, 1 << 11, sum);
        store_vector(out + x, bytes_of_sums(sum));
    }
}

// Phase: the window as columns of pairs, and how many lines they have.
FN s32 turn_window(const SamplePlane& plane, const ScaleGeometry& g, const Window& w, PairScratch& s) {
    const s32 columns = round_up(w.width, 16), lines = round_up(w.height, PAIR_LINES);
    find_lines(plane, g, w, columns, lines, s);
    for (s32 c = 0; c < columns; c += 16)
        for (s32 r = 0; r < lines; r += 8 * TRANSPOSE_LANES) {
            u16* out = s.columns + c * SCALE_SRC_HEIGHT + r;
            transpose_byte_pairs(out, 2 * SCALE_SRC_HEIGHT, s.lines + r, c);
            transpose_byte_pairs(out + SCALE_SRC_HEIGHT, 2 * SCALE_SRC_HEIGHT, s.lines + r, c + 1);
        }
    return lines;
}

// Phase: sums along x of a line of positions, `sum(position, out)` for each, turned to rows of pairs.
template <typename Sum> FN void sum_columns(const s32* positions, s32 width, s32 lines, PairScratch& s, const Sum& sum) {
    for (s32 x = 0; x < width; x += PAIR_COLUMNS) {
        const s32 some = round_up(min_of<s32>(width - x, PAIR_COLUMNS), TURNED_COLUMNS);
        for (s32 i = 0; i < some; ++i) sum(positions[min_of(x + i, width - 1)], s.x_columns + i * PAIR_PITCH);
        for (s32 i = 0; i < some; i += TURNED_COLUMNS)
            for (s32 r = 0; r < lines; r += 8) {
                u32* out = s.x_rows + r * PAIR_ROW + x + i;
                const s16* from = s.x_columns + i * PAIR_PITCH + r;
                transpose_word_pairs(out, 2 * PAIR_ROW, from, PAIR_PITCH);
                transpose_word_pairs(out + PAIR_ROW, 2 * PAIR_ROW, from + 1, PAIR_PITCH);
            }
    }
}

// Phase: lines of the output, `line(y, out)` for each.
template <typename Line>
FN void sum_lines(const SamplePlane& plane, s32 x0, s32 y0, s32 width, s32 height, PairScratch& s, const Line& line) {
    const bool direct = stores_directly<u8>(plane) && width % (s32)sizeof(Vector) == 0;
    for (s32 y = 0; y < height; ++y)
        line(y, direct ? picture_line<u8>(plane, x0, y0 + y) : s.finished + y * SCALE_DST_WIDTH);
    if (!direct) store_tile(plane, s.finished, SCALE_DST_WIDTH, x0, y0, width, height);
}

template <int TAPS> FN_APART void scale_pairs_taps(const ScaleLinearParams& params, s32 tile_x, s32 tile_y) {
    alignas(64) PairScratch s;
    const ScaleGeometry& g = params.geometry;
    const SamplePlane& plane = params.plane;
    const s32 x0 = tile_x * g.tile_width, y0 = tile_y * g.tile_height;
    const s32 width = min_of(g.tile_width, g.dst_width - x0), height = min_of(g.tile_height, g.dst_height - y0);
    const Window w = window_of(g, x0, y0, width, height);

    const s32 lines = turn_window(plane, g, w, s);
    sum_columns(g.x_positions + x0, width, lines, s, [&](s32 position, s16* out) {
        sum_column(pair_phase<TAPS>(position, g.x_taps, w.x), s.columns, out, lines);
    });
    sum_lines(plane, x0, y0, width, height, s, [&](s32 y, u8* out) {
        sum_line(pair_phase<TAPS>(g.y_positions[y0 + y], g.y_taps, w.y), s.x_rows, out, width);
    });
}
#endif
