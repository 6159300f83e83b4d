// Statistics for the contrast curve.
#include "color_statistics.h"

KERNEL(color_statistics, ColorStatisticsParams, color_statistics_tile)
