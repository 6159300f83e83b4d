// Edges of patches in the fixed-point arithmetic that Direct3D 11 defines (16.16): how many points they have, and where.
//
// Edges grow by the ruler function: where a half edge gets its next segment follows from how many it has. All of it is
// symmetric about the middle of an edge, so that neighboring patches meet.
#pragma once
#include "portable.h"

enum { TESS_FRACTION = 16, TESS_ONE = 65536, TESS_HALF = 32768 };

// odd: whether it has an odd number of segments.
struct TessEdge {
    s32 factor, odd;
};

// Half the factor; odd edges, and a factor of 1, have half a segment more.
FN s32 half_of(TessEdge edge) {
    const s32 half = (edge.factor + 1) / 2;
    return edge.odd || half == TESS_HALF ? half + TESS_HALF : half;
}

FN s32 whole_above(s32 fixed) { return (fixed + TESS_ONE - 1) >> TESS_FRACTION; }

FN s32 points_of(TessEdge edge) {
    const s32 half = (edge.factor + 1) / 2;
    return edge.odd ? 2 * whole_above(TESS_HALF + half) : 2 * whole_above(half) + 1;
}

FN s32 top_bit_of(s32 number) {  // number > 0
    s32 top = 1;
    while (2 * top <= number) top *= 2;
    return top;
}

// Which segment of a half edge comes into being when it has `segments` already.
FN s32 split_of(s32 segments) { return segments ? 2 * (segments - top_bit_of(segments)) + 1 : 1; }

FN s32 new_segment_of(s32 segments, s32 odd) { return !odd ? split_of(segments) : segments > 1 ? split_of(segments - 1) : 0; }

FN s32 reciprocal_of(s32 segments) { return segments ? (2 * TESS_ONE + segments) / (2 * segments) : 0; }

// Where a point is, from 0 to 1: between its places at the next smaller and larger numbers of segments.
FN s32 place_on(TessEdge edge, s32 point) {
    const s32 half = half_of(edge), most = whole_above(half);
    const bool flipped = point >= most;
    const s32 number = flipped ? 2 * most - point - edge.odd : point;
    if (number == most) return TESS_HALF;
    const s32 floor = half >> TESS_FRACTION, fraction = half & (TESS_ONE - 1);
    const s32 before = number - (fraction && number > new_segment_of(floor, edge.odd) ? 1 : 0);
    const s64 low = before * reciprocal_of(2 * floor - edge.odd), high = number * reciprocal_of(2 * most - edge.odd);
    const s32 found = (s32)((low * (TESS_ONE - fraction) + high * fraction + TESS_HALF) >> TESS_FRACTION);
    return flipped ? TESS_ONE - found : found;
}
