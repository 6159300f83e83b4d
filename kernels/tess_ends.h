// What patches become, one after the other: how much of each there is up to the end of every patch.
#pragma once
#include "tess_patches.h"

// Columns: domain points, pairs of them, patches that are not culled, units of work that points are, objects.
enum { ENDS_POINTS = 0, ENDS_PAIRS = 1, ENDS_PATCHES = 2, ENDS_UNITS = 3, ENDS_OBJECTS = 4, ENDS_COLUMNS = 5 };

struct TessEnds {
    const s64* ends;  // [patches][ENDS_COLUMNS]
    s64 patches;
};

FN s32 begin_of(const TessEnds& e, s32 patch, s32 column) {
    return patch ? (s32)e.ends[(s64)(patch - 1) * ENDS_COLUMNS + column] : 0;
}

FN s32 number_in(const TessEnds& e, s32 patch, s32 column) {
    return (s32)e.ends[(s64)patch * ENDS_COLUMNS + column] - begin_of(e, patch, column);
}

// The patch that something belongs to.
FN s32 patch_with(const TessEnds& e, s32 number, s32 column) {
    s32 low = 0, high = (s32)e.patches - 1;
    while (low < high) {
        const s32 middle = low + (high - low) / 2;
        if (e.ends[(s64)middle * ENDS_COLUMNS + column] > number) high = middle;
        else low = middle + 1;
    }
    return low;
}
