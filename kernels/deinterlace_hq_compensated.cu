// Motion compensated deinterlacer with longer filters: a file of its own, since NVRTC takes long for each.
#include "deinterlace_hq_compensated.h"

KERNEL(deinterlace_hq_compensated_u8, DeinterlaceCompensatedParams, deinterlace_hq_compensated_tile<u8>)
KERNEL(deinterlace_hq_compensated_u16, DeinterlaceCompensatedParams, deinterlace_hq_compensated_tile<u16>)
