// Tiled memory to rows and back. A tiling scatters the bits of x (in bytes) and y (in rows) over the bits of the
// address inside a tile, so the place of a byte is the exclusive or of one number per column and one per row; the
// tables of both come from the address bits in texsamp/surface/tiling.py. Bit-6 swizzling is part of the tables.
#pragma once
#include "portable.h"

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

// 8 bytes of 4 rows, the smallest rectangle of tiling W with all its bytes together; their pairs take turns.
enum { W_BLOCK = 5, W_BLOCK_ROWS = 4 };

// A GPU moves only aligned words; the caller picks a unit to which all addresses are aligned.
template <int BYTES> struct alignas(ON_DEVICE(1, BYTES < 16 ? BYTES : 16)) Unit { u8 bytes[BYTES]; };

template <bool TO_TILED, typename T> FN void move(u8* tiled, u8* linear) {
    if (TO_TILED)
        *(T*)tiled = *(const T*)linear;
    else
        *(T*)linear = *(const T*)tiled;
}

// Pairs of bytes a0 a1 and b0 b1 as a0 b0 a1 b1, and back.
FN u64 spread_pairs(u32 pairs) { return (pairs & 0xffff) | (u64)(pairs >> 16) << 32; }
FN u32 gather_pairs(u64 spread) { return (u32)(spread & 0xffff) | ((u32)(spread >> 32) << 16); }

// Address bits of a block from the lowest: x, y, x, y, x.
template <bool TO_TILED> FN void move_w_block(u8* tiled, u8* const* line, s32 x) {
    typedef Unit<8> Eight;
    u64 row[W_BLOCK_ROWS], block[W_BLOCK_ROWS];
    UNROLL for (int k = 0; k < W_BLOCK_ROWS; ++k) {
        if (TO_TILED)
            *(Eight*)&row[k] = *(const Eight*)(line[k] + x);
        else
            *(Eight*)&block[k] = *(const Eight*)(tiled + 8 * k);
    }
    UNROLL for (int half = 0; half < 2; ++half)
        UNROLL for (int pair = 0; pair < 2; ++pair) {
            u64 &upper = row[2 * pair], &lower = row[2 * pair + 1], &together = block[2 * half + pair];
            if (TO_TILED) {
                together = spread_pairs((u32)(upper >> 32 * half)) | spread_pairs((u32)(lower >> 32 * half)) << 16;
                *(Eight*)(tiled + 16 * half + 8 * pair) = *(const Eight*)&together;
            } else {
                upper = (half ? upper : 0) | (u64)gather_pairs(together) << 32 * half;
                lower = (half ? lower : 0) | (u64)gather_pairs(together >> 16) << 32 * half;
            }
        }
    if (!TO_TILED)
        UNROLL for (int k = 0; k < W_BLOCK_ROWS; ++k) *(Eight*)(line[k] + x) = *(const Eight*)&row[k];
}

// Part of a strip: columns [x0, x1) of it, and the place in a tile of every unit's first column.
struct Columns {
    s32 left, x0, x1;
    const s32* place;
};

// Whole units first, then the bytes of the units that the region's left and right edges cut. ROWS rows at once: they
// share the work of a column, and the cache line that they touch in it. Rows that cut a W_BLOCK go byte by byte.
template <int KIND, int ROWS, bool TO_TILED> FN void move_rows(const TilingParams& p, const Columns& c, s32 y) {
    enum { UNIT = KIND == W_BLOCK ? 8 : 1 << KIND, UNIT_ROWS = KIND == W_BLOCK ? W_BLOCK_ROWS : 1 };
    enum { AHEAD = 16 };  // units; those of W lie 512 bytes apart, too far for a processor to foresee
    u8 *tile_row[ROWS], *line[ROWS];
    s32 row[ROWS];
    UNROLL for (int k = 0; k < ROWS; ++k) {
        tile_row[k] = (u8*)p.tiled + ((y + k) >> p.log2_tile_height_rows) * p.tile_row_B;
        line[k] = (u8*)p.linear + (y + k - p.y_rows) * p.linear_pitch_B + (c.left - p.x_B);
        row[k] = p.rows[(y + k) & ((1 << p.log2_tile_height_rows) - 1)];
    }
    const s32 first = (c.x0 + UNIT - 1) / UNIT, end = ROWS < UNIT_ROWS ? 0 : c.x1 / UNIT;
    const s32 head_end = min_of(first * UNIT, c.x1), tail = max_of(end * UNIT, head_end);
    FOR_LINE(j, end - first) {
        const s32 unit = first + j, column = c.place[unit];
        UNROLL for (int k = 0; k + UNIT_ROWS <= ROWS; k += UNIT_ROWS) {
            u8* tiled = tile_row[k] + (column ^ row[k]);
            if (KIND == W_BLOCK && k == 0) PREFETCH(tile_row[0] + (c.place[min_of(unit + AHEAD, end - 1)] ^ row[0]));
            if constexpr (KIND == W_BLOCK)
                move_w_block<TO_TILED>(tiled, line + k, unit * UNIT);
            else
                move<TO_TILED, Unit<UNIT>>(tiled, line[k] + unit * UNIT);
        }
    }
    FOR_LINE(j, head_end - c.x0 + c.x1 - tail) {
        const s32 x = c.x0 + j < head_end ? c.x0 + j : tail + (c.x0 + j - head_end);
        const s32 column = c.place[x / UNIT] + (KIND == W_BLOCK ? p.columns[x % UNIT] : x % UNIT);
        UNROLL for (int k = 0; k < ROWS; ++k) move<TO_TILED, u8>(tile_row[k] + (column ^ row[k]), line[k] + x);
    }
}

template <int KIND, bool TO_TILED> FN void move_strip(const TilingParams& p, s32 strip_x, s32 strip_y) {
    enum { UNIT = KIND == W_BLOCK ? 8 : 1 << KIND, UNITS = STRIP_WIDTH_B / UNIT, ROWS = KIND == W_BLOCK ? 8 : 2 };
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
