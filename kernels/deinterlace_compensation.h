// Motion compensation: half a vector away, from the lines before and after in time, where checks find that it is sure
// (seed 003:1256-1402).
#pragma once
#include "deinterlace_luma.h"
#include "deinterlace_motion.h"

struct DeinterlaceCompensatedParams {
    DeinterlaceLumaParams luma;
    const s8* x;  // vectors and sums of every line, as deinterlace_motion.h writes them
    const s8* y;
    const u16* sad;
    u32* counts;  // of every missing line and tile: how many of its pixels are compensated; or null
    s32 vectors_pitch_B, sad_pitch_B;
    s32 perfect;      // sums up to this one need no more than the two robustness checks
    s32 tight;        // how far the sum must be below twice the cost of 90 degrees
    s32 consistency;  // difference of the two compensated samples, exclusive
    s32 neighbor;     // how far a sample lies outside the lines above and below, exclusive
    s32 smooth;       // difference of neighbors' vectors, inclusive
    s32 still;        // pairs with an STMM3 up to this one are not compensated
    s32 counts_pitch_B;
    s32 pad_;
};
static_assert(sizeof(DeinterlaceCompensatedParams) == 216, "parameter layout");

enum { COMPENSATED_LINE = ANGLE_LINES * ANGLE_PITCH };

template <typename T> struct CompensationScratch {
    FieldRows<T> own, other;  // the lines of the missing parity; missing line i is row i + 1
    s8 x[3][COMPENSATED_LINE], y[3][COMPENSATED_LINE];  // vectors: of the line, the other field's, the next of its own
    u16 sad[ANGLE_LINES * ANGLE_WIDTH];
    s16 perfect[ANGLE_LINES * ANGLE_WIDTH], likely[ANGLE_LINES * ANGLE_WIDTH];
    u32 vectors[ANGLE_LINES];  // bit v: a pair of the line may be compensated with vector v
    MissingRows<T> value, delta, edge;
    MissingRows<T> taken;  // all bits where the compensated sample takes the place of the spatial one
};

FN s16 within(s16 value, s16 limit) { return (s16)~less(limit, max_of<s16>(value, (s16)-value)); }

// One component of a vector against its three neighbors in the 4x4 block.
FN s16 agrees(s16 here, s16 opposite, s16 own, s16 beside, s16 limit) {
    return (s16)(within((s16)(here + opposite), limit) & within((s16)(here - own), limit) &
                 within((s16)(here - beside), limit));
}

// Phase: which pairs may be compensated: smooth motion, and a small enough sum. Where the picture is still no vector is
// looked up: the blend would take nothing of it, and the longer filters, which are not blended, stand (equation 40).
template <typename T>
FN void judge_pairs(const DeinterlaceCompensatedParams& p, CompensationScratch<T>& s, const AngleCosts& costs,
                    const s8* __restrict__ angles, const u8* __restrict__ stmm, s32 i) {
    const s32 at = i * ANGLE_PITCH + ANGLE_SPARE;
    const s8* __restrict__ x0 = s.x[0] + at;
    const s8* __restrict__ x1 = s.x[1] + at;
    const s8* __restrict__ x2 = s.x[2] + at;
    const s8* __restrict__ y0 = s.y[0] + at;
    const s8* __restrict__ y1 = s.y[1] + at;
    const s8* __restrict__ y2 = s.y[2] + at;
    const u16* __restrict__ v90 = costs.pair[STEEPEST] + at;
    const u16* __restrict__ sads = s.sad + i * ANGLE_WIDTH;
    s16* __restrict__ perfect = s.perfect + i * ANGLE_WIDTH;
    s16* __restrict__ likely = s.likely + i * ANGLE_WIDTH;
    const s16 limit = (s16)p.smooth;
    const s32 most = p.perfect, tight = p.tight;
    const u8 still = (u8)p.still;
    FOR_LINE(k, ANGLE_WIDTH) {
        const s16 left_x = x0[k - 1], right_x = x0[k + 1], left_y = y0[k - 1], right_y = y0[k + 1];
        const s16 odd = (s16)-(k & 1);  // pairs in twos: tiles begin at even ones
        const s16 moving = (s16)(max_of(max_of(stmm[k - 1], stmm[k]), stmm[k + 1]) > still ? -1 : 0);
        const s16 smooth = (s16)(moving & agrees(x0[k], x1[k], x2[k], pick(odd, left_x, right_x), limit) &
                                 agrees(y0[k], y1[k], y2[k], pick(odd, left_y, right_y), limit));
        const s32 sad = sads[k], cost90 = cost_6x3(v90, k);
        const s16 is_perfect = (s16)(sad <= most ? -1 : 0);
        const s16 is_likely = (s16)((sad != 65535) & (angles[k] == 0) & (sad + tight < 2 * cost90) ? -1 : 0);
        perfect[k] = (s16)(smooth & is_perfect);
        likely[k] = (s16)(smooth & is_likely & ~is_perfect);
    }
}

