// How much of pixels antialiased lines cover (volume 2 part 1 of Sandy Bridge, pages 243-244, 291-294).
#pragma once
#include "doubles.h"
#include "raster_rows.h"

enum { LINE_SUBSPANS = ON_DEVICE(256, 256) };  // of a tile; texsamp/emulator/fixed/line_coverage.py

// Of two edges that lie opposite: over how many pixels coverage rises from 0; or, with a slope, slope times distance less
// bias is a factor of each.
struct LineRamp {
    float width, slope, bias;
};

struct LineCoverParams {
    const s64* edges;     // [objects][4][3]
    const s32* told;      // [objects][TOLD_COLUMNS]
    const s32* subspans;  // [count][4]: object, x, y
    float* covered;       // [count][4]
    LineRamp sides, ends;
    s32 has_slope;
    s32 count;
    s32 at_x, at_y;
    s32 tiles_x;
    s32 pad_;
};
static_assert(sizeof(LineCoverParams) == 80, "parameter layout");

FN double between_0_and_1(double v) { return v < 0.0 ? 0.0 : v > 1.0 ? 1.0 : v; }

// How far inside of an edge a point is, in pixels.
FN double distance_inside(const RasterEdge& edge, s64 x, s64 y) {
    const double a = (double)edge.a, b = (double)edge.b, length = wide_root_of(a * a + b * b);
    return (double)(edge.a * x + edge.b * y + edge.c) / ((length < 1.0 ? 1.0 : length) * (double)RASTER_SUBPIXELS);
}

FN double times_ramp(double covered, const LineRamp& ramp, bool has_slope, double one, double other) {
    if (!has_slope) return covered * between_0_and_1((one < other ? one : other) / (double)ramp.width);
    const double slope = (double)ramp.slope, bias = (double)ramp.bias;
    return covered * between_0_and_1(slope * one - bias) * between_0_and_1(slope * other - bias);
}

// How much of a pixel a line covers, in steps of 1/255.
FN float covered_part(const LineCoverParams& p, const RasterEdge* edges, s64 x, s64 y) {
    double inside[RASTER_EDGES];
    for (int n = 0; n < RASTER_EDGES; ++n) inside[n] = distance_inside(edges[n], x, y);
    const bool has_slope = p.has_slope != 0;
    const double sides = times_ramp(1.0, p.sides, has_slope, inside[0], inside[2]);
    const double whole = times_ramp(sides, p.ends, has_slope, inside[LINE_BEGIN], inside[LINE_END]);
    return (float)(nearest(whole * 255.0) / 255.0);
}

FN void line_cover_tile(const LineCoverParams& p, s32 tile_x, s32 tile_y) {
    const s32 begin = (tile_y * p.tiles_x + tile_x) * LINE_SUBSPANS, count = min_of<s32>(LINE_SUBSPANS, p.count - begin);
    FOR_ITEMS(i, count) {
        const s32* subspan = p.subspans + (s64)(begin + i) * 4;
        const RasterEdge* edges = (const RasterEdge*)p.edges + (s64)subspan[0] * RASTER_EDGES;
        const bool is_line = p.told[(s64)subspan[0] * TOLD_COLUMNS + TOLD_KIND] == KIND_LINE;
        for (int pixel = 0; pixel < 4; ++pixel) {
            const s64 x = (s64)(subspan[1] + (pixel & 1)) * RASTER_SUBPIXELS + p.at_x;
            const s64 y = (s64)(subspan[2] + (pixel >> 1)) * RASTER_SUBPIXELS + p.at_y;
            p.covered[(s64)(begin + i) * 4 + pixel] = is_line ? covered_part(p, edges, x, y) : 1.0f;
        }
    }
}
