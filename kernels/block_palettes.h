// BC1 to BC5: every texel of a block picks from a palette made of two endpoints (Direct3D 11.3 functional
// specification 19.5.6-19.5.12; BC4 and BC5 also seed 001:1910-2060).
//
// Palettes are computed for many blocks at once, one block to a vector lane, and texels pick from them by selects.
#pragma once
#include "block_planes.h"

// How a palette entry becomes an 8-bit number; texsamp/surface/codec/formats.py names the sources.
enum Rounding { ROUNDING_D3D, ROUNDING_TRUNCATE, ROUNDING_NVIDIA, ROUNDING_AMD, ROUNDING_INTEL };

FN u32 divide_by_5(u32 v) { return v * 13108 >> 16; }  // exact below 2^14
FN u32 divide_by_7(u32 v) { return v * 9363 >> 16; }   // exact below 13107

// Each policy gives the color a third of the way from endpoint a to b, and half of the way; 5-bit channels also see the
// endpoints before their expansion.
template <typename Round> struct Expanded : Round {  // policies that see 8 bits only
    static FN_MEMBER u32 third5(u32 a, u32 b, u32, u32) { return Round::third(a, b); }
    static FN_MEMBER u32 half5(u32 a, u32 b, u32, u32) { return Round::half(a, b); }
};
struct RoundD3d {  // to nearest, as FLOAT to UNORM does (3.2.3.6)
    static FN_MEMBER u32 third(u32 a, u32 b) { return divide_by_3(2 * a + b + 1); }
    static FN_MEMBER u32 half(u32 a, u32 b) { return (a + b + 1) >> 1; }
};
struct RoundDown {
    static FN_MEMBER u32 third(u32 a, u32 b) { return divide_by_3(2 * a + b); }
    static FN_MEMBER u32 half(u32 a, u32 b) { return (a + b) >> 1; }
};
struct RoundNvidia {
    // (256 a + (b - a) / 4 + 128 + weight * (b - a)) / 256; the quarter is rounded toward zero
    static FN_MEMBER u32 between(u32 a, u32 b, s32 weight) {
        const s32 difference = (s32)b - (s32)a;
        const s32 quarter = (difference + (3 & (difference >> 31))) >> 2;
        return (u32)(256 * (s32)a + quarter + 128 + weight * difference) >> 8;
    }
    static FN_MEMBER u32 third(u32 a, u32 b) { return between(a, b, 80); }
    static FN_MEMBER u32 half(u32 a, u32 b) { return between(a, b, 128); }
    static FN_MEMBER u32 third5(u32, u32, u32 a5, u32 b5) { return (2 * a5 + b5) * 22 >> 3; }
    static FN_MEMBER u32 half5(u32, u32, u32 a5, u32 b5) { return (a5 + b5) * 33 >> 3; }
};
struct RoundAmd {
    static FN_MEMBER u32 third(u32 a, u32 b) { return (43 * a + 21 * b + 32) >> 6; }
    static FN_MEMBER u32 half(u32 a, u32 b) { return (a + b + 1) >> 1; }
};
struct RoundIntel {
    static FN_MEMBER u32 third(u32 a, u32 b) { return (171 * a + 85 * b + 128) >> 8; }
    static FN_MEMBER u32 half(u32 a, u32 b) { return (128 * a + 128 * b + 128) >> 8; }
};

// Which colors a block may have. BC1 with color_0 <= color_1 has three, and black; BC2 and BC3 always have four.
enum ColorMode { COLOR_PUNCH_THROUGH, COLOR_BLACK, COLOR_FOUR };

struct ColorPalette {
    u32 color[4];  // R | G << 8 | B << 16 | A << 24
};

template <typename Round, int MODE> FN ColorPalette color_palette(u32 endpoints) {
    const u32 ra5 = endpoints >> 11 & 31, ga6 = endpoints >> 5 & 63, ba5 = endpoints & 31;
    const u32 rb5 = endpoints >> 27, gb6 = endpoints >> 21 & 63, bb5 = endpoints >> 16 & 31;
    const u32 ra = expand5(ra5), ga = expand6(ga6), ba = expand5(ba5);
    const u32 rb = expand5(rb5), gb = expand6(gb6), bb = expand5(bb5);
    const u32 opaque = MODE == COLOR_FOUR ? 0 : 0xff000000u;  // BC2 and BC3 bring their own alpha
    ColorPalette palette;
    palette.color[0] = rgb_of(ra, ga, ba) | opaque;
    palette.color[1] = rgb_of(rb, gb, bb) | opaque;
    const u32 near0 = rgb_of(Round::third5(ra, rb, ra5, rb5), Round::third(ga, gb), Round::third5(ba, bb, ba5, bb5));
    const u32 near1 = rgb_of(Round::third5(rb, ra, rb5, ra5), Round::third(gb, ga), Round::third5(bb, ba, bb5, ba5));
    const u32 middle = rgb_of(Round::half5(ra, rb, ra5, rb5), Round::half(ga, gb), Round::half5(ba, bb, ba5, bb5));
    const bool four = MODE == COLOR_FOUR || (endpoints & 0xffff) > endpoints >> 16;
    palette.color[2] = (four ? near0 : middle) | opaque;
    palette.color[3] = four ? near1 | opaque : MODE == COLOR_PUNCH_THROUGH ? 0 : opaque;
    return palette;
}

