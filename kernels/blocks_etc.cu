// Decoders of ETC1, ETC2 and EAC; texsamp/surface/codec/formats.py says which surface format each one serves.
#include "block_etc.h"

FN void etc1_rgb8_tile(const BlockParams& p, s32 x, s32 y) { plane_tile<EtcRgb8<ETC1>>(p, x, y); }
KERNEL(etc1_rgb8, BlockParams)

FN void etc2_rgb8_tile(const BlockParams& p, s32 x, s32 y) { plane_tile<EtcRgb8<ETC2>>(p, x, y); }
KERNEL(etc2_rgb8, BlockParams)

FN void etc2_pta_rgba8_tile(const BlockParams& p, s32 x, s32 y) { plane_tile<Etc2PunchThrough>(p, x, y); }
KERNEL(etc2_pta_rgba8, BlockParams)

FN void etc2_rgba8_tile(const BlockParams& p, s32 x, s32 y) { plane_tile<Etc2Rgba8>(p, x, y); }
KERNEL(etc2_rgba8, BlockParams)

FN void eac_r11_unorm16_tile(const BlockParams& p, s32 x, s32 y) { plane_tile<Eac<EacUnorm16, 1, 16>>(p, x, y); }
KERNEL(eac_r11_unorm16, BlockParams)

FN void eac_r11_snorm16_tile(const BlockParams& p, s32 x, s32 y) { plane_tile<Eac<EacSnorm16, 1, 16>>(p, x, y); }
KERNEL(eac_r11_snorm16, BlockParams)

FN void eac_r11_unorm_f32_tile(const BlockParams& p, s32 x, s32 y) { plane_tile<Eac<EacUnormFloat, 1, 32>>(p, x, y); }
KERNEL(eac_r11_unorm_f32, BlockParams)

FN void eac_r11_snorm_f32_tile(const BlockParams& p, s32 x, s32 y) { plane_tile<Eac<EacSnormFloat, 1, 32>>(p, x, y); }
KERNEL(eac_r11_snorm_f32, BlockParams)

FN void eac_rg11_unorm16_tile(const BlockParams& p, s32 x, s32 y) { plane_tile<Eac<EacUnorm16, 2, 16>>(p, x, y); }
KERNEL(eac_rg11_unorm16, BlockParams)

FN void eac_rg11_snorm16_tile(const BlockParams& p, s32 x, s32 y) { plane_tile<Eac<EacSnorm16, 2, 16>>(p, x, y); }
KERNEL(eac_rg11_snorm16, BlockParams)

FN void eac_rg11_unorm_f32_tile(const BlockParams& p, s32 x, s32 y) { plane_tile<Eac<EacUnormFloat, 2, 32>>(p, x, y); }
KERNEL(eac_rg11_unorm_f32, BlockParams)

FN void eac_rg11_snorm_f32_tile(const BlockParams& p, s32 x, s32 y) { plane_tile<Eac<EacSnormFloat, 2, 32>>(p, x, y); }
KERNEL(eac_rg11_snorm_f32, BlockParams)
