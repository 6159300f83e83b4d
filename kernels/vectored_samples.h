// What vectors show of the fields beside a field (texsamp's own, docs/deinterlace.md (65)), and what it is mixed with.
#pragma once
#include "field_vectors.h"

enum { VECTORED_WIDTH = ON_DEVICE(256, 64), VECTORED_LINES = ON_DEVICE(16, 8) };  // of a tile
enum { VECTORED_COSTS = 5, VECTORED_KEYS = 32, VECTORED_FARTHEST = 12276 };
enum { VECTORED_ROWS = VECTORED_LINES + 2, VECTORED_SPARE = VECTOR_BLOCK };
enum { VECTORED_PITCH = VECTORED_WIDTH + 2 * VECTORED_SPARE };
enum { BORDER_BLOCKS = VECTORED_WIDTH / VECTOR_BLOCK + 2 };  // of a tile, with those beside it
enum { FOLLOWED_LINES = ON_DEVICE(VECTOR_LINES, 1) };  // that are taken at once

struct VectoredParams {
    const void *own, *other, *field;  // guides at full depth: first samples that are in the picture
    FieldTarget target;               // holds what another method has made of the field
    const s8 *x, *y;
    const u16* cost;
    s32 guide_pitch_B, pitch_B, cost_pitch_B;
    s32 width, height;
    s32 parity;       // of the field: 0 top
    s32 scale;        // bits of samples beyond 8
    s32 max;          // of samples
    u8 weights[480];  // of the compensated sample, in eighths, by phase, cost, ratio, trust and agreement
};
static_assert(sizeof(VectoredParams) == 584, "parameter layout");

TABLE s8 VECTORED_CUBIC[4][4] = {{0, 16, 0, 0}, {-1, 14, 4, -1}, {-2, 10, 10, -2}, {-1, 4, 14, -1}};
TABLE u8 VECTORED_NOTHING[VECTORED_KEYS] = {};

// Lines of them, from a place in quarters on.
template <typename T>
FN void cubic_samples(const T* __restrict__ guide, s32 pitch, s32 x, s32 y, s32 max, s32 count, s32 lines, T* __restrict__ out) {
    const T* __restrict__ at = guide + (s64)(y >> 2) * pitch + (x >> 2);
    const s8* across = VECTORED_CUBIC[x & 3];
    const s8* down = VECTORED_CUBIC[y & 3];
    const s16 a0 = across[0], a1 = across[1], a2 = across[2], a3 = across[3];
    const s16 d0 = down[0], d1 = down[1], d2 = down[2], d3 = down[3];
    const s32 kind = ((x & 3) != 0) + 2 * ((y & 3) != 0);
    for (s32 n = 0; n < lines; ++n, at += pitch, out += VECTORED_PITCH) {
        if (kind == 0) {
            FOR_LINE(k, count) out[k] = at[k];
        } else if (kind == 1) {
            FOR_LINE(k, count) {
                const s16 sum = (s16)((s16)(a0 * at[k - 1]) + (s16)(a1 * at[k]) + (s16)(a2 * at[k + 1]) + (s16)(a3 * at[k + 2]));
                out[k] = (T)clamp_to<s16>((s16)((s16)(sum + 8) >> 4), 0, (s16)max);
            }
        } else if (kind == 2) {
            const T* __restrict__ up = at - pitch;
            const T* __restrict__ next = at + pitch;
            const T* __restrict__ last = next + pitch;
            FOR_LINE(k, count) {
                const s16 sum = (s16)((s16)(d0 * up[k]) + (s16)(d1 * at[k]) + (s16)(d2 * next[k]) + (s16)(d3 * last[k]));
                out[k] = (T)clamp_to<s16>((s16)((s16)(sum + 8) >> 4), 0, (s16)max);
            }
        } else {
            FOR_LINE(k, count) {
                s32 sum = 128;
                UNROLL for (s32 j = 0; j < 4; ++j) {
                    const T* line = at + (j - 1) * pitch + k;
                    const s16 part = (s16)((s16)(a0 * line[-1]) + (s16)(a1 * line[0]) + (s16)(a2 * line[1]) + (s16)(a3 * line[2]));
                    sum += part * (j == 0 ? d0 : (j == 1 ? d1 : (j == 2 ? d2 : d3)));
                }
                out[k] = (T)clamp_to<s32>(sum >> 8, 0, max);
            }
        }
    }
}