// What an endpoint byte of BC4 and BC5 stands for, lifted to 0..RANGE so that one arithmetic serves both signs, and
// how a palette entry, numerator / denominator in those units, is stored.
struct UnormByte {
    enum { RANGE = 255 };
    static FN_MEMBER u32 lift(u32 byte) { return byte; }
    static FN_MEMBER bool above(u32 a, u32 b) { return a > b; }
    static FN_MEMBER u32 sevenths(u32 n, u32 down) { return divide_by_7(n + (down ? 0 : 3)); }
    static FN_MEMBER u32 fifths(u32 n, u32 down) { return divide_by_5(n + (down ? 0 : 2)); }
};
struct SnormByte {  // -128 is -1.0, as -127 is; the order of endpoints is that of the bytes (seed 001:1937-1945)
    enum { RANGE = 254 };
    static FN_MEMBER u32 lift(u32 byte) { return (u32)(max_of((s32)(s8)byte, -127) + 127); }
    static FN_MEMBER bool above(u32 a, u32 b) { return (s8)a > (s8)b; }
    static FN_MEMBER u32 sevenths(u32 n, u32) { return (divide_by_7(n + 3) - 127) & 255; }
    static FN_MEMBER u32 fifths(u32 n, u32) { return (divide_by_5(n + 2) - 127) & 255; }
};
struct UnormFloat : UnormByte {
    static FN_MEMBER u32 sevenths(u32 n, u32) { return float_bits((float)(s32)n / (7 * 255.0f)); }
    static FN_MEMBER u32 fifths(u32 n, u32) { return float_bits((float)(s32)n / (5 * 255.0f)); }
};
struct SnormFloat : SnormByte {
    static FN_MEMBER u32 sevenths(u32 n, u32) { return float_bits((float)((s32)n - 7 * 127) / (7 * 127.0f)); }
    static FN_MEMBER u32 fifths(u32 n, u32) { return float_bits((float)((s32)n - 5 * 127) / (5 * 127.0f)); }
};

// Planes of one channel of BC4, BC5 and BC3's alpha: eight values, then the codes of the lower and upper two rows.
enum { CHANNEL_PLANES = 10 };

template <typename Sample, int PLANES>
FN void unpack_channel(BlockPlanes<PLANES>& out, s32 first, s32 row, s32 i, u32 word0, u32 word1, u32 down) {
    const u32 byte0 = word0 & 255, byte1 = word0 >> 8 & 255;
    const u32 a = Sample::lift(byte0), b = Sample::lift(byte1);
    const bool eight = Sample::above(byte0, byte1);
    out.plane[first][row][i] = Sample::sevenths(7 * a, down);
    out.plane[first + 1][row][i] = Sample::sevenths(7 * b, down);
    UNROLL for (u32 k = 2; k < 6; ++k) {
        const u32 seventh = Sample::sevenths((8 - k) * a + (k - 1) * b, down);
        const u32 fifth = Sample::fifths((6 - k) * a + (k - 1) * b, down);
        out.plane[first + k][row][i] = pick(eight, fifth, seventh);
    }
    const u32 lowest = Sample::fifths(0, down), highest = Sample::fifths(5 * Sample::RANGE, down);
    out.plane[first + 6][row][i] = pick(eight, lowest, Sample::sevenths(2 * a + 5 * b, down));
    out.plane[first + 7][row][i] = pick(eight, highest, Sample::sevenths(a + 6 * b, down));
    out.plane[first + 8][row][i] = word0 >> 16 | (word1 & 255) << 16;
    out.plane[first + 9][row][i] = word1 >> 8;
}

// One line of a channel: the codes of its texels are 3 bits each.
struct ChannelLine {
    const u32* entry[8];
    const u32* codes;
    u32 shift;

