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
    s32 log2_unit_B;  // bytes that lie side by side on both sides and are moved at once: 0 to 4, or 6
};
static_assert(sizeof(TilingParams) == 80, "parameter layout");

// A GPU moves only aligned words; the caller picks a unit to which all addresses are aligned.
template <int BYTES> struct alignas(ON_DEVICE(1, BYTES < 16 ? BYTES : 16)) Unit { u8 bytes[BYTES]; };

template <bool TO_TILED, typename T> FN void move(u8* tiled, u8* linear) {
    if (TO_TILED)
        *(T*)tiled = *(const T*)linear;
    else
        *(T*)linear = *(const T*)tiled;
}

// Part of a strip: columns [x0, x1) of it, and the place in a tile of every unit's column.
struct Columns {
    s32 left, x0, x1;
    const s32* place;
};

// ROWS rows at once: they share the work of a column, and in Y-major tilings the cache line that they touch in it.
// Whole units first, then the bytes of the units that the region's left and right edges cut.
template <int LOG2_UNIT, int ROWS, bool TO_TILED>
FN void move_rows(const TilingParams& p, const Columns& c, s32 y) {
    enum { UNIT = 1 << LOG2_UNIT };
    u8 *tile_row[ROWS], *line[ROWS];
    s32 row[ROWS];
    UNROLL for (int k = 0; k < ROWS; ++k) {
        tile_row[k] = (u8*)p.tiled + ((y + k) >> p.log2_tile_height_rows) * p.tile_row_B;
        line[k] = (u8*)p.linear + (y + k - p.y_rows) * p.linear_pitch_B + (c.left - p.x_B);
        row[k] = p.rows[(y + k) & ((1 << p.log2_tile_height_rows) - 1)];
    }
    const s32 first = (c.x0 + UNIT - 1) / UNIT, end = c.x1 / UNIT;
    const s32 head_end = min_of(first * UNIT, c.x1), tail = max_of(end * UNIT, head_end);
    FOR_LINE(j, end - first) {
        const s32 unit = first + j, column = c.place[unit];
        UNROLL for (int k = 0; k < ROWS; ++k)
            move<TO_TILED, Unit<UNIT>>(tile_row[k] + (column ^ row[k]), line[k] + unit * UNIT);
    }
    FOR_LINE(j, head_end - c.x0 + c.x1 - tail) {
        const s32 x = c.x0 + j < head_end ? c.x0 + j : tail + (c.x0 + j - head_end);
        UNROLL for (int k = 0; k < ROWS; ++k)
            move<TO_TILED, u8>(tile_row[k] + (c.place[x / UNIT] ^ row[k]) + x % UNIT, line[k] + x);
    }
}

template <int LOG2_UNIT, bool TO_TILED> FN void move_strip(const TilingParams& p, s32 strip_x, s32 strip_y) {
    enum { UNIT = 1 << LOG2_UNIT, UNITS = STRIP_WIDTH_B / UNIT, ROWS = 2 };
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
    FOR_LINES(i, (y1 - y0 + ROWS - 1) / ROWS) {
        const s32 y = y0 + i * ROWS;
        if (y + ROWS <= y1)
            move_rows<LOG2_UNIT, ROWS, TO_TILED>(p, columns, y);
        else
            for (s32 rest = y; rest < y1; ++rest) move_rows<LOG2_UNIT, 1, TO_TILED>(p, columns, rest);
    }
}

template <bool TO_TILED> FN void move_region(const TilingParams& p, s32 strip_x, s32 strip_y) {
    switch (p.log2_unit_B) {
        case 0: return move_strip<0, TO_TILED>(p, strip_x, strip_y);
        case 1: return move_strip<1, TO_TILED>(p, strip_x, strip_y);
        case 2: return move_strip<2, TO_TILED>(p, strip_x, strip_y);
        case 3: return move_strip<3, TO_TILED>(p, strip_x, strip_y);
        case 4: return move_strip<4, TO_TILED>(p, strip_x, strip_y);
        case 6: return move_strip<6, TO_TILED>(p, strip_x, strip_y);
    }
}

FN void tile_region_tile(const TilingParams& p, s32 strip_x, s32 strip_y) { move_region<true>(p, strip_x, strip_y); }

FN void detile_region_tile(const TilingParams& p, s32 strip_x, s32 strip_y) { move_region<false>(p, strip_x, strip_y); }
