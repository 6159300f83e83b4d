// The sampler: levels of detail, filtered samples and gathers, and loads, for each kind of texel.
#include "sample.h"
#include "sample_mono.h"

KERNEL(sample_lods, LodParams)
KERNEL(sample_grid_lods, LodParams)
KERNEL(sample_queries, SampleParams)
KERNEL(sample_mono, MonoParams)

FN void sample_unorm8_tile(const SampleParams& p, s32 x, s32 y) { sample_tile<Unorm8>(p, x, y); }
KERNEL(sample_unorm8, SampleParams)

FN void sample_float_tile(const SampleParams& p, s32 x, s32 y) { sample_tile<Float>(p, x, y); }
KERNEL(sample_float, SampleParams)

FN void sample_integer_tile(const SampleParams& p, s32 x, s32 y) { sample_tile<Integer>(p, x, y); }
KERNEL(sample_integer, SampleParams)

FN void sample_load_unorm8_tile(const LoadParams& p, s32 x, s32 y) { load_tile<Unorm8>(p, x, y); }
KERNEL(sample_load_unorm8, LoadParams)

FN void sample_load_words_tile(const LoadParams& p, s32 x, s32 y) { load_tile<Integer>(p, x, y); }
KERNEL(sample_load_words, LoadParams)
