// The detail filter of sharpen.h for bytes in 16-bit numbers, where these hold every weighted sum of differences: what it
// computes is the same. A GPU, whose numbers all have 32 bits, takes sharpen.h's way.
#pragma once
#include "sharpen.h"

// Of one line of the tile, column by column: sums of the samples two lines away and of those beside, and the slope.
struct ColumnPairs {
    s16 far[SHARPEN_PITCH], near[SHARPEN_PITCH], down[SHARPEN_PITCH];
};

FN void pair_columns(const s16* __restrict__ rows, ColumnPairs& __restrict__ t, s32 count) {
    FOR_LINE(x, count) {
        const s16 above = rows[SHARPEN_PITCH + x], below = rows[3 * SHARPEN_PITCH + x];
        t.far[x] = (s16)(rows[x] + rows[4 * SHARPEN_PITCH + x]);
        t.near[x] = (s16)(above + below);
        t.down[x] = (s16)(below - above);
    }
}

FN s16 narrow_size(s16 v) { return max_of<s16>(v, (s16)-v); }

// (a * b + 2^14) >> 15, one instruction of many processors.
FN s16 rounded_product(s16 a, s16 b) { return (s16)(((a * b >> 14) + 1) >> 1); }

FN void narrow_detail_line(const SharpenParams& p, const s16* __restrict__ here, const ColumnPairs& __restrict__ t,
                           u8* __restrict__ out, s32 count) {
    const s16 r3x = (s16)p.r3x, r3c = (s16)p.r3c, r5x = (s16)p.r5x, r5cx = (s16)p.r5cx, r5c = (s16)p.r5c;
    const s16 total = (s16)(4 * (p.r3x + p.r3c + p.r5x + p.r5c) + 8 * p.r5cx);
    // an edge metric of 63 stands for all above
    const s16 strong_threshold = (s16)(p.strong_threshold < 63 ? p.strong_threshold : 0x7fff);
    const s16 weak_threshold = (s16)(p.weak_threshold < 63 ? p.weak_threshold : 0x7fff);
    const s16 strong = (s16)(2 * p.strong_weight * p.gain), regular = (s16)(2 * p.regular_weight * p.gain);
    const s16 none = (s16)(2 * p.non_edge_weight * p.gain);
    const s16 *__restrict__ far = t.far, *__restrict__ near = t.near, *__restrict__ down = t.down;
    FOR_LINE(x, count) {
        const s16 steps = (s16)((s16)(down[x + 1] + down[x + 3]) + (s16)(down[x + 2] + down[x + 2]));
        const s16 beside = (s16)(here[x + 3] - here[x + 1]);
        const s16 turns = (s16)((s16)(near[x + 3] - near[x + 1]) + (s16)(beside + beside));
        const s16 edge = (s16)((s16)(narrow_size(steps) + narrow_size(turns) + 1) >> 1);
        const s16 weak_or_none = edge > weak_threshold ? regular : none;
        const s16 factor = edge > strong_threshold ? strong : weak_or_none;
        const s16 corners = (s16)(far[x] + far[x + 4]), diagonal = (s16)(near[x + 1] + near[x + 3]);
        const s16 between = (s16)((s16)(near[x] + near[x + 4]) + (s16)(far[x + 1] + far[x + 3]));
        const s16 outer = (s16)((s16)(here[x] + here[x + 4]) + far[x + 2]);
        const s16 inner = (s16)((s16)(here[x + 1] + here[x + 3]) + near[x + 2]), middle = here[x + 2];
        const s16 ring = (s16)((s16)(corners * r5x) + (s16)((s16)(between * r5cx) + (s16)(outer * r5c)));
        const s16 around = (s16)(ring + (s16)((s16)(diagonal * r3x) + (s16)(inner * r3c)));
        const s16 delta = rounded_product((s16)((s16)(middle * total) - around), factor);
        out[x] = (u8)clamp_to<s16>((s16)((s16)((s16)(middle * 4) + delta + 2) >> 2), 0, 255);
    }
}

FN void sharpen_bytes_tile(const SharpenParams& p, s32 tile_x, s32 tile_y) {
    if (ON_DEVICE(!p.narrow || p.smooth || p.score, true)) return sharpen_tile<u8, u16, s16, 2>(p, tile_x, tile_y);
    SHARED s16 tile[SHARPEN_ROWS * SHARPEN_PITCH];
    SHARED ColumnPairs pairs;
    SHARED u8 finished[SHARPEN_HEIGHT * SHARPEN_PITCH];
    const s32 x0 = tile_x * SHARPEN_WIDTH, y0 = tile_y * SHARPEN_HEIGHT;
    const s32 width = min_of<s32>(SHARPEN_WIDTH, p.width - x0), height = min_of<s32>(SHARPEN_HEIGHT, p.height - y0);
    load_tile<u8>(p, x0, y0, width, height, tile);
    const bool direct = p.plane.dst_step == 1;
    FOR_LINES(y, height) {
        pair_columns(tile + y * SHARPEN_PITCH, pairs, width + 4);
        u8* out = direct ? picture_line<u8>(p.plane, x0, y0 + y) : finished + y * SHARPEN_PITCH;
        narrow_detail_line(p, tile + (y + 2) * SHARPEN_PITCH, pairs, out, width);
    }
    if (!direct) store_tile(p.plane, finished, SHARPEN_PITCH, x0, y0, width, height);
}
