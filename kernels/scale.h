// The adaptive video scaler's geometry, and the phases every scaling kernel is made of (seed 003:1584-1640).
//
// A tile of the output needs a window of the source. Each tile loads its window (edges clamped or mirrored), turns it
// so that columns are contiguous, filters along x with vectors that run over rows, turns the result back, and filters
// along y with vectors that run over x. In this order the coefficients of a filter are the same for a whole vector.
#pragma once
#include "samples.h"

// Largest window and tile; texsamp/video/scale/avs.py picks tiles that fit.
enum {
    SCALE_SRC_WIDTH = ON_DEVICE(160, 64),
    SCALE_SRC_HEIGHT = ON_DEVICE(192, 48),
    SCALE_DST_WIDTH = ON_DEVICE(128, 32),
    SCALE_DST_HEIGHT = ON_DEVICE(128, 32),
};

// From one line of scratch to the next, in elements. A transpose reads across lines: on a device an odd number of words
// is between them, so that the threads of a warp ask different banks.
template <typename T> struct ScalePitch {
    enum { PAD = ON_DEVICE(0, sizeof(T) < 4 ? 4 / sizeof(T) : 1) };
    enum { ROW = SCALE_SRC_WIDTH + PAD, COLUMN = SCALE_SRC_HEIGHT + PAD };
};

struct ScaleGeometry {
    const s32* x_positions;  // per output column: texel * 32 + phase, not decreasing
    const s32* y_positions;  // per output row
    const s16* x_taps;       // [32 phases][8 taps], S1.6
    const s16* y_taps;
    s32 src_width, src_height, dst_width, dst_height;
    s32 tile_width, tile_height;
    s32 mirror;     // edges: 0 clamp, 1 mirror (seed 003:1787-1890)
    s32 out_shift;  // fraction bits dropped, rounding half up: 12 keeps the depth, 4 gives 8.8
    s32 block_rows;  // output rows that have x positions of their own, a whole number of tiles; 0: all have the same
    s32 pad_;
};
static_assert(sizeof(ScaleGeometry) == 72, "parameter layout");

// x positions of a tile of the output, from its column on.
FN const s32* x_positions_of(const ScaleGeometry& g, s32 x0, s32 y0) {
    return g.x_positions + (g.block_rows ? (s64)(y0 / g.block_rows) * g.dst_width : 0) + x0;
}

// Source window of one tile: origin, size, and the size rounded up to what transposes work on.
struct Window {
    s32 x, y, width, height, padded_width, padded_height;
};

FN s32 round_up(s32 value, s32 multiple) { return (value + multiple - 1) / multiple * multiple; }

FN Window window_of(const ScaleGeometry& g, s32 x0, s32 y0, s32 columns, s32 rows) {
    Window w;
    const s32* x_positions = x_positions_of(g, x0, y0);
    w.x = (x_positions[0] >> 5) - 3;
    w.y = (g.y_positions[y0] >> 5) - 3;
    w.width = (x_positions[columns - 1] >> 5) + 5 - w.x;
    w.height = (g.y_positions[y0 + rows - 1] >> 5) + 5 - w.y;
    w.padded_width = round_up(w.width, ON_DEVICE(32, 8));
    w.padded_height = round_up(w.height, ON_DEVICE(32, 8));
    return w;
}

FN s32 edge_index(s32 i, s32 size, s32 mirror) {
    const s32 mirrored = i < 0 ? -i - 1 : (i >= size ? 2 * size - 1 - i : i);
    return clamp_to(mirror ? mirrored : i, 0, size - 1);
}

// Phase: the window, row by row.
template <typename T>
FN void load_window(const SamplePlane& plane, const ScaleGeometry& g, const Window& w, T* rows) {
    const s32 left = clamp_to(-w.x, 0, w.padded_width), right = clamp_to(g.src_width - w.x, left, w.padded_width);
    const s32 step = plane.src_step, shift = plane.src_shift, max = plane.src_max;
    FOR_LINES(r, w.padded_height) {
        const s64 row = edge_index(w.y + r, g.src_height, g.mirror);
        const T* __restrict__ in = (const T*)((const u8*)plane.src + row * plane.src_pitch_B);
        T* __restrict__ out = rows + r * ScalePitch<T>::ROW;
        const T* __restrict__ inside = in + (s64)(w.x + left) * step;
        if (step == 1) {
            FOR_LINE(i, right - left) out[left + i] = sample_of(inside[i], shift, max);
        } else {
            load_spaced(inside, step, shift, max, out + left, right - left);
        }
        FOR_LINE(i, left) out[i] = sample_of(in[(s64)edge_index(w.x + i, g.src_width, g.mirror) * step], shift, max);
        FOR_LINE(i, w.padded_width - right) {
            const s64 x = edge_index(w.x + right + i, g.src_width, g.mirror);
            out[right + i] = sample_of(in[x * step], shift, max);
        }
    }
}

// Coefficients of one phase, and where its window starts.
template <int TAPS> struct Phase {
    s16 k[TAPS];
    s32 first;  // first row or column of the filter, relative to the window
};

template <int TAPS> FN Phase<TAPS> phase_at(s32 position, const s16* taps, s32 window_origin) {
    enum { SKIP = (8 - TAPS) / 2 };
    Phase<TAPS> p;
    p.first = (position >> 5) - 3 + SKIP - window_origin;
    const s16* row = taps + (position & 31) * 8 + SKIP;
    UNROLL for (int j = 0; j < TAPS; ++j) p.k[j] = row[j];
    return p;
}

// sum + value * k, in types in which avs.py has proved it exact.
FN s16 weighted(s16 value, s16 k, s16 sum) { return (s16)(sum + (s16)(value * k)); }
FN s32 weighted(s32 value, s32 k, s32 sum) { return sum + value * k; }
FN s64 weighted(s64 value, s64 k, s64 sum) { return sum + value * k; }
FN float weighted(float value, float k, float sum) { return multiply_add_exact(value, k, sum); }

// Drop fraction bits, rounding half up, and clamp to [0, max].
template <typename Sum> FN s32 rounded(Sum sum, s32 shift, s32 max) {
    return (s32)clamp_to<Sum>((sum + ((Sum)1 << (shift - 1))) >> shift, 0, max);
}

// The same, taken apart for the inner loop: sums start at one half and floats are scaled by an exact power of two
// through their coefficients, so that truncation is all that is left (what truncation gets wrong is below 0).
template <typename Sum> struct Rounding {
    s32 shift;
    FN_MEMBER Sum start() const { return (Sum)1 << (shift - 1); }
    FN_MEMBER Sum tap(s16 k) const { return k; }
    FN_MEMBER s32 finish(Sum sum, s32 max) const { return (s32)clamp_to<Sum>(sum >> shift, 0, max); }
};
template <> struct Rounding<float> {
    s32 shift;
    FN_MEMBER float start() const { return 0.5f; }
    FN_MEMBER float tap(s16 k) const { return (float)k / (float)(1 << shift); }
    FN_MEMBER s32 finish(float sum, s32 max) const { return clamp_to((s32)sum, 0, max); }
};

FN s32 largest_output(const SamplePlane& plane, const ScaleGeometry& g) { return plane.src_max << (12 - g.out_shift); }

// Where a line of finished samples goes: straight to the picture if its elements are plain samples, else to scratch.
template <typename T> FN bool stores_directly(const SamplePlane& plane) {
    return plane.dst_step == 1 && (sizeof(T) == 1 || plane.dst_shift == 0);
}
