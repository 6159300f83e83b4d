// What BC6H and BC7 share: bit fields, indices, weights, and tiles that hold texels (GL_ARB_texture_compression_bptc;
// Direct3D 11.3 functional specification 19.5.13-14).
//
// Modes differ from block to block, so one block at a time is taken apart by scalar code; its 16 texels are then
// interpolated side by side in vector lanes. On a GPU a warp works on one block, so that its threads never diverge.
#pragma once
#include "bits128.h"
#include "block_bptc_tables.h"
#include "block_texels.h"

// Weight of endpoint 1 in 1/64: the tables of 19.5.14.3 are 64 * index / largest index, rounded to nearest.
FN constexpr s32 weight_scale(int index_bits) { return 65536 / ((1 << index_bits) - 1); }
FN s32 weight_of(s32 index, s32 scale) { return (index * scale + 512) >> 10; }

// Puts the missing highest bit of texel `anchor`'s index back as a zero. Anchors must come in ascending order.
FN u64 insert_anchor(u64 indices, u32 anchor, int index_bits) {
    return indices + (indices & (~(u64)0 << (anchor * index_bits + index_bits - 1)));
}
FN u64 insert_anchors_2(u64 indices, u32 shape, int index_bits) {
    return insert_anchor(insert_anchor(indices, 0, index_bits), ANCHOR_2[shape], index_bits);
}
FN u64 insert_anchors_3(u64 indices, u32 shape, int index_bits) {
    const u32 a = ANCHOR_3A[shape], b = ANCHOR_3B[shape];
    const u64 first = insert_anchor(insert_anchor(indices, 0, index_bits), min_of(a, b), index_bits);
    return insert_anchor(first, max_of(a, b), index_bits);
}

// Indices of a block with all their bits, as 32-bit halves of eight texels each.
struct Indices {
    u32 half[2];
    int bits;
    FN_MEMBER s32 at(int texel) const {
        const u32 eight = texel < 8 ? half[0] : half[1];
        return (s32)(eight >> bits * (texel & 7) & ((1u << bits) - 1));
    }
};
FN Indices indices_of(u64 all, int bits) {
    Indices made;
    made.half[0] = (u32)all;
    made.half[1] = (u32)(all >> 8 * bits);
    made.bits = bits;
    return made;
}

// Decoded blocks of a tile: 16 texels of the first channel, then of the next. (All of BC7 is one channel of 32 bits.)
// A device leaves 16 bytes between them: lines are read across blocks, each from banks of its own.
template <typename Element, int CHANNELS> struct BlockTexels {
    enum { PITCH = 16 * CHANNELS + ON_DEVICE(0, 16 / sizeof(Element)) };
    alignas(16) Element texels[BLOCK_TILE_ROWS * BLOCK_TILE_COLUMNS][PITCH];
};

template <typename Element, int CHANNELS> struct TexelRows {
    typedef Element Word;
    enum { WORDS = 4 * CHANNELS };
    struct Line {
        const Element* first;  // texel 4 * r of the row's first block, channel 0
        FN_MEMBER void words(s32 i, Element* out) const {
            const Element* texels = first + i * BlockTexels<Element, CHANNELS>::PITCH;
            UNROLL for (int x = 0; x < 4; ++x) {
                UNROLL for (int c = 0; c < CHANNELS; ++c) out[CHANNELS * x + c] = texels[16 * c + x];
            }
        }
    };
    const BlockTexels<Element, CHANNELS>* blocks;
    FN_MEMBER Line line(s32 row, s32 r) const { return {blocks->texels[row * BLOCK_TILE_COLUMNS] + 4 * r}; }
};

template <typename Format> FN void bptc_tile(const BlockParams& p, s32 tile_x, s32 tile_y) {
    typedef typename Format::Element Element;
    SHARED BlockTexels<Element, Format::CHANNELS> decoded;
    const BlockTile t = block_tile(p, tile_x, tile_y);
    FOR_LINES(b, t.rows * BLOCK_TILE_COLUMNS) {
        const s32 row = b / BLOCK_TILE_COLUMNS, i = b % BLOCK_TILE_COLUMNS;
        if (i < t.columns) Format::decode(load_block(block_words(p, t, row, 4) + 4 * i), decoded.texels[b]);
    }
    BARRIER();
    store_lines(p, t, TexelRows<Element, Format::CHANNELS>{&decoded});
}
