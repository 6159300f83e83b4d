// The search for angles and the spatial result over bytes where they lie, for processors that have instructions for pairs
// of bytes. Two costs of 45 degrees and one of 90 say of so many pairs at once whether any of them can have an angle; few
// can, and only for those the rest of deinterlace_angle.h is asked.
#pragma once
#include "deinterlace_angle.h"
#include "deinterlace_lines.h"

#if HAS_BYTE_PAIRS
static_assert((s32)ANGLE_WIDTH == (s32)LINE_PAIRS, "lines of a tile");
enum { ALL_STRIPS = (1 << STRIPS) - 1, ONLY_90 = 1 << 5 };  // sets of strips, and of offsets as in has_offset

// The lines of the field: missing line i lies between rows i + 1 and i + 2.
struct FieldBytes {
    const u8* rows[FIELD_ROWS];
    u8 copies[FIELD_ROWS * BYTES_PITCH];

    FN_MEMBER void load(const FieldSamples& s, s32 width, s32 height, s32 first, s32 y0, s32 lines) {
        for (s32 i = 0; i < lines + 3; ++i)
            rows[i] = bytes_of_line(s, line_in_picture(y0 + 2 * i - 3, height), width, first, copies + i * BYTES_PITCH);
    }
};

// Costs of a pair along an angle between a row and the next one.
FN PairWords cost_of_pairs(const u8* const* rows, s32 offset, s32 x) {
    return sum_of_pair(difference(bytes_at(rows[1] + x + offset), bytes_at(rows[0] + x - offset)));
}

// Over the 6x3 window, and of the pair in its middle row.
struct WindowCost {
    PairWords all, close;
};
FN WindowCost cost_of_window(const u8* const* rows, s32 offset, s32 x) {
    const PairWords close = cost_of_pairs(rows + 1, offset, x);
    PairWords all = close;
    UNROLL for (s32 row = 0; row < 3; ++row) {
        all = all + cost_of_pairs(rows + row, offset, x - 2) + cost_of_pairs(rows + row, offset, x + 2);
        if (row != 1) all = all + cost_of_pairs(rows + row, offset, x);
    }
    return {all, close};
}

// SUM_H1 and SUM_H2 of a row.
struct Detail {
    PairWords h1, h2;
};
FN Detail detail_of(const u8* row, s32 x) {
    const BytePairs a = bytes_at(row + x - 2), b = bytes_at(row + x - 1), c = bytes_at(row + x), d = bytes_at(row + x + 1);
    const BytePairs e = bytes_at(row + x + 2), f = bytes_at(row + x + 3), end = bytes_at(row + x + 4);
    const PairWords h1 = sum_of_pair(difference(a, b)) + sum_of_pair(difference(c, d)) + sum_of_pair(difference(e, f));
    const BytePairs low = min_of(min_of(min_of(a, b), min_of(c, d)), min_of(e, f));
    const BytePairs high = max_of(max_of(max_of(a, b), max_of(c, d)), max_of(e, f));
    const BytePairs below = min_of(a, end) - min_of(low, end), above = max_of(high, end) - max_of(a, end);
    const PairWords beyond = first_of_pair(max_of(below, above));
    return {h1, first_of_pair(difference(a, end)) + beyond + beyond};
}

