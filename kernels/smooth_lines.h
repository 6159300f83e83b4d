// Lines that a field's own tell better than anything else (texsamp's own, docs/deinterlace-hq.md (79)): in blocks whose
// own lines follow from those around them, what was made may be no farther from what follows than they are.
#pragma once
#include "field_vectors.h"
#include "magnitude.h"
#include "portable_pairs.h"

enum { SMOOTH_WIDTH = ON_DEVICE(256, 64), SMOOTH_ROWS = ON_DEVICE(4, 2) };  // of a tile: samples, and rows of blocks
enum { SMOOTH_BLOCKS = SMOOTH_WIDTH / VECTOR_BLOCK, SMOOTH_COST = 64 };
enum { SMOOTH_NOISE = 16, SMOOTH_NOISY = 1024 };  // noise costs about 10 a step; what moves all over seems to be noise, too
enum { SMOOTH_LIMIT = 8, SMOOTH_MOST = 3456 };  // of a sample that was made, and of sums of own lines

// Of a block: how far what was made of its missing lines, and how far the field's lines of the same numbers, are from the means
// of the field's lines above and below. What was made counts up to a limit: lines that only the other fields have are far away.
// And how soft it is: fourth differences of lines, and what was made, are less than what lines above and below differ by.
struct SmoothSums {
    u16 made, own;
    s32 soft;
};
// Sums of the columns of a row of blocks, and of three rows of blocks.
struct SmoothColumns {
    u16 made[SMOOTH_WIDTH], own[SMOOTH_WIDTH];
    s32 soft[SMOOTH_WIDTH];
};
struct SmoothTotals {
    s32 made[SMOOTH_BLOCKS + 2], own[SMOOTH_BLOCKS + 2], soft[SMOOTH_BLOCKS + 2];
};
enum { SOFT_APART = 4, SOFT_FOURTH = 3, SOFT_MADE = 4 };

struct SmoothParams {
    const void* field;   // the guide at full depth: the first sample that is in the picture
    FieldTarget target;  // holds what has been made of the field
    const s8 *x, *y;     // vectors of the blocks
    const u16* cost;
    const u32* noise;  // of the pair of fields, about 29 steps per level of standard deviation; or null
    SmoothSums* sums;
    s32 guide_pitch_B, pitch_B, cost_pitch_B, sums_pitch_B;
    s32 width, height;
    s32 parity;  // of the field: 0 top
    s32 scale;   // bits of samples beyond 8
    s32 max;     // of samples
    s32 pad_;
};
static_assert(sizeof(SmoothParams) == 112, "parameter layout");

FN s32 smooth_missing(const SmoothParams& p) { return (p.height + p.parity) >> 1; }
FN s32 smooth_last_row(const SmoothParams& p) { return (smooth_missing(p) - 1) / VECTOR_LINES; }

FN SmoothSums* smooth_sums(const SmoothParams& p, s32 row) { return (SmoothSums*)((u8*)p.sums + (s64)row * p.sums_pitch_B); }

// Whether a block may be made anew: it moves, beyond what noise alone would cost.
FN bool smooth_asked(const SmoothParams& p, s32 row, s32 column) {
    if (row < 0 || row > smooth_last_row(p)) return false;
    const s64 at = (s64)row * p.pitch_B + column;
    const u16* costs = (const u16*)((const u8*)p.cost + (s64)row * p.cost_pitch_B);
    const u32 noise = p.noise == nullptr ? 0 : *p.noise;
    return (p.x[at] | p.y[at]) != 0 || costs[column] > SMOOTH_COST + min_of<u32>(SMOOTH_NOISE * noise, SMOOTH_NOISY);
}

// Whether a block of those from `begin` to `end`, or one around them, is asked.
FN bool smooth_asked_about(const SmoothParams& p, s32 row, s32 begin, s32 end) {
    const s32 last = (p.width - 1) / VECTOR_BLOCK;
    for (s32 j = row - 1; j <= row + 1; ++j)
        for (s32 i = max_of(begin - 1, 0); i <= min_of(end, last); ++i)
            if (smooth_asked(p, j, i)) return true;
    return false;
}

// What follows from two samples above and two below.
template <typename T> FN T smooth_between(T far_above, T above, T below, T far_below, s16 max) {
    const s16 near = (s16)average(above, below), apart = (s16)(near - (s16)average(far_above, far_below));
    const s16 change = (s16)((s16)(magnitude_of(apart) + 4) >> 3);
    return (T)clamp_to<s16>((s16)(near + (apart < 0 ? (s16)-change : change)), 0, max);
}

