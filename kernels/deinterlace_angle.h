// The angle along which a pair of missing pixels is interpolated: nine directions, two fallbacks, the median of
// neighbors (seed 003:1054-1136).
//
// Rows of a tile are the lines of the field that is there; missing line i lies between rows i + 1 and i + 2.
#pragma once
#include "deinterlace.h"

// A tile settles ANGLE_PAIRS pairs and computes ANGLE_WIDTH of them, two more on either side, so that every vector loop
// has a constant length. Element k of a row is pair k - 2 of the tile; rows begin and end with spare elements.
enum { ANGLE_WIDTH = ON_DEVICE(128, 32), ANGLE_PAIRS = ANGLE_WIDTH - 4, ANGLE_LINES = 8 };
enum { FIELD_MARGIN = 4, FIELD_WIDTH = ANGLE_WIDTH + 2 * FIELD_MARGIN, FIELD_ROWS = ANGLE_LINES + 3 };
enum { ANGLE_SPARE = 8, ANGLE_PITCH = ANGLE_WIDTH + 2 * ANGLE_SPARE };
enum { ANGLES = 9, STEEPEST = 4 };

// Offset of a window against its pair for -11, -18, -27, -45, 90, 45, 27, 18 and 11 degrees.
FN s32 angle_offset(s32 angle) {
    const s32 side = angle < STEEPEST ? STEEPEST - angle : angle - STEEPEST, size = side == 4 ? 5 : side;
    return angle < STEEPEST ? -size : size;
}

struct AngleLimits {
    s32 ours;              // whether the decision is texsamp's own and not the manual's
    s32 delta, threshold;  // decision
    s32 t1, t2;            // fallback mode 1
    s32 close_up;          // fallback mode 2, times 8
};

template <typename T> struct FieldRows {
    T even[FIELD_ROWS * FIELD_WIDTH], odd[FIELD_ROWS * FIELD_WIDTH];

    // Row r so that element k is the sample at `offset` from the even pixel of its pair.
    FN_MEMBER const T* at(s32 row, s32 offset) const {
        return ((offset & 1) ? odd : even) + row * FIELD_WIDTH + FIELD_MARGIN + (offset >> 1);
    }
};

// Per angle and row: the difference of each pair's two pixels along the angle, between this row and the next one.
struct AngleCosts {
    u16 pair[ANGLES][(FIELD_ROWS - 1) * ANGLE_PITCH];
};

// What the first fallback compares: SUM_H1 and SUM_H2 of each row.
struct FineDetail {
    u16 h1[FIELD_ROWS * ANGLE_PITCH], h2[FIELD_ROWS * ANGLE_PITCH];
};

// Phase: costs of an angle, and zeros beside them.
template <typename T> FN void angle_costs(const FieldRows<T>& field, AngleCosts& costs, s32 angle, s32 i) {
    const s32 offset = angle_offset(angle);
    const T* __restrict__ below0 = field.at(i + 1, offset);
    const T* __restrict__ above0 = field.at(i, -offset);
    const T* __restrict__ below1 = field.at(i + 1, offset + 1);
    const T* __restrict__ above1 = field.at(i, 1 - offset);
    u16* __restrict__ out = costs.pair[angle] + i * ANGLE_PITCH + ANGLE_SPARE;
    FOR_LINE(k, ANGLE_WIDTH) out[k] = (u16)(difference(below0[k], above0[k]) + difference(below1[k], above1[k]));
    FOR_LINE(k, 2) out[k * (ANGLE_WIDTH + 1) - 1] = 0;
}
template <typename T> FN void pair_costs(const FieldRows<T>& field, AngleCosts& costs, s32 rows) {
    FOR_LINES(i, rows) {
        for (s32 angle = 0; angle < ANGLES; ++angle) angle_costs(field, costs, angle, i);
    }
}

// Phase: SUM_H1 is the way a line goes up and down over its 7 samples; SUM_H2 the least way that touches the farthest
// of them: from the first to the last, and there and back for what lies outside them.
template <typename T> FN void measure_detail(const FieldRows<T>& field, FineDetail& detail, s32 rows) {
    FOR_LINES(i, rows) {
        const T* __restrict__ e = field.at(i + 1, 0);
        const T* __restrict__ o = field.at(i + 1, 1);
        u16* __restrict__ h1 = detail.h1 + i * ANGLE_PITCH + ANGLE_SPARE;
        u16* __restrict__ h2 = detail.h2 + i * ANGLE_PITCH + ANGLE_SPARE;
        FOR_LINE(q, ANGLE_WIDTH) {
            const T a = e[q - 1], b = o[q - 1], c = e[q], d = o[q], f = e[q + 1], g = o[q + 1], end = e[q + 2];
            const T low = min_of(min_of(min_of(a, b), min_of(c, d)), min_of(f, g));
            const T high = max_of(max_of(max_of(a, b), max_of(c, d)), max_of(f, g));
            const T below = (T)(min_of(a, end) - min_of(low, end)), above = (T)(max_of(high, end) - max_of(a, end));
            h1[q] = (u16)((u16)(difference(a, b) + difference(b, c)) + (u16)(difference(c, d) + difference(d, f)) +
                          (u16)(difference(f, g) + difference(g, end)));
            h2[q] = (u16)(difference(a, end) + 2 * max_of(below, above));
        }
    }
}

