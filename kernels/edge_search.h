// Edges at shallow angles (texsamp's own, docs/deinterlace-hq.md (51) to (54), (60), (78)): for each sample of a line
// that a field lacks the offset along which the lines about it agree best, where there is an edge that moves.
#pragma once
#include "fields.h"

enum { EDGE_GROUP = 16, EDGE_NARROW = 3, EDGE_WIDE = 5 };  // columns; between the threes that an offset costs, at least, at most
enum { EDGE_WIDTH = ON_DEVICE(64, 64), EDGE_LINES = 8 };                   // of a tile
enum { EDGE_SIDE = 32, EDGE_PITCH = EDGE_WIDTH + 2 * EDGE_SIDE, EDGE_BLOCK = ON_DEVICE(32, 1) };  // columns that loops go by
enum { EDGE_STEPS = EDGE_WIDTH + 2 * EDGE_SIDE };
enum { EDGE_OVERSHOOT = 32, EDGE_THIN = 9, EDGE_CLOSED = 1, EDGE_MOVING = 10, EDGE_FOLLOWED = 256, EDGE_BLOCK_LINES = 4 };
enum { EDGE_AGREEMENTS = 5, EDGE_CONTRASTS = 3, EDGE_RATIOS = 4, EDGE_SIDES = 3 };
enum { EDGE_KEYS = EDGE_CONTRASTS * EDGE_RATIOS * EDGE_SIDES, EDGE_CONTRAST = 20 };
enum { EDGE_SLOW = 4, EDGE_HELD = 64 };  // a bit of keys, above all that they count
static_assert(EDGE_KEYS <= EDGE_HELD, "a bit above");

// Offsets of a side, from the nearest on.
TABLE u8 EDGE_OFFSETS[] = {1, 2, 3, 4, 5, 7, 9, 11};

struct EdgeSearchParams {
    FieldSamples current, reference;  // without a reference everything moves
    s8* offsets;                      // of every missing line and column of tiles in which edges are sought
    u8* keys;  // (contrast * EDGE_RATIOS + ratio) * EDGE_SIDES + side, where the offset is not 0; EDGE_HELD in slow groups
    s32 pitch_B;                      // of both
    s32 width, height;
    s32 parity;  // of the field: 0 top
    s32 drop;    // bits of a sample below the 8 that costs look at
    s32 least;   // difference of the samples above and below where an edge may be
    const s8* vectors_y;  // of blocks of 16 columns by 4 missing lines, with what they cost; or null
    const u16* vector_costs;
    s32 vectors_pitch_B, vector_costs_pitch_B;
    u8* sought;  // of every tile on the host: whether there may be edges in it
    s32 sought_pitch_B;
    s32 pad_;
};
static_assert(sizeof(EdgeSearchParams) == 128, "parameter layout");

// Of either side the least cost and where it is, and the cost of no offset.
struct EdgeCosts {
    u16 left[EDGE_LINES * EDGE_WIDTH], right[EDGE_LINES * EDGE_WIDTH], straight[EDGE_LINES * EDGE_WIDTH];
    u16 to_left[EDGE_LINES * EDGE_WIDTH], to_right[EDGE_LINES * EDGE_WIDTH];
};

// Row i of the field is above missing line i - 1; column EDGE_SIDE is the tile's first.
struct EdgeScratch {
    u8 rows[(EDGE_LINES + 3) * EDGE_PITCH + EDGE_BLOCK];
    u8 changed[(EDGE_LINES + 2) * EDGE_WIDTH];
    u8 wanted[EDGE_LINES * EDGE_WIDTH];  // all bits where an edge may be, none where a thin line may, else EDGE_CLOSED
    u8 held[EDGE_LINES * EDGE_WIDTH];    // EDGE_HELD or 0
    s32 begin[EDGE_LINES], end[EDGE_LINES];
    u8 steps[EDGE_LINES * EDGE_STEPS];
    u16 threes[EDGE_LINES * EDGE_STEPS];
    EdgeCosts costs;
};

