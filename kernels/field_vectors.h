// Motion between fields (texsamp's own, docs/deinterlace.md (61) to (64), (67)): for blocks of 16 pixels by 4 missing
// lines the way to the fields before and after, to a quarter of a pixel.
#pragma once
#include "field_guides.h"
#include "portable_differences.h"

enum { VECTOR_BLOCK = 16, VECTOR_LINES = 4, VECTOR_HIGH = 8 };  // of a block; lines that are compared for it
enum { COARSE_LINES = 8, COARSE_REACH_X = 16, COARSE_STEP = 2, COARSE_REACH_Y = 4 };  // of two blocks by two: samples of half the width, lines
enum { COARSE_BLOCKS = ON_DEVICE(64, 32), VECTOR_BLOCKS = ON_DEVICE(128, 32) };  // of a tile
enum { COARSE_CALM = 64, VECTOR_CALM = 256, VECTOR_APART = 24, VECTOR_DOUBTED = 65535 };

// Guides' first samples that are in the picture; they lie alike.
struct VectorGuides {
    const u8 *own, *other;      // the lines of the missing parity, of the field's frame and of the other one
    const u8 *field, *beyond;  // those of the field's parity
};

struct VectorCoarseParams {
    VectorGuides halves;
    s8 *x, *y;  // samples of half the width, lines of a field: to the field beside this one in its own frame
    s32 guide_pitch_B, pitch_B;
    s32 columns;
    s32 pad_;
};
static_assert(sizeof(VectorCoarseParams) == 64, "parameter layout");

struct VectorFineParams {
    VectorGuides guides;
    const s8 *coarse_x, *coarse_y;
    s8 *x, *y;  // quarters of a pixel and of a line of a field
    u16* cost;
    s32 guide_pitch_B, coarse_pitch_B, pitch_B, cost_pitch_B;
    s32 columns, rows;  // of blocks
    s32 parity;         // of the field
    s32 pad_;
};
static_assert(sizeof(VectorFineParams) == 104, "parameter layout");

// What 16 samples of some lines cost by a vector of whole samples: between the fields beside, and over twice the way
// between the fields of the field's own parity; `limit` or more as soon as it is.
FN s32 whole_cost(const VectorGuides& guides, s32 pitch, s64 at, s32 x, s32 y, s32 limit) {
    const s64 way = (s64)y * pitch + x;
    const u8 *own = guides.own + at + way, *other = guides.other + at - way;
    const u8 *field = guides.field + at, *beyond = guides.beyond + at - 2 * way;
    s32 sum = 0;
    for (s32 k = 0; k < VECTOR_HIGH && sum < limit; k += 2) {
        UNROLL for (s32 j = 0; j < 2; ++j) {
            const s64 line = (s64)(k + j) * pitch;
            sum += differences_of_16(own + line, other + line) + differences_of_16(field + line, beyond + line);
        }
    }
    return sum;
}

// 0, -1, 1, -2, 2 and so on.
FN s32 outward(s32 n) { return n & 1 ? -((n + 1) >> 1) : n >> 1; }

// Of a vector in quarters.
FN s32 length_of(s32 x, s32 y) { return max_of(x, -x) + 2 * max_of(y, -y); }

// What a block costs at half the width by a vector of whole pixels, whose odd ones lie half a sample apart on one side.
FN s32 coarse_cost(const VectorCoarseParams& p, s64 at, s32 x, s32 y, s32 limit) {
    const s64 pitch = p.guide_pitch_B, way = y * pitch, rows = COARSE_STEP * pitch;
    const u8 *own = p.halves.own + at + way + (x >> 1), *other = p.halves.other + at - way - ((x + 1) >> 1);
    const u8 *field = p.halves.field + at, *beyond = p.halves.beyond + at - 2 * way - x;
    s32 sum = 0;
    for (s32 k = 0; k < COARSE_LINES / COARSE_STEP && sum < limit; k += 2) {
        UNROLL for (s32 j = 0; j < 2; ++j) {
            const s64 line = (k + j) * rows;
            sum += differences_of_16(own + line, other + line) + differences_of_16(field + line, beyond + line);
        }
    }
    return sum;
}

