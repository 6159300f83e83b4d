// A table of colors over R, G and B, applied to RGBA of 16 bits (docs/lut.md). Floats: what is rounded, and in which
// order, is the same everywhere.
#pragma once
#include "portable.h"

enum { LUT_WIDTH = ON_DEVICE(512, 128), LUT_LINES = ON_DEVICE(4, 8), LUT_CODES = 65536 };

struct LutParams {
    const void* src;  // rows of R, G, B, A, u16 each
    void* dst;
    const float* places;  // of every code, in the table, for R, G, B
    const float* table;   // size^3 entries of four, R fastest
    s32 src_pitch_B, dst_pitch_B;
    s32 width, height, size;
    s32 pad_;
};
static_assert(sizeof(LutParams) == 56, "parameter layout");

// Where a color lies along one axis: the entry before it, elements from that to the next, and how far it is to that.
struct LutPlace {
    s32 first, step;
    float part;
};

// With 8 bits of the way if it is the sampler's (seed 003:605), else with those of a float.
template <bool EIGHT_BITS> FN LutPlace lut_place(float at, s32 size, s32 stride) {
    const s32 fixed = (s32)(at * 256.0f + 0.5f);
    const s32 first = EIGHT_BITS ? fixed >> 8 : min_of((s32)at, size - 2);
    const float part = EIGHT_BITS ? (float)(fixed & 255) * (1.0f / 256.0f) : at - (float)first;
    return {first * stride, first < size - 1 ? stride : 0, part};
}

FN float lut_blend(float a, float b, float part) { return a + (b - a) * part; }

// As the sampler filters a volume: along x, y and z.
FN float lut_trilinear(const float* __restrict__ table, LutPlace r, LutPlace g, LutPlace b) {
    const float* at = table + r.first + g.first + b.first;
    float planes[2];
    UNROLL for (int k = 0; k < 2; ++k) {
        const float* p = at + k * b.step;
        const float near = lut_blend(p[0], p[r.step], r.part);
        const float far = lut_blend(p[g.step], p[g.step + r.step], r.part);
        planes[k] = lut_blend(near, far, g.part);
    }
    return lut_blend(planes[0], planes[1], b.part);
}

// The tetrahedron of four entries around a color: from the near corner along the largest part, then the middle one.
struct LutTetrahedron {
    s32 second, third, last;
    float weights[4];
};

FN LutTetrahedron lut_tetrahedron(LutPlace r, LutPlace g, LutPlace b) {
    const float x = r.part, y = g.part, z = b.part;
    const float most = max_of(max_of(x, y), z), least = min_of(min_of(x, y), z);
    const float middle = max_of(min_of(x, y), min_of(max_of(x, y), z));
    const s32 all = r.step + g.step + b.step;
    const s32 second = x == most ? r.step : y == most ? g.step : b.step;
    const s32 missing = z == least ? b.step : y == least ? g.step : r.step;
    return {second, all - missing, all, {1.0f - most, most - middle, middle - least, least}};
}

FN float lut_tetrahedral(const float* __restrict__ p, const LutTetrahedron& t) {
    const float near = p[0] * t.weights[0] + p[t.second] * t.weights[1];
    return (near + p[t.third] * t.weights[2]) + p[t.last] * t.weights[3];
}

FN u16 lut_code(float value) { return (u16)(s32)min_of(max_of(value * 65535.0f + 0.5f, 0.0f), 65535.0f); }

template <bool TETRAHEDRAL> FN void lut_tile(const LutParams& params, s32 tile_x, s32 tile_y) {
    const LutParams p = params;
    const s32 x0 = tile_x * LUT_WIDTH, y0 = tile_y * LUT_LINES;
    const s32 width = min_of<s32>(LUT_WIDTH, p.width - x0), lines = min_of<s32>(LUT_LINES, p.height - y0);
    const s32 size = p.size;
    const float* __restrict__ red = p.places;
    const float* __restrict__ green = red + LUT_CODES;
    const float* __restrict__ blue = green + LUT_CODES;
    const float* __restrict__ table = p.table;
    FOR_LINES(y, lines) {
        const u16* __restrict__ in = (const u16*)((const u8*)p.src + (s64)(y0 + y) * p.src_pitch_B) + (s64)x0 * 4;
        u16* __restrict__ out = (u16*)((u8*)p.dst + (s64)(y0 + y) * p.dst_pitch_B) + (s64)x0 * 4;
        FOR_LINE(x, width) {
            const u16* color = in + 4 * x;
            u16* made = out + 4 * x;
            const LutPlace r = lut_place<!TETRAHEDRAL>(red[color[0]], size, 4);
            const LutPlace g = lut_place<!TETRAHEDRAL>(green[color[1]], size, 4 * size);
            const LutPlace b = lut_place<!TETRAHEDRAL>(blue[color[2]], size, 4 * size * size);
            const u16 alpha = color[3];
            if (TETRAHEDRAL) {
                const LutTetrahedron t = lut_tetrahedron(r, g, b);
                const float* corner = table + r.first + g.first + b.first;
                UNROLL for (int c = 0; c < 3; ++c) made[c] = lut_code(lut_tetrahedral(corner + c, t));
            } else {
                UNROLL for (int c = 0; c < 3; ++c) made[c] = lut_code(lut_trilinear(table + c, r, g, b));
            }
            made[3] = alpha;
        }
    }
}
