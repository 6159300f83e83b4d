// Denoise filter and noise estimates.
#include "denoise.h"
#include "denoise_measure.h"
#include "denoise_noise.h"

KERNEL(denoise_luma_u8, DenoiseParams, denoise_tile<u8, false>)
KERNEL(denoise_luma_u16, DenoiseParams, denoise_tile<u16, false>)
KERNEL(denoise_chroma_u8, DenoiseParams, denoise_tile<u8, true>)
KERNEL(denoise_chroma_u16, DenoiseParams, denoise_tile<u16, true>)
KERNEL(denoise_block_noise_u8, DenoiseNoiseParams, block_noise_tile<u8>)
KERNEL(denoise_block_noise_u16, DenoiseNoiseParams, block_noise_tile<u16>)
KERNEL(denoise_measure_u8, DenoiseMeasureParams, measure_tile<u8, u16, 255>)
KERNEL(denoise_measure_u16, DenoiseMeasureParams, measure_tile<u16, u32, 1023>)