FN void vector_coarse_tile(const VectorCoarseParams& p, s32 tile_x, s32 row) {
    const s32 first = tile_x * COARSE_BLOCKS, count = min_of<s32>(COARSE_BLOCKS, p.columns - first);
    FOR_ITEMS(n, count) {
        const s32 column = first + n;
        const s64 at = (s64)row * COARSE_LINES * p.guide_pitch_B + column * VECTOR_BLOCK;
        s32 best = coarse_cost(p, at, 0, 0, 1 << 30), best_x = 0, best_y = 0;
        if (best > COARSE_CALM) {
            for (s32 j = 0; j <= 2 * COARSE_REACH_Y; ++j)
                for (s32 i = 0; i <= 2 * COARSE_REACH_X; ++i) {
                    const s32 x = outward(i), y = outward(j), way = length_of(x, 2 * y);
                    const s32 cost = coarse_cost(p, at, x, y, best - way) + way;
                    if (cost < best) {
                        best = cost;
                        best_x = x;
                        best_y = y;
                    }
                }
        }
        p.x[(s64)row * p.pitch_B + column] = (s8)best_x;
        p.y[(s64)row * p.pitch_B + column] = (s8)best_y;
    }
}

// Samples between others, by quarters: those of the guide, or put into `out`.
FN const u8* between_samples(const u8* guide, s32 pitch, s32 x, s32 y, u8* __restrict__ out) {
    const u8* __restrict__ first = guide + (s64)(y >> 2) * pitch + (x >> 2);
    const u8* __restrict__ second = first + pitch;
    const u16 fx = (u16)(x & 3), fy = (u16)(y & 3);
    if ((fx | fy) == 0) return first;
    if (fx == 0 || fy == 0) {
        const u8* __restrict__ next = fx == 0 ? second : first + 1;
        const u16 to = fx + fy, from = 4 - to;
        for (s32 k = 0; k < VECTOR_BLOCK; ++k) out[k] = (u8)((u16)((u16)(from * first[k] + to * next[k]) + 2) >> 2);
        return out;
    }
    for (s32 k = 0; k < VECTOR_BLOCK; ++k) {
        const u16 above = (u16)((4 - fx) * first[k] + fx * first[k + 1]);
        const u16 below = (u16)((4 - fx) * second[k] + fx * second[k + 1]);
        out[k] = (u8)((u16)((u16)((4 - fy) * above + fy * below) + 8) >> 4);
    }
    return out;
}

// The cost of a vector in quarters.
FN s32 quarter_cost(const VectorFineParams& p, s64 at, s32 x, s32 y, s32 limit) {
    const s32 pitch = p.guide_pitch_B;
    if (((x | y) & 3) == 0) return whole_cost(p.guides, pitch, at, x >> 2, y >> 2, limit);
    u8 a[VECTOR_BLOCK], b[VECTOR_BLOCK];
    s32 sum = 0;
    for (s32 k = 0; k < VECTOR_HIGH && sum < limit; ++k) {
        const s64 line = at + (s64)k * pitch;
        const u8* own = between_samples(p.guides.own + line, pitch, x, y, a);
        sum += differences_of_16(own, between_samples(p.guides.other + line, pitch, -x, -y, b));
        sum += differences_of_16(p.guides.field + line, between_samples(p.guides.beyond + line, pitch, -2 * x, -2 * y, b));
    }
    return sum;
}

FN u16 comb_of(u8 value, u16 around) { return difference<u16>((u16)(2 * value), around); }

