// Lines pixel by pixel: how many a stipple counts of each (volume 2 part 1 of Sandy Bridge, pages 294-296).
#pragma once
#include "raster_rows.h"

enum { RASTER_LINES = ON_DEVICE(256, 256) };  // of a tile; texsamp/emulator/fixed/stipple.py

// A line along an axis: whether that is x, its first pixel there, 1 or -1 by where it goes, and how many it counts.
struct LineSteps {
    bool is_x;
    s64 first, way, count;
};

// The last pixel inside of an end in the direction of `side`, as a multiple of it.
FN s64 last_inside(const RasterEdge& end, bool is_x, s32 place, s64 side) {
    const s64 factor = is_x ? end.a : end.b, size = factor < 0 ? -factor : factor;
    return floor_of(end.c + factor * place, max_of<s64>(size, 1) * RASTER_SUBPIXELS) * side;
}

// Of a line with a width along an axis; x and y: where a pixel is tested, from its upper left corner.
FN LineSteps steps_of(const RasterEdge* edges, s32 x, s32 y) {
    const RasterEdge &begin = edges[LINE_BEGIN], &end = edges[LINE_END];
    const bool is_x = begin.a != 0;
    const s64 way = (is_x ? begin.a : begin.b) < 0 ? -1 : 1;
    const s64 first = last_inside(begin, is_x, is_x ? x : y, -way), last = last_inside(end, is_x, is_x ? x : y, way);
    return {is_x, first, way, max_of<s64>((last - first) * way + 1, 0)};
}

struct RasterLinesParams {
    const s64* edges;  // [count][4][3]
    s64* counts;       // [count]
    s32 count;
    s32 at_x, at_y;    // where a pixel is tested
    s32 tiles_x;
};
static_assert(sizeof(RasterLinesParams) == 32, "parameter layout");

FN void raster_lines_tile(const RasterLinesParams& p, s32 tile_x, s32 tile_y) {
    const s32 begin = (tile_y * p.tiles_x + tile_x) * RASTER_LINES, count = min_of<s32>(RASTER_LINES, p.count - begin);
    const RasterEdge* edges = (const RasterEdge*)p.edges + (s64)begin * RASTER_EDGES;
    FOR_ITEMS(i, count) p.counts[begin + i] = steps_of(edges + i * RASTER_EDGES, p.at_x, p.at_y).count;
}
