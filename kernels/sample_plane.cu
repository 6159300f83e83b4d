// Samples of 2D surfaces in vector loops: 8-bit texels and floats, linear and nearest.
#include "sample_plane_codes.h"
#include "sample_plane_floats.h"

FN void sample_linear_unorm8_tile(const PlaneParams& p, s32 x, s32 y) { plane_of_codes<LinearCodes>(p, x, y); }
KERNEL(sample_linear_unorm8, PlaneParams)

FN void sample_nearest_unorm8_tile(const PlaneParams& p, s32 x, s32 y) { plane_of_codes<NearestCodes>(p, x, y); }
KERNEL(sample_nearest_unorm8, PlaneParams)

FN void sample_linear_float_tile(const PlaneParams& p, s32 x, s32 y) { plane_of_floats<true>(p, x, y); }
KERNEL(sample_linear_float, PlaneParams)

FN void sample_nearest_float_tile(const PlaneParams& p, s32 x, s32 y) { plane_of_floats<false>(p, x, y); }
KERNEL(sample_nearest_float, PlaneParams)