// Whether what a vector shows fits between the field's lines better than either field beside it as it is: fields of one
// picture have vectors too, half as long as the way to the next picture.
FN bool combs_less(const VectorFineParams& p, s64 at, s32 x, s32 y) {
    const s32 pitch = p.guide_pitch_B;
    u8 a[VECTOR_BLOCK], b[VECTOR_BLOCK];
    u16 moved[VECTOR_BLOCK] = {}, own_still[VECTOR_BLOCK] = {}, other_still[VECTOR_BLOCK] = {};
    for (s32 k = 0; k < VECTOR_HIGH; ++k) {
        const s64 line = at + (s64)k * pitch;
        const u8 *own = p.guides.own + line, *other = p.guides.other + line;
        const u8 *above = p.guides.field + line - p.parity * pitch, *below = above + pitch;
        const u8* to = between_samples(own, pitch, x, y, a);
        const u8* from = between_samples(other, pitch, -x, -y, b);
        for (s32 i = 0; i < VECTOR_BLOCK; ++i) {
            const u16 around = (u16)(above[i] + below[i]);
            moved[i] = (u16)(moved[i] + comb_of(to[i], around) + comb_of(from[i], around));
            own_still[i] = (u16)(own_still[i] + comb_of(own[i], around));
            other_still[i] = (u16)(other_still[i] + comb_of(other[i], around));
        }
    }
    s32 sums[3] = {};
    for (s32 i = 0; i < VECTOR_BLOCK; ++i) {
        sums[0] += moved[i];
        sums[1] += own_still[i];
        sums[2] += other_still[i];
    }
    return sums[0] < 2 * min_of(sums[1], sums[2]);
}

struct FoundVector {
    s32 x, y, cost;
};

// The best of the vectors of the blocks of twice the size that are about a block, and of standing still.
FN FoundVector nearest_vector(const VectorFineParams& p, s64 at, s32 column, s32 row, s32 still) {
    const s32 across = (p.columns + 1) / 2 - 1, down = (p.rows + 1) / 2 - 1;
    const s32 beside = clamp_to(column / 2 + (column & 1 ? 1 : -1), 0, across);
    const s32 below = clamp_to(row / 2 + (row & 1 ? 1 : -1), 0, down);
    const s64 own = (s64)(row / 2) * p.coarse_pitch_B + column / 2;
    const s64 places[3] = {own, (s64)(row / 2) * p.coarse_pitch_B + beside, (s64)below * p.coarse_pitch_B + column / 2};
    FoundVector found = {0, 0, still};
    s32 best = 1 << 30;
    for (s32 n = 0; n < 4; ++n) {
        const s32 x = n < 3 ? 4 * p.coarse_x[places[n]] : 0, y = n < 3 ? 4 * p.coarse_y[places[n]] : 0;
        const s32 apart = VECTOR_APART * (n == 0 ? 0 : (x != 4 * p.coarse_x[own]) | (y != 4 * p.coarse_y[own]));
        const s32 cost = n < 3 ? whole_cost(p.guides, p.guide_pitch_B, at, x / 4, y / 4, best - apart) : still;
        if (cost + apart < best) {
            best = cost + apart;
            found = {x, y, cost};
        }
    }
    return found;
}

FN void vector_fine_tile(const VectorFineParams& p, s32 tile_x, s32 row) {
    const s32 first = tile_x * VECTOR_BLOCKS, count = min_of<s32>(VECTOR_BLOCKS, p.columns - first);
    FOR_ITEMS(n, count) {
        const s32 column = first + n;
        const s64 at = (s64)(row * VECTOR_LINES - (VECTOR_HIGH - VECTOR_LINES) / 2) * p.guide_pitch_B + column * VECTOR_BLOCK;
        const s32 still = whole_cost(p.guides, p.guide_pitch_B, at, 0, 0, 1 << 30);
        FoundVector found = {0, 0, still};
        if (still > VECTOR_CALM) {
            found = nearest_vector(p, at, column, row, still);
            for (s32 step = 4; step > 0; step >>= 1) {
                const FoundVector from = found;
                for (s32 k = 0; k < 4; ++k) {
                    const s32 way = k & 1 ? step : -step, x = from.x + (k < 2 ? way : 0), y = from.y + (k < 2 ? 0 : way);
                    const s32 cost = quarter_cost(p, at, x, y, found.cost);
                    if (cost < found.cost) found = {x, y, cost};
                }
            }
            if ((found.x | found.y) != 0 && !combs_less(p, at, found.x, found.y)) found.cost = VECTOR_DOUBTED;
        }
        p.x[(s64)row * p.pitch_B + column] = (s8)found.x;
        p.y[(s64)row * p.pitch_B + column] = (s8)found.y;
        ((u16*)((u8*)p.cost + (s64)row * p.cost_pitch_B))[column] = (u16)found.cost;
    }
}
