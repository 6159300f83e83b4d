// Level of detail: from derivatives to 1/256, and which levels a LOD names (seed 003:414-535, holes S1-S4).
#pragma once
#include "formats.h"
#include "sample_params.h"

enum { LOD_ONE = 256, LOD_MOST = 16 * LOD_ONE - 1 };                    // of numbers, S4.8
enum { DERIVED_LEAST = -32 * LOD_ONE, DERIVED_MOST = 32 * LOD_ONE - 1 };  // before biases, which are S4.8 themselves

// Mantissas (24 bits) from which on log2 rounds to the next 1/128: ceil(2^23 * 2^((k + 1/2) / 128)).
TABLE u32 LOD_LIMITS[130] = {
    0x08058d8, 0x0810b41, 0x081bea2, 0x08272fc, 0x0832851, 0x083dea2, 0x08495f0, 0x0854e3d, 0x086078b, 0x086c1da,
    0x0877d2b, 0x0883982, 0x088f6de, 0x089b541, 0x08a74ad, 0x08b3523, 0x08bf6a5, 0x08cb933, 0x08d7cd0, 0x08e417d,
    0x08f073b, 0x08fce0d, 0x09095f2, 0x0915eee, 0x0922900, 0x092f42c, 0x093c072, 0x0948dd4, 0x0955c54, 0x0962bf2,
    0x096fcb1, 0x097ce93, 0x098a198, 0x09975c2, 0x09a4b14, 0x09b218e, 0x09bf932, 0x09cd201, 0x09dabfe, 0x09e872b,
    0x09f6387, 0x0a04117, 0x0a11fda, 0x0a1ffd2, 0x0a2e103, 0x0a3c36c, 0x0a4a710, 0x0a58bf0, 0x0a6720e, 0x0a7596d,
    0x0a8420c, 0x0a92bf0, 0x0aa1718, 0x0ab0387, 0x0abf13f, 0x0ace042, 0x0add090, 0x0aec22d, 0x0afb51a, 0x0b0a958,
    0x0b19ee9, 0x0b295d0, 0x0b38e0f, 0x0b487a6, 0x0b58298, 0x0b67ee7, 0x0b77c95, 0x0b87ba4, 0x0b97c15, 0x0ba7dea,
    0x0bb8126, 0x0bc85ca, 0x0bd8bd9, 0x0be9354, 0x0bf9c3d, 0x0c0a696, 0x0c1b261, 0x0c2bfa1, 0x0c3ce57, 0x0c4de86,
    0x0c5f02e, 0x0c70353, 0x0c817f7, 0x0c92e1b, 0x0ca45c2, 0x0cb5eed, 0x0cc79a0, 0x0cd95db, 0x0ceb3a1, 0x0cfd2f5,
    0x0d0f3d8, 0x0d2164d, 0x0d33a55, 0x0d45ff3, 0x0d5872a, 0x0d6affa, 0x0d7da68, 0x0d90674, 0x0da3421, 0x0db6372,
    0x0dc9468, 0x0ddc706, 0x0defb4f, 0x0e03144, 0x0e168e7, 0x0e2a23c, 0x0e3dd45, 0x0e51a03, 0x0e6587a, 0x0e798ab,
    0x0e8da9a, 0x0ea1e48, 0x0eb63b8, 0x0ecaaec, 0x0edf3e7, 0x0ef3eac, 0x0f08b3c, 0x0f1d99a, 0x0f329ca, 0x0f47bcc,
    0x0f5cfa5, 0x0f72556, 0x0f87ce1, 0x0f9d64b, 0x0fb3194, 0x0fc8ec1, 0x0fdedd2, 0x0ff4ecc, 0x100b1b0, 0x1021682,
};
// Steps of 1/128 that are certain for mantissas of the same first 7 bits after the point; at most two more are left.
TABLE s32 LOD_CERTAIN[128] = {
    0, 1, 3, 4, 6, 7, 8, 10, 11, 13, 14, 15, 17, 18, 19, 20, 22, 23, 24, 26,
    27, 28, 29, 31, 32, 33, 34, 35, 37, 38, 39, 40, 41, 42, 44, 45, 46, 47, 48, 49,
    50, 51, 52, 53, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70,
    71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 81, 82, 83, 84, 85, 86, 87, 88, 89,
    90, 91, 91, 92, 93, 94, 95, 96, 97, 97, 98, 99, 100, 101, 102, 103, 103, 104, 105, 106,
    107, 107, 108, 109, 110, 111, 111, 112, 113, 114, 115, 115, 116, 117, 118, 118, 119, 120, 121, 121,
    122, 123, 124, 124, 125, 126, 127, 127,
};

