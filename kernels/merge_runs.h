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
    while (lanes > 0 && turns_of(runs, run + lanes - 1) <= turn) --lanes;
    return lanes;
}

FN void fragments_of_turn(const MergeRuns& runs, s32 run, s32 turn, s32* __restrict__ fragments, s32 n) {
    if (runs.fragments) {
        FOR_EACH(i, n) fragments[i] = runs.fragments[runs.first[run + i] + turn];
    } else {
        FOR_EACH(i, n) fragments[i] = run + i;
    }
}
