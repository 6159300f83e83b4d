// Where a field lies beside those about it (texsamp's own, docs/deinterlace-hq.md (83)): a camera that shakes moves
// every picture by itself, so that no field is in the middle of the way between those beside it. Of the middle of a
// picture sums by column and by line are compared.
#pragma once
#include "field_guides.h"
#include "magnitude.h"
#include "portable_differences.h"

enum { SUMS_WIDTH = 1024, SUMS_LINES = 512 };                        // at most, of the middle of a field
enum { SUMS_STRIP = ON_DEVICE(256, 16) };                                         // lines that are added up by column
enum { SUMS_GROUP = ON_DEVICE(256, 32) };                                         // samples that are added up by line
enum { SHIFT_REACH_X = 24, SHIFT_REACH_Y = 16, SHIFT_WAYS = 49 };    // pixels, lines of a frame; ways to try at most
enum { SHIFT_LEAST = 64 };                                           // gradients to compare
enum { SHIFT_PARTS = 8, SHIFT_AGREED = 5 };                          // of what is compared; that show it
enum { SHIFT_SUM_X = 2, SHIFT_SUM_Y = 3 };                           // of both ways: what is less is no shift
enum { SHIFT_MOST_X = 13, SHIFT_MOST_Y = 9, SHIFT_APART = 27 };      // what is more is not sought; sums to try at most
enum { SHIFT_BEYOND_X = 8, SHIFT_BEYOND_Y = 3 };                     // pixels, lines of a field: what is more is not believed

// In whole pixels and lines of a field: where the fields beside a field are to be seen from, and the one of its own parity.
struct FieldShift {
    s32 x, y, beyond_x, beyond_y;
};

// What is summed of both fields of a frame: the sums of strips by column, the top field's first, then those of groups by line.
struct Summed {
    s32 width, lines;
};
FN s32 strips_of(const Summed& of) { return (of.lines + SUMS_STRIP - 1) / SUMS_STRIP; }
FN s32 groups_of(const Summed& of) { return (of.width + SUMS_GROUP - 1) / SUMS_GROUP; }
FN s32 strip_at(const Summed& of, s32 parity, s32 strip) { return (parity * strips_of(of) + strip) * of.width; }
FN s32 line_at(const Summed& of, s32 parity, s32 line) {
    return 2 * strips_of(of) * of.width + (parity * of.lines + line) * groups_of(of);
}

struct FieldSumsParams {
    const u8* guide;  // of the top field: its first sample that is summed
    u16* sums;
    s32 pitch_B;
    s32 apart_B;  // to that of the bottom field
    Summed of;
};
static_assert(sizeof(FieldSumsParams) == 32, "parameter layout");

TABLE u8 SUMS_NOTHING[16] = {};

FN void field_sums_tile(const FieldSumsParams& p, s32 strip, s32 parity) {
    const s32 first = strip * SUMS_STRIP, lines = min_of<s32>(SUMS_STRIP, p.of.lines - first);
    const u8* at = p.guide + parity * (s64)p.apart_B + first * (s64)p.pitch_B;
    u16* __restrict__ columns = p.sums + strip_at(p.of, parity, strip);
    const s64 pitch = p.pitch_B;
    FOR_EACH(x, p.of.width) columns[x] = 0;
    s32 i = 0;
    for (; i + 4 <= lines; i += 4) {  // a thread has the same columns each time
        const u8* __restrict__ line = at + i * pitch;
        const u8* __restrict__ second = line + pitch;
        const u8* __restrict__ third = second + pitch;
        const u8* __restrict__ fourth = third + pitch;
        FOR_EACH(x, p.of.width) {
            columns[x] = (u16)(columns[x] + (u16)((u16)(line[x] + second[x]) + (u16)(third[x] + fourth[x])));
        }
    }
    for (; i < lines; ++i) {
        const u8* __restrict__ line = at + i * pitch;
        FOR_EACH(x, p.of.width) columns[x] = (u16)(columns[x] + line[x]);
    }
    const s32 groups = groups_of(p.of);
    const Bytes16 nothing = bytes_16(SUMS_NOTHING);
    FOR_ITEMS(n, lines * groups) {
        const s32 i = n / groups, group = n % groups, x = group * SUMS_GROUP, count = min_of<s32>(SUMS_GROUP, p.of.width - x);
        const u8* line = at + i * pitch + x;
        Differences sums = no_differences();
        for (s32 k = 0; k + 16 <= count; k += 16) add_differences(sums, bytes_16(line + k), nothing);
        s32 sum = total(sums);
        for (s32 k = count & ~15; k < count; ++k) sum += line[k];
        p.sums[line_at(p.of, parity, first + i) + group] = (u16)sum;
    }
}

struct FieldShiftParams {
    const u16 *own, *other;  // sums of the field's frame and of the other one
    FieldShift* shift;
    Summed of;
    s32 parity;  // of the field
    s32 pad_;
};
static_assert(sizeof(FieldShiftParams) == 40, "parameter layout");

// The field itself, those beside it and the other one of its parity.
enum { SHIFT_FIELD, SHIFT_OWN, SHIFT_OTHER, SHIFT_BEYOND, SHIFT_FIELDS };