// Phase: a line of the field in 8 bits; the sides of the picture repeat.
template <typename T>
FN void load_edge_row(const EdgeSearchParams& p, s32 line, s32 first, u8* __restrict__ out) {
    const T* __restrict__ in = row_of<T>(p.current, line_in_picture(line, p.height));
    const s32 step = p.current.step, shift = p.current.shift, max = p.current.max, drop = p.drop, last = p.width - 1;
    const s32 start = first - EDGE_SIDE, left = clamp_to<s32>(-start, 0, EDGE_PITCH);
    const s32 right = clamp_to<s32>(p.width - start, left, EDGE_PITCH);
    const T* __restrict__ from = in + (s64)(start + left) * step;
    if (ON_DEVICE(sizeof(T) == 1 && step == 1 && drop == 0, false)) {
        copy_bytes(out + left, (const u8*)from, (u64)(right - left));
    } else if (step == 1) {
        FOR_LINE(k, right - left) out[left + k] = (u8)(sample_of(from[k], shift, max) >> drop);
    } else {
        FOR_LINE(k, right - left) out[left + k] = (u8)(sample_of(from[(s64)k * step], shift, max) >> drop);
    }
    const u8 nearest = (u8)(sample_of(in[0], shift, max) >> drop);
    const u8 farthest = (u8)(sample_of(in[(s64)last * step], shift, max) >> drop);
    FOR_LINE(k, left) out[k] = nearest;
    FOR_LINE(k, EDGE_PITCH - right) out[right + k] = farthest;
}

// Phase: by how much a line of the other parity differs before and after, in 8 bits.
template <typename T> FN void find_changed(const EdgeSearchParams& p, s32 line, s32 first, s32 count, u8* __restrict__ out) {
    const s32 inside = line_in_picture(line, p.height), step = p.current.step, shift = p.current.shift, max = p.current.max;
    const s32 drop = sizeof(T) == 1 ? 0 : p.drop;
    if (p.reference.data == nullptr) {
        FOR_LINE(k, EDGE_WIDTH) out[k] = 255;
        return;
    }
    const T* __restrict__ a = row_of<T>(p.current, inside) + (s64)first * step;
    const T* __restrict__ b = row_of<T>(p.reference, inside) + (s64)first * step;
    if (step == 1) {
        FOR_LINE(k, count) out[k] = (u8)(difference(sample_of(a[k], shift, max), sample_of(b[k], shift, max)) >> drop);
    } else {
        FOR_LINE(k, count) {
            const s64 at = (s64)k * step;
            out[k] = (u8)(difference(sample_of(a[at], shift, max), sample_of(b[at], shift, max)) >> drop);
        }
    }
    FOR_LINE(k, EDGE_WIDTH - count) out[count + k] = 0;
}

// Phase: where an edge may be, and where a thin line alone.
FN void find_wanted(const EdgeSearchParams& p, EdgeScratch& s, s32 i) {
    const u8* __restrict__ above = s.rows + (i + 1) * EDGE_PITCH + EDGE_SIDE;
    const u8* __restrict__ below = above + EDGE_PITCH;
    u8* __restrict__ wanted = s.wanted + i * EDGE_WIDTH;
    const u8 least = (u8)p.least;
    FOR_LINE(k, EDGE_WIDTH) wanted[k] = (u8)(difference(above[k], below[k]) >= least ? ~0 : 0);
}

// Whether what moves in a group is found in the fields beside it.
FN bool is_followed(const EdgeSearchParams& p, s32 line, s32 x) {
    if (p.vectors_y == nullptr) return false;
    const s64 row = line / EDGE_BLOCK_LINES, column = x / EDGE_GROUP;
    const bool between = p.vectors_y[row * p.vectors_pitch_B + column] & 3;
    return !between && ((const u16*)((const u8*)p.vector_costs + row * p.vector_costs_pitch_B))[column] < EDGE_FOLLOWED;
}

// Whether nothing is sought in a tile, as all of its groups are.
FN bool is_tile_followed(const EdgeSearchParams& p, s32 line0, s32 lines, s32 first, s32 count) {
    if (p.vectors_y == nullptr) return false;
    bool all = true;
    for (s32 line = line0; line < line0 + lines; line += EDGE_BLOCK_LINES)
        for (s32 k = 0; k < count; k += EDGE_GROUP) all &= is_followed(p, line, first + k);
    return all;
}

// Whether a group moves: whether something in it, or in the group above or below, does. It is slow if that is little beside
// how far the field's lines above and below differ.
FN bool does_move(EdgeScratch& s, s32 i, s32 k) {
    const u8* __restrict__ changed = s.changed + i * EDGE_WIDTH + k;
    const u8* __restrict__ above = s.rows + (i + 1) * EDGE_PITCH + EDGE_SIDE + k;
    u8 most = 0, apart = 0;
    for (s32 j = 0; j < EDGE_GROUP; ++j) {
        most = max_of(most, max_of(changed[j], max_of(changed[j + EDGE_WIDTH], changed[j + 2 * EDGE_WIDTH])));
        apart = max_of(apart, difference(above[j], above[j + EDGE_PITCH]));
    }
    u8* __restrict__ held = s.held + i * EDGE_WIDTH + k;
    for (s32 j = 0; j < EDGE_GROUP; ++j) held[j] = (u8)(EDGE_SLOW * most <= apart ? EDGE_HELD : 0);
    return most > EDGE_MOVING;
}

