// Fragments by pixel: those of one pixel are a run, and are merged in their order, one a turn.
//
// A tile takes a strip of runs, the longest first, so that those that still have a fragment in a turn are its first.
#pragma once
#include "portable.h"

enum { MERGE_STRIP = 256 };  // runs; texsamp/emulator/fixed/merge.py divides by it

struct MergeRuns {
    const s32* fragments;  // of the runs, one run after the other; null: run k is fragment k
    const s32* first;      // where each run begins in `fragments`
    const s32* lengths;    // never growing
    s32 count;
    s32 pad_;
};
static_assert(sizeof(MergeRuns) == 32, "parameter layout");

FN s32 turns_of(const MergeRuns& runs, s32 run) { return runs.fragments ? runs.lengths[run] : 1; }

// How many of a strip's runs have a fragment in a turn; `lanes` of them had one before.
FN s32 lanes_of_turn(const MergeRuns& runs, s32 run, s32 lanes, s32 turn) {
    while (runs.fragments && lanes > 0 && runs.lengths[run + lanes - 1] <= turn) --lanes;
    return lanes;
}

// What a turn's fragments have, lane by lane.
struct MergeLanes {
    s32 fragments[MERGE_STRIP], x[MERGE_STRIP], y[MERGE_STRIP], slices[MERGE_STRIP];
    u32 live[MERGE_STRIP];  // samples that are left
};

struct MergePixels {
    const s32 *x, *y, *slices;  // of each fragment
};
static_assert(sizeof(MergePixels) == 24, "parameter layout");

// out[i] = from[f] for the fragment of every lane; first: that of lane 0 where fragments follow each other, else -1.
template <typename T>
FN void gather_numbers(const T* __restrict__ from, const s32* __restrict__ fragments, s32 first, T* __restrict__ out,
                       s32 n) {
    if (first >= 0) {
        FOR_EACH(i, n) out[i] = from[first + i];
    } else {
        FOR_EACH(i, n) out[i] = from[fragments[i]];
    }
}

// Fills the lanes of a turn. Returns the first fragment if they follow each other, else -1.
FN s32 begin_turn(const MergeRuns& runs, const MergePixels& pixels, const u32* samples, s32 run, s32 turn,
                  MergeLanes& lanes, s32 n) {
    const s32 first = runs.fragments ? -1 : run;
    if (runs.fragments) {
        FOR_EACH(i, n) lanes.fragments[i] = runs.fragments[runs.first[run + i] + turn];
    } else {
        FOR_EACH(i, n) lanes.fragments[i] = run + i;
    }
    gather_numbers(pixels.x, lanes.fragments, first, lanes.x, n);
    gather_numbers(pixels.y, lanes.fragments, first, lanes.y, n);
    gather_numbers(pixels.slices, lanes.fragments, first, lanes.slices, n);
    gather_numbers(samples, lanes.fragments, first, lanes.live, n);
    return first;
}
