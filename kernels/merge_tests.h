// Stencil and depth test of fragments, and what they write (SNB 2.1 p. 359-367).
#pragma once
#include "formats.h"
#include "merge_place.h"
#include "merge_runs.h"

enum MergeOperation {
    OPERATION_KEEP,
    OPERATION_ZERO,
    OPERATION_REPLACE,
    OPERATION_INCRSAT,
    OPERATION_DECRSAT,
    OPERATION_INCR,
    OPERATION_DECR,
    OPERATION_INVERT,
};

// What is true of a pair of numbers; a comparison is the set of those it accepts.
enum MergeRelation { IS_LESS = 1, IS_EQUAL = 2, IS_GREATER = 4, IS_UNORDERED = 8 };

struct MergeFace {
    s32 accepts;                  // relations of reference to stored value that pass
    s32 fail, depth_fail, pass;   // a MergeOperation
    u32 reference, test_mask, write_mask;
    s32 pad_;
};
static_assert(sizeof(MergeFace) == 32, "parameter layout");

struct MergeTestParams {
    MergeRuns runs;
    MergePixels pixels;
    const u32* samples;    // of each fragment
    u32* passed;           // those that pass
    const u8* back;        // whether its face is a back face
    const float* depth;    // of each fragment, or of each of its samples
    const s32* viewports;  // of each fragment; null: 0
    const float* ranges;   // of each viewport: least and greatest depth
    MergePlane depth_plane, stencil_plane;
    MergeFace face[2];     // front, back
    s32 viewport_count;
    s32 depth_step;        // depths of a fragment: 1 or its samples
    s32 depth_bits;        // 16, 24: UNORM; 32: float; 0: no depth buffer
    s32 depth_accepts;     // relations of depth to stored depth that pass
    s32 depth_written, stencil_tested;
    s32 clears;            // whether the depth buffer is set to `clear_depth`, untested
    u32 clear_depth;
};
static_assert(sizeof(MergeTestParams) == 392, "parameter layout");

template <typename T> FN u32 relation_of(T a, T b) {
    return a < b ? IS_LESS : a == b ? IS_EQUAL : a > b ? IS_GREATER : IS_UNORDERED;
}

FN u32 stencil_after(s32 operation, u32 stored, u32 reference) {
    switch (operation) {
        case OPERATION_ZERO: return 0;
        case OPERATION_REPLACE: return reference;
        case OPERATION_INCRSAT: return min_of(stored + 1, 255u);
        case OPERATION_DECRSAT: return max_of(stored, 1u) - 1;
        case OPERATION_INCR: return (stored + 1) & 255;
        case OPERATION_DECR: return (stored - 1) & 255;
        case OPERATION_INVERT: return stored ^ 255;
    }
    return stored;
}

// The bits of a depth as its buffer has them.
FN u32 depth_code(float depth, s32 bits) {
    const u32 largest = bits == 16 ? 0xffff : 0xffffff;
    return bits == 32 ? bits_of(depth) : nearest_scaled(positive_or_zero(bits_of(depth)), largest, FLOAT_ONE, largest);
}

FN u32 load_depth(const u8* memory, u32 place, s32 bits) {
    if (place == NO_PLACE) return 0;
    return bits == 16 ? get_bytes<2, false>(memory + place)
                      : get_bytes<4, false>(memory + place) & (bits == 24 ? 0xffffff : 0xffffffff);
}

FN void store_depth(u8* memory, u32 place, s32 bits, u32 code) {
    if (bits == 16)
        put_bytes<2, false>(memory + place, code);
    else
        put_bytes<4, false>(memory + place, code);
}

struct MergeTestScratch {
    MergeLanes lanes;
    u32 passed[MERGE_STRIP];
    u32 depth_places[MERGE_STRIP], stencil_places[MERGE_STRIP];
    u32 codes[MERGE_STRIP];
};

