// The control surface (MCS) of multisampled targets, and clears by it (seed 001:2421-2447, 003:2517-2573).
//
// An element says in which slice each sample of a pixel is, or that all have the clear color. What is rendered here lies in
// every sample's own slice.
#pragma once
#include "formats.h"
#include "merge_place.h"

enum { CONTROL_MOST_SAMPLES = 8, CONTROL_ELEMENT_B = 16 };

struct MergeControl {
    MergePlane plane;  // without memory if there is none
    u32 clear[4];      // the clear color as an element of the target
    u32 is_clear;      // the control surface's element for it: all bits that an element has
    u32 is_apart;      // the one of samples that all are in their own slices
};
static_assert(sizeof(MergeControl) == 120, "parameter layout");

template <int TILING> FN u32 place_tiled(const MergePlane& plane, s32 x, s32 y, s32 slice, s32 sample) {
    if (plane.samples > 1 && plane.sample_dy == 0) return place_of<TILING, true>(plane, x, y, slice, sample);
    return place_of<TILING, false>(plane, x, y, slice, sample);
}

FN u32 place_at(const MergePlane& plane, s32 x, s32 y, s32 slice, s32 sample) {
    switch (plane.tiling) {
        case MERGE_X: return place_tiled<MERGE_X>(plane, x, y, slice, sample);
        case MERGE_Y: return place_tiled<MERGE_Y>(plane, x, y, slice, sample);
    }
    return place_tiled<MERGE_LINEAR>(plane, x, y, slice, sample);
}

FN u32 load_control(const MergeControl& control, u32 place) {
    const u8* from = control.plane.memory + place;
    return (control.plane.element_B == 1 ? *from : get_bytes<4, false>(from)) & control.is_clear;
}

FN void set_apart(const MergeControl& control, u32 place) {
    u8* to = control.plane.memory + place;
    if (control.plane.element_B == 1)
        *to = (u8)control.is_apart;
    else
        put_bytes<4, false>(to, control.is_apart);
}

struct MergeApartParams {
    MergeRuns runs;
    MergePixels pixels;
    const u32* samples;  // of each fragment: only pixels with some are taken apart
    MergePlane plane;    // its samples lie in slices
    MergeControl control;
};
static_assert(sizeof(MergeApartParams) == 280, "parameter layout");

// The slice that a sample is in.
FN s32 slice_of(u32 element, s32 sample, s32 samples) {
    const s32 bits = samples == 8 ? 3 : 2;
    return (s32)(element >> bits * sample) & ((1 << bits) - 1);
}

// Copies each sample of a pixel to its own slice.
FN void take_apart(const MergeApartParams& p, u32 element, s32 x, s32 y, s32 slice) {
    u8 known[CONTROL_MOST_SAMPLES][CONTROL_ELEMENT_B];
    const s32 samples = p.plane.samples, size = p.plane.element_B;
    for (s32 sample = 0; sample < samples; ++sample) {
        const u8* from = p.plane.memory + place_at(p.plane, x, y, slice, slice_of(element, sample, samples));
        for (s32 b = 0; b < size; ++b)
            known[sample][b] = element == p.control.is_clear ? (u8)(p.control.clear[b / 4] >> 8 * (b % 4)) : from[b];
    }
    for (s32 sample = 0; sample < samples; ++sample) {
        u8* to = p.plane.memory + place_at(p.plane, x, y, slice, sample);
        for (s32 b = 0; b < size; ++b) to[b] = known[sample][b];
    }
}

FN bool has_samples(const MergeRuns& runs, const u32* samples, s32 run) {
    if (!runs.fragments) return samples[run] != 0;
    u32 any = 0;
    for (s32 turn = 0; turn < runs.lengths[run]; ++turn) any |= samples[runs.fragments[runs.first[run] + turn]];
    return any != 0;
}

// Gives every sample of pixels with fragments its own slice, a run of fragments after the other: pixels differ.
FN void merge_apart_tile(const MergeApartParams& p, s32, s32 strip) {
    const s32 begin = strip * MERGE_STRIP;
    FOR_ITEMS(i, min_of(p.runs.count - begin, (s32)MERGE_STRIP)) {
        const s32 run = begin + i;
        if (!has_samples(p.runs, p.samples, run)) continue;
        const s32 fragment = p.runs.fragments ? p.runs.fragments[p.runs.first[run]] : run;
        const s32 x = p.pixels.x[fragment], y = p.pixels.y[fragment], slice = p.pixels.slices[fragment];
        const u32 place = place_at(p.control.plane, x, y, slice, 0);
        if (place == NO_PLACE || place_at(p.plane, x, y, slice, 0) == NO_PLACE) continue;
        const u32 element = load_control(p.control, place);
        if (element == p.control.is_apart) continue;
        take_apart(p, element, x, y, slice);
        set_apart(p.control, place);
    }
}

struct MergeClearParams {
    MergePixels pixels;
    const u32* samples;        // of each fragment: those without any clear nothing
    MergePlane plane;
    MergeControl control;
    s32 x_scale, y_scale;      // pixels that a fragment's stands for
    s32 count;
    s32 pad_;
};
static_assert(sizeof(MergeClearParams) == 264, "parameter layout");

// The clear color into all pixels that those of fragments stand for; fragments that share some write the same there.
FN void merge_clear_tile(const MergeClearParams& p, s32, s32 fragment) {
    if (!p.samples[fragment]) return;
    const s32 left = p.pixels.x[fragment] * p.x_scale, top = p.pixels.y[fragment] * p.y_scale, slice = p.pixels.slices[fragment];
    FOR_ITEMS(i, p.x_scale * p.y_scale) {
        const s32 x = left + i % p.x_scale, y = top + i / p.x_scale;
        for (s32 sample = 0; sample < p.plane.samples; ++sample) {
            const u32 place = place_at(p.plane, x, y, slice, sample);
            for (s32 b = 0; place != NO_PLACE && b < p.plane.element_B; ++b)
                p.plane.memory[place + b] = (u8)(p.control.clear[b / 4] >> 8 * (b % 4));
        }
        const u32 place = p.control.plane.memory ? place_at(p.control.plane, x, y, slice, 0) : NO_PLACE;
        if (place != NO_PLACE) set_apart(p.control, place);
    }
}
