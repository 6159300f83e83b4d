// Motion adaptive deinterlacer with longer filters, and limits for its chroma.
#include "deinterlace_hq_bytes.h"
#include "deinterlace_limits.h"

KERNEL(deinterlace_hq_u8, DeinterlaceLumaParams, deinterlace_hq_tile<u8>)
KERNEL(deinterlace_hq_u16, DeinterlaceLumaParams, deinterlace_hq_tile<u16>)
KERNEL(deinterlace_limits_u8, DeinterlaceLimitsParams, deinterlace_limits_tile<u8>)
KERNEL(deinterlace_limits_u16, DeinterlaceLimitsParams, deinterlace_limits_tile<u16>)
