// Smaller mip levels: one kernel per direction of filtering, and per type of code on the way in and out.
#include "mips.h"

KERNEL(mips_across, MipAxisParams, mips_across_tile)
KERNEL(mips_down, MipAxisParams, mips_down_tile)
KERNEL(mips_load_u8, MipValuesParams, load_codes<u8>)
KERNEL(mips_load_s8, MipValuesParams, load_codes<s8>)
KERNEL(mips_load_u16, MipValuesParams, load_codes<u16>)
KERNEL(mips_load_s16, MipValuesParams, load_codes<s16>)
KERNEL(mips_load_srgb, MipValuesParams, mips_load_srgb_tile)
KERNEL(mips_store_u8, MipValuesParams, store_codes<u8>)
KERNEL(mips_store_s8, MipValuesParams, store_codes<s8>)
KERNEL(mips_store_u16, MipValuesParams, store_codes<u16>)
KERNEL(mips_store_s16, MipValuesParams, store_codes<s16>)
KERNEL(mips_store_srgb, MipValuesParams, mips_store_srgb_tile)
