// Motion adaptive deinterlacer.
#include "deinterlace_planes.h"
#include "deinterlace_stmm_bytes.h"

KERNEL(deinterlace_stmm_u8, DeinterlaceStmmParams, deinterlace_motion_measure_tile<u8, false>)
KERNEL(deinterlace_stmm_u16, DeinterlaceStmmParams, deinterlace_motion_measure_tile<u16, false>)
KERNEL(deinterlace_stmm_noisy_u8, DeinterlaceStmmParams, deinterlace_motion_measure_tile<u8, true>)
KERNEL(deinterlace_stmm_noisy_u16, DeinterlaceStmmParams, deinterlace_motion_measure_tile<u16, true>)
KERNEL_OF_PLANES(deinterlace_planes_u8, DeinterlacePlanesParams, 4, deinterlace_planes_tile<u8>)
KERNEL_OF_PLANES(deinterlace_planes_u16, DeinterlacePlanesParams, 4, deinterlace_planes_tile<u16>)
