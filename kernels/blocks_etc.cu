// Decoders of ETC1, ETC2 and EAC; texsamp/surface/codec/formats.py says which surface format each one serves.
#include "block_etc.h"

KERNEL(etc1_rgb8, BlockParams, plane_tile<EtcRgb8<ETC1>>)
KERNEL(etc2_rgb8, BlockParams, plane_tile<EtcRgb8<ETC2>>)
KERNEL(etc2_pta_rgba8, BlockParams, plane_tile<Etc2PunchThrough>)
KERNEL(etc2_rgba8, BlockParams, plane_tile<Etc2Rgba8>)
KERNEL(eac_r11_unorm16, BlockParams, plane_tile<Eac<EacUnorm16, 1, 16>>)
KERNEL(eac_r11_snorm16, BlockParams, plane_tile<Eac<EacSnorm16, 1, 16>>)
KERNEL(eac_r11_unorm_f32, BlockParams, plane_tile<Eac<EacUnormFloat, 1, 32>>)
KERNEL(eac_r11_snorm_f32, BlockParams, plane_tile<Eac<EacSnormFloat, 1, 32>>)
KERNEL(eac_rg11_unorm16, BlockParams, plane_tile<Eac<EacUnorm16, 2, 16>>)
KERNEL(eac_rg11_snorm16, BlockParams, plane_tile<Eac<EacSnorm16, 2, 16>>)
KERNEL(eac_rg11_unorm_f32, BlockParams, plane_tile<Eac<EacUnormFloat, 2, 32>>)
KERNEL(eac_rg11_snorm_f32, BlockParams, plane_tile<Eac<EacSnormFloat, 2, 32>>)
