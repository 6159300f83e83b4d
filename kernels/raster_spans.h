// Subspans of objects: the 2x2 pixels of a row of them in which an object has a sample, and which samples.
//
// An item is one object's row of subspans. They are counted first; with the sums of the counts known, they are written, and
// told how many pixels and threads there are among each so many of them, which go on together.
#pragma once
#include "raster_rows.h"

enum { RASTER_ITEMS = ON_DEVICE(64, 256) };  // of a tile; texsamp/emulator/fixed/raster.py

struct RasterSpansParams {
    const s64* edges;     // [objects][4][3]
    const s32* areas;     // [objects][4]: left, top, right and bottom pixel that may be drawn
    const s64* ends;      // [objects][2]: rows of subspans up to each one's end
    const s32* points;    // [samples][2]: x and y in the pixel, 1/256
    const s32* places;    // writing: [count]: the item's first subspan; null: counting
    s32* counts;          // counting: [count], subspans
    s32* found;           // writing: [subspans][4]: object, x, y, samples, bit 4 * sample + pixel
    u32* sums;            // writing: [subspans / together][2], 0 before: pixels with a sample inside, and threads
    s64 first;            // item
    s32 objects;
    s32 count, samples;
    s32 together;         // subspans
    s32 each;             // of these, of an object, that a thread takes
    s32 tiles_x;
};
static_assert(sizeof(RasterSpansParams) == 96, "parameter layout");

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
FN u32 pixels_inside(u32 samples) {
    u32 any = samples | samples >> 16;
    any |= any >> 8;
    any |= any >> 4;
    return (any & 1) + (any >> 1 & 1) + (any >> 2 & 1) + (any >> 3 & 1);
}

// The object whose row an item is: the first one that ends behind it.
FN s32 object_of_row(const RasterSpansParams& p, s64 item) {
    s32 low = 0, high = p.objects - 1;
    while (low < high) {
        const s32 middle = low + (high - low) / 2;
        if (p.ends[2 * middle] > item) high = middle;
        else low = middle + 1;
    }
    return low;
}

// Pixels and threads of a row, where they are added to those of all subspans that go on together.
struct RasterSums {
    s32 number;
    u32 pixels, threads;
};

FN void add_sums(const RasterSpansParams& p, const RasterSums& sums) {
    if (sums.pixels) add_of_tiles(p.sums + 2 * sums.number, sums.pixels);
    if (sums.threads) add_of_tiles(p.sums + 2 * sums.number + 1, sums.threads);
}

FN void write_row(const RasterSpansParams& p, const RasterRows& rows, s32 item, s32 object, s32 row, s64 of_object) {
    const s32 begin = p.places[max_of<s64>(of_object - p.first, 0)];  // of the object
    s32 place = p.places[item];
    RasterSums sums = {place / p.together, 0, 0};
    for (s32 subspan = rows.first; subspan <= rows.last; ++subspan) {
        const u32 samples = samples_inside(rows, p.samples, subspan);
        if (!samples) continue;
        s32* out = p.found + (s64)place * 4;
        out[0] = object, out[1] = 2 * subspan, out[2] = 2 * row, out[3] = (s32)samples;
        if (place / p.together != sums.number) {
            add_sums(p, sums);
            sums = {place / p.together, 0, 0};
        }
        sums.pixels += pixels_inside(samples);
        sums.threads += (place - max_of(begin, sums.number * p.together)) % p.each == 0;
        ++place;
    }
    add_sums(p, sums);
}

FN void raster_spans_tile(const RasterSpansParams& p, s32 tile_x, s32 tile_y) {
    const s32 begin = (tile_y * p.tiles_x + tile_x) * RASTER_ITEMS, items = min_of<s32>(RASTER_ITEMS, p.count - begin);
    FOR_ITEMS(i, items) {
        const s32 item = begin + i, object = object_of_row(p, p.first + item);
        const s64 of_object = object ? p.ends[2 * object - 2] : 0;  // its first row
        const s32 row = (p.areas[4 * (s64)object + 1] >> 1) + (s32)(p.first + item - of_object);
        const RasterRows rows = rows_inside(p, object, row);
        if (p.places) {
            write_row(p, rows, item, object, row, of_object);
            continue;
        }
        s32 found = 0;
        for (s32 subspan = rows.first; subspan <= rows.last; ++subspan) found += samples_inside(rows, p.samples, subspan) != 0;
        p.counts[item] = found;
    }
}
