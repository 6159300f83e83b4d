// Messages of execution units: registers of threads to arrays, and back.
#include "eu_lanes.h"
#include "eu_positions.h"

KERNEL(eu_payload, EuPayloadParams, eu_payload_tile)
KERNEL(eu_response, EuResponseParams, eu_response_tile)
KERNEL(eu_positions, EuPositionsParams, eu_positions_tile)
KERNEL(eu_blocks, EuBlocksParams, eu_blocks_tile)
