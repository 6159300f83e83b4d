// Motion between fields, and the lines it makes.
#include "field_vectors.h"

KERNEL(vector_guide_u8, VectorGuideParams, vector_guide_tile<u8>)
KERNEL(vector_guide_u16, VectorGuideParams, vector_guide_tile<u16>)
KERNEL(vector_search, VectorSearchParams, vector_search_tile)
KERNEL(vector_smooth, VectorSmoothParams, vector_smooth_tile)
KERNEL(vectored_u8, VectoredParams, vectored_tile<u8>)
KERNEL(vectored_u16, VectoredParams, vectored_tile<u16>)
