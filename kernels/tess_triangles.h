// Triangles of a divided patch, clockwise: between the outline and the ring inside edge by edge, then ring by ring.
#pragma once
#include "tess_rings.h"

struct TessTriangle {
    s32 a, b, c;
};

// Triangles between edges of so many points advance along one or the other: after so many steps along each.
struct TessStep {
    s32 outside, inside;
    bool is_outside;
};

// Segments of a half edge in order: at which number of segments each came into being; 1 to 31 of the finest.
FN s32 ruler_at(s32 place) {
    const s32 low = place & -place;
    return 16 / low + place / (2 * low);
}

// Segments of a half edge but the one in the middle of an odd edge.
FN s32 half_segments(s32 points) { return points / 2 - (points % 2 ? 0 : 1); }

FN TessStep step_of_half(s32 outside_half, s32 inside_half, s32 number) {
    const s32 most = max_of(outside_half, inside_half), step = most > 1 ? 16 / top_bit_of(most - 1) : 32;
    TessStep at = {0, 0, true};
    if (outside_half) {  // the only segment of an edge is in its middle
        if (number == 0) return at;
        at.outside = 1;
    }
    for (s32 place = step; place < 32; place += step) {
        const s32 segment = ruler_at(place);
        if (segment < inside_half) {
            at.is_outside = false;
            if (at.outside + at.inside == number) return at;
            ++at.inside;
        }
        if (segment < outside_half) {
            at.is_outside = true;
            if (at.outside + at.inside == number) return at;
            ++at.outside;
        }
    }
    return at;
}

// The second half of an edge mirrors the first; in the middle of odd edges is a segment more.
FN TessStep step_of(s32 outside, s32 inside, s32 number) {
    const s32 outside_half = half_segments(outside), inside_half = half_segments(inside);
    const s32 inside_steps = max_of<s32>(inside_half - 1, 0), half = outside_half + inside_steps;
    const s32 inside_odd = inside % 2 ? 0 : 1, outside_odd = outside % 2 ? 0 : 1, behind = half + inside_odd + outside_odd;
    if (number < half) return step_of_half(outside_half, inside_half, number);
    if (number < behind) {
        const bool is_outside = number > half || !inside_odd;
        return {outside_half, inside_steps + (is_outside ? inside_odd : 0), is_outside};
    }
    const TessStep first = step_of_half(outside_half, inside_half, half + behind - 1 - number);
    return {2 * outside_half + outside_odd - first.outside - (first.is_outside ? 1 : 0),
            2 * inside_steps + inside_odd - first.inside - (first.is_outside ? 0 : 1), first.is_outside};
}

// Triangles between the outline and the ring inside, along an edge.
FN s32 triangles_around(const TessPatch& patch, const TessRings& rings, s32 edge) {
    return side_of(patch, edge) - 1 + points_along(rings, 1, edge) - 1;
}

// Triangles between a ring and the one inside it, of one factor, along an edge.
FN s32 triangles_joining(const TessRings& rings, s32 ring, s32 edge) { return 2 * points_along(rings, ring + 1, edge); }

FN s32 triangles_joining(const TessRings& rings, s32 ring) {
    s32 sum = 0;
    for (s32 edge = 0; edge < rings.edges; ++edge) sum += triangles_joining(rings, ring, edge);
    return sum;
}

// Of a quad whose last ring has no points inside, the edge along which that ring is longer.
FN s32 long_edge(const TessRings& rings) { return rings.u > rings.v ? 1 : 0; }

// Triangles within the last ring: a row of quads, or one.
FN s32 triangles_within(const TessRings& rings) {
    if (is_row(rings, rings.count)) return 0;
    return rings.edges == 3 ? 1 : 2 * (points_along(rings, rings.count, long_edge(rings)) - 1);
}

FN s32 triangles_of(const TessPatch& patch, const TessRings& rings) {
    if (patch.whole) return rings.edges - 2;
    s32 sum = triangles_within(rings);
    for (s32 edge = 0; edge < rings.edges; ++edge) sum += triangles_around(patch, rings, edge);
    for (s32 ring = 1; ring < rings.count; ++ring) sum += triangles_joining(rings, ring);
    return sum;
}

