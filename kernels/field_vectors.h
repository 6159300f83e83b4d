// Motion between fields (texsamp's own, docs/deinterlace.md (61) to (67)): for blocks of 8 pixels by 4 missing lines
// the way to the fields before and after, to a quarter of a pixel, and the missing lines from both of them.
#pragma once
#include "fields.h"

enum { VECTOR_BLOCK = 8, VECTOR_LINES = 4, VECTOR_WIDE = 16, VECTOR_HIGH = 8 };  // of a block, and of what is compared
enum { VECTOR_REACH_X = 16, VECTOR_REACH_Y = 4 };                                // pixels, lines of a field
enum { VECTOR_GUIDE_X = 64, VECTOR_GUIDE_Y = 32 };                               // samples around a field in its guide
enum { VECTOR_GUIDE_WIDTH = 512, VECTOR_GUIDE_LINES = 16 };                      // of a tile
enum { VECTOR_BLOCKS = 32 };                                                     // of a tile
enum { VECTOR_CALM = 256, VECTOR_SPREAD = 16, VECTOR_SMOOTH = 2, VECTOR_DOUBTED = 65535 };

struct VectorGuideParams {
    FieldSamples source;
    u8* guide;  // the 8 high bits of a field's samples, from VECTOR_GUIDE_Y lines above it and VECTOR_GUIDE_X to the left
    s32 pitch_B, rows;
    s32 width, height;
    s32 parity;  // of the field
    s32 drop;    // bits of a sample below the 8
};
static_assert(sizeof(VectorGuideParams) == 56, "parameter layout");

// Guides' first samples that are in the picture; they lie alike.
struct VectorGuides {
    const u8 *own, *other;      // the lines of the missing parity, of the field's frame and of the other one
    const u8 *field, *beyond;  // those of the field's parity
};

struct VectorSearchParams {
    VectorGuides guides;
    s8 *x, *y;  // quarters of a pixel and of a line of a field, to the field beside this one in its own frame
    u16* cost;
    s32 guide_pitch_B, pitch_B, cost_pitch_B;
    s32 columns;  // of blocks
};
static_assert(sizeof(VectorSearchParams) == 72, "parameter layout");

struct VectorSmoothParams {
    VectorSearchParams to;
    const s8 *x, *y;  // as searched
    const u16* cost;
    s32 rows;    // of blocks
    s32 parity;  // of the field
};
static_assert(sizeof(VectorSmoothParams) == 104, "parameter layout");

template <typename T> FN void vector_guide_tile(const VectorGuideParams& p, s32 tile_x, s32 tile_y) {
    const s32 first = tile_x * VECTOR_GUIDE_WIDTH, count = min_of<s32>(VECTOR_GUIDE_WIDTH, p.pitch_B - first);
    FOR_LINES(i, VECTOR_GUIDE_LINES) {
        const s32 row = tile_y * VECTOR_GUIDE_LINES + i;
        if (row >= p.rows) continue;
        const T* __restrict__ in = row_of<T>(p.source, line_in_picture(2 * (row - VECTOR_GUIDE_Y) + p.parity, p.height));
        u8* __restrict__ out = p.guide + (s64)row * p.pitch_B + first;
        const s32 step = p.source.step, shift = p.source.shift, max = p.source.max, drop = p.drop, last = p.width - 1;
        FOR_LINE(k, count) {
            const s32 x = clamp_to(first + k - VECTOR_GUIDE_X, 0, last);
            out[k] = (u8)(sample_of(in[(s64)x * step], shift, max) >> drop);
        }
    }
}

FN s32 sum_of_differences(const u8* a, const u8* b) {
    s32 sum = 0;
    for (s32 k = 0; k < VECTOR_WIDE; ++k) {
        const s32 change = a[k] - b[k];
        sum += change < 0 ? -change : change;
    }
    return sum;
}

