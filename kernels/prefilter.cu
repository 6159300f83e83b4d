// The low-pass before scaling down.
#include "prefilter.h"

FN void prefilter_u8_tile(const PrefilterParams& p, s32 x, s32 y) { prefilter_tile<u8>(p, x, y); }
KERNEL(prefilter_u8, PrefilterParams)

FN void prefilter_u16_tile(const PrefilterParams& p, s32 x, s32 y) { prefilter_tile<u16>(p, x, y); }
KERNEL(prefilter_u16, PrefilterParams)
