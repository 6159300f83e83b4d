// scale_linear.h for bytes at exactly twice the size, where every second column is one of the source's and those between
// have taps that mirror each other, as chroma's with its usual siting. Sums down the columns come first, for both kinds of
// columns; nothing is turned.
#pragma once
#include "doubled_lines.h"
#include "scale_shifted.h"

#if HAS_VECTORS
enum { DOUBLED_ROWS = 9 };  // between both loops long enough to leave the store buffer

FN bool is_doubled(const ScaleLinearParams& params, s32 x0, s32 y0, s32 width, s32 height) {
    const ScaleGeometry& g = params.geometry;
    const s32 *xs = g.x_positions + x0, *ys = g.y_positions + y0;
    if (params.taps != 4 || !params.in_pairs || g.tile_width % 2 || (xs[0] & 31) || !steps_by(16, xs, width) ||
        !steps_by(16, ys, height))
        return false;
    return taps_double(g.x_taps, g.y_taps, ys[0] & 31);
}

FN_APART void double_tile(const ScaleLinearParams& params, s32 x0, s32 y0, s32 width, s32 height) {
    alignas(64) PairScratch s;
    alignas(64) s16 sums[DOUBLED_ROWS * DOUBLED_PITCH];
    const ScaleGeometry& g = params.geometry;
    const SamplePlane& plane = params.plane;
    const Window w = window_of(g, x0, y0, width, height);
    const s32 columns = round_up(w.width, DOUBLED_STEP);
    find_lines(plane, g, w, columns, w.height, s);
    const bool direct = stores_directly<u8>(plane) && width % (s32)sizeof(Vector) == 0;
    for (s32 y = 0; y < height; y += DOUBLED_ROWS) {
        const s32 rows = min_of<s32>(height - y, DOUBLED_ROWS);
        for (s32 r = 0; r < rows;) {
            const s32 position = g.y_positions[y0 + y + r], phase = position & 31;
            const u8* const* lines = s.lines + (position >> 5) - 1 - w.y;
            s16* out = sums + r * DOUBLED_PITCH;
            const bool both = phase < 16 && r + 1 < rows;
            if (both) {
                sum_down<2>(lines, g.y_taps, phase, out, columns);
            } else {
                sum_down<1>(lines, g.y_taps, phase, out, columns);
            }
            r += 1 + both;
        }
        for (s32 r = 0; r < rows; ++r) {
            u8* out = direct ? picture_line<u8>(plane, x0, y0 + y + r) : s.finished + (y + r) * SCALE_DST_WIDTH;
            const DoubledLine line = doubled_line(sums + r * DOUBLED_PITCH + 3, g.x_taps + 16 * 8);
            for (s32 x = 0; x < width; x += (s32)sizeof(Vector)) store_vector(out + x, line(x));
        }
    }
    if (!direct) store_tile(plane, s.finished, SCALE_DST_WIDTH, x0, y0, width, height);
}
#endif
