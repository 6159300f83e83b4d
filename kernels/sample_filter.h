// Filtering of expanded texels: one struct per kind of number, each with its own exact arithmetic (docs/sampler.md).
#pragma once
#include "sample_address.h"

// Four channels, as 8-bit codes, float bits, integers, or sums of codes.
struct Color {
    u32 channel[4];
};

// 8-bit UNORM: sums of codes times weights, 16 bits after the point of a code.
struct Unorm8 {
    enum { FILTERS = true };
    FN Color fetch(const void* texels, s32 index) {
        const u32 word = ((const u32*)texels)[index];
        const Color c = {{word & 255, word >> 8 & 255, word >> 16 & 255, word >> 24}};
        return c;
    }
    FN u32 halfway(u32 a, u32 b) { return (a + b + 1) >> 1; }
    FN u32 mean(u32 a, u32 b, u32 c) { return (a + b + c + 1) / 3; }
    FN u32 compared(bool truth) { return truth ? 0 : 255; }
    FN float number(u32 a) { return (float)a / 255.0f; }
    // Along one axis; what is not filtered is a weight of 256.
    FN u32 blend(u32 a, u32 b, s32 weight) { return a * (256 - (u32)weight) + b * (u32)weight; }
    FN u32 finish(u32 sum, s32 axes) { return axes == 3 ? (u32)(((u64)sum + 128) >> 8) : sum << 8 * (2 - axes); }
    FN u32 blend_levels(u32 a, u32 b, s32 beta) { return (a * (256 - (u32)beta) + b * (u32)beta + 128) >> 8; }
    // Probes of the anisotropic filter: 8 bits after the point times weights, whose sum is 65536.
    FN u32 no_probe(u32) { return 0; }
    FN u32 add_probe(u32 sum, u32, u32 a, s32 weight) { return sum + ((a + 128) >> 8) * (u32)weight; }
    FN u32 finish_probes(u32 sum) { return (sum + 128) >> 8; }
    FN u32 shown(u32 a) { return bits_of((float)a / 16711680.0f); }
    FN u32 code(u32 a) { return (a + 32768) >> 16; }
    FN u32 shown_texel(u32 a) { return bits_of((float)a / 255.0f); }
};

// Floats: a + (b - a) * weight, each operation rounded.
struct Float {
    enum { FILTERS = true };
    FN Color fetch(const void* texels, s32 index) { return ((const Color*)texels)[index]; }
    FN u32 halfway(u32 a, u32 b) { return blend(a, b, 128); }
    FN u32 mean(u32 a, u32 b, u32 c) { return bits_of((float_of(a) + float_of(b) + float_of(c)) / 3.0f); }
    FN u32 compared(bool truth) { return truth ? 0 : (u32)FLOAT_ONE; }
    FN float number(u32 a) { return float_of(a); }
    FN u32 blend(u32 a, u32 b, s32 weight) {
        const float left = float_of(a), right = float_of(b);
        if (weight == 0 || left == right) return a;
        return bits_of(left + (right - left) * ((float)weight * (1.0f / 256.0f)));
    }
    FN u32 finish(u32 a, s32) { return a; }
    FN u32 blend_levels(u32 a, u32 b, s32 beta) { return blend(a, b, beta); }
    // The first probe, and what the others differ from it, so that a flat texture stays flat.
    FN u32 no_probe(u32 first) { return first; }
    FN u32 add_probe(u32 sum, u32 first, u32 a, s32 weight) {
        const float from = float_of(first), value = float_of(a);
        if (from == value) return sum;
        return bits_of(float_of(sum) + (value - from) * ((float)weight * (1.0f / 65536.0f)));
    }
    FN u32 finish_probes(u32 sum) { return sum; }
    FN u32 shown(u32 a) { return a; }
    FN u32 code(u32) { return 0; }
    FN u32 shown_texel(u32 a) { return a; }
};

