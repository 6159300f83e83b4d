// Rows of an object: which pixels of each have a sample inside its edges (volume 2 part 1 of Sandy Bridge, pages 283-310).
//
// An object is convex: up to four edges a x + b y + c >= 0, x and y in 1/256 pixels, whose c has the rule for samples on
// an edge in it. All of it is exact integer arithmetic.
#pragma once
#include "portable.h"

enum { RASTER_EDGES = 4, RASTER_SUBPIXELS = 256, RASTER_MOST_SAMPLES = 8 };

enum RasterKind { KIND_PLAIN = 0, KIND_LINE = 1, KIND_POLYGON = 2 };
enum { LINE_END = 1, LINE_BEGIN = 3 };  // edges of a line's shape that are its ends; the others run along it

// What threads and fragments are told of an object: `Told` of texsamp/emulator/fixed/objects.py says of what else.
enum {
    TOLD_BACK = 0, TOLD_SLICE = 1, TOLD_VIEWPORT = 2, TOLD_NUMBER = 3, TOLD_KIND = 4, TOLD_RUN = 5, TOLD_OBJECT = 6,
    TOLD_CORNER = 7, TOLD_COLUMNS = 8,
};

struct RasterEdge {
    s64 a, b, c;
};

// Pixels from `first` to `last`, none if last < first.
struct RasterInterval {
    s32 first, last;
};

FN s64 floor_of(s64 n, s64 d) {  // n / d, d > 0
    const s64 q = n / d;
    return q * d > n ? q - 1 : q;
}

// Columns from `left` to `right` whose sample, at_x to the right of the pixel's left border in the row whose samples are at
// y, is inside all edges.
FN RasterInterval columns_inside(const RasterEdge* edges, s32 left, s32 right, s32 at_x, s64 y) {
    s64 first = left, last = right;
    for (int e = 0; e < RASTER_EDGES; ++e) {
        const RasterEdge edge = edges[e];
        const s64 value = edge.a * at_x + edge.b * y + edge.c;  // at column 0
        if (edge.a > 0) {
            first = max_of(first, -floor_of(value, edge.a * RASTER_SUBPIXELS));
        } else if (edge.a < 0) {
            last = min_of(last, floor_of(value, -edge.a * RASTER_SUBPIXELS));
        } else if (value < 0) {
            last = first - 1;
        }
    }
    if (last < first) return {0, -1};
    return {(s32)first, (s32)last};
}