// Of each lane the depth of a sample, between the limits of its viewport, as the buffer would have it.
FN void depth_codes(const MergeTestParams& p, MergeTestScratch& s, s32 sample, s32 n) {
    const s32 column = p.depth_step > 1 ? sample : 0;
    FOR_EACH(i, n) {
        const s32 f = s.lanes.fragments[i];
        const s32 asked = p.viewports ? p.viewports[f] : 0;
        const s32 viewport = (u32)asked < (u32)p.viewport_count ? asked : 0;
        const float depth = p.depth[(s64)f * p.depth_step + column];
        const float least = p.ranges[2 * viewport], most = p.ranges[2 * viewport + 1];
        const float above = depth > least ? depth : least;  // NaN becomes the least
        s.codes[i] = depth_code(above < most ? above : most, p.depth_bits);
    }
}

FN u32 depth_relation(u32 code, u32 stored, s32 bits) {
    return bits == 32 ? relation_of(float_of(code), float_of(stored)) : relation_of(code, stored);
}

FN void test_sample(const MergeTestParams& p, MergeTestScratch& s, s32 sample, s32 n) {
    FOR_ITEMS(i, n) {
        if (!(s.lanes.live[i] >> sample & 1)) continue;
        const u32 depth_place = s.depth_places[i], stencil_place = s.stencil_places[i], code = s.codes[i];
        bool depth_passes = true;
        if (p.depth_bits && !p.clears) {
            const u32 stored = load_depth(p.depth_plane.memory, depth_place, p.depth_bits);
            depth_passes = (depth_relation(code, stored, p.depth_bits) & p.depth_accepts) != 0;
        }
        bool stencil_passes = true;
        if (p.stencil_tested) {
            const MergeFace& face = p.face[p.back[s.lanes.fragments[i]] != 0];
            const u32 stored = stencil_place == NO_PLACE ? 0 : p.stencil_plane.memory[stencil_place];
            const u32 relation = relation_of(face.reference & face.test_mask, stored & face.test_mask);
            stencil_passes = (relation & face.accepts) != 0;
            const s32 operation = !stencil_passes ? face.fail : depth_passes ? face.pass : face.depth_fail;
            const u32 after = stencil_after(operation, stored, face.reference);
            if (stencil_place != NO_PLACE && face.write_mask)
                p.stencil_plane.memory[stencil_place] =
                    (u8)((after & face.write_mask) | (stored & ~face.write_mask));
        }
        if (!(depth_passes && stencil_passes)) continue;
        s.passed[i] |= 1u << sample;
        if (p.depth_written && depth_place != NO_PLACE)
            store_depth(p.depth_plane.memory, depth_place, p.depth_bits, p.clears ? p.clear_depth : code);
    }
}

FN void merge_tests_tile(const MergeTestParams& p, s32, s32 strip) {
    SHARED MergeTestScratch s;
    const s32 run = strip * MERGE_STRIP, turns = turns_of(p.runs, run);
    s32 n = min_of(p.runs.count - run, (s32)MERGE_STRIP);
    for (s32 turn = 0; turn < turns; ++turn) {
        n = lanes_of_turn(p.runs, run, n, turn);
        begin_turn(p.runs, p.pixels, p.samples, run, turn, s.lanes, n);
        FOR_EACH(i, n) {
            s.passed[i] = 0;
            s.depth_places[i] = s.stencil_places[i] = NO_PLACE;
        }
        for (s32 sample = 0; sample < p.depth_plane.samples; ++sample) {
            if (p.depth_bits) {
                places_of(p.depth_plane, s.lanes, sample, s.depth_places, n);
                depth_codes(p, s, sample, n);
            }
            if (p.stencil_tested) places_of(p.stencil_plane, s.lanes, sample, s.stencil_places, n);
            test_sample(p, s, sample, n);
        }
        FOR_EACH(i, n) p.passed[s.lanes.fragments[i]] = s.passed[i];
    }
}
