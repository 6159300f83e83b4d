// Samples of 8 bits, with sums along x of 16: which of the ways to make them a tile can take.
#pragma once
#include "scale_doubled.h"
#include "scale_shifted.h"

FN void scale_bytes_tile(const ScaleLinearParams& params, s32 tile_x, s32 tile_y) {
#if HAS_VECTORS
    const ScaleGeometry& g = params.geometry;
    const s32 x0 = tile_x * g.tile_width, y0 = tile_y * g.tile_height;
    const s32 width = min_of(g.tile_width, g.dst_width - x0), height = min_of(g.tile_height, g.dst_height - y0);
    const bool four = params.taps == 4;
    if (is_doubled(params, x0, y0, width, height)) return double_tile(params, x0, y0, width, height);
    if (is_shifted(params, x0, y0, width, height))
        return four ? shift_tile<4>(params, x0, y0, width, height) : shift_tile<8>(params, x0, y0, width, height);
    if (params.in_pairs)
        return four ? scale_pairs_taps<4>(params, tile_x, tile_y) : scale_pairs_taps<8>(params, tile_x, tile_y);
#endif
    scale_linear_tile<u8, u8, s16, float>(params, tile_x, tile_y);
}
