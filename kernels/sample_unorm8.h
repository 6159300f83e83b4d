// What the anisotropic vector loops (sample_aniso8.h) are made of, and their case of one probe: 8-bit texels of a 2D
// surface, bilinear, on one level or between two. Samplers without anisotropy have sample_plane.h.
//
// It computes exactly what sample.h does for these states: addresses of an axis at a time into scratch, then the sums of
// a level, then both levels' blend. Borders, offsets, arrays and nearest filters are left to sample.h.
#pragma once
#include "sample_filter.h"
#include "sample_sums.h"

struct BilinearStrip {
    s32 number[SAMPLE_TILE], beta[SAMPLE_TILE];                    // of each sample's level
    s32 left[SAMPLE_TILE], right[SAMPLE_TILE], across[SAMPLE_TILE];  // columns, and the weight of the right one
    s32 upper[SAMPLE_TILE], lower[SAMPLE_TILE], down[SAMPLE_TILE];   // rows as texels, and the weight of the lower one
    u32 above[2 * SAMPLE_TILE], under[2 * SAMPLE_TILE];  // left and right texel of each sample
    u32 sums[4][SAMPLE_TILE];
};

// Size of each sample's level along an axis.
struct EachSize {
    s32 size;
    const s32* number;
    FN_MEMBER s32 operator()(s32 i) const { return max_of(size >> number[i], 1); }
};

// The texel of an index from -1 to size, or to 2 size if mirrored. Masks and limits instead of branches, as a compiler
// that finds branches makes them jumps.
template <int MODE> FN s32 near_index(s32 i, s32 size) {
    if (MODE == ADDRESS_WRAP) {
        const s32 beyond = i + (size & i >> 31) - size;
        return beyond + (size & beyond >> 31);
    }
    if (MODE == ADDRESS_MIRROR) {
        const s32 reflected = i ^ i >> 31;  // -1 - i for negative i
        return max_of(min_of(reflected, 2 * size - 1 - reflected), 0);
    }
    const s32 index = MODE == ADDRESS_MIRROR_ONCE ? i ^ i >> 31 : max_of(i, 0);
    return min_of(index, size - 1);
}

enum : u32 { POSITION_FAR = 0x4a800000u, POSITION_MOST = 0x4e800000u };  // 2^22 and 2^30 as float bits

// x, but 0 for NaN, with a magnitude up to that of `most`: without a comparison of floats, which would not stay one loop.
FN float limited(float x, u32 most) {
    const u32 bits = bits_of(x), magnitude = magnitude_of(bits);
    const u32 number = (u32)((s32)(magnitude - FLOAT_INFINITY - 1) >> 31);  // all ones, or 0 for NaN
    return float_of((bits & FLOAT_SIGN) | min_of(magnitude & number, most));
}

// Where the first texel of a linear filter lies, in 1/256; `up` is 2 to round, as it doubles what is left so that halves
// reach one, or 0. What is left of the smallest negative numbers is one, not below it.
template <int MODE> FN s32 linear_corner(float coordinate, s32 texels, float up) {
    float u = limited(coordinate, POSITION_FAR);
    if (MODE == ADDRESS_WRAP) u = u - (float)floor_of(u);
    if (MODE == ADDRESS_MIRROR) u = u - (float)(2 * floor_of(u * 0.5f));
    if (MODE == ADDRESS_MIRROR_ONCE) u = limited(u, FLOAT_ONE);
    float x = u * (float)(texels * POSITION_ONE);
    if (MODE == ADDRESS_CLAMP) x = limited(x, POSITION_MOST);
    const s32 whole = MODE == ADDRESS_WRAP || MODE == ADDRESS_MIRROR ? (s32)x : floor_of(x);  // never negative
    return whole + ((x - (float)whole) * up >= 1.0f) - BILINEAR_HALF;
}

template <int MODE, typename Size>
FN void axis_addresses(const float* __restrict__ coordinates, s32 n, Size size, bool rounded, s32* __restrict__ first,
                       s32* __restrict__ second, s32* __restrict__ weights) {
    const float up = rounded ? 2.0f : 0.0f;
    FOR_EACH(i, n) {
        const s32 texels = size(i);
        const s32 corner = linear_corner<MODE>(coordinates[i], texels, up);
        first[i] = near_index<MODE>(corner >> 8, texels);
        second[i] = near_index<MODE>((corner >> 8) + 1, texels);
        weights[i] = corner & (POSITION_ONE - 1);
    }
}

template <typename Size>
FN void axis_addresses(s32 mode, const float* coordinates, s32 n, Size size, bool rounded, s32* first, s32* second,
                       s32* weights) {
    switch (mode) {
        case ADDRESS_WRAP: return axis_addresses<ADDRESS_WRAP>(coordinates, n, size, rounded, first, second, weights);
        case ADDRESS_MIRROR:
            return axis_addresses<ADDRESS_MIRROR>(coordinates, n, size, rounded, first, second, weights);
        case ADDRESS_MIRROR_ONCE:
            return axis_addresses<ADDRESS_MIRROR_ONCE>(coordinates, n, size, rounded, first, second, weights);
        default: return axis_addresses<ADDRESS_CLAMP>(coordinates, n, size, rounded, first, second, weights);
    }
}

