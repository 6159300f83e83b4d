// ETC1, ETC2 and EAC (Khronos Data Format Specification 1.4, chapters "ETC1" and "ETC2"). Bit n of the specification's
// 64-bit integer is bit n - 32 of its first word, or bit n of its second, once their bytes are reversed.
#pragma once
#include "block_planes.h"

FN u32 reversed_bytes(u32 v) { return v << 24 | (v & 0xff00) << 8 | (v >> 8 & 0xff00) | v >> 24; }
FN u32 bits_of(u32 word, int high, int low) { return word >> low & ((2u << (high - low)) - 1); }

// Which blocks a color format has.
enum EtcKind { ETC1, ETC2, ETC2_PUNCH_THROUGH };

// -- colors -----------------------------------------------------------------------------------------------------------

// b << 16 | a by table codeword (table "ETC2 intensity modifier sets").
FN u32 etc_modifiers(u32 codeword) {
    const u32 all[8] = {8 << 16 | 2,   17 << 16 | 5,  29 << 16 | 9,   42 << 16 | 13,
                        60 << 16 | 18, 80 << 16 | 24, 106 << 16 | 33, 183 << 16 | 47};
    return pick8(all, codeword);
}
FN u32 etc_distance(u32 index) {
    const u32 all[8] = {3, 6, 11, 16, 23, 32, 41, 64};
    return pick8(all, index);
}

struct EtcColor {
    s32 r, g, b;
};
FN EtcColor etc_color4(u32 r, u32 g, u32 b) { return {(s32)expand4(r), (s32)expand4(g), (s32)expand4(b)}; }
FN EtcColor etc_color5(u32 r, u32 g, u32 b) { return {(s32)expand5(r), (s32)expand5(g), (s32)expand5(b)}; }
FN u32 etc_texel(const EtcColor& base, s32 modifier) {
    return rgb_of(clamp_byte(base.r + modifier), clamp_byte(base.g + modifier), clamp_byte(base.b + modifier)) |
           0xff000000u;
}
FN EtcColor etc_pick(u32 bit, const EtcColor& zero, const EtcColor& one) {
    return {bit ? one.r : zero.r, bit ? one.g : zero.g, bit ? one.b : zero.b};
}

// A base color and the second one, its three-bit difference added; a sum outside of 0..31 is no color but chooses
// another mode.
struct EtcSum {
    u32 first, second;
    FN_MEMBER u32 outside() const { return second >> 5 & 1; }  // -4 to -1, or 32 to 34
};
FN EtcSum etc_sum(u32 word, int low) {
    const u32 first = bits_of(word, low + 7, low + 3);
    return {first, first + (bits_of(word, low + 2, low) ^ 4) - 4};
}

// Individual and differential modes: the palettes of both subblocks.
FN void etc_subblock_palettes(u32 high, u32 differs, u32 opaque, u32* palette) {
    const EtcSum r = etc_sum(high, 24), g = etc_sum(high, 16), b = etc_sum(high, 8);
    const EtcColor four_1 = etc_color4(bits_of(high, 31, 28), bits_of(high, 23, 20), bits_of(high, 15, 12));
    const EtcColor four_2 = etc_color4(bits_of(high, 27, 24), bits_of(high, 19, 16), bits_of(high, 11, 8));
    const EtcColor five_1 = etc_color5(r.first, g.first, b.first);
    const EtcColor five_2 = etc_color5(r.second & 31, g.second & 31, b.second & 31);
    const EtcColor base[2] = {etc_pick(differs, four_1, five_1), etc_pick(differs, four_2, five_2)};
    UNROLL for (int s = 0; s < 2; ++s) {
        const u32 modifiers = etc_modifiers(s ? bits_of(high, 4, 2) : bits_of(high, 7, 5));
        const s32 large = (s32)(modifiers >> 16), small = opaque ? (s32)(modifiers & 0xffff) : 0;
        palette[4 * s] = etc_texel(base[s], small);
        palette[4 * s + 1] = etc_texel(base[s], large);
        palette[4 * s + 2] = etc_texel(base[s], -small);
        palette[4 * s + 3] = etc_texel(base[s], -large);
    }
}

