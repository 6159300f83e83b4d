// From one pixel layout to another (docs/conversions.md): where samples lie, how deep they are and how chroma is
// subsampled. What they mean stays; the color pipe changes that.
//
// One launch is one component. Averages and the change of depth are rounded once, together.
#pragma once
#include "portable.h"

enum {
    CONVERT_WIDTH = ON_DEVICE(512, 128),  // even
    CONVERT_HEIGHT = ON_DEVICE(4, 8),
    CONVERT_SCALE_BITS = 40
};

struct ConvertParams {
    const void* src;  // null: every sample is `fill`
    void* dst;
    s64 scale;  // 0: depths differ by a shift; else the ratio of the largest samples, CONVERT_SCALE_BITS fraction bits
    s32 src_pitch_B, dst_pitch_B;
    s32 src_step, dst_step;
    s32 src_shift, dst_shift;
    s32 src_bits, dst_bits;
    s32 src_width, src_height, dst_width, dst_height;  // of the component
    s32 across, down;       // log2 of the source samples that one result averages; -1: two results repeat one sample
    s32 interlaced;         // rows of 4:2:0 belong to the lines of one field
    s32 src_zero, dst_zero;  // samples that scaling leaves where they are
    s32 fill;
};
static_assert(sizeof(ConvertParams) == 96, "parameter layout");

struct ConvertTile {
    s32 sums[CONVERT_HEIGHT * 2 * CONVERT_WIDTH];  // of the rows that are averaged
    u16 values[CONVERT_HEIGHT * CONVERT_WIDTH];
};

// The source rows of row y: of a field, 4:2:0 row 2k + f covers rows 4k + f and 4k + 2 + f of the picture.
struct SourceRows {
    s32 first, second;
};

FN SourceRows source_rows(const ConvertParams& p, s32 y) {
    const s32 last = p.src_height - 1, field = p.interlaced ? y & 1 : 0, line = p.interlaced ? y >> 1 : y;
    const s32 lines = p.interlaced ? 2 : 1;
    if (p.down == 0) return {y, y};
    if (p.down < 0) {
        const s32 row = min_of((line >> 1) * lines + field, last);
        return {row, row};
    }
    const s32 first = min_of(2 * line * lines + field, last), second = first + lines;
    return {first, second > last ? first : second};
}

template <typename T, int STEP>
FN void sum_samples(const T* __restrict__ a, const T* __restrict__ b, s32 step, s32 shift, s32 mask, s32 count,
                    s32* __restrict__ out) {
    const s32 by = STEP ? STEP : step;
    if (a == b) {
        FOR_LINE(i, count) out[i] = (a[(s64)i * by] >> shift) & mask;
    } else {
        FOR_LINE(i, count) out[i] = ((a[(s64)i * by] >> shift) & mask) + ((b[(s64)i * by] >> shift) & mask);
    }
}

// Phase: sums of the rows that are averaged, one column more than the picture has.
template <typename T> FN_APART void load_sums(const ConvertParams& p, s32 x0, s32 y0, s32 columns, s32 rows, s32* sums) {
    const s32 step = p.src_step, shift = p.src_shift, mask = (1 << p.src_bits) - 1;
    const s32 count = min_of(columns, p.src_width - x0);
    FOR_LINES(r, rows) {
        const SourceRows at = source_rows(p, y0 + r);
        const T* a = (const T*)((const u8*)p.src + (s64)at.first * p.src_pitch_B) + (s64)x0 * step;
        const T* b = (const T*)((const u8*)p.src + (s64)at.second * p.src_pitch_B) + (s64)x0 * step;
        s32* out = sums + r * 2 * CONVERT_WIDTH;
        if (step == 1)
            sum_samples<T, 1>(a, b, step, shift, mask, count, out);
        else if (step == 2)
            sum_samples<T, 2>(a, b, step, shift, mask, count, out);
        else if (step == 4)
            sum_samples<T, 4>(a, b, step, shift, mask, count, out);
        else
            sum_samples<T, 0>(a, b, step, shift, mask, count, out);
        const s64 last = (s64)(count - 1) * step;
        const s32 end = ((a[last] >> shift) & mask) + (a == b ? 0 : (b[last] >> shift) & mask);
        FOR_LINE(i, columns - count) out[count + i] = end;
    }
}

