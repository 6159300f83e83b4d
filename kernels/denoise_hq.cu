// Motion compensated noise filter: planes, matches, and the transform of what matches.
#include "denoise_hq_coarse.h"
#include "denoise_hq_stack.h"

KERNEL(denoise_hq_pad_u8, DenoiseHqPlaneParams, denoise_hq_pad_tile<u8>)
KERNEL(denoise_hq_pad_u16, DenoiseHqPlaneParams, denoise_hq_pad_tile<u16>)
KERNEL(denoise_hq_quarter_u8, DenoiseHqPlaneParams, denoise_hq_quarter_tile<u8>)
KERNEL(denoise_hq_quarter_u16, DenoiseHqPlaneParams, denoise_hq_quarter_tile<u16>)
KERNEL(denoise_hq_match_coarse_u8, DenoiseHqMatchParams, denoise_hq_match_coarse_tile)
KERNEL(denoise_hq_match_coarse_u16, DenoiseHqMatchParams, denoise_hq_match_tile<u16, 8>)
KERNEL(denoise_hq_match_fine_u8, DenoiseHqMatchParams, denoise_hq_match_tile<u8, 16>)
KERNEL(denoise_hq_match_fine_u16, DenoiseHqMatchParams, denoise_hq_match_tile<u16, 16>)
KERNEL(denoise_hq_stack_u8, DenoiseHqStackParams, denoise_hq_stack_tile<u8, false>)
KERNEL(denoise_hq_stack_u16, DenoiseHqStackParams, denoise_hq_stack_tile<u16, false>)
KERNEL(denoise_hq_guided_u8, DenoiseHqStackParams, denoise_hq_stack_tile<u8, true>)
KERNEL(denoise_hq_guided_u16, DenoiseHqStackParams, denoise_hq_stack_tile<u16, true>)
