// Lines of fields, and what is asked of their samples: shared by deinterlacing, denoising, film and scene cuts.
#pragma once
#include "samples.h"

// Where a component's samples are; constants of the picture are with the kernels' parameters.
struct FieldSamples {
    const void* data;
    s32 pitch_B, step, shift, max;
};
static_assert(sizeof(FieldSamples) == 24, "parameter layout");

// Where they go: element_of() them into every `step`th element.
struct FieldTarget {
    void* data;
    s32 pitch_B, step, shift, pad_;
};
static_assert(sizeof(FieldTarget) == 24, "parameter layout");

// A line beyond the picture is the nearest one of its own field, if the field has lines at all.
FN s32 line_in_picture(s32 line, s32 height) {
    const s32 last = height - 1 - ((height - 1 - line) & 1);
    return clamp_to(line < 0 ? line & 1 : (line >= height ? last : line), 0, height - 1);
}

template <typename T> FN const T* row_of(const FieldSamples& s, s32 line) {
    return (const T*)((const u8*)s.data + (s64)line * s.pitch_B);
}
template <typename T> FN T* row_of(const FieldTarget& s, s32 line) { return (T*)((u8*)s.data + (s64)line * s.pitch_B); }

// Asks for what the next tile of a row of tiles reads: its lines are too short for a CPU to see them coming.
template <typename T> FN void prefetch_line(const T* at, s32 count) {
    for (s32 x = 0; x < count; x += 64 / (s32)sizeof(T)) PREFETCH(at + x);
}

// Samples first .. first + count - 1 of a line, 0 beyond the picture.
template <typename T>
FN void load_or_zero(const FieldSamples& s, s32 line, s32 width, s32 first, T* __restrict__ out, s32 count) {
    const s32 inside = min_of(count, width - first), step = s.step, shift = s.shift, max = s.max;
    const T* __restrict__ in = row_of<T>(s, line) + (s64)first * step;
    if (step == 1) {
        prefetch_line(in + count, count);
        FOR_LINE(x, inside) out[x] = sample_of(in[x], shift, max);
    } else {
        load_spaced(in, step, shift, max, out, inside);
    }
    FOR_LINE(x, count - inside) out[inside + x] = 0;
}

template <typename T> FN T difference(T a, T b) { return (T)(max_of(a, b) - min_of(a, b)); }
template <typename T> FN T average(T a, T b) { return (T)((u16)((u16)(a + b) + 1) >> 1); }
template <typename T> FN T median(T a, T b, T c) { return max_of(min_of(a, b), min_of(max_of(a, b), c)); }

FN u16 sum_of_five(const u16* at) { return (u16)(at[0] + at[1] + at[2] + at[3] + at[4]); }

template <typename C> FN C less(C a, C b) { return (C)(a < b ? ~0 : 0); }
template <typename C> FN C pick(C mask, C yes, C no) { return (C)(no ^ ((no ^ yes) & mask)); }
