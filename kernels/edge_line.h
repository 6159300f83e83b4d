// Edges at shallow angles (texsamp's own, docs/deinterlace.md (51) to (57), (59), (60)): for each missing line of a field
// the path of offsets with the least cost, by dynamic programming over pieces of the line, and samples along it where it
// moves.
#pragma once
#include "fields.h"

enum { EDGE_REACH = 11, EDGE_STATES = 2 * EDGE_REACH + 1, EDGE_WINDOW = 2, EDGE_CUBIC = 5 };
enum { EDGE_PIECE = 96, EDGE_MARGIN = 16, EDGE_COLUMNS = EDGE_PIECE + 2 * EDGE_MARGIN, EDGE_SIDE = 16 };
// Lines whose paths are sought, the first and last one for their neighbors alone.
enum { EDGE_LINES = ON_DEVICE(32, 8), EDGE_OWN = EDGE_LINES - 2, EDGE_PITCH = EDGE_LINES + 8, EDGE_RING = 8, EDGE_PAD = 2 };
enum { EDGE_SLOPE = 24, EDGE_JUMP = 96, EDGE_VERTICAL = 4, EDGE_MOVING = 16, EDGE_FAR = 0x7000 };
enum { EDGE_AGREEMENTS = 5, EDGE_RATIOS = 4, EDGE_SIDES = 3 };

struct EdgeLineParams {
    FieldSamples current, reference;  // without a reference everything moves
    FieldTarget target;               // holds what another method has made of the field
    s32 width, height;
    s32 parity;  // of the field: 0 top
    s32 drop;    // bits of a sample below the 8 that costs look at
    u8 weights[64];  // of the sample along the edge, in eighths, by agreement, ratio and side; 4 unused
};
static_assert(sizeof(EdgeLineParams) == 152, "parameter layout");

// The lines of the field by column, as 8 bits: row l + 1 is above missing line l, row l + 2 below.
struct EdgeScratch {
    u8 guide[(EDGE_COLUMNS + 2 * EDGE_SIDE) * EDGE_PITCH];
    u16 steps[EDGE_RING][EDGE_STATES * EDGE_LINES], sums[EDGE_STATES * EDGE_LINES];
    u16 costs[EDGE_STATES * EDGE_LINES];
    u16 totals[2][(EDGE_STATES + 2 * EDGE_PAD) * EDGE_LINES], least[EDGE_LINES];
    u16 sides[3][EDGE_COLUMNS * EDGE_LINES];  // least cost to the left, cost of no offset, least cost to the right
    u16 best[EDGE_LINES];
    u8 back[EDGE_COLUMNS][EDGE_STATES * EDGE_LINES];
    s8 path[EDGE_COLUMNS * EDGE_LINES];
};

FN u16 edge_step(const u8* __restrict__ ahead, const u8* __restrict__ behind, s32 l) {
    return (u16)(difference(ahead[l + 1], behind[l + 2]) + difference(ahead[l], behind[l + 1]) +
                 difference(ahead[l + 2], behind[l + 3]));
}

// How much farther than between the samples above and below the sample along the offset lies from both.
FN u16 edge_overshoot(const u8* __restrict__ here, const u8* __restrict__ ahead, const u8* __restrict__ behind, s32 l) {
    const u8 above = here[l + 1], below = here[l + 2], mean = average(ahead[l + 1], behind[l + 2]);
    return (u16)(difference(above, mean) + difference(below, mean) - difference(above, below));
}

// Phase: the steps of one column, and what they make the sums over the window.
FN void add_steps(EdgeScratch& s, s32 column) {
    const u8* guide = s.guide + (EDGE_SIDE + column) * EDGE_PITCH;
    u16* now = s.steps[(column + EDGE_RING) % EDGE_RING];
    const u16* old = s.steps[(column + EDGE_RING - 2 * EDGE_WINDOW - 1) % EDGE_RING];
    FOR_LINES(state, EDGE_STATES) {
        const s32 offset = state - EDGE_REACH, at = state * EDGE_LINES;
        const u8* __restrict__ ahead = guide + offset * EDGE_PITCH;
        const u8* __restrict__ behind = guide - offset * EDGE_PITCH;
        u16* __restrict__ out = now + at;
        u16* __restrict__ sums = s.sums + at;
        const u16* __restrict__ gone = old + at;
        FOR_LINE(l, EDGE_LINES) {
            const u16 step = edge_step(ahead, behind, l);
            sums[l] = (u16)(sums[l] + step - gone[l]);
            out[l] = step;
        }
    }
}

