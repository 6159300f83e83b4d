// Light that changes from field to field.
#include "light.h"

KERNEL(light_sums_u8, LightSumsParams, light_sums_tile<u8>)
KERNEL(light_sums_u16, LightSumsParams, light_sums_tile<u16>)
KERNEL(relit_u8, RelitParams, relit_tile<u8>)
KERNEL(relit_u16, RelitParams, relit_tile<u16>)
