// Motion adaptive deinterlacer with longer filters, without and with motion compensation.
#include "deinterlace_hq.h"

KERNEL(deinterlace_hq_u8, DeinterlaceLumaParams, deinterlace_hq_tile<u8>)
KERNEL(deinterlace_hq_u16, DeinterlaceLumaParams, deinterlace_hq_tile<u16>)
KERNEL(deinterlace_hq_compensated_u8, DeinterlaceCompensatedParams, deinterlace_hq_compensated_tile<u8>)
KERNEL(deinterlace_hq_compensated_u16, DeinterlaceCompensatedParams, deinterlace_hq_compensated_tile<u16>)
