// The color pipe, by the types of the elements it reads and writes.
#include "color_pairs.h"

KERNEL(color_u8_u8, ColorParams, color_tile<u8, u8>)
KERNEL(color_u8_u16, ColorParams, color_tile<u8, u16>)
KERNEL(color_u16_u8, ColorParams, color_tile<u16, u8>)
KERNEL(color_u16_u16, ColorParams, color_tile<u16, u16>)
