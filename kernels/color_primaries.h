// Other primaries, before gamut compression: samples of a wide gamut as xvYCC of a narrower one. docs/color.md.
#pragma once
#include "color_gamut.h"

struct ColorPrimaries {
    s32 enable;
    s32 decode[9];      // Y, U, V less their offsets to R'G'B', where 1.0 is 4096; 14 fraction bits
    s32 offsets[3];     // 12-bit steps
    s32 primaries[9];   // linear light to linear light, 13 fraction bits
    s32 encode[9];      // R'G'B' to Y, U, V less their offsets; 14 fraction bits
    s32 pad_;
};
static_assert(sizeof(ColorPrimaries) == 128, "parameter layout");

// The curve: for R' from -1024 to 5119 its light, where 1.0 is 32768; then R' for every 32nd light from -40960 to 90112.
enum { CURVE_LOWEST = -1024, CURVE_HIGHEST = 5119, LIGHT_LOWEST = -40960, LIGHT_HIGHEST = 90111 };

FN s32 light_of(const s32* __restrict__ curves, s32 code) {
    return curves[clamp_to<s32>(code, CURVE_LOWEST, CURVE_HIGHEST) - CURVE_LOWEST];
}

FN s32 code_of(const s32* __restrict__ curves, s32 light) {
    const s32 place = clamp_to<s32>(light, LIGHT_LOWEST, LIGHT_HIGHEST) - LIGHT_LOWEST;
    const s32* __restrict__ codes = curves + (CURVE_HIGHEST - CURVE_LOWEST + 1);
    const s32 a = codes[place >> 5], b = codes[(place >> 5) + 1];
    return a + (((b - a) * (place & 31) + 16) >> 5);
}

template <int ROW, int BITS> FN s32 product_of_row(const s32* matrix, s32 a, s32 b, s32 c) {
    const s32 sum = matrix[3 * ROW] * a + matrix[3 * ROW + 1] * b + matrix[3 * ROW + 2] * c;
    return (sum + (1 << (BITS - 1))) >> BITS;
}

struct PrimariesPixel {
    s32 y, u, v;
};

// A pixel as xvYCC of the other primaries. What its chroma does not hold is drawn toward gray.
FN PrimariesPixel with_primaries(const ColorPrimaries& p, const s32* __restrict__ curves, s32 y, s32 u, s32 v) {
    const s32 a = y - p.offsets[0], b = u - p.offsets[1], c = v - p.offsets[2];
    const s32 red = light_of(curves, product_of_row<0, 14>(p.decode, a, b, c));
    const s32 green = light_of(curves, product_of_row<1, 14>(p.decode, a, b, c));
    const s32 blue = light_of(curves, product_of_row<2, 14>(p.decode, a, b, c));
    const s32 r = code_of(curves, product_of_row<0, 13>(p.primaries, red, green, blue));
    const s32 g = code_of(curves, product_of_row<1, 13>(p.primaries, red, green, blue));
    const s32 e = code_of(curves, product_of_row<2, 13>(p.primaries, red, green, blue));
    const s32 luma = product_of_row<0, 14>(p.encode, r, g, e);
    const s32 u_new = product_of_row<1, 14>(p.encode, r, g, e), v_new = product_of_row<2, 14>(p.encode, r, g, e);
    const s32 largest = max_of(max_of(magnitude_of(u_new), magnitude_of(v_new)), 2047);
    return {clamp_to(luma + 256, 0, 4095), floor_divide(u_new * 2047, largest) + 2048,
            floor_divide(v_new * 2047, largest) + 2048};
}
