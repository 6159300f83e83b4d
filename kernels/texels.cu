// Texels of uncompressed surface formats to arrays of numbers and back.
#include "texels.h"

KERNEL(load_texels, TexelParams, load_texels_tile)
KERNEL(store_texels, TexelParams, store_texels_tile)
KERNEL(fetch_texels, PlacesParams, fetch_texels_tile)
KERNEL(put_texels, PlacesParams, put_texels_tile)
