// Tiled memory to rows and back. A tiling scatters the bits of x (in bytes) and y (in rows) over the bits of the
// address inside a tile, so the place of a byte is the exclusive or of one number per column and one per row; the
// tables of both come from the address bits in texsamp/surface/tiling.py. Bit-6 swizzling is part of the tables.
#pragma once
#include "portable.h"
#include "portable_words.h"

// What a tile of the launch covers, aligned to the surface; texsamp/surface/detile.py repeats it.
enum { STRIP_WIDTH_B = ON_DEVICE(4096, 512), STRIP_ROWS = 32 };

struct TilingParams {
    void* tiled;          // byte (0, 0) of the surface
    void* linear;         // byte (x_B, y_rows) of the region
    const s32* columns;   // per byte of a tile's width: its place inside the tile
    const s32* rows;      // per row of a tile: the same
    s64 tile_row_B;       // from one row of tiles to the next
    s64 linear_pitch_B;
    s32 x_B, y_rows, width_B, height_rows;  // the region
    s32 log2_tile_width_B, log2_tile_height_rows, log2_tile_size_B;
    s32 unit;  // what is moved at once: 1 << unit bytes that lie side by side on both sides (0 to 4, or 6), or W_BLOCK
};
static_assert(sizeof(TilingParams) == 80, "parameter layout");

// 16 bytes of 4 rows. In tiling W they are two blocks of 8 bytes and 4 rows, each with all its bytes together: the
// address bits of a block from the lowest are x, y, x, y, x.
enum { W_BLOCK = 5, W_BLOCK_WIDTH_B = 16, W_BLOCK_ROWS = 4 };

// A GPU moves only aligned words; the caller picks a unit to which all addresses are aligned.
template <int BYTES> struct alignas(ON_DEVICE(1, BYTES < 16 ? BYTES : 16)) Unit { u8 bytes[BYTES]; };

template <bool TO_TILED, typename T> FN void move(u8* tiled, u8* linear) {
    if (TO_TILED)
        *(T*)tiled = *(const T*)linear;
    else
        *(T*)linear = *(const T*)tiled;
}

// Half a block is 4 rows of a word each, with the middle halves of its pairs of words swapped.
template <bool TO_TILED> FN void move_w_block(u8* left, u8* right, u8* rows, s64 pitch_B) {
    u8* const half[4] = {left, left + 16, right, right + 16};
    Words row[W_BLOCK_ROWS], block[4];
    UNROLL for (int k = 0; k < 4; ++k) {
        if (TO_TILED)
            row[k] = load_words(rows + k * pitch_B);
        else
            block[k] = swap_middle_halves(load_words(half[k]));
    }
    UNROLL for (int k = 0; k < 2; ++k) {
        if (TO_TILED) {
            const Words upper = k ? mix_last_words(row[0], row[1]) : mix_first_words(row[0], row[1]);
            const Words lower = k ? mix_last_words(row[2], row[3]) : mix_first_words(row[2], row[3]);
            block[2 * k] = join_first_pairs(upper, lower);
            block[2 * k + 1] = join_last_pairs(upper, lower);
        } else {
            const Words here = k ? mix_last_words(block[0], block[1]) : mix_first_words(block[0], block[1]);
            const Words there = k ? mix_last_words(block[2], block[3]) : mix_first_words(block[2], block[3]);
            row[2 * k] = join_first_pairs(here, there);
            row[2 * k + 1] = join_last_pairs(here, there);
        }
    }
    UNROLL for (int k = 0; k < 4; ++k) {
        if (TO_TILED)
            store_words(half[k], swap_middle_halves(block[k]));
        else
            store_words(rows + k * pitch_B, row[k]);
    }
}

// Part of a strip: columns [x0, x1) of it, and the place in a tile of every unit's first column.
struct Columns {
    s32 left, x0, x1;
    const s32* place;
};

