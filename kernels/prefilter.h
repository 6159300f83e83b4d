// The low-pass before scaling down: texsamp's addition, since the hardware's 8 taps alias (docs/fidelity.md).
// Separable, symmetric taps in 1/4096; either every sample is kept, or every second one and the grid moves by half a
// sample. A tile is a piece of one output row.
#pragma once
#include "prefilter_bytes.h"
#include "scale.h"

enum { PREFILTER_WIDTH = ON_DEVICE(512, 256), PREFILTER_TAPS = 32, PREFILTER_PHASE = PREFILTER_WIDTH + PREFILTER_TAPS };

struct PrefilterParams {
    SamplePlane plane;
    s16 x_taps[PREFILTER_TAPS], y_taps[PREFILTER_TAPS];
    s32 x_count, y_count;  // taps used
    s32 x_keep, y_keep;    // 1: every sample, 2: every second one
    s32 src_width, src_height, dst_width, dst_height;
    s32 middle_shift;  // fraction bits dropped between the passes; the rest of 24 afterwards
    s32 pad_;
};
static_assert(sizeof(PrefilterParams) == 216, "parameter layout");

// How sums of 8-bit samples are kept: in 16 bits, as distances from 128. Every product is rounded, to 6 fraction bits
// along y and to 5 along x.
struct NarrowSums {
    typedef s16 Sum;
    FN_MEMBER s16 one(u8 v) const { return (s16)((v - 128) * 128); }
    FN_MEMBER s16 one(s16 v) const { return v; }
    FN_MEMBER s16 pair(u8 a, u8 b) const { return (s16)((a + b - 256) * 128); }
    FN_MEMBER s16 pair(s16 a, s16 b) const { return (s16)(a + b); }
    FN_MEMBER s16 product(s16 v, s16 tap) const { return (s16)(((v * (s16)(tap * 4) >> 14) + 1) >> 1); }
    FN_MEMBER s16 middle(s16 sum) const { return sum; }
    FN_MEMBER s16 last(s16 sum) const { return (s16)((s16)((s16)(sum + 16) >> 5) + 128); }
};

// How others are kept: exactly, in 32 bits, and rounded once after each axis.
struct WideSums {
    typedef s32 Sum;
    s32 shift, max;    // of the samples in their elements
    s32 middle_shift;  // fraction bits dropped between the axes, of 24 in all
    FN_MEMBER s32 one(u16 v) const { return sample_of(v, shift, max); }
    FN_MEMBER s32 one(s32 v) const { return v; }
    template <typename T> FN_MEMBER s32 pair(T a, T b) const { return one(a) + one(b); }
    FN_MEMBER s32 product(s32 v, s32 tap) const { return v * tap; }
    FN_MEMBER s32 middle(s32 sum) const { return (sum + (1 << (middle_shift - 1))) >> middle_shift; }
    FN_MEMBER s32 last(s32 sum) const { return (sum + (1 << (23 - middle_shift))) >> (24 - middle_shift); }
};

FN NarrowSums sums_for(const PrefilterParams&, u8) { return {}; }
FN WideSums sums_for(const PrefilterParams& p, u16) { return {p.plane.src_shift, p.plane.src_max, p.middle_shift}; }

// Phase: sums of symmetric taps, PAIRS pairs at a time from the outer ones on; `line(j)` holds the elements of tap j.
template <int PAIRS, typename Sums, typename Line>
FN void add_pairs(typename Sums::Sum* __restrict__ sums, const Sums& kind, const s16* taps, s32 count, s32 first,
                  const Line& line, s32 n) {
    typedef typename Sums::Sum Sum;
    decltype(line(0)) left[PAIRS], right[PAIRS];
    Sum tap[PAIRS];
    UNROLL for (int k = 0; k < PAIRS; ++k) {
        left[k] = line(first + k);
        right[k] = line(count - 1 - first - k);
        tap[k] = taps[first + k];
    }
    FOR_EACH(i, n) {
        Sum sum = sums[i];
        UNROLL for (int k = 0; k < PAIRS; ++k) sum = (Sum)(sum + kind.product(kind.pair(left[k][i], right[k][i]), tap[k]));
        sums[i] = sum;
    }
}

template <typename Sums, typename Line>
FN void add_taps(typename Sums::Sum* __restrict__ sums, const Sums& kind, const s16* taps, s32 count, const Line& line,
                 s32 n) {
    typedef typename Sums::Sum Sum;
    const auto middle = line(count / 2);
    const Sum middle_tap = count % 2 ? taps[count / 2] : 0;
    FOR_EACH(i, n) sums[i] = kind.product(kind.one(middle[i]), middle_tap);
    s32 j = 0;
    for (; j + 4 <= count / 2; j += 4) add_pairs<4>(sums, kind, taps, count, j, line, n);
    for (; j < count / 2; ++j) add_pairs<1>(sums, kind, taps, count, j, line, n);
}

