// Luma and chroma planes of the color pipe, each for itself.
#include "color_planes.h"

KERNEL(color_luma_u8, ColorPlanesParams, color_luma_tile<u8>)
KERNEL(color_luma_u16, ColorPlanesParams, color_luma_tile<u16>)
KERNEL(color_chroma_u8, ColorPlanesParams, color_chroma_tile<u8>)
KERNEL(color_chroma_u16, ColorPlanesParams, color_chroma_tile<u16>)
