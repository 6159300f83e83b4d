// Tone mapping and its measurement, by the types of the elements they read and write.
#include "tonemap.h"

KERNEL(tonemap_u8_u8, TonemapParams, tonemap_tile<u8, u8>)
KERNEL(tonemap_u8_u16, TonemapParams, tonemap_tile<u8, u16>)
KERNEL(tonemap_u16_u8, TonemapParams, tonemap_tile<u16, u8>)
KERNEL(tonemap_u16_u16, TonemapParams, tonemap_tile<u16, u16>)

KERNEL(tonemap_peak_u8, TonemapParams, peak_tile<u8>)
KERNEL(tonemap_peak_u16, TonemapParams, peak_tile<u16>)
