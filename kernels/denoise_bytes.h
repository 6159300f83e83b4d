// The denoise filter over bytes in a row, on processors with instructions for pairs of bytes: many samples at once from
// the lines where they lie.
#pragma once
#include "denoise.h"
#include "portable_pairs.h"

#if HAS_BYTE_PAIRS
FN bool is_of_bytes(const DenoiseParams& p) {
    return p.plane.src_step == 1 && p.plane.dst_step == 1 && !p.statistics && p.width > LANE_BYTES;
}

// Whole lines are best for memory, so the first of some tiles makes them all. Their lines: where they are, and copies of
// the picture's first and last columns with the one beyond.
enum { WIDE_TILES = 4, WIDE_COLUMNS = WIDE_TILES * DENOISE_COLUMNS, WIDE_LINES = DENOISE_ROWS + DENOISE_HEIGHT };
struct WideLines {
    const u8* lines[3][WIDE_LINES];
    s32 ends[4];  // columns of the first copies, of the lines, of the last copies
    u8 copies[2][WIDE_LINES][3 * LANE_BYTES];

    FN_MEMBER WideLines(s32 x0, s32 x1, s32 width) {
        const s32 last = x1 < width ? x1 : (width - 1) / LANE_BYTES * LANE_BYTES;
        ends[0] = x0, ends[1] = x0 > 0 ? x0 : LANE_BYTES, ends[2] = last, ends[3] = x1;
    }
    FN_MEMBER void set(s32 line, const u8* row, s32 width) {
        lines[1][line] = row;
        u8 *left = copies[0][line] + 1, *right = copies[1][line] + LANE_BYTES;
        if (ends[0] < ends[1]) {
            left[-1] = row[0], left[LANE_BYTES] = row[LANE_BYTES];
            store(left, bytes_at(row));
            lines[0][line] = left;
        }
        if (ends[2] < ends[3]) {
            const s32 count = width - ends[2];
            store(right + count - LANE_BYTES, bytes_at(row + width - LANE_BYTES));
            store(right + count, every_byte(row[width - 1]));
            right[-1] = row[ends[2] - 1];
            lines[2][line] = right - ends[2];
        }
    }
};

// What blocks are decided by, side by side: sums over their 16 samples.
struct DenoiseBlockSums {
    s32 stad[WIDE_COLUMNS + 8], pixels[WIDE_COLUMNS + 8], change[WIDE_COLUMNS + 8], scm[WIDE_COLUMNS + 8];
};
template <bool STAD_DECIDES>
FN void sum_blocks(const u8* const* current, const u8* const* previous, s32 threshold, s32 x, s32 block, DenoiseBlockSums& sums) {
    const u8 three[16] = {1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0};
    const BytePairs limit = every_byte(threshold), not_last = every_16(three);
    PairWords stad = every_word(0), fall = stad, scm = stad;
    BytePairs moving = every_byte(0);
    UNROLL for (s32 y = 0; y < 4; ++y) {
        const BytePairs c = bytes_at(current[y] + x), then = bytes_at(previous[y] + x);
        const BytePairs falls = excess(then, c), d = falls | excess(c, then);
        stad = stad + sum_of_pair(d);
        if (STAD_DECIDES) continue;
        moving = moving - not_more(limit, d);
        fall = fall + sum_of_pair(falls);
        scm = scm + sum_of_products(difference(c, bytes_at(current[y] + x + 1)), not_last);
        if (y < 3) scm = scm + sum_of_pair(difference(c, bytes_at(current[y + 1] + x)));
    }
    store_sums_of_two(sums.stad + block, stad);
    if (STAD_DECIDES) return;
    store_sums_of_two(sums.pixels + block, sum_of_pair(moving));
    store_sums_of_two(sums.change + block, stad - fall - fall);
    store_sums_of_two(sums.scm + block, scm);
}

