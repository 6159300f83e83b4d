// How far aside of the middle of its way what moves is in the field (texsamp's own, docs/deinterlace-hq.md (73)): a
// camera in a hand gets faster and slower, and steps of whole pixels are not all alike.
#pragma once
#include "field_vectors.h"

struct VectorAsideParams {
    const VectorCombs* combs;
    s8* aside;  // quarters of a pixel, to the right
    s32 combs_pitch_B, pitch_B;
    s32 columns, rows;  // of blocks
};
static_assert(sizeof(VectorAsideParams) == 32, "parameter layout");

// By what a block and those around it comb on either side.
FN s32 aside_of(const VectorAsideParams& p, s32 column, s32 row) {
    s32 middle = 0, left = 0, right = 0;
    for (s32 j = max_of(row - 1, 0); j <= min_of(row + 1, p.rows - 1); ++j) {
        const VectorCombs* line = (const VectorCombs*)((const u8*)p.combs + (s64)j * p.combs_pitch_B);
        for (s32 i = max_of(column - 1, 0); i <= min_of(column + 1, p.columns - 1); ++i) {
            middle += line[i].middle;
            left += line[i].left;
            right += line[i].right;
        }
    }
    if (4 * min_of(left, right) >= 3 * max_of(left, right)) return 0;
    const s32 twice = 2 * max_of(left - right, right - left), bend = left + right - 2 * middle;
    const s32 far = (twice >= bend) + (twice >= 3 * bend);  // the lowest place of a parabola
    return left < right ? -far : far;
}

FN void vector_aside_tile(const VectorAsideParams& p, s32 tile_x, s32 row) {
    const s32 first = tile_x * VECTOR_BLOCKS, count = min_of<s32>(VECTOR_BLOCKS, p.columns - first);
    const VectorCombs* combs = (const VectorCombs*)((const u8*)p.combs + (s64)row * p.combs_pitch_B) + first;
    s8* out = p.aside + (s64)row * p.pitch_B + first;
    FOR_ITEMS(n, count) out[n] = (s8)(combs[n].middle ? aside_of(p, first + n, row) : 0);
}