FN float zero_for_nan(float x) { return x == x ? x : 0.0f; }
FN u32 number_bits(float x) { return bits_of(x) & (u32)((s32)(magnitude_of(bits_of(x)) - FLOAT_INFINITY - 1) >> 31); }

// From the squared length of a vector, as float bits: log2 of its length, half that of its square. Limits are where no bias
// brings it back to a level of its own; they take care of 0, of infinity, and of denormals, whose mantissa means less.
FN s32 lod_of_square(u32 square) {
    const u32 mantissa = (square & 0x7fffff) | 0x800000;
    const s32 exponent = (s32)(square >> 23) - 127, certain = LOD_CERTAIN[mantissa >> 16 & 127];
    const s32 lod = 128 * exponent + certain + (mantissa >= LOD_LIMITS[certain]) + (mantissa >= LOD_LIMITS[certain + 1]);
    return clamp_to(lod, (s32)DERIVED_LEAST, (s32)DERIVED_MOST);
}
FN u32 longer_square(float x, float y) { return max_of(number_bits(x), number_bits(y)); }

// A number of 1/256, to nearest, halves up.
FN s32 lod_of_number(float x) {
    const float scaled = clamp_to(zero_for_nan(x), -16.0f, 16.0f) * 256.0f;
    s32 whole = (s32)scaled;
    whole -= (float)whole > scaled;
    whole += scaled - (float)whole >= 0.5f;
    return min_of(whole, (s32)LOD_MOST);
}

struct LodLevels {
    bool magnified, out_of_bounds;
    s32 first, second, beta;
    s32 clamped;
};

FN s32 floor_lod(s32 lod) { return lod & ~(LOD_ONE - 1); }

// The manual's pseudocode after biasing; levels count from Surface Min LOD.
FN LodLevels levels_of_lod(const SampleParams& p, s32 lod) {
    LodLevels at;
    const s32 mip_count = (p.levels - 1) * LOD_ONE;
    const s32 most = min_of(p.max_lod, mip_count), least = max_of(min_of(p.min_lod, mip_count), p.resource_min_lod);
    at.out_of_bounds = p.resource_min_lod > mip_count;
    if (p.preclamp) lod = max_of(min_of(lod, p.max_lod), p.min_lod);
    at.magnified = lod - p.base <= 0;
    if (at.magnified || p.mip == MIP_NONE)
        lod = max_of(min_of(0, floor_lod(most + LOD_ONE - 1)), floor_lod(least));
    else
        lod = max_of(min_of(lod, most), least);
    if (!at.magnified && p.mip == MIP_NEAREST) lod = floor_lod(lod + LOD_ONE / 2);
    at.clamped = lod;
    at.beta = lod & (LOD_ONE - 1);
    at.first = lod >> 8;
    const s32 little = p.quality == QUALITY_MED ? 64 : p.quality == QUALITY_LOW ? 96 : 0;
    if (at.beta < little) {
        at.beta = 0;
    } else if (LOD_ONE - at.beta < little) {
        at.first += 1;
        at.beta = 0;
    }
    if (at.out_of_bounds) at.first = at.beta = 0;
    at.first = min_of(at.first, p.levels - 1);
    at.second = min_of(at.first + 1, p.levels - 1);
    return at;
}

// -- kernels ---------------------------------------------------------------------------------------------------------

enum LodSource { LOD_OF_GRADIENTS, LOD_OF_NUMBERS, LOD_OF_GRID };

struct LodParams {
    const float* coordinate[3];   // of a grid
    const float* gradient_x[3];   // for each sample
    const float* gradient_y[3];
    const float* numbers;         // the LOD itself
    const float* biases;          // or null
    s32* lods;
    float scale[3];               // texels for 1.0
    s32 source;                   // a LodSource
    s32 axes;
    s32 cube;                     // derivatives of directions, divided by their largest component
    s32 width, height;            // of the grid
    s32 bias;                     // 1/256
    s64 count;                    // samples: width * height * grids
};
static_assert(sizeof(LodParams) == 144, "parameter layout");

// A component of a direction, divided by the largest.
FN float major_coordinate(const float* const* coordinate, s32 axis, s64 i) {
    float largest = 0.0f;
    for (s32 a = 0; a < 3; ++a) {
        const float size = float_of(magnitude_of(bits_of(coordinate[a][i])));
        largest = size > largest ? size : largest;  // never NaN
    }
    return coordinate[axis][i] / largest;
}

FN s32 lod_of_gradients(const LodParams& p, s64 i) {
    float squares[2] = {0.0f, 0.0f};
    for (s32 a = 0; a < p.axes; ++a) {
        const float dx = p.gradient_x[a][i] * p.scale[a], dy = p.gradient_y[a][i] * p.scale[a];
        squares[0] = a ? squares[0] + dx * dx : dx * dx;
        squares[1] = a ? squares[1] + dy * dy : dy * dy;
    }
    return lod_of_square(longer_square(squares[0], squares[1]));
}