// Integers are never filtered.
struct Integer {
    enum { FILTERS = false };
    FN Color fetch(const void* texels, s32 index) { return ((const Color*)texels)[index]; }
    FN u32 halfway(u32 a, u32) { return a; }
    FN u32 mean(u32 a, u32, u32) { return a; }
    FN u32 compared(bool) { return 0; }
    FN float number(u32) { return 0.0f; }
    FN u32 blend(u32 a, u32, s32) { return a; }
    FN u32 finish(u32 a, s32) { return a; }
    FN u32 blend_levels(u32 a, u32, s32) { return a; }
    FN u32 no_probe(u32 first) { return first; }
    FN u32 add_probe(u32 sum, u32, u32, s32) { return sum; }
    FN u32 finish_probes(u32 sum) { return sum; }
    FN u32 shown(u32 a) { return a; }
    FN u32 code(u32) { return 0; }
    FN u32 shown_texel(u32 a) { return a; }
};

FN bool compare_holds(s32 compare, float texel, float reference) {
    switch (compare) {
        case COMPARE_ALWAYS: return true;
        case COMPARE_NEVER: return false;
        case COMPARE_LESS: return texel < reference;
        case COMPARE_EQUAL: return texel == reference;
        case COMPARE_LEQUAL: return texel <= reference;
        case COMPARE_GREATER: return texel > reference;
        case COMPARE_NOTEQUAL: return texel != reference;
        default: return texel >= reference;
    }
}

// Where a sample is in its surface.
struct SamplePlace {
    s32 slice, face;
    float reference;
};

template <typename Kind> FN Color cube_color(const SampleParams& p, const SampleLevel& l, SamplePlace at, s32 i, s32 j) {
    const CubeTexel t = cube_texel(at.face, i, j, l.width);
    return Kind::fetch(p.texels, l.first + ((at.slice * 6 + t.face) * l.height + t.j) * l.width + t.i);
}

// One texel as the filter sees it: the border, faces beyond an edge, and comparison come before (003:605, 660, 696).
template <typename Kind>
FN Color texel_color(const SampleParams& p, const SampleLevel& l, SamplePlace at, s32 i, s32 j, s32 k, bool outside) {
    Color color;
    if (outside) {
        for (s32 c = 0; c < 4; ++c) color.channel[c] = p.outside[c];
    } else if (p.dimension == SAMPLE_CUBE && p.address[0] == ADDRESS_CUBE) {
        const s32 near_i = clamp_to(i, 0, l.width - 1), near_j = clamp_to(j, 0, l.height - 1);
        if (i != near_i && j != near_j) {  // three faces meet: the mean of their texels
            const Color a = cube_color<Kind>(p, l, at, near_i, near_j), b = cube_color<Kind>(p, l, at, i, near_j);
            const Color d = cube_color<Kind>(p, l, at, near_i, j);
            for (s32 c = 0; c < 4; ++c) color.channel[c] = Kind::mean(a.channel[c], b.channel[c], d.channel[c]);
        } else {
            color = cube_color<Kind>(p, l, at, i, j);
        }
    } else {
        const AxisTexel none = {0, PLACE_INSIDE};
        const AxisTexel x = texel_of_index(i, l.width, p.address[0]);
        const AxisTexel y = p.dimension == SAMPLE_1D ? none : texel_of_index(j, l.height, p.address[1]);
        const AxisTexel z = p.dimension == SAMPLE_3D ? texel_of_index(k, l.depth, p.address[2]) : none;
        const s32 slice = p.dimension == SAMPLE_CUBE ? at.slice * 6 + at.face : at.slice + z.index;
        const s32 place = x.place | y.place | z.place;
        color = Kind::fetch(p.texels, l.first + (slice * l.height + y.index) * l.width + x.index);
        if (place)
            for (s32 c = 0; c < 4; ++c)
                color.channel[c] =
                    place & PLACE_BORDER ? p.border[c] : Kind::halfway(color.channel[c], p.border[c]);
    }
    if (p.compare != COMPARE_NONE) {
        const bool truth = compare_holds(p.compare, Kind::number(color.channel[p.compare_channel]), at.reference);
        for (s32 c = 0; c < 4; ++c)
            if (p.compare_replaces >> c & 1) color.channel[c] = Kind::compared(truth);
    }
    return color;
}
