// One field's chroma as a whole frame. Vertically halved chroma (4:2:0) is doubled in time and space, which makes the
// lines of the field, and of a progressive 4:2:0 picture (seed 003:1142-1174); chroma of every line (4:2:2) follows the luma's angle with
// three directions and falls back to 90 degrees where the picture is still (1183-1207).
#pragma once
#include "deinterlace.h"

enum { CHROMA_WIDTH = ON_DEVICE(256, 64), CHROMA_LINES = 8, CHROMA_PITCH = CHROMA_WIDTH + 8 };

struct DeinterlaceChromaParams {
    FieldSamples current, reference;  // without a reference the result is spatial only
    FieldTarget target;
    const u8* stmm;    // of every line of luma
    const s8* angles;  // of every missing line of luma, or null: 90 degrees
    s32 stmm_pitch_B, angles_pitch_B;
    s32 width, height;
    s32 luma_height;
    s32 parity;      // of the field: 0 top
    s32 halved;      // log2 of luma lines per chroma line
    s32 components;  // 1: one component; 2: two, interleaved
    s32 stmm_min, stmm_shift;
};
static_assert(sizeof(DeinterlaceChromaParams) == 128, "parameter layout");

// Samples first - 1 .. first + count of a line, of one component; the sides of the picture repeat.
template <typename T>
FN void load_chroma(const FieldSamples& s, s32 component, s32 line, s32 width, s32 first, T* __restrict__ out, s32 count) {
    const T* __restrict__ in = row_of<T>(s, line) + component;
    const T* __restrict__ inside = in + (s64)first * s.step;
    const s32 step = s.step, shift = s.shift, max = s.max;
    if (step == 1) {
        FOR_LINE(x, count) out[x + 1] = sample_of(inside[x], shift, max);
    } else {
        load_spaced(inside, step, shift, max, out + 1, count);
    }
    FOR_LINE(x, 1) {
        out[0] = sample_of(in[(s64)max_of(first - 1, 0) * step], shift, max);
        out[count + 1] = sample_of(in[(s64)min_of(first + count, width - 1) * step], shift, max);
    }
}

template <typename T> struct ChromaLines {
    T above[CHROMA_LINES * CHROMA_PITCH], below[CHROMA_LINES * CHROMA_PITCH];
    T before[CHROMA_LINES * CHROMA_PITCH], after[CHROMA_LINES * CHROMA_PITCH];
    T result[CHROMA_LINES * CHROMA_PITCH];
};

// Phase: the spatial result, and its blend with the mean in time. Element 1 of a line is the tile's first sample.
template <typename T, bool ANGLED, bool TEMPORAL>
FN void chroma_line(const DeinterlaceChromaParams& p, ChromaLines<T>& lines, s32 i, const s8* __restrict__ angles,
                    const u8* __restrict__ stmm, s32 count) {
    const T* __restrict__ above = lines.above + i * CHROMA_PITCH + 1;
    const T* __restrict__ below = lines.below + i * CHROMA_PITCH + 1;
    const T* __restrict__ before = lines.before + i * CHROMA_PITCH + 1;
    const T* __restrict__ after = lines.after + i * CHROMA_PITCH + 1;
    T* __restrict__ result = lines.result + i * CHROMA_PITCH + 1;
    const s32 low = p.stmm_min, shift = p.stmm_shift, whole = 1 << shift;
    FOR_LINE(x, count) {
        const T at90 = average(above[x], below[x]);
        T spatial = at90;
        if constexpr (ANGLED) {
            const T right = average(above[x - 1], below[x + 1]), left = average(above[x + 1], below[x - 1]);
            const s8 angle = angles[x];
            const T at27 = angle > 0 ? right : left;
            const T at45 = average(at90, at27);
            const s8 size = max_of<s8>(angle, (s8)-angle);
            spatial = size > 1 ? at27 : (size == 1 ? at45 : at90);
        }
        if constexpr (TEMPORAL) {
            const s16 weight = spatial_weight(stmm[x], stmm[x + 1], stmm[x + 2], low, whole);
            const T settled = blend(weight, spatial, at90, shift);
            spatial = blend(weight, settled, average(before[x], after[x]), shift);
        }
        result[x] = spatial;
    }
}

