// Sums of 8-bit texels: codes times weights, exact, 16 bits after the point.
#pragma once
#include "portable.h"

// Two channels at once, 16 bits each: a (256 - weight) + b weight.
FN u32 blend_pair(u32 a, u32 b, u32 rest, u32 weight) { return a * rest + b * weight; }

struct SumsOfTexels {
    u32 channel[4];
};

FN SumsOfTexels bilinear_sums(u32 a, u32 b, u32 c, u32 d, u32 across, u32 down) {
    const u32 mask = 0x00ff00ff, left = 256 - across, up = 256 - down;
    const u32 upper_even = blend_pair(a & mask, b & mask, left, across);
    const u32 upper_odd = blend_pair(a >> 8 & mask, b >> 8 & mask, left, across);
    const u32 lower_even = blend_pair(c & mask, d & mask, left, across);
    const u32 lower_odd = blend_pair(c >> 8 & mask, d >> 8 & mask, left, across);
    const SumsOfTexels sums = {{blend_pair(upper_even & 0xffff, lower_even & 0xffff, up, down),
                                blend_pair(upper_odd & 0xffff, lower_odd & 0xffff, up, down),
                                blend_pair(upper_even >> 16, lower_even >> 16, up, down),
                                blend_pair(upper_odd >> 16, lower_odd >> 16, up, down)}};
    return sums;
}

FN u32 code_word(u32 r, u32 g, u32 b, u32 a) {
    const u32 half = 32768;
    return (r + half) >> 16 | ((g + half) >> 8 & 0xff00) | ((b + half) & 0xff0000) | ((a + half) & 0xff0000) << 8;
}
