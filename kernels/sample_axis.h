// Addresses along one axis of a tile of samples, as vector loops: what fixed_position, axis_taps and texel_of_index of
// sample_address.h say one sample at a time (seed 003:552-660; docs/sampler.md).
//
// Each sample's place is one number, its corner: 256 times the lower of its two texels plus the weight of the upper one.
// In mirrored halves the two change places, and a weight of w is one of 256 - w. Beyond an edge both texels are the
// same, which is a weight of 0. A nearest filter's corner is 256 times its texel plus anything.
#pragma once
#include "portable_gather.h"
#include "sample_address.h"
#include "sample_tile.h"

// A number that all samples of a tile share, where each could have its own.
struct Same {
    s32 value;
    FN_MEMBER s32 operator()(s32) const { return value; }
};
// Size of each sample's level along an axis.
struct EachSize {
    s32 size;
    const s32* number;
    FN_MEMBER s32 operator()(s32 i) const { return max_of(size >> number[i], 1); }
};

enum { CORNER_TURNED = 1 << 30 };  // the sample lies in a mirrored half: its upper texel comes first

// From -limit to limit, and 0 for NaN, by masks: of choices of floats compilers make a dozen instructions.
FN float within_limit(float v, float limit) {
    if (ON_DEVICE(false, true)) return clamp_to(zero_for_nan(v), -limit, limit);
    const u32 bits = bits_of(v) & (0u - (u32)(v == v));
    return float_of((u32)min_of((s32)(bits & ~FLOAT_SIGN), (s32)bits_of(limit)) | (bits & FLOAT_SIGN));
}

// A coordinate in 1/256 texel, `whole` across the axis; `round` is 1 to round it to nearest. Where an axis repeats, from 0
// to its period.
template <int MODE> FN s32 axis_position(float u, s32 whole, s32 round) {
    const float far = 4194304.0f, doubled = (float)(2 * whole);  // 2^22
    if (MODE == ADDRESS_WRAP || MODE == ADDRESS_MIRROR) {
        u = clamp_to(u, -far, far);  // NaN is -2^22, which wraps to 0 as it should
        u = MODE == ADDRESS_WRAP ? u - floor_float(u) : u - 2.0f * floor_float(u * 0.5f);
    } else if (MODE == ADDRESS_MIRROR_ONCE) {
        u = within_limit(u, 1.0f);
    }
    float x = u * doubled;
    if (MODE == ADDRESS_CLAMP || MODE == ADDRESS_CLAMP_BORDER) x = within_limit(x, 1073741824.0f);  // 2^30
    if (MODE != ADDRESS_WRAP && MODE != ADDRESS_MIRROR) x = floor_float(x);
    return ((s32)x + round) >> 1;
}

// The corner of a position, of a wrapped axis from 0 to `whole`, of a mirrored one to twice that.
template <int MODE, bool TURNS> FN s32 corner_of_position(s32 p, s32 whole, bool linear) {
    const s32 half = linear ? BILINEAR_HALF : 0, last = linear ? POSITION_ONE : 1;
    s32 corner = p - half;
    if (MODE == ADDRESS_WRAP) corner = (s32)min_of((u32)corner, (u32)(linear ? corner + whole : corner - whole));
    if (MODE == ADDRESS_MIRROR) corner = min_of(corner, 2 * whole - p - last + half);
    if (MODE == ADDRESS_MIRROR_ONCE) corner = max_of(corner, -p - last + half);
    if (MODE == ADDRESS_CLAMP_BORDER)
        corner = clamp_to(corner, -(s32)POSITION_ONE, whole);
    else if (MODE != ADDRESS_WRAP)
        corner = clamp_to(corner, 0, whole - last);
    if (TURNS && MODE == ADDRESS_MIRROR) corner |= p > whole ? (s32)CORNER_TURNED : 0;
    if (TURNS && MODE == ADDRESS_MIRROR_ONCE) corner |= p < 0 ? (s32)CORNER_TURNED : 0;
    return corner;
}

// CLAMP_BORDER stands for HALF_BORDER too: their corners lie up to one texel outside. TURNS: mirrored ones are marked.
template <int MODE, bool TURNS, typename Size>
FN_APART void axis_corners(const float* all, const TilePlace& at, Size size, bool linear, bool rounded, s32* corners) {
    const s32 round = rounded;
    for (s32 r = 0; r < at.rows; ++r) {
        const TileRow row = row_of_tile(at, r);
        const float* __restrict__ coordinates = all + row.first;
        s32* __restrict__ out = corners + row.begin;
        FOR_EACH(i, row.n) {
            const s32 whole = size(row.begin + i) * POSITION_ONE;
            out[i] = corner_of_position<MODE, TURNS>(axis_position<MODE>(coordinates[i], whole, round), whole, linear);
        }
        prefetch_row(coordinates + 2 * row.n, row.n);
    }
}
