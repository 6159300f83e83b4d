// Convolve of the video analytics functions, by the type of the samples.
#include "convolve.h"

KERNEL(convolve_u8, ConvolveParams, convolve_tile<u8>)
KERNEL(convolve_u16, ConvolveParams, convolve_tile<u16>)
KERNEL(convolve_s16, ConvolveParams, convolve_tile<s16>)
