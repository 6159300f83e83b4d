// Planes in which components take turns.
#include "interleaved.h"

KERNEL(part_u8, InterleavedParams, part_tile<u8>)
KERNEL(part_u16, InterleavedParams, part_tile<u16>)
KERNEL(join_u8, InterleavedParams, join_tile<u8>)
KERNEL(join_u16, InterleavedParams, join_tile<u16>)
