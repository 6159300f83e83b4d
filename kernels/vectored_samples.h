// What vectors show of the fields beside a field (texsamp's own, docs/deinterlace-hq.md (65)), and what it is mixed
// with.
#pragma once
#include "magnitude.h"
#include "vectored_cubic.h"

enum { VECTORED_PHASES = 3, VECTORED_COSTS = 5, VECTORED_KEYS = 64, KEY_RATIOS = 24, VECTORED_FARTHEST = 12276 };
enum { VECTORED_ALIKE = 4 };  // quarters, of a line's twice, that vectors beside each other may be apart
enum { BORDER_BLOCKS = VECTORED_WIDTH / VECTOR_BLOCK + 2 };  // of a tile, with those beside it
enum { FOLLOWED_LINES = ON_DEVICE(VECTOR_LINES, 1) };  // that are taken at once

struct VectoredParams {
    const void *own, *other, *field, *beyond;  // guides at full depth: first samples that are in the picture
    const FieldShift* shift;
    FieldTarget target;               // holds what another method has made of the field
    const s8 *x, *y, *aside;
    const u16* cost;
    s32 guide_pitch_B, pitch_B, cost_pitch_B;
    s32 width, height;
    s32 parity;       // of the field: 0 top
    s32 scale;        // bits of samples beyond 8
    s32 max;          // of samples
    s32 calm;         // a vector of 0 that costs less is not followed, where nothing is shifted
    s32 pad_[3];
    // Of the compensated sample, in eighths, by whether vectors part there, phase, cost, whether lines alone are surer, ratio,
    // trust and agreement.
    u8 weights[1920];
};
static_assert(sizeof(VectoredParams) == 2064, "parameter layout");

TABLE u8 VECTORED_NOTHING[VECTORED_KEYS] = {};

// Of a block of the picture's first or last line and of the missing line next to it: how far apart both fields are where
// the vector leads and where it does not, how far the two lines of the field that are nearest, and how much lighter the
// nearest is than two fields away, and, twice, than the border in both fields.
struct BorderSums {
    s32 doubt, change, slope, lighter, off;
};

// Sums over 5x3 pixels and missing lines, before and after the lines have been added up; combs have a sign before.
enum VectoredSum { SUM_COMB, SUM_DOUBT, SUM_OWN, SUM_OTHER, SUM_APART, SUM_BEND, VECTORED_SUMS };

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

// Lines of them where a vector leads to whole samples.
template <typename T> FN void copy_followed(const T* guide, s32 pitch, s32 x, s32 y, s32 count, s32 lines, T* __restrict__ out) {
    const T* at = guide + (s64)(y >> 2) * pitch + (x >> 2);
    for (s32 n = 0; n < lines; ++n) copy_bytes(out + n * VECTORED_PITCH, at + (s64)n * pitch, (u64)count * sizeof(T));
}

// Phase: what both fields show of some lines of a row of blocks, and two samples beyond the tile.
template <typename T>
FN void follow_vectors(const VectoredParams& p, T* tos, T* froms, s32 i, s32 line, s32 lines, s32 first, s32 count) {
    const s32 pitch = p.guide_pitch_B / (s32)sizeof(T), last = (p.width - 1) / VECTOR_BLOCK;
    const s8* xs = p.x + (s64)(line / VECTOR_LINES) * p.pitch_B;
    const s8* ys = p.y + (s64)(line / VECTOR_LINES) * p.pitch_B;
    const s8* asides = p.aside + (s64)(line / VECTOR_LINES) * p.pitch_B;
    const T *own = (const T*)p.own, *other = (const T*)p.other;
    const s32 right = 4 * p.shift->x, below = 4 * (line + p.shift->y);
    T* __restrict__ to = tos + i * VECTORED_PITCH + VECTORED_SPARE - first;
    T* __restrict__ from = froms + i * VECTORED_PITCH + VECTORED_SPARE - first;
    const s32 begin = max_of<s32>(first / VECTOR_BLOCK - 1, 0), end = min_of<s32>((first + count - 1) / VECTOR_BLOCK + 1, last);
    for (s32 block = begin; block <= end; ++block) {
        if (ON_DEVICE(true, false) && ((asides[block] | xs[block] | ys[block]) & 3) == 0) {  // blocks of a vector at once
            s32 last_alike = block;
            const auto is_alike = [&](s32 k) { return xs[k] == xs[block] && ys[k] == ys[block] && asides[k] == asides[block]; };
            while (last_alike < end && is_alike(last_alike + 1)) ++last_alike;
            const s32 x = block * VECTOR_BLOCK, samples = min_of((last_alike + 1) * VECTOR_BLOCK, p.width) - x;
            copy_followed(own, pitch, right + 4 * x + asides[block] + xs[block], below + ys[block], samples, lines, to + x);
            copy_followed(other, pitch, right + 4 * x + asides[block] - xs[block], below - ys[block], samples, lines, from + x);
            block = last_alike;
            continue;
        }
        const s32 x = block * VECTOR_BLOCK, samples = min_of<s32>(VECTOR_BLOCK, p.width - x);
        cubic_block(own, pitch, right + 4 * x + asides[block] + xs[block], below + ys[block], p.max, samples, lines, to + x);
        cubic_block(other, pitch, right + 4 * x + asides[block] - xs[block], below - ys[block], p.max, samples, lines, from + x);
    }
    for (s32 k = 1; k < 3; ++k) {  // beyond the picture its first and last samples repeat
        const s32 x = p.width - 1;
        if (first == 0) {
            cubic_samples(own, pitch, right + asides[0] + xs[0], below + ys[0], p.max, 1, lines, to - k);
            cubic_samples(other, pitch, right + asides[0] - xs[0], below - ys[0], p.max, 1, lines, from - k);
        }
        if (first + count + 1 >= p.width) {  // of the last tile, and of the one that sees its only column
            cubic_samples(own, pitch, right + 4 * x + asides[last] + xs[last], below + ys[last], p.max, 1, lines, to + x + k);
            cubic_samples(other, pitch, right + 4 * x + asides[last] - xs[last], below - ys[last], p.max, 1, lines, from + x + k);
        }
    }
}

