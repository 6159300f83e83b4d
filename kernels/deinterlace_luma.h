// One field's luma as a whole frame: kept lines copied, missing ones interpolated along their angle and blended with
// the mean of the lines before and after in time (seed 003:1138-1140, 1211-1224).
#pragma once
#include "deinterlace_bytes.h"

struct DeinterlaceLumaParams {
    FieldSamples current, reference;  // without a reference the result is spatial only
    FieldTarget target;
    const u8* stmm;  // of every line; not used without a reference
    s8* angles;      // offsets, one row per missing line, or null
    s32 stmm_pitch_B, angles_pitch_B;
    s32 width, height;
    s32 parity;  // of the field: 0 top
    AngleLimits limits;
    s32 stmm_min, stmm_shift;
    s32 pad_;
};
static_assert(sizeof(DeinterlaceLumaParams) == 144, "parameter layout");

// Whether samples are bytes in a row, if they are bytes.
FN bool is_of_bytes(const DeinterlaceLumaParams& p) {
    return p.current.step == 1 && p.target.step == 1 && (!p.reference.data || p.reference.step == 1);
}

// Missing lines of one tile.
template <typename T> struct MissingRows {
    T even[ANGLE_LINES * ANGLE_WIDTH], odd[ANGLE_LINES * ANGLE_WIDTH];
};

// Phase: the median of neighbors' angles.
FN void settle_angles(const s8* __restrict__ decided, s8* __restrict__ angles) {
    FOR_LINE(k, ANGLE_WIDTH) angles[k] = median(decided[k - 1], decided[k], decided[k + 1]);
}

// Bit n of a set of offsets is offset n - 5.
FN bool has_offset(u32 offsets, s32 offset) { return offsets >> (offset + 5) & 1; }

// Phase: which offsets there are in a line; most lines have few.
FN void collect_offsets(const s8* angles, u32* out) {
    FOR_LINE(n, 1) {
        u32 found = 0;
        for (s32 k = 0; k < ANGLE_WIDTH; ++k) found |= 1u << (angles[k] + 5);
        *out = found;
    }
}

// Phase: means along the angles.
template <typename T>
FN void interpolate_line(const FieldRows<T>& field, s32 i, const s8* __restrict__ angles, u32 used, T* __restrict__ even,
                         T* __restrict__ odd) {
    const T* __restrict__ e0 = field.at(i + 1, 0);
    const T* __restrict__ o0 = field.at(i + 1, 1);
    const T* __restrict__ e1 = field.at(i + 2, 0);
    const T* __restrict__ o1 = field.at(i + 2, 1);
    FOR_LINE(k, ANGLE_WIDTH) {
        even[k] = average(e0[k], e1[k]);
        odd[k] = average(o0[k], o1[k]);
    }
    for (s32 angle = 0; angle < ANGLES; ++angle) {
        const s32 offset = angle_offset(angle);
        if (angle == STEEPEST || !has_offset(used, offset)) continue;
        const s8 wanted = (s8)offset;
        const T* __restrict__ above0 = field.at(i + 1, -offset);
        const T* __restrict__ below0 = field.at(i + 2, offset);
        const T* __restrict__ above1 = field.at(i + 1, 1 - offset);
        const T* __restrict__ below1 = field.at(i + 2, 1 + offset);
        FOR_LINE(k, ANGLE_WIDTH) {
            const T mask = (T)(angles[k] == wanted ? ~0 : 0);
            even[k] = pick(mask, average(above0[k], below0[k]), even[k]);
            odd[k] = pick(mask, average(above1[k], below1[k]), odd[k]);
        }
    }
}