// Phase: averages in the depth of the result. A row that was not averaged counts once.
FN_APART void finish_values(const ConvertParams& p, s32 y0, s32 count, s32 rows, const s32* sums, u16* values) {
    const s32 max = (1 << p.dst_bits) - 1, fill = p.fill;
    const s64 scale = p.scale;
    FOR_LINES(r, rows) {
        const SourceRows at = source_rows(p, y0 + r);
        const s32 down = at.first != at.second, across = p.across > 0, averaged = down + across;
        const s32* __restrict__ in = sums + r * 2 * CONVERT_WIDTH;
        u16* __restrict__ out = values + r * CONVERT_WIDTH;
        if (!p.src) {
            FOR_LINE(i, count) out[i] = (u16)fill;
        } else if (scale) {
            const s32 zero = p.src_zero << averaged, dst_zero = p.dst_zero, bits = CONVERT_SCALE_BITS + averaged;
            const s64 half = (s64)1 << (bits - 1);
            FOR_LINE(i, count) {
                const s32 sum = across ? in[2 * i] + in[2 * i + 1] : in[i];
                const s32 value = (s32)(((s64)(sum - zero) * scale + half) >> bits) + dst_zero;
                out[i] = (u16)clamp_to(value, 0, max);
            }
        } else {
            const s32 shift = averaged + p.src_bits - p.dst_bits, right = max_of(shift, 0), left = max_of(-shift, 0);
            const s32 half = (1 << right) >> 1;
            if (across) {
                FOR_LINE(i, count) out[i] = (u16)min_of(((in[2 * i] + in[2 * i + 1] + half) >> right) << left, max);
            } else {
                FOR_LINE(i, count) out[i] = (u16)min_of(((in[i] + half) >> right) << left, max);
            }
        }
    }
}

template <typename T, int STEP>
FN void store_line(const u16* __restrict__ in, s32 step, s32 shift, s32 repeat, s32 count, T* __restrict__ out) {
    const s32 by = STEP ? STEP : step;
    if (repeat) {
        FOR_LINE(i, count >> 1) {
            const T value = (T)(in[i] << shift);
            out[(s64)(2 * i) * by] = value;
            out[(s64)(2 * i + 1) * by] = value;
        }
        FOR_LINE(i, count & 1) out[(s64)(count - 1 + i) * by] = (T)(in[count >> 1] << shift);
    } else {
        FOR_LINE(i, count) out[(s64)i * by] = (T)(in[i] << shift);
    }
}

// Phase: the component's samples in the picture; elements between them belong to others.
template <typename T> FN_APART void store_values(const ConvertParams& p, s32 x0, s32 y0, s32 count, s32 rows, const u16* values) {
    const s32 step = p.dst_step, shift = p.dst_shift, repeat = p.across < 0;
    FOR_LINES(r, rows) {
        const u16* in = values + r * CONVERT_WIDTH;
        T* out = (T*)((u8*)p.dst + (s64)(y0 + r) * p.dst_pitch_B) + (s64)x0 * step;
        if (step == 1)
            store_line<T, 1>(in, step, shift, repeat, count, out);
        else if (step == 2)
            store_line<T, 2>(in, step, shift, repeat, count, out);
        else if (step == 4)
            store_line<T, 4>(in, step, shift, repeat, count, out);
        else
            store_line<T, 0>(in, step, shift, repeat, count, out);
    }
}

template <typename From, typename To> FN void convert_tile(const ConvertParams& p, s32 tile_x, s32 tile_y) {
    SHARED ConvertTile t;
    const s32 x0 = tile_x * CONVERT_WIDTH, y0 = tile_y * CONVERT_HEIGHT;
    const s32 width = min_of<s32>(CONVERT_WIDTH, p.dst_width - x0), rows = min_of<s32>(CONVERT_HEIGHT, p.dst_height - y0);
    const s32 values = p.across < 0 ? (width + 1) >> 1 : width;
    const s32 src_x0 = p.across < 0 ? x0 >> 1 : x0 << p.across, columns = p.across > 0 ? 2 * values : values;
    if (p.src) load_sums<From>(p, src_x0, y0, columns, rows, t.sums);
    BARRIER();
    finish_values(p, y0, values, rows, t.sums, t.values);
    BARRIER();
    store_values<To>(p, x0, y0, width, rows, t.values);
}
