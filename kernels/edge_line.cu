// Edges at shallow angles.
#include "edge_line.h"

KERNEL(edge_line_u8, EdgeLineParams, edge_line_tile<u8>)
KERNEL(edge_line_u16, EdgeLineParams, edge_line_tile<u16>)