// T and H modes: the four paint colors.
FN void etc_paint_colors(u32 high, u32 h_mode, u32* paint) {
    const EtcColor t_1 = etc_color4(bits_of(high, 28, 27) << 2 | bits_of(high, 25, 24), bits_of(high, 23, 20),
                                    bits_of(high, 19, 16));
    const EtcColor t_2 = etc_color4(bits_of(high, 15, 12), bits_of(high, 11, 8), bits_of(high, 7, 4));
    const EtcColor h_1 = etc_color4(bits_of(high, 30, 27), bits_of(high, 26, 24) << 1 | bits_of(high, 20, 20),
                                    bits_of(high, 19, 19) << 3 | bits_of(high, 17, 15));
    const EtcColor h_2 = etc_color4(bits_of(high, 14, 11), bits_of(high, 10, 7), bits_of(high, 6, 3));
    const u32 h_ordered = (h_1.r << 16 | h_1.g << 8 | h_1.b) >= (h_2.r << 16 | h_2.g << 8 | h_2.b) ? 1 : 0;
    const u32 t_index = bits_of(high, 3, 2) << 1 | bits_of(high, 0, 0);
    const u32 h_index = bits_of(high, 2, 2) << 2 | bits_of(high, 0, 0) << 1 | h_ordered;
    const s32 distance = (s32)etc_distance(h_mode ? h_index : t_index), of_h = h_mode ? distance : 0;
    const EtcColor first = etc_pick(h_mode, t_1, h_1), second = etc_pick(h_mode, t_2, h_2);
    paint[0] = etc_texel(first, of_h);
    paint[1] = etc_texel(etc_pick(h_mode, second, first), h_mode ? -distance : distance);
    paint[2] = etc_texel(second, of_h);
    paint[3] = etc_texel(second, -distance);
}

// Planar mode: of R, G and B, 4 O + 2, H - O and V - O.
FN void etc_plane(u32 high, u32 low, u32* plane) {
    const u32 o[3] = {expand6(bits_of(high, 30, 25)),
                      expand7(bits_of(high, 24, 24) << 6 | bits_of(high, 22, 17)),
                      expand6(bits_of(high, 16, 16) << 5 | bits_of(high, 12, 11) << 3 | bits_of(high, 9, 7))};
    const u32 h[3] = {expand6(bits_of(high, 6, 2) << 1 | bits_of(high, 0, 0)), expand7(bits_of(low, 31, 25)),
                      expand6(bits_of(low, 24, 19))};
    const u32 v[3] = {expand6(bits_of(low, 18, 13)), expand7(bits_of(low, 12, 6)), expand6(bits_of(low, 5, 0))};
    UNROLL for (int c = 0; c < 3; ++c) {
        plane[3 * c] = 4 * o[c] + 2;
        plane[3 * c + 1] = h[c] - o[c];
        plane[3 * c + 2] = v[c] - o[c];
    }
}

// Planes of colors: the palettes of the upper left, upper right, lower left and lower right 2x2 texels, the pixel
// indices, and whether the block is planar. In a planar block the palettes of either half, and then the indices,
// instead hold the nine numbers of etc_plane.
enum { ETC_INDICES = 16, ETC_IS_PLANAR, ETC_PLANES };