    template <int PLANES> FN_MEMBER void open(const BlockPlanes<PLANES>& planes, s32 first, s32 row, s32 r) {
        UNROLL for (int k = 0; k < 8; ++k) entry[k] = planes.plane[first + k][row];
        codes = planes.plane[first + 8 + (r >> 1)][row];
        shift = 12 * (r & 1);
    }
    FN_MEMBER void texels(s32 i, u32* out) const {
        u32 values[8];
        UNROLL for (int k = 0; k < 8; ++k) values[k] = entry[k][i];
        const u32 code = codes[i] >> shift;
        UNROLL for (int x = 0; x < 4; ++x) out[x] = pick8(values, code >> 3 * x);
    }
};

// One line of colors: the codes of its texels are 2 bits each.
struct ColorLine {
    const u32* entry[4];
    const u32* codes;
    u32 shift;

    template <int PLANES> FN_MEMBER void open(const BlockPlanes<PLANES>& planes, s32 row, s32 r) {
        UNROLL for (int k = 0; k < 4; ++k) entry[k] = planes.plane[k][row];
        codes = planes.plane[4][row];
        shift = 8 * r;
    }
    FN_MEMBER void texels(s32 i, u32* out) const {
        u32 values[4];
        UNROLL for (int k = 0; k < 4; ++k) values[k] = entry[k][i];
        const u32 code = codes[i] >> shift;
        UNROLL for (int x = 0; x < 4; ++x) out[x] = pick4(values, code >> 2 * x);
    }
};

enum { COLOR_PLANES = 5 };  // four colors, then the codes

template <typename Round, int MODE, int PLANES>
FN void unpack_colors(BlockPlanes<PLANES>& out, s32 row, s32 i, u32 endpoints, u32 codes) {
    const ColorPalette palette = color_palette<Round, MODE>(endpoints);
    UNROLL for (int k = 0; k < 4; ++k) out.plane[k][row][i] = palette.color[k];
    out.plane[4][row][i] = codes;
}

// -- formats: how a block is unpacked into planes, and how its lines become words ------------------------------------

struct Bc1Rgba8 {
    enum { BLOCK_WORDS = 2, PLANES = COLOR_PLANES, WORDS = 4, MODE = COLOR_PUNCH_THROUGH, HAS_COLOR = 1 };
    template <typename Round>
    static FN_MEMBER void unpack(BlockPlanes<PLANES>& out, s32 row, s32 i, const u32* block, u32) {
        unpack_colors<Round, MODE>(out, row, i, block[0], block[1]);
    }
    struct Line {
        ColorLine colors;
        FN_MEMBER void open(const BlockPlanes<PLANES>& planes, s32 row, s32 r) { colors.open(planes, row, r); }
        FN_MEMBER void words(s32 i, u32* out) const { colors.texels(i, out); }
    };
};

struct Bc1Rgb8 {
    enum { BLOCK_WORDS = 2, PLANES = COLOR_PLANES, WORDS = 3, MODE = COLOR_BLACK, HAS_COLOR = 1 };
    template <typename Round>
    static FN_MEMBER void unpack(BlockPlanes<PLANES>& out, s32 row, s32 i, const u32* block, u32) {
        unpack_colors<Round, MODE>(out, row, i, block[0], block[1]);
    }
    struct Line {
        ColorLine colors;
        FN_MEMBER void open(const BlockPlanes<PLANES>& planes, s32 row, s32 r) { colors.open(planes, row, r); }
        FN_MEMBER void words(s32 i, u32* out) const {
            u32 t[4];
            colors.texels(i, t);
            rgb_words(t, out);
        }
    };
};

struct Bc2 {
    enum { BLOCK_WORDS = 4, PLANES = COLOR_PLANES + 2, WORDS = 4, HAS_COLOR = 1 };
    template <typename Round>
    static FN_MEMBER void unpack(BlockPlanes<PLANES>& out, s32 row, s32 i, const u32* block, u32) {
        unpack_colors<Round, COLOR_FOUR>(out, row, i, block[2], block[3]);
        out.plane[COLOR_PLANES][row][i] = block[0];
        out.plane[COLOR_PLANES + 1][row][i] = block[1];
    }
    struct Line {
        ColorLine colors;
        const u32* alphas;
        u32 shift;
        FN_MEMBER void open(const BlockPlanes<PLANES>& planes, s32 row, s32 r) {
            colors.open(planes, row, r);
            alphas = planes.plane[COLOR_PLANES + (r >> 1)][row];
            shift = 16 * (r & 1);
        }
        FN_MEMBER void words(s32 i, u32* out) const {
            colors.texels(i, out);
            const u32 alpha = alphas[i] >> shift;
            UNROLL for (int x = 0; x < 4; ++x) out[x] |= (alpha >> 4 * x & 15) * (17u << 24);
        }
    };
};

