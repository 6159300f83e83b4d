// Motion between fields (texsamp's own, docs/deinterlace-hq.md (61) to (64), (67), (76)): for blocks of 16 pixels by 4
// missing lines the way to the fields before and after, to a quarter of a pixel.
#pragma once
#include "field_shift.h"
#include "portable_differences.h"
#include "portable_rolled.h"

enum { VECTOR_BLOCK = 16, VECTOR_LINES = 4, VECTOR_HIGH = 8 };  // of a block; lines that are compared for it
enum { VECTOR_BLOCKS = ON_DEVICE(128, 32) };  // of a tile
enum { VECTOR_CALM = 256, VECTOR_STANDS = 768, VECTOR_APART = 24, VECTOR_DOUBTED = 65535, VECTOR_COMBED = 4096 };
enum { ASIDE = 2, ASIDE_CALM = 128 };  // quarters of a pixel; what may comb for other reasons

// Guides' first samples that are in the picture; they lie alike.
struct VectorGuides {
    const u8 *own, *other;      // the lines of the missing parity, of the field's frame and of the other one
    const u8 *field, *beyond;  // those of the field's parity
};

// As a field's shift has them seen, in guides `part` of the width.
FN VectorGuides shifted_guides(VectorGuides guides, const FieldShift& by, s32 pitch, s32 part) {
    const s64 way = (s64)by.y * pitch + by.x / part;
    guides.own += way;
    guides.other += way;
    guides.beyond += (s64)by.beyond_y * pitch + by.beyond_x / part;
    return guides;
}

// What a block's samples of both fields comb with the field's lines where a vector leads, and with both two quarters to the left
// and to the right of that. All 0 where nothing leads elsewhere, or little combs.
struct VectorCombs {
    u16 middle, left, right;
};

struct VectorFineParams {
    VectorGuides guides;
    const FieldShift* shift;
    const s8 *coarse_x, *coarse_y;
    s8 *x, *y;  // quarters of a pixel and of a line of a field
    u16* cost;
    VectorCombs* combs;  // as cost
    s32 guide_pitch_B, coarse_pitch_B, pitch_B, cost_pitch_B, combs_pitch_B;
    s32 columns, rows;  // of blocks
    s32 parity;         // of the field
};
static_assert(sizeof(VectorFineParams) == 120, "parameter layout");

// The costs of 16 samples of some lines: between the fields beside, and over twice the way between the fields of the
// field's own parity; `limit` or more as soon as they are that much.
struct Compared {
    const u8 *own, *other, *field, *beyond;
};

FN s32 compared_cost(const Compared& at, s64 rows, s32 count, s32 limit) {
    s32 sum = 0;
    for (s32 k = 0; k < count && sum < limit; k += 2) {
        Differences sums = no_differences();
        UNROLL for (s32 j = 0; j < 2; ++j) {
            const s64 line = (k + j) * rows;
            add_differences(sums, bytes_16(at.own + line), bytes_16(at.other + line));
            add_differences(sums, bytes_16(at.field + line), bytes_16(at.beyond + line));
        }
        sum += total(sums);
    }
    return sum;
}

// What a vector of whole samples costs.
FN s32 whole_cost(const VectorGuides& guides, s32 pitch, s64 at, s32 x, s32 y, s32 limit) {
    const s64 way = (s64)y * pitch + x;
    const Compared both = {guides.own + at + way, guides.other + at - way, guides.field + at, guides.beyond + at - 2 * way};
    return compared_cost(both, pitch, VECTOR_HIGH, limit);
}

// 0, -1, 1, -2, 2 and so on.
FN s32 outward(s32 n) { return n & 1 ? -((n + 1) >> 1) : n >> 1; }

// Of a vector in quarters.
FN s32 length_of(s32 x, s32 y) { return max_of(x, -x) + 2 * max_of(y, -y); }

struct FoundVector {
    s32 x, y, cost;
};

// A sample between two, in quarters: a half is their mean, a quarter that of the half and the nearer one.
FN Bytes16 between(Bytes16 a, Bytes16 b, s32 quarters) {
    const Bytes16 half = average(a, b);
    return quarters == 2 ? half : average(quarters == 1 ? a : b, half);
}

// The samples of a block's lines from a place in quarters on: first across, then down. The row more is for that.
template <s32 LINES, s32 ACROSS, s32 DOWN>
FN void block_by(const u8* at, s32 pitch, Bytes16* rows) {
    Bytes16 above = bytes_16(at);
    UNROLL for (s32 k = 0; k < LINES + (DOWN != 0); ++k) {
        const u8* line = at + (s64)k * pitch;
        const Bytes16 row = ACROSS == 0 ? bytes_16(line) : between(bytes_16(line), bytes_16(line + 1), ACROSS);
        if (DOWN == 0) rows[k] = row;
        if (DOWN != 0 && k > 0) rows[k - 1] = between(above, row, DOWN);
        above = row;
    }
}

template <s32 LINES, s32 ACROSS>
FN void block_down(const u8* at, s32 pitch, s32 down, Bytes16* rows) {
    if (down == 0) return block_by<LINES, ACROSS, 0>(at, pitch, rows);
    if (down == 1) return block_by<LINES, ACROSS, 1>(at, pitch, rows);
    if (down == 2) return block_by<LINES, ACROSS, 2>(at, pitch, rows);
    block_by<LINES, ACROSS, 3>(at, pitch, rows);
}