// Phase: the sums of the columns of a row of blocks.
template <typename T> FN void smooth_columns(const SmoothParams& p, s32 row, s32 first, s32 count, SmoothColumns& sums) {
    const s64 pitch = p.guide_pitch_B / (s64)sizeof(T);
    const s32 begin = row * VECTOR_LINES, end = min_of(begin + VECTOR_LINES, smooth_missing(p)), step = p.target.step;
    const s32 shift = p.target.shift;
    const T limit = (T)(SMOOTH_LIMIT << p.scale);
    FOR_LINE(k, count) sums.made[k] = sums.own[k] = 0, sums.soft[k] = 0;
    for (s32 line = begin; line < end; ++line) {
        const T* __restrict__ own = (const T*)p.field + line * pitch + first;
        const T* __restrict__ above = own - p.parity * pitch;
        const T* __restrict__ out = row_of<T>(p.target, 2 * line + 1 - p.parity) + (s64)first * step;
        FOR_LINE(k, count) {
            const T up = own[k - pitch], down = own[k + pitch];
            sums.own[k] = (u16)(sums.own[k] + difference(own[k], average(up, down)));
            const s32 fourth = own[k - 2 * pitch] + own[k + 2 * pitch] + 6 * own[k] - 4 * (up + down);
            sums.soft[k] += SOFT_APART * difference(above[k], above[k + pitch]) - SOFT_FOURTH * magnitude_of(fourth);
        }
        if (step == 1) {
            FOR_LINE(k, count) {
                const T far = difference(sample_of(out[k], shift, (T)p.max), average(above[k], above[k + pitch]));
                sums.made[k] = (u16)(sums.made[k] + min_of(far, limit));
                sums.soft[k] -= SOFT_MADE * far;
            }
        } else {
            FOR_LINE(k, count) {
                const T far = difference(sample_of(out[(s64)k * step], shift, (T)p.max), average(above[k], above[k + pitch]));
                sums.made[k] = (u16)(sums.made[k] + min_of(far, limit));
                sums.soft[k] -= SOFT_MADE * far;
            }
        }
    }
}

template <typename T> FN void plain_smooth_sums(const SmoothParams& p, s32 row0, s32 rows, s32 first, s32 count) {
    SHARED SmoothColumns s[SMOOTH_ROWS];
    const s32 blocks = (count + VECTOR_BLOCK - 1) / VECTOR_BLOCK;
    FOR_LINES(i, rows) smooth_columns<T>(p, row0 + i, first, count, s[i]);
    BARRIER();
    FOR_ITEMS(n, rows * blocks) {
        const s32 i = n / blocks, block = n % blocks, end = min_of((block + 1) * VECTOR_BLOCK, count);
        s32 made = 0, own = 0, soft = 0;
        for (s32 k = block * VECTOR_BLOCK; k < end; ++k) {
            made += s[i].made[k];
            own += s[i].own[k];
            soft += s[i].soft[k];
        }
        smooth_sums(p, row0 + i)[first / VECTOR_BLOCK + block] = {(u16)made, (u16)own, soft};
    }
}