// What the filter takes from its block, at each of its columns.
struct DenoiseColumns {
    u32 histories[WIDE_COLUMNS + 8], moves[WIDE_COLUMNS + 8];
};
template <bool STAD_DECIDES>
FN_ONCE void decide_byte_blocks(const DenoiseParams& p, const WideLines& lines, s32 strip, const u8* __restrict__ stored,
                                DenoiseColumns& columns, u8* __restrict__ out) {
    SHARED DenoiseBlockSums sums;
    const DenoiseLimits limits = denoise_limits(p);
    const s32 x0 = lines.ends[0], count = (lines.ends[3] - x0 + 3) >> 2;
    for (s32 part = 0; part < 3; ++part) {
        const u8* const* current = lines.lines[part] + DENOISE_MARGIN + 4 * strip;
        const u8* const* previous = lines.lines[part] + DENOISE_ROWS + 4 * strip;
        for (s32 x = lines.ends[part]; x < lines.ends[part + 1]; x += LANE_BYTES)
            sum_blocks<STAD_DECIDES>(current, previous, p.difference_threshold, x, (x - x0) / 4, sums);
    }
    u32* __restrict__ histories = columns.histories;
    u32* __restrict__ moves = columns.moves;
    FOR_LINE(b, count) {
        const DenoiseVerdict verdict =
            decide_block<STAD_DECIDES>(limits, sums.stad[b], sums.pixels[b], sums.change[b], sums.scm[b], stored[b]);
        histories[b] = (u32)verdict.history * 0x01010101u;
        moves[b] = (u32)verdict.moving;
        out[b] = (u8)verdict.history;
    }
}

// Constants of the filter as lanes. A sum times a reciprocal of 1 / 2^16 is the mean in its upper half. That of 1 takes more
// than 16 bits: (v + 1) * 65535 has the same upper half as v * 65536 for all bytes, and what would be rounded is the 1.
struct DenoiseLanes {
    BytePairs good, low, high, halves, reciprocals_low, reciprocals_high;
    PairWords half, blend;

    FN_MEMBER explicit DenoiseLanes(const DenoiseParams& p) {
        typedef DenoiseArithmetic<u8> A;
        u8 rounds[16] = {0, 1, 1, 1, 2, 2, 3, 3, 4, 4}, lower[16] = {}, upper[16] = {};
        for (s32 n = 1; n < 10; ++n) {
            const s32 reciprocal = min_of(A::reciprocal(p.neighbor_reciprocals[n]) << 4, 65535);
            lower[n] = (u8)reciprocal;
            upper[n] = (u8)(reciprocal >> 8);
        }
        halves = every_16(rounds);
        reciprocals_low = every_16(lower);
        reciprocals_high = every_16(upper);
        good = every_byte(p.good_neighbor_threshold);
        low = every_byte(p.low_threshold);
        high = every_byte(p.difference_threshold);
        half = every_word(max_of((p.difference_threshold - p.low_threshold) >> 1, 1));
        blend = every_word(min_of(p.blend_reciprocal << 6, 65535));
    }
};

// E10. The difference is a signed byte, as whoever takes the result has asked for less than 64.
FN BytePairs mean_in_time(BytePairs c, BytePairs then, BytePairs history) {
    const BytePairs d = then - c, two = every_byte(2), half = every_byte(64);  // 2 * 64: the rounding
    const PairWords low = sum_of_products(mixed_low(history, two), mixed_low(d, half));
    const PairWords high = sum_of_products(mixed_high(history, two), mixed_high(d, half));
    return c + put_together_signed(shifted_down(low, 8), shifted_down(high, 8));
}

// E11: half the way back to what the neighborhood has. Of inverted bytes an average that rounds up is one that rounds down.
FN BytePairs limited_in_space(BytePairs temporal, BytePairs least, BytePairs most) {
    const BytePairs white = every_byte(255);
    BytePairs inverted = unlike_bits(temporal, white);  // the mean lies between both, so no comparison is needed
    inverted = max_of(inverted, average(inverted, unlike_bits(most, white)));
    inverted = min_of(inverted, average(inverted, unlike_bits(least, white)));
    return unlike_bits(inverted, white);
}

