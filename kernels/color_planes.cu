// Luma and chroma planes of the color pipe, each for itself.
#include "color_planes.h"

FN void color_luma_u8_tile(const ColorPlanesParams& p, s32 x, s32 y) { color_luma_tile<u8>(p, x, y); }
KERNEL(color_luma_u8, ColorPlanesParams)

FN void color_luma_u16_tile(const ColorPlanesParams& p, s32 x, s32 y) { color_luma_tile<u16>(p, x, y); }
KERNEL(color_luma_u16, ColorPlanesParams)

FN void color_chroma_u8_tile(const ColorPlanesParams& p, s32 x, s32 y) { color_chroma_tile<u8>(p, x, y); }
KERNEL(color_chroma_u8, ColorPlanesParams)

FN void color_chroma_u16_tile(const ColorPlanesParams& p, s32 x, s32 y) { color_chroma_tile<u16>(p, x, y); }
KERNEL(color_chroma_u16, ColorPlanesParams)
