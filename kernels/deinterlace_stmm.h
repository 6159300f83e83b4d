// The spatial-temporal motion measure of every pair of pixels of every line (seed 003:986-1043).
//
// A line is missing from one of the two fields that are deinterlaced together; its complexity is measured in the frame
// of that field. The temporal difference of the two frames is the same for both, but where the current frame is denoised
// in the same call: of a block of 4 lines the measure sees 9 lines denoised, and those before and behind as they came.
#pragma once
#include "deinterlace.h"

// A tile writes STMM_PAIRS pairs and computes STMM_WIDTH of them, one more on either side, so that every vector loop has
// a constant length. Element k of a row is pair k - 1 of the tile; rows of samples begin and end with two more.
enum { STMM_WIDTH = ON_DEVICE(128, 32), STMM_PAIRS = STMM_WIDTH - 2, STMM_LINES = ON_DEVICE(32, 8) };
enum { STMM_MARGIN = 2, STMM_PITCH = STMM_WIDTH + 2 * STMM_MARGIN, STMM_ROWS = STMM_LINES + 8 };

struct DeinterlaceStmmParams {
    FieldSamples frames[2];  // by the parity of the line: the frame whose field lacks it, and the other one
    const u8* stored;        // STMM of the frame before
    u8* stmm;
    s32 stored_pitch_B, stmm_pitch_B;
    s32 width, height;
    s32 first_line, line_step;  // all lines, or those of one parity
    s32 tdm_shift1, tdm_shift2, scm_shift, c2;
    s32 vecm_multiplier;
    s32 large_threshold, large_weight, small_weight;  // of the old STMM, in 1/256
    FieldSamples noisy;                               // the current frame before denoising
    s32 noisy_parity;                                 // of the lines that its first field lacks
    s32 pad_;
};
static_assert(sizeof(DeinterlaceStmmParams) == 152, "parameter layout");

template <typename T> struct PairRows {
    T even[STMM_ROWS * STMM_PITCH], odd[STMM_ROWS * STMM_PITCH];
};

// Weighted cross of one column: sides are the columns beside it.
template <typename T> FN u16 cross(T here, T left, T right, T above, T below) {
    return (u16)((u16)((u16)(2 * here + left) + (u16)(right + 2 * above) + (u16)(2 * below)) >> 3);
}

// Phase: difference of the cross-filtered frames, then its sums over the four columns around a pair. `far` has the
// line of c that lies farther from the block of the measured line than row i does: above rows 0 and 1 of four, and below
// rows 2 and 3.
template <typename T>
FN void temporal_rows(const PairRows<T>& c, const PairRows<T>& far, const PairRows<T>& r, PairRows<T>& differences,
                      s32 rows) {
    FOR_LINES(i, rows) {
        const s32 here = (i + 2) * STMM_PITCH, above = i * STMM_PITCH, below = (i + 4) * STMM_PITCH;
        const PairRows<T>& over = (i & 2) ? c : far;
        const PairRows<T>& under = (i & 2) ? far : c;
        const T* __restrict__ ce = c.even + here + STMM_MARGIN;
        const T* __restrict__ co = c.odd + here + STMM_MARGIN;
        const T* __restrict__ re = r.even + here + STMM_MARGIN;
        const T* __restrict__ ro = r.odd + here + STMM_MARGIN;
        const T* __restrict__ ceu = over.even + above + STMM_MARGIN;
        const T* __restrict__ cou = over.odd + above + STMM_MARGIN;
        const T* __restrict__ reu = r.even + above + STMM_MARGIN;
        const T* __restrict__ rou = r.odd + above + STMM_MARGIN;
        const T* __restrict__ ced = under.even + below + STMM_MARGIN;
        const T* __restrict__ cod = under.odd + below + STMM_MARGIN;
        const T* __restrict__ red = r.even + below + STMM_MARGIN;
        const T* __restrict__ rod = r.odd + below + STMM_MARGIN;
        T* __restrict__ even = differences.even + i * STMM_PITCH + STMM_MARGIN;
        T* __restrict__ odd = differences.odd + i * STMM_PITCH + STMM_MARGIN;
        FOR_LINE(q, STMM_WIDTH) {
            even[q] = (T)difference(cross(ce[q], co[q - 1], co[q], ceu[q], ced[q]),
                                    cross(re[q], ro[q - 1], ro[q], reu[q], red[q]));
            odd[q] = (T)difference(cross(co[q], ce[q], ce[q + 1], cou[q], cod[q]),
                                   cross(ro[q], re[q], re[q + 1], rou[q], rod[q]));
        }
        FOR_LINE(k, 2) {
            even[k * (STMM_WIDTH + 1) - 1] = 0;
            odd[k * (STMM_WIDTH + 1) - 1] = 0;
        }
    }
}

