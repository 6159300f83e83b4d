// Edges at shallow angles.
#include "edge_draw.h"
#include "edge_search_bytes.h"

KERNEL(edge_search_u8, EdgeSearchParams, edge_search_tile<u8>)
KERNEL(edge_search_u16, EdgeSearchParams, edge_search_tile<u16>)
KERNEL(edge_draw_u8, EdgeDrawParams, edge_draw_tile<u8>)
KERNEL(edge_draw_u16, EdgeDrawParams, edge_draw_tile<u16>)