FN u16 sum_of_three(const u16* row, s32 q) { return (u16)((u16)(row[q - 1] + row[q]) + row[q + 1]); }

// 6x3 window: three pairs of three rows.
FN u16 cost_6x3(const u16* row, s32 q) {
    return (u16)((u16)(sum_of_three(row, q) + sum_of_three(row + ANGLE_PITCH, q)) + sum_of_three(row + 2 * ANGLE_PITCH, q));
}

// Costs as the type they are compared in: those of 8-bit samples fit 15 bits, and signed comparisons are faster.
template <typename T> struct CostType { typedef u16 type; };
template <> struct CostType<u8> { typedef s16 type; };

// Phase: the angles of missing line i before the median, as signed offsets; not of the first and last element. As the
// manual draws it (SNB volume 4 part 1, page 43) 45 degrees must be below both its opposite and 90 by the threshold,
// and so must be the cost of every result; OURS asks for delta alone, and for the threshold at 18 and 11 degrees.
template <typename C, bool OURS>
FN void decide_line(const AngleLimits& limits, const AngleCosts& costs, const FineDetail& detail, s32 i,
                    s8* __restrict__ out) {
    const s32 start = i * ANGLE_PITCH + ANGLE_SPARE;
    const u16* __restrict__ n11 = costs.pair[0] + start;
    const u16* __restrict__ n18 = costs.pair[1] + start;
    const u16* __restrict__ n27 = costs.pair[2] + start;
    const u16* __restrict__ n45 = costs.pair[3] + start;
    const u16* __restrict__ v90 = costs.pair[STEEPEST] + start;
    const u16* __restrict__ p45 = costs.pair[5] + start;
    const u16* __restrict__ p27 = costs.pair[6] + start;
    const u16* __restrict__ p18 = costs.pair[7] + start;
    const u16* __restrict__ p11 = costs.pair[8] + start;
    const u16* __restrict__ h1_above = detail.h1 + start;
    const u16* __restrict__ h2_above = detail.h2 + start;
    const u16* __restrict__ h1_below = h1_above + ANGLE_PITCH;
    const u16* __restrict__ h2_below = h2_above + ANGLE_PITCH;
    const C delta = (C)limits.delta, threshold = (C)limits.threshold, t1 = (C)limits.t1, t2 = (C)limits.t2;
    const C close_up = (C)limits.close_up;
    FOR_LINE(q, ANGLE_WIDTH) {
        const C close90 = (C)v90[q + ANGLE_PITCH];  // 2x1 window: the middle row alone
        // One side: the lesser of the two 45 degree costs, and on from there as long as it goes down.
        const C right45 = (C)cost_6x3(p45, q), left45 = (C)cost_6x3(n45, q);
        const C right = less(right45, left45), left = less(left45, right45);
        const C cost90 = (C)cost_6x3(v90, q);
        const C cost45 = pick(right, right45, left45);
        const C cost27 = pick(right, (C)cost_6x3(p27, q), (C)cost_6x3(n27, q));
        const C cost18 = pick(right, (C)cost_6x3(p18, q), (C)cost_6x3(n18, q));
        const C cost11 = pick(right, (C)cost_6x3(p11, q), (C)cost_6x3(n11, q));
        const C printed = less((C)(cost45 + threshold), min_of(max_of(right45, left45), cost90));
        const C take45 = OURS ? (C)((right | left) & less((C)(cost45 + delta), cost90)) : printed;
        const C take27 = (C)(take45 & less((C)(cost27 + delta), cost45));
        const C take18 = (C)(take27 & less((C)(cost18 + delta), cost27));
        const C take11 = (C)(take18 & less((C)(cost11 + delta), cost18));
        const C lowest = pick(take11, cost11, pick(take18, cost18, pick(take27, cost27, cost45)));
        const C close45 = pick(right, (C)p45[q + ANGLE_PITCH], (C)n45[q + ANGLE_PITCH]);
        const C close27 = pick(right, (C)p27[q + ANGLE_PITCH], (C)n27[q + ANGLE_PITCH]);
        const C close18 = pick(right, (C)p18[q + ANGLE_PITCH], (C)n18[q + ANGLE_PITCH]);
        const C close11 = pick(right, (C)p11[q + ANGLE_PITCH], (C)n11[q + ANGLE_PITCH]);
        const C closest = pick(take11, close11, pick(take18, close18, pick(take27, close27, close45)));
        const C sure = (C)((OURS ? (C)~take18 : (C)0) | less(lowest, threshold));
        const C fine = (C)(h1_above[q] + h1_below[q]), smooth = (C)((C)(h2_above[q] + h2_below[q]) + t1);
        const C too_fine = (C)(less(smooth, fine) & ~less(fine, t2));
        const C worse = less((C)(cost90 + (C)(8 * close90)), (C)(lowest + (C)((C)(8 * closest) + close_up)));
        const C size = (C)(1 - take27 - take18 - (C)(2 * take11));  // a mask is -1
        const C chosen = (C)(size & take45 & sure & ~too_fine & ~worse);
        out[q] = (s8)(C)((chosen ^ left) - left);
    }
}
