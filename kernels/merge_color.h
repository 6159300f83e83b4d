// Colors of fragments into a surface: conversion, blending or a logic operation, write masks (SNB 2.1 p. 360-368).
#pragma once
#include "merge_blend.h"
#include "merge_place.h"
#include "texels.h"

struct MergeColorParams {
    MergeRuns runs;
    MergePixels pixels;
    const u32* samples;  // of each fragment: those that passed
    const u32* colors;   // R, G, B, A of each fragment
    const u32* second;   // of dual source blending; null if there is none
    MergePlane plane;
    MergeBlend blend;
    TexelFormat format;
    u32 written[4];      // bits of an element's words that are written
    s32 component[4];    // which of R, G, B, A each of the format's channels is
    s32 reads;           // whether stored elements matter
    s32 pad_;
};
static_assert(sizeof(MergeColorParams) == 328, "parameter layout");

typedef u32 MergeNumbers[4][MERGE_STRIP];  // R, G, B, A as messages have them

struct MergeColorScratch {
    TexelStrip source, stored;  // of their lanes MERGE_STRIP are used
    BlendScratch blend;
    MergeNumbers colors;
    MergeLanes lanes;
    u32 places[MERGE_STRIP];
};
static_assert((int)MERGE_STRIP <= (int)TEXEL_TILE_WIDTH, "a strip of texels holds a strip of runs");

template <int BYTES> FN void load_elements(TexelStrip& s, const u8* memory, const u32* __restrict__ places, s32 n) {
    FOR_EACH(i, n) {
        UNROLL for (int w = 0; w < (BYTES + 3) / 4; ++w)
            s.words[w][i] = places[i] == NO_PLACE ? 0 : get_word<BYTES, false>(memory + places[i], w);
    }
}

template <int BYTES> FN void store_elements(const TexelStrip& s, u8* memory, const u32* __restrict__ places, s32 n) {
    FOR_ITEMS(i, n) {
        if (places[i] == NO_PLACE) continue;
        UNROLL for (int w = 0; w < (BYTES + 3) / 4; ++w)
            put_word<BYTES, false>(memory + places[i], w, s.words[w][i]);
    }
}

FN void load_elements(TexelStrip& s, const MergePlane& plane, const u32* places, s32 n) {
    switch (plane.element_B) {
        case 1: return load_elements<1>(s, plane.memory, places, n);
        case 2: return load_elements<2>(s, plane.memory, places, n);
        case 4: return load_elements<4>(s, plane.memory, places, n);
        case 8: return load_elements<8>(s, plane.memory, places, n);
        case 16: return load_elements<16>(s, plane.memory, places, n);
    }
}

FN void store_elements(const TexelStrip& s, const MergePlane& plane, const u32* places, s32 n) {
    switch (plane.element_B) {
        case 1: return store_elements<1>(s, plane.memory, places, n);
        case 2: return store_elements<2>(s, plane.memory, places, n);
        case 4: return store_elements<4>(s, plane.memory, places, n);
        case 8: return store_elements<8>(s, plane.memory, places, n);
        case 16: return store_elements<16>(s, plane.memory, places, n);
    }
}

FN void gather_colors(const u32* __restrict__ colors, const s32* __restrict__ fragments, s32 first, MergeNumbers& out,
                      s32 n) {
    if (first >= 0) {
        const u32* __restrict__ from = colors + 4 * (s64)first;
        FOR_EACH(i, n) {
            UNROLL for (int c = 0; c < 4; ++c) out[c][i] = from[4 * i + c];
        }
    } else {
        FOR_EACH(i, n) {
            const u32* color = colors + 4 * (s64)fragments[i];
            UNROLL for (int c = 0; c < 4; ++c) out[c][i] = color[c];
        }
    }
}

FN void floats_of(const MergeNumbers& numbers, MergeColors& out, s32 n) {
    UNROLL for (int c = 0; c < 4; ++c) FOR_EACH(i, n) out[c][i] = float_of(numbers[c][i]);
}

