// Planes in which components take turns, taken apart into planes of their own and put together again, for kernels that
// read and write whole vectors of neighbors.
#pragma once
#include "portable.h"

struct InterleavedParams {
    void* planes[4];
    void* mixed;
    s32 plane_pitches_B[4];
    s32 mixed_pitch_B;
    s32 width;  // elements of each plane in a row
    s32 count;  // planes: 2, 3 or 4
    s32 pad_;
};
static_assert(sizeof(InterleavedParams) == 72, "parameter layout");

// A row of the mixed plane and of the others.
template <typename T, int COUNT> struct InterleavedRow {
    T *mixed, *parts[COUNT];
    FN_MEMBER InterleavedRow(const InterleavedParams& p, s32 y) {
        mixed = (T*)((u8*)p.mixed + (s64)y * p.mixed_pitch_B);
        UNROLL for (int k = 0; k < COUNT; ++k) parts[k] = (T*)((u8*)p.planes[k] + (s64)y * p.plane_pitches_B[k]);
    }
};

template <typename T, int COUNT> FN void part_row(const InterleavedParams& p, s32 y) {
    const InterleavedRow<T, COUNT> row(p, y);
    FOR_EACH(x, p.width) {
        UNROLL for (int k = 0; k < COUNT; ++k) row.parts[k][x] = row.mixed[COUNT * x + k];
    }
}

template <typename T, int COUNT> FN void join_row(const InterleavedParams& p, s32 y) {
    const InterleavedRow<T, COUNT> row(p, y);
    FOR_EACH(x, p.width) {
        UNROLL for (int k = 0; k < COUNT; ++k) row.mixed[COUNT * x + k] = row.parts[k][x];
    }
}

// A tile is one row.
template <typename T> FN void part_tile(const InterleavedParams& p, s32, s32 y) {
    if (p.count == 2) return part_row<T, 2>(p, y);
    if (p.count == 3) return part_row<T, 3>(p, y);
    part_row<T, 4>(p, y);
}

template <typename T> FN void join_tile(const InterleavedParams& p, s32, s32 y) {
    if (p.count == 2) return join_row<T, 2>(p, y);
    if (p.count == 3) return join_row<T, 3>(p, y);
    join_row<T, 4>(p, y);
}
