// What domain shader threads begin with: one or two points of a patch each (Ironlake volume 2 part 1, pages 109-158).
#pragma once
#include "tess_ends.h"

enum { DOMAIN_DWORDS = 8, DOMAIN_HALF = 4, DOMAIN_PATCH = 3, DOMAIN_NUMBER = 7 };

struct DomainThreadsParams {
    TessEnds ends;
    const s32* points;  // [points][2]
    const s64* ids;     // [patches]: primitive ids
    u32* headers;       // [count][DOMAIN_DWORDS]: R0, but for what all stages have in it
    u32* fixed;         // [count][DOMAIN_DWORDS]: R1
    u8* channels;       // [count][DOMAIN_DWORDS]: 1 where threads have a point
    s32* patches;       // [count]: the patch of each thread
    s32* held;          // patches whose entries lie behind those of the threads
    s32* entries;       // [points]: the entry of each
    s32 lanes;          // points of a thread
    s32 first, count;   // threads
    s32 patches_before; // that are not culled, and end before these threads
    s32 entry, behind;  // handles of an entry, and of a patch
    s32 has_w;
    s32 tiles_x;
};
static_assert(sizeof(DomainThreadsParams) == 112, "parameter layout");

FN u32 share_of_one(s32 place) { return bits_of_float((float)place / (float)TESS_ONE); }

FN void domain_threads_tile(const DomainThreadsParams& p, s32 tile_x, s32 tile_y) {
    const s32 begin = (tile_y * p.tiles_x + tile_x) * TESS_ITEMS, count = min_of<s32>(TESS_ITEMS, p.count - begin);
    const s32 column = p.lanes == 1 ? ENDS_POINTS : ENDS_PAIRS;
    FOR_ITEMS(i, count) {
        const s32 thread = begin + i, patch = patch_with(p.ends, p.first + thread, column);
        const s32 within = p.first + thread - begin_of(p.ends, patch, column), points = number_in(p.ends, patch, ENDS_POINTS);
        const s32 number = begin_of(p.ends, patch, ENDS_PATCHES) - p.patches_before;
        u32* header = p.headers + (s64)thread * DOMAIN_DWORDS;
        u32* fixed = p.fixed + (s64)thread * DOMAIN_DWORDS;
        for (s32 n = 0; n < DOMAIN_DWORDS; ++n) header[n] = fixed[n] = 0;
        for (s32 lane = 0; lane < p.lanes; ++lane) {
            const bool is_used = within * p.lanes + lane < points;
            const s32 slot = thread * p.lanes + (is_used ? lane : 0);
            const s32 point = begin_of(p.ends, patch, ENDS_POINTS) + within * p.lanes + (is_used ? lane : 0);
            const s32 u = p.points[2 * (s64)point], v = p.points[2 * (s64)point + 1];
            header[lane] = (u32)(slot * p.entry);
            fixed[lane * DOMAIN_HALF] = share_of_one(u);
            fixed[lane * DOMAIN_HALF + 1] = share_of_one(v);
            fixed[lane * DOMAIN_HALF + 2] = p.has_w ? share_of_one(TESS_ONE - u - v) : 0;
            if (is_used) p.entries[point] = (p.first + thread) * p.lanes + lane;
        }
        for (s32 n = 0; n < DOMAIN_DWORDS; ++n)
            p.channels[(s64)thread * DOMAIN_DWORDS + n] = within * p.lanes + n / DOMAIN_HALF < points && n / DOMAIN_HALF < p.lanes;
        fixed[DOMAIN_PATCH] = (u32)(p.count * p.lanes * p.entry + number * p.behind);
        fixed[DOMAIN_NUMBER] = (u32)p.ids[patch];
        p.patches[thread] = patch;
        if (thread == 0 || within == 0) p.held[number] = patch;
    }
}
