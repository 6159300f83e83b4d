// Decoders of BC6H and BC7; texsamp/surface/codec/formats.py says which surface format each one serves.
#include "block_bc6h.h"
#include "block_bc7.h"

FN void bc6h_uf16_tile(const BlockParams& p, s32 x, s32 y) { bptc_tile<Bc6h<false>>(p, x, y); }
KERNEL(bc6h_uf16, BlockParams)

FN void bc6h_sf16_tile(const BlockParams& p, s32 x, s32 y) { bptc_tile<Bc6h<true>>(p, x, y); }
KERNEL(bc6h_sf16, BlockParams)

FN void bc7_rgba8_tile(const BlockParams& p, s32 x, s32 y) { bptc_tile<Bc7>(p, x, y); }
KERNEL(bc7_rgba8, BlockParams)
