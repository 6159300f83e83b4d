// Scaling with fixed coefficients: the sharp filter, the smooth one, or the 4-tap chroma table (seed 003:1614-1627).
// A direction whose blend is all sharp or all smooth is one set of taps, so nothing is rounded before the end.
#pragma once
#include "scale.h"

struct ScaleLinearParams {
    SamplePlane plane;
    ScaleGeometry geometry;
    s32 taps;      // 8, or 4: only taps 2..5 are not zero
    s32 in_pairs;  // 16 bits hold the sum of every second product along x and the next one; coefficients are bytes
};
static_assert(sizeof(ScaleLinearParams) == 128, "parameter layout");

// One scratch for both numbers of taps: a kernel's shared memory is the sum of all it names.
// T: sample; X: samples and sums along x; Y: sums along y. avs.py picks types in which every sum is exact.
template <typename T, typename Column, typename X, typename Y> struct LinearScratch {
    T rows[SCALE_SRC_HEIGHT * ScalePitch<T>::ROW];
    Column columns[SCALE_SRC_WIDTH * SCALE_SRC_HEIGHT];
    X x_columns[SCALE_DST_WIDTH * ScalePitch<X>::COLUMN];
    Y x_rows[SCALE_SRC_HEIGHT * SCALE_DST_WIDTH];
    T finished[SCALE_DST_HEIGHT * SCALE_DST_WIDTH];
};

template <int TAPS, typename T, typename Column, typename X, typename Y>
FN void scale_linear_taps(const ScaleLinearParams& params, s32 tile_x, s32 tile_y,
                          LinearScratch<T, Column, X, Y>& scratch) {
    auto& [rows, columns, x_columns, x_rows, finished] = scratch;
    const ScaleGeometry& g = params.geometry;
    const SamplePlane& plane = params.plane;
    const s32 x0 = tile_x * g.tile_width, y0 = tile_y * g.tile_height;
    const s32 width = min_of(g.tile_width, g.dst_width - x0), height = min_of(g.tile_height, g.dst_height - y0);
    const Window w = window_of(g, x0, y0, width, height);
    const s32* x_positions = x_positions_of(g, x0, y0);

    load_window(plane, g, w, rows);
    BARRIER();
    transpose(columns, SCALE_SRC_HEIGHT, rows, ScalePitch<T>::ROW, w.padded_height, w.padded_width);
    BARRIER();
    const s32 padded_width = round_up(width, 8);
    FOR_LINES(x, padded_width) {
        const Phase<TAPS> p = phase_at<TAPS>(x_positions[min_of(x, width - 1)], g.x_taps, w.x);
        const Column* __restrict__ t = columns + p.first * SCALE_SRC_HEIGHT;
        X* __restrict__ out = x_columns + x * ScalePitch<X>::COLUMN;
        FOR_LINE(r, w.padded_height) {
            X sum = 0;
            UNROLL for (int j = 0; j < TAPS; ++j) sum = weighted((X)t[j * SCALE_SRC_HEIGHT + r], (X)p.k[j], sum);
            out[r] = sum;
        }
    }
    BARRIER();
    transpose(x_rows, SCALE_DST_WIDTH, x_columns, ScalePitch<X>::COLUMN, padded_width, w.padded_height);
    BARRIER();
    const bool direct = stores_directly<T>(plane);
    const Rounding<Y> rounding = {g.out_shift};
    const s32 max = largest_output(plane, g);
    FOR_LINES(y, height) {
        const Phase<TAPS> p = phase_at<TAPS>(g.y_positions[y0 + y], g.y_taps, w.y);
        const Y* __restrict__ t = x_rows + p.first * SCALE_DST_WIDTH;
        T* __restrict__ out = direct ? picture_line<T>(plane, x0, y0 + y) : finished + y * SCALE_DST_WIDTH;
        Y k[TAPS];
        UNROLL for (int j = 0; j < TAPS; ++j) k[j] = rounding.tap(p.k[j]);
        FOR_LINE(x, width) {
            Y sum = rounding.start();
            UNROLL for (int j = 0; j < TAPS; ++j) sum = weighted(t[j * SCALE_DST_WIDTH + x], k[j], sum);
            out[x] = (T)rounding.finish(sum, max);
        }
    }
    BARRIER();
    if (!direct) store_tile(plane, finished, SCALE_DST_WIDTH, x0, y0, width, height);
}

template <typename T, typename Column, typename X, typename Y>
FN void scale_linear_tile(const ScaleLinearParams& params, s32 tile_x, s32 tile_y) {
    SHARED LinearScratch<T, Column, X, Y> scratch;
    if (params.taps == 4)
        scale_linear_taps<4>(params, tile_x, tile_y, scratch);
    else
        scale_linear_taps<8>(params, tile_x, tile_y, scratch);
}
