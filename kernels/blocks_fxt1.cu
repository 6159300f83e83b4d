// Decoder of FXT1.
#include "block_fxt1.h"

FN void fxt1_rgba8_tile(const BlockParams& p, s32 x, s32 y) { plane_tile<Fxt1, 8>(p, x, y); }
KERNEL(fxt1_rgba8, BlockParams)