// On the host a loop for each pair of parts, since what a loop asks of every line costs more than it does.
template <s32 LINES = VECTOR_HIGH> FN_ONCE void block_between(const u8* guide, s32 pitch, s32 x, s32 y, Bytes16* rows) {
    const u8* at = guide + (s64)(y >> 2) * pitch + (x >> 2);
    const s32 across = x & 3, down = y & 3, count = LINES + (down != 0);
    if (ON_DEVICE(true, false)) {
        if (across == 0) return block_down<LINES, 0>(at, pitch, down, rows);
        if (across == 1) return block_down<LINES, 1>(at, pitch, down, rows);
        if (across == 2) return block_down<LINES, 2>(at, pitch, down, rows);
        return block_down<LINES, 3>(at, pitch, down, rows);
    }
    if (across == 0) {
        for (s32 k = 0; k < count; ++k) rows[k] = bytes_16(at + (s64)k * pitch);
    } else {
        for (s32 k = 0; k < count; ++k) {
            const u8* line = at + (s64)k * pitch;
            rows[k] = between(bytes_16(line), bytes_16(line + 1), across);
        }
    }
    if (down == 0) return;
    for (s32 k = 0; k < LINES; ++k) rows[k] = between(rows[k], rows[k + 1], down);
}

// The cost of a vector in quarters.
FN s32 quarter_cost(const VectorFineParams& p, s64 at, s32 x, s32 y, s32 limit) {
    const s32 pitch = p.guide_pitch_B;
    if (((x | y) & 3) == 0) return whole_cost(p.guides, pitch, at, x >> 2, y >> 2, limit);
    Bytes16 a[VECTOR_HIGH + 1], b[VECTOR_HIGH + 1];
    block_between(p.guides.own + at, pitch, x, y, a);
    block_between(p.guides.other + at, pitch, -x, -y, b);
    Differences sums = no_differences();
    for (s32 k = 0; k < VECTOR_HIGH; ++k) add_differences(sums, a[k], b[k]);
    if (total(sums) >= limit) return limit;
    block_between(p.guides.beyond + at, pitch, -2 * x, -2 * y, b);
    for (s32 k = 0; k < VECTOR_HIGH; ++k) add_differences(sums, bytes_16(p.guides.field + at + (s64)k * pitch), b[k]);
    return total(sums);
}

// What the samples of a block's own lines comb in both fields with those around them, a way aside of where a vector leads.
FN u16 comb_aside(const VectorFineParams& p, s64 at, const FoundVector& found, s32 aside, const Bytes16* around) {
    Bytes16 a[VECTOR_LINES + 1], b[VECTOR_LINES + 1];
    block_between<VECTOR_LINES>(p.guides.own + at, p.guide_pitch_B, aside + found.x, found.y, a);
    block_between<VECTOR_LINES>(p.guides.other + at, p.guide_pitch_B, aside - found.x, -found.y, b);
    Differences sums = no_differences();
    for (s32 k = 0; k < VECTOR_LINES; ++k) {
        add_differences(sums, a[k], around[k]);
        add_differences(sums, b[k], around[k]);
    }
    return (u16)total(sums);
}

// What the samples of all of a block's lines comb in both fields where a vector leads.
FN_ONCE s32 comb_of(const VectorFineParams& p, s64 at, s32 x, s32 y) {
    const s32 pitch = p.guide_pitch_B;
    Bytes16 a[VECTOR_HIGH + 1], b[VECTOR_HIGH + 1];
    block_between(p.guides.own + at, pitch, x, y, a);
    block_between(p.guides.other + at, pitch, -x, -y, b);
    Differences sums = no_differences();
    for (s32 k = 0; k < VECTOR_HIGH; ++k) {
        const u8* above = p.guides.field + at + (s64)(k - p.parity) * pitch;
        const Bytes16 around = average(bytes_16(above), bytes_16(above + pitch));
        add_differences(sums, a[k], around);
        add_differences(sums, b[k], around);
    }
    return total(sums);
}

// Whether what a vector shows fits between the field's lines better than either field beside it as it is: fields of one
// picture have vectors too, half as long as the way to the next picture. And how its own lines comb.
FN bool combs_less(const VectorFineParams& p, s64 at, const FoundVector& found, VectorCombs& combs) {
    const s32 pitch = p.guide_pitch_B, beside = (VECTOR_HIGH - VECTOR_LINES) / 2;
    Bytes16 a[VECTOR_HIGH + 1], b[VECTOR_HIGH + 1], around[VECTOR_HIGH];
    block_between(p.guides.own + at, pitch, found.x, found.y, a);
    block_between(p.guides.other + at, pitch, -found.x, -found.y, b);
    Differences inner = no_differences(), outer = inner, own = inner, other = inner;
    for (s32 k = 0; k < VECTOR_HIGH; ++k) {
        const s64 line = at + (s64)k * pitch;
        const u8* above = p.guides.field + line - p.parity * pitch;
        around[k] = average(bytes_16(above), bytes_16(above + pitch));
        Differences& moved = k >= beside && k < beside + VECTOR_LINES ? inner : outer;
        add_differences(moved, a[k], around[k]);
        add_differences(moved, b[k], around[k]);
        add_differences(own, bytes_16(p.guides.own + line), around[k]);
        add_differences(other, bytes_16(p.guides.other + line), around[k]);
    }
    const s32 middle = total(inner);
    if (middle > ASIDE_CALM) {
        const s64 first = at + beside * pitch;
        combs = {(u16)middle, comb_aside(p, first, found, -ASIDE, around + beside), comb_aside(p, first, found, ASIDE, around + beside)};
    }
    return middle + total(outer) < 2 * min_of(total(own), total(other));
}
