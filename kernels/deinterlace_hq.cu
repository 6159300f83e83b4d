// Motion adaptive deinterlacer with longer filters.
#include "deinterlace_hq_bytes.h"

KERNEL(deinterlace_hq_u8, DeinterlaceLumaParams, deinterlace_hq_tile<u8>)
KERNEL(deinterlace_hq_u16, DeinterlaceLumaParams, deinterlace_hq_tile<u16>)