// Elements of colors that are not blended; colors of integer formats are no floats and have no clamp.
FN void convert_colors(const MergeColorParams& p, MergeColorScratch& s, s32 first, s32 n) {
    gather_colors(p.colors, s.lanes.fragments, first, s.colors, n);
    if (p.blend.alpha_to_one) FOR_EACH(i, n) s.colors[3][i] = FLOAT_ONE;
    for (s32 k = 0; k < p.format.channels; ++k) {
        const u32* __restrict__ color = s.colors[p.component[k]];
        u32* __restrict__ numbers = s.source.numbers[k];
        FOR_EACH(i, n) numbers[i] = color[i];
        clamp_numbers(numbers, p.blend.before, n);
    }
    words_of_numbers(s.source, p.format, n);
}

// Elements of colors blended with those in s.stored.
FN void blend_elements(const MergeColorParams& p, MergeColorScratch& s, s32 first, s32 n) {
    gather_colors(p.colors, s.lanes.fragments, first, s.colors, n);
    floats_of(s.colors, s.blend.source, n);
    if (p.blend.alpha_to_one) FOR_EACH(i, n) s.blend.source[3][i] = 1.0f;
    if (p.second) {
        gather_colors(p.second, s.lanes.fragments, first, s.colors, n);
        floats_of(s.colors, s.blend.second, n);
    } else {
        UNROLL for (int c = 0; c < 4; ++c) FOR_EACH(i, n) s.blend.second[c][i] = 0.0f;
    }
    UNROLL for (int c = 0; c < 4; ++c) FOR_EACH(i, n) s.blend.stored[c][i] = c == 3 ? 1.0f : 0.0f;
    for (s32 k = 0; k < p.format.channels; ++k) {
        LoadPlane plane = {s.stored, p.format, nullptr, k, n};
        for_stored_kind(p.format.channel[k].kind, plane);  // what is rendered to has no palette
        float* __restrict__ stored = s.blend.stored[p.component[k]];
        FOR_EACH(i, n) stored[i] = float_of(s.stored.numbers[k][i]);
    }
    blend_colors(p.blend, s.blend, n);
    for (s32 k = 0; k < p.format.channels; ++k) {
        const float* __restrict__ blended = s.blend.blended[p.component[k]];
        FOR_EACH(i, n) s.source.numbers[k][i] = bits_of(blended[i]);
    }
    words_of_numbers(s.source, p.format, n);
}

FN void merge_words(const MergeColorParams& p, MergeColorScratch& s, s32 n) {
    for (s32 w = 0; w < (p.plane.element_B + 3) / 4; ++w) {
        u32 *__restrict__ words = s.source.words[w], *__restrict__ stored = s.stored.words[w];
        const s32 logic = p.blend.logic;
        const u32 written = p.written[w];
        FOR_EACH(i, n) {
            const u32 word = logic < 0 ? words[i] : logic_of((u32)logic, words[i], stored[i]);
            stored[i] = (word & written) | (stored[i] & ~written);
        }
    }
}

FN void merge_color_tile(const MergeColorParams& p, s32, s32 strip) {
    SHARED MergeColorScratch s;
    const s32 run = strip * MERGE_STRIP, turns = turns_of(p.runs, run);
    s32 n = min_of(p.runs.count - run, (s32)MERGE_STRIP);
    for (s32 turn = 0; turn < turns; ++turn) {
        n = lanes_of_turn(p.runs, run, n, turn);
        const s32 first = begin_turn(p.runs, p.pixels, p.samples, run, turn, s.lanes, n);
        if (!p.blend.blend) convert_colors(p, s, first, n);
        for (s32 sample = 0; sample < p.plane.samples; ++sample) {
            places_of(p.plane, s.lanes, sample, s.places, n);
            if (p.reads) load_elements(s.stored, p.plane, s.places, n);
            if (p.blend.blend) blend_elements(p, s, first, n);
            if (p.reads) merge_words(p, s, n);
            store_elements(p.reads ? s.stored : s.source, p.plane, s.places, n);
        }
    }
}
