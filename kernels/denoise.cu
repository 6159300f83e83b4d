// Denoise filter and noise estimates.
#include "denoise.h"
#include "denoise_noise.h"

FN void denoise_luma_u8_tile(const DenoiseParams& p, s32 x, s32 y) { denoise_tile<u8, false>(p, x, y); }
KERNEL(denoise_luma_u8, DenoiseParams)

FN void denoise_luma_u16_tile(const DenoiseParams& p, s32 x, s32 y) { denoise_tile<u16, false>(p, x, y); }
KERNEL(denoise_luma_u16, DenoiseParams)

FN void denoise_chroma_u8_tile(const DenoiseParams& p, s32 x, s32 y) { denoise_tile<u8, true>(p, x, y); }
KERNEL(denoise_chroma_u8, DenoiseParams)

FN void denoise_chroma_u16_tile(const DenoiseParams& p, s32 x, s32 y) { denoise_tile<u16, true>(p, x, y); }
KERNEL(denoise_chroma_u16, DenoiseParams)

FN void denoise_block_noise_u8_tile(const DenoiseNoiseParams& p, s32 x, s32 y) { block_noise_tile<u8>(p, x, y); }
KERNEL(denoise_block_noise_u8, DenoiseNoiseParams)

FN void denoise_block_noise_u16_tile(const DenoiseNoiseParams& p, s32 x, s32 y) { block_noise_tile<u16>(p, x, y); }
KERNEL(denoise_block_noise_u16, DenoiseNoiseParams)

FN void denoise_curvature_u8_tile(const DenoiseNoiseParams& p, s32 x, s32 y) { curvature_tile<u8, u16, 255>(p, x, y); }
KERNEL(denoise_curvature_u8, DenoiseNoiseParams)

FN void denoise_curvature_u16_tile(const DenoiseNoiseParams& p, s32 x, s32 y) { curvature_tile<u16, u32, 1023>(p, x, y); }
KERNEL(denoise_curvature_u16, DenoiseNoiseParams)
