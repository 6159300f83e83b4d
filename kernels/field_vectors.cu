// Motion between fields, and the lines it makes.
#include "field_shift.h"
#include "smooth_lines.h"
#include "vector_aside.h"
#include "vector_coarse.h"
#include "vector_fine.h"
#include "vectored_bytes.h"

KERNEL(field_guide_u8, FieldGuideParams, field_guide_tile<u8, u8>)
KERNEL(field_guide_u16, FieldGuideParams, field_guide_tile<u16, u8>)
KERNEL(field_guide_deep_u16, FieldGuideParams, field_guide_tile<u16, u16>)
KERNEL(half_guide, HalfGuideParams, half_guide_tile)
KERNEL(field_sums, FieldSumsParams, field_sums_tile)
KERNEL(field_shift, FieldShiftParams, field_shift_tile)
KERNEL(vector_coarse, VectorCoarseParams, vector_coarse_tile)
KERNEL(vector_fine, VectorFineParams, vector_fine_tile)
KERNEL(vector_aside, VectorAsideParams, vector_aside_tile)
KERNEL(vectored_u8, VectoredParams, vectored_tile<u8>)
KERNEL(vectored_u16, VectoredParams, vectored_tile<u16>)
KERNEL(smooth_sums_u8, SmoothParams, smooth_sums_tile<u8>)
KERNEL(smooth_sums_u16, SmoothParams, smooth_sums_tile<u16>)
KERNEL(smooth_lines_u8, SmoothParams, smooth_lines_tile<u8>)
KERNEL(smooth_lines_u16, SmoothParams, smooth_lines_tile<u16>)