template <typename T> FN void sum_temporal(const PairRows<T>& differences, u16* sums, s32 rows) {
    FOR_LINES(i, rows) {
        const T* __restrict__ even = differences.even + i * STMM_PITCH + STMM_MARGIN;
        const T* __restrict__ odd = differences.odd + i * STMM_PITCH + STMM_MARGIN;
        u16* __restrict__ out = sums + i * STMM_WIDTH;
        FOR_LINE(q, STMM_WIDTH) out[q] = (u16)((u16)(odd[q - 1] + even[q]) + (u16)(odd[q] + even[q + 1]));
    }
}

// Differences of one line that the complexity measures add up: across the pair, and across its sides too.
template <typename T> FN u16 inside(const T* even, const T* odd, s32 q) { return difference(even[q], odd[q]); }
template <typename T> FN u16 beside(const T* even, const T* odd, s32 q) {
    return (u16)(difference(odd[q - 1], even[q]) + difference(odd[q], even[q + 1]));
}
template <typename T> FN u16 between(const T* a, const T* b, const T* c, const T* d, s32 q) {
    return (u16)(difference(a[q], b[q]) + difference(c[q], d[q]));
}

// Phase: complexity, STMM, and its exponential moving average. Line i of the tile has row i + 4 of the frames.
template <typename T>
FN void measure_line(const DeinterlaceStmmParams& p, const PairRows<T>& c, const u16* __restrict__ t0,
                     const u16* __restrict__ t1, const u16* __restrict__ t4, s32 i, const u8* __restrict__ stored,
                     u8* __restrict__ out) {
    const T* __restrict__ e0 = c.even + (i + 2) * STMM_PITCH + STMM_MARGIN;
    const T* __restrict__ e1 = e0 + STMM_PITCH;
    const T* __restrict__ e2 = e1 + STMM_PITCH;
    const T* __restrict__ e3 = e2 + STMM_PITCH;
    const T* __restrict__ e4 = e3 + STMM_PITCH;
    const T* __restrict__ o0 = c.odd + (i + 2) * STMM_PITCH + STMM_MARGIN;
    const T* __restrict__ o1 = o0 + STMM_PITCH;
    const T* __restrict__ o2 = o1 + STMM_PITCH;
    const T* __restrict__ o3 = o2 + STMM_PITCH;
    const T* __restrict__ o4 = o3 + STMM_PITCH;
    const s32 shift1 = p.tdm_shift1, shift2 = p.tdm_shift2, scm_shift = p.scm_shift, c2 = p.c2;
    const s32 multiplier = p.vecm_multiplier, threshold = p.large_threshold;
    const s32 large = p.large_weight, small = p.small_weight;
    FOR_LINE(q, STMM_WIDTH) {
        const s32 before = stored[q];
        const u16 middle = (u16)(inside(e1, o1, q) + inside(e2, o2, q) + inside(e3, o3, q));
        const u16 sides = (u16)(beside(e1, o1, q) + beside(e2, o2, q) + beside(e3, o3, q));
        const u16 edge = (u16)(middle + inside(e0, o0, q) + inside(e4, o4, q));
        const u16 vertical = (u16)(between(e0, e2, o0, o2, q) + between(e1, e3, o1, o3, q) + between(e2, e4, o2, o4, q));
        const u16 tdm = (u16)(t0[q] + t1[q] + t1[q + STMM_WIDTH] + t1[q + 2 * STMM_WIDTH] + t4[q]);
        const s32 horizontal = (u16)(middle + sides), vecm = ((s32)edge * multiplier) >> 5;
        const s32 scm = max_of<s32>(0, vertical + horizontal - vecm);
        const s32 dividend = (tdm >> shift1) << shift2, divisor = (scm >> scm_shift) + c2;
        // Both are integers below 2^24: the rounded quotient reaches the next integer only above 255.
        const s32 stmm = min_of((s32)((float)dividend / (float)divisor), 255);
        const s32 weight = stmm > threshold ? large : small;
        out[q] = (u8)((weight * before + (256 - weight) * stmm) >> 8);
    }
}