// Those of a block, which nearly always is whole: a length that is known makes better loops.
template <typename T> FN void cubic_block(const T* guide, s32 pitch, s32 x, s32 y, s32 max, s32 count, s32 lines, T* out) {
    if (count == VECTOR_BLOCK)
        cubic_samples(guide, pitch, x, y, max, VECTOR_BLOCK, lines, out);
    else
        cubic_samples(guide, pitch, x, y, max, count, lines, out);
}

// Of a block of the picture's first or last line and of the missing line next to it: how far apart both fields are where
// the vector leads and where it does not, and how far the two lines of the field that are nearest.
struct BorderSums {
    s32 doubt, change, slope;
};

// Sums over 5x3 pixels and missing lines, before and after the lines have been added up.
enum VectoredSum { SUM_COMB, SUM_DOUBT, SUM_OWN, SUM_OTHER, SUM_APART, VECTORED_SUMS };

template <typename T> struct VectoredScratch {
    T to[VECTORED_ROWS * VECTORED_PITCH], from[VECTORED_ROWS * VECTORED_PITCH];  // of both fields; column SPARE is the first
    u16 parts[VECTORED_SUMS][VECTORED_ROWS * VECTORED_PITCH], sums[VECTORED_SUMS][VECTORED_LINES * VECTORED_PITCH];
    u8 keys[VECTORED_LINES * VECTORED_WIDTH], weights[VECTORED_LINES * VECTORED_WIDTH];
    BorderSums border[2][BORDER_BLOCKS];
};

// The missing line that row i of the scratch holds.
FN s32 vectored_line(const VectoredParams& p, s32 line0, s32 i) {
    return clamp_to(line0 + i - 1, 0, ((p.height + p.parity) >> 1) - 1);
}

// Phase: what both fields show of some lines of a row of blocks, and two samples beyond the tile.
template <typename T>
FN void follow_vectors(const VectoredParams& p, VectoredScratch<T>& s, s32 i, s32 line, s32 lines, s32 first, s32 count) {
    const s32 pitch = p.guide_pitch_B / (s32)sizeof(T), last = (p.width - 1) / VECTOR_BLOCK;
    const s8* xs = p.x + (s64)(line / VECTOR_LINES) * p.pitch_B;
    const s8* ys = p.y + (s64)(line / VECTOR_LINES) * p.pitch_B;
    const T *own = (const T*)p.own, *other = (const T*)p.other;
    T* __restrict__ to = s.to + i * VECTORED_PITCH + VECTORED_SPARE - first;
    T* __restrict__ from = s.from + i * VECTORED_PITCH + VECTORED_SPARE - first;
    const s32 begin = max_of<s32>(first / VECTOR_BLOCK - 1, 0), end = min_of<s32>((first + count - 1) / VECTOR_BLOCK + 1, last);
    for (s32 block = begin; block <= end; ++block) {
        const s32 x = block * VECTOR_BLOCK, samples = min_of<s32>(VECTOR_BLOCK, p.width - x);
        cubic_block(own, pitch, 4 * x + xs[block], 4 * line + ys[block], p.max, samples, lines, to + x);
        cubic_block(other, pitch, 4 * x - xs[block], 4 * line - ys[block], p.max, samples, lines, from + x);
    }
    for (s32 k = 1; k < 3; ++k) {  // beyond the picture its first and last samples repeat
        const s32 x = p.width - 1;
        if (first == 0) {
            cubic_samples(own, pitch, xs[0], 4 * line + ys[0], p.max, 1, lines, to - k);
            cubic_samples(other, pitch, -xs[0], 4 * line - ys[0], p.max, 1, lines, from - k);
        }
        if (first + count == p.width) {
            cubic_samples(own, pitch, 4 * x + xs[last], 4 * line + ys[last], p.max, 1, lines, to + x + k);
            cubic_samples(other, pitch, 4 * x - xs[last], 4 * line - ys[last], p.max, 1, lines, from + x + k);
        }
    }
}

// An element of what another method has made with its part of two compensated samples.
template <typename T> FN T mixed(const VectoredParams& p, T element, T to, T from, u16 weight) {
    const s32 shift = p.target.shift;
    const u16 twice = (u16)(2 * sample_of(element, shift, p.max)), both = (u16)(to + from);
    return element_of((T)((u16)((u16)((u16)(weight * both) + (u16)((u16)(8 - weight) * twice)) + 8) >> 4), shift);
}