FN void sample_lods_tile(const LodParams& p, s32 tile_x, s32 tile_y) {
    const s64 first = ((s64)tile_y * 64 + tile_x) * SAMPLE_TILE;
    FOR_EACH(i, (s32)min_of(p.count - first, (s64)SAMPLE_TILE)) {
        const s64 k = first + i;
        const s32 lod = p.source == LOD_OF_GRADIENTS ? lod_of_gradients(p, k) : lod_of_number(p.numbers[k]);
        p.lods[k] = lod + p.bias + (p.biases ? lod_of_number(p.biases[k]) : 0);
    }
}

// -- from a grid -----------------------------------------------------------------------------------------------------

// Rows of one grid, and the quads of a tile's columns: a last column or row without a partner has the quad before it.
struct GridRows {
    s64 top, below;  // first texels of a quad's two rows
};
FN GridRows grid_rows(s32 width, s32 height, s32 row) {
    const s32 y = row % height, top = max_of(min_of(y & ~1, height - 2), 0);
    const s64 begin = (s64)(row - y + top) * width;
    const GridRows rows = {begin, begin + (height > 1 ? width : 0)};
    return rows;
}

// The squares of both derivatives along one axis, added to what the axes before it gave.
template <bool FIRST, bool CUBE>
FN void add_axis(const LodParams& p, s32 axis, GridRows rows, s32 left, s32 step, s32 quads, float* __restrict__ across,
                 float* __restrict__ down) {
    const float scale = p.scale[axis];
    const float *__restrict__ top = p.coordinate[axis] + rows.top + left, *below = p.coordinate[axis] + rows.below + left;
    FOR_EACH(q, quads) {
        const s64 at = rows.top + left + 2 * q, under = rows.below + left + 2 * q;
        const float here = CUBE ? major_coordinate(p.coordinate, axis, at) : top[2 * q];
        const float beside = CUBE ? major_coordinate(p.coordinate, axis, at + step) : top[2 * q + step];
        const float lower = CUBE ? major_coordinate(p.coordinate, axis, under) : below[2 * q];
        const float dx = (beside - here) * scale, dy = (lower - here) * scale;
        across[q] = FIRST ? dx * dx : across[q] + dx * dx;
        down[q] = FIRST ? dy * dy : down[q] + dy * dy;
    }
}

FN void quad_squares(const LodParams& p, GridRows rows, s32 left, s32 step, s32 quads, float* across, float* down,
                     u32* __restrict__ longer) {
    for (s32 axis = 0; axis < p.axes; ++axis) {
        if (p.cube && axis)
            add_axis<false, true>(p, axis, rows, left, step, quads, across, down);
        else if (p.cube)
            add_axis<true, true>(p, axis, rows, left, step, quads, across, down);
        else if (axis)
            add_axis<false, false>(p, axis, rows, left, step, quads, across, down);
        else
            add_axis<true, false>(p, axis, rows, left, step, quads, across, down);
    }
    FOR_EACH(q, quads) longer[q] = longer_square(across[q], down[q]);
}

// The longer square of each pair of n columns from `left`; for `across` and `down` there is scratch of that size.
FN_APART void grid_squares(const LodParams& p, GridRows rows, s32 left, s32 n, float* across, float* down, u32* longer) {
    const s32 pairs = n / 2;
    quad_squares(p, rows, left, 1, pairs, across, down, longer);
    if (n & 1) {  // the last column
        const s32 partner = p.width > 1;
        quad_squares(p, rows, left + n - 1 - partner, partner, 1, across + pairs, down + pairs, longer + pairs);
    }
}

FN void sample_grid_lods_tile(const LodParams& p, s32 tile_x, s32 row) {
    enum { QUADS = SAMPLE_TILE / 2 };
    SHARED float across[QUADS], down[QUADS];
    SHARED u32 longer[QUADS];
    SHARED s32 quads[QUADS];
    const s32 left = tile_x * SAMPLE_TILE, n = min_of(p.width - left, (s32)SAMPLE_TILE);
    grid_squares(p, grid_rows(p.width, p.height, row), left, n, across, down, longer);
    BARRIER();
    FOR_EACH(q, (n + 1) / 2) quads[q] = lod_of_square(longer[q]);
    BARRIER();
    const s64 first = (s64)row * p.width + left;
    s32* __restrict__ out = p.lods + first;
    if (p.biases) {
        const float* __restrict__ biases = p.biases + first;
        FOR_EACH(i, n) out[i] = quads[i >> 1] + p.bias + lod_of_number(biases[i]);
    } else {
        FOR_EACH(i, n) out[i] = quads[i >> 1] + p.bias;
    }
}
