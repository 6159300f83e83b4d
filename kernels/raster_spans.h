// Subspans of objects: the 2x2 pixels of a row of them in which an object has a sample, and which samples.
//
// An item is one object's row of subspans. They are counted first; with the sums of the counts known, they are written, and
// told how many pixels and threads there are among each so many of them, which go on together. Samples that are not drawn,
// and pixels that a stipple leaves out, are not inside.
#pragma once
#include "raster_lines.h"

enum { RASTER_ITEMS = ON_DEVICE(64, 256) };  // of a tile; texsamp/emulator/fixed/raster.py

// Stipples: which pixels of lines and polygons are drawn (pages 294-300).
struct RasterStipple {
    const s64* before;  // [objects]: how far the counter has come where each line begins; null: lines have none
    s32 pattern, repeat;
    s32 at_x, at_y;     // where a pixel of lines is tested
    s32 polygons;       // whether these have one
    s32 x, y;           // where pixel 0, 0 lies in it
    u32 rows[32];       // bit 31 is the leftmost pixel
    s32 pad_;
};
static_assert(sizeof(RasterStipple) == 168, "parameter layout");

// Sums of subspans that go on together: pixels with a sample inside, threads; of pixels with several samples these as well,
// and pairs of a subspan and a sample that is inside in some of its pixels.
enum { SPAN_PIXELS = 0, SPAN_THREADS = 1, SPAN_SAMPLES = 2, SPAN_QUADS = 3, SPAN_COLUMNS = 4 };

struct RasterSpansParams {
    const s64* edges;     // [objects][4][3]
    const s32* areas;     // [objects][4]: left, top, right and bottom pixel that may be drawn
    const s32* told;      // [objects][TOLD_COLUMNS]
    const s64* ends;      // [objects][2]: rows of subspans up to each one's end
    const s32* points;    // [samples][2]: x and y in the pixel, 1/256; behind them, if lines have points of their own, these
    RasterStipple stipple;
    const s32* places;    // writing: [count]: the item's first subspan; null: counting
    s32* counts;          // counting: [count], subspans
    s32* found;           // writing: [subspans][4]: object, x, y, samples, bit 4 * sample + pixel
    u32* sums;            // writing: [subspans / together][SPAN_COLUMNS], 0 before
    s64 first;            // item
    s32 objects;
    s32 count, samples;
    s32 drawn;            // samples, a bit for each
    s32 lines_apart;      // whether lines have points of their own
    s32 together;         // subspans
    s32 each;             // of these, of an object, that a thread takes
    s32 thread_samples;   // samples of each that a thread takes
    s32 tiles_x;
    s32 pad_;
};
static_assert(sizeof(RasterSpansParams) == 288, "parameter layout");

struct RasterRows {
    RasterInterval columns[2 * RASTER_MOST_SAMPLES];  // [sample][row]
    s32 first, last;                                  // subspans, in pairs of columns
};

FN s32 raster_kind_of(const RasterSpansParams& p, s32 object) { return p.told[(s64)object * TOLD_COLUMNS + TOLD_KIND]; }

FN RasterRows rows_inside(const RasterSpansParams& p, s32 object, s32 row) {
    RasterRows rows;
    const s32* area = p.areas + (s64)object * 4;
    const s32* points = p.points + (p.lines_apart && raster_kind_of(p, object) == KIND_LINE ? 2 * p.samples : 0);
    const RasterEdge* edges = (const RasterEdge*)p.edges + (s64)object * RASTER_EDGES;
    rows.first = 1 << 30, rows.last = -1;
    for (int k = 0; k < 2 * RASTER_MOST_SAMPLES; ++k) rows.columns[k] = {0, -1};
    for (s32 s = 0; s < p.samples; ++s) {
        if (!(p.drawn >> s & 1)) continue;
        for (s32 r = 0; r < 2; ++r) {
            const s32 y = 2 * row + r;
            RasterInterval inside = {0, -1};
            if (y >= area[1] && y <= area[3])
                inside = columns_inside(edges, area[0], area[2], points[2 * s], (s64)y * RASTER_SUBPIXELS + points[2 * s + 1]);
            rows.columns[2 * s + r] = inside;
            if (inside.last >= inside.first) {
                rows.first = min_of(rows.first, inside.first >> 1);
                rows.last = max_of(rows.last, inside.last >> 1);
            }
        }
    }
    return rows;
}

// An object's stipple: of which kind it is, KIND_PLAIN if it has none; of lines where its pixels are along it.
struct RasterDrawn {
    s32 kind;
    LineSteps steps;
    s64 before;
};

FN RasterDrawn drawn_of(const RasterSpansParams& p, s32 object) {
    RasterDrawn drawn = {KIND_PLAIN, {false, 0, 0, 0}, 0};
    if (!p.stipple.before && !p.stipple.polygons) return drawn;
    const s32 kind = raster_kind_of(p, object);
    if (kind == KIND_POLYGON && p.stipple.polygons) drawn.kind = kind;
    if (kind == KIND_LINE && p.stipple.before) {
        drawn.kind = kind, drawn.before = p.stipple.before[object];
        drawn.steps = steps_of((const RasterEdge*)p.edges + (s64)object * RASTER_EDGES, p.stipple.at_x, p.stipple.at_y);
    }
    return drawn;
}