// Phase: the blend with the mean in time.
template <typename T>
FN void blend_line(const DeinterlaceLumaParams& p, const u8* __restrict__ stmm, const T* __restrict__ even0,
                   const T* __restrict__ odd0, const T* __restrict__ even1, const T* __restrict__ odd1,
                   T* __restrict__ even, T* __restrict__ odd) {
    const s32 low = p.stmm_min, shift = p.stmm_shift, whole = 1 << shift;
    FOR_LINE(k, ANGLE_WIDTH) {
        const s16 weight = spatial_weight(stmm[k - 1], stmm[k], stmm[k + 1], low, whole);
        even[k] = blend(weight, even[k], average(even0[k], even1[k]), shift);
        odd[k] = blend(weight, odd[k], average(odd0[k], odd1[k]), shift);
    }
}

// What is done to the spatial result before the blend: nothing.
struct NoCompensation {
    template <typename T> struct Scratch {};
    template <typename T> FN_MEMBER void load(Scratch<T>&, const DeinterlaceLumaParams&, s32, s32, s32) const {}
    template <typename T>
    FN_MEMBER void apply(Scratch<T>&, const DeinterlaceLumaParams&, const FieldRows<T>&, const AngleCosts&, const s8*,
                         const u32*, const u8*, MissingRows<T>&, s32) const {}
};

struct AngleSearch {
    AngleCosts costs;
    FineDetail detail;
    s8 decided[ANGLE_LINES * ANGLE_PITCH], angles[ANGLE_LINES * ANGLE_PITCH];
    u32 used[ANGLE_LINES];
};

#if HAS_BYTE_PAIRS
FN void find_in_bytes(const DeinterlaceLumaParams& p, AngleSearch& s, s32 first, s32 pairs, s32 total, s32 y0, s32 lines) {
    SHARED FieldBytes field;
    SHARED ByteAngles found;
    u32 wanted[ANGLE_LINES];
    for (s32 i = 0; i < lines; ++i) wanted[i] = ALL_STRIPS;
    field.load(p.current, p.width, p.height, first - 2, y0, lines);
    if (p.limits.ours)
        find_byte_angles<true>(p.limits, field, found, wanted, first, pairs, total, lines, s.angles);
    else
        find_byte_angles<false>(p.limits, field, found, wanted, first, pairs, total, lines, s.angles);
    for (s32 i = 0; i < lines; ++i) {
        s.used[i] = 0;
        for (s32 strip = 0; strip < STRIPS; ++strip) s.used[i] |= found.used[i * STRIPS + strip];
    }
}
#endif

// Phases: costs and detail, decisions, the sides of the picture, medians, sets of offsets.
template <typename T>
FN void find_angles(const DeinterlaceLumaParams& p, const FieldRows<T>& field, AngleSearch& s, s32 first, s32 pairs, s32 total,
                    s32 y0, s32 lines) {
    const AngleLimits& limits = p.limits;
#if HAS_BYTE_PAIRS
    if (sizeof(T) == 1 && p.current.step == 1) {
        find_in_bytes(p, s, first, pairs, total, y0, lines);
        for (s32 i = 0; i < lines + 2; ++i) angle_costs(field, s.costs, STEEPEST, i);  // for motion compensation
        return;
    }
#endif
    pair_costs(field, s.costs, lines + 2);
    measure_detail(field, s.detail, lines + 1);
    BARRIER();
    FOR_LINES(i, lines) {
        s8* row = s.decided + i * ANGLE_PITCH + ANGLE_SPARE;
        if (limits.ours)
            decide_line<typename CostType<T>::type, true>(limits, s.costs, s.detail, i, row);
        else
            decide_line<typename CostType<T>::type, false>(limits, s.costs, s.detail, i, row);
        FOR_LINE(k, 2) row[k * (ANGLE_WIDTH + 1) - 1] = 0;
    }
    BARRIER();
    FOR_LINES(i, lines) {  // the sides of the picture repeat
        s8* row = s.decided + i * ANGLE_PITCH + ANGLE_SPARE;
        FOR_LINE(k, 1) {
            if (first == 0) row[1] = row[2];
            if (first + pairs == total) row[pairs + 2] = row[pairs + 1];
        }
    }
    BARRIER();
    FOR_LINES(i, lines)
        settle_angles(s.decided + i * ANGLE_PITCH + ANGLE_SPARE, s.angles + i * ANGLE_PITCH);
    BARRIER();
    FOR_LINES(i, lines) collect_offsets(s.angles + i * ANGLE_PITCH, s.used + i);
}