template <int KIND, int PLANES>
FN void unpack_etc(BlockPlanes<PLANES>& out, s32 row, s32 i, u32 stored_high, u32 stored_low) {
    const u32 high = reversed_bytes(stored_high), low = reversed_bytes(stored_low);
    const u32 bit_33 = bits_of(high, 1, 1), flipped = bits_of(high, 0, 0);
    const u32 differs = KIND == ETC2_PUNCH_THROUGH ? 1 : bit_33, opaque = KIND != ETC2_PUNCH_THROUGH ? 1 : bit_33;
    const u32 r = etc_sum(high, 24).outside(), g = etc_sum(high, 16).outside(), b = etc_sum(high, 8).outside();
    const u32 t_mode = differs & r, h_mode = differs & ~r & g, planar = differs & ~r & ~g & b;
    u32 indices = low, palette[8];
    etc_subblock_palettes(high, differs, opaque, palette);
    if constexpr (KIND == ETC1) {  // sums outside of 0..31 are undefined: black
        UNROLL for (int k = 0; k < 8; ++k) palette[k] = blend(t_mode | h_mode | planar, palette[k], 0);
    } else {
        u32 paint[4], plane[9];
        etc_paint_colors(high, h_mode, paint);
        etc_plane(high, low, plane);
        UNROLL for (int k = 0; k < 8; ++k) {
            const u32 color = blend(t_mode | h_mode, palette[k], paint[k & 3]);
            const u32 shown = (k & 3) == 2 ? blend(opaque, 0, color) : color;
            palette[k] = blend(planar, shown, plane[k]);
        }
        indices = blend(planar, low, plane[8]);
    }
    const u32 above = KIND == ETC1 ? flipped : flipped & ~planar;  // the subblocks lie above each other
    UNROLL for (int k = 0; k < 4; ++k) {
        out.plane[k][row][i] = palette[k];
        out.plane[4 + k][row][i] = blend(above, palette[4 + k], palette[k]);
        out.plane[8 + k][row][i] = blend(above, palette[k], palette[4 + k]);
        out.plane[12 + k][row][i] = palette[4 + k];
    }
    out.plane[ETC_INDICES][row][i] = indices;
    out.plane[ETC_IS_PLANAR][row][i] = planar;
}

template <int KIND> struct EtcColorLine {
    const u32* entry[8];  // the palettes of the left and the right two texels
    const u32* indices;
    const u32* is_planar;
    s32 r;

    template <int PLANES> FN_MEMBER void open(const BlockPlanes<PLANES>& planes, s32 row, s32 line) {
        UNROLL for (int k = 0; k < 8; ++k) entry[k] = planes.plane[line < 2 ? k : 8 + k][row];
        indices = planes.plane[ETC_INDICES][row];
        is_planar = planes.plane[ETC_IS_PLANAR][row];
        r = line;
    }

    FN_MEMBER void texels(s32 i, u32* out) const {
        u32 values[9];
        UNROLL for (int k = 0; k < 8; ++k) values[k] = entry[k][i];
        values[8] = indices[i];
        const u32 index = values[8] >> r;
        UNROLL for (int x = 0; x < 4; ++x) {
            const u32* palette = x < 2 ? values : values + 4;
            const bool least = index & (1u << 4 * x), most = index & (0x10000u << 4 * x);
            const u32 picked = pick(most, pick(least, palette[0], palette[1]), pick(least, palette[2], palette[3]));
            if constexpr (KIND == ETC1) {
                out[x] = picked;
            } else {
                u32 channel[3];
                UNROLL for (int c = 0; c < 3; ++c) {
                    const u32 sum = values[3 * c] + (u32)x * values[3 * c + 1] + (u32)r * values[3 * c + 2];
                    channel[c] = clamp_byte((s32)sum >> 2);
                }
                out[x] = is_planar[i] ? rgb_of(channel[0], channel[1], channel[2]) | 0xff000000u : picked;
            }
        }
    }
};

template <int KIND> struct EtcRgb8 {
    enum { BLOCK_WORDS = 2, PLANES = ETC_PLANES, WORDS = 3 };
    static FN_MEMBER void unpack(BlockPlanes<PLANES>& out, s32 row, s32 i, const u32* block) {
        unpack_etc<KIND>(out, row, i, block[0], block[1]);
    }
    struct Line {
        EtcColorLine<KIND> colors;
        FN_MEMBER void open(const BlockPlanes<PLANES>& planes, s32 row, s32 r) { colors.open(planes, row, r); }
        FN_MEMBER void words(s32 i, u32* out) const {
            u32 t[4];
            colors.texels(i, t);
            rgb_words(t, out);
        }
    };
};

