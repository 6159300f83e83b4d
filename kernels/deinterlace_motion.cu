// Motion compensated deinterlacer: the search, and luma with what it found.
#include "deinterlace_compensation_bytes.h"
#include "deinterlace_motion_bytes.h"

KERNEL(deinterlace_motion_u8, DeinterlaceMotionParams, deinterlace_search_tile<u8>)
KERNEL(deinterlace_motion_u16, DeinterlaceMotionParams, deinterlace_search_tile<u16>)
KERNEL(deinterlace_compensated_u8, DeinterlaceCompensatedParams, deinterlace_motion_luma_tile<u8>)
KERNEL(deinterlace_compensated_u16, DeinterlaceCompensatedParams, deinterlace_motion_luma_tile<u16>)