// Phase: of these the groups that move, of 16 columns of the picture, and from the first to the last of those. The
// others are closed.
FN void find_moving(const EdgeSearchParams& p, EdgeScratch& s, s32 i, s32 line, s32 first, s32 count) {
    u8* wanted = s.wanted + i * EDGE_WIDTH;
    FOR_LINE(n, 1) {
        s32 begin = EDGE_WIDTH, end = 0;
        for (s32 k = 0; k < EDGE_WIDTH; k += EDGE_GROUP) {
            u8 any = 0;
            for (s32 j = 0; j < EDGE_GROUP; ++j) any |= wanted[k + j];
            if (any && k < count && !is_followed(p, line, first + k) && does_move(s, i, k)) {
                begin = min_of(begin, k);
                end = k + EDGE_GROUP;
            } else {
                for (s32 j = 0; j < EDGE_GROUP; ++j) wanted[k + j] = EDGE_CLOSED, s.held[i * EDGE_WIDTH + k + j] = 0;
            }
        }
        s.begin[i] = min_of(begin, end);
        s.end[i] = end;
    }
}

// So many columns, and on to whole blocks.
FN s32 whole_blocks(s32 columns) { return (columns + EDGE_BLOCK - 1) & -EDGE_BLOCK; }

FN u8 added(u8 a, u8 b) { return (u8)min_of<u16>((u16)(a + b), 255); }

// Columns from one three to the next: what lies between two places far apart must be seen, too, or flat ground beyond a
// thin line seems to go on through it.
FN s32 spread_of(s32 offset) { return min_of<s32>(EDGE_NARROW + max_of(offset, -offset) / 2, EDGE_WIDE); }

// Columns on either side that five threes reach.
FN s32 reach_of(s32 spread) { return 2 * spread + 1; }

// Phase: how far three lines of the field are from those below them along an offset.
FN void find_steps(EdgeScratch& s, s32 i, s32 offset, s32 spread) {
    const s32 begin = s.begin[i], reach = reach_of(spread), at = i * EDGE_PITCH + EDGE_SIDE - reach + begin;
    const u8* __restrict__ ahead = s.rows + at + offset;
    const u8* __restrict__ behind = s.rows + at + EDGE_PITCH - offset;
    u8* __restrict__ out = s.steps + i * EDGE_STEPS + begin;
    FOR_LINE(k, whole_blocks(s.end[i] > 0 ? s.end[i] - begin + 2 * reach : 0)) {
        const u8 middle = difference(ahead[k + EDGE_PITCH], behind[k + EDGE_PITCH]);
        out[k] = added(added(difference(ahead[k], behind[k]), middle),
                       difference(ahead[k + 2 * EDGE_PITCH], behind[k + 2 * EDGE_PITCH]));
    }
}

// Phase: those of three columns.
FN void add_steps(EdgeScratch& s, s32 i, s32 spread) {
    const s32 begin = s.begin[i], reach = reach_of(spread);
    const u8* __restrict__ in = s.steps + i * EDGE_STEPS + begin;
    u16* __restrict__ out = s.threes + i * EDGE_STEPS + begin;
    FOR_LINE(k, whole_blocks(s.end[i] > 0 ? s.end[i] - begin + 2 * reach - 2 : 0)) out[k] = (u16)((u16)(in[k] + in[k + 1]) + in[k + 2]);
}

FN u16 sum_of_window(const u16* threes, s32 spread) {
    const u16 inner = (u16)(threes[spread] + threes[3 * spread]), outer = (u16)(threes[0] + threes[4 * spread]);
    return (u16)((u16)(inner + outer) + threes[2 * spread]);
}

// By how much three samples differ.
FN u8 range_of(u8 a, u8 b, u8 c) { return (u8)(max_of(max_of(a, b), c) - min_of(min_of(a, b), c)); }

