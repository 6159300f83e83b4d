// Longer filters of luma whose samples are bytes in a row, on processors with instructions for pairs of bytes: lines are
// read where they lie, and weights are multiplied by pairs of words.
#pragma once
#include "deinterlace_hq.h"
#include "deinterlace_lines.h"

#if HAS_BYTE_PAIRS
enum { HQ_FIELD_ROWS = 6, HQ_FRAME_ROWS = 5 };

// The lines that a missing one is made from: of the field, and of both frames in its own place.
struct HqRows {
    const u8 *field[HQ_FIELD_ROWS], *frames[2][HQ_FRAME_ROWS];
};

FN HqRows hq_rows(const DeinterlaceLumaParams& p, s32 line) {
    HqRows rows;
    UNROLL for (s32 n = 0; n < HQ_FIELD_ROWS; ++n) rows.field[n] = row_of<u8>(p.current, line_in_picture(line + 2 * n - 5, p.height));
    UNROLL for (s32 n = 0; n < HQ_FRAME_ROWS; ++n) {
        const s32 other = line_in_picture(line + 2 * n - 4, p.height);
        rows.frames[0][n] = row_of<u8>(p.current, other);
        rows.frames[1][n] = row_of<u8>(p.reference, other);
    }
    return rows;
}

// What the weights are of: (32) with the nearest two lines taken off.
struct HqTerms {
    PairWords near, d3, d5, e0, e2, e4;
    // The nearest two have what is left of 128; weights have HQ_BIAS too much.
    FN_MEMBER PairWords rest() const { return near + near - (d3 + d5 + e0 + (e2 + e4)); }
};

// The half of a strip whose bytes `mixed` brings together.
template <BytePairs mixed(BytePairs, BytePairs)> FN HqTerms hq_terms(const HqRows& rows, s32 x) {
    const auto sum = [&](const u8* a, const u8* b) { return sum_of_pair(mixed(bytes_at(a + x), bytes_at(b + x))); };
    const u8 *const *f = rows.field, *const *c = rows.frames[0], *const *r = rows.frames[1];
    const PairWords near = sum(f[2], f[3]), twice = near + near;
    return {near,
            sum(f[1], f[4]) - near,
            sum(f[0], f[5]) - near,
            sum(c[2], r[2]) - near,
            sum(c[1], c[3]) + sum(r[1], r[3]) - twice,
            sum(c[0], c[4]) + sum(r[0], r[4]) - twice};
}

// Weights of the samples of a strip, in the order of HQ_TABLE.
struct HqSets {
    BytePairs of[HQ_WEIGHTS];
};

template <BytePairs mixed(BytePairs, BytePairs)> FN PairWords hq_sum(const HqTerms& terms, const HqSets& sets) {
    const BytePairs none = every_byte(0);
    const BytePairs far = mixed(sets.of[0], sets.of[1]), near = mixed(sets.of[2], sets.of[3]);
    const BytePairs last = mixed(sets.of[4], every_byte(HQ_BIAS));
    const PairWords rest = terms.rest();
    const PairSums low = weighted_low(terms.d3, terms.d5, as_words(mixed_low(far, none))) +
                         weighted_low(terms.e0, terms.e2, as_words(mixed_low(near, none))) +
                         weighted_low(terms.e4, rest, as_words(mixed_low(last, none)));
    const PairSums high = weighted_high(terms.d3, terms.d5, as_words(mixed_high(far, none))) +
                          weighted_high(terms.e0, terms.e2, as_words(mixed_high(near, none))) +
                          weighted_high(terms.e4, rest, as_words(mixed_high(last, none)));
    return shifted_down(low + every_sum(128), high + every_sum(128), 8);
}

// A strip of a missing line. Where nothing moves that is the mean in time.
FN BytePairs long_filtered(const HqRows& rows, s32 x, const u8* stmm) {
    const PairWords moved = shifted_down(max_of(max_of(one_for_each(stmm - 1), one_for_each(stmm)), one_for_each(stmm + 1)), 4);
    const BytePairs c = bytes_at(rows.frames[0][2] + x), r = bytes_at(rows.frames[1][2] + x);
    if (!has_bits(moved)) return average(c, r);
    const BytePairs step = pair_of(moved, moved);
    HqSets sets;
    UNROLL for (s32 n = 0; n < HQ_WEIGHTS; ++n) sets.of[n] = looked_up(every_16(HQ_TABLE[n]), step);
    const BytePairs made = put_together(hq_sum<mixed_low>(hq_terms<mixed_low>(rows, x), sets),
                                        hq_sum<mixed_high>(hq_terms<mixed_high>(rows, x), sets));
    const BytePairs up = bytes_at(rows.field[2] + x), down = bytes_at(rows.field[3] + x);
    const BytePairs low = min_of(min_of(up, down), min_of(c, r)), high = max_of(max_of(up, down), max_of(c, r));
    return min_of(max_of(made, low), high);
}

