// From objects on the screen to subspans of pixels, and to the weights of their corners there.
#include "raster_lines.h"
#include "raster_meet.h"
#include "raster_spans.h"
#include "raster_weights.h"

KERNEL(raster_meet, RasterMeetParams, raster_meet_tile)
KERNEL(raster_lines, RasterLinesParams, raster_lines_tile)
KERNEL(raster_spans, RasterSpansParams, raster_spans_tile)
KERNEL(raster_weights, RasterWeightsParams, raster_weights_tile)