// Phase: what the offset costs, and whether it is the best of its side. What lies outside of the samples above and below costs
// more, unless it is a line that is thin enough to lie between those: then the ground on either side of it is even.
FN void find_costs(EdgeScratch& s, s32 i, s32 offset, s32 spread) {
    const s32 begin = s.begin[i], row = (i + 1) * EDGE_PITCH + EDGE_SIDE + begin, at = i * EDGE_WIDTH + begin;
    const u8* __restrict__ above = s.rows + row;
    const u8* __restrict__ below = above + EDGE_PITCH;
    const u8* __restrict__ ahead = above + offset;
    const u8* __restrict__ behind = below - offset;
    const u8* __restrict__ over = above - EDGE_PITCH;
    const u8* __restrict__ under = below + EDGE_PITCH;
    const u8* __restrict__ wanted = s.wanted + at;
    const u16* __restrict__ threes = s.threes + i * EDGE_STEPS + begin;
    u16* __restrict__ least = (offset < 0 ? s.costs.left : s.costs.right) + at;
    u16* __restrict__ to = (offset < 0 ? s.costs.to_left : s.costs.to_right) + at;
    u16* __restrict__ straight = s.costs.straight + at;
    const u16 size = (u16)max_of(offset, -offset);
    const s32 count = s.end[i] - begin;
    if (offset == 0) {
        FOR_LINE(k, count) straight[k] = sum_of_window(threes + k, spread);
        return;
    }
    if (size == EDGE_OFFSETS[0]) {
        FOR_LINE(k, count) {
            least[k] = (u16)~0;
            to[k] = size;
        }
    }
    FOR_LINE(k, count) {
        const u8 mean = average(ahead[k], behind[k]), low = min_of(above[k], below[k]), high = max_of(above[k], below[k]);
        const u8 outside = (u8)((u8)(max_of(mean, high) - high) | (u8)(low - min_of(mean, low)));
        const u8 one = range_of(above[k - offset], over[k], over[k - offset]);
        const u8 other = range_of(below[k + offset], under[k], under[k + offset]);
        const bool thin = 4 * max_of<u8>(max_of(one, other), EDGE_THIN) <= outside + 1;
        const u8 penalty = (u8)(thin ? 0 : outside | (u8)~wanted[k]);
        const u16 cost = (u16)((u16)(sum_of_window(threes + k, spread) + size) + (u16)(EDGE_OVERSHOOT * penalty));
        const u16 better = less(cost, least[k]);
        to[k] = pick(better, size, to[k]);
        least[k] = min_of(cost, least[k]);
    }
}

// Phase: the offset that costs least, of equal ones the nearest to 0, left before right, how much less it costs, and how
// little goes on about the edge beside its contrast: what aliases is busy all around. Thin lines are as sure as an edge can be.
FN void choose_offsets(const EdgeScratch& s, s32 i, s8* __restrict__ offsets, u8* __restrict__ keys) {
    const s32 begin = s.begin[i], at = i * EDGE_WIDTH + begin;
    const u8* __restrict__ above = s.rows + (i + 1) * EDGE_PITCH + EDGE_SIDE + begin;
    const u8* __restrict__ below = above + EDGE_PITCH;
    const u16* __restrict__ left = s.costs.left + at;
    const u16* __restrict__ right = s.costs.right + at;
    const u16* __restrict__ to_left = s.costs.to_left + at;
    const u16* __restrict__ to_right = s.costs.to_right + at;
    const u16* __restrict__ straight = s.costs.straight + at;
    const u8* __restrict__ wanted = s.wanted + at;
    const u8* __restrict__ held = s.held + at;
    FOR_LINE(k, s.end[i] - begin) {
        const bool is_left = (left[k] < right[k]) | ((left[k] == right[k]) & (to_left[k] <= to_right[k]));
        const u16 side = (u16)(is_left ? ~0 : 0), cost = min_of(left[k], right[k]);
        const u16 across = max_of(left[k], right[k]), size = pick(side, to_left[k], to_right[k]);
        const u16 is_sure = (u16)(less((u16)(2 * cost), straight[k]) & (across >= 4 * cost + 16 ? ~0 : 0));
        const u16 thin = wanted[k] == 0 ? is_sure : (u16)0, chosen = wanted[k] == 255 ? less(cost, straight[k]) : thin;
        offsets[begin + k] = (s8)(s16)(chosen & (u16)((size ^ side) - side));
        const u16 ratio = (u16)((u16)(4 * cost < straight[k]) + (u16)(2 * cost < straight[k]) + (u16)(4 * cost < 3 * straight[k]));
        const u16 much = (u16)(EDGE_CONTRAST * difference(above[k], below[k]));
        const u16 contrast = (u16)((u16)(straight[k] < much) + (u16)(straight[k] < (u16)(2 * much)));
        const u8 key = (u8)(EDGE_SIDES * (EDGE_RATIOS * contrast + ratio) + (across >= 4 * cost + 16) + (across >= 2 * cost + 16));
        keys[begin + k] = (u8)((wanted[k] == 255 ? key : (u8)(EDGE_KEYS - 1)) | held[k]);
    }
}

static_assert(EDGE_NARROW == 3 && EDGE_WIDE == 5, "spreads that a device tells apart");
FN void seek_along(EdgeScratch& s, s32 lines, s32 offset, s32 spread) {
    FOR_LINES(i, lines) find_steps(s, i, offset, spread);
    BARRIER();
    FOR_LINES(i, lines) add_steps(s, i, spread);
    BARRIER();
    FOR_LINES(i, lines) find_costs(s, i, offset, spread);
    BARRIER();
}
