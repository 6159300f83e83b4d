// 10:10:10:2 pictures: four fields of one 32-bit element, taken apart into planes and put together again.
#pragma once
#include "portable.h"

struct Packed10Params {
    void* planes[4];  // u16: R, G, B, A
    void* packed;
    s32 plane_pitch_B, packed_pitch_B, width;
    s32 shifts[4];
    s32 pad_;
};
static_assert(sizeof(Packed10Params) == 72, "parameter layout");

// A tile is one row.
FN void unpack10_tile(const Packed10Params& p, s32, s32 y) {
    const u32* __restrict__ packed = (const u32*)((const u8*)p.packed + (s64)y * p.packed_pitch_B);
    for (int c = 0; c < 4; ++c) {
        u16* __restrict__ plane = (u16*)((u8*)p.planes[c] + (s64)y * p.plane_pitch_B);
        const u32 shift = (u32)p.shifts[c], mask = c == 3 ? 3 : 1023;
        FOR_EACH(x, p.width) plane[x] = (u16)((packed[x] >> shift) & mask);
    }
}

FN void pack10_tile(const Packed10Params& p, s32, s32 y) {
    u32* __restrict__ packed = (u32*)((u8*)p.packed + (s64)y * p.packed_pitch_B);
    const u16* __restrict__ r = (const u16*)((const u8*)p.planes[0] + (s64)y * p.plane_pitch_B);
    const u16* __restrict__ g = (const u16*)((const u8*)p.planes[1] + (s64)y * p.plane_pitch_B);
    const u16* __restrict__ b = (const u16*)((const u8*)p.planes[2] + (s64)y * p.plane_pitch_B);
    const u16* __restrict__ a = (const u16*)((const u8*)p.planes[3] + (s64)y * p.plane_pitch_B);
    const u32 rs = (u32)p.shifts[0], gs = (u32)p.shifts[1], bs = (u32)p.shifts[2], as = (u32)p.shifts[3];
    FOR_EACH(x, p.width) packed[x] = (u32)r[x] << rs | (u32)g[x] << gs | (u32)b[x] << bs | (u32)a[x] << as;
}
