// Tiled memory to rows and back.
#include "tiling.h"

KERNEL(tile_region, TilingParams, tile_region_tile)
KERNEL(detile_region, TilingParams, detile_region_tile)
