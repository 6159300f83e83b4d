// Whether objects may have a sample in common: of each pair no edges say that it does not.
#pragma once
#include "raster_rows.h"

struct RasterMeetParams {
    const s64* edges;  // [count][4][3]
    s32* meet;         // raised to 1
    s32 count;
};
static_assert(sizeof(RasterMeetParams) == 24, "parameter layout");

// Two edges are opposite if what is inside of one is outside of the other.
FN bool are_apart(const RasterEdge* one, const RasterEdge* other) {
    bool found = false;
    for (int i = 0; i < RASTER_EDGES; ++i)
        for (int k = 0; k < RASTER_EDGES; ++k)
            found = found || (one[i].a == -other[k].a && one[i].b == -other[k].b && one[i].c + other[k].c < 0);
    return found;
}

FN void raster_meet_tile(const RasterMeetParams& p, s32, s32) {
    const RasterEdge* edges = (const RasterEdge*)p.edges;
    FOR_ITEMS(pair, p.count * p.count) {
        const s32 one = pair / p.count, other = pair % p.count;
        if (one < other && !are_apart(edges + one * RASTER_EDGES, edges + other * RASTER_EDGES)) raise_shared(p.meet, 1);
    }
}
