// The lines a field lacks from the fields beside it, where vectors lead (texsamp's own, docs/deinterlace-hq.md (65),
// (66)).
#pragma once
#include "vectored_border.h"
#include "vectored_chance.h"

// Phase: how far the mean of these, and the lines as they are, comb with those above and below, how far these are apart,
// how far those, and how much five lines more would bend what three make between them.
template <typename T> FN void add_parts(const VectoredParams& p, VectoredScratch<T>& s, s32 i, s32 line, s32 first, s32 count) {
    const s64 pitch = p.guide_pitch_B / (s64)sizeof(T), start = line * pitch + first - 2;
    const T* __restrict__ own = (const T*)p.own + start;
    const T* __restrict__ other = (const T*)p.other + start;
    const T* __restrict__ above = (const T*)p.field + start - p.parity * pitch;
    const T* __restrict__ below = above + pitch;
    const T* __restrict__ above3 = above - pitch;
    const T* __restrict__ below3 = below + pitch;
    const T* __restrict__ above5 = above3 - pitch;
    const T* __restrict__ below5 = below3 + pitch;
    const s32 row = i * VECTORED_PITCH + VECTORED_SPARE - 2;
    const T* __restrict__ to = s.to + row;
    const T* __restrict__ from = s.from + row;
    u16* __restrict__ comb = s.parts[SUM_COMB] + row;
    u16* __restrict__ doubt = s.parts[SUM_DOUBT] + row;
    u16* __restrict__ own_comb = s.parts[SUM_OWN] + row;
    u16* __restrict__ other_comb = s.parts[SUM_OTHER] + row;
    u16* __restrict__ apart = s.parts[SUM_APART] + row;
    u16* __restrict__ bend = s.parts[SUM_BEND] + row;
    FOR_LINE(k, count + 4) {
        const u16 around = (u16)(above[k] + below[k]), twice = (u16)(2 * average(to[k], from[k]));
        comb[k] = (u16)(twice - around);
        doubt[k] = difference(to[k], from[k]);
        own_comb[k] = difference<u16>((u16)(2 * own[k]), around);
        other_comb[k] = difference<u16>((u16)(2 * other[k]), around);
        apart[k] = difference(above[k], below[k]);
        const u16 near = average(above[k], below[k]), next = average(above3[k], below3[k]), far = average(above5[k], below5[k]);
        bend[k] = difference<u16>((u16)((u16)(2 * near) + far), (u16)(3 * next));
    }
}

FN u16 size_of_comb(u16 comb) { return (u16)magnitude_of((s16)comb); }

// Phase: by ratio, trust and agreement, which weight each sample of a line has.
template <typename T> FN void choose_keys(const VectoredParams& p, VectoredScratch<T>& s, s32 i, s32 count) {
    const s32 row = i * VECTORED_PITCH + VECTORED_SPARE - 2;
    const u16* __restrict__ combs = s.sums[SUM_COMB] + row;
    const u16* __restrict__ doubts = s.sums[SUM_DOUBT] + row;
    const u16* __restrict__ owns = s.sums[SUM_OWN] + row;
    const u16* __restrict__ others = s.sums[SUM_OTHER] + row;
    const u16* __restrict__ aparts = s.sums[SUM_APART] + row;
    const u16* __restrict__ bends = s.sums[SUM_BEND] + row;
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
        const u16 surer = (u16)(sum_of_five(bends + k) < (u16)(2 * doubt));
        keys[k] = (u8)(32 * surer + 8 * ratio + 4 * (woven >= much) + doubtful);
    }
    FOR_LINE(k, (VECTORED_WIDTH - count) & (VECTOR_BLOCK - 1)) keys[count + k] = 0;
}

// out[i] = table[keys[i]] for 16 samples; a CPU looks into all quarters of the table.
FN void look_up_keys(const u8* table, const u8* keys, u8* out) {
    if (ON_DEVICE(false, true)) {
        for (s32 k = 0; k < VECTOR_BLOCK; ++k) out[k] = table[keys[k]];
    } else {
        u8 places[VECTOR_BLOCK], found[VECTOR_BLOCK];
        for (s32 k = 0; k < VECTOR_BLOCK; ++k) places[k] = keys[k] & 15;
        for (s32 n = 0; n < VECTORED_KEYS / 16; ++n) {
            look_up_16(table + 16 * n, places, found);
            for (s32 k = 0; k < VECTOR_BLOCK; ++k) out[k] = pick(less<u8>(keys[k], (u8)(16 * n)), out[k], found[k]);
        }
    }
}

