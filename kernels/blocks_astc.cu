// Decoders of ASTC; texsamp/surface/codec/formats.py says which surface format each one serves.
#include "block_astc_texels.h"

FN void astc_unorm8_tile(const AstcParams& p, s32 x, s32 y) { astc_tile<AstcUnorm8>(p, x, y); }
KERNEL(astc_unorm8, AstcParams)

FN void astc_float16_tile(const AstcParams& p, s32 x, s32 y) { astc_tile<AstcFloat16>(p, x, y); }
KERNEL(astc_float16, AstcParams)

FN void astc_errors_tile(const AstcParams& p, s32 x, s32 y) { astc_check_tile(p, x, y); }
KERNEL(astc_errors, AstcParams)