// What a block and what is about it cost by a vector of whole samples: between the fields beside, over twice the way
// between the fields of its own parity; `limit` or more as soon as it is.
FN s32 whole_cost(const VectorSearchParams& p, s64 at, s32 x, s32 y, s32 limit) {
    const s64 pitch = p.guide_pitch_B, way = y * pitch + x;
    const u8 *own = p.guides.own + at + way, *other = p.guides.other + at - way;
    const u8 *field = p.guides.field + at, *beyond = p.guides.beyond + at - 2 * way;
    s32 sum = 0;
    for (s32 k = 0; k < VECTOR_HIGH && sum < limit; ++k)
        sum += sum_of_differences(own + k * pitch, other + k * pitch) +
               sum_of_differences(field + k * pitch, beyond + k * pitch);
    return sum;
}

// Samples between others, by quarters.
FN void between_samples(const u8* guide, s32 pitch, s32 x, s32 y, u8* out) {
    const u8* first = guide + (s64)(y >> 2) * pitch + (x >> 2);
    const u8* second = first + pitch;
    const u16 fx = (u16)(x & 3), fy = (u16)(y & 3);
    for (s32 k = 0; k < VECTOR_WIDE; ++k) {
        const u16 above = (u16)((4 - fx) * first[k] + fx * first[k + 1]);
        const u16 below = (u16)((4 - fx) * second[k] + fx * second[k + 1]);
        out[k] = (u8)((u16)((u16)((4 - fy) * above + fy * below) + 8) >> 4);
    }
}

// The same by a vector in quarters.
FN s32 quarter_cost(const VectorSearchParams& p, s64 at, s32 x, s32 y, s32 limit) {
    const s32 pitch = p.guide_pitch_B;
    u8 a[VECTOR_WIDE], b[VECTOR_WIDE];
    s32 sum = 0;
    for (s32 k = 0; k < VECTOR_HIGH && sum < limit; ++k) {
        const s64 line = at + (s64)k * pitch;
        between_samples(p.guides.own + line, pitch, x, y, a);
        between_samples(p.guides.other + line, pitch, -x, -y, b);
        sum += sum_of_differences(a, b);
        between_samples(p.guides.beyond + line, pitch, -2 * x, -2 * y, b);
        sum += sum_of_differences(p.guides.field + line, b);
    }
    return sum;
}

FN s32 length_of(s32 x, s32 y) { return max_of(x, -x) + 2 * max_of(y, -y); }

// The first sample of what is compared for a block, in a guide.
FN s64 compared_at(const VectorSearchParams& p, s32 column, s32 row) {
    const s32 x = column * VECTOR_BLOCK - (VECTOR_WIDE - VECTOR_BLOCK) / 2;
    return (s64)(row * VECTOR_LINES - (VECTOR_HIGH - VECTOR_LINES) / 2) * p.guide_pitch_B + x;
}

FN void put_vector(const VectorSearchParams& p, s32 column, s32 row, s32 x, s32 y, s32 cost) {
    p.x[(s64)row * p.pitch_B + column] = (s8)x;
    p.y[(s64)row * p.pitch_B + column] = (s8)y;
    ((u16*)((u8*)p.cost + (s64)row * p.cost_pitch_B))[column] = (u16)cost;
}

FN void vector_search_tile(const VectorSearchParams& p, s32 tile_x, s32 row) {
    const s32 first = tile_x * VECTOR_BLOCKS, count = min_of<s32>(VECTOR_BLOCKS, p.columns - first);
    FOR_ITEMS(n, count) {
        const s32 column = first + n;
        const s64 at = compared_at(p, column, row);
        s32 best = whole_cost(p, at, 0, 0, 1 << 30), best_x = 0, best_y = 0;
        if (best > VECTOR_CALM) {
            for (s32 y = -VECTOR_REACH_Y; y <= VECTOR_REACH_Y; ++y)
                for (s32 x = -VECTOR_REACH_X; x <= VECTOR_REACH_X; ++x) {
                    const s32 long_way = length_of(2 * x, 2 * y);
                    const s32 cost = whole_cost(p, at, x, y, best - long_way) + long_way;
                    if (cost < best) {
                        best = cost;
                        best_x = x;
                        best_y = y;
                    }
                }
        }
        put_vector(p, column, row, 4 * best_x, 4 * best_y, best - length_of(2 * best_x, 2 * best_y));
    }
}