template <typename T, typename Compensation>
FN void luma_tile(const DeinterlaceLumaParams& p, const Compensation& compensation, s32 tile_x, s32 tile_y) {
    SHARED FieldRows<T> field;
    SHARED AngleSearch search;
    SHARED u8 stmm[ANGLE_LINES * ANGLE_PITCH];
    SHARED MissingRows<T> result, before, after;
    SHARED typename Compensation::template Scratch<T> scratch;
    const s32 total = (p.width + 1) / 2;
    const s32 first = tile_x * ANGLE_PAIRS, pairs = min_of<s32>(ANGLE_PAIRS, total - first);
    const s32 line0 = tile_y * ANGLE_LINES, y0 = 2 * line0 + 1 - p.parity;
    const s32 lines = clamp_to((p.height - y0 + 1) >> 1, 0, (s32)ANGLE_LINES);
    const bool temporal = p.reference.data != nullptr;
    FOR_LINES(i, lines + 3) {
        const s32 line = line_in_picture(y0 + 2 * i - 3, p.height);
        load_pairs(p.current, line, p.width, first - 2 - FIELD_MARGIN, FIELD_WIDTH, field.even + i * FIELD_WIDTH,
                   field.odd + i * FIELD_WIDTH);
    }
    FOR_LINES(i, ANGLE_LINES) {
        const s32 line = 2 * (line0 + i) + p.parity;
        if (line < p.height)
            copy_samples<T>(p.current, p.current.step, p.target, p.target.step, line, 2 * first,
                            min_of(2 * pairs, p.width - 2 * first));
    }
    if (temporal) {
        FOR_LINES(i, lines) {
            const s32 line = y0 + 2 * i, at = i * ANGLE_WIDTH;
            load_pairs(p.current, line, p.width, first - 2, ANGLE_WIDTH, before.even + at, before.odd + at);
            load_pairs(p.reference, line, p.width, first - 2, ANGLE_WIDTH, after.even + at, after.odd + at);
            load_bytes(p.stmm + (s64)line * p.stmm_pitch_B, first - 3, total, stmm + i * ANGLE_PITCH + ANGLE_SPARE - 1,
                       ANGLE_WIDTH + 2);
        }
    }
    compensation.template load<T>(scratch, p, first, y0, lines);
    BARRIER();
    find_angles(p, field, search, first, pairs, total, y0, lines);
    BARRIER();
    FOR_LINES(i, lines) {
        const s32 at = i * ANGLE_WIDTH;
        interpolate_line(field, i, search.angles + i * ANGLE_PITCH, search.used[i], result.even + at, result.odd + at);
    }
    BARRIER();
    compensation.template apply<T>(scratch, p, field, search.costs, search.angles, search.used, stmm, result, lines);
    if (temporal) {
        FOR_LINES(i, lines) {
            const s32 at = i * ANGLE_WIDTH;
            blend_line(p, stmm + i * ANGLE_PITCH + ANGLE_SPARE, before.even + at, before.odd + at, after.even + at,
                       after.odd + at, result.even + at, result.odd + at);
        }
    }
    BARRIER();
    FOR_LINES(i, lines) {
        const s32 at = i * ANGLE_WIDTH + 2;
        store_pairs(p.target, y0 + 2 * i, p.width, first, pairs, result.even + at, result.odd + at);
        if (p.angles) {
            s8* __restrict__ out = p.angles + (s64)(line0 + i) * p.angles_pitch_B + first;
            const s8* __restrict__ in = search.angles + i * ANGLE_PITCH + 2;
            FOR_LINE(k, pairs) out[k] = in[k];
        }
    }
}
