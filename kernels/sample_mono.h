// The monochrome filter: a box of 1x1 to 7x7 texels around the coordinate, over texels of one bit (seed 003:583-599).
#pragma once
#include "sample_address.h"

struct MonoParams {
    const u8* texels;            // 0 or 1, rows of `width`
    const float* coordinate[2];
    float* out;                  // four numbers for each sample
    s64 count;
    s32 width, height;
    s32 columns, rows;           // of the box
    s32 normalized;
    s32 round;                   // a bit for each axis
};
static_assert(sizeof(MonoParams) == 64, "parameter layout");

// Weight of a texel of the box along an axis, from 0 to `size`; both ends share one texel.
FN u32 mono_weight(s32 k, s32 size, s32 part) {
    return (u32)(k == 0 ? POSITION_ONE - part : k == size ? part : (s32)POSITION_ONE);
}

FN u32 mono_sum(const MonoParams& p, s64 i) {
    const s32 x = fixed_position(p.coordinate[0][i], p.width, ADDRESS_CLAMP_BORDER, p.normalized, p.round & 1, 0);
    const s32 y = fixed_position(p.coordinate[1][i], p.height, ADDRESS_CLAMP_BORDER, p.normalized, p.round >> 1 & 1, 0);
    const s32 left = x - BILINEAR_HALF * p.columns, top = y - BILINEAR_HALF * p.rows;
    u32 sum = 0;
    for (s32 b = 0; b <= p.rows; ++b) {
        const s32 row = (top >> 8) + b;
        if (row < 0 || row >= p.height) continue;  // the border is 0 (003:4214)
        u32 line = 0;
        for (s32 a = 0; a <= p.columns; ++a) {
            const s32 column = (left >> 8) + a;
            if (column >= 0 && column < p.width)
                line += p.texels[(s64)row * p.width + column] * mono_weight(a, p.columns, left & (POSITION_ONE - 1));
        }
        sum += line * mono_weight(b, p.rows, top & (POSITION_ONE - 1));
    }
    return sum;
}

FN void sample_mono_tile(const MonoParams& p, s32 tile_x, s32 tile_y) {
    const s64 first = ((s64)tile_y * 64 + tile_x) * SAMPLE_TILE;
    const float whole = (float)(POSITION_ONE * POSITION_ONE * p.columns * p.rows);
    FOR_ITEMS(i, (s32)min_of(p.count - first, (s64)SAMPLE_TILE)) {
        const float part = (float)mono_sum(p, first + i) / whole;
        for (s32 c = 0; c < 4; ++c) p.out[4 * (first + i) + c] = part;
    }
}