// Half of a quad: a and b are outside, c and d inside, in the same order.
FN TessTriangle half_of_quad(s32 a, s32 b, s32 c, s32 d, bool forward, bool second) {
    if (forward) return second ? TessTriangle{c, b, d} : TessTriangle{a, b, c};
    return second ? TessTriangle{a, b, d} : TessTriangle{a, d, c};
}

// Diagonals turn in the middle, and corners are triangles.
FN TessTriangle joining_triangle(const TessRings& rings, s32 ring, s32 edge, s32 number) {
    const s32 inside = points_along(rings, ring + 1, edge);
    const s32 at = number == 0 ? 0 : (number + 1) / 2;  // point outside
    const s32 a = point_inside(rings, ring, edge, at), b = point_inside(rings, ring, edge, at + 1);
    const s32 c = point_inside(rings, ring + 1, edge, max_of<s32>(at - 1, 0));
    if (number == 0 || number == 2 * inside - 1) return {a, b, c};
    return half_of_quad(a, b, c, point_inside(rings, ring + 1, edge, at), at - 1 >= inside / 2, number % 2 == 0);
}

FN TessTriangle triangle_within(const TessRings& rings, s32 number) {
    const s32 ring = rings.count, edge = long_edge(rings), points = points_along(rings, ring, edge), at = number / 2;
    if (rings.edges == 3)
        return {point_inside(rings, ring, 0, 0), point_inside(rings, ring, 1, 0), point_inside(rings, ring, 2, 0)};
    const bool turns = edge == 0 && rings.v % 2 == 0 && at == points / 2 - 1;
    const s32 a = point_inside(rings, ring, edge, at), b = point_inside(rings, ring, edge, at + 1);
    const s32 c = point_inside(rings, ring, edge + 2, points - 1 - at), d = point_inside(rings, ring, edge + 2, points - 2 - at);
    return half_of_quad(a, b, c, d, !turns, number % 2 == 1);
}

FN TessTriangle triangle_inside(const TessRings& rings, s32 number) {
    for (s32 ring = 1; ring < rings.count; ++ring) {
        const s32 joining = triangles_joining(rings, ring);
        if (number >= joining) {
            number -= joining;
            continue;
        }
        s32 edge = 0;
        for (; number >= triangles_joining(rings, ring, edge); ++edge) number -= triangles_joining(rings, ring, edge);
        return joining_triangle(rings, ring, edge, number);
    }
    return triangle_within(rings, number);
}

FN TessTriangle triangle_around(const TessPatch& patch, const TessRings& rings, s32 edge, s32 number) {
    const s32 inner = points_of(edge_of(patch, rings.edges == 4 && edge % 2 == 0 ? TESS_INNER + 1 : TESS_INNER));
    const s32 rim = points_on_rim(patch, rings.edges), first = first_on_rim(patch, edge);
    const TessStep at = step_of(side_of(patch, edge), inner, number);
    const s32 outside = (first + at.outside) % rim, inside = rim + point_inside(rings, 1, edge, at.inside);
    if (at.is_outside) return {outside, (first + at.outside + 1) % rim, inside};
    return {inside, outside, rim + point_inside(rings, 1, edge, at.inside + 1)};
}

// Points of a triangle, counted from the first one of the outline.
FN TessTriangle triangle_of(const TessPatch& patch, const TessRings& rings, s32 number) {
    if (patch.whole) return rings.edges == 3 ? TessTriangle{0, 1, 2} : number ? TessTriangle{1, 2, 3} : TessTriangle{0, 1, 3};
    for (s32 edge = 0; edge < rings.edges; ++edge) {
        const s32 around = triangles_around(patch, rings, edge);
        if (number < around) return triangle_around(patch, rings, edge, number);
        number -= around;
    }
    const s32 rim = points_on_rim(patch, rings.edges);
    const TessTriangle found = triangle_inside(rings, number);
    return {rim + found.a, rim + found.b, rim + found.c};
}
