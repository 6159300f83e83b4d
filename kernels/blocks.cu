// Decoders of BC1 to BC5; texsamp/surface/codec/formats.py says which surface format each one serves.
#include "block_palettes.h"

FN void bc1_rgba8_tile(const BlockParams& p, s32 x, s32 y) { palette_tile<Bc1Rgba8>(p, x, y); }
KERNEL(bc1_rgba8, BlockParams)

FN void bc1_rgb8_tile(const BlockParams& p, s32 x, s32 y) { palette_tile<Bc1Rgb8>(p, x, y); }
KERNEL(bc1_rgb8, BlockParams)

FN void bc2_rgba8_tile(const BlockParams& p, s32 x, s32 y) { palette_tile<Bc2>(p, x, y); }
KERNEL(bc2_rgba8, BlockParams)

FN void bc3_rgba8_tile(const BlockParams& p, s32 x, s32 y) { palette_tile<Bc3>(p, x, y); }
KERNEL(bc3_rgba8, BlockParams)

FN void bc4_unorm8_tile(const BlockParams& p, s32 x, s32 y) { palette_tile<Rgtc<UnormByte, 1, 8>>(p, x, y); }
KERNEL(bc4_unorm8, BlockParams)

FN void bc4_snorm8_tile(const BlockParams& p, s32 x, s32 y) { palette_tile<Rgtc<SnormByte, 1, 8>>(p, x, y); }
KERNEL(bc4_snorm8, BlockParams)

FN void bc4_unorm_f32_tile(const BlockParams& p, s32 x, s32 y) { palette_tile<Rgtc<UnormFloat, 1, 32>>(p, x, y); }
KERNEL(bc4_unorm_f32, BlockParams)

FN void bc4_snorm_f32_tile(const BlockParams& p, s32 x, s32 y) { palette_tile<Rgtc<SnormFloat, 1, 32>>(p, x, y); }
KERNEL(bc4_snorm_f32, BlockParams)

FN void bc5_unorm8_tile(const BlockParams& p, s32 x, s32 y) { palette_tile<Rgtc<UnormByte, 2, 8>>(p, x, y); }
KERNEL(bc5_unorm8, BlockParams)

FN void bc5_snorm8_tile(const BlockParams& p, s32 x, s32 y) { palette_tile<Rgtc<SnormByte, 2, 8>>(p, x, y); }
KERNEL(bc5_snorm8, BlockParams)

FN void bc5_unorm_f32_tile(const BlockParams& p, s32 x, s32 y) { palette_tile<Rgtc<UnormFloat, 2, 32>>(p, x, y); }
KERNEL(bc5_unorm_f32, BlockParams)

FN void bc5_snorm_f32_tile(const BlockParams& p, s32 x, s32 y) { palette_tile<Rgtc<SnormFloat, 2, 32>>(p, x, y); }
KERNEL(bc5_snorm_f32, BlockParams)
