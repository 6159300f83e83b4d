// Deinterlacing: what its kernels share (seed 003:980-1224; equations in docs/deinterlace.md).
//
// The hardware decides per pair of pixels. A tile therefore holds even and odd columns apart: pair q has the columns
// even[q] and odd[q], and whatever the offset of a sample from its pair, the vector loops read with stride one.
#pragma once
#include "fields.h"

// Pairs whose samples lie among others.
template <typename T>
FN_ONCE void load_spaced_pairs(const T* __restrict__ in, s64 step, s32 shift, s32 max, s32 count, T* __restrict__ even,
                               T* __restrict__ odd) {
    FOR_LINE(i, count) {
        even[i] = sample_of(in[2 * i * step], shift, max);
        odd[i] = sample_of(in[(2 * i + 1) * step], shift, max);
    }
}

// One line of a tile: pairs first .. first + count - 1, columns beyond the picture repeat its last ones.
template <typename T>
FN void load_pairs(const FieldSamples& s, s32 line, s32 width, s32 first, s32 count, T* __restrict__ even, T* __restrict__ odd) {
    const T* __restrict__ in = row_of<T>(s, line);
    const s32 left = clamp_to(-first, 0, count), right = clamp_to((width >> 1) - first, left, count);
    const s32 step = s.step, shift = s.shift, max = s.max;
    const Twins<T>* __restrict__ twins = (const Twins<T>*)(in + 2 * (s64)(first + left));
    if (step == 1 && in_twins(twins, sizeof(T))) {
        FOR_LINE_OF(twins, i, right - left) {
            const Twins<T> both = twins[i];
            even[left + i] = sample_of(both.first, shift, max);
            odd[left + i] = sample_of(both.second, shift, max);
        }
    } else if (step == 1) {
        const T* __restrict__ inside = in + 2 * (s64)(first + left);
        FOR_LINE(i, right - left) {
            even[left + i] = sample_of(inside[2 * i], shift, max);
            odd[left + i] = sample_of(inside[2 * i + 1], shift, max);
        }
    } else {
        load_spaced_pairs(in + 2 * (s64)(first + left) * step, step, shift, max, right - left, even + left, odd + left);
    }
    const T start = sample_of(in[0], shift, max), end = sample_of(in[(s64)(width - 1) * step], shift, max);
    FOR_LINE(i, left) {
        even[i] = start;
        odd[i] = start;
    }
    FOR_LINE(i, count - right) {
        even[right + i] = end;
        odd[right + i] = end;
    }
}

// The reverse: the columns of `count` pairs, without a last odd one that the picture does not have.
template <typename T>
FN void store_pairs(const FieldTarget& t, s32 line, s32 width, s32 first, s32 count, const T* __restrict__ even,
                    const T* __restrict__ odd) {
    T* __restrict__ out = row_of<T>(t, line) + 2 * (s64)first * t.step;
    const s32 whole = min_of(count, (width >> 1) - first), step = t.step, shift = t.shift;
    if (step == 1 && in_twins(out, sizeof(T))) {
        Twins<T>* __restrict__ twins = (Twins<T>*)out;
        FOR_LINE_OF(twins, i, whole) {
            const Twins<T> both = {element_of(even[i], shift), element_of(odd[i], shift)};
            twins[i] = both;
        }
    } else if (step == 1) {
        FOR_LINE(i, whole) {
            out[2 * i] = element_of(even[i], shift);
            out[2 * i + 1] = element_of(odd[i], shift);
        }
    } else {
        FOR_LINE(i, whole) {
            out[2 * (s64)i * step] = element_of(even[i], shift);
            out[(2 * (s64)i + 1) * step] = element_of(odd[i], shift);
        }
    }
    FOR_LINE(i, count - whole) out[2 * (s64)(whole + i) * step] = element_of(even[whole + i], shift);
}

// A line of the picture as it is; `from` and `to` are the steps of its samples.
template <typename T>
FN void copy_samples(const FieldSamples& s, s32 from, const FieldTarget& t, s32 to, s32 line, s32 first, s32 count) {
    const T* __restrict__ in = row_of<T>(s, line) + (s64)first * from;
    T* __restrict__ out = row_of<T>(t, line) + (s64)first * to;
    const s32 shift = s.shift, max = s.max, up = t.shift;
    if (from == 1 && to == 1) {
        FOR_LINE_OF(out, i, count) out[i] = element_of(sample_of(in[i], shift, max), up);
    } else {
        FOR_LINE(i, count) out[(s64)i * to] = element_of(sample_of(in[(s64)i * from], shift, max), up);
    }
}

// Bytes first .. first + count - 1 of a row of `total`; the first and last one repeat beyond it.
FN void load_bytes(const u8* row, s32 first, s32 total, u8* __restrict__ out, s32 count) {
    const s32 left = clamp_to(-first, 0, count), right = clamp_to(total - first, left, count);
    const u8* __restrict__ inside = row + first + left;
    FOR_LINE_OF(inside, i, right - left) out[left + i] = inside[i];
    FOR_LINE(i, left) out[i] = row[0];
    FOR_LINE(i, count - right) out[right + i] = row[total - 1];
}

// Weight of the spatial result, 0 .. 2^shift: how far STMM3 is between its limits.
FN s16 spatial_weight(u8 left, u8 here, u8 right, s32 stmm_min, s32 whole) {
    const s16 stmm3 = max_of(max_of(left, here), right);
    return (s16)clamp_to<s16>((s16)(stmm3 - (s16)stmm_min), 0, (s16)whole);
}

// still + weight * (moving - still) / 2^shift, rounded down: the manual's blend, whose weights add up to 2^shift.
FN u8 blend(s16 weight, u8 moving, u8 still, s32 shift) {
    return (u8)(still + ((s16)(weight * (s16)(moving - still)) >> shift));
}
FN u16 blend(s16 weight, u16 moving, u16 still, s32 shift) {
    return (u16)(still + (((s32)weight * ((s32)moving - (s32)still)) >> shift));
}