// Phase: no weight where a vector is believed by chance. Most pixels comb no more than the lines around are apart.
template <typename T> FN void doubt_chance(const VectoredParams& p, VectoredScratch<T>& s, s32 i, s32 line, s32 first, s32 count) {
    const u16* combs = s.parts[SUM_COMB] + i * VECTORED_PITCH + VECTORED_SPARE - 2;
    const u8* keys = s.keys + i * VECTORED_WIDTH;
    u8* weights = s.weights + i * VECTORED_WIDTH;
    FOR_LINE(k, count) {
        if (!weights[k] || !(keys[k] & KEY_RATIOS)) continue;
        const u16* here = combs + VECTORED_PITCH + k;
        const s32 middle = (s16)sum_of_five(here), least = CHANCE_LEAST << p.scale, alone = CHANCE_ALONE << p.scale;
        if (magnitude_of(middle) < least && magnitude_of((s16)here[2]) < alone) continue;
        const s32 above = (s16)sum_of_five(combs + k), below = (s16)sum_of_five(combs + 2 * VECTORED_PITCH + k);
        const s32 combed = combed_alike(above, middle, below);
        if (combed < least && combed_alike((s16)combs[k + 2], (s16)here[2], (s16)combs[2 * VECTORED_PITCH + k + 2]) < alone) continue;
        const bool among_even = (keys[k] & KEY_RATIOS) == KEY_RATIOS && combed >= CHANCE_EVEN << p.scale;
        if (among_even || apart_from_beyond<T>(p, line, first + k) >= least) weights[k] = 0;
    }
}

template <typename T> FN void plain_vectored_tile(const VectoredParams& p, s32 tile_x, s32 tile_y) {
    SHARED VectoredScratch<T> s;
    const s32 first = tile_x * VECTORED_WIDTH, count = min_of<s32>(VECTORED_WIDTH, p.width - first);
    const s32 line0 = tile_y * VECTORED_LINES, missing = (p.height + p.parity) >> 1;
    const s32 lines = min_of<s32>(VECTORED_LINES, missing - line0), blocks = (count + VECTOR_BLOCK - 1) / VECTOR_BLOCK;
    if (p.target.step == 1) {
        for (s32 i = 0; i < lines; ++i) prefetch_line(row_of<T>(p.target, 2 * (line0 + i) + 1 - p.parity) + first, count);
    }
    follow_vectors_of_tile(p, s.to, s.from, line0, lines, first, count);
    BARRIER();
    FOR_LINES(i, lines + 2) add_parts(p, s, i, vectored_line(p, line0, i), first, count);
    BARRIER();
    FOR_LINES(i, lines) {
        for (s32 n = 0; n < VECTORED_SUMS; ++n) {
            const u16* __restrict__ in = s.parts[n] + i * VECTORED_PITCH + VECTORED_SPARE - 2;
            u16* __restrict__ out = s.sums[n] + i * VECTORED_PITCH + VECTORED_SPARE - 2;
            if (n == SUM_COMB) {
                FOR_LINE(k, count + 4) out[k] = (u16)(size_of_comb(in[k]) + size_of_comb(in[k + VECTORED_PITCH]) +
                                                      size_of_comb(in[k + 2 * VECTORED_PITCH]));
            } else {
                FOR_LINE(k, count + 4) out[k] = (u16)(in[k] + in[k + VECTORED_PITCH] + in[k + 2 * VECTORED_PITCH]);
            }
        }
    }
    BARRIER();
    FOR_LINES(i, lines) choose_keys(p, s, i, count);
    BARRIER();
    FOR_ITEMS(n, lines * blocks) {
        const s32 i = n / blocks, k = n % blocks, at = i * VECTORED_WIDTH + k * VECTOR_BLOCK;
        look_up_keys(weights_of_block(p, (line0 + i) / VECTOR_LINES, first / VECTOR_BLOCK + k), s.keys + at, s.weights + at);
    }
    add_borders<T>(p, s, line0, lines, first, count);
    BARRIER();
    FOR_LINES(i, lines) doubt_chance(p, s, i, line0 + i, first, count);
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
    BARRIER();
    for (s32 n = 0; n < 2; ++n) mix_border<T>(p, s, n != 0, line0, lines, first, count);
}
