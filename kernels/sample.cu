// The sampler: levels of detail, filtered samples and gathers, and loads, for each kind of texel.
#include "sample.h"
#include "sample_mono.h"
#include "sample_touched.h"

KERNEL(sample_lods, LodParams, sample_lods_tile)
KERNEL(sample_grid_lods, LodParams, sample_grid_lods_tile)
KERNEL(sample_queries, SampleParams, sample_queries_tile)
KERNEL(sample_mono, MonoParams, sample_mono_tile)
KERNEL(sample_unorm8, SampleParams, sample_tile<Unorm8>)
KERNEL(sample_float, SampleParams, sample_tile<Float>)
KERNEL(sample_integer, SampleParams, sample_tile<Integer>)
KERNEL(sample_touched, SampleParams, touched_tile)
KERNEL(sample_load_unorm8, LoadParams, load_tile<Unorm8>)
KERNEL(sample_load_words, LoadParams, load_tile<Integer>)