// Phase: the same of all lines of a tile. The one above it and the one below are not of its rows of blocks, or repeat at the
// picture's border.
template <typename T>
FN void follow_vectors_of_tile(const VectoredParams& p, T* to, T* from, s32 line0, s32 lines, s32 first, s32 count) {
    FOR_LINES(n, 2 + (lines + FOLLOWED_LINES - 1) / FOLLOWED_LINES) {
        const s32 i = n < 2 ? n * (lines + 1) : 1 + (n - 2) * FOLLOWED_LINES;
        const s32 together = n < 2 ? 1 : min_of<s32>(FOLLOWED_LINES, lines + 1 - i);
        follow_vectors(p, to, from, i, vectored_line(p, line0, i), together, first, count);
    }
}

// Whether the vector of one of the four blocks beside a block is farther from its own than VECTORED_ALIKE.
FN bool vectors_part(const VectoredParams& p, s32 row, s32 column) {
    const s32 last = (p.width - 1) / VECTOR_BLOCK, end = (((p.height + p.parity) >> 1) - 1) / VECTOR_LINES;
    const s64 at = (s64)row * p.pitch_B + column, up = row > 0 ? -p.pitch_B : 0, down = row < end ? p.pitch_B : 0;
    const s64 beside[4] = {at - (column > 0), at + (column < last), at + up, at + down};
    s32 farthest = 0;
    UNROLL for (s32 n = 0; n < 4; ++n) {
        const s32 across = magnitude_of(p.x[beside[n]] - p.x[at]), along = magnitude_of(p.y[beside[n]] - p.y[at]);
        farthest = max_of(farthest, across + 2 * along);
    }
    return farthest > VECTORED_ALIKE;
}

// The weights of a block by key, of those in a row.
FN const u8* weights_of_block(const VectoredParams& p, s32 row, s32 column) {
    const s64 at = (s64)row * p.pitch_B + column;
    const s32 quarters = p.y[at] & 3, phase = quarters == 0 ? 0 : (quarters == 2 ? 2 : 1);
    const s32 cost = ((const u16*)((const u8*)p.cost + (s64)row * p.cost_pitch_B))[column];
    const bool stands = (p.x[at] | p.y[at] | p.shift->x | p.shift->y) == 0;
    if (cost == VECTOR_DOUBTED || (cost < p.calm && stands)) return VECTORED_NOTHING;
    const s32 level = (cost >= 256) + (cost >= 512) + (cost >= 1024) + (cost >= 2048);
    return p.weights + ((vectors_part(p, row, column) * VECTORED_PHASES + phase) * VECTORED_COSTS + level) * VECTORED_KEYS;
}

// An element of what another method has made with its part of two compensated samples.
template <typename T> FN T mixed(const VectoredParams& p, T element, T to, T from, u16 weight) {
    const s32 shift = p.target.shift;
    const u16 twice = (u16)(2 * sample_of(element, shift, p.max)), both = (u16)(to + from);
    return element_of((T)((u16)((u16)((u16)(weight * both) + (u16)((u16)(8 - weight) * twice)) + 8) >> 4), shift);
}
