// Exact samples and their derivatives, of texels that are codes or floats.
#include "sample_exact.h"

KERNEL(sample_exact_unorm8, ExactParams, exact_tile<true>)
KERNEL(sample_exact_float, ExactParams, exact_tile<false>)
KERNEL(sample_exact_slopes_unorm8, ExactParams, exact_slopes_tile<true>)
KERNEL(sample_exact_slopes_float, ExactParams, exact_slopes_tile<false>)