// The vector's place in the order of examination.
FN s32 vector_index(s32 x, s32 y) { return x + (y < 0 ? 1 : (y > 0 ? 14 : (x < 0 ? 9 : 6))); }

// Phase: the vectors of such pairs; most lines have few of them, or none.
template <typename T> FN void look_for_vectors(CompensationScratch<T>& s, s32 i) {
    const s8* x = s.x[0] + i * ANGLE_PITCH + ANGLE_SPARE;
    const s8* y = s.y[0] + i * ANGLE_PITCH + ANGLE_SPARE;
    const s16* perfect = s.perfect + i * ANGLE_WIDTH;
    const s16* likely = s.likely + i * ANGLE_WIDTH;
    FOR_LINE(n, 1) {
        u32 found = 0;
        for (s32 k = 0; k < ANGLE_WIDTH; ++k) found |= (u32)(perfect[k] | likely[k]) & (1u << vector_index(x[k], y[k]));
        s.vectors[i] = found;
    }
}

// Half a vector from an even or odd pixel: the mean of up to four samples, of which some may be the same.
template <typename T> struct HalfVector {
    const T *a, *b, *c, *d;

    FN_MEMBER HalfVector(const FieldRows<T>& rows, s32 row, s32 column, s32 mx, s32 my) {
        const s32 half = mx / 2, side = half + (mx & 1 ? (mx >= 0 ? 1 : -1) : 0);
        const s32 first = row - (my < 0), last = row + (my > 0);
        a = rows.at(first, column + half);
        b = rows.at(first, column + side);
        c = rows.at(last, column + half);
        d = rows.at(last, column + side);
    }
};

template <typename T> FN T mean_of_four(const T* a, const T* b, const T* c, const T* d, s32 k) {
    return (T)((u16)((u16)((u16)(a[k] + b[k]) + (u16)(c[k] + d[k])) + 2) >> 2);
}

// Phase: the compensated samples of one column of all pairs, and how far the two of them are apart.
template <typename T>
FN void compensate_column(const CompensationScratch<T>& s, s32 i, s32 column, T* __restrict__ value, T* __restrict__ delta) {
    const s32 at = i * ANGLE_PITCH + ANGLE_SPARE;
    const s8* __restrict__ x = s.x[0] + at;
    const s8* __restrict__ y = s.y[0] + at;
    FOR_LINE(k, ANGLE_WIDTH) {
        value[k] = 0;
        delta[k] = 0;
    }
    for (s32 v = 0; v < VECTORS; ++v) {
        if (!(s.vectors[i] >> v & 1)) continue;
        const s32 mx = vector_x((s16)v), my = vector_y((s16)v);
        const s8 wanted_x = (s8)mx, wanted_y = (s8)my;
        const HalfVector<T> to(s.other, i + 1, column, mx, my), from(s.own, i + 1, column, -mx, -my);
        const T* __restrict__ ta = to.a;
        const T* __restrict__ tb = to.b;
        const T* __restrict__ tc = to.c;
        const T* __restrict__ td = to.d;
        const T* __restrict__ fa = from.a;
        const T* __restrict__ fb = from.b;
        const T* __restrict__ fc = from.c;
        const T* __restrict__ fd = from.d;
        FOR_LINE(k, ANGLE_WIDTH) {
            const T there = mean_of_four(ta, tb, tc, td, k), here = mean_of_four(fa, fb, fc, fd, k);
            const T mask = (T)((x[k] == wanted_x) & (y[k] == wanted_y) ? ~0 : 0);
            value[k] = pick(mask, there, value[k]);
            delta[k] = pick(mask, difference(there, here), delta[k]);
        }
    }
}

