// Media messages of execution units.
#include "eu_media.h"

KERNEL(eu_statistics, EuStatisticsParams, eu_statistics_tile)
KERNEL(eu_media_write, EuMediaWriteParams, eu_media_write_tile)
KERNEL(eu_media_read, EuMediaReadParams, eu_media_read_tile)
