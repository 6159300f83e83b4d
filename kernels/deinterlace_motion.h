// Motion search: for every pair of pixels of every line, the one of 16 vectors with the smallest sum of absolute
// differences over 6x5 pixels (seed 003:1236-1254), and whether that is small enough to be used (1404-1431).
//
// As in deinterlace_stmm.h a line belongs to the frame whose field lacks it; its vector leads to the other frame.
#pragma once
#include "deinterlace_stmm.h"

enum { MOTION_WIDTH = ON_DEVICE(128, 32), MOTION_PAIRS = MOTION_WIDTH - 2, MOTION_LINES = ON_DEVICE(16, 8) };
enum { MOTION_MARGIN = 4, MOTION_PITCH = MOTION_WIDTH + 2 * MOTION_MARGIN, MOTION_ROWS = MOTION_LINES + 9 };
enum { MOTION_SPARE = 8, MOTION_SUM_PITCH = MOTION_WIDTH + 2 * MOTION_SPARE, VECTORS = 16 };
enum { MOTION_SUMS = MOTION_LINES / 2 + 2 };

struct DeinterlaceMotionParams {
    FieldSamples frames[2];  // by the parity of the line: the frame whose field lacks it, and the other one
    s8* x;                   // vectors in half a frame's time twice: whole pixels from frame to frame
    s8* y;
    u16* sad;  // smallest sum, or 65535 if it is not small
    s32 vectors_pitch_B, sad_pitch_B;
    s32 width, height;
    s32 slope, limit_a, limit_b;  // content-adaptive threshold
    s32 perfect;                  // a sum up to this one is small wherever it is
    s32 scale;                    // bits over 8
    s32 tile_lines;               // lines that a tile searches, at most MOTION_LINES
    s32 tile_distance;            // lines from one row of tiles to the next, even
    s32 pad_;
};
static_assert(sizeof(DeinterlaceMotionParams) == 120, "parameter layout");

// Vectors in the order they are examined: three up, ten across, three down.
FN s16 vector_x(s16 i) {
    const s16 up = less<s16>(i, 3), left = less<s16>(i, 8), across = less<s16>(i, 13);  // a mask is -1
    return (s16)(i - 14 - 8 * across + 3 * left - 8 * up);
}
FN s16 vector_y(s16 i) { return (s16)(2 + 2 * less<s16>(i, 13) + 2 * less<s16>(i, 3)); }

template <typename T> struct MotionRows {
    T even[MOTION_ROWS * MOTION_PITCH], odd[MOTION_ROWS * MOTION_PITCH];

    FN_MEMBER const T* at(s32 row, s32 offset) const {
        return ((offset & 1) ? odd : even) + row * MOTION_PITCH + MOTION_MARGIN + (offset >> 1);
    }
};

// Phase: how far a row and the next one are from those of the other frame a vector away, per pair: of the first of the
// two rows, and of both.
template <typename T>
FN void add_differences(const MotionRows<T>& c, const MotionRows<T>& r, s32 row, s32 mx, s32 my, u16* __restrict__ one,
                        u16* __restrict__ two) {
    const T* __restrict__ c0 = c.at(row, 0);
    const T* __restrict__ c1 = c.at(row, 1);
    const T* __restrict__ c2 = c.at(row + 1, 0);
    const T* __restrict__ c3 = c.at(row + 1, 1);
    const T* __restrict__ r0 = r.at(row + my, mx);
    const T* __restrict__ r1 = r.at(row + my, mx + 1);
    const T* __restrict__ r2 = r.at(row + 1 + my, mx);
    const T* __restrict__ r3 = r.at(row + 1 + my, mx + 1);
    FOR_LINE(k, MOTION_WIDTH) {
        const u16 first = (u16)(difference(c0[k], r0[k]) + difference(c1[k], r1[k]));
        const u16 second = (u16)(difference(c2[k], r2[k]) + difference(c3[k], r3[k]));
        one[k] = first;
        two[k] = (u16)(first + second);
    }
}

// Phase: the best vector so far of one line. Of equal sums the later vector is kept.
FN void keep_better(const u16* __restrict__ sums, s16 index, s16* __restrict__ best, s16* __restrict__ which) {
    FOR_LINE(k, MOTION_WIDTH) {
        const s16 old = best[k], kept = which[k];
        const s16 sad = (s16)((u16)(sums[k - 1] + sums[k]) + sums[k + 1]);
        best[k] = min_of(old, sad);
        which[k] = pick(less(old, sad), kept, index);
    }
}