// Two texels next to each other, at the address of the first.
struct __attribute__((packed, may_alias)) TexelPair {
    u64 value;
};

// Texels of all samples, left and right in turn. Neighbors are one load, which a processor does sooner than a gather of
// four; where an edge of the surface parts them, and on a GPU, which does four as fast, they are fetched one by one.
FN void fetch_pairs(BilinearStrip& s, const u32* __restrict__ texels, s32 n) {
    if (ON_DEVICE(true, false)) {
        s32 apart = 0;
        for (s32 i = 0; i < n; ++i) apart |= s.right[i] - s.left[i] - 1;
        if (!apart) {
            FOR_EACH(i, n) {
                ((TexelPair*)s.above)[i].value = ((const TexelPair*)(texels + s.upper[i] + s.left[i]))->value;
                ((TexelPair*)s.under)[i].value = ((const TexelPair*)(texels + s.lower[i] + s.left[i]))->value;
            }
            return;
        }
    }
    FOR_EACH(i, n) {
        const s32 upper = s.upper[i], lower = s.lower[i], left = s.left[i], right = s.right[i];
        s.above[2 * i] = texels[upper + left];
        s.above[2 * i + 1] = texels[upper + right];
        s.under[2 * i] = texels[lower + left];
        s.under[2 * i + 1] = texels[lower + right];
    }
}

template <bool SECOND> FN void level_sums(BilinearStrip& s, const u32* __restrict__ texels, s32 n) {
    u32 *red = s.sums[0], *green = s.sums[1], *blue = s.sums[2], *alpha = s.sums[3];
    fetch_pairs(s, texels, n);
    FOR_EACH(i, n) {
        const SumsOfTexels sums = bilinear_sums(s.above[2 * i], s.above[2 * i + 1], s.under[2 * i], s.under[2 * i + 1],
                                                (u32)s.across[i], (u32)s.down[i]);
        const s32 beta = s.beta[i];
        red[i] = SECOND ? Unorm8::blend_levels(red[i], sums.channel[0], beta) : sums.channel[0];
        green[i] = SECOND ? Unorm8::blend_levels(green[i], sums.channel[1], beta) : sums.channel[1];
        blue[i] = SECOND ? Unorm8::blend_levels(blue[i], sums.channel[2], beta) : sums.channel[2];
        alpha[i] = SECOND ? Unorm8::blend_levels(alpha[i], sums.channel[3], beta) : sums.channel[3];
    }
}

FN void each_level_addresses(BilinearStrip& s, const SampleParams& p, s64 first, s32 n) {
    const SampleLevel* __restrict__ levels = p.level;
    const EachSize width = {levels[0].width, s.number}, height = {levels[0].height, s.number};
    axis_addresses(p.address[0], p.coordinate[0] + first, n, width, p.round_mag & 1, s.left, s.right, s.across);
    axis_addresses(p.address[1], p.coordinate[1] + first, n, height, p.round_mag & 2, s.upper, s.lower, s.down);
    BARRIER();
    FOR_EACH(i, n) {
        const s32 begin = levels[s.number[i]].first, texels = width(i);
        s.upper[i] = begin + s.upper[i] * texels;
        s.lower[i] = begin + s.lower[i] * texels;
    }
    BARRIER();
}

FN void show_sums(const BilinearStrip& s, const SampleParams& p, s64 first, s32 n) {
    if (p.codes) {
        u32* __restrict__ words = (u32*)p.out + first;
        FOR_EACH(i, n) {
            words[i] = Unorm8::code(s.sums[0][i]) | Unorm8::code(s.sums[1][i]) << 8 | Unorm8::code(s.sums[2][i]) << 16 |
                       Unorm8::code(s.sums[3][i]) << 24;
        }
    } else {
        float* __restrict__ numbers = (float*)p.out + 4 * first;
        FOR_EACH(i, n) {
            UNROLL for (int c = 0; c < 4; ++c) numbers[4 * i + c] = (float)(s32)s.sums[c][i] / 16711680.0f;
        }
    }
}

FN void sample_trilinear_tile(const SampleParams& p, s32 tile_x, s32 tile_y) {
    SHARED BilinearStrip strip;
    const s64 first = ((s64)tile_y * 64 + tile_x) * SAMPLE_TILE;
    const s32 n = (s32)min_of(p.count - first, (s64)SAMPLE_TILE), last = p.levels - 1;
    const u32* texels = (const u32*)p.texels;
    const s32* __restrict__ lods = p.lods + first;
    FOR_EACH(i, n) {
        const LodLevels lod = levels_of_lod(p, lods[i]);
        strip.number[i] = lod.first;
        strip.beta[i] = lod.beta;
    }
    BARRIER();
    each_level_addresses(strip, p, first, n);
    level_sums<false>(strip, texels, n);
    BARRIER();
    FOR_EACH(i, n) strip.number[i] = min_of(strip.number[i] + 1, last);
    BARRIER();
    each_level_addresses(strip, p, first, n);
    level_sums<true>(strip, texels, n);
    BARRIER();
    show_sums(strip, p, first, n);
}