#if HAS_BYTE_PAIRS
FN void smooth_sums_of_bytes(const SmoothParams& p, s32 row, s32 first, s32 count) {
    enum { STRIP_BLOCKS = LANE_BYTES / VECTOR_BLOCK };
    const s64 pitch = p.guide_pitch_B;
    const s32 begin = row * VECTOR_LINES, end = min_of(begin + VECTOR_LINES, smooth_missing(p));
    for (s32 line = begin; line < end; ++line) {
        prefetch_line((const u8*)p.field + (line + 2) * pitch + first + SMOOTH_WIDTH, SMOOTH_WIDTH);
        prefetch_line(row_of<u8>(p.target, 2 * line + 1 - p.parity) + first + SMOOTH_WIDTH, SMOOTH_WIDTH);
    }
    for (s32 x = 0; x < count; x += LANE_BYTES) {
        const s32 inside = count - x;
        StripSums made = no_strip_sums(), own = made, apart = made, farther = made;
        PairHalves rough = {every_word(0), every_word(0)};
        for (s32 line = begin; line < end; ++line) {
            const u8* at = (const u8*)p.field + line * pitch + first + x;
            const u8* out = row_of<u8>(p.target, 2 * line + 1 - p.parity) + first + x;
            const u8* above = at - p.parity * pitch;
            const auto line_at = [&](const u8* samples) { return first_bytes(bytes_at(samples), inside); };
            const BytePairs upper = line_at(above), lower = line_at(above + pitch), here = line_at(at);
            const BytePairs up = line_at(at - pitch), down = line_at(at + pitch);
            const BytePairs far = difference(bytes_at(out, inside), average(upper, lower));
            add_differences(made, min_of(far, every_byte(SMOOTH_LIMIT)), every_byte(0));
            add_differences(farther, far, every_byte(0));
            add_differences(own, here, average(up, down));
            add_differences(apart, upper, lower);
            const PairHalves even = weighted_halves(line_at(at - 2 * pitch), line_at(at + 2 * pitch), 1, 1);
            rough = rough + size_of(even + weighted_halves(here, here, 3, 3) - weighted_halves(up, down, 4, 4));
        }
        s32 fourths[LANE_BYTES / 8], unused[LANE_BYTES / 8];
        store_sums_of_eights(fourths, unused, rough, rough, every_word(1));
        u16 mades[STRIP_BLOCKS], owns[STRIP_BLOCKS], aparts[STRIP_BLOCKS], fars[STRIP_BLOCKS];
        store_totals(mades, made);
        store_totals(owns, own);
        store_totals(aparts, apart);
        store_totals(fars, farther);
        SmoothSums* sums = smooth_sums(p, row) + (first + x) / VECTOR_BLOCK;
        for (s32 n = 0; n < STRIP_BLOCKS && n * VECTOR_BLOCK < inside; ++n) {
            const s32 fourth = fourths[2 * n] + fourths[2 * n + 1];
            sums[n] = {mades[n], owns[n], SOFT_APART * aparts[n] - SOFT_FOURTH * fourth - SOFT_MADE * fars[n]};
        }
    }
}
#endif

template <typename T> FN void smooth_sums_tile(const SmoothParams& p, s32 tile_x, s32 tile_y) {
    const s32 first = tile_x * SMOOTH_WIDTH, count = min_of<s32>(SMOOTH_WIDTH, p.width - first);
    const s32 row0 = tile_y * SMOOTH_ROWS, rows = min_of<s32>(SMOOTH_ROWS, smooth_last_row(p) + 1 - row0);
    const s32 begin = first / VECTOR_BLOCK, end = (first + count + VECTOR_BLOCK - 1) / VECTOR_BLOCK;
#if HAS_BYTE_PAIRS
    if (sizeof(T) == 1 && p.target.step == 1) {
        for (s32 i = 0; i < rows; ++i)
            if (smooth_asked_about(p, row0 + i, begin, end)) smooth_sums_of_bytes(p, row0 + i, first, count);
        return;
    }
#endif
    (void)begin, (void)end;
    plain_smooth_sums<T>(p, row0, rows, first, count);
}

// Phase: of a row of blocks whether each is made anew, by its sums and those of the blocks around it.
FN void take_smooth(const SmoothParams& p, s32 row, s32 first, s32 blocks, const SmoothTotals& s, u8* taken) {
    FOR_LINE(n, blocks) {
        const auto about = [&](const s32* sums) { return sums[n] + sums[n + 1] + sums[n + 2]; };
        const s32 own = about(s.own);
        const bool told = 4 * about(s.made) > 3 * own && own < SMOOTH_MOST << p.scale;
        taken[n] = (told || about(s.soft) > 0) && smooth_asked(p, row, first + n);
    }
}

// Phase: the sums of a column of three blocks, from the column before the first one on; of those beyond the picture 0.
FN void smooth_column_sums(const SmoothParams& p, s32 row, s32 first, s32 columns, SmoothTotals& s) {
    const s32 all = (p.width + VECTOR_BLOCK - 1) / VECTOR_BLOCK, begin = first == 0, end = min_of(columns, all + 1 - first);
    const s32 has_above = row > 0, has_below = row < smooth_last_row(p);
    const SmoothSums* __restrict__ above = smooth_sums(p, row - has_above) + first - 1;
    const SmoothSums* __restrict__ here = smooth_sums(p, row) + first - 1;
    const SmoothSums* __restrict__ below = smooth_sums(p, row + has_below) + first - 1;
    FOR_LINE(k, end - begin) {
        const s32 n = begin + k;
        s.made[n] = has_above * above[n].made + here[n].made + has_below * below[n].made;
        s.own[n] = has_above * above[n].own + here[n].own + has_below * below[n].own;
        s.soft[n] = has_above * above[n].soft + here[n].soft + has_below * below[n].soft;
    }
    FOR_LINE(n, begin) s.made[n] = s.own[n] = s.soft[n] = 0;
    FOR_LINE(k, columns - end) s.made[end + k] = s.own[end + k] = s.soft[end + k] = 0;
}

