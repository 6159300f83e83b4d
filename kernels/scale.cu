// The adaptive video scaler (AVS). The wide kernels take any legal coefficients; the others need the bounds that
// texsamp/video/scale/avs.py checks.
#include "scale_adaptive.h"
#include "scale_linear.h"

FN void scale_u8_tile(const ScaleLinearParams& p, s32 x, s32 y) { scale_linear_tile<u8, u8, s16, float>(p, x, y); }
KERNEL(scale_u8, ScaleLinearParams)

FN void scale_u8_wide_tile(const ScaleLinearParams& p, s32 x, s32 y) { scale_linear_tile<u8, u8, s32, s32>(p, x, y); }
KERNEL(scale_u8_wide, ScaleLinearParams)

FN void scale_u16_tile(const ScaleLinearParams& p, s32 x, s32 y) { scale_linear_tile<u16, float, float, float>(p, x, y); }
KERNEL(scale_u16, ScaleLinearParams)

FN void scale_u16_wide_tile(const ScaleLinearParams& p, s32 x, s32 y) { scale_linear_tile<u16, u16, s32, s64>(p, x, y); }
KERNEL(scale_u16_wide, ScaleLinearParams)

FN void adaptive_u8_tile(const ScaleAdaptiveParams& p, s32 x, s32 y) {
    scale_adaptive_tile<u8, s16, float, s32>(p, x, y);
}
KERNEL(adaptive_u8, ScaleAdaptiveParams)

FN void adaptive_u8_wide_tile(const ScaleAdaptiveParams& p, s32 x, s32 y) {
    scale_adaptive_tile<u8, s32, s32, s64>(p, x, y);
}
KERNEL(adaptive_u8_wide, ScaleAdaptiveParams)

FN void adaptive_u16_tile(const ScaleAdaptiveParams& p, s32 x, s32 y) {
    scale_adaptive_tile<u16, s32, s32, s32>(p, x, y);
}
KERNEL(adaptive_u16, ScaleAdaptiveParams)

FN void adaptive_u16_wide_tile(const ScaleAdaptiveParams& p, s32 x, s32 y) {
    scale_adaptive_tile<u16, s32, s64, s64>(p, x, y);
}
KERNEL(adaptive_u16_wide, ScaleAdaptiveParams)

FN void rgb_guide_u8_tile(const RgbGuideParams& p, s32 x, s32 y) { rgb_guide_tile<u8>(p, x, y); }
KERNEL(rgb_guide_u8, RgbGuideParams)

FN void rgb_guide_u16_tile(const RgbGuideParams& p, s32 x, s32 y) { rgb_guide_tile<u16>(p, x, y); }
KERNEL(rgb_guide_u16, RgbGuideParams)
