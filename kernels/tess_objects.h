// Objects of divided patches: points, lines and triangles, by rows of all domain points.
#pragma once
#include "tess_ends.h"

struct TessObjectsParams {
    TessEnds ends;
    const TessPatch* patches;
    const s64* ids;  // [patches]: primitive ids
    s32* vertices;   // [count][1, 2 or 3], by the output
    s32* numbers;    // [count]: primitive ids
    s32* runs;       // [count]: the first point of the strip or list that each is of
    s32 domain, output;
    s32 reversed;    // triangles are counterclockwise
    s32 count;
    s32 tiles_x;
    s32 pad_;
};
static_assert(sizeof(TessObjectsParams) == 80, "parameter layout");

FN void tess_objects_tile(const TessObjectsParams& p, s32 tile_x, s32 tile_y) {
    const s32 begin = (tile_y * p.tiles_x + tile_x) * TESS_ITEMS, count = min_of<s32>(TESS_ITEMS, p.count - begin);
    FOR_ITEMS(i, count) {
        const s32 number = begin + i, owner = patch_with(p.ends, number, ENDS_OBJECTS);
        const s32 within = number - begin_of(p.ends, owner, ENDS_OBJECTS), first = begin_of(p.ends, owner, ENDS_POINTS);
        const TessPatch& patch = p.patches[owner];
        s32 run = first;
        if (p.output == TESS_TRIANGLES) {
            const TessTriangle found = triangle_of(patch, rings_of(patch, outer_edges(p.domain)), within);
            s32* out = p.vertices + (s64)number * 3;
            out[0] = first + found.a;
            out[1] = first + (p.reversed ? found.c : found.b);
            out[2] = first + (p.reversed ? found.b : found.c);
        } else if (p.output == TESS_LINES) {
            const s32 length = p.domain == TESS_ISOLINE ? side_of(patch, 1) : number_in(p.ends, owner, ENDS_POINTS);
            run = first + within / (length - 1) * length;
            const s32 point = run + within % (length - 1);
            p.vertices[2 * (s64)number] = point;
            p.vertices[2 * (s64)number + 1] = point + 1;
        } else {
            p.vertices[number] = first + within;
        }
        p.numbers[number] = (s32)p.ids[owner];
        p.runs[number] = run;
    }
}