#if HAS_BYTE_PAIRS
// smooth_between() of strips, of which `above` and `below` are the nearest ones.
FN BytePairs smooth_bytes(const u8* above, const u8* below, s64 pitch) {
    const BytePairs near = average(bytes_at(above), bytes_at(below));
    const BytePairs far = average(bytes_at(above - pitch), bytes_at(below + pitch));
    return excess(limited_sum(near, rounded_eighth(excess(near, far))), rounded_eighth(excess(far, near)));
}

FN void smooth_block(const SmoothParams& p, const u8* above, u8* out, s32 samples) {
    for (s32 k = 0; k < samples; k += LANE_BYTES)
        store_within(out, k, 0, samples, smooth_bytes(above + k, above + k + p.guide_pitch_B, p.guide_pitch_B));
}
#endif

// A line of some samples of a block.
template <typename T> FN void smooth_samples(const SmoothParams& p, const T* __restrict__ above, T* __restrict__ out, s32 samples) {
    const s64 pitch = p.guide_pitch_B / (s64)sizeof(T);
    const s32 step = p.target.step, shift = p.target.shift;
    FOR_LINE(k, samples) {
        const T sample = smooth_between(above[k - pitch], above[k], above[k + pitch], above[k + 2 * pitch], (s16)p.max);
        out[(s64)k * step] = element_of(sample, shift);
    }
}

template <typename T> FN void smooth_lines_tile(const SmoothParams& p, s32 tile_x, s32 tile_y) {
    SHARED SmoothTotals s[SMOOTH_ROWS];
    SHARED u8 taken[SMOOTH_ROWS * SMOOTH_BLOCKS];
    const s32 first = tile_x * SMOOTH_WIDTH, count = min_of<s32>(SMOOTH_WIDTH, p.width - first);
    const s32 row0 = tile_y * SMOOTH_ROWS, rows = min_of<s32>(SMOOTH_ROWS, smooth_last_row(p) + 1 - row0);
    const s32 blocks = (count + VECTOR_BLOCK - 1) / VECTOR_BLOCK, block0 = first / VECTOR_BLOCK, step = p.target.step;
    FOR_LINES(i, rows) smooth_column_sums(p, row0 + i, block0, blocks + 2, s[i]);
    BARRIER();
    FOR_LINES(i, rows) take_smooth(p, row0 + i, block0, blocks, s[i], taken + i * SMOOTH_BLOCKS);
    BARRIER();
    const s64 pitch = p.guide_pitch_B / (s64)sizeof(T);
    // The picture's first and last line have one line of the field beside them: (72) knows more of these.
    const s32 line0 = max_of<s32>(row0 * VECTOR_LINES, p.parity), end_line = (p.height + p.parity - 1) >> 1;
    FOR_LINES(i, rows * VECTOR_LINES) {
        const s32 line = row0 * VECTOR_LINES + i;
        if (line < line0 || line >= end_line) continue;
        const u8* is_taken = taken + i / VECTOR_LINES * SMOOTH_BLOCKS;
        for (s32 block = 0; block < blocks; ++block) {
            if (!is_taken[block]) continue;
            s32 end = block + 1;
            while (end < blocks && is_taken[end]) ++end;
            const s32 x = first + block * VECTOR_BLOCK, samples = min_of(end * VECTOR_BLOCK, count) - block * VECTOR_BLOCK;
            const T* above = (const T*)p.field + (line - p.parity) * pitch + x;
            T* out = row_of<T>(p.target, 2 * line + 1 - p.parity) + (s64)x * step;
#if HAS_BYTE_PAIRS
            if constexpr (sizeof(T) == 1) {
                if (step == 1) smooth_block(p, above, out, samples);
                else smooth_samples(p, above, out, samples);
            } else {
                smooth_samples(p, above, out, samples);
            }
#else
            smooth_samples(p, above, out, samples);
#endif
            block = end;
        }
    }
}
