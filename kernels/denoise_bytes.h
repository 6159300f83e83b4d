// The denoise filter over bytes in a row, on processors with instructions for pairs of bytes: many samples at once from
// the lines where they lie.
#pragma once
#include "denoise.h"
#include "portable_pairs.h"

#if HAS_BYTE_PAIRS
FN bool is_of_bytes(const DenoiseParams& p) {
    return p.plane.src_step == 1 && p.plane.dst_step == 1 && !p.statistics;
}

// Lines of a tile: where they are, if whole strips and a column on either side are in the picture, else copies.
struct DenoiseLines {
    const u8 *current[DENOISE_ROWS], *previous[DENOISE_HEIGHT];
    u8 copies[DENOISE_ROWS + DENOISE_HEIGHT][DENOISE_PITCH + 32];
};
FN const u8* bytes_of_line(const u8* row, s32 x0, s32 width, s32 count, u8* copy) {
    if (x0 > 0 && x0 + count < width) return row + x0;
    load_columns(row, 1, 0, 255, x0, width, count + 2, copy);
    return copy + 1;
}

// What blocks are decided by, side by side: sums over their 16 samples.
struct DenoiseBlockSums {
    s32 stad[DENOISE_COLUMNS + 8], pixels[DENOISE_COLUMNS + 8], change[DENOISE_COLUMNS + 8], scm[DENOISE_COLUMNS + 8];
};
template <bool STAD_DECIDES>
FN void sum_blocks(const u8* const* current, const u8* const* previous, s32 threshold, s32 count, DenoiseBlockSums& sums) {
    const u8 three[16] = {255, 255, 255, 0, 255, 255, 255, 0, 255, 255, 255, 0, 255, 255, 255, 0};
    const BytePairs limit = every_byte(threshold), not_last = every_16(three);
    for (s32 x = 0; x < count; x += LANE_BYTES) {
        PairWords stad = every_word(0), change = stad, scm = stad;
        BytePairs moving = every_byte(0);
        UNROLL for (s32 y = 0; y < 4; ++y) {
            const BytePairs c = bytes_at(current[y] + x), then = bytes_at(previous[y] + x), d = difference(c, then);
            stad = stad + sum_of_pair(d);
            if (STAD_DECIDES) continue;
            moving = moving - not_more(limit, d);
            change = change + sum_of_pair(c) - sum_of_pair(then);
            scm = scm + sum_of_pair(difference(c, bytes_at(current[y] + x + 1)) & not_last);
            if (y < 3) scm = scm + sum_of_pair(difference(c, bytes_at(current[y + 1] + x)));
        }
        store_sums_of_two(sums.stad + x / 4, stad);
        if (STAD_DECIDES) continue;
        store_sums_of_two(sums.pixels + x / 4, sum_of_pair(moving));
        store_sums_of_two(sums.change + x / 4, change);
        store_sums_of_two(sums.scm + x / 4, scm);
    }
}

template <bool STAD_DECIDES>
FN_ONCE void decide_byte_blocks(const DenoiseParams& p, const DenoiseBlockSums& sums, const u8* __restrict__ stored, s32 columns,
                           u32* __restrict__ histories, u32* __restrict__ moves, u8* __restrict__ out) {
    const DenoiseLimits limits = denoise_limits(p);
    FOR_LINE(b, columns) {
        const DenoiseVerdict verdict =
            decide_block<STAD_DECIDES>(limits, sums.stad[b], sums.pixels[b], sums.change[b], sums.scm[b], stored[b]);
        histories[b] = (u32)verdict.history * 0x01010101u;
        moves[b] = (u32)verdict.moving;
        out[b] = (u8)verdict.history;
    }
}

// Constants of the filter as lanes.
struct DenoiseLanes {
    BytePairs good, low, high, reciprocals_low, reciprocals_high;
    PairWords half, blend;

    FN_MEMBER explicit DenoiseLanes(const DenoiseParams& p) {
        typedef DenoiseArithmetic<u8> A;
        u8 lower[16] = {}, upper[16] = {};
        for (s32 n = 1; n < 10; ++n) {
            lower[n] = (u8)A::reciprocal(p.neighbor_reciprocals[n]);
            upper[n] = (u8)(A::reciprocal(p.neighbor_reciprocals[n]) >> 8);
        }
        reciprocals_low = every_16(lower);
        reciprocals_high = every_16(upper);
        good = every_byte(p.good_neighbor_threshold);
        low = every_byte(p.low_threshold);
        high = every_byte(p.difference_threshold);
        half = every_word((p.difference_threshold - p.low_threshold) >> 1);
        blend = every_word(p.blend_reciprocal << 2);
    }
};

