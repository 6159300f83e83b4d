// Decoding of blocks 4 texels high: the tile of blocks decoders share, and how decoded blocks become rows of texels.
//
// A tile unpacks its blocks into scratch (palettes or texels) and then stores its rows, left to right. Blocks cover the
// surface rounded up to whole blocks; texels outside of it are dropped on the way out. Nothing outside of the
// ceil(width / WIDTH) * ceil(height / 4) blocks is read, and nothing outside of the rows is written.
#pragma once
#include "portable.h"

// Blocks of a tile; texsamp/surface/codec/launch.py divides the surface by them.
enum { BLOCK_TILE_COLUMNS = ON_DEVICE(128, 32), BLOCK_TILE_ROWS = ON_DEVICE(1, 8) };

struct BlockParams {
    const void* blocks;  // row by row without padding, aligned to 4 bytes
    void* texels;
    s32 width, height;  // texels
    s32 pitch_B;        // from a row of texels to the next
    s32 rounding;       // a Rounding of block_palettes.h
};
static_assert(sizeof(BlockParams) == 32, "parameter layout");

// The part of a tile that is inside the surface, whose width may end inside a block.
struct BlockTile {
    s32 x, y;                  // first block
    s32 columns, rows;         // blocks
    s32 whole_columns, lines;  // blocks that are stored whole, and rows of texels
    s64 blocks_per_row;
};

// WIDTH: texels of a block from left to right.
template <int WIDTH = 4> FN BlockTile block_tile(const BlockParams& p, s32 tile_x, s32 tile_y) {
    BlockTile t;
    const s32 blocks_x = (p.width + WIDTH - 1) / WIDTH, blocks_y = (p.height + 3) / 4;
    t.x = tile_x * BLOCK_TILE_COLUMNS;
    t.y = tile_y * BLOCK_TILE_ROWS;
    t.columns = min_of(blocks_x - t.x, (s32)BLOCK_TILE_COLUMNS);
    t.rows = min_of(blocks_y - t.y, (s32)BLOCK_TILE_ROWS);
    t.whole_columns = min_of(p.width / WIDTH - t.x, t.columns);
    t.lines = min_of(p.height - 4 * t.y, 4 * t.rows);
    t.blocks_per_row = blocks_x;
    return t;
}

// First word of the tile's blocks in one row of blocks.
FN const u32* block_words(const BlockParams& p, const BlockTile& t, s32 row, s32 words_per_block) {
    return (const u32*)p.blocks + ((t.y + row) * t.blocks_per_row + t.x) * words_per_block;
}

template <typename Word, int WORDS> struct alignas(sizeof(Word) * WORDS % 16 ? 8 : 16) WholeRow {
    Word words[WORDS];
};

FN bool is_aligned(const void* address, u64 bytes) { return ((u64)address & (bytes - 1)) == 0; }

// The words of a block where they lie; a GPU's are a copy, that it loads 16 or 8 bytes at once where it may.
template <int WORDS, bool COPIED = ON_DEVICE(false, true)> struct BlockWords {
    const u32* words;
    FN_MEMBER BlockWords(const u32* block) : words(block) {}
};
template <int WORDS> struct BlockWords<WORDS, true> : WholeRow<u32, WORDS> {
    FN_MEMBER BlockWords(const u32* block) {
        typedef WholeRow<u32, WORDS> Whole;
        if (is_aligned(block, alignof(Whole)))
            *(Whole*)this = *(const Whole*)block;
        else
            UNROLL for (int k = 0; k < WORDS; ++k) this->words[k] = block[k];
    }
};

// Phase: rows of texels from what `Rows` holds. `rows.line(row, r)` is line r of a row of blocks, and its
// `words(i, out)` are the WIDTH texels of block i in that line: `Rows::WORDS` elements of type `Rows::Word`, one after
// the other in memory. A GPU stores 16 or 8 bytes at once where it may; rows that words would straddle go out byte by byte.
template <int WIDTH = 4, typename Rows>
FN void store_lines(const BlockParams& p, const BlockTile& t, const Rows& rows) {
    typedef typename Rows::Word Word;
    enum { WORDS = Rows::WORDS, BYTES = (int)sizeof(Word) * WORDS };
    FOR_LINES(y, t.lines) {
        const auto line = rows.line(y >> 2, y & 3);
        u8* __restrict__ out = (u8*)p.texels + (s64)(4 * t.y + y) * p.pitch_B + (s64)t.x * BYTES;
        if (ON_DEVICE(false, BYTES % 8 == 0) && is_aligned(out, alignof(WholeRow<Word, WORDS>))) {
            WholeRow<Word, WORDS>* __restrict__ whole = (WholeRow<Word, WORDS>*)out;
            FOR_LINE(i, t.whole_columns) {
                WholeRow<Word, WORDS> row;
                line.words(i, row.words);
                whole[i] = row;
            }
        } else if (ON_DEVICE(true, is_aligned(out, sizeof(Word)))) {
            const bool straddles = ON_DEVICE(!is_aligned(out, sizeof(Word)), false);
            alignas(64) Word aside[ON_DEVICE(BLOCK_TILE_COLUMNS * WORDS, 1)];
            Word* __restrict__ words = straddles ? aside : (Word*)out;
            FOR_LINE(i, t.whole_columns) line.words(i, words + WORDS * i);
            if (straddles) copy_bytes(out, aside, (u64)t.whole_columns * BYTES);
        } else {
            FOR_LINE(i, t.whole_columns) {
                Word words[WORDS];
                line.words(i, words);
                UNROLL for (int b = 0; b < BYTES; ++b) {
                    out[BYTES * i + b] = (u8)(words[b / sizeof(Word)] >> (b % sizeof(Word) * 8));
                }
            }
        }
        if (t.whole_columns < t.columns) {
            const s32 cut = t.whole_columns, bytes = BYTES / WIDTH * (p.width % WIDTH);
            Word words[WORDS];
            line.words(cut, words);
            FOR_LINE(b, bytes) out[BYTES * cut + b] = (u8)(words[b / sizeof(Word)] >> (b % sizeof(Word) * 8));
        }
    }
}
