// What the blocks of the color pipe have in common where pairs of pixels share their chroma (color_pairs.h).
#pragma once
#include "color.h"

// Pairs are worked on some at a time, so that what would change nothing is skipped for them.
enum { PAIRS_PITCH = COLOR_WIDTH / 2, COLOR_PAIRS = COLOR_HEIGHT * PAIRS_PITCH, SOME_PAIRS = 32 };

// Scratch of a tile: pairs of both lines, PAIRS_PITCH apart, in 12 bits. By place in the pair: its luma and, behind the
// matrix, its chroma; before it chroma is that of place 0.
struct ColorPairs {
    s16 y[2][COLOR_PAIRS], u[2][COLOR_PAIRS], v[2][COLOR_PAIRS], outside[2][COLOR_PAIRS];
    s16 score[COLOR_PAIRS];
};

// What is known of some pairs: where they begin in a line, whether the lower line's chroma is its own (1) or that of the
// upper one (0), and whether any score may not be 0.
struct SomePairs {
    s32 at, two_lines, scored;
    FN_MEMBER s32 end() const { return two_lines ? COLOR_PAIRS : PAIRS_PITCH; }  // of the lines that have chroma
};

// The lower line gets a chroma of its own.
FN void part_lines(ColorPairs& t, SomePairs& some) {
    if (some.two_lines) return;
    some.two_lines = 1;
    s16* __restrict__ u = t.u[0] + some.at;
    s16* __restrict__ v = t.v[0] + some.at;
    FOR_LINE(k, SOME_PAIRS) {
        u[PAIRS_PITCH + k] = u[k];
        v[PAIRS_PITCH + k] = v[k];
    }
}

// A product's upper half.
FN s16 upper_half(s16 a, s16 b) { return (s16)((s32)a * (s32)b >> 16); }

FN s16 any_of_some(const s16* __restrict__ values) {
    s16 any = 0;
    for (s32 k = 0; k < SOME_PAIRS; ++k) any = (s16)(any | values[k]);
    return any;
}
