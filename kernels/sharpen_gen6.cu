// Image enhancement filters (IEF) of Sandy Bridge.
#include "sharpen_gen6.h"

KERNEL(sharpen_gen6_u8, SharpenGen6Params, sharpen_gen6_tile<u8, 2>)
KERNEL(sharpen_gen6_u16, SharpenGen6Params, sharpen_gen6_tile<u16, 0>)
