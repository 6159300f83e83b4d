// The color pipe, by the types of the elements it reads and writes.
#include "color.h"

FN void color_u8_u8_tile(const ColorParams& p, s32 x, s32 y) { color_tile<u8, u8>(p, x, y); }
KERNEL(color_u8_u8, ColorParams)

FN void color_u8_u16_tile(const ColorParams& p, s32 x, s32 y) { color_tile<u8, u16>(p, x, y); }
KERNEL(color_u8_u16, ColorParams)

FN void color_u16_u8_tile(const ColorParams& p, s32 x, s32 y) { color_tile<u16, u8>(p, x, y); }
KERNEL(color_u16_u8, ColorParams)

FN void color_u16_u16_tile(const ColorParams& p, s32 x, s32 y) { color_tile<u16, u16>(p, x, y); }
KERNEL(color_u16_u16, ColorParams)
