// Blocks taken apart into planes: one number per block of the tile in each plane, one block to a vector lane, so that
// many blocks are computed side by side. Texels then pick from what the planes hold by selects.
//
// A Format has
//   BLOCK_WORDS, PLANES           32-bit words of a block, and planes it is taken apart into
//   unpack(planes, row, i, block) takes block i of a row apart
//   Line: open(planes, row, r)    line r of a row of blocks
//         words(i, out)           its texels of block i, WORDS 32-bit words as they lie in memory
#pragma once
#include "block_texels.h"

template <int PLANES> struct BlockPlanes {
    u32 plane[PLANES][BLOCK_TILE_ROWS][BLOCK_TILE_COLUMNS];
};

// -- arithmetic -------------------------------------------------------------------------------------------------------

FN u32 expand4(u32 v) { return v * 17; }
FN u32 expand5(u32 v) { return v << 3 | v >> 2; }
FN u32 expand6(u32 v) { return v << 2 | v >> 4; }
FN u32 expand7(u32 v) { return v << 1 | v >> 6; }
FN u32 divide_by_3(u32 v) { return v * 43691 >> 17; }  // exact below 2^17

FN u32 rgb_of(u32 r, u32 g, u32 b) { return r | g << 8 | b << 16; }
FN u32 clamp_byte(s32 v) { return (u32)clamp_to(v, 0, 255); }

FN u32 float_bits(float value) {
    union {
        float value;
        u32 bits;
    } u = {value};
    return u.bits;
}

// The entry of a code; the bits of the code choose, so that no load hides behind a select.
FN u32 pick(bool bit, u32 zero, u32 one) { return bit ? one : zero; }
FN u32 pick4(const u32* entry, u32 code) {
    const u32 low = pick(code & 1, entry[0], entry[1]), high = pick(code & 1, entry[2], entry[3]);
    return pick(code & 2, low, high);
}
FN u32 pick8(const u32* entry, u32 code) { return pick(code & 4, pick4(entry, code), pick4(entry + 4, code)); }

// The same for conditions that are numbers, 0 or 1: loops that combine truth values, or branch on what several numbers
// have in common, are not vectorized.
FN u32 blend(u32 bit, u32 zero, u32 one) { return (zero & (bit - 1)) | (one & (0 - bit)); }

// -- texels to words --------------------------------------------------------------------------------------------------

// Four texels R | G << 8 | B << 16 as 12 bytes.
FN void rgb_words(const u32* t, u32* out) {
    out[0] = (t[0] & 0xffffff) | t[1] << 24;
    out[1] = (t[1] >> 8 & 0xffff) | t[2] << 16;
    out[2] = (t[2] >> 16 & 0xff) | t[3] << 8;
}

// Four texels of channels apart, each a number of BITS, as they lie in memory.
template <int CHANNELS, int BITS> FN void channel_words(const u32 (&texel)[CHANNELS][4], u32* out) {
    enum { PER_WORD = 32 / BITS };
    UNROLL for (int w = 0; w < 4 * CHANNELS / PER_WORD; ++w) {
        out[w] = 0;
        UNROLL for (int k = 0; k < PER_WORD; ++k) {
            const int sample = w * PER_WORD + k;
            out[w] |= texel[sample % CHANNELS][sample / CHANNELS] << (k * BITS);
        }
    }
}

// -- the kernel -------------------------------------------------------------------------------------------------------

template <typename Format> struct PlaneRows {
    typedef u32 Word;
    enum { WORDS = Format::WORDS };
    const BlockPlanes<Format::PLANES>* planes;
    FN_MEMBER typename Format::Line line(s32 row, s32 r) const {
        typename Format::Line made;
        made.open(*planes, row, r);
        return made;
    }
};

// WIDTH: texels of a block from left to right.
template <typename Format, int WIDTH = 4> FN void plane_tile(const BlockParams& p, s32 tile_x, s32 tile_y) {
    SHARED BlockPlanes<Format::PLANES> planes;
    const BlockTile t = block_tile<WIDTH>(p, tile_x, tile_y);
    FOR_LINES(row, t.rows) {
        const u32* __restrict__ blocks = block_words(p, t, row, Format::BLOCK_WORDS);
        FOR_LINE(i, t.columns) {
            const BlockWords<Format::BLOCK_WORDS> block(blocks + i * Format::BLOCK_WORDS);
            Format::unpack(planes, row, i, block.words);
        }
    }
    BARRIER();
    store_lines<WIDTH>(p, t, PlaneRows<Format>{&planes});
}