// Along either axis, in vectors where there are some for what is summed.
template <typename Sums, typename Line>
FN void add_lines(typename Sums::Sum* sums, const Sums& kind, const s16* taps, s32 count, const Line& line, s32 n) {
    add_taps(sums, kind, taps, count, line, n);
}
#if HAS_VECTORS && defined(__AVX2__)
template <typename Line>
FN void add_lines(s16* sums, const NarrowSums& kind, const s16* taps, s32 count, const Line& line, s32 n) {
    decltype(line(0)) lines[PREFILTER_TAPS];
    for (s32 j = 0; j < count; ++j) lines[j] = line(j);
    if (!sums_in_vectors(sums, taps, count, lines, n)) add_taps(sums, kind, taps, count, line, n);
}
#endif

// The elements of one sample in a row of several.
template <typename T> struct Strided {
    const T* first;
    s64 step;
    FN_MEMBER T operator[](s32 i) const { return first[i * step]; }
};

// Columns that a piece of a row is summed from: where they begin in the source, how many, and which of them it has.
struct PrefilterColumns {
    s32 first, width, left, right;
};
FN PrefilterColumns columns_of(const PrefilterParams& p, s32 x0, s32 count) {
    const s32 first = x0 * p.x_keep - (p.x_count - 1) / 2, width = (count - 1) * p.x_keep + p.x_count;
    const s32 left = clamp_to(-first, 0, width - 1);
    return {first, width, left, clamp_to(p.src_width - first, left + 1, width)};
}

// The line of a tap, from the first column that the source has.
template <typename T> FN const T* source_line(const PrefilterParams& p, const PrefilterColumns& c, s32 y, s32 tap) {
    const s64 line = clamp_to(y * p.y_keep - (p.y_count - 1) / 2 + tap, 0, p.src_height - 1);
    return (const T*)((const u8*)p.plane.src + line * p.plane.src_pitch_B) +
           (s64)clamp_to(c.first + c.left, 0, p.src_width - 1) * p.plane.src_step;
}

template <typename T> FN void prefilter_tile(const PrefilterParams& p, s32 tile_x, s32 y) {
    const auto kind = sums_for(p, T());
    typedef typename decltype(sums_for(p, T()))::Sum Sum;
    SHARED Sum column[2 * PREFILTER_WIDTH + PREFILTER_TAPS], sums[PREFILTER_WIDTH];
    SHARED Sum phases[2][PREFILTER_PHASE];
    const s32 x0 = tile_x * PREFILTER_WIDTH, count = min_of<s32>(PREFILTER_WIDTH, p.dst_width - x0);
    const PrefilterColumns c = columns_of(p, x0, count);
    const s32 width = c.width, left = c.left, right = c.right, step = p.plane.src_step;
    const auto row = [&](s32 tap) { return source_line<T>(p, c, y, tap); };
    if (step == 1) {
        add_lines(column + left, kind, p.y_taps, p.y_count, row, right - left);
    } else {
        const auto strided_row = [&](s32 tap) { return Strided<T>{row(tap), step}; };
        add_taps(column + left, kind, p.y_taps, p.y_count, strided_row, right - left);
    }
    FOR_EACH(i, right - left) column[left + i] = kind.middle(column[left + i]);
    BARRIER();
    FOR_EACH(i, left) column[i] = column[left];
    FOR_EACH(i, width - right) column[right + i] = column[right - 1];
    BARRIER();
    if (p.x_keep == 2) {  // even and odd columns apart, so that every tap reads neighbors
        FOR_EACH(i, count + p.x_count / 2 - 1) {
            phases[0][i] = column[2 * i];
            phases[1][i] = column[2 * i + 1];
        }
        BARRIER();
    }
    const auto tap_column = [&](s32 tap) -> const Sum* {
        return p.x_keep == 2 ? phases[tap & 1] + tap / 2 : column + tap;
    };
    add_lines(sums, kind, p.x_taps, p.x_count, tap_column, count);
    T* __restrict__ out = picture_line<T>(p.plane, x0, y);
    const Sum max = (Sum)p.plane.src_max;
    FOR_EACH(x, count) out[x] = element_of((T)clamp_to<Sum>(kind.last(sums[x]), 0, max), p.plane.dst_shift);
}
