// From patches to domain points, objects, and what domain shader threads begin with.
#include "domain_threads.h"
#include "tess_objects.h"
#include "tess_points.h"

KERNEL(tess_patches, TessPatchesParams, tess_patches_tile)
KERNEL(tess_points, TessPointsParams, tess_points_tile)
KERNEL(tess_objects, TessObjectsParams, tess_objects_tile)
KERNEL(domain_threads, DomainThreadsParams, domain_threads_tile)
