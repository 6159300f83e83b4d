// The low-pass before scaling down.
#include "prefilter.h"

KERNEL(prefilter_u8, PrefilterParams, prefilter_tile<u8>)
KERNEL(prefilter_u16, PrefilterParams, prefilter_tile<u16>)
