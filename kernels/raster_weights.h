// Weights of an object's corners at points of its pixels: barycentric coordinates, depth and w.
//
// Numerators are exact integers, rounded once to float; every later operation is rounded to float. What is not finite
// becomes 0: it happens at pixels outside of an object, which run beside those inside.
#pragma once
#include "raster_rows.h"

enum { RASTER_SUBSPANS = ON_DEVICE(256, 256) };  // of a tile; texsamp/emulator/fixed/interpolation.py

struct RasterWeightsParams {
    const s64* weights;     // [objects][2][3]: a, b, c of corner 1 and of corner 2, times the scale
    const s64* scales;      // [objects]: above 0
    const float* corners;   // [objects][6]: 1 / w of three corners; depth of corner 0, and what 1 and 2 have more
    const s32* subspans;    // [count][4]: object, x, y
    const s32* points;      // [count][4][2]: of each pixel, from its corner, 1/256; null: `at`
    float* linear;          // [count][2][4]: weights of corners 1 and 2 on the screen
    float* perspective;     // [count][2][4]
    float* depth;           // [count][4]
    float* w;               // [count][4]
    s32 count, tiles_x;
    s32 at_x, at_y;
};
static_assert(sizeof(RasterWeightsParams) == 88, "parameter layout");

FN float finite_or_zero(float v) { return (bits_of_float(v) & 0x7f800000) == 0x7f800000 ? 0.0f : v; }

FN s64 weight_at(const s64* plane, s64 x, s64 y) { return plane[0] * x + plane[1] * y + plane[2]; }

FN void weights_of_subspan(const RasterWeightsParams& p, s64 i) {
    const s32* subspan = p.subspans + i * 4;
    const s64 object = subspan[0];
    const s64* planes = p.weights + object * 6;
    const float* corners = p.corners + object * 6;
    const s64 scale = p.scales[object];
    const float whole = (float)scale;
    for (int pixel = 0; pixel < 4; ++pixel) {
        const s32* point = p.points ? p.points + (i * 4 + pixel) * 2 : nullptr;
        const s64 x = (s64)(subspan[1] + (pixel & 1)) * RASTER_SUBPIXELS + (point ? point[0] : p.at_x);
        const s64 y = (s64)(subspan[2] + (pixel >> 1)) * RASTER_SUBPIXELS + (point ? point[1] : p.at_y);
        const s64 n1 = weight_at(planes, x, y), n2 = weight_at(planes + 3, x, y);
        const float l0 = (float)(scale - n1 - n2) / whole, l1 = (float)n1 / whole, l2 = (float)n2 / whole;
        const float p1 = l1 * corners[1], p2 = l2 * corners[2], sum = l0 * corners[0] + p1 + p2;
        p.linear[i * 8 + pixel] = l1;
        p.linear[i * 8 + 4 + pixel] = l2;
        p.perspective[i * 8 + pixel] = finite_or_zero(p1 / sum);
        p.perspective[i * 8 + 4 + pixel] = finite_or_zero(p2 / sum);
        p.depth[i * 4 + pixel] = finite_or_zero(corners[3] + l1 * corners[4] + l2 * corners[5]);
        p.w[i * 4 + pixel] = finite_or_zero(1.0f / sum);
    }
}

FN void raster_weights_tile(const RasterWeightsParams& p, s32 tile_x, s32 tile_y) {
    const s32 begin = (tile_y * p.tiles_x + tile_x) * RASTER_SUBSPANS, count = min_of<s32>(RASTER_SUBSPANS, p.count - begin);
    FOR_ITEMS(i, count) weights_of_subspan(p, begin + i);
}
