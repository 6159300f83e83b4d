// Decoder of FXT1.
#include "block_fxt1.h"

KERNEL(fxt1_rgba8, BlockParams, plane_tile<Fxt1, 8>)
