// Decoders of BC1 to BC5; texsamp/surface/codec/formats.py says which surface format each one serves.
#include "block_palettes.h"

KERNEL(bc1_rgba8, BlockParams, palette_tile<Bc1Rgba8>)
KERNEL(bc1_rgb8, BlockParams, palette_tile<Bc1Rgb8>)
KERNEL(bc2_rgba8, BlockParams, palette_tile<Bc2>)
KERNEL(bc3_rgba8, BlockParams, palette_tile<Bc3>)
KERNEL(bc4_unorm8, BlockParams, palette_tile<Rgtc<UnormByte, 1, 8>>)
KERNEL(bc4_snorm8, BlockParams, palette_tile<Rgtc<SnormByte, 1, 8>>)
KERNEL(bc4_unorm_f32, BlockParams, palette_tile<Rgtc<UnormFloat, 1, 32>>)
KERNEL(bc4_snorm_f32, BlockParams, palette_tile<Rgtc<SnormFloat, 1, 32>>)
KERNEL(bc5_unorm8, BlockParams, palette_tile<Rgtc<UnormByte, 2, 8>>)
KERNEL(bc5_snorm8, BlockParams, palette_tile<Rgtc<SnormByte, 2, 8>>)
KERNEL(bc5_unorm_f32, BlockParams, palette_tile<Rgtc<UnormFloat, 2, 32>>)
KERNEL(bc5_snorm_f32, BlockParams, palette_tile<Rgtc<SnormFloat, 2, 32>>)