// E10 of half the samples: `c256` has them as words times 256.
FN PairWords mean_in_time(PairWords c256, PairWords c, PairWords then, PairWords history) {
    return upper_bytes(c256 + history * (then - c) + every_word(128));
}
FN BytePairs mean_in_time(BytePairs c, BytePairs then, BytePairs history) {
    const BytePairs none = every_byte(0);
    return put_together(mean_in_time(as_words(mixed_low(none, c)), as_words(mixed_low(c, none)),
                                     as_words(mixed_low(then, none)), as_words(mixed_low(history, none))),
                        mean_in_time(as_words(mixed_high(none, c)), as_words(mixed_high(c, none)),
                                     as_words(mixed_high(then, none)), as_words(mixed_high(history, none))));
}

FN BytePairs floor_average(BytePairs a, BytePairs b) { return average(a, b) - (unlike_bits(a, b) & every_byte(1)); }

// E8 and E9 of half the samples: from the number of good ones, the sample, and what the others are above it.
FN PairWords mean_in_space(PairWords n, PairWords c, PairWords above, PairWords reciprocal) {
    return upper_product(shifted_up(n * c + above + shifted_down(n, 1), 4), reciprocal);
}

// Of the samples around: how many are good, what these are above the sample in four parts, the least and the most.
struct Neighborhood {
    BytePairs count, above[4], least, most;
};
FN Neighborhood neighborhood_of(BytePairs c, const u8* a, const u8* here, const u8* b, BytePairs good) {
    Neighborhood found = {every_byte(1), {}, c, c};
    const u8* const places[8] = {a - 1, a, a + 1, here - 1, here + 1, b - 1, b, b + 1};
    UNROLL for (s32 k = 0; k < 8; ++k) {
        const BytePairs v = bytes_at(places[k]), near = not_more(difference(v, c), good);
        found.count = found.count - near;
        found.above[k / 2] = found.above[k / 2] + ((v - c) & near);  // two of at most 63 fit a signed byte
        found.least = min_of(found.least, v);
        found.most = max_of(found.most, v);
    }
    return found;
}

FN BytePairs denoised_luma(const DenoiseLanes& k, const u8* a, const u8* here, const u8* b, const u8* before,
                           const u8* histories, const u8* moves) {
    const BytePairs c = bytes_at(here), none = every_byte(0), one = every_byte(1);
    const Neighborhood around = neighborhood_of(c, a, here, b, k.good);
    const BytePairs n = around.count;
    const BytePairs lower = looked_up(k.reciprocals_low, n), upper = looked_up(k.reciprocals_high, n);
    const PairWords above_low = sum_of_products(one, mixed_low(around.above[0], around.above[1])) +
                                sum_of_products(one, mixed_low(around.above[2], around.above[3]));
    const PairWords above_high = sum_of_products(one, mixed_high(around.above[0], around.above[1])) +
                                 sum_of_products(one, mixed_high(around.above[2], around.above[3]));
    const BytePairs spatial =
        put_together(mean_in_space(as_words(mixed_low(n, none)), as_words(mixed_low(c, none)), above_low,
                                   as_words(mixed_low(lower, upper))),
                     mean_in_space(as_words(mixed_high(n, none)), as_words(mixed_high(c, none)), above_high,
                                   as_words(mixed_high(lower, upper))));
    const BytePairs then = bytes_at(before), d = difference(c, then);
    const BytePairs moving = bytes_at(moves) | not_more(k.high, d);
    if (!has_bits(unlike_bits(moving, every_byte(255)))) return spatial;

    BytePairs temporal = mean_in_time(c, then, bytes_at(histories));
    temporal = min_of(temporal, floor_average(temporal, around.most));  // the mean lies between: no comparison is needed
    temporal = max_of(temporal, floor_average(temporal, around.least));
    const BytePairs inside = min_of(max_of(d, k.low), k.high), from_low = inside - k.low, to_high = k.high - inside;
    const PairWords low = sum_of_products(mixed_low(spatial, temporal), mixed_low(from_low, to_high)) + k.half;
    const PairWords high = sum_of_products(mixed_high(spatial, temporal), mixed_high(from_low, to_high)) + k.half;
    const BytePairs blended =
        put_together(upper_product(shifted_up(low, 4), k.blend), upper_product(shifted_up(high, 4), k.blend));
    return pick(moving, spatial, pick(not_more(k.low, d), blended, temporal));
}

