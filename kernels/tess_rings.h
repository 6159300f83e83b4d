// A divided patch: an outline, then rings inside it, whose points are counted from the first one of the outermost ring.
//
// Edges are U = 0, V = 0, U = 1, V = 1 of quads, U = 0, V = 0, W = 0 of triangles: even ones of quads run along V.
#pragma once
#include "tess_edges.h"

enum { TESS_INNER = 4, TESS_EDGES = 6 };

// factors: of outer edges, and from TESS_INNER on of those inside; 0 if there are none. odd: a bit for each. whole: it is
// not divided.
struct TessPatch {
    s32 factors[TESS_EDGES];
    s32 odd, whole;
};

FN TessEdge edge_of(const TessPatch& patch, s32 edge) { return {patch.factors[edge], patch.odd >> edge & 1}; }

FN s32 side_of(const TessPatch& patch, s32 edge) { return points_of(edge_of(patch, edge)); }

// u, v: points of the edges inside, from one outer edge to the other. count: of rings; the last one may be a row of points.
struct TessRings {
    s32 edges, u, v, count;
};

FN s32 across_of(TessEdge edge) {  // there is a ring inside, or a point
    const s32 points = points_of(edge);
    return max_of<s32>(points, points % 2 ? 3 : 4);
}

FN TessRings rings_of(const TessPatch& patch, s32 edges) {
    if (patch.whole) return {edges, 0, 0, 0};
    const s32 u = across_of(edge_of(patch, TESS_INNER)), v = edges == 4 ? across_of(edge_of(patch, TESS_INNER + 1)) : u;
    return {edges, u, v, (min_of(u, v) + 1) / 2 - 1};
}

// Points of an edge of a ring inside, with the first one of the next edge.
FN s32 points_along(const TessRings& rings, s32 ring, s32 edge) { return (edge % 2 ? rings.u : rings.v) - 2 * ring; }

FN s32 points_around(const TessRings& rings, s32 ring) {
    return rings.edges == 4 ? 2 * (rings.u + rings.v - 2 - 4 * ring) : 3 * (rings.u - 1 - 2 * ring);
}

FN bool is_row(const TessRings& rings, s32 ring) { return 2 * ring + 1 == min_of(rings.u, rings.v); }

FN s32 points_in_row(const TessRings& rings, s32 ring) { return max_of(rings.u, rings.v) - 2 * ring; }

FN s32 first_of_ring(const TessRings& rings, s32 ring) {  // rings become smaller by as much as that
    return (ring - 1) * (points_around(rings, 1) + points_around(rings, ring - 1)) / 2;
}

FN s32 first_of_edge(const TessRings& rings, s32 ring, s32 edge) {
    return (edge + 1) / 2 * (points_along(rings, ring, 0) - 1) + edge / 2 * (points_along(rings, ring, 1) - 1);
}

FN s32 points_inside(const TessRings& rings) {
    if (!rings.count) return 0;
    const s32 last = rings.count;
    return first_of_ring(rings, last) + (is_row(rings, last) ? points_in_row(rings, last) : points_around(rings, last));
}

// A point along an edge of a ring inside. A row is walked to and fro: two edges are its ends.
FN s32 point_inside(const TessRings& rings, s32 ring, s32 edge, s32 point) {
    const s32 first = first_of_ring(rings, ring);
    if (!is_row(rings, ring)) return first + (first_of_edge(rings, ring, edge) + point) % points_around(rings, ring);
    if (rings.edges == 3) return first;
    const s32 last = points_in_row(rings, ring) - 1, way = (rings.u > rings.v ? edge : edge + 1) % 4;
    return first + (way == 0 ? 0 : way == 1 ? point : way == 2 ? last : last - point);
}

FN s32 first_on_rim(const TessPatch& patch, s32 edge) {
    s32 first = 0;
    for (s32 n = 0; n < edge; ++n) first += side_of(patch, n) - 1;
    return first;
}

FN s32 points_on_rim(const TessPatch& patch, s32 edges) { return first_on_rim(patch, edges); }