struct ShiftScratch {
    s32 sums[SHIFT_FIELDS][SUMS_WIDTH];
    u8 gradients[SHIFT_FIELDS][SUMS_WIDTH];  // about 128
    s32 costs[SHIFT_FIELDS][SHIFT_PARTS][SHIFT_WAYS];
    s32 whole[SHIFT_FIELDS][SHIFT_WAYS];  // of all parts
    s32 apart[SHIFT_APART], ways_to[SHIFT_APART];  // the least cost of ways to own and other of each sum, and the way to own
    s32 found;                                     // the sum that costs least
    s32 agreed[SHIFT_PARTS];
    FieldShift shift;  // found so far
};

struct ShiftedField {
    const u16* sums;
    s32 parity;
};
FN ShiftedField shifted_field(const FieldShiftParams& p, s32 n) {
    const bool is_own = n == SHIFT_FIELD || n == SHIFT_OWN, is_beside = n == SHIFT_OWN || n == SHIFT_OTHER;
    return {is_own ? p.own : p.other, is_beside ? 1 - p.parity : p.parity};
}

// By how many bits a sum of `count` is made smaller, as a division takes long.
FN s32 mean_shift(s32 count) {
    s32 shift = 0;
    while ((1 << shift) < count) ++shift;
    return shift;
}

// 8 times the sum at a line of a frame, of lines of one parity: smooth, as those between are.
FN s32 smooth_line(const s32* sums, s32 y, s32 parity) {
    const s32 k = (y - parity) >> 1;
    return ((y - parity) & 1) ? 4 * (sums[k] + sums[k + 1]) : sums[k - 1] + 6 * sums[k] + sums[k + 1];
}
FN s32 down_gradient(const s32* sums, s32 y, s32 parity) { return smooth_line(sums, y + 1, parity) - smooth_line(sums, y, parity); }

// Phase: sums of all four fields by column, or by line.
FN void add_sums(const FieldShiftParams& p, ShiftScratch& s, bool down) {
    const s32 groups = groups_of(p.of), strips = strips_of(p.of);
    for (s32 field = 0; field < SHIFT_FIELDS; ++field) {
        const ShiftedField of = shifted_field(p, field);
        s32* __restrict__ sums = s.sums[field];
        if (down) {
            const u16* __restrict__ at = of.sums + line_at(p.of, of.parity, 0);
            FOR_ITEMS(k, p.of.lines) {
                s32 sum = 0;
                for (s32 i = 0; i < groups; ++i) sum += at[k * groups + i];
                sums[k] = sum;
            }
        } else {
            const u16* __restrict__ at = of.sums + strip_at(p.of, of.parity, 0);
            FOR_EACH(k, p.of.width) sums[k] = at[k];
            for (s32 i = 1; i < strips; ++i) FOR_EACH(k, p.of.width) sums[k] += at[i * p.of.width + k];
        }
    }
}

FN u8 gradient_of(s32 eighths) { return (u8)clamp_to<s32>(eighths + 128, 0, 255); }

// Phase: what they change by.
FN void take_gradients(const FieldShiftParams& p, ShiftScratch& s, s32 count, bool down) {
    const s32 shift = mean_shift(down ? p.of.width : p.of.lines);
    for (s32 field = 0; field < SHIFT_FIELDS; ++field) {
        const s32 parity = shifted_field(p, field).parity;
        const s32* __restrict__ sums = s.sums[field];
        u8* __restrict__ out = s.gradients[field];
        if (down) {
            FOR_ITEMS(k, count) out[k] = gradient_of(down_gradient(sums, k + 2, parity) >> shift);
        } else {
            FOR_EACH(k, count) out[k] = gradient_of(8 * (sums[k + 1] - sums[k]) >> shift);
        }
        FOR_ITEMS(k, -count & 3) out[count + k] = 128;  // a GPU reads words
    }
}

// Phase: what each way costs from the field to another one, by parts of the gradients that all of them reach.
FN void rate_ways(ShiftScratch& s, s32 compared, s32 reach) {
    const s32 ways = 2 * reach + 1;
    FOR_ITEMS(n, 3 * SHIFT_PARTS * ways) {
        const s32 field = SHIFT_OWN + n / (SHIFT_PARTS * ways), part = n / ways % SHIFT_PARTS, way = n % ways;
        const s32 first = compared * part / SHIFT_PARTS, end = compared * (part + 1) / SHIFT_PARTS;
        const u8* __restrict__ here = s.gradients[SHIFT_FIELD] + reach;
        const u8* __restrict__ there = s.gradients[field] + way;
        Differences sums = no_differences();
        s32 k = first;
        for (; k + 16 <= end; k += 16) add_differences(sums, bytes_16(here + k), bytes_16(there + k));
        s32 cost = total(sums);
        for (; k < end; ++k) cost += magnitude_of(there[k] - here[k]);
        s.costs[field][part][way] = cost;
    }
}