// Phase: the least total of every offset at a column, and the offset before that it comes from.
FN void extend_paths(EdgeScratch& s, s32 column) {
    const u8* here = s.guide + (EDGE_SIDE + column) * EDGE_PITCH;
    FOR_LINES(state, EDGE_STATES) {
        const s32 offset = state - EDGE_REACH, at = state * EDGE_LINES;
        const u8* __restrict__ ahead = here + offset * EDGE_PITCH;
        const u8* __restrict__ behind = here - offset * EDGE_PITCH;
        const u16* __restrict__ sums = s.sums + at;
        u16* __restrict__ costs = s.costs + at;
        const u16* __restrict__ before = s.totals[(column + 1) % 2] + at + EDGE_PAD * EDGE_LINES;
        u16* __restrict__ totals = s.totals[column % 2] + at + EDGE_PAD * EDGE_LINES;
        u8* __restrict__ back = s.back[column] + at;
        const u16 slant = (u16)max_of(offset, -offset);
        FOR_LINE(l, EDGE_LINES) {
            const u16 least = s.least[l];
            u16 total = (u16)(before[l] - least), from = (u16)state;
            UNROLL for (int j = 1; j <= EDGE_PAD; ++j) {
                const u16 left = (u16)(before[l - j * EDGE_LINES] - least + j * EDGE_SLOPE);
                const u16 right = (u16)(before[l + j * EDGE_LINES] - least + j * EDGE_SLOPE);
                from = left < total ? (u16)(state - j) : from;
                total = min_of(left, total);
                from = right < total ? (u16)(state + j) : from;
                total = min_of(right, total);
            }
            from = EDGE_JUMP < total ? s.best[l] : from;
            total = min_of<u16>(EDGE_JUMP, total);
            const u16 cost = (u16)(sums[l] + EDGE_VERTICAL * edge_overshoot(here, ahead, behind, l) + slant);
            costs[l] = cost;
            totals[l] = (u16)(total + cost);
            back[l] = (u8)from;
        }
    }
}

// The least cost of some offsets, of every line.
FN void find_least(const u16* costs, s32 first, s32 count, u16* __restrict__ least) {
    FOR_EACH(l, EDGE_LINES) least[l] = costs[first * EDGE_LINES + l];
    for (s32 state = first + 1; state < first + count; ++state) {
        const u16* __restrict__ cost = costs + state * EDGE_LINES;
        FOR_EACH(l, EDGE_LINES) least[l] = min_of(cost[l], least[l]);
    }
}

// Phase: the best offset at a column, of equal ones the first, and the least costs of either side.
FN void find_best(EdgeScratch& s, s32 column) {
    u16* __restrict__ least = s.least;
    u16* __restrict__ best = s.best;
    const u16* totals = s.totals[column % 2] + EDGE_PAD * EDGE_LINES;
    FOR_EACH(l, EDGE_LINES) {
        least[l] = totals[l];
        best[l] = 0;
    }
    for (s32 state = 1; state < EDGE_STATES; ++state) {
        const u16* __restrict__ total = totals + state * EDGE_LINES;
        FOR_EACH(l, EDGE_LINES) {
            best[l] = total[l] < least[l] ? (u16)state : best[l];
            least[l] = min_of(total[l], least[l]);
        }
    }
    find_least(s.costs, 0, EDGE_REACH, s.sides[0] + column * EDGE_LINES);
    find_least(s.costs, EDGE_REACH, 1, s.sides[1] + column * EDGE_LINES);
    find_least(s.costs, EDGE_REACH + 1, EDGE_REACH, s.sides[2] + column * EDGE_LINES);
}

FN s32 edge_cost(const u8* here, s32 l, s32 offset) {
    s32 sum = max_of(offset, -offset);
    for (s32 k = -EDGE_WINDOW; k <= EDGE_WINDOW; ++k)
        sum += edge_step(here + (k + offset) * EDGE_PITCH, here + (k - offset) * EDGE_PITCH, l);
    return sum + EDGE_VERTICAL * edge_overshoot(here, here + offset * EDGE_PITCH, here - offset * EDGE_PITCH, l);
}

template <typename T> FN s32 edge_sample(const EdgeLineParams& p, const FieldSamples& s, s32 line, s32 x) {
    const s64 at = clamp_to(x, 0, p.width - 1);
    return sample_of(row_of<T>(s, line_in_picture(line, p.height))[at * s.step], s.shift, s.max);
}

// Whether the lines of the other parity, before and after, differ near a pixel.
template <typename T> FN bool edge_moves(const EdgeLineParams& p, s32 x, s32 y) {
    if (p.reference.data == nullptr) return true;
    for (s32 line = y - 2; line <= y + 2; line += 2)
        for (s32 k = x - 3; k <= x + 3; ++k) {
            const s32 change = edge_sample<T>(p, p.current, line, k) - edge_sample<T>(p, p.reference, line, k);
            if (max_of(change, -change) > EDGE_MOVING << p.drop) return true;
        }
    return false;
}

template <typename T> FN s32 along_edge(const EdgeLineParams& p, s32 x, s32 y, s32 offset) {
    const s32 above = edge_sample<T>(p, p.current, y - 1, x + offset);
    const s32 below = edge_sample<T>(p, p.current, y + 1, x - offset);
    if (max_of(offset, -offset) > EDGE_CUBIC) return (above + below + 1) >> 1;
    const s32 far = edge_sample<T>(p, p.current, y - 3, x + 3 * offset) +
                    edge_sample<T>(p, p.current, y + 3, x - 3 * offset);
    const s32 low = min_of(above, below), high = max_of(above, below), spare = max_of(high - low, 4 << p.drop) >> 1;
    const s32 value = clamp_to((9 * (above + below) - far + 8) >> 4, low - spare, high + spare);
    return clamp_to(value, 0, p.current.max);
}