FN bool is_drawn(const RasterStipple& stipple, const RasterDrawn& drawn, s32 x, s32 y) {
    if (drawn.kind == KIND_POLYGON) return stipple.rows[(y + stipple.y) & 31] >> (31 - ((x + stipple.x) & 31)) & 1;
    const s64 number = ((drawn.steps.is_x ? x : y) - drawn.steps.first) * drawn.steps.way + drawn.before;
    return stipple.pattern >> (floor_of(number, stipple.repeat) & 15) & 1;
}

// Samples of the pixels that an object's stipple leaves.
FN u32 samples_drawn(const RasterStipple& stipple, const RasterDrawn& drawn, s32 x, s32 y) {
    if (drawn.kind == KIND_PLAIN) return 0xffffffffu;
    u32 pixels = 0;
    for (s32 k = 0; k < 4; ++k) pixels |= (u32)is_drawn(stipple, drawn, x + (k & 1), y + (k >> 1)) << k;
    return pixels * 0x11111111u;
}

FN u32 samples_inside(const RasterSpansParams& p, const RasterRows& rows, const RasterDrawn& drawn, s32 subspan, s32 row) {
    const s32 x = 2 * subspan;
    u32 found = 0;
    for (s32 s = 0; s < p.samples; ++s) {
        for (s32 r = 0; r < 2; ++r) {
            const RasterInterval in = rows.columns[2 * s + r];
            found |= (u32)(x >= in.first && x <= in.last) << (4 * s + 2 * r);
            found |= (u32)(x + 1 >= in.first && x + 1 <= in.last) << (4 * s + 2 * r + 1);
        }
    }
    return found & samples_drawn(p.stipple, drawn, x, 2 * row);
}

FN u32 bits_in(u32 word) {
    word -= word >> 1 & 0x55555555u;
    word = (word & 0x33333333u) + (word >> 2 & 0x33333333u);
    return ((word + (word >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

// How many of a subspan's pixels have a sample inside.
FN u32 pixels_inside(u32 samples) {
    u32 any = samples | samples >> 16;
    any |= any >> 8;
    any |= any >> 4;
    return bits_in(any & 15);
}

// How many groups of samples that follow each other, `size` in each, have one inside.
FN u32 groups_inside(u32 samples, s32 count, s32 size) {
    const u32 group = size < RASTER_MOST_SAMPLES ? (1u << 4 * size) - 1 : 0xffffffffu;
    u32 found = 0;
    for (s32 first = 0; first < count; first += size) found += (samples >> 4 * first & group) != 0;
    return found;
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

// Sums of a row, where they are added to those of all subspans that go on together.
struct RasterSums {
    s32 number;
    u32 of[SPAN_COLUMNS];
};

FN void add_sums(const RasterSpansParams& p, const RasterSums& sums) {
    for (int k = 0; k < SPAN_COLUMNS; ++k)
        if (sums.of[k]) add_of_tiles(p.sums + (s64)SPAN_COLUMNS * sums.number + k, sums.of[k]);
}

FN void write_row(const RasterSpansParams& p, const RasterRows& rows, const RasterDrawn& drawn, s32 item, s32 object, s32 row, s64 of_object) {
    const s32 begin = p.places[max_of<s64>(of_object - p.first, 0)];  // of the object
    s32 place = p.places[item];
    RasterSums sums = {place / p.together, {0, 0, 0, 0}};
    for (s32 subspan = rows.first; subspan <= rows.last; ++subspan) {
        const u32 samples = samples_inside(p, rows, drawn, subspan, row);
        if (!samples) continue;
        s32* out = p.found + (s64)place * 4;
        out[0] = object, out[1] = 2 * subspan, out[2] = 2 * row, out[3] = (s32)samples;
        if (place / p.together != sums.number) {
            add_sums(p, sums);
            sums = {place / p.together, {0, 0, 0, 0}};
        }
        sums.of[SPAN_PIXELS] += pixels_inside(samples);
        if ((place - max_of(begin, sums.number * p.together)) % p.each == 0)
            sums.of[SPAN_THREADS] += groups_inside(samples, p.samples, p.thread_samples);
        if (p.samples > 1) {
            sums.of[SPAN_SAMPLES] += bits_in(samples);
            sums.of[SPAN_QUADS] += groups_inside(samples, p.samples, 1);
        }
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
        const RasterDrawn drawn = drawn_of(p, object);
        if (p.places) {
            write_row(p, rows, drawn, item, object, row, of_object);
            continue;
        }
        s32 found = 0;
        for (s32 subspan = rows.first; subspan <= rows.last; ++subspan) found += samples_inside(p, rows, drawn, subspan, row) != 0;
        p.counts[item] = found;
    }
}
