// Alpha to coverage and alpha test of fragments (SNB 2.1 p. 356-357).
#pragma once
#include "formats.h"
#include "merge_tests.h"

enum { ALPHA_TILE = 1024 };  // fragments; texsamp/emulator/fixed/merge.py divides by it

struct MergeAlphaParams {
    const u32* samples;     // of each fragment
    u32* left;              // what alpha leaves of them
    const u32* tested;      // alpha that is compared, the bits of a float
    const u32* coverage;    // alpha that makes the coverage
    s32 tested_step, coverage_step;  // numbers from one fragment's alpha to the next
    s32 count;
    s32 to_coverage, to_one;
    s32 accepts;            // relations of alpha to the reference that pass
    s32 unorm8;             // whether they are compared as UNORM8
    u32 reference;
    s32 sample_count;
    s32 pad_;
};
static_assert(sizeof(MergeAlphaParams) == 72, "parameter layout");

// As many samples, the first, as alpha is of them all, halves up.
FN u32 alpha_coverage(u32 alpha, u32 samples) {
    return (1u << nearest_scaled(positive_or_zero(alpha), samples, FLOAT_ONE, samples)) - 1;
}

FN u32 alpha_relation(u32 alpha, u32 reference, bool unorm8) {
    if (unorm8) return relation_of(nearest_scaled(positive_or_zero(alpha), 255, FLOAT_ONE, 255), reference & 255);
    return relation_of(float_of(alpha), float_of(reference));
}

FN void merge_alpha_tile(const MergeAlphaParams& p, s32, s32 tile) {
    const s32 first = tile * ALPHA_TILE;
    FOR_EACH(i, min_of(p.count - first, (s32)ALPHA_TILE)) {
        const s64 f = first + i;
        const u32 alpha = p.to_one ? (u32)FLOAT_ONE : p.tested[f * p.tested_step];
        const u32 covered =
            p.to_coverage ? alpha_coverage(p.coverage[f * p.coverage_step], (u32)p.sample_count) : 0xffffffff;
        const bool passes = (alpha_relation(alpha, p.reference, p.unorm8) & p.accepts) != 0;
        p.left[f] = passes ? p.samples[f] & covered : 0;
    }
}
