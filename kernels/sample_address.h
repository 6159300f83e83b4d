// Texel addresses: coordinates to texels and weights along an axis, and cube faces (seed 003:382-392, 552-660).
#pragma once
#include "sample_lod.h"

enum { BILINEAR_HALF = 128, POSITION_ONE = 256 };
enum TexelPlace { PLACE_INSIDE = 0, PLACE_HALF = 1, PLACE_BORDER = 2 };

// Two neighbors along an axis, the second with weight / 256; not wrapped yet.
struct AxisTaps {
    s32 first;
    s32 weight;
};

// The largest integer not above x, for |x| up to 2^30.
FN s32 floor_of(float x) {
    const s32 whole = (s32)x;
    return whole - ((float)whole > x);
}

// A coordinate as texels in 1/256, before the offset, which MIRROR_ONCE limits as well.
FN s32 fixed_position(float u, s32 size, s32 mode, bool normalized, bool rounded, s32 offset) {
    const float far = 4194304.0f, limit = 1073741824.0f;
    u = clamp_to(zero_for_nan(u), -far, far);
    float x = u * 256.0f;
    if (normalized) {
        if (mode == ADDRESS_WRAP) u = u - (float)floor_of(u);
        if (mode == ADDRESS_MIRROR) u = u - (float)(2 * floor_of(u * 0.5f));
        x = clamp_to(u * (float)(size * POSITION_ONE), -limit, limit);
        if (mode == ADDRESS_MIRROR_ONCE)
            x = clamp_to(x, (float)((-size - offset) * POSITION_ONE), (float)((size - offset) * POSITION_ONE));
    }
    const s32 whole = floor_of(x);
    return whole + (rounded && x - (float)whole >= 0.5f);
}

FN AxisTaps axis_taps(s32 position, bool linear, s32 offset) {
    const s32 corner = position - (linear ? BILINEAR_HALF : 0);
    const AxisTaps taps = {(corner >> 8) + offset, linear ? corner & (POSITION_ONE - 1) : 0};
    return taps;
}

// The texel that an index means, and whether it lies where the border is.
struct AxisTexel {
    s32 index, place;
};
FN AxisTexel texel_of_index(s32 i, s32 size, s32 mode) {
    AxisTexel at = {i, PLACE_INSIDE};
    if (mode == ADDRESS_WRAP) {
        at.index = i % size;
        if (at.index < 0) at.index += size;
        return at;
    }
    if (mode == ADDRESS_MIRROR) {
        at.index = i % (2 * size);
        if (at.index < 0) at.index += 2 * size;
        if (at.index >= size) at.index = 2 * size - 1 - at.index;
        return at;
    }
    if (mode == ADDRESS_MIRROR_ONCE && i < 0) at.index = -1 - i;
    if (at.index < 0 || at.index >= size) {
        at.place = mode == ADDRESS_CLAMP_BORDER ? PLACE_BORDER : mode == ADDRESS_HALF_BORDER ? PLACE_HALF : PLACE_INSIDE;
        at.index = clamp_to(at.index, 0, size - 1);
    }
    return at;
}

// The nearest array slice, halves up.
FN s32 array_slice(float r, s32 slices) {
    const float index = clamp_to(zero_for_nan(r), 0.0f, (float)slices);
    const s32 whole = floor_of(index);
    return min_of(whole + (index - (float)whole >= 0.5f), slices - 1);
}

// -- cubes -----------------------------------------------------------------------------------------------------------

// Faces in memory order +X -X +Y -Y +Z -Z: axis and sign of s and t.
struct CubeFace {
    s8 s_axis, s_sign, t_axis, t_sign;
};
TABLE CubeFace CUBE_FACE[6] = {{2, -1, 1, -1}, {2, 1, 1, -1}, {0, 1, 2, 1}, {0, 1, 2, -1}, {0, 1, 1, -1}, {0, -1, 1, -1}};

struct CubePoint {
    s32 face;
    float s, t;
};

// The face that a direction meets: its largest component, X before Y before Z.
FN CubePoint cube_point(float x, float y, float z) {
    float vector[3] = {x, y, z};
    if (!(x == x && y == y && z == z)) {
        vector[0] = 1.0f;
        vector[1] = vector[2] = 0.0f;
    }
    float sizes[3];
    for (s32 a = 0; a < 3; ++a) sizes[a] = float_of(magnitude_of(bits_of(vector[a])));
    const s32 axis = sizes[0] >= sizes[1] && sizes[0] >= sizes[2] ? 0 : sizes[1] >= sizes[2] ? 1 : 2;
    CubePoint point;
    point.face = 2 * axis + (s32)(bits_of(vector[axis]) >> 31);
    const CubeFace f = CUBE_FACE[point.face];
    point.s = (float)f.s_sign * vector[f.s_axis] / sizes[axis] * 0.5f + 0.5f;
    point.t = (float)f.t_sign * vector[f.t_axis] / sizes[axis] * 0.5f + 0.5f;
    return point;
}

struct CubeTexel {
    s32 face, i, j;
};

FN s32 cube_index(s32 twice, s32 size) { return (clamp_to(twice, 1 - size, size - 1) + size - 1) >> 1; }

// A place beyond one edge of a face, on the face that it lies on: its center as a direction of integers.
FN CubeTexel cube_texel(s32 face, s32 i, s32 j, s32 size) {
    const bool beyond_i = i < 0 || i >= size, beyond_j = j < 0 || j >= size;
    CubeTexel at = {face, i, j};
    if (!beyond_i && !beyond_j) return at;
    const CubeFace from = CUBE_FACE[face];
    s32 vector[3];
    vector[face >> 1] = face & 1 ? -size : size;
    vector[from.s_axis] = from.s_sign * clamp_to(2 * i + 1 - size, -size - 1, size + 1);
    vector[from.t_axis] = from.t_sign * clamp_to(2 * j + 1 - size, -size - 1, size + 1);
    const s32 axis = beyond_i ? from.s_axis : from.t_axis;
    at.face = 2 * axis + (vector[axis] < 0);
    const CubeFace to = CUBE_FACE[at.face];
    at.i = cube_index(to.s_sign * vector[to.s_axis], size);
    at.j = cube_index(to.t_sign * vector[to.t_axis], size);
    return at;
}
