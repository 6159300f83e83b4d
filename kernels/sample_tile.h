// Which samples a tile of the vector loops has: a piece of a picture or a strip of samples.
#pragma once
#include "sample_params.h"

// How samples are cut into tiles: pieces of so many `columns` of a grid, SAMPLE_TILE / columns rows high, or, if that is
// 0, strips of all samples. On a device it is SAMPLE_TILE or 0: a tile is one row.
struct TileGrid {
    s32 width, rows;  // of the grid: samples of a row, and rows of all that is stacked
    s32 columns, pad_;
};
static_assert(sizeof(TileGrid) == 16, "parameter layout");

// Where a tile's samples are: row r begins at first + r * pitch. In scratch they follow each other.
struct TilePlace {
    s64 first, pitch;
    s32 left, top;  // in the grid
    s32 columns, rows, n;
};

FN TilePlace strip_place(s64 first, s32 n) { return {first, n, 0, 0, n, 1, n}; }

FN TilePlace tile_place(const TileGrid& g, s64 count, s32 tile_x, s32 tile_y) {
    if (!g.columns) {
        const s64 first = ((s64)tile_y * 64 + tile_x) * SAMPLE_TILE;
        return strip_place(first, (s32)clamp_to(count - first, (s64)0, (s64)SAMPLE_TILE));
    }
    const s32 high = ON_DEVICE(SAMPLE_TILE / g.columns, 1), left = tile_x * g.columns, top = tile_y * high;
    const s32 columns = min_of(g.width - left, g.columns), rows = ON_DEVICE(min_of(g.rows - top, high), 1);
    return {(s64)top * g.width + left, g.width, left, top, columns, rows, columns * rows};
}

// One row of a tile: its samples in scratch begin at `begin`, those in memory at `first`.
struct TileRow {
    s64 first;
    s32 begin, n;
};
FN TileRow row_of_tile(const TilePlace& at, s32 row) {
    return {at.first + row * at.pitch, row * at.columns, at.columns};
}