struct Bc3 {
    enum { BLOCK_WORDS = 4, PLANES = COLOR_PLANES + CHANNEL_PLANES, WORDS = 4, HAS_COLOR = 1 };
    template <typename Round>
    static FN_MEMBER void unpack(BlockPlanes<PLANES>& out, s32 row, s32 i, const u32* block, u32 down) {
        unpack_colors<Round, COLOR_FOUR>(out, row, i, block[2], block[3]);
        unpack_channel<UnormByte>(out, COLOR_PLANES, row, i, block[0], block[1], down);
    }
    struct Line {
        ColorLine colors;
        ChannelLine alphas;
        FN_MEMBER void open(const BlockPlanes<PLANES>& planes, s32 row, s32 r) {
            colors.open(planes, row, r);
            alphas.open(planes, COLOR_PLANES, row, r);
        }
        FN_MEMBER void words(s32 i, u32* out) const {
            u32 alpha[4];
            colors.texels(i, out);
            alphas.texels(i, alpha);
            UNROLL for (int x = 0; x < 4; ++x) out[x] |= alpha[x] << 24;
        }
    };
};

// BC4 (one channel) and BC5 (two), as bytes or floats.
template <typename Sample, int CHANNELS, int BITS> struct Rgtc {
    enum { BLOCK_WORDS = 2 * CHANNELS, PLANES = CHANNEL_PLANES * CHANNELS, WORDS = CHANNELS * BITS / 8, HAS_COLOR = 0 };
    template <typename>
    static FN_MEMBER void unpack(BlockPlanes<PLANES>& out, s32 row, s32 i, const u32* block, u32 down) {
        UNROLL for (int c = 0; c < CHANNELS; ++c) {
            unpack_channel<Sample>(out, c * CHANNEL_PLANES, row, i, block[2 * c], block[2 * c + 1], down);
        }
    }
    struct Line {
        ChannelLine channel[CHANNELS];
        FN_MEMBER void open(const BlockPlanes<PLANES>& planes, s32 row, s32 r) {
            UNROLL for (int c = 0; c < CHANNELS; ++c) channel[c].open(planes, c * CHANNEL_PLANES, row, r);
        }
        FN_MEMBER void words(s32 i, u32* out) const {
            u32 texel[CHANNELS][4];
            UNROLL for (int c = 0; c < CHANNELS; ++c) channel[c].texels(i, texel[c]);
            channel_words<CHANNELS, BITS>(texel, out);
        }
    };
};

// -- the kernel -------------------------------------------------------------------------------------------------------

// Phase: the palettes of all blocks of the tile.
template <typename Format, typename Round>
FN void unpack_palettes(const BlockParams& p, const BlockTile& t, BlockPlanes<Format::PLANES>& planes) {
    const u32 down = p.rounding == ROUNDING_TRUNCATE;
    FOR_LINES(row, t.rows) {
        const u32* __restrict__ blocks = block_words(p, t, row, Format::BLOCK_WORDS);
        FOR_LINE(i, t.columns) {
            const BlockWords<Format::BLOCK_WORDS> block(blocks + i * Format::BLOCK_WORDS);
            Format::template unpack<Round>(planes, row, i, block.words, down);
        }
    }
}

template <typename Format> FN void palette_tile(const BlockParams& p, s32 tile_x, s32 tile_y) {
    SHARED BlockPlanes<Format::PLANES> planes;
    const BlockTile t = block_tile(p, tile_x, tile_y);
    if (Format::HAS_COLOR && p.rounding == ROUNDING_TRUNCATE) {
        unpack_palettes<Format, Expanded<RoundDown>>(p, t, planes);
    } else if (Format::HAS_COLOR && p.rounding == ROUNDING_NVIDIA) {
        unpack_palettes<Format, RoundNvidia>(p, t, planes);
    } else if (Format::HAS_COLOR && p.rounding == ROUNDING_AMD) {
        unpack_palettes<Format, Expanded<RoundAmd>>(p, t, planes);
    } else if (Format::HAS_COLOR && p.rounding == ROUNDING_INTEL) {
        unpack_palettes<Format, Expanded<RoundIntel>>(p, t, planes);
    } else {
        unpack_palettes<Format, Expanded<RoundD3d>>(p, t, planes);
    }
    BARRIER();
    store_lines(p, t, PlaneRows<Format>{&planes});
}