// What the windows of three angles add up to in each column.
struct ColumnCosts {
    u16 n45[ANGLE_LINES * ANGLE_PITCH], v90[ANGLE_LINES * ANGLE_PITCH], p45[ANGLE_LINES * ANGLE_PITCH];
};
FN void sum_columns(const FieldBytes& field, s32 offset, s32 lines, u16* sums) {
    for (s32 strip = 0; strip < STRIPS; ++strip) {
        const s32 x = strip * LANE_BYTES;
        PairWords first = cost_of_pairs(field.rows, offset, x), second = cost_of_pairs(field.rows + 1, offset, x);
        for (s32 i = 0; i < lines; ++i) {
            const PairWords third = cost_of_pairs(field.rows + i + 2, offset, x);
            store(sums + i * ANGLE_PITCH + ANGLE_SPARE + strip * LANE_PAIRS, first + second + third);
            first = second;
            second = third;
        }
    }
    for (s32 i = 0; i < lines; ++i) {  // the first and the last element are not used
        sums[i * ANGLE_PITCH + ANGLE_SPARE - 1] = 0;
        sums[i * ANGLE_PITCH + ANGLE_SPARE + ANGLE_WIDTH] = 0;
    }
}
FN PairWords window_of(const u16* columns) { return words_at(columns - 1) + words_at(columns) + words_at(columns + 1); }

// Costs of 45 degrees to both sides, of 90, and where the former may be taken.
struct Lean {
    PairWords right45, left45, cost90, taken;
};
template <bool OURS> FN Lean lean_of(const AngleLimits& limits, const ColumnCosts& sums, s32 at) {
    const PairWords right45 = window_of(sums.p45 + at), left45 = window_of(sums.n45 + at), cost90 = window_of(sums.v90 + at);
    const PairWords cost45 = min_of(right45, left45), other = max_of(right45, left45);
    if (OURS) {
        const PairWords below = less(cost45 + every_word(limits.delta), cost90);
        return {right45, left45, cost90, below & less(cost45, other)};
    }
    return {right45, left45, cost90, less(cost45 + every_word(limits.threshold), min_of(other, cost90))};
}

// The same decision as decide_line's, of a strip whose taken45 has bits.
template <bool OURS>
FN_APART void decide_strip(const AngleLimits& limits, const u8* const* rows, const ColumnCosts& sums, s32 at, s32 x, s8* out) {
    const Lean lean = lean_of<OURS>(limits, sums, at);
    const PairWords delta = every_word(limits.delta), threshold = every_word(limits.threshold);
    const PairWords right = less(lean.right45, lean.left45), left = less(lean.left45, lean.right45);
    const bool goes_right = has_bits(right & lean.taken), goes_left = has_bits(left & lean.taken);
    WindowCost costs[STEEPEST + 1];  // 45, 27, 18 and 11 degrees, of the side that is less at 45
    costs[1].all = min_of(lean.right45, lean.left45);
    costs[1].close = pick(right, cost_of_pairs(rows + 1, 1, x), cost_of_pairs(rows + 1, -1, x));
    for (s32 side = 2; side <= STEEPEST; ++side) {
        const s32 offset = angle_offset(STEEPEST + side);
        const WindowCost to_right = goes_right ? cost_of_window(rows, offset, x) : WindowCost{};
        const WindowCost to_left = goes_left ? cost_of_window(rows, -offset, x) : WindowCost{};
        costs[side] = {pick(right, to_right.all, to_left.all), pick(right, to_right.close, to_left.close)};
    }
    const PairWords take27 = lean.taken & less(costs[2].all + delta, costs[1].all);
    const PairWords take18 = take27 & less(costs[3].all + delta, costs[2].all);
    const PairWords take11 = take18 & less(costs[4].all + delta, costs[3].all);
    const PairWords lowest =
        pick(take11, costs[4].all, pick(take18, costs[3].all, pick(take27, costs[2].all, costs[1].all)));
    const PairWords closest =
        pick(take11, costs[4].close, pick(take18, costs[3].close, pick(take27, costs[2].close, costs[1].close)));
    const PairWords close90 = cost_of_pairs(rows + 1, 0, x);
    const Detail above = detail_of(rows[1], x), below = detail_of(rows[2], x);
    const PairWords fine = above.h1 + below.h1, smooth = above.h2 + below.h2 + every_word(limits.t1);
    const PairWords too_fine = without(less(smooth, fine), less(fine, every_word(limits.t2)));
    const PairWords worse =
        less(lean.cost90 + times_8(close90), lowest + times_8(closest) + every_word(limits.close_up));
    PairWords taken = without(without(lean.taken, too_fine), worse);
    const PairWords sure = less(lowest, threshold);
    taken = OURS ? without(taken, without(take18, sure)) : taken & sure;
    const PairWords size = every_word(1) - take27 - take18 - take11 - take11;  // a mask is -1
    store_each(out, ((size & taken) ^ left) - left);
}

