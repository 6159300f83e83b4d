// From one pixel layout to another, by the types of their elements.
#include "convert.h"

FN void convert_u8_u8_tile(const ConvertParams& p, s32 x, s32 y) { convert_tile<u8, u8>(p, x, y); }
KERNEL(convert_u8_u8, ConvertParams)

FN void convert_u8_u16_tile(const ConvertParams& p, s32 x, s32 y) { convert_tile<u8, u16>(p, x, y); }
KERNEL(convert_u8_u16, ConvertParams)

FN void convert_u16_u8_tile(const ConvertParams& p, s32 x, s32 y) { convert_tile<u16, u8>(p, x, y); }
KERNEL(convert_u16_u8, ConvertParams)

FN void convert_u16_u16_tile(const ConvertParams& p, s32 x, s32 y) { convert_tile<u16, u16>(p, x, y); }
KERNEL(convert_u16_u16, ConvertParams)
