// Decoders of BC6H and BC7; texsamp/surface/codec/formats.py says which surface format each one serves.
#include "block_bc6h.h"
#include "block_bc7.h"

KERNEL(bc6h_uf16, BlockParams, bptc_tile<Bc6h<false>>)
KERNEL(bc6h_sf16, BlockParams, bptc_tile<Bc6h<true>>)
KERNEL(bc7_rgba8, BlockParams, bptc_tile<Bc7>)
