// The anisotropic filter: footprints of any sample, and samples of 2D surfaces of 8-bit texels in vector loops.
#include "sample_aniso8.h"

KERNEL(sample_footprints, FootprintParams, sample_footprints_tile)
KERNEL(sample_grid_footprints, FootprintParams, sample_grid_footprints_tile)
KERNEL(sample_aniso8, AnisoParams, sample_aniso8_tile)
