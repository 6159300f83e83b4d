// scale_adaptive.h for bytes and our rule, by the products of pairs of scale_pairs.h: the same numbers. How far a weight is
// from all sharp, in steps of its ramp, is a byte, the first of a pair; the second is that of the next column or line,
// which nobody asks for.
#pragma once
#include "scale_adaptive.h"
#include "scale_pairs.h"

#if HAS_VECTORS
struct AdaptivePairScratch {
    PairScratch pairs;
    u16 x_steps[SCALE_SRC_WIDTH * SCALE_SRC_HEIGHT];  // of windows that begin at a column
    u16 y_steps[SCALE_SRC_HEIGHT * SCALE_DST_WIDTH];  // of those that begin at a line, in the order of packed words
};

// What the ramp of one direction is made of.
struct RampOfBytes {
    Vector max8, width8, max4;
    s32 doublings;
    FN_MEMBER RampOfBytes(const ScaleAdaptiveParams& p)
        : max8(VECTOR(set1_epi8)((char)p.max_derivative8)), width8(VECTOR(set1_epi8)((char)p.width8)),
          max4(VECTOR(set1_epi8)((char)p.max_derivative4)), doublings(8 - p.shift4) {}

    // Steps down the ramp, of the larger ones of each two derivatives that follow each other, by the first of both.
    FN_MEMBER Vector steps(Vector two0, Vector two2, Vector two3, Vector two5) const {
        const Vector largest = VECTOR(max_epu8)(VECTOR(max_epu8)(two0, two2), VECTOR(max_epu8)(two3, two5));
        Vector busy = VECTOR(subs_epu8)(VECTOR(min_epu8)(two2, two3), max4);
        for (s32 i = 0; i < doublings; ++i) busy = VECTOR(adds_epu8)(busy, busy);
        return VECTOR(min_epu8)(VECTOR(subs_epu8)(VECTOR(subs_epu8)(largest, busy), max8), width8);
    }
};

// Steps of `count` windows one after the other, `pair(i)` being the guide's pairs at the i-th, of which there are 7 more.
template <typename Pair>
FN void find_steps(const RampOfBytes& ramp, u16* out, s32 pitch, s32 count, const Pair& pair) {
    const Vector first = VECTOR(set1_epi16)(0xff);
    Vector last = pair(0), derivative, two[6];
    const auto next = [&](s32 i) {
        const Vector here = pair(i), before = derivative;
        derivative = VECTOR_ALL(or)(VECTOR(subs_epu8)(here, last), VECTOR(subs_epu8)(last, here));
        last = here;
        return VECTOR(max_epu8)(before, derivative);
    };
    derivative = VECTOR_ALL(setzero)();
    next(1);
    UNROLL for (int k = 0; k < 5; ++k) two[k] = next(k + 2);
    for (s32 i = 0; i < count; ++i) {
        two[5] = next(i + 7);
        store_vector(out + i * pitch, VECTOR_ALL(and)(ramp.steps(two[0], two[2], two[3], two[5]), first));
        UNROLL for (int k = 0; k < 5; ++k) two[k] = two[k + 1];
    }
}

FN void find_x_steps(const RampOfBytes& ramp, const Window& w, s32 lines, AdaptivePairScratch& s) {
    for (s32 r = 0; r < lines; r += PAIR_LINES)
        find_steps(ramp, s.x_steps + r, SCALE_SRC_HEIGHT, w.width - 7,
                   [&](s32 i) { return load_vector(s.pairs.columns + i * SCALE_SRC_HEIGHT + r); });
}

FN void find_y_steps(const RampOfBytes& ramp, const Window& w, s32 width, AdaptivePairScratch& s) {
    for (s32 x = 0; x < width; x += 2 * LINE_WORDS)
        find_steps(ramp, s.y_steps + x, SCALE_DST_WIDTH, w.height - 7, [&](s32 i) {
            const u32* at = s.pairs.x_rows + i * PAIR_ROW + x;
            return VECTOR(packus_epi16)(VECTOR(srai_epi16)(load_vector(at), 6),
                                        VECTOR(srai_epi16)(load_vector(at + LINE_WORDS), 6));
        });
}

FN void blend_column(s32 position, const ScaleAdaptiveParams& params, const Window& w, const AdaptivePairScratch& s,
                     s16* out, s32 lines) {
    const PairPhase<8> p = pair_phase<8>(position, params.geometry.x_taps, w.x);
    const ColumnTaps<8> taps = column_taps<8>(p.k);
    const s32 right = 2 * (position & 31);
    const Vector both = VECTOR(set1_epi16)((s16)(64 - right + right * 256));
    const __m128i to_weight = _mm_cvtsi32_si128(params.shift8 + 7);
    const u16* from = s.pairs.columns + p.first * SCALE_SRC_HEIGHT;
    const u16* steps = s.x_steps + p.first * SCALE_SRC_HEIGHT;
    for (s32 r = 0; r < lines; r += PAIR_LINES) {
        const Vector sharp = taps.sum(from + r);
        const Vector smooth = VECTOR(maddubs_epi16)(load_vector(from + 3 * SCALE_SRC_HEIGHT + r), both);
        const Vector weight = VECTOR(sub_epi16)(VECTOR_ALL(setzero)(), VECTOR(sll_epi16)(load_vector(steps + r), to_weight));
        store_vector(out + r, VECTOR(add_epi16)(sharp, VECTOR(mulhrs_epi16)(VECTOR(sub_epi16)(sharp, smooth), weight)));
    }
}

