// Tiled memory to rows and back.
#include "tiling.h"

KERNEL(tile_region, TilingParams)
KERNEL(detile_region, TilingParams)