// Phase: how much the picture changes across a missing pixel along its angle.
template <typename T>
FN void edge_column(const FieldRows<T>& field, s32 i, s32 column, const s8* __restrict__ angles, u32 used,
                    T* __restrict__ edge) {
    FOR_LINE(k, ANGLE_WIDTH) edge[k] = 0;
    for (s32 angle = 0; angle < ANGLES; ++angle) {
        const s32 offset = angle_offset(angle);
        if (!has_offset(used, offset)) continue;
        const s8 wanted = (s8)offset;
        const T* __restrict__ above = field.at(i + 1, column - offset);
        const T* __restrict__ below = field.at(i + 2, column + offset);
        FOR_LINE(k, ANGLE_WIDTH) {
            const T mask = (T)(angles[k] == wanted ? ~0 : 0);
            edge[k] = pick(mask, difference(above[k], below[k]), edge[k]);
        }
    }
}

// Phase: the compensated sample in place of the spatial one where both checks and the thresholds allow it.
template <typename T>
FN void merge_column(const DeinterlaceCompensatedParams& p, const s16* __restrict__ perfect, const s16* __restrict__ likely,
                     const T* __restrict__ value, const T* __restrict__ delta, const T* __restrict__ edge,
                     const T* __restrict__ above, const T* __restrict__ below, T* __restrict__ taken,
                     T* __restrict__ result) {
    const T consistency = (T)p.consistency, neighbor = (T)p.neighbor;
    FOR_LINE(k, ANGLE_WIDTH) {
        const bool consistent = (edge[k] > delta[k]) & (delta[k] < consistency);
        const T low = min_of(above[k], below[k]), high = max_of(above[k], below[k]);
        const bool near = difference(value[k], median(value[k], low, high)) < neighbor;
        const T mask = (T)(consistent & ((perfect[k] != 0) | (near & (likely[k] != 0))) ? ~0 : 0);
        taken[k] = mask;
        result[k] = pick(mask, value[k], result[k]);
    }
}

// Phase: how many of the first pixels of a line are compensated.
template <typename T> FN void count_taken(const MissingRows<T>& taken, s32 i, s32 columns, u32* out) {
    const T* even = taken.even + i * ANGLE_WIDTH + 2;
    const T* odd = taken.odd + i * ANGLE_WIDTH + 2;
    FOR_LINE(n, 1) {
        u32 found = 0;
        for (s32 k = 0; k < columns; ++k) found += (k & 1 ? odd[k >> 1] : even[k >> 1]) & 1;
        *out = found;
    }
}

struct Compensated {
    template <typename T> using Scratch = CompensationScratch<T>;
    const DeinterlaceCompensatedParams& p;
    s32 tile_x, tile_y;

