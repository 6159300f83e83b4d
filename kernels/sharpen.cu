// Image enhancement filter (IEF).
#include "sharpen.h"

// The sums of a column fit 16 bits unless two large filters are added up; texsamp/video/sharpen.py checks.
FN void sharpen_u8_tile(const SharpenParams& p, s32 x, s32 y) { sharpen_tile<u8, u16, s16, 2>(p, x, y); }
KERNEL(sharpen_u8, SharpenParams)

FN void sharpen_u8_wide_tile(const SharpenParams& p, s32 x, s32 y) { sharpen_tile<u8, s32, s32, 2>(p, x, y); }
KERNEL(sharpen_u8_wide, SharpenParams)

FN void sharpen_u16_tile(const SharpenParams& p, s32 x, s32 y) { sharpen_tile<u16, s32, s32, 0>(p, x, y); }
KERNEL(sharpen_u16, SharpenParams)
