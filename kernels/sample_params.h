// What a sampling kernel is told: a surface's texels as plain numbers, a sampler's state, and where coordinates are.
//
// Texels were expanded once to four numbers of one kind (texsamp/sampler/expanded.py), so that tiling, compression and
// formats cost nothing here. LODs are s32 in 1/256; docs/sampler.md states every rule.
#pragma once
#include "portable.h"

enum { SAMPLE_LEVELS = 15, SAMPLE_TILE = 256 };  // of texsamp/sampler/launch.py

struct SampleLevel {
    s32 width, height, depth;
    s32 first;  // index of its first texel; slices, rows and texels follow each other
};

enum SampleDimension { SAMPLE_1D, SAMPLE_2D, SAMPLE_3D, SAMPLE_CUBE };
enum SampleAddress {
    ADDRESS_WRAP,
    ADDRESS_MIRROR,
    ADDRESS_CLAMP,
    ADDRESS_CUBE,
    ADDRESS_CLAMP_BORDER,
    ADDRESS_MIRROR_ONCE,
    ADDRESS_HALF_BORDER,
};
enum SampleMip { MIP_NONE, MIP_NEAREST, MIP_LINEAR = 3 };
enum SampleQuality { QUALITY_FULL, QUALITY_MED = 2, QUALITY_LOW };
enum SampleCompare { COMPARE_NONE = -1, COMPARE_ALWAYS, COMPARE_NEVER, COMPARE_LESS, COMPARE_EQUAL, COMPARE_LEQUAL,
                     COMPARE_GREATER, COMPARE_NOTEQUAL, COMPARE_GEQUAL };

struct SampleParams {
    const void* texels;
    const float* coordinate[4];  // u, v, r and cube, as far as the dimension has them
    const s32* lods;             // of each sample, or null: `lod` for all
    const float* references;     // of each sample, for comparing
    const s32* ratios;           // of each sample's footprint, or null: round (sample_footprint.h)
    const float* steps[3];       // from probe to probe
    void* out;                   // four numbers for each sample
    s64 count;                   // samples
    SampleLevel level[SAMPLE_LEVELS];
    u32 border[4], outside[4];  // as texels: the border color; what out-of-bounds samples see
    s32 levels, slices;         // slices: of an array; cubes
    s32 dimension;
    s32 address[3];
    s32 offset[3];  // texels
    s32 normalized;
    s32 linear_mag, linear_min;  // whether the filter is linear or anisotropic
    s32 aniso_mag, aniso_min;    // whether it is anisotropic
    s32 round_mag, round_min;    // a bit for each axis
    s32 mip, quality;
    s32 lod, base, min_lod, max_lod, resource_min_lod;
    s32 preclamp;
    s32 compare;           // a SampleCompare
    s32 compare_channel;   // of the texel
    s32 compare_replaces;  // a bit for each channel that shows the result
    s32 gather;            // channel to gather, or -1
    s32 codes;             // whether samples of 8-bit texels are codes, not floats
    s32 pad_;
    const s32* offsets[2];  // of each sample that gathers, along x and y, instead of `offset`; null for none
};
static_assert(sizeof(SampleParams) == 512, "parameter layout");
