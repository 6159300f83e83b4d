// The picture's first or last line where the field lacks it (texsamp's own, docs/deinterlace-hq.md (72)): it has a line
// of the field on one side alone, by which (66) cannot tell what fits.
#pragma once
#include "magnitude.h"
#include "vectored_samples.h"

enum { BORDER_FARTHEST = 4 };    // quarters of a line that a vector may lead: what is beyond the picture is unknown
enum { BORDER_FLAT = 96 };       // added to the slope of a block and those beside it, so that what is flat may be kept
enum { BORDER_STEPS = 8 };
TABLE u8 BORDER_LIMITS[BORDER_STEPS] = {44, 24, 17, 13, 10, 8, 5, 3};  // of the slope, in eighths of what is apart

// A missing line that is one, in a tile.
struct Border {
    s32 line, inner;  // and the next missing line
    s32 near, far;    // the field's nearest lines
    bool here;
};

// The picture's first line or its last one; one line alone is the first.
FN Border border_of(const VectoredParams& p, bool is_last, s32 line0, s32 lines) {
    const s32 missing = (p.height + p.parity) >> 1, line = is_last ? missing - 1 : 0, y = 2 * line + 1 - p.parity;
    const bool is_border = is_last ? y == p.height - 1 && y > 0 : y == 0;
    const s32 inward = is_last ? -1 : 1, inner = clamp_to(line + inward, 0, missing - 1);
    const s32 near = is_last ? line - p.parity : 0;
    return {line, inner, near, near + inward, is_border && line >= line0 && line < line0 + lines};
}

// Phase: the sums of the blocks of a tile's borders, and of those beside it.
template <typename T, typename Scratch>
FN void add_borders(const VectoredParams& p, Scratch& s, s32 line0, s32 lines, s32 first, s32 count) {
    const s32 blocks = (count + VECTOR_BLOCK - 1) / VECTOR_BLOCK + 2, last = (p.width - 1) / VECTOR_BLOCK;
    const s64 pitch = p.guide_pitch_B / (s64)sizeof(T);
    FOR_ITEMS(n, 2 * blocks) {
        const Border border = border_of(p, n >= blocks, line0, lines);
        if (!border.here) continue;
        const s32 x = VECTOR_BLOCK * clamp_to(first / VECTOR_BLOCK + n % blocks - 1, 0, last);
        const T* near = (const T*)p.field + border.near * pitch + x;
        const T* far = (const T*)p.field + border.far * pitch + x;
        const T* beyond = (const T*)p.beyond + border.near * pitch + x;
        const T* own = (const T*)p.own + border.line * pitch + x;
        const T* other = (const T*)p.other + border.line * pitch + x;
        BorderSums sums = {0, 0, 0, 0, 0};
        for (s32 k = 0; k < min_of<s32>(VECTOR_BLOCK, p.width - x); ++k) {
            for (s32 j = 0; j < 2; ++j) {
                const s32 line = j ? border.inner : border.line;
                const s32 at = (line - line0 + 1) * VECTORED_PITCH + VECTORED_SPARE + x - first + k;
                const s64 there = line * pitch + x + k;
                sums.doubt += difference(s.to[at], s.from[at]);
                sums.change += difference(((const T*)p.own)[there], ((const T*)p.other)[there]);
            }
            sums.slope += difference(near[k], far[k]);
            sums.lighter += near[k] - beyond[k];
            sums.off += 2 * near[k] - own[k] - other[k];
        }
        s.border[n / blocks][n % blocks] = sums;
    }
}

FN BorderSums border_sums(const BorderSums* at) {
    return {at[0].doubt + at[1].doubt + at[2].doubt, at[0].change + at[1].change + at[2].change,
            at[0].slope + at[1].slope + at[2].slope, at[0].lighter + at[1].lighter + at[2].lighter,
            at[0].off + at[1].off + at[2].off};
}

// Phase: a border with the two samples that are the least apart, those where the vector leads or those of its own place.
template <typename T, typename Scratch>
FN void mix_border(const VectoredParams& p, const Scratch& s, bool is_last, s32 line0, s32 lines, s32 first, s32 count) {
    const Border border = border_of(p, is_last, line0, lines);
    if (!border.here) return;
    const s64 row = border.line / VECTOR_LINES, start = border.line * (p.guide_pitch_B / (s64)sizeof(T));
    const s8* ys = p.y + row * p.pitch_B;
    const u16* costs = (const u16*)((const u8*)p.cost + row * p.cost_pitch_B);
    const s32 at = (border.line - line0 + 1) * VECTORED_PITCH + VECTORED_SPARE - first, step = p.target.step;
    T* out = row_of<T>(p.target, 2 * border.line + 1 - p.parity);
    FOR_ITEMS(n, (count + VECTOR_BLOCK - 1) / VECTOR_BLOCK) {
        const s32 block = first / VECTOR_BLOCK + n, x = block * VECTOR_BLOCK;
        const BorderSums sums = border_sums(s.border[is_last] + n);
        const bool is_led = costs[block] != VECTOR_DOUBTED && magnitude_of(ys[block]) + magnitude_of(4 * p.shift->y) <= BORDER_FARTHEST && sums.doubt < sums.change;
        const s32 apart = 8 * (is_led ? sums.doubt : sums.change), slope = sums.slope + (BORDER_FLAT << p.scale);
        const s32 light = sums.lighter > 0 ? min_of(sums.lighter, sums.off) : -max_of(sums.lighter, sums.off);
        u16 weight = 0;  // as in a flash, which both fields miss
        for (s32 k = 0; k < (light > 2 * slope ? 0 : BORDER_STEPS); ++k) weight += apart <= BORDER_LIMITS[k] * slope;
        const T* to = is_led ? s.to + at : (const T*)p.own + start;
        const T* from = is_led ? s.from + at : (const T*)p.other + start;
        for (s32 k = x; k < min_of(x + VECTOR_BLOCK, first + count); ++k)
            out[(s64)k * step] = mixed(p, out[(s64)k * step], to[k], from[k], weight);
    }
}
