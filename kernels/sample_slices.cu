// Linear samples of 8-bit texels of arrays, volumes and cubes in vector loops.
#include "sample_slices.h"

KERNEL(sample_slices8, SliceParams, slices_of_codes)
