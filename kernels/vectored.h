// The lines a field lacks from the fields beside it, where vectors lead (texsamp's own, docs/deinterlace.md (65), (66)).
#pragma once
#include "field_vectors.h"

enum { VECTORED_WIDTH = ON_DEVICE(256, 64), VECTORED_LINES = ON_DEVICE(16, 8) };  // of a tile
enum { VECTORED_COSTS = 5, VECTORED_KEYS = 32, VECTORED_FARTHEST = 12276 };
enum { VECTORED_ROWS = VECTORED_LINES + 2, VECTORED_SPARE = VECTOR_BLOCK };
enum { VECTORED_PITCH = VECTORED_WIDTH + 2 * VECTORED_SPARE };
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

// Sums over 5x3 pixels and missing lines, before and after the lines have been added up.
enum VectoredSum { SUM_COMB, SUM_DOUBT, SUM_OWN, SUM_OTHER, SUM_APART, VECTORED_SUMS };

template <typename T> struct VectoredScratch {
    T to[VECTORED_ROWS * VECTORED_PITCH], from[VECTORED_ROWS * VECTORED_PITCH];  // of both fields; column SPARE is the first
    u16 parts[VECTORED_SUMS][VECTORED_ROWS * VECTORED_PITCH], sums[VECTORED_SUMS][VECTORED_LINES * VECTORED_PITCH];
    u8 keys[VECTORED_LINES * VECTORED_WIDTH], weights[VECTORED_LINES * VECTORED_WIDTH];
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

// Phase: how far the mean of these, and the lines as they are, comb with those above and below, how far these are apart,
// and how far those.
template <typename T> FN void add_parts(const VectoredParams& p, VectoredScratch<T>& s, s32 i, s32 line, s32 first, s32 count) {
    const s64 pitch = p.guide_pitch_B / (s64)sizeof(T), start = line * pitch + first - 2;
    const T* __restrict__ own = (const T*)p.own + start;
    const T* __restrict__ other = (const T*)p.other + start;
    const T* __restrict__ above = (const T*)p.field + start - p.parity * pitch;
    const T* __restrict__ below = above + pitch;
    const s32 row = i * VECTORED_PITCH + VECTORED_SPARE - 2;
    const T* __restrict__ to = s.to + row;
    const T* __restrict__ from = s.from + row;
    u16* __restrict__ comb = s.parts[SUM_COMB] + row;
    u16* __restrict__ doubt = s.parts[SUM_DOUBT] + row;
    u16* __restrict__ own_comb = s.parts[SUM_OWN] + row;
    u16* __restrict__ other_comb = s.parts[SUM_OTHER] + row;
    u16* __restrict__ apart = s.parts[SUM_APART] + row;
    FOR_LINE(k, count + 4) {
        const u16 around = (u16)(above[k] + below[k]), twice = (u16)(2 * average(to[k], from[k]));
        comb[k] = difference<u16>(twice, around);
        doubt[k] = difference(to[k], from[k]);
        own_comb[k] = difference<u16>((u16)(2 * own[k]), around);
        other_comb[k] = difference<u16>((u16)(2 * other[k]), around);
        apart[k] = difference(above[k], below[k]);
    }
}

// Phase: by ratio, trust and agreement, which weight each sample of a line has.
template <typename T> FN void choose_keys(const VectoredParams& p, VectoredScratch<T>& s, s32 i, s32 count) {
    const s32 row = i * VECTORED_PITCH + VECTORED_SPARE - 2;
    const u16* __restrict__ combs = s.sums[SUM_COMB] + row;
    const u16* __restrict__ doubts = s.sums[SUM_DOUBT] + row;
    const u16* __restrict__ owns = s.sums[SUM_OWN] + row;
    const u16* __restrict__ others = s.sums[SUM_OTHER] + row;
    const u16* __restrict__ aparts = s.sums[SUM_APART] + row;
    u8* __restrict__ keys = s.keys + i * VECTORED_WIDTH;
    const u16 least = (u16)(15 << p.scale), much = (u16)(240 << p.scale);
    FOR_LINE(k, count) {
        const u16 comb = sum_of_five(combs + k), woven = min_of(sum_of_five(owns + k), sum_of_five(others + k));
        // Farther apart than any comb is large, and still within 16 bits.
        const u16 apart = min_of<u16>(sum_of_five(aparts + k), VECTORED_FARTHEST), twice = (u16)(2 * comb);
        const u16 ratio = (u16)((u16)(comb >= (u16)(apart + least)) + (u16)(twice >= (u16)(3 * apart + 4 * least)) +
                                (u16)(twice >= (u16)(5 * apart + 8 * least)));
        const u16 doubt = sum_of_five(doubts + k), moved = (u16)(comb + least);
        const u16 doubtful = (u16)((u16)((u16)(4 * doubt) >= moved) + (u16)((u16)(2 * doubt) >= moved) + (u16)(doubt >= moved));
        keys[k] = (u8)(8 * ratio + 4 * (woven >= much) + doubtful);
    }
    FOR_LINE(k, (VECTORED_WIDTH - count) & (VECTOR_BLOCK - 1)) keys[count + k] = 0;
}

// out[i] = table[keys[i]] for 16 samples; a CPU looks into both halves of the table.
FN void look_up_keys(const u8* table, const u8* keys, u8* out) {
    if (ON_DEVICE(false, true)) {
        for (s32 k = 0; k < VECTOR_BLOCK; ++k) out[k] = table[keys[k]];
    } else {
        u8 places[VECTOR_BLOCK], lower[VECTOR_BLOCK], upper[VECTOR_BLOCK];
        for (s32 k = 0; k < VECTOR_BLOCK; ++k) places[k] = keys[k] & 15;
        look_up_16(table, places, lower);
        look_up_16(table + VECTORED_KEYS / 2, places, upper);
        for (s32 k = 0; k < VECTOR_BLOCK; ++k) out[k] = pick(less<u8>(keys[k], VECTORED_KEYS / 2), lower[k], upper[k]);
    }
}

// An element of what another method has made with its part of two compensated samples.
template <typename T> FN T mixed(const VectoredParams& p, T element, T to, T from, u16 weight) {
    const s32 shift = p.target.shift;
    const u16 twice = (u16)(2 * sample_of(element, shift, p.max)), both = (u16)(to + from);
    return element_of((T)((u16)((u16)((u16)(weight * both) + (u16)((u16)(8 - weight) * twice)) + 8) >> 4), shift);
}

template <typename T> FN void vectored_tile(const VectoredParams& p, s32 tile_x, s32 tile_y) {
    SHARED VectoredScratch<T> s;
    const s32 first = tile_x * VECTORED_WIDTH, count = min_of<s32>(VECTORED_WIDTH, p.width - first);
    const s32 line0 = tile_y * VECTORED_LINES, missing = (p.height + p.parity) >> 1;
    const s32 lines = min_of<s32>(VECTORED_LINES, missing - line0), blocks = (count + VECTOR_BLOCK - 1) / VECTOR_BLOCK;
    if (p.target.step == 1) {
        for (s32 i = 0; i < lines; ++i) prefetch_line(row_of<T>(p.target, 2 * (line0 + i) + 1 - p.parity) + first, count);
    }
    // The line above the tile and the one below are not of its rows of blocks, or repeat at the picture's border.
    FOR_LINES(n, 2 + (lines + FOLLOWED_LINES - 1) / FOLLOWED_LINES) {
        const s32 i = n < 2 ? n * (lines + 1) : 1 + (n - 2) * FOLLOWED_LINES;
        follow_vectors(p, s, i, vectored_line(p, line0, i), n < 2 ? 1 : min_of<s32>(FOLLOWED_LINES, lines + 1 - i), first, count);
    }
    BARRIER();
    FOR_LINES(i, lines + 2) add_parts(p, s, i, vectored_line(p, line0, i), first, count);
    BARRIER();
    FOR_LINES(i, lines) {
        for (s32 n = 0; n < VECTORED_SUMS; ++n) {
            const u16* __restrict__ in = s.parts[n] + i * VECTORED_PITCH + VECTORED_SPARE - 2;
            u16* __restrict__ out = s.sums[n] + i * VECTORED_PITCH + VECTORED_SPARE - 2;
            FOR_LINE(k, count + 4) out[k] = (u16)(in[k] + in[k + VECTORED_PITCH] + in[k + 2 * VECTORED_PITCH]);
        }
    }
    BARRIER();
    FOR_LINES(i, lines) choose_keys(p, s, i, count);
    BARRIER();
    FOR_ITEMS(n, lines * blocks) {
        const s32 i = n / blocks, k = n % blocks, line = line0 + i, column = first / VECTOR_BLOCK + k;
        const s64 row = line / VECTOR_LINES;
        const s32 quarters = p.y[row * p.pitch_B + column] & 3, phase = quarters == 0 ? 0 : (quarters == 2 ? 2 : 1);
        const s32 cost = ((const u16*)((const u8*)p.cost + row * p.cost_pitch_B))[column];
        const s32 level = (cost >= 256) + (cost >= 512) + (cost >= 1024) + (cost >= 2048);
        const u8* table = p.weights + (phase * VECTORED_COSTS + level) * VECTORED_KEYS;
        const s32 at = i * VECTORED_WIDTH + k * VECTOR_BLOCK;
        look_up_keys(cost == VECTOR_DOUBTED ? VECTORED_NOTHING : table, s.keys + at, s.weights + at);
    }
    BARRIER();
    const s32 step = p.target.step;
    FOR_LINES(i, lines) {
        T* __restrict__ out = row_of<T>(p.target, 2 * (line0 + i) + 1 - p.parity) + (s64)first * step;
        const T* __restrict__ to = s.to + (i + 1) * VECTORED_PITCH + VECTORED_SPARE;
        const T* __restrict__ from = s.from + (i + 1) * VECTORED_PITCH + VECTORED_SPARE;
        const u8* __restrict__ weights = s.weights + i * VECTORED_WIDTH;
        if (step == 1) {
            FOR_LINE(k, count) out[k] = mixed(p, out[k], to[k], from[k], weights[k]);
        } else {
            FOR_LINE(k, count) out[(s64)k * step] = mixed(p, out[(s64)k * step], to[k], from[k], weights[k]);
        }
    }
}