// Of the samples around: how many are good, what these are above the sample in some parts, the least and the most.
template <s32 PARTS> struct Neighborhood {
    BytePairs count, above[PARTS], least, most;
};
template <s32 PARTS>
FN Neighborhood<PARTS> neighborhood_of(BytePairs c, const u8* a, const u8* here, const u8* b, BytePairs good) {
    Neighborhood<PARTS> found = {every_byte(1), {}, c, c};
    const BytePairs lowest = excess(c, good), highest = limited_sum(c, good);
    const u8* const places[8] = {a - 1, a, a + 1, here - 1, here + 1, b - 1, b, b + 1};
    UNROLL for (s32 k = 0; k < 8; ++k) {
        const BytePairs v = bytes_at(places[k]), near = equal(min_of(max_of(v, lowest), highest), v);
        BytePairs& above = found.above[k * PARTS / 8];
        above = k % (8 / PARTS) ? above + ((v - c) & near) : (v - c) & near;
        found.count = found.count - near;
        found.least = min_of(found.least, v);
        found.most = max_of(found.most, v);
    }
    return found;
}

// E8 and E9: the mean of the good ones.
template <s32 PARTS> FN BytePairs mean_in_space(const DenoiseLanes& k, BytePairs c, const Neighborhood<PARTS>& around) {
    const BytePairs n = around.count, one = every_byte(1), half = looked_up(k.halves, n);
    PairWords low = sum_of_products(mixed_low(c, one), mixed_low(n, half));
    PairWords high = sum_of_products(mixed_high(c, one), mixed_high(n, half));
    UNROLL for (s32 part = 0; part < PARTS; part += 2) {
        low = low + sum_of_products(one, mixed_low(around.above[part], around.above[part + 1]));
        high = high + sum_of_products(one, mixed_high(around.above[part], around.above[part + 1]));
    }
    const BytePairs lower = looked_up(k.reciprocals_low, n), upper = looked_up(k.reciprocals_high, n);
    return put_together(upper_product(low, as_words(mixed_low(lower, upper))),
                        upper_product(high, as_words(mixed_high(lower, upper))));
}

template <s32 PARTS>
FN BytePairs denoised_luma(const DenoiseLanes& k, const u8* a, const u8* here, const u8* b, const u8* before,
                           const u8* histories, const u8* moves) {
    const BytePairs c = bytes_at(here);
    const Neighborhood<PARTS> around = neighborhood_of<PARTS>(c, a, here, b, k.good);
    const BytePairs spatial = mean_in_space(k, c, around);
    const BytePairs then = bytes_at(before), d = difference(c, then);
    const BytePairs moving = bytes_at(moves) | not_more(k.high, d);
    if (!has_bits(unlike_bits(moving, every_byte(255)))) return spatial;

    const BytePairs temporal = limited_in_space(mean_in_time(c, then, bytes_at(histories)), around.least, around.most);
    const BytePairs from_low = d - k.low, to_high = k.high - d;  // of bytes that do not move; then below low is a sign
    const PairWords low = sum_of_products(mixed_low(spatial, temporal), mixed_low(from_low, to_high)) + k.half;
    const PairWords high = sum_of_products(mixed_high(spatial, temporal), mixed_high(from_low, to_high)) + k.half;
    const BytePairs blended = put_together(upper_product(low, k.blend), upper_product(high, k.blend));
    return pick(moving, spatial, pick(from_low, temporal, blended));
}

FN BytePairs denoised_chroma(const DenoiseLanes& k, const u8* here, const u8* before, const u8* histories, const u8* moves) {
    const BytePairs c = bytes_at(here), then = bytes_at(before), d = difference(c, then);
    const BytePairs filtered = pick(not_more(k.high, d), c, mean_in_time(c, then, bytes_at(histories)));
    return pick(bytes_at(moves) | not_more(k.low, d), average(filtered, c), filtered);
}

