// Decoders of ASTC; texsamp/surface/codec/formats.py says which surface format each one serves.
#include "block_astc_texels.h"

KERNEL(astc_unorm8, AstcParams, astc_tile<AstcUnorm8>)
KERNEL(astc_float16, AstcParams, astc_tile<AstcFloat16>)
KERNEL(astc_errors, AstcParams, astc_check_tile)