struct Etc2PunchThrough {
    enum { BLOCK_WORDS = 2, PLANES = ETC_PLANES, WORDS = 4 };
    static FN_MEMBER void unpack(BlockPlanes<PLANES>& out, s32 row, s32 i, const u32* block) {
        unpack_etc<ETC2_PUNCH_THROUGH>(out, row, i, block[0], block[1]);
    }
    struct Line {
        EtcColorLine<ETC2_PUNCH_THROUGH> colors;
        FN_MEMBER void open(const BlockPlanes<PLANES>& planes, s32 row, s32 r) { colors.open(planes, row, r); }
        FN_MEMBER void words(s32 i, u32* out) const { colors.texels(i, out); }
    };
};

// -- one channel ------------------------------------------------------------------------------------------------------

// The four negative modifiers of a table, index 0 in the lowest four bits; modifier k + 4 is -1 - modifier k
// (table "Intensity modifier sets for RGBA ETC2 alpha component").
FN u32 eac_modifiers(u32 table) {
    const u32 all[16] = {0xf963, 0xda73, 0xd852, 0xd642, 0xc863, 0xb973, 0xb874, 0xb853,
                         0xa862, 0xa852, 0xa842, 0xa752, 0xa743, 0xa321, 0x9864, 0x9753};
    return pick(table & 8, pick8(all, table), pick8(all + 8, table));
}

// How the base codeword and the modifiers of a table become a stored value.
struct EacAlpha {  // a multiplier of 0 makes all values the base
    static FN_MEMBER s32 base(u32 codeword) { return (s32)codeword; }
    static FN_MEMBER s32 factor(u32 multiplier) { return (s32)multiplier; }
    static FN_MEMBER u32 value(s32 sum) { return clamp_byte(sum); }
};
struct EacUnsigned {  // in 1/2047; a multiplier of 0 is one of 1/8
    static FN_MEMBER s32 base(u32 codeword) { return 8 * (s32)codeword + 4; }
    static FN_MEMBER s32 factor(u32 multiplier) { return multiplier ? 8 * (s32)multiplier : 1; }
    static FN_MEMBER u32 clamped(s32 sum) { return (u32)clamp_to(sum, 0, 2047); }
};
struct EacSigned {  // in 1/1023; -128 is -127
    static FN_MEMBER s32 base(u32 codeword) { return 8 * max_of((s32)(s8)codeword, -127); }
    static FN_MEMBER s32 factor(u32 multiplier) { return EacUnsigned::factor(multiplier); }
    static FN_MEMBER s32 clamped(s32 sum) { return clamp_to(sum, -1023, 1023); }
};
struct EacUnorm16 : EacUnsigned {
    static FN_MEMBER u32 value(s32 sum) { return clamped(sum) << 5 | clamped(sum) >> 6; }
};
struct EacUnormFloat : EacUnsigned {
    static FN_MEMBER u32 value(s32 sum) { return float_bits((float)(s32)clamped(sum) / 2047.0f); }
};
struct EacSnorm16 : EacSigned {
    static FN_MEMBER u32 value(s32 sum) {
        const s32 sign = clamped(sum) >> 31, magnitude = (clamped(sum) ^ sign) - sign;
        return (u32)(((magnitude << 5 | magnitude >> 5) ^ sign) - sign) & 0xffff;
    }
};
struct EacSnormFloat : EacSigned {
    static FN_MEMBER u32 value(s32 sum) { return float_bits((float)clamped(sum) / 1023.0f); }
};

// Planes of a channel: eight values, then the indices of pixels a to h and i to p, 3 bits each, a and i highest.
enum { EAC_PLANES = 10 };

