// The adaptive video scaler (AVS). The wide kernels take any legal coefficients; the others need the bounds that
// texsamp/video/scale/avs.py checks.
#include "scale_adaptive_pairs.h"
#include "scale_bytes.h"

KERNEL_OF_PLANES(scale_u8, ScaleLinearParams, 4, scale_bytes_tile)
KERNEL_OF_PLANES(scale_u8_wide, ScaleLinearParams, 4, scale_linear_tile<u8, u8, s32, s32>)
KERNEL_OF_PLANES(scale_u16, ScaleLinearParams, 4, scale_linear_tile<u16, float, float, float>)
KERNEL_OF_PLANES(scale_u16_wide, ScaleLinearParams, 4, scale_linear_tile<u16, u16, s32, s64>)
KERNEL_OF_PLANES(adaptive_u8, ScaleAdaptiveParams, 4, scale_adaptive_bytes_tile)
KERNEL_OF_PLANES(adaptive_u8_wide, ScaleAdaptiveParams, 4, scale_adaptive_tile<u8, s32, s32, s64>)
KERNEL_OF_PLANES(adaptive_u16, ScaleAdaptiveParams, 4, scale_adaptive_tile<u16, s32, s32, s32>)
KERNEL_OF_PLANES(adaptive_u16_wide, ScaleAdaptiveParams, 4, scale_adaptive_tile<u16, s32, s64, s64>)
KERNEL(rgb_guide_u8, RgbGuideParams, rgb_guide_tile<u8>)
KERNEL(rgb_guide_u16, RgbGuideParams, rgb_guide_tile<u16>)
