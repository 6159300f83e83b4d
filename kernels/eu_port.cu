// Data port messages of execution units that nobody else looks at.
#include "eu_port.h"
#include "eu_elements.h"
#include "eu_registers.h"

KERNEL(eu_ranges, EuRangesParams, eu_ranges_tile)
KERNEL(eu_block_read, EuBlockReadParams, eu_block_read_tile)
KERNEL(eu_urb, EuUrbParams, eu_urb_tile)
KERNEL(eu_texels, EuTexelsParams, eu_texels_tile)
KERNEL(eu_elements, EuElementsParams, eu_elements_tile)
KERNEL(eu_registers, EuRegistersParams, eu_registers_tile)