// What a tile needs beyond that where the current frame is denoised in the same call.
template <typename T, bool NOISY> struct FarLines {};
template <typename T> struct FarLines<T, true> {
    PairRows<T> noisy;
    u16 sums[STMM_ROWS * STMM_WIDTH];
};

template <typename T, bool NOISY> FN void deinterlace_stmm_tile(const DeinterlaceStmmParams& p, s32 tile_x, s32 tile_y) {
    SHARED PairRows<T> frames[2];
    SHARED PairRows<T> differences;
    SHARED u16 sums[STMM_ROWS * STMM_WIDTH];
    SHARED u8 stored[STMM_LINES * STMM_WIDTH], made[STMM_LINES * STMM_WIDTH];
    SHARED FarLines<T, NOISY> far;
    const s32 total = (p.width + 1) / 2;
    const s32 first = tile_x * STMM_PAIRS, pairs = min_of<s32>(STMM_PAIRS, total - first);
    const s32 y0 = tile_y * STMM_LINES, lines = min_of<s32>(STMM_LINES, p.height - y0);
    const s32 skip = (p.first_line - y0) & (p.line_step - 1), step = p.line_step;
    const s32 measured = (lines - skip + step - 1) / step;
    FOR_LINES(i, lines + 8) {
        const s32 line = line_in_picture(y0 + i - 4, p.height);
        for (int which = 0; which < 2; ++which)
            load_pairs(p.frames[which], line, p.width, first - 1 - STMM_MARGIN, STMM_PITCH,
                       frames[which].even + i * STMM_PITCH, frames[which].odd + i * STMM_PITCH);
        if constexpr (NOISY)
            load_pairs(p.noisy, line, p.width, first - 1 - STMM_MARGIN, STMM_PITCH, far.noisy.even + i * STMM_PITCH,
                       far.noisy.odd + i * STMM_PITCH);
    }
    FOR_LINES(i, measured) {
        const u8* row = p.stored + (s64)(y0 + skip + i * step) * p.stored_pitch_B;
        load_bytes(row, first - 1, total, stored + i * STMM_WIDTH, STMM_WIDTH);
    }
    BARRIER();
    temporal_rows(frames[0], frames[0], frames[1], differences, lines + 4);
    BARRIER();
    sum_temporal(differences, sums, lines + 4);
    BARRIER();
    if constexpr (NOISY) {
        temporal_rows(frames[p.noisy_parity], far.noisy, frames[1 - p.noisy_parity], differences, lines + 4);
        BARRIER();
        sum_temporal(differences, far.sums, lines + 4);
        BARRIER();
    }
    FOR_LINES(i, measured) {
        const s32 line = skip + i * step, at = i * STMM_WIDTH;
        const u16 *top = sums, *bottom = sums;
        if constexpr (NOISY) {
            if ((line & 1) == p.noisy_parity) (line & 2 ? bottom : top) = far.sums;  // tiles begin at multiples of 4 lines
        }
        measure_line(p, frames[(y0 + line) & 1], top + line * STMM_WIDTH, sums + (line + 1) * STMM_WIDTH,
                     bottom + (line + 4) * STMM_WIDTH, line, stored + at, made + at);
    }
    BARRIER();
    FOR_LINES(i, measured) {
        const u8* __restrict__ in = made + i * STMM_WIDTH + 1;
        u8* __restrict__ out = p.stmm + (s64)(y0 + skip + i * step) * p.stmm_pitch_B + first;
        FOR_LINE_OF(out, q, pairs) out[q] = in[q];
    }
}