// Phase: what they cost together.
FN void add_parts_of_ways(ShiftScratch& s, s32 reach) {
    FOR_ITEMS(n, 3 * (2 * reach + 1)) {
        const s32 field = SHIFT_OWN + n / (2 * reach + 1), way = n % (2 * reach + 1);
        s32 cost = 0;
        for (s32 part = 0; part < SHIFT_PARTS; ++part) cost += s.costs[field][part][way];
        s.whole[field][way] = cost;
    }
}

// The first way that costs least.
FN s32 least_way(const s32* costs, s32 count) {
    s32 best = 0;
    for (s32 n = 1; n < count; ++n) best = costs[n] < costs[best] ? n : best;
    return best;
}

// The way to own that costs least with the one to other that both together are `sum`: of those within reach.
FN s32 way_of_sum(const s32* own, const s32* other, s32 reach, s32 sum) {
    s32 best = max_of(sum, 0);
    for (s32 to = best; to <= 2 * reach + min_of(sum, 0); ++to) {
        const s32 from = 2 * reach + sum - to, best_from = 2 * reach + sum - best;
        if (own[to] + other[from] < own[best] + other[best_from]) best = to;
    }
    return best;
}

// Phase: ways of each sum.
FN void rate_sums(ShiftScratch& s, s32 reach, s32 most) {
    FOR_ITEMS(n, 2 * most + 1) {
        const s32 to = way_of_sum(s.whole[SHIFT_OWN], s.whole[SHIFT_OTHER], reach, n - most);
        s.ways_to[n] = to;
        s.apart[n] = s.whole[SHIFT_OWN][to] + s.whole[SHIFT_OTHER][2 * reach + n - most - to];
    }
}

// Phase: in which parts these cost less than the best way there and back.
FN void ask_parts(ShiftScratch& s, s32 reach, s32 most) {
    FOR_ITEMS(n, SHIFT_PARTS) {
        const s32* own = s.costs[SHIFT_OWN][n];
        const s32* other = s.costs[SHIFT_OTHER][n];
        const s32 found = least_way(s.apart, 2 * most + 1), to = s.ways_to[found], from = 2 * reach + found - most - to;
        const s32 even = way_of_sum(own, other, reach, 0);
        s.agreed[n] = own[to] + other[from] < own[even] + other[2 * reach - even];
        if (n == 0) s.found = found;
    }
}

// The sum of both ways, if fields lie there rather than one way there and back: on the whole, and in most parts.
FN s32 shaken_by(const ShiftScratch& s, s32 compared, s32 most, s32 least) {
    s32 agreed = 0;
    for (s32 n = 0; n < SHIFT_PARTS; ++n) agreed += s.agreed[n];
    const bool shows = agreed >= SHIFT_AGREED && 4 * s.apart[s.found] + compared < 3 * s.apart[most];
    return shows && magnitude_of(s.found - most) >= least ? s.found - most : 0;
}

// Steps, if they are not more than `most`.
FN s32 within(s32 steps, s32 most) { return magnitude_of(steps) <= most ? steps : 0; }
// Of a field, as half of a sum of lines of a frame.
FN s32 whole_lines(s32 sum) { return sum < 0 ? -((2 - sum) / 4) : (sum + 2) / 4; }

FN void field_shift_tile(const FieldShiftParams& p, s32, s32) {
    SHARED ShiftScratch s;
    FOR_ITEMS(n, 1) s.shift = {0, 0, 0, 0};
    for (s32 down = 0; down < 2; ++down) {
        const s32 reach = down ? SHIFT_REACH_Y : SHIFT_REACH_X, most = down ? SHIFT_MOST_Y : SHIFT_MOST_X;
        const s32 count = down ? 2 * p.of.lines - 5 : p.of.width - 1;
        if (count < 2 * reach + SHIFT_LEAST) continue;
        BARRIER();
        add_sums(p, s, down != 0);
        BARRIER();
        take_gradients(p, s, count, down != 0);
        BARRIER();
        rate_ways(s, count - 2 * reach, reach);
        BARRIER();
        add_parts_of_ways(s, reach);
        BARRIER();
        rate_sums(s, reach, most);
        BARRIER();
        ask_parts(s, reach, most);
        BARRIER();
        FOR_ITEMS(n, 1) {
            const s32 sum = shaken_by(s, count - 2 * reach, most, down ? SHIFT_SUM_Y : SHIFT_SUM_X);
            const s32 to = s.ways_to[s.found], from = 2 * reach + s.found - most - to;
            const s32 beyond = least_way(s.whole[SHIFT_BEYOND], 2 * reach + 1) - reach - (from - to);
            if (down) {
                s.shift.y = whole_lines(sum);
                s.shift.beyond_y = within(beyond / 2, SHIFT_BEYOND_Y);
            } else {
                s.shift.x = sum / 2;
                s.shift.beyond_x = within(beyond, SHIFT_BEYOND_X);
            }
        }
    }
    BARRIER();
    FOR_ITEMS(n, 1) {
        const bool is_shifted = (s.shift.x | s.shift.y) != 0;
        *p.shift = is_shifted ? s.shift : FieldShift{0, 0, 0, 0};
    }
}
