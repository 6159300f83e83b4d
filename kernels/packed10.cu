// 10:10:10:2 pictures.
#include "packed10.h"

KERNEL(unpack10, Packed10Params, unpack10_tile)
KERNEL(pack10, Packed10Params, pack10_tile)
