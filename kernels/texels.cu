// Texels of uncompressed surface formats to arrays of numbers and back.
#include "texels.h"

KERNEL(load_texels, TexelParams)
KERNEL(store_texels, TexelParams)
KERNEL(fetch_texels, PlacesParams)
KERNEL(put_texels, PlacesParams)
