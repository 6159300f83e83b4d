// Convolve of the video analytics functions, by the type of the samples.
#include "convolve.h"

FN void convolve_u8_tile(const ConvolveParams& p, s32 x, s32 y) { convolve_tile<u8>(p, x, y); }
KERNEL(convolve_u8, ConvolveParams)

FN void convolve_u16_tile(const ConvolveParams& p, s32 x, s32 y) { convolve_tile<u16>(p, x, y); }
KERNEL(convolve_u16, ConvolveParams)

FN void convolve_s16_tile(const ConvolveParams& p, s32 x, s32 y) { convolve_tile<s16>(p, x, y); }
KERNEL(convolve_s16, ConvolveParams)