template <typename Sample, int PLANES>
FN void unpack_eac(BlockPlanes<PLANES>& out, s32 first, s32 row, s32 i, u32 stored_high, u32 stored_low) {
    const u32 high = reversed_bytes(stored_high), low = reversed_bytes(stored_low);
    const s32 base = Sample::base(bits_of(high, 31, 24)), factor = Sample::factor(bits_of(high, 23, 20));
    const u32 modifiers = eac_modifiers(bits_of(high, 19, 16));
    UNROLL for (int k = 0; k < 4; ++k) {
        const s32 modifier = -(s32)bits_of(modifiers, 4 * k + 3, 4 * k);
        out.plane[first + k][row][i] = Sample::value(base + modifier * factor);
        out.plane[first + k + 4][row][i] = Sample::value(base + (-1 - modifier) * factor);
    }
    out.plane[first + 8][row][i] = bits_of(high, 15, 0) << 8 | low >> 24;
    out.plane[first + 9][row][i] = bits_of(low, 23, 0);
}

struct EacLine {
    const u32* entry[8];
    const u32* indices[2];
    u32 shift;

    template <int PLANES> FN_MEMBER void open(const BlockPlanes<PLANES>& planes, s32 first, s32 row, s32 r) {
        UNROLL for (int k = 0; k < 8; ++k) entry[k] = planes.plane[first + k][row];
        UNROLL for (int k = 0; k < 2; ++k) indices[k] = planes.plane[first + 8 + k][row];
        shift = 9 - 3 * (u32)r;
    }
    FN_MEMBER void texels(s32 i, u32* out) const {
        u32 values[8];
        UNROLL for (int k = 0; k < 8; ++k) values[k] = entry[k][i];
        UNROLL for (int x = 0; x < 4; ++x) {
            const u32 index = indices[x >> 1][i] >> shift;
            out[x] = pick8(values, x & 1 ? index : index >> 12);
        }
    }
};

struct Etc2Rgba8 {
    enum { BLOCK_WORDS = 4, PLANES = ETC_PLANES + EAC_PLANES, WORDS = 4 };
    static FN_MEMBER void unpack(BlockPlanes<PLANES>& out, s32 row, s32 i, const u32* block) {
        unpack_etc<ETC2>(out, row, i, block[2], block[3]);
        unpack_eac<EacAlpha>(out, ETC_PLANES, row, i, block[0], block[1]);
    }
    struct Line {
        EtcColorLine<ETC2> colors;
        EacLine alphas;
        FN_MEMBER void open(const BlockPlanes<PLANES>& planes, s32 row, s32 r) {
            colors.open(planes, row, r);
            alphas.open(planes, ETC_PLANES, row, r);
        }
        FN_MEMBER void words(s32 i, u32* out) const {
            u32 alpha[4];
            colors.texels(i, out);
            alphas.texels(i, alpha);
            UNROLL for (int x = 0; x < 4; ++x) out[x] = (out[x] & 0xffffff) | alpha[x] << 24;
        }
    };
};

// R11 (one channel) and RG11 (two), as 16-bit numbers or floats.
template <typename Sample, int CHANNELS, int BITS> struct Eac {
    enum { BLOCK_WORDS = 2 * CHANNELS, PLANES = EAC_PLANES * CHANNELS, WORDS = CHANNELS * BITS / 8 };
    static FN_MEMBER void unpack(BlockPlanes<PLANES>& out, s32 row, s32 i, const u32* block) {
        UNROLL for (int c = 0; c < CHANNELS; ++c) {
            unpack_eac<Sample>(out, c * EAC_PLANES, row, i, block[2 * c], block[2 * c + 1]);
        }
    }
    struct Line {
        EacLine channel[CHANNELS];
        FN_MEMBER void open(const BlockPlanes<PLANES>& planes, s32 row, s32 r) {
            UNROLL for (int c = 0; c < CHANNELS; ++c) channel[c].open(planes, c * EAC_PLANES, row, r);
        }
        FN_MEMBER void words(s32 i, u32* out) const {
            u32 texel[CHANNELS][4];
            UNROLL for (int c = 0; c < CHANNELS; ++c) channel[c].texels(i, texel[c]);
            channel_words<CHANNELS, BITS>(texel, out);
        }
    };
};
