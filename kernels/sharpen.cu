// Image enhancement filter (IEF).
#include "sharpen_narrow.h"

// The sums of a column fit 16 bits unless two large filters are added up; texsamp/video/sharpen.py checks.
KERNEL(sharpen_u8, SharpenParams, sharpen_bytes_tile)
KERNEL(sharpen_u8_wide, SharpenParams, sharpen_tile<u8, s32, s32, 2>)
KERNEL(sharpen_u16, SharpenParams, sharpen_tile<u16, s32, s32, 0>)
