// Luma and chroma planes of the color pipe, each for itself.
#include "color_planes.h"

KERNEL_OF_PLANES(color_planes_u8, ColorPlanesParams, 2, color_planes_tile<u8>)
KERNEL_OF_PLANES(color_planes_u16, ColorPlanesParams, 2, color_planes_tile<u16>)
