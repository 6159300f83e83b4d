// The low-pass before scaling down.
#include "prefilter_halved.h"

KERNEL_OF_PLANES(prefilter_u8, PrefilterParams, 4, prefilter_bytes_tile)
KERNEL_OF_PLANES(prefilter_u16, PrefilterParams, 4, prefilter_tile<u16>)
