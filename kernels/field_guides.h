// Fields with their borders repeated, in which motion is searched (texsamp's own, docs/deinterlace-hq.md (61)): at full
// depth, in 8 bits, and these at half their width.
#pragma once
#include "fields.h"

enum { GUIDE_X = 64, GUIDE_Y = 24 };            // samples around a field in its guide
enum { GUIDE_WIDTH = 512, GUIDE_ROWS = 16 };    // of a tile

// Both fields of a frame: first the top one, then the bottom one, `rows` rows each.
struct FieldGuideParams {
    FieldSamples source;
    void* guide;
    s32 pitch_B, rows;
    s32 width, height;
    s32 drop;  // bits of a sample below those of the guide
    s32 pad_;
};
static_assert(sizeof(FieldGuideParams) == 56, "parameter layout");

struct HalfGuideParams {
    const u8* guide;
    u8* half;
    s32 pitch_B;  // of the guide; twice that of the half
    s32 rows;     // of all fields
};
static_assert(sizeof(HalfGuideParams) == 24, "parameter layout");

template <typename T, typename G> FN void field_guide_tile(const FieldGuideParams& p, s32 tile_x, s32 tile_y) {
    const s32 first = tile_x * GUIDE_WIDTH, count = min_of<s32>(GUIDE_WIDTH, p.pitch_B / (s32)sizeof(G) - first);
    const s32 step = p.source.step, shift = p.source.shift, max = p.source.max, drop = p.drop, last = p.width - 1;
    const s32 left = clamp_to<s32>(GUIDE_X - first, 0, count), inside = clamp_to<s32>(p.width + GUIDE_X - first, left, count);
    FOR_LINES(i, GUIDE_ROWS) {
        const s32 row = tile_y * GUIDE_ROWS + i, parity = row >= p.rows;
        if (row >= 2 * p.rows) continue;
        const s32 line = 2 * (row - parity * p.rows - GUIDE_Y) + parity;
        const T* __restrict__ in = row_of<T>(p.source, line_in_picture(line, p.height));
        G* __restrict__ out = (G*)((u8*)p.guide + (s64)row * p.pitch_B) + first;
        const T* __restrict__ from = in + (s64)max_of<s32>(first - GUIDE_X, 0) * step;
        G* __restrict__ to = out + left;
        if (step == 1) {
            FOR_LINE(k, inside - left) to[k] = (G)(sample_of(from[k], shift, max) >> drop);
        } else {
            FOR_LINE(k, inside - left) to[k] = (G)(sample_of(from[(s64)k * step], shift, max) >> drop);
        }
        const G nearest = (G)(sample_of(in[0], shift, max) >> drop);
        const G farthest = (G)(sample_of(in[(s64)last * step], shift, max) >> drop);
        FOR_LINE(k, left) out[k] = nearest;
        FOR_LINE(k, count - inside) out[inside + k] = farthest;
    }
}

FN void half_guide_tile(const HalfGuideParams& p, s32 tile_x, s32 tile_y) {
    const s32 pitch = p.pitch_B / 2, first = tile_x * GUIDE_WIDTH, count = min_of<s32>(GUIDE_WIDTH, pitch - first);
    FOR_LINES(i, GUIDE_ROWS) {
        const s32 row = tile_y * GUIDE_ROWS + i;
        if (row >= p.rows) continue;
        const u8* __restrict__ in = p.guide + (s64)row * p.pitch_B + 2 * first;
        u8* __restrict__ out = p.half + (s64)row * pitch + first;
        // The first and the last sample repeat: what is beside a border is the same.
        const s32 begin = first > 0 ? 0 : 1, end = first + count < pitch ? count : count - 1;
        FOR_LINE(n, end - begin) {
            const s32 k = begin + n;
            const u16 near = (u16)(in[2 * k] + in[2 * k + 1]), far = (u16)(in[2 * k - 1] + in[2 * k + 2]);
            out[k] = (u8)((u16)((u16)(3 * near) + (u16)(far + 4)) >> 3);
        }
        FOR_LINE(n, begin) out[n] = in[0];
        FOR_LINE(n, count - end) out[end + n] = in[2 * (end + n)];
    }
}