// Whole units first, then the bytes of the units that the region's left and right edges cut. ROWS rows at once: they
// share the work of a column, and the cache lines that they touch in it. Rows that cut a W_BLOCK go byte by byte.
template <int KIND, int ROWS, bool TO_TILED> FN void move_rows(const TilingParams& p, const Columns& c, s32 y) {
    enum { UNIT = KIND == W_BLOCK ? W_BLOCK_WIDTH_B : 1 << KIND, UNIT_ROWS = KIND == W_BLOCK ? W_BLOCK_ROWS : 1 };
    // Columns of 16 bytes, and those of W, lie 512 bytes apart: too far for a processor to foresee which it will need.
    enum { FAR_APART = KIND == W_BLOCK || KIND == 4, AHEAD = KIND == W_BLOCK ? 8 : 16 };
    enum { LINE_ROWS = KIND == W_BLOCK ? 8 : 4 };  // that share a cache line
    u8 *tile_row[ROWS], *line[ROWS];
    s32 row[ROWS];
    UNROLL for (int k = 0; k < ROWS; ++k) {
        tile_row[k] = (u8*)p.tiled + ((y + k) >> p.log2_tile_height_rows) * p.tile_row_B;
        line[k] = (u8*)p.linear + (y + k - p.y_rows) * p.linear_pitch_B + (c.left - p.x_B);
        row[k] = p.rows[(y + k) & ((1 << p.log2_tile_height_rows) - 1)];
    }
    const s32 first = (c.x0 + UNIT - 1) / UNIT, end = ROWS < UNIT_ROWS ? 0 : c.x1 / UNIT;
    const s32 head_end = min_of(first * UNIT, c.x1), tail = max_of(end * UNIT, head_end);
    const s32 right = KIND == W_BLOCK ? p.columns[UNIT / 2] : 0;
    const s64 pitch_B = p.linear_pitch_B;
    // Where 16 bytes of a tile's next row follow those of this one, a GPU's neighbors move them at the same time.
    if constexpr (ON_DEVICE(false, KIND == 4 && ROWS == 2)) {
        FOR_LINE(j, 2 * (end - first)) {
            const s32 unit = first + j / 2, k = j % 2;
            u8* tiled = (k ? tile_row[1] : tile_row[0]) + (c.place[unit] ^ (k ? row[1] : row[0]));
            move<TO_TILED, Unit<UNIT>>(tiled, (k ? line[1] : line[0]) + unit * UNIT);
        }
    } else FOR_LINE(j, end - first) {
        const s32 unit = first + j, column = c.place[unit];
        UNROLL for (int k = 0; k + UNIT_ROWS <= ROWS; k += UNIT_ROWS) {
            u8* tiled = tile_row[k] + (column ^ row[k]);
            if (FAR_APART && k % LINE_ROWS == 0) {
                const s32 ahead = c.place[min_of(unit + AHEAD, end - 1)] ^ row[k];
                PREFETCH(tile_row[k] + ahead);
                if (KIND == W_BLOCK) PREFETCH(tile_row[k] + (ahead ^ right));
            }
            if constexpr (KIND == W_BLOCK)
                move_w_block<TO_TILED>(tiled, tile_row[k] + (column ^ right ^ row[k]), line[k] + unit * UNIT, pitch_B);
            else
                move<TO_TILED, Unit<UNIT>>(tiled, line[k] + unit * UNIT);
        }
    }
    FOR_LINE(j, head_end - c.x0 + c.x1 - tail) {
        const s32 x = c.x0 + j < head_end ? c.x0 + j : tail + (c.x0 + j - head_end);
        const s32 column = c.place[x / UNIT] ^ (KIND == W_BLOCK ? p.columns[x % UNIT] : x % UNIT);
        UNROLL for (int k = 0; k < ROWS; ++k) move<TO_TILED, u8>(tile_row[k] + (column ^ row[k]), line[k] + x);
    }
}

template <int KIND, bool TO_TILED> FN void move_strip(const TilingParams& p, s32 strip_x, s32 strip_y) {
    enum { UNIT = KIND == W_BLOCK ? W_BLOCK_WIDTH_B : 1 << KIND, UNITS = STRIP_WIDTH_B / UNIT };
    enum { ROWS = KIND == W_BLOCK ? ON_DEVICE(8, 4) : KIND == 4 ? ON_DEVICE(8, 2) : 2 };
    const s32 left = (p.x_B / STRIP_WIDTH_B + strip_x) * STRIP_WIDTH_B;
    const s32 top = (p.y_rows / STRIP_ROWS + strip_y) * STRIP_ROWS;
    const s32 x0 = max_of(p.x_B - left, 0), x1 = min_of(p.x_B + p.width_B - left, (s32)STRIP_WIDTH_B);
    const s32 y0 = max_of(p.y_rows, top), y1 = min_of(p.y_rows + p.height_rows, top + STRIP_ROWS);

    SHARED s32 place[UNITS];
    const s32 first_cut = x0 / UNIT, tile_width_mask = (1 << p.log2_tile_width_B) - 1;
    FOR_EACH(i, (x1 + UNIT - 1) / UNIT - first_cut) {
        const s32 x = left + (first_cut + i) * UNIT;
        place[first_cut + i] = ((x >> p.log2_tile_width_B) << p.log2_tile_size_B) + p.columns[x & tile_width_mask];
    }
    BARRIER();

    const Columns columns = {left, x0, x1, place};
    FOR_LINES(i, STRIP_ROWS / ROWS) {
        const s32 y = top + i * ROWS;
        if (y0 <= y && y + ROWS <= y1)
            move_rows<KIND, ROWS, TO_TILED>(p, columns, y);
        else
            for (s32 rest = max_of(y, y0); rest < min_of(y + ROWS, y1); ++rest)
                move_rows<KIND, 1, TO_TILED>(p, columns, rest);
    }
}

template <bool TO_TILED> FN void move_region(const TilingParams& p, s32 strip_x, s32 strip_y) {
    switch (p.unit) {
        case 0: return move_strip<0, TO_TILED>(p, strip_x, strip_y);
        case 1: return move_strip<1, TO_TILED>(p, strip_x, strip_y);
        case 2: return move_strip<2, TO_TILED>(p, strip_x, strip_y);
        case 3: return move_strip<3, TO_TILED>(p, strip_x, strip_y);
        case 4: return move_strip<4, TO_TILED>(p, strip_x, strip_y);
        case W_BLOCK: return move_strip<W_BLOCK, TO_TILED>(p, strip_x, strip_y);
        case 6: return move_strip<6, TO_TILED>(p, strip_x, strip_y);
    }
}

FN void tile_region_tile(const TilingParams& p, s32 strip_x, s32 strip_y) { move_region<true>(p, strip_x, strip_y); }

FN void detile_region_tile(const TilingParams& p, s32 strip_x, s32 strip_y) { move_region<false>(p, strip_x, strip_y); }