template <typename T> FN void deinterlace_chroma_tile(const DeinterlaceChromaParams& p, s32 tile_x, s32 tile_y) {
    SHARED ChromaLines<T> rows[2];
    SHARED u8 stmm[CHROMA_LINES * CHROMA_PITCH];
    SHARED s8 angles[CHROMA_LINES * CHROMA_PITCH];
    const s32 first = tile_x * CHROMA_WIDTH, count = min_of<s32>(CHROMA_WIDTH, p.width - first);
    const s32 line0 = tile_y * CHROMA_LINES, y0 = 2 * line0 + 1 - p.parity;
    const s32 lines = clamp_to((p.height - y0 + 1) >> 1, 0, (s32)CHROMA_LINES);
    const s32 components = p.components;
    const bool temporal = p.reference.data != nullptr, angled = p.angles != nullptr;
    FOR_LINES(i, CHROMA_LINES) {
        const s32 line = 2 * (line0 + i) + p.parity;
        if (line < p.height) {
            if (components == 2)
                copy_samples<T>(p.current, 1, p.target, 1, line, 2 * first, 2 * count);
            else
                copy_samples<T>(p.current, p.current.step, p.target, p.target.step, line, first, count);
        }
    }
    FOR_LINES(i, lines) {
        const s32 line = y0 + 2 * i, at = i * CHROMA_PITCH;
        const s32 above = line_in_picture(line - 1, p.height), below = line_in_picture(line + 1, p.height);
        for (s32 k = 0; k < components; ++k) {
            load_chroma(p.current, k, above, p.width, first, rows[k].above + at, count);
            load_chroma(p.current, k, below, p.width, first, rows[k].below + at, count);
            if (temporal) {
                load_chroma(p.current, k, line, p.width, first, rows[k].before + at, count);
                load_chroma(p.reference, k, line, p.width, first, rows[k].after + at, count);
            }
        }
        if (temporal) {
            const s32 luma = line_in_picture(p.halved ? 2 * line + 1 - p.parity : line, p.luma_height);
            load_bytes(p.stmm + (s64)luma * p.stmm_pitch_B, first - 1, p.width, stmm + at, count + 2);
        }
        if (angled) {
            const s8* __restrict__ in = p.angles + (s64)(line0 + i) * p.angles_pitch_B + first;
            s8* __restrict__ out = angles + at;
            FOR_LINE(x, count) out[x] = in[x];
        }
    }
    BARRIER();
    FOR_LINES(i, lines) {
        const s32 at = i * CHROMA_PITCH;
        for (s32 k = 0; k < components; ++k) {
            if (angled && temporal)
                chroma_line<T, true, true>(p, rows[k], i, angles + at, stmm + at, count);
            else if (angled)
                chroma_line<T, true, false>(p, rows[k], i, angles + at, stmm + at, count);
            else if (temporal)
                chroma_line<T, false, true>(p, rows[k], i, angles + at, stmm + at, count);
            else
                chroma_line<T, false, false>(p, rows[k], i, angles + at, stmm + at, count);
        }
    }
    BARRIER();
    FOR_LINES(i, lines) {
        const s32 at = i * CHROMA_PITCH + 1, shift = p.target.shift, step = p.target.step;
        const T* __restrict__ a = rows[0].result + at;
        const T* __restrict__ b = rows[1].result + at;
        T* __restrict__ out = row_of<T>(p.target, y0 + 2 * i);
        if (components == 2) {
            T* __restrict__ both = out + 2 * (s64)first;
            FOR_LINE(x, count) {
                both[2 * x] = element_of(a[x], shift);
                both[2 * x + 1] = element_of(b[x], shift);
            }
        } else if (step == 1) {
            T* __restrict__ one = out + first;
            FOR_LINE(x, count) one[x] = element_of(a[x], shift);
        } else {
            FOR_LINE(x, count) out[(s64)(first + x) * step] = element_of(a[x], shift);
        }
    }
}