FN void blend_line(s32 position, const ScaleAdaptiveParams& params, const Window& w, const AdaptivePairScratch& s, u8* out,
                   s32 count) {
    const PairPhase<8> p = pair_phase<8>(position, params.geometry.y_taps, w.y);
    const LineTaps<8> taps = line_taps<8>(p.k);
    const s32 below = 2 * (position & 31);
    const Vector both = VECTOR(set1_epi32)(64 - below + (below << 16)), none = VECTOR_ALL(setzero)();
    const Vector half = VECTOR(set1_epi32)(1 << 11), half_step = VECTOR(set1_epi32)(128), most = VECTOR(set1_epi32)(255 << 12);
    const __m128i to_weight = _mm_cvtsi32_si128(params.shift8);
    const u32* from = s.pairs.x_rows + p.first * PAIR_ROW;
    const u16* steps = s.y_steps + p.first * SCALE_DST_WIDTH;
    for (s32 x = 0; x < count; x += LINE_VECTORS * LINE_WORDS) {
        const Vector lower = load_vector(steps + x), upper = load_vector(steps + x + 2 * LINE_WORDS);
        Vector sum[LINE_VECTORS];
        if (!has_any_bits(VECTOR_ALL(or)(lower, upper))) {
            taps.sums(from + x, 1 << 11, sum);
        } else {
            taps.sums(from + x, 0, sum);
            const Vector weights[LINE_VECTORS] = {VECTOR(unpacklo_epi16)(lower, none), VECTOR(unpackhi_epi16)(lower, none),
                                                  VECTOR(unpacklo_epi16)(upper, none), VECTOR(unpackhi_epi16)(upper, none)};
            UNROLL for (int i = 0; i < LINE_VECTORS; ++i) {
                const Vector sharp = VECTOR(min_epi32)(VECTOR(max_epi32)(sum[i], none), most);
                const Vector smooth = VECTOR(madd_epi16)(load_vector(from + 3 * PAIR_ROW + x + i * LINE_WORDS), both);
                const Vector less = VECTOR(mullo_epi32)(VECTOR(sub_epi32)(sharp, smooth), VECTOR(sll_epi32)(weights[i], to_weight));
                const Vector blended = VECTOR(add_epi32)(sharp, VECTOR(srai_epi32)(VECTOR(sub_epi32)(half_step, less), 8));
                sum[i] = VECTOR(add_epi32)(blended, half);
            }
        }
        store_vector(out + x, bytes_of_sums(sum));
    }
}

FN_APART void scale_adaptive_pairs(const ScaleAdaptiveParams& params, s32 tile_x, s32 tile_y) {
    alignas(64) AdaptivePairScratch s;
    const ScaleGeometry& g = params.geometry;
    const s32 x0 = tile_x * g.tile_width, y0 = tile_y * g.tile_height;
    const s32 width = min_of(g.tile_width, g.dst_width - x0), height = min_of(g.tile_height, g.dst_height - y0);
    const Window w = window_of(g, x0, y0, width, height);
    const RampOfBytes ramp(params);
    for (s32 c = 0; c < params.plane_count; ++c) {
        const SamplePlane& plane = params.planes[c];
        const s32 lines = turn_window(plane, g, w, s.pairs);
        if (c == 0) find_x_steps(ramp, w, lines, s);
        sum_columns(g.x_positions + x0, width, lines, s.pairs,
                    [&](s32 position, s16* out) { blend_column(position, params, w, s, out, lines); });
        if (c == 0) find_y_steps(ramp, w, width, s);
        if (plane.dst == nullptr) continue;
        sum_lines(plane, x0, y0, width, height, s.pairs,
                  [&](s32 y, u8* out) { blend_line(g.y_positions[y0 + y], params, w, s, out, width); });
    }
}
#endif

FN void scale_adaptive_bytes_tile(const ScaleAdaptiveParams& params, s32 tile_x, s32 tile_y) {
#if HAS_VECTORS
    if (params.in_pairs && params.rule == ADAPTIVE_OURS && max_of(params.fixed_x, params.fixed_y) < 0)
        return scale_adaptive_pairs(params, tile_x, tile_y);
#endif
    scale_adaptive_tile<u8, s16, float, s32>(params, tile_x, tile_y);
}
