// Vectors on which both fields agree by chance (texsamp's own, docs/deinterlace-hq.md (74)): three lines comb in one
// sense, and the field's own lines do not come back in the other frame where the vector leads, or are even themselves.
#pragma once
#include "magnitude.h"
#include "vectored_samples.h"

enum { CHANCE_LEAST = 96, CHANCE_EVEN = 192 };  // of the sum of five pixels: combs and what is apart; combs of even lines
enum { CHANCE_ALONE = 64 };                     // combs of the pixel itself

// How far five pixels of both lines around a missing one are from where they came from.
template <typename T> FN s32 apart_from_beyond(const VectoredParams& p, s32 line, s32 x) {
    const s64 pitch = p.guide_pitch_B / (s64)sizeof(T), block = (s64)(line / VECTOR_LINES) * p.pitch_B + x / VECTOR_BLOCK;
    const s32 halves_x = 2 * p.shift->beyond_x - p.x[block], halves_y = 2 * p.shift->beyond_y - p.y[block], y = line - p.parity;
    const T* field = (const T*)p.field + y * pitch + x;
    const T* beyond = (const T*)p.beyond + (y + (halves_y >> 1)) * pitch + x + (halves_x >> 1);
    const s64 down = (halves_y & 1) * pitch;
    s32 apart = 0;
    for (s32 n = 0; n < 2; ++n, field += pitch, beyond += pitch) {
        for (s32 k = -2; k < 3; ++k) {
            const T* at = beyond + k + (halves_x & 1);
            apart += difference(field[k], average(average(beyond[k], *at), average(beyond[k + down], at[down])));
        }
    }
    return apart;
}

// How far lines comb in one sense: the least of their signed combs, or less than nothing.
FN s32 combed_alike(s32 above, s32 middle, s32 below) {
    return max_of(min_of(min_of(above, middle), below), -max_of(max_of(above, middle), below));
}
