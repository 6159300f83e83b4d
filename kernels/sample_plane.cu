// Samples of 2D surfaces in vector loops: 8-bit texels and floats, linear and nearest.
#include "sample_plane_codes.h"
#include "sample_plane_floats.h"

KERNEL(sample_linear_unorm8, PlaneParams, plane_of_codes<LinearCodes>)
KERNEL(sample_nearest_unorm8, PlaneParams, plane_of_codes<NearestCodes>)
KERNEL(sample_linear_float, PlaneParams, plane_of_floats<true>)
KERNEL(sample_nearest_float, PlaneParams, plane_of_floats<false>)