// PARTS: so many sums of neighbors, 2 where four of them fit a signed byte, else 4; 0 for chroma.
template <s32 PARTS> FN_APART void denoise_bytes_tiles(const DenoiseParams& p, s32 x0, s32 y0) {
    SHARED DenoiseColumns columns;
    const u8 none[WIDE_COLUMNS] = {};
    const s32 height = min_of<s32>(DENOISE_HEIGHT, p.height - y0), rows = (height + 3) >> 2;
    WideLines lines(x0, min_of<s32>(x0 + WIDE_TILES * DENOISE_WIDTH, p.width), p.width);
    for (s32 i = 0; i < 4 * rows + 2 * DENOISE_MARGIN; ++i) {
        const s32 line = denoise_line(y0 + i - DENOISE_MARGIN, p.height, p.line_step);
        lines.set(i, (const u8*)p.plane.src + (s64)line * p.plane.src_pitch_B, p.width);
    }
    for (s32 i = 0; i < 4 * rows; ++i) {
        const s32 line = denoise_line(y0 + i, p.height, p.line_step);
        lines.set(DENOISE_ROWS + i, p.previous ? (const u8*)p.previous + (s64)line * p.previous_pitch_B
                                               : lines.lines[1][DENOISE_MARGIN + i], p.width);
    }
    const DenoiseLanes lanes(p);
    for (s32 y = 0; y < height; ++y) {
        if (y % 4 == 0) {
            const s64 row = (y0 + y) / 4;
            const u8* stored = p.previous ? p.stored + row * p.stored_pitch_B + x0 / 4 : none;
            u8* history = p.history + row * p.history_pitch_B + x0 / 4;
            if (stad_decides(p))
                decide_byte_blocks<true>(p, lines, y / 4, stored, columns, history);
            else
                decide_byte_blocks<false>(p, lines, y / 4, stored, columns, history);
        }
        for (s32 x = x0; x < lines.ends[3]; x += 64) {  // what the next strip is decided by
            PREFETCH(lines.lines[1][DENOISE_MARGIN + y] + 4 * (s64)p.line_step * p.plane.src_pitch_B + x);
            PREFETCH(lines.lines[1][DENOISE_ROWS + y] + 4 * (s64)p.line_step * p.previous_pitch_B + x);
        }
        u8* out = picture_line<u8>(p.plane, 0, y0 + y);
        const u8 *histories = (const u8*)columns.histories - x0, *moves = (const u8*)columns.moves - x0;
        for (s32 part = 0; part < 3; ++part) {
            const u8* const* here = lines.lines[part] + DENOISE_MARGIN + y;
            const u8 *above = here[-p.line_step], *line = *here, *below = here[p.line_step];
            const u8* before = lines.lines[part][DENOISE_ROWS + y];
            for (s32 x = lines.ends[part]; x < lines.ends[part + 1]; x += LANE_BYTES) {
                BytePairs made = bytes_at(line + x);
                if constexpr (PARTS > 0)
                    made = denoised_luma<PARTS>(lanes, above + x, line + x, below + x, before + x, histories + x, moves + x);
                else if (p.previous)
                    made = denoised_chroma(lanes, line + x, before + x, histories + x, moves + x);
                store_within(out, x, 0, p.width, made);
            }
        }
    }
}
#endif

template <typename T, bool CHROMA> FN void denoise_plane_tile(const DenoiseParams& p, s32 tile_x, s32 tile_y) {
#if HAS_BYTE_PAIRS
    if (sizeof(T) == 1 && is_of_bytes(p)) {
        if (tile_x % WIDE_TILES) return;
        const s32 x0 = tile_x * DENOISE_WIDTH, y0 = tile_y * DENOISE_HEIGHT;
        if (CHROMA) return denoise_bytes_tiles<0>(p, x0, y0);
        return p.good_neighbor_threshold < 32 ? denoise_bytes_tiles<2>(p, x0, y0) : denoise_bytes_tiles<4>(p, x0, y0);
    }
#endif
    denoise_tile<T, CHROMA>(p, tile_x, tile_y);
}