// How far a vector is from those of the blocks about it.
FN s32 vector_spread(const VectorSmoothParams& p, s32 column, s32 row, s32 x, s32 y) {
    s32 sum = 0;
    for (s32 j = -1; j <= 1; ++j)
        for (s32 i = -1; i <= 1; ++i) {
            const s32 line = clamp_to(row + j, 0, p.rows - 1), at = clamp_to(column + i, 0, p.to.columns - 1);
            const s64 near = (s64)line * p.to.pitch_B + at;
            sum += min_of<s32>(length_of(x - p.x[near], y - p.y[near]), VECTOR_SPREAD);
        }
    return VECTOR_SMOOTH * sum;
}

FN s32 comb_of(s32 value, s32 around) { return max_of(2 * value - around, around - 2 * value); }

// Whether what a vector shows fits between the field's lines better than either field beside it as it is: fields of one
// picture have vectors too, half as long as the way to the next picture.
FN bool combs_less(const VectorSmoothParams& p, s64 at, s32 x, s32 y) {
    const s32 pitch = p.to.guide_pitch_B;
    u8 a[VECTOR_WIDE], b[VECTOR_WIDE];
    s32 moved = 0, own_still = 0, other_still = 0;
    for (s32 k = 0; k < VECTOR_HIGH; ++k) {
        const s64 line = at + (s64)k * pitch;
        const u8 *own = p.to.guides.own + line, *other = p.to.guides.other + line;
        const u8 *above = p.to.guides.field + line - p.parity * pitch, *below = above + pitch;
        between_samples(own, pitch, x, y, a);
        between_samples(other, pitch, -x, -y, b);
        for (s32 i = 0; i < VECTOR_WIDE; ++i) {
            const s32 around = above[i] + below[i];
            moved += comb_of(a[i], around) + comb_of(b[i], around);
            own_still += comb_of(own[i], around);
            other_still += comb_of(other[i], around);
        }
    }
    return moved < 2 * min_of(own_still, other_still);
}

FN void vector_smooth_tile(const VectorSmoothParams& p, s32 tile_x, s32 row) {
    const s32 first = tile_x * VECTOR_BLOCKS, count = min_of<s32>(VECTOR_BLOCKS, p.to.columns - first);
    FOR_ITEMS(n, count) {
        const s32 column = first + n;
        const s64 at = compared_at(p.to, column, row), here = (s64)row * p.to.pitch_B + column;
        s32 x = p.x[here], y = p.y[here], cost = ((const u16*)((const u8*)p.cost + (s64)row * p.to.cost_pitch_B))[column];
        if (x != 0 || y != 0 || cost > VECTOR_CALM) {
            s32 best = cost + vector_spread(p, column, row, x, y);
            for (s32 k = 0; k < 9; ++k) {
                const s32 line = clamp_to(row + k / 3 - 1, 0, p.rows - 1);
                const s32 side = clamp_to(column + k % 3 - 1, 0, p.to.columns - 1);
                const s64 near = (s64)line * p.to.pitch_B + side;
                const s32 other_x = p.x[near], other_y = p.y[near];
                const s32 spread = vector_spread(p, column, row, other_x, other_y);
                const s32 other = whole_cost(p.to, at, other_x / 4, other_y / 4, best - spread);
                if (other + spread < best) {
                    best = other + spread;
                    cost = other;
                    x = other_x;
                    y = other_y;
                }
            }
            for (s32 step = 2; step > 0; --step) {
                const s32 from_x = x, from_y = y;
                for (s32 k = 0; k < 9; ++k) {
                    const s32 to_x = from_x + step * (k % 3 - 1), to_y = from_y + step * (k / 3 - 1);
                    const s32 other = quarter_cost(p.to, at, to_x, to_y, cost);
                    if (other < cost) {
                        cost = other;
                        x = to_x;
                        y = to_y;
                    }
                }
            }
            if ((x != 0 || y != 0) && !combs_less(p, at, x, y)) cost = VECTOR_DOUBTED;
        }
        put_vector(p.to, column, row, x, y, cost);
    }
}

