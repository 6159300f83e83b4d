// Smaller mip levels: one kernel per direction of filtering, and per type of code on the way in and out.
#include "mips.h"

KERNEL(mips_across, MipAxisParams)
KERNEL(mips_down, MipAxisParams)

FN void mips_load_u8_tile(const MipValuesParams& p, s32 x, s32 y) { load_codes<u8>(p, x, y); }
KERNEL(mips_load_u8, MipValuesParams)

FN void mips_load_s8_tile(const MipValuesParams& p, s32 x, s32 y) { load_codes<s8>(p, x, y); }
KERNEL(mips_load_s8, MipValuesParams)

FN void mips_load_u16_tile(const MipValuesParams& p, s32 x, s32 y) { load_codes<u16>(p, x, y); }
KERNEL(mips_load_u16, MipValuesParams)

FN void mips_load_s16_tile(const MipValuesParams& p, s32 x, s32 y) { load_codes<s16>(p, x, y); }
KERNEL(mips_load_s16, MipValuesParams)

KERNEL(mips_load_srgb, MipValuesParams)

FN void mips_store_u8_tile(const MipValuesParams& p, s32 x, s32 y) { store_codes<u8>(p, x, y); }
KERNEL(mips_store_u8, MipValuesParams)

FN void mips_store_s8_tile(const MipValuesParams& p, s32 x, s32 y) { store_codes<s8>(p, x, y); }
KERNEL(mips_store_s8, MipValuesParams)

FN void mips_store_u16_tile(const MipValuesParams& p, s32 x, s32 y) { store_codes<u16>(p, x, y); }
KERNEL(mips_store_u16, MipValuesParams)

FN void mips_store_s16_tile(const MipValuesParams& p, s32 x, s32 y) { store_codes<s16>(p, x, y); }
KERNEL(mips_store_s16, MipValuesParams)

KERNEL(mips_store_srgb, MipValuesParams)
