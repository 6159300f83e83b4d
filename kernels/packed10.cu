// 10:10:10:2 pictures.
#include "packed10.h"

KERNEL(unpack10, Packed10Params)
KERNEL(pack10, Packed10Params)
