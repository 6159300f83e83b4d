// Domain points of divided patches: U and V of each, in fixed point.
#pragma once
#include "tess_ends.h"

enum { TESS_THIRD = 21845, TESS_TWO_THIRDS = 43690 };

struct TessPointsParams {
    TessEnds ends;
    const TessPatch* patches;
    s32* points;  // [count][2]
    s32 domain;
    s32 count;
    s32 tiles_x;
    s32 pad_;
};
static_assert(sizeof(TessPointsParams) == 48, "parameter layout");

struct TessPoint {
    s32 u, v;
};

FN TessPoint point_of_isolines(const TessPatch& patch, s32 number) {
    const s32 length = side_of(patch, 1);
    return {place_on(edge_of(patch, 1), number % length), place_on(edge_of(patch, 0), number / length)};
}

// Edges of an outline have all of their points but the last, which the next one begins with.
FN TessPoint point_on_rim(const TessPatch& patch, s32 edges, s32 number) {
    if (edges == 4 && patch.whole) return {number == 1 || number == 2 ? TESS_ONE : 0, number >= 2 ? TESS_ONE : 0};
    s32 edge = 0;
    for (; number >= side_of(patch, edge) - 1; ++edge) number -= side_of(patch, edge) - 1;
    const bool forward = edge == 1 || (edge == 2 && edges == 4);
    const s32 place = place_on(edge_of(patch, edge), forward ? number : side_of(patch, edge) - 1 - number);
    if (edges == 3) return {edge == 0 ? 0 : place, edge == 0 ? place : edge == 1 ? 0 : TESS_ONE - place};
    const s32 fixed = edge >= 2 ? TESS_ONE : 0;
    return edge % 2 ? TessPoint{place, fixed} : TessPoint{fixed, place};
}

// Numbers of points along edges inside, from one outer edge to the other.
FN TessPoint point_in_quad(const TessPatch& patch, const TessRings& rings, s32 ring, s32 number) {
    const TessEdge u = edge_of(patch, TESS_INNER), v = edge_of(patch, TESS_INNER + 1);
    const s32 end_u = rings.u - 1 - ring, end_v = rings.v - 1 - ring;
    if (is_row(rings, ring)) {
        if (rings.u > rings.v) return {place_on(u, ring + number), TESS_HALF};
        return {TESS_HALF, place_on(v, end_v - number)};
    }
    s32 edge = 0;
    for (; number >= points_along(rings, ring, edge) - 1; ++edge) number -= points_along(rings, ring, edge) - 1;
    const s32 along = edge == 1 || edge == 2 ? ring + number : (edge % 2 ? end_u : end_v) - number;
    if (edge % 2) return {place_on(u, along), place_on(v, edge < 2 ? ring : end_v)};
    return {place_on(u, edge < 2 ? ring : end_u), place_on(v, along)};
}

// The distance of a ring from its edge is mapped to barycentric space.
FN TessPoint point_in_triangle(const TessPatch& patch, const TessRings& rings, s32 ring, s32 number) {
    if (is_row(rings, ring)) return {TESS_THIRD, TESS_THIRD};
    const TessEdge inner = edge_of(patch, TESS_INNER);
    const s32 each = points_along(rings, ring, 0) - 1, edge = number / each, at = number % each;
    const s32 across = (s32)(((s64)place_on(inner, ring) * TESS_TWO_THIRDS + TESS_HALF) >> TESS_FRACTION);
    const s32 along = place_on(inner, edge == 1 ? ring + at : rings.u - 1 - ring - at) - (across + 1) / 2;
    return {edge == 0 ? across : along, edge == 0 ? along : edge == 1 ? across : TESS_ONE - across - along};
}

FN TessPoint point_of(const TessPatch& patch, s32 domain, s32 number) {
    if (domain == TESS_ISOLINE) return point_of_isolines(patch, number);
    const TessRings rings = rings_of(patch, outer_edges(domain));
    const s32 rim = points_on_rim(patch, rings.edges);
    if (number < rim) return point_on_rim(patch, rings.edges, number);
    s32 ring = 1;
    for (number -= rim; ring < rings.count && number >= points_around(rings, ring); ++ring) number -= points_around(rings, ring);
    return domain == TESS_QUAD ? point_in_quad(patch, rings, ring, number) : point_in_triangle(patch, rings, ring, number);
}

FN void tess_points_tile(const TessPointsParams& p, s32 tile_x, s32 tile_y) {
    const s32 begin = (tile_y * p.tiles_x + tile_x) * TESS_ITEMS, count = min_of<s32>(TESS_ITEMS, p.count - begin);
    FOR_ITEMS(i, count) {
        const s32 number = begin + i, patch = patch_with(p.ends, number, ENDS_POINTS);
        const TessPoint found = point_of(p.patches[patch], p.domain, number - begin_of(p.ends, patch, ENDS_POINTS));
        p.points[2 * (s64)number] = found.u;
        p.points[2 * (s64)number + 1] = found.v;
    }
}
