// Tables of colors, by what lies between their entries.
#include "lut.h"

KERNEL(lut_trilinear_u16, LutParams, lut_tile<false>)
KERNEL(lut_tetrahedral_u16, LutParams, lut_tile<true>)
