// The lines a field lacks, from the fields beside it, where these are known to be of the same picture or still
// (texsamp's own, docs/deinterlace-hq.md (50), (51)); elsewhere what is there stays.
#pragma once
#include "deinterlace_match.h"

enum { WEAVE_LINES = ON_DEVICE(8, 4) };  // missing lines of a tile
enum { WEAVE_SPARE = 8, WEAVE_PITCH = MATCH_WIDTH + 2 * WEAVE_SPARE };
enum { WEAVE_STILL = 8 };  // what changes near a still sample, over 5x3 of them, where there is no detail
enum { WEAVE_CALM = 8 };    // beside something calm

struct DeinterlaceWeaveParams {
    FieldSamples current, reference;
    FieldTarget target;
    const u8* verdict;
    const u32* noise;
    s32 pitch_B;
    s32 width, height;
    s32 parity;            // of the field: 0 top
    s32 across, down;      // log2 of luma samples per sample
    s32 scale;             // bits of samples beyond 8
    s32 pad_;
};
static_assert(sizeof(DeinterlaceWeaveParams) == 120, "parameter layout");

// Samples first - 2 .. first + inside + 1 of a line into elements WEAVE_SPARE - 2 ..; the sides of the picture repeat.
template <typename T>
FN void load_around(const FieldSamples& s, s32 line, s32 width, s32 first, s32 inside, T* __restrict__ out) {
    const s32 step = s.step, shift = s.shift, max = s.max;
    const T* __restrict__ in = row_of<T>(s, line);
    const T* __restrict__ begin = in + (s64)first * step;
    T* __restrict__ to = out + WEAVE_SPARE;
    if (step == 1) {
        prefetch_line(begin + inside, inside);
        FOR_LINE(x, inside) to[x] = sample_of(begin[x], shift, max);
    } else {
        FOR_LINE(x, inside) to[x] = sample_of(begin[(s64)x * step], shift, max);
    }
    FOR_LINE(x, 2) {
        to[x - 2] = sample_of(in[(s64)max_of(first + x - 2, 0) * step], shift, max);
        to[inside + x] = sample_of(in[(s64)min_of(first + inside + x, width - 1) * step], shift, max);
    }
}

template <typename T> struct WeaveRows {
    T own[(WEAVE_LINES + 2) * WEAVE_PITCH], other[(WEAVE_LINES + 2) * WEAVE_PITCH];
    T field[(WEAVE_LINES + 3) * WEAVE_PITCH], beyond[(WEAVE_LINES + 3) * WEAVE_PITCH];
    T change[(WEAVE_LINES + 2) * WEAVE_PITCH], detail[(WEAVE_LINES + 2) * WEAVE_PITCH];
    u16 changes[WEAVE_LINES * WEAVE_PITCH], details[WEAVE_LINES * WEAVE_PITCH];  // of three lines
    u8 verdict[WEAVE_LINES * MATCH_WIDTH];
    u8 agree[WEAVE_LINES * MATCH_WIDTH];  // verdicts by which they stand
};

// Phase: how far a sample of a missing line, or those above and below it, change between the two frames, and how far it
// is from the mean of those two.
template <typename T> FN void find_changes(WeaveRows<T>& s, s32 i, s32 count) {
    const T* __restrict__ a = s.own + i * WEAVE_PITCH;
    const T* __restrict__ b = s.other + i * WEAVE_PITCH;
    const T* __restrict__ up = s.field + i * WEAVE_PITCH;
    const T* __restrict__ far_up = s.beyond + i * WEAVE_PITCH;
    const T* __restrict__ down = up + WEAVE_PITCH;
    const T* __restrict__ far_down = far_up + WEAVE_PITCH;
    T* __restrict__ out = s.change + i * WEAVE_PITCH;
    T* __restrict__ detail = s.detail + i * WEAVE_PITCH;
    FOR_LINE(n, count + 4) {
        const s32 k = n + WEAVE_SPARE - 2;
        out[k] = max_of(difference(a[k], b[k]), max_of(difference(up[k], far_up[k]), difference(down[k], far_down[k])));
        detail[k] = difference(average(a[k], b[k]), average(up[k], down[k]));
    }
}

// Phase: that of three lines.
template <typename T> FN void add_three(const T* __restrict__ rows, s32 count, u16* __restrict__ out) {
    const T* __restrict__ next = rows + WEAVE_PITCH;
    const T* __restrict__ last = next + WEAVE_PITCH;
    FOR_LINE(n, count + 4) {
        const s32 k = n + WEAVE_SPARE - 2;
        out[k] = (u16)((u16)(rows[k] + next[k]) + last[k]);
    }
}

// An element of a missing line, of samples before and after: by what is said of its block and by how it agrees.
template <typename T> FN T woven_element(T a, T b, u8 verdict, u8 agree, T made, s32 shift) {
    const T still = (T)(agree & verdict ? ~0 : 0), other = (T)(verdict & VERDICT_REFERENCE ? ~0 : 0);
    const T known = (T)((verdict & (VERDICT_OWN | VERDICT_REFERENCE)) | (agree & verdict) ? ~0 : 0);
    return pick(known, element_of(pick(still, average(a, b), pick(other, b, a)), shift), made);
}

