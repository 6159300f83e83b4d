// Motion compensated deinterlacer: the search, and luma with what it found.
#include "deinterlace_compensation.h"

FN void deinterlace_motion_u8_tile(const DeinterlaceMotionParams& p, s32 x, s32 y) {
    deinterlace_motion_tile<u8>(p, x, y);
}
KERNEL(deinterlace_motion_u8, DeinterlaceMotionParams)

FN void deinterlace_motion_u16_tile(const DeinterlaceMotionParams& p, s32 x, s32 y) {
    deinterlace_motion_tile<u16>(p, x, y);
}
KERNEL(deinterlace_motion_u16, DeinterlaceMotionParams)

FN void deinterlace_compensated_u8_tile(const DeinterlaceCompensatedParams& p, s32 x, s32 y) {
    deinterlace_compensated_tile<u8>(p, x, y);
}
KERNEL(deinterlace_compensated_u8, DeinterlaceCompensatedParams)

FN void deinterlace_compensated_u16_tile(const DeinterlaceCompensatedParams& p, s32 x, s32 y) {
    deinterlace_compensated_tile<u16>(p, x, y);
}
KERNEL(deinterlace_compensated_u16, DeinterlaceCompensatedParams)
