// Planes in which components take turns, taken apart into planes of their own and put together again, for kernels that
// read and write whole vectors of neighbors.
#pragma once
#include "portable.h"

struct InterleavedParams {
    void* planes[4];  // by turns; of packed 4:2:2 two are that of luma, which gets two elements where others get one
    void* mixed;
    s32 plane_pitches_B[4];
    s32 mixed_pitch_B;
    s32 width;  // rounds of turns in a row
    s32 count;  // turns of a round: 2, 3 or 4
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

// Packed 4:2:2. LUMA: its first turn.
template <typename T, int LUMA> FN void part_pairs(const InterleavedParams& p, s32 y) {
    const InterleavedRow<T, 4> row(p, y);
    FOR_EACH(x, p.width) {
        UNROLL for (int k = 0; k < 2; ++k) {
            row.parts[LUMA][2 * x + k] = row.mixed[4 * x + 2 * k + LUMA];
            row.parts[2 * k + 1 - LUMA][x] = row.mixed[4 * x + 2 * k + 1 - LUMA];
        }
    }
}

template <typename T, int LUMA> FN void join_pairs(const InterleavedParams& p, s32 y) {
    const InterleavedRow<T, 4> row(p, y);
    FOR_EACH(x, p.width) {
        UNROLL for (int k = 0; k < 2; ++k) {
            row.mixed[4 * x + 2 * k + LUMA] = row.parts[LUMA][2 * x + k];
            row.mixed[4 * x + 2 * k + 1 - LUMA] = row.parts[2 * k + 1 - LUMA][x];
        }
    }
}

// A tile is one row.
template <typename T> FN void part_tile(const InterleavedParams& p, s32, s32 y) {
    if (p.count == 4 && p.planes[0] == p.planes[2]) return part_pairs<T, 0>(p, y);
    if (p.count == 4 && p.planes[1] == p.planes[3]) return part_pairs<T, 1>(p, y);
    if (p.count == 2) return part_row<T, 2>(p, y);
    if (p.count == 3) return part_row<T, 3>(p, y);
    part_row<T, 4>(p, y);
}

template <typename T> FN void join_tile(const InterleavedParams& p, s32, s32 y) {
    if (p.count == 4 && p.planes[0] == p.planes[2]) return join_pairs<T, 0>(p, y);
    if (p.count == 4 && p.planes[1] == p.planes[3]) return join_pairs<T, 1>(p, y);
    if (p.count == 2) return join_row<T, 2>(p, y);
    if (p.count == 3) return join_row<T, 3>(p, y);
    join_row<T, 4>(p, y);
}