// Phase: what is written of one line.
template <typename T>
FN void judge_line(const DeinterlaceMotionParams& p, const MotionRows<T>& c, s32 row, const s16* __restrict__ best,
                   const s16* __restrict__ which, s8* __restrict__ x, s8* __restrict__ y, u16* __restrict__ sads) {
    const T* __restrict__ e0 = c.at(row - 2, 0);
    const T* __restrict__ e1 = c.at(row - 1, 0);
    const T* __restrict__ e2 = c.at(row, 0);
    const T* __restrict__ e3 = c.at(row + 1, 0);
    const T* __restrict__ e4 = c.at(row + 2, 0);
    const T* __restrict__ o0 = c.at(row - 2, 1);
    const T* __restrict__ o1 = c.at(row - 1, 1);
    const T* __restrict__ o2 = c.at(row, 1);
    const T* __restrict__ o3 = c.at(row + 1, 1);
    const T* __restrict__ o4 = c.at(row + 2, 1);
    const s32 a = p.limit_a, b = p.limit_b, low = p.slope * a, perfect = p.perfect, scale = p.scale;
    const float slope = (float)p.slope;
    FOR_LINE(k, MOTION_WIDTH) {
        const s32 sad = best[k];
        const u16 middle = (u16)(inside(e1, o1, k) + inside(e2, o2, k) + inside(e3, o3, k));
        const u16 sides = (u16)(beside(e1, o1, k) + beside(e2, o2, k) + beside(e3, o3, k));
        const u16 vertical = (u16)(between(e0, e2, o0, o2, k) + between(e1, e3, o1, o3, k) + between(e2, e4, o2, o4, k));
        const s32 scm = (u16)(middle + sides + vertical) >> scale;
        const s32 steps = min_of((s32)((float)scm / slope), b);  // integers below 2^24: exact
        const s32 limit = pick<s32>(less<s32>(scm, low), a, steps) * (30 << scale);
        sads[k] = (u16)(sad < max_of(limit, perfect + 1) ? sad : 65535);
    }
    FOR_LINE(k, MOTION_WIDTH) {
        const s16 index = which[k];
        x[k] = (s8)vector_x(index);
        y[k] = (s8)vector_y(index);
    }
}

template <typename T> FN void deinterlace_motion_tile(const DeinterlaceMotionParams& p, s32 tile_x, s32 tile_y) {
    SHARED MotionRows<T> frames[2];
    SHARED u16 one[2][MOTION_SUMS * MOTION_WIDTH], two[2][MOTION_SUMS * MOTION_WIDTH];
    SHARED u16 sums[MOTION_LINES * MOTION_SUM_PITCH], sads[MOTION_LINES * MOTION_WIDTH];
    SHARED s16 best[MOTION_LINES * MOTION_WIDTH], which[MOTION_LINES * MOTION_WIDTH];
    SHARED s8 x[MOTION_LINES * MOTION_WIDTH], y[MOTION_LINES * MOTION_WIDTH];
    const s32 total = (p.width + 1) / 2;
    const s32 first = tile_x * MOTION_PAIRS, pairs = min_of<s32>(MOTION_PAIRS, total - first);
    const s32 y0 = tile_y * p.tile_distance, lines = min_of<s32>(p.tile_lines, p.height - y0);
    FOR_LINES(i, lines + 9) {
        const s32 line = line_in_picture(y0 + i - 4, p.height);
        for (int from = 0; from < 2; ++from)
            load_pairs(p.frames[from], line, p.width, first - 1 - MOTION_MARGIN, MOTION_PITCH,
                       frames[from].even + i * MOTION_PITCH, frames[from].odd + i * MOTION_PITCH);
    }
    FOR_LINES(i, lines) {
        s16 *__restrict__ start = best + i * MOTION_WIDTH, *__restrict__ none = which + i * MOTION_WIDTH;
        FOR_LINE(k, MOTION_WIDTH) {
            start[k] = 32767;
            none[k] = 0;
        }
    }
    BARRIER();
    for (s32 v = 0; v < VECTORS; ++v) {
        const s32 mx = vector_x((s16)v), my = vector_y((s16)v);
        FOR_LINES(i, lines + 4) {  // the windows of a parity's lines begin at rows of that parity
            const s32 from = i & 1, at = (i >> 1) * MOTION_WIDTH;
            add_differences(frames[from], frames[1 - from], i + 2, mx, my, one[from] + at, two[from] + at);
        }
        BARRIER();
        FOR_LINES(i, lines) {
            const s32 at = (i >> 1) * MOTION_WIDTH;
            const u16* __restrict__ above = two[i & 1] + at;
            const u16* __restrict__ middle = above + MOTION_WIDTH;
            const u16* __restrict__ below = one[i & 1] + at + 2 * MOTION_WIDTH;
            u16* __restrict__ out = sums + i * MOTION_SUM_PITCH + MOTION_SPARE;
            FOR_LINE(k, MOTION_WIDTH) out[k] = (u16)((u16)(above[k] + middle[k]) + below[k]);
            FOR_LINE(k, 2) out[k * (MOTION_WIDTH + 1) - 1] = 0;
        }
        BARRIER();
        FOR_LINES(i, lines)
            keep_better(sums + i * MOTION_SUM_PITCH + MOTION_SPARE, (s16)v, best + i * MOTION_WIDTH,
                        which + i * MOTION_WIDTH);
    }
    BARRIER();
    FOR_LINES(i, lines) {
        const s32 at = i * MOTION_WIDTH;
        judge_line(p, frames[(y0 + i) & 1], i + 4, best + at, which + at, x + at, y + at, sads + at);
    }
    BARRIER();
    FOR_LINES(i, lines) {
        const s32 at = i * MOTION_WIDTH + 1;
        const s64 line = y0 + i;
        s8* __restrict__ out_x = p.x + line * p.vectors_pitch_B + first;
        s8* __restrict__ out_y = p.y + line * p.vectors_pitch_B + first;
        u16* __restrict__ out_sad = (u16*)((u8*)p.sad + line * p.sad_pitch_B) + first;
        FOR_LINE(q, pairs) {
            out_x[q] = x[at + q];
            out_y[q] = y[at + q];
            out_sad[q] = sads[at + q];
        }
    }
}