FN BytePairs denoised_chroma(const DenoiseLanes& k, const u8* here, const u8* before, const u8* histories, const u8* moves) {
    const BytePairs c = bytes_at(here), then = bytes_at(before), d = difference(c, then);
    const BytePairs filtered = pick(not_more(k.high, d), c, mean_in_time(c, then, bytes_at(histories)));
    return pick(bytes_at(moves) | not_more(k.low, d), average(filtered, c), filtered);
}

template <bool CHROMA> FN void denoise_bytes_tile(const DenoiseParams& p, s32 tile_x, s32 tile_y) {
    SHARED DenoiseLines lines;
    SHARED DenoiseBlockSums sums;
    SHARED u32 histories[DENOISE_COLUMNS + 8], moves[DENOISE_COLUMNS + 8];
    const s32 x0 = tile_x * DENOISE_WIDTH, y0 = tile_y * DENOISE_HEIGHT;
    const s32 width = min_of<s32>(DENOISE_WIDTH, p.width - x0), height = min_of<s32>(DENOISE_HEIGHT, p.height - y0);
    const s32 columns = (width + 3) >> 2, rows = (height + 3) >> 2;
    const s32 count = (width + LANE_BYTES - 1) / LANE_BYTES * LANE_BYTES;
    const DenoiseLanes lanes(p);
    const u8* source = (const u8*)p.plane.src;
    for (s32 i = 0; i < 4 * rows + 2 * DENOISE_MARGIN; ++i) {
        const s32 line = denoise_line(y0 + i - DENOISE_MARGIN, p.height, p.line_step);
        lines.current[i] = bytes_of_line(source + (s64)line * p.plane.src_pitch_B, x0, p.width, count, lines.copies[i]);
    }
    for (s32 i = 0; i < 4 * rows; ++i) {
        const s32 line = denoise_line(y0 + i, p.height, p.line_step);
        const u8* row = (const u8*)p.previous + (s64)line * p.previous_pitch_B;
        lines.previous[i] = p.previous ? bytes_of_line(row, x0, p.width, count, lines.copies[DENOISE_ROWS + i])
                                       : lines.current[i + DENOISE_MARGIN];
    }
    for (s32 j = 0; j < rows; ++j) {
        u8 none[DENOISE_COLUMNS] = {};
        const u8* stored = p.previous ? p.stored + (s64)(y0 / 4 + j) * p.stored_pitch_B + x0 / 4 : none;
        u8* history = p.history + (s64)(y0 / 4 + j) * p.history_pitch_B + x0 / 4;
        const u8* const* current = lines.current + DENOISE_MARGIN + 4 * j;
        if (stad_decides(p)) {
            sum_blocks<true>(current, lines.previous + 4 * j, p.difference_threshold, count, sums);
            decide_byte_blocks<true>(p, sums, stored, columns, histories, moves, history);
        } else {
            sum_blocks<false>(current, lines.previous + 4 * j, p.difference_threshold, count, sums);
            decide_byte_blocks<false>(p, sums, stored, columns, histories, moves, history);
        }
        for (s32 y = 0; y < min_of(4, height - 4 * j); ++y) {
            const u8* here = current[y];
            const u8* above = current[y - p.line_step];
            const u8* below = current[y + p.line_step];
            const u8* before = lines.previous[4 * j + y];
            u8* out = picture_line<u8>(p.plane, x0, y0 + 4 * j + y);
            for (s32 x = 0; x < width; x += LANE_BYTES) {
                BytePairs made = bytes_at(here + x);
                if (!CHROMA)
                    made = denoised_luma(lanes, above + x, here + x, below + x, before + x, (const u8*)histories + x,
                                         (const u8*)moves + x);
                else if (p.previous)
                    made = denoised_chroma(lanes, here + x, before + x, (const u8*)histories + x, (const u8*)moves + x);
                store_within(out, x, 0, width, made);
            }
        }
    }
}
#endif

template <typename T, bool CHROMA> FN void denoise_plane_tile(const DenoiseParams& p, s32 tile_x, s32 tile_y) {
#if HAS_BYTE_PAIRS
    if (sizeof(T) == 1 && is_of_bytes(p)) return denoise_bytes_tile<CHROMA>(p, tile_x, tile_y);
#endif
    denoise_tile<T, CHROMA>(p, tile_x, tile_y);
}