// How well the paths of the lines above and below follow the same edge, 0 to 4.
FN s32 edge_agreement(const EdgeScratch& s, s32 l, s32 column, s32 offset) {
    const s32 above = s.path[clamp_to(column + 2 * offset, 0, EDGE_COLUMNS - 1) * EDGE_LINES + l - 1] - offset;
    const s32 below = s.path[clamp_to(column - 2 * offset, 0, EDGE_COLUMNS - 1) * EDGE_LINES + l + 1] - offset;
    const s32 one = max_of(above, -above), other = max_of(below, -below), allowed = 1 + max_of(offset, -offset) / 4;
    const s32 most = max_of(one, other), least = min_of(one, other);
    if (most <= allowed) return most <= allowed / 2 ? 4 : 3;
    return least <= allowed ? 2 : (least <= 2 * allowed ? 1 : 0);
}

template <typename T> FN void edge_line_tile(const EdgeLineParams& p, s32 tile_x, s32 tile_y) {
    SHARED EdgeScratch s;
    const s32 first = tile_x * EDGE_PIECE, y0 = 2 * (tile_y * EDGE_OWN - 1) + 1 - p.parity;
    const s32 lines = clamp_to((p.height - y0 - 1) >> 1, 0, (s32)EDGE_OWN);
    const s32 columns = min_of<s32>(EDGE_PIECE, p.width - first);
    FOR_LINES(r, EDGE_LINES + 3) {
        FOR_LINE(i, EDGE_COLUMNS + 2 * EDGE_SIDE) {
            const s32 x = first - EDGE_MARGIN - EDGE_SIDE + i;
            s.guide[i * EDGE_PITCH + r] = (u8)(edge_sample<T>(p, p.current, y0 + 2 * r - 3, x) >> p.drop);
        }
    }
    FOR_EACH(i, EDGE_STATES * EDGE_LINES) {
        for (s32 n = 0; n < EDGE_RING; ++n) s.steps[n][i] = 0;
        s.sums[i] = 0;
    }
    for (s32 n = 0; n < 2; ++n)
        FOR_EACH(i, (EDGE_STATES + 2 * EDGE_PAD) * EDGE_LINES) {
            const s32 state = i / EDGE_LINES - EDGE_PAD;
            s.totals[n][i] = (u16)(state < 0 || state >= EDGE_STATES ? EDGE_FAR : 0);
        }
    FOR_EACH(l, EDGE_LINES) s.least[l] = s.best[l] = 0;
    BARRIER();
    for (s32 column = -EDGE_WINDOW; column < EDGE_WINDOW; ++column) {
        add_steps(s, column);
        BARRIER();
    }
    for (s32 column = 0; column < EDGE_COLUMNS; ++column) {
        add_steps(s, column + EDGE_WINDOW);
        BARRIER();
        extend_paths(s, column);
        BARRIER();
        find_best(s, column);
        BARRIER();
    }
    FOR_ITEMS(l, lines + 2) {
        s32 state = s.best[l];
        for (s32 column = EDGE_COLUMNS - 1; column >= 0; --column) {
            s.path[column * EDGE_LINES + l] = (s8)(state - EDGE_REACH);
            state = s.back[column][state * EDGE_LINES + l];
        }
    }
    BARRIER();
    FOR_ITEMS(n, lines * columns) {
        const s32 l = n / columns + 1, i = n % columns, column = EDGE_MARGIN + i;
        const s32 offset = s.path[column * EDGE_LINES + l];
        if (offset == 0) continue;
        const u8* here = s.guide + (EDGE_SIDE + column) * EDGE_PITCH;
        const s32 along = edge_cost(here, l, offset), straight = s.sides[1][column * EDGE_LINES + l];
        const s32 across = s.sides[offset < 0 ? 2 : 0][column * EDGE_LINES + l];
        const s32 ratio = 4 * along < straight ? 3 : (2 * along < straight ? 2 : (4 * along < 3 * straight ? 1 : 0));
        const s32 side = across >= 4 * along + 16 ? 2 : (across >= 2 * along + 16 ? 1 : 0);
        const s32 weight = p.weights[(edge_agreement(s, l, column, offset) * EDGE_RATIOS + ratio) * EDGE_SIDES + side];
        const s32 x = first + i, y = y0 + 2 * l;
        if (weight == 0 || !edge_moves<T>(p, x, y)) continue;
        T* out = row_of<T>(p.target, y) + (s64)x * p.target.step;
        const s32 made = sample_of(*out, p.target.shift, p.current.max);
        const s32 edge = along_edge<T>(p, x, y, offset);
        *out = element_of((T)((weight * edge + (8 - weight) * made + 4) >> 3), p.target.shift);
    }
}
