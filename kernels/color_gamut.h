// Color gamut compression of the color pipe (seed 003:6816-7051). docs/color.md. 1.0 is 4096 here.
#pragma once
#include "color_skin.h"
#include "color_tone.h"

struct ColorGamut {
    s32 enable, full_range_mapping, xvycc;
    s32 line_shift;
    s32 inner[2], outer[2];  // mapping lengths: above the vertex, then at and below it
    s32 scaling_mode;        // of pairs that share chroma: 0 minimum, 1 maximum, 2 average
    s32 pad_;
};
static_assert(sizeof(ColorGamut) == 40, "parameter layout");

struct GamutPixel {
    s32 luma, scaling;  // new luma and what chroma is multiplied by, in 1/4096
};

FN s32 decoded_luma(const ColorGamut& g, s32 y) { return g.xvycc ? (y - 256) * 4788 >> 12 : y; }
FN s32 decoded_chroma(const ColorGamut& g, s32 c) { return g.xvycc ? (c - 2048) * 4681 >> 12 : c - 2048; }

// floor(a / b) of integers below 2^24, b not 0: the rounded quotient is on the right side of every integer, because
// a / b is either that integer or further from it than half its last place.
FN s32 floor_divide(s32 a, s32 b) {
    const float q = (float)a / (float)b;
    const s32 t = (s32)q;
    return t - (q < (float)t);
}

// floor(sqrt(n)) of a number below 2^23, in the same way
FN s32 square_root(s32 n) { return (s32)root_of((float)n); }

// floor(a / b), of whose numerator only the lowest 32 bits are needed, and of which `near` is known to a quarter: what
// remains of a after the whole number below it decides. b below 2^31.
FN s32 corrected_quotient(u32 a, u32 b, float near) {
    const float low = near - 0.25f;
    const s32 cut = (s32)low, guess = cut - (low < (float)cut);
    return guess + (a - (u32)guess * b >= b);
}

// a or b, as arithmetic: the compiler would make branches of a choice between expressions.
FN s32 chosen(bool condition, s32 a, s32 b) { return b ^ ((a ^ b) & -(s32)condition); }

// A pixel in the half plane of its hue (6888-6967); 1.0 is 4096.
struct GamutPlace {
    s32 luma, chroma;
    s32 tip, tip_luma;  // of the RGB cube's outline
    bool outside;
};

// What it has of its chroma alone.
struct GamutHue {
    s32 chroma, tip, tip_luma;
};

// vertices: [512 hues][chroma, luma].
FN GamutHue gamut_hue(const s32* __restrict__ vertices, s32 u, s32 v) {
    const s32 index = hue_angle(u, v) & 511;
    const s32 tip = vertices[2 * index], upper_luma = vertices[2 * index + 1];
    const bool upper_side = (v > 0) | ((v == 0) & (u > 0));
    return {square_root(u * u + v * v), tip, chosen(upper_side, upper_luma, 4096 - upper_luma)};
}

FN bool is_outside(GamutHue h, s32 luma) {
    const s32 over = (luma - 4096) * h.tip - (h.tip_luma - 4096) * h.chroma, under = luma * h.tip - h.tip_luma * h.chroma;
    const bool high = luma >= h.tip_luma;
    return ((high & (over >= 0)) | (!high & (under < 0))) & (h.chroma > 0);
}

FN GamutPlace gamut_place(GamutHue h, s32 luma) { return {luma, h.chroma, h.tip, h.tip_luma, is_outside(h, luma)}; }
FN GamutPlace gamut_place(const s32* __restrict__ vertices, s32 luma, s32 u, s32 v) {
    return gamut_place(gamut_hue(vertices, u, v), luma);
}

// The scaling factor of a pixel and its luma (6969-7045).
FN GamutPixel compressed(const ColorGamut& g, GamutPlace at) {
    const s32 luma = at.luma, c = at.chroma, tip = at.tip, tip_luma = at.tip_luma;
    const bool above = luma > tip_luma;
    const s32 end = chosen(above, 4096, 0);
    const s32 boundary = tip_luma - end;  // the boundary falls from the tip by this over `tip`

    // Where the compression line, of slope -tip / (boundary * 2^shift), meets the boundary; less than 8192 in size.
    const s32 steep = boundary * (1 << g.line_shift), rise = luma - end;
    const u32 reach = ((u32)rise * (u32)steep + (u32)(c * tip)) * (u32)tip;
    const u32 spread = (u32)boundary * (u32)steep + (u32)(tip * tip);
    const float near_reach = ((float)rise * (float)steep + (float)(c * tip)) * (float)tip;
    const float near_spread = (float)boundary * (float)steep + (float)(tip * tip);
    const s32 meeting = max_of(corrected_quotient(reach, spread, near_reach / near_spread), 0);

    // How far the reference point, level with the tip, lies inward on that line. Only a fall below c matters; there
    // the quotient is near enough.
    const s32 height = magnitude_of(luma - tip_luma), slant = magnitude_of(steep);
    const float near_fall = (float)height * (float)slant / (float)tip;
    const s32 origin = max_of(c - corrected_quotient((u32)height * (u32)slant, (u32)tip, near_fall), 0);
    const s32 to_boundary = max_of(meeting - origin, 0), distance = c - origin;
    const s32 inner = min_of(chosen(above, g.inner[0], g.inner[1]), to_boundary);
    const s32 both = inner + chosen(above, g.outer[0], g.outer[1]);
    const s32 begin = to_boundary - inner;
    const s32 rest = floor_divide(max_of(distance - begin, 0) * inner, max_of(both, 1));
    const s32 squeezed = chosen(distance <= begin, c, origin + min_of(to_boundary, begin + rest));
    const s32 clipped = min_of(c, meeting);
    const s32 mapped = chosen(meeting < origin, clipped, squeezed);
    const s32 chroma = chosen(g.full_range_mapping, mapped, chosen(at.outside, clipped, c));

    const s32 scaling = floor_divide(chroma * 4096, max_of(c, 1));
    return {luma + floor_divide((c - chroma) * tip, steep), chosen(chroma != c, scaling, 4096)};
}

FN s32 encoded_luma(const ColorGamut& g, s32 luma) {
    return clamp_to(g.xvycc ? (luma * 3504 >> 12) + 256 : luma, 0, 4095);
}
FN s32 encoded_chroma(const ColorGamut& g, s32 c) {
    return clamp_to((g.xvycc ? c * 3584 >> 12 : c) + 2048, 0, 4095);
}