    template <typename T>
    FN_MEMBER void load(Scratch<T>& s, const DeinterlaceLumaParams& luma, s32 first, s32 y0, s32 lines) const {
        const s32 total = (luma.width + 1) / 2;
        FOR_LINES(i, lines + 2) {
            const s32 line = line_in_picture(y0 + 2 * i - 2, luma.height), at = i * FIELD_WIDTH;
            const s32 start = first - 2 - FIELD_MARGIN;
            load_pairs(luma.current, line, luma.width, start, FIELD_WIDTH, s.own.even + at, s.own.odd + at);
            load_pairs(luma.reference, line, luma.width, start, FIELD_WIDTH, s.other.even + at, s.other.odd + at);
        }
        FOR_LINES(i, lines) {
            const s32 line = y0 + 2 * i, down = (line & 3) < 2 ? 1 : -1, at = i * ANGLE_PITCH + ANGLE_SPARE - 1;
            for (s32 n = 0; n < 3; ++n) {
                const s64 row = (s64)line_in_picture(line + n * down, luma.height) * p.vectors_pitch_B;
                load_bytes((const u8*)p.x + row, first - 3, total, (u8*)s.x[n] + at, ANGLE_WIDTH + 2);
                load_bytes((const u8*)p.y + row, first - 3, total, (u8*)s.y[n] + at, ANGLE_WIDTH + 2);
            }
            const u16* __restrict__ in = (const u16*)((const u8*)p.sad + (s64)line * p.sad_pitch_B);
            u16* __restrict__ out = s.sad + i * ANGLE_WIDTH;
            const s32 left = max_of(2 - first, 0), right = min_of<s32>(ANGLE_WIDTH, total - first + 2);
            FOR_LINE(k, left) out[k] = 65535;
            FOR_LINE(k, right - left) out[left + k] = in[first - 2 + left + k];
            FOR_LINE(k, ANGLE_WIDTH - right) out[right + k] = 65535;
        }
    }

    template <typename T>
    FN_MEMBER void apply(Scratch<T>& s, const DeinterlaceLumaParams& luma, const FieldRows<T>& field,
                         const AngleCosts& costs, const s8* angles, const u32* used, const u8* stmm,
                         MissingRows<T>& result, s32 lines) const {
        FOR_LINES(i, lines)
            judge_pairs(p, s, costs, angles + i * ANGLE_PITCH, stmm + i * ANGLE_PITCH + ANGLE_SPARE, i);
        BARRIER();
        FOR_LINES(i, lines) look_for_vectors(s, i);
        BARRIER();
        FOR_LINES(i, lines) {
            const s32 at = i * ANGLE_WIDTH;
            const s8* line_angles = angles + i * ANGLE_PITCH;
            if (!s.vectors[i]) continue;
            compensate_column(s, i, 0, s.value.even + at, s.delta.even + at);
            compensate_column(s, i, 1, s.value.odd + at, s.delta.odd + at);
            edge_column(field, i, 0, line_angles, used[i], s.edge.even + at);
            edge_column(field, i, 1, line_angles, used[i], s.edge.odd + at);
        }
        BARRIER();
        FOR_LINES(i, lines) {
            const s32 at = i * ANGLE_WIDTH;
            if (!s.vectors[i]) continue;
            merge_column(p, s.perfect + at, s.likely + at, s.value.even + at, s.delta.even + at, s.edge.even + at,
                         field.at(i + 1, 0), field.at(i + 2, 0), s.taken.even + at, result.even + at);
            merge_column(p, s.perfect + at, s.likely + at, s.value.odd + at, s.delta.odd + at, s.edge.odd + at,
                         field.at(i + 1, 1), field.at(i + 2, 1), s.taken.odd + at, result.odd + at);
        }
        BARRIER();
        if (p.counts == nullptr) return;
        const s32 columns = min_of<s32>(2 * ANGLE_PAIRS, luma.width - 2 * tile_x * ANGLE_PAIRS);
        FOR_LINES(i, lines) {
            u32* row = (u32*)((u8*)p.counts + (s64)(tile_y * ANGLE_LINES + i) * p.counts_pitch_B);
            count_taken(s.taken, i, s.vectors[i] ? columns : 0, row + tile_x);
        }
    }
};

template <typename T> FN void deinterlace_compensated_tile(const DeinterlaceCompensatedParams& p, s32 tile_x, s32 tile_y) {
    luma_tile<T>(p.luma, Compensated{p, tile_x, tile_y}, tile_x, tile_y);
}