// -- the missing lines -------------------------------------------------------------------------------------------------

enum { VECTORED_WIDTH = ON_DEVICE(128, 64), VECTORED_LINES = 8, VECTORED_RATIOS = 4, VECTORED_PHASES = 3 };
enum { VECTORED_COSTS = 5, VECTORED_COMBS = 4 };
enum { VECTORED_ROWS = VECTORED_LINES + 2, VECTORED_PITCH = VECTORED_WIDTH + 4 };

struct VectoredParams {
    FieldSamples current, reference;
    FieldTarget target;  // holds what another method has made of the field
    const s8 *x, *y;
    const u16* cost;
    s32 pitch_B, cost_pitch_B;
    s32 width, height;
    s32 parity;       // of the field: 0 top
    s32 scale;        // bits of samples beyond 8
    u8 weights[240];  // of the compensated sample, in eighths, by ratio, phase, cost and comb
};
static_assert(sizeof(VectoredParams) == 360, "parameter layout");

TABLE s8 VECTORED_CUBIC[4][4] = {{0, 16, 0, 0}, {-1, 14, 4, -1}, {-2, 10, 10, -2}, {-1, 4, 14, -1}};

// A sample of the lines of a parity, by quarters of a pixel and of such a line.
template <typename T> FN s32 sample_between(const VectoredParams& p, const FieldSamples& s, s32 x, s32 y) {
    const s32 column = x >> 2, line = y >> 2, last = p.width - 1, parity = 1 - p.parity;
    if (((x | y) & 3) == 0) {
        const T* in = row_of<T>(s, line_in_picture(2 * line + parity, p.height));
        return sample_of(in[(s64)clamp_to(column, 0, last) * s.step], s.shift, s.max);
    }
    s32 sum = 0;
    for (s32 j = 0; j < 4; ++j) {
        const s32 down = VECTORED_CUBIC[y & 3][j];
        if (down == 0) continue;
        const T* in = row_of<T>(s, line_in_picture(2 * (line + j - 1) + parity, p.height));
        s32 across = 0;
        for (s32 i = 0; i < 4; ++i) {
            const s64 at = clamp_to(column + i - 1, 0, last);
            across += VECTORED_CUBIC[x & 3][i] * (s32)sample_of(in[at * s.step], s.shift, s.max);
        }
        sum += down * across;
    }
    return clamp_to((sum + 128) >> 8, 0, (s32)s.max);
}

// How far lines comb with those above and below, and how far these are apart.
template <typename T> struct VectoredScratch {
    T value[VECTORED_ROWS * VECTORED_PITCH];
    u16 comb[VECTORED_ROWS * VECTORED_PITCH], each[VECTORED_ROWS * VECTORED_PITCH];  // of the value, of both samples
    u16 own[VECTORED_ROWS * VECTORED_PITCH], other[VECTORED_ROWS * VECTORED_PITCH];
    u16 apart[VECTORED_ROWS * VECTORED_PITCH];
};

FN s32 sum_around(const u16* at) {
    s32 sum = 0;
    for (s32 j = 0; j < 3; ++j)
        for (s32 i = 0; i < 5; ++i) sum += at[j * VECTORED_PITCH + i];
    return sum;
}

