// Motion adaptive deinterlacer with longer filters; "limited" of chroma, which is kept within what the fields beside it show.
#include "deinterlace_hq_bytes.h"

KERNEL(deinterlace_hq_u8, DeinterlaceLumaParams, deinterlace_hq_tile<u8, false>)
KERNEL(deinterlace_hq_u16, DeinterlaceLumaParams, deinterlace_hq_tile<u16, false>)
KERNEL(deinterlace_hq_limited_u8, DeinterlaceLumaParams, deinterlace_hq_tile<u8, true>)
KERNEL(deinterlace_hq_limited_u16, DeinterlaceLumaParams, deinterlace_hq_tile<u16, true>)