// The same of a strip that the picture's side cuts: of copies of its samples.
FN BytePairs long_filtered_end(const HqRows& rows, s32 x, s32 count, const u8* stmm) {
    u8 copies[HQ_FIELD_ROWS + 2 * HQ_FRAME_ROWS][LANE_BYTES];
    HqRows copied;
    const auto copy = [&](const u8* row, u8* to) {
        store(to, bytes_at(row + x, count));
        return to;
    };
    for (s32 n = 0; n < HQ_FIELD_ROWS; ++n) copied.field[n] = copy(rows.field[n], copies[n]);
    for (s32 n = 0; n < 2 * HQ_FRAME_ROWS; ++n)
        copied.frames[n & 1][n >> 1] = copy(rows.frames[n & 1][n >> 1], copies[HQ_FIELD_ROWS + n]);
    return long_filtered(copied, 0, stmm);
}

template <bool LIMITED> FN void long_filtered_bytes_tile(const DeinterlaceLumaParams& p, s32 tile_x, s32 tile_y) {
    u8 copy[LONG_FILTERED_PAIRS + 2 * HQ_SPARE];
    const s32 first = tile_x * LONG_FILTERED, count = min_of<s32>(LONG_FILTERED, p.width - first);
    const s32 line0 = tile_y * LONG_FILTERED_LINES, pairs = (p.width + 1) / 2;
    for (s32 i = 0; i < LONG_FILTERED_LINES; ++i) {
        const s32 kept = 2 * (line0 + i) + p.parity, line = 2 * (line0 + i) + 1 - p.parity;
        if (kept < p.height) copy_samples<u8>(p.current, 1, p.target, 1, kept, first, count);
        if (line >= p.height) continue;
        const u8* row = p.stmm + (s64)line * p.stmm_pitch_B;
        const u8* stmm = row + first / 2;
        const u8* stmm_next = stmm + LONG_FILTERED_PAIRS;
        if (first == 0 || first / 2 + LONG_FILTERED_PAIRS + HQ_SPARE > pairs) {
            load_bytes(row, first / 2 - HQ_SPARE, pairs, copy, (s32)sizeof(copy));
            stmm = copy + HQ_SPARE;
        }
        const HqRows rows = hq_rows(p, line);
        prefetch_line(rows.field[HQ_FIELD_ROWS - 1] + first + LONG_FILTERED, LONG_FILTERED);
        for (s32 n = 0; n < 2; ++n) prefetch_line(rows.frames[n][HQ_FRAME_ROWS - 1] + first + LONG_FILTERED, LONG_FILTERED);
        u8* out = row_of<u8>(p.target, line);
        prefetch_line(stmm_next, LONG_FILTERED_PAIRS);
        prefetch_line(out + first + LONG_FILTERED, LONG_FILTERED);
        s32 x = 0;
        const LimitRows<u8> limits = limit_rows<u8>(p, line);
        for (; x + LANE_BYTES <= count; x += LANE_BYTES) {
            const BytePairs made = long_filtered(rows, first + x, stmm + x / 2);
            store(out + first + x, LIMITED ? limited_bytes(made, limits, first + x) : made);
        }
        if (x == count) continue;
        store_within(out + first, x, 0, count, long_filtered_end(rows, first + x, count - x, stmm + x / 2));
        if (LIMITED) limit_samples<u8, false>(p, line, first + x, count - x);
    }
}
#endif

template <typename T, bool LIMITED> FN void deinterlace_hq_tile(const DeinterlaceLumaParams& p, s32 tile_x, s32 tile_y) {
#if HAS_BYTE_PAIRS
    if (sizeof(T) == 1 && is_of_bytes(p) && p.reference.data) return long_filtered_bytes_tile<LIMITED>(p, tile_x, tile_y);
#endif
    long_filtered_tile<T, LIMITED>(p, tile_x, tile_y);
}