// Phase: a line, of the lines of the frame it is in and of the other one.
template <typename T>
FN void weave_line(const DeinterlaceWeaveParams& p, WeaveRows<T>& s, s32 i, s32 first, s32 count, T* __restrict__ out) {
    const T* __restrict__ a = s.own + (i + 1) * WEAVE_PITCH + WEAVE_SPARE;
    const T* __restrict__ b = s.other + (i + 1) * WEAVE_PITCH + WEAVE_SPARE;
    const u16* __restrict__ changes = s.changes + i * WEAVE_PITCH + WEAVE_SPARE - 2;
    const u16* __restrict__ details = s.details + i * WEAVE_PITCH + WEAVE_SPARE - 2;
    const u8* __restrict__ verdict = s.verdict + i * MATCH_WIDTH;
    const s32 step = p.target.step, shift = p.target.shift;
    const u16 most = (u16)((WEAVE_STILL + *p.noise) << p.scale), calm = (u16)(WEAVE_CALM << p.scale);
    u8* __restrict__ agree = s.agree + i * MATCH_WIDTH;
    FOR_LINE(k, count) {
        const u16 sum = sum_of_five(changes + k), detail = sum_of_five(details + k);
        agree[k] = (u8)((u16)(less<u16>(sum, (u16)(most + (detail >> 2))) & VERDICT_STILL) |
                        (u16)(less<u16>(sum, calm) & VERDICT_CALM));
    }
    T* __restrict__ to = out + (s64)first * step;
    if (step == 1) {
        FOR_LINE(k, count) to[k] = woven_element(a[k], b[k], verdict[k], agree[k], to[k], shift);
    } else {
        FOR_LINE(k, count) to[(s64)k * step] = woven_element(a[k], b[k], verdict[k], agree[k], to[(s64)k * step], shift);
    }
}

// Of a tile's columns those from the first to the last block of which anything is woven or may be still.
struct KnownColumns {
    s32 begin, end;
};

FN void add_known_columns(const DeinterlaceWeaveParams& p, s32 line, s32 first, s32 count, KnownColumns& known) {
    const u8* said = p.verdict + (s64)((line << p.down) / (2 * MATCH_LINES)) * p.pitch_B;
    s32 block = (first << p.across) / MATCH_BLOCK, last = ((first + count - 1) << p.across) / MATCH_BLOCK;
    while (block <= last && said[block] == 0) ++block;
    while (last > block && said[last] == 0) --last;
    if (block > last) return;
    known.begin = min_of<s32>(known.begin, block * MATCH_BLOCK >> p.across);
    known.end = max_of<s32>(known.end, (last + 1) * MATCH_BLOCK >> p.across);
}

template <typename T> FN void plain_weave_tile(const DeinterlaceWeaveParams& p, s32 tile_x, s32 tile_y) {
    SHARED WeaveRows<T> s;
    const s32 left = tile_x * MATCH_WIDTH, right = min_of(left + MATCH_WIDTH, p.width);
    const s32 y0 = 2 * WEAVE_LINES * tile_y + 1 - p.parity;
    const s32 lines = clamp_to((p.height - y0 + 1) >> 1, 0, (s32)WEAVE_LINES);
    KnownColumns known = {right, left};
    for (s32 i = 0; i < lines; ++i) add_known_columns(p, y0 + 2 * i, left, right - left, known);
    const s32 first = known.begin, count = min_of(known.end, right) - first;
    if (count <= 0) return;
    if (p.target.step == 1) {
        for (s32 i = 0; i < lines; ++i) prefetch_line(row_of<T>(p.target, y0 + 2 * i) + first, count);
    }
    FOR_LINES(i, lines + 2) {
        const s32 line = line_in_picture(y0 + 2 * i - 2, p.height), at = i * WEAVE_PITCH;
        load_around(p.current, line, p.width, first, count, s.own + at);
        load_around(p.reference, line, p.width, first, count, s.other + at);
    }
    FOR_LINES(i, lines + 3) {
        const s32 line = line_in_picture(y0 + 2 * i - 3, p.height), at = i * WEAVE_PITCH;
        load_around(p.current, line, p.width, first, count, s.field + at);
        load_around(p.reference, line, p.width, first, count, s.beyond + at);
    }
    FOR_LINES(i, lines) {
        const s64 row = ((y0 + 2 * i) << p.down) / (2 * MATCH_LINES);
        const u8* __restrict__ in = p.verdict + row * p.pitch_B;
        u8* __restrict__ out = s.verdict + i * MATCH_WIDTH;
        FOR_LINE(n, (count + 3) / 4) {
            const u8 said = in[((u32)(first + 4 * n) << p.across) / MATCH_BLOCK];
            UNROLL for (s32 k = 0; k < 4; ++k) out[4 * n + k] = said;
        }
    }
    BARRIER();
    FOR_LINES(i, lines + 2) find_changes(s, i, count);
    BARRIER();
    FOR_LINES(i, lines) {
        add_three(s.change + i * WEAVE_PITCH, count, s.changes + i * WEAVE_PITCH);
        add_three(s.detail + i * WEAVE_PITCH, count, s.details + i * WEAVE_PITCH);
    }
    BARRIER();
    FOR_LINES(i, lines) weave_line(p, s, i, first, count, row_of<T>(p.target, y0 + 2 * i));
}
