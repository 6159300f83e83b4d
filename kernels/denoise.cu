// Denoise filter and noise estimates.
#include "denoise_bytes.h"
#include "denoise_measure_bytes.h"
#include "denoise_noise.h"

KERNEL_OF_PLANES(denoise_luma_u8, DenoiseParams, 4, denoise_plane_tile<u8, false>)
KERNEL_OF_PLANES(denoise_luma_u16, DenoiseParams, 4, denoise_plane_tile<u16, false>)
KERNEL_OF_PLANES(denoise_chroma_u8, DenoiseParams, 4, denoise_plane_tile<u8, true>)
KERNEL_OF_PLANES(denoise_chroma_u16, DenoiseParams, 4, denoise_plane_tile<u16, true>)
KERNEL_OF_PLANES(denoise_block_noise_u8, DenoiseNoiseParams, 4, block_noise_tile<u8>)
KERNEL_OF_PLANES(denoise_block_noise_u16, DenoiseNoiseParams, 4, block_noise_tile<u16>)
KERNEL_OF_PLANES(denoise_measure_u8, DenoiseMeasureParams, 4, measure_plane_tile<u8, u16, 255>)
KERNEL_OF_PLANES(denoise_measure_u16, DenoiseMeasureParams, 4, measure_plane_tile<u16, u32, 1023>)
