// Samples in the elements of a plane.
#pragma once
#include "portable_lines.h"

// Those of one component, and where what becomes of them goes.
struct SamplePlane {
    const void* src;
    void* dst;
    s32 src_pitch_B, dst_pitch_B;
    s32 src_step, dst_step;    // elements from one sample to the next in a row
    s32 src_shift, dst_shift;  // bits below the sample in its element
    s32 src_max;               // largest source sample
    s32 pad_;
};
static_assert(sizeof(SamplePlane) == 48, "parameter layout");

// Samples of 8 bits fill their elements; larger ones may sit above some bits, or below garbage.
FN u8 sample_of(u8 element, s32, s32) { return element; }
FN u16 sample_of(u16 element, s32 shift, s32 max) { return (u16)((element >> shift) & max); }
FN u8 element_of(u8 sample, s32) { return sample; }
FN u16 element_of(u16 sample, s32 shift) { return (u16)(sample << shift); }

// Samples of a line that lie `step` elements apart.
template <typename T>
FN_ONCE void load_spaced(const T* __restrict__ in, s32 step, s32 shift, s32 max, T* __restrict__ out, s32 count) {
    FOR_LINE(i, count) out[i] = sample_of(in[(s64)i * step], shift, max);
}
template <typename T> FN_ONCE void store_spaced(const T* __restrict__ in, s32 step, s32 shift, T* __restrict__ out, s32 count) {
    FOR_LINE(i, count) out[(s64)i * step] = element_of(in[i], shift);
}

template <typename T> FN T* picture_line(const SamplePlane& plane, s32 x, s32 y) {
    return (T*)((u8*)plane.dst + (s64)y * plane.dst_pitch_B) + (s64)x * plane.dst_step;
}

// Phase: finished samples from scratch to the picture.
template <typename T>
FN void store_tile(const SamplePlane& plane, const T* finished, s32 pitch, s32 x0, s32 y0, s32 width, s32 height) {
    FOR_LINES(y, height) {
        T* __restrict__ dst = picture_line<T>(plane, x0, y0 + y);
        const T* __restrict__ line = finished + y * pitch;
        if (plane.dst_step == 1) {
            FOR_LINE_OF(dst, x, width) dst[x] = element_of(line[x], plane.dst_shift);
        } else {
            store_spaced(line, plane.dst_step, plane.dst_shift, dst, width);
        }
    }
}