// The angles of a tile, 0 where none was looked for: in strips of a line that are `wanted`.
struct ByteAngles {
    ColumnCosts sums;
    s8 decided[ANGLE_LINES * ANGLE_PITCH];
    u32 used[ANGLE_LINES * STRIPS];  // sets of offsets
};
template <bool OURS>
FN void find_byte_angles(const AngleLimits& limits, const FieldBytes& field, ByteAngles& s, const u32* wanted, s32 first,
                         s32 pairs, s32 total, s32 lines, s8* angles) {
    sum_columns(field, 0, lines, s.sums.v90);
    sum_columns(field, 1, lines, s.sums.p45);
    sum_columns(field, -1, lines, s.sums.n45);
    for (s32 i = 0; i < lines; ++i) {
        const s32 start = i * ANGLE_PITCH + ANGLE_SPARE;
        s8* decided = s.decided + start;
        u32 leaning = 0;
        for (s32 strip = 0; strip < STRIPS; ++strip) {
            const Lean lean = lean_of<OURS>(limits, s.sums, start + strip * LANE_PAIRS);
            leaning |= (u32)has_bits(lean.taken) << strip;
        }
        leaning &= wanted[i] | wanted[i] << 1 | wanted[i] >> 1;  // medians look beside
        FOR_EACH(k, ANGLE_PITCH) decided[k - ANGLE_SPARE] = 0;
        FOR_EACH(k, ANGLE_WIDTH) angles[i * ANGLE_PITCH + k] = 0;
        FOR_EACH(k, STRIPS) s.used[i * STRIPS + k] = ONLY_90;
        if (!leaning) continue;
        for (s32 strip = 0; strip < STRIPS; ++strip) {
            if (!(leaning >> strip & 1)) continue;
            const s32 k = strip * LANE_PAIRS;
            decide_strip<OURS>(limits, field.rows + i, s.sums, start + k, 2 * k, decided + k);
        }
        if (first == 0) decided[1] = decided[2];  // the sides of the picture repeat
        if (first + pairs == total) decided[pairs + 2] = decided[pairs + 1];
        for (s32 strip = 0; strip < STRIPS; ++strip) {
            if (!(leaning >> strip & 1)) continue;
            const s8* __restrict__ around = decided + strip * LANE_PAIRS;
            s8* __restrict__ settled = angles + i * ANGLE_PITCH + strip * LANE_PAIRS;
            FOR_EACH(k, LANE_PAIRS) settled[k] = median(around[k - 1], around[k], around[k + 1]);
            u32 set = 0;
            for (s32 k = 0; k < LANE_PAIRS; ++k) set |= 1u << (settled[k] + 5);
            s.used[i * STRIPS + strip] = set;
        }
    }
}

// Means along the angles.
FN BytePairs interpolated(const u8* const* rows, s32 x, const s8* angles, u32 used) {
    BytePairs made = average(bytes_at(rows[1] + x), bytes_at(rows[2] + x));
    if (used == ONLY_90) return made;
    const PairWords chosen = one_for_each(angles);
    for (s32 angle = 0; angle < ANGLES; ++angle) {
        const s32 offset = angle_offset(angle);
        if (angle == STEEPEST || !(used >> (offset + 5) & 1)) continue;
        const BytePairs along = average(bytes_at(rows[1] + x - offset), bytes_at(rows[2] + x + offset));
        made = pick(equal(chosen, every_word(offset)), along, made);
    }
    return made;
}
#endif
