// Subspans of objects: the 2x2 pixels of a row of them in which an object has a sample, and which samples.
//
// An item is one object's row of subspans. They are counted first; with the sums of the counts known, they are written.
#pragma once
#include "raster_rows.h"

enum { RASTER_ITEMS = ON_DEVICE(64, 256) };  // of a tile; texsamp/emulator/fixed/raster.py

struct RasterSpansParams {
    const s64* edges;     // [objects][4][3]
    const s32* areas;     // [objects][4]: left, top, right and bottom pixel that may be drawn
    const s32* items;     // [count][2]: object, row of subspans
    const s32* points;    // [samples][2]: x and y in the pixel, 1/256
    const s32* places;    // [count]: the item's first subspan; not used for counting
    s32* found;           // counting: [count][2]: subspans, and their pixels with a sample inside; else [subspans][4]:
                          // object, x, y, samples, bit 4 * sample + pixel
    s32 count, samples;
    s32 tiles_x;
    s32 writing;
};
static_assert(sizeof(RasterSpansParams) == 64, "parameter layout");

struct RasterRows {
    RasterInterval columns[2 * RASTER_MOST_SAMPLES];  // [sample][row]
    s32 first, last;                                  // subspans, in pairs of columns
};

FN RasterRows rows_inside(const RasterSpansParams& p, s32 object, s32 row) {
    RasterRows rows;
    const s32* area = p.areas + (s64)object * 4;
    const RasterEdge* edges = (const RasterEdge*)p.edges + (s64)object * RASTER_EDGES;
    rows.first = 1 << 30, rows.last = -1;
    for (int k = 0; k < 2 * RASTER_MOST_SAMPLES; ++k) rows.columns[k] = {0, -1};
    for (s32 s = 0; s < p.samples; ++s) {
        for (s32 r = 0; r < 2; ++r) {
            const s32 y = 2 * row + r;
            RasterInterval inside = {0, -1};
            if (y >= area[1] && y <= area[3])
                inside = columns_inside(edges, area[0], area[2], p.points[2 * s], (s64)y * RASTER_SUBPIXELS + p.points[2 * s + 1]);
            rows.columns[2 * s + r] = inside;
            if (inside.last >= inside.first) {
                rows.first = min_of(rows.first, inside.first >> 1);
                rows.last = max_of(rows.last, inside.last >> 1);
            }
        }
    }
    return rows;
}

FN u32 samples_inside(const RasterRows& rows, s32 samples, s32 subspan) {
    const s32 x = 2 * subspan;
    u32 found = 0;
    for (s32 s = 0; s < samples; ++s) {
        for (s32 r = 0; r < 2; ++r) {
            const RasterInterval in = rows.columns[2 * s + r];
            found |= (u32)(x >= in.first && x <= in.last) << (4 * s + 2 * r);
            found |= (u32)(x + 1 >= in.first && x + 1 <= in.last) << (4 * s + 2 * r + 1);
        }
    }
    return found;
}

// How many of a subspan's pixels have a sample inside.
FN s32 pixels_inside(u32 samples) {
    u32 any = samples | samples >> 16;
    any |= any >> 8;
    any |= any >> 4;
    return (s32)((any & 1) + (any >> 1 & 1) + (any >> 2 & 1) + (any >> 3 & 1));
}

FN void raster_spans_tile(const RasterSpansParams& p, s32 tile_x, s32 tile_y) {
    const s32 begin = (tile_y * p.tiles_x + tile_x) * RASTER_ITEMS, items = min_of<s32>(RASTER_ITEMS, p.count - begin);
    FOR_ITEMS(i, items) {
        const s32 item = begin + i, object = p.items[2 * item], row = p.items[2 * item + 1];
        const RasterRows rows = rows_inside(p, object, row);
        s32* out = p.writing ? p.found + (s64)p.places[item] * 4 : p.found;
        s32 found = 0, pixels = 0;
        for (s32 subspan = rows.first; subspan <= rows.last; ++subspan) {
            const u32 samples = samples_inside(rows, p.samples, subspan);
            if (!samples) continue;
            if (p.writing) {
                out[4 * found] = object;
                out[4 * found + 1] = 2 * subspan;
                out[4 * found + 2] = 2 * row;
                out[4 * found + 3] = (s32)samples;
            }
            ++found;
            pixels += pixels_inside(samples);
        }
        if (!p.writing) p.found[2 * item] = found, p.found[2 * item + 1] = pixels;
    }
}
