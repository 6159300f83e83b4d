// Motion adaptive deinterlacer with longer filters, without and with motion compensation.
#include "deinterlace_hq.h"

FN void deinterlace_hq_u8_tile(const DeinterlaceLumaParams& p, s32 x, s32 y) { deinterlace_hq_tile<u8>(p, x, y); }
KERNEL(deinterlace_hq_u8, DeinterlaceLumaParams)

FN void deinterlace_hq_u16_tile(const DeinterlaceLumaParams& p, s32 x, s32 y) { deinterlace_hq_tile<u16>(p, x, y); }
KERNEL(deinterlace_hq_u16, DeinterlaceLumaParams)

FN void deinterlace_hq_compensated_u8_tile(const DeinterlaceCompensatedParams& p, s32 x, s32 y) {
    deinterlace_hq_compensated_tile<u8>(p, x, y);
}
KERNEL(deinterlace_hq_compensated_u8, DeinterlaceCompensatedParams)

FN void deinterlace_hq_compensated_u16_tile(const DeinterlaceCompensatedParams& p, s32 x, s32 y) {
    deinterlace_hq_compensated_tile<u16>(p, x, y);
}
KERNEL(deinterlace_hq_compensated_u16, DeinterlaceCompensatedParams)
