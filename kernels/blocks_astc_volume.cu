// Decoders of ASTC blocks of three dimensions; texsamp/surface/codec/astc_volume.py launches them.
#include "block_astc_volume.h"

KERNEL(astc_volume_unorm8, AstcVolumeParams, astc_volume_tile<AstcUnorm8>)
KERNEL(astc_volume_float16, AstcVolumeParams, astc_volume_tile<AstcFloat16>)