template <typename T> FN void vectored_tile(const VectoredParams& p, s32 tile_x, s32 tile_y) {
    SHARED VectoredScratch<T> s;
    const s32 first = tile_x * VECTORED_WIDTH, count = min_of<s32>(VECTORED_WIDTH, p.width - first);
    const s32 line0 = tile_y * VECTORED_LINES, missing = (p.height + p.parity) >> 1;
    const s32 lines = min_of<s32>(VECTORED_LINES, missing - line0);
    FOR_ITEMS(n, (lines + 2) * (count + 4)) {
        const s32 i = n / (count + 4), k = n % (count + 4), at = i * VECTORED_PITCH + k;
        const s32 line = clamp_to(line0 + i - 1, 0, missing - 1), x = clamp_to(first + k - 2, 0, p.width - 1);
        const s64 block = (s64)(line / VECTOR_LINES) * p.pitch_B + x / VECTOR_BLOCK;
        const s32 mx = p.x[block], my = p.y[block], y = 2 * line + 1 - p.parity;
        const s32 to = sample_between<T>(p, p.current, 4 * x + mx, 4 * line + my);
        const s32 from = sample_between<T>(p, p.reference, 4 * x - mx, 4 * line - my);
        const T* up = row_of<T>(p.current, line_in_picture(y - 1, p.height));
        const T* down = row_of<T>(p.current, line_in_picture(y + 1, p.height));
        const s64 column = (s64)x * p.current.step;
        const s32 above = sample_of(up[column], p.current.shift, p.current.max);
        const s32 below = sample_of(down[column], p.current.shift, p.current.max);
        const s32 value = (to + from + 1) >> 1;
        s.value[at] = (T)value;
        s.comb[at] = (u16)comb_of(value, above + below);
        s.each[at] = (u16)((comb_of(to, above + below) + comb_of(from, above + below) + 1) >> 1);
        s.own[at] = (u16)comb_of(sample_between<T>(p, p.current, 4 * x, 4 * line), above + below);
        s.other[at] = (u16)comb_of(sample_between<T>(p, p.reference, 4 * x, 4 * line), above + below);
        s.apart[at] = (u16)max_of(above - below, below - above);
    }
    BARRIER();
    FOR_ITEMS(n, lines * count) {
        const s32 i = n / count, k = n % count, at = i * VECTORED_PITCH + k, line = line0 + i, x = first + k;
        const s32 comb = sum_around(s.comb + at), apart = sum_around(s.apart + at);
        const s32 woven = min_of(sum_around(s.own + at), sum_around(s.other + at));
        const s32 least = 60 << p.scale;
        const s32 ratio = (4 * comb >= 4 * apart + least) + (4 * comb >= 6 * apart + 2 * least) +
                          (4 * comb >= 10 * apart + 4 * least);
        const s64 row = line / VECTOR_LINES, block = x / VECTOR_BLOCK;
        const s32 my = p.y[row * p.pitch_B + block], phase = (my & 3) == 0 ? 0 : ((my & 3) == 2 ? 2 : 1);
        const s32 cost = ((const u16*)((const u8*)p.cost + row * p.cost_pitch_B))[block];
        const s32 level = (cost >= 256) + (cost >= 512) + (cost >= 1024) + (cost >= 2048);
        const s32 key = ((ratio * VECTORED_PHASES + phase) * VECTORED_COSTS + level) * VECTORED_COMBS +
                        2 * (woven >= 4 * least) + (sum_around(s.each + at) < woven);
        const s32 weight = cost == VECTOR_DOUBTED ? 0 : p.weights[key];
        if (weight == 0) continue;
        T* out = row_of<T>(p.target, 2 * line + 1 - p.parity) + (s64)x * p.target.step;
        const s32 made = sample_of(*out, p.target.shift, p.current.max);
        const s32 value = s.value[at + VECTORED_PITCH + 2];
        *out = element_of((T)((weight * value + (8 - weight) * made + 4) >> 3), p.target.shift);
    }
}
