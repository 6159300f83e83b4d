// Block matching of denoise=fast and hq (texsamp's own; docs/denoise.md H3): for every cell of a grid, where its window, which
// overlaps those of its neighbors, is in another picture.
#pragma once
#include "denoise_hq_planes.h"
#include "magnitude.h"

enum { HQ_CELLS = ON_DEVICE(16, 4), HQ_PREDICTORS = 6, HQ_LARGEST_RADIUS = 8 };
enum { HQ_CANDIDATES = (2 * HQ_LARGEST_RADIUS + 1) * (2 * HQ_LARGEST_RADIUS + 1) };

struct DenoiseHqMatchParams {
    const void* current;    // padded planes: the element at the origin of the picture
    const void* reference;
    const s16* predictors;  // vectors (x, y) of cells twice as large in a picture of a quarter of the size, or null
    s16* vectors;           // (x, y) of every cell
    s32 pitch_B;            // of both planes
    s32 columns, rows;      // of cells
    s32 predictor_columns, predictor_rows;
    s32 radius;
    s32 bias;   // what a candidate costs that is not the zero vector, and each step away from the best of the first round
    s32 pad_;
};
static_assert(sizeof(DenoiseHqMatchParams) == 64, "parameter layout");

struct HqVector {
    s32 x, y;
};

// A window around a cell of half its size, and the same one a vector away.
template <typename T, int WINDOW>
FN u32 window_difference(const DenoiseHqMatchParams& p, s32 column, s32 row, s32 vector_x, s32 vector_y) {
    const s32 pitch = p.pitch_B / (s32)sizeof(T), x = column * (WINDOW / 2) - WINDOW / 4, y = row * (WINDOW / 2) - WINDOW / 4;
    const T* a = (const T*)p.current + (s64)y * pitch + x;
    const T* b = (const T*)p.reference + (s64)(y + vector_y) * pitch + x + vector_x;
    s32 sum = 0;
    for (int j = 0; j < WINDOW; ++j) {
        const T* __restrict__ here = a + (s64)j * pitch;
        const T* __restrict__ there = b + (s64)j * pitch;
        for (int i = 0; i < WINDOW; ++i) {
            const s32 d = (s32)here[i] - (s32)there[i];
            sum += magnitude_of(d);
        }
    }
    return (u32)sum;
}

// The zero vector, then those of the cell that contains this one, its left, right, upper and lower neighbor.
FN HqVector predicted_vector(const DenoiseHqMatchParams& p, s32 column, s32 row, s32 which) {
    if (which == 0) return {0, 0};
    const s32 x = clamp_to((column >> 1) - (which == 2) + (which == 3), 0, p.predictor_columns - 1);
    const s32 y = clamp_to((row >> 1) - (which == 4) + (which == 5), 0, p.predictor_rows - 1);
    const s16* vector = p.predictors + 2 * ((s64)y * p.predictor_columns + x);
    return {4 * vector[0], 4 * vector[1]};
}

template <typename T, int WINDOW> FN void denoise_hq_match_tile(const DenoiseHqMatchParams& p, s32 tile_x, s32 row) {
    SHARED u32 costs[HQ_CELLS * HQ_CANDIDATES];
    SHARED HqVector starts[HQ_CELLS];
    const s32 first = tile_x * HQ_CELLS, cells = min_of<s32>(HQ_CELLS, p.columns - first);
    const s32 predictors = p.predictors ? HQ_PREDICTORS : 1, side = 2 * p.radius + 1, candidates = side * side;
    FOR_ITEMS(i, cells * predictors) {
        const s32 cell = i / predictors, which = i - cell * predictors;
        const HqVector v = predicted_vector(p, first + cell, row, which);
        bool known = false;
        for (s32 k = 0; k < which; ++k) {
            const HqVector other = predicted_vector(p, first + cell, row, k);
            known = known || (other.x == v.x && other.y == v.y);
        }
        if (known) {  // the first one counts
            costs[i] = ~0u;
            continue;
        }
        const u32 sum = window_difference<T, WINDOW>(p, first + cell, row, v.x, v.y);
        costs[i] = sum + (v.x | v.y ? (u32)p.bias : 0);
    }
    BARRIER();
    FOR_ITEMS(cell, cells) {
        s32 best = 0;
        for (s32 k = 1; k < predictors; ++k)
            if (costs[cell * predictors + k] < costs[cell * predictors + best]) best = k;
        starts[cell] = predicted_vector(p, first + cell, row, best);
    }
    BARRIER();
    FOR_ITEMS(i, cells * candidates) {
        const s32 cell = i / candidates, k = i - cell * candidates, down = k / side;
        const s32 dy = down - p.radius, dx = k - down * side - p.radius;
        const u32 sum = window_difference<T, WINDOW>(p, first + cell, row, starts[cell].x + dx, starts[cell].y + dy);
        costs[i] = sum + (u32)(p.bias * (max_of(dx, -dx) + max_of(dy, -dy)));
    }
    BARRIER();
    FOR_ITEMS(cell, cells) {
        s32 best = 0;
        for (s32 k = 1; k < candidates; ++k)
            if (costs[cell * candidates + k] < costs[cell * candidates + best]) best = k;
        const s32 down = best / side;
        s16* out = p.vectors + 2 * ((s64)row * p.columns + first + cell);
        out[0] = (s16)(starts[cell].x + best - down * side - p.radius);
        out[1] = (s16)(starts[cell].y + down - p.radius);
    }
}
