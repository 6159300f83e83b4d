// Film detection: the eleven variances of two frames, per block of 16x4 pixels and summed (seed 003:1433-1526).
//
// Everything is asked of the pixels of even lines: of a top line, the bottom line under it, and their neighbors within
// each field. Samples are those of 8 bits; squares of their differences fit 16 bits, and no sum of two is ever made.
// Three combs (ours) go with them: what fields of different pictures show when they are woven.
#pragma once
#include "film_lanes.h"

// A tile measures FILM_BLOCKS blocks across and computes 8 columns more on either side, and one even line more above
// and below, for the neighbors of tears. Statistics are of the CPU's tiles: others are whole parts of them.
enum { FILM_WIDTH = ON_DEVICE(256, 96), FILM_MARGIN = 8, FILM_BLOCKS = (FILM_WIDTH - 2 * FILM_MARGIN) / 16 };
enum { FILM_LINES = ON_DEVICE(32, 16), FILM_ROWS = FILM_LINES / 2 + 2, FILM_LOADED = FILM_LINES + 8 };
enum { FILM_SIMPLE = 5, FILM_COUNTERS = 6, FILM_VARIANCES = FILM_SIMPLE + FILM_COUNTERS };
// Differences are kept for so many even lines at a time: on the CPU those of one row of blocks, near at hand.
enum { FILM_SLOTS = ON_DEVICE(2, FILM_LINES / 2) };
enum { FILM_COMBS = 3, FILM_SUMS = FILM_VARIANCES + FILM_COMBS, FILM_PLANES = FILM_SIMPLE + FILM_COMBS };
// Flags of a pixel, in the order of the counters.
enum { FILM_TEARS = 1, FILM_FITS = 2, FILM_SMOOTH = 4, FILM_TEAR1 = 8, FILM_TEAR2 = 16, FILM_TEAR3 = 32 };

struct FilmParams {
    FieldSamples current, previous;  // shifted right for the upper eight bits of a sample
    u32* sums;    // FILM_SUMS per tile
    u32* blocks;  // FILM_VARIANCES per block, or null
    s32 blocks_pitch_B;
    s32 width, height;
    s32 still;           // cTpT + cBpB of a pixel that does not move, at most; -1 if all do, less than 0x3fff
    s32 half_vdiff1;     // rounded up
    s32 root_vdiff2;     // rounded up
    s32 tear;
    s32 only_beside;     // the erratum: neighbors in other lines do not save a tear
};
static_assert(sizeof(FilmParams) == 96, "parameter layout");

struct FilmTile {
    u8 current[FILM_LOADED * FILM_WIDTH], previous[FILM_LOADED * FILM_WIDTH];
    u8 differences[FILM_PLANES][FILM_SLOTS * FILM_WIDTH];
    u8 flags[FILM_ROWS * FILM_WIDTH], kept[FILM_ROWS * FILM_WIDTH];
};
typedef u32 FilmSums[FILM_SUMS][FILM_BLOCKS * (FILM_LINES / 4)];  // by block, in rows of FILM_BLOCKS

FN u8 upper_byte(u8 element, s32) { return element; }
FN u8 upper_byte(u16 element, s32 shift) { return (u8)(element >> shift); }

// Phase: columns first .. first + FILM_WIDTH - 1 of a line; beyond the picture nothing differs from anything.
template <typename T>
FN void load_film_line(const FieldSamples& s, s32 line, s32 width, s32 first, u8* __restrict__ out) {
    const s32 left = clamp_to<s32>(-first, 0, FILM_WIDTH), right = clamp_to<s32>(width - first, left, FILM_WIDTH);
    const s32 step = s.step, shift = s.shift;
    const T* __restrict__ inside = row_of<T>(s, line) + (s64)(first + left) * step;
    if (step == 1 && right - left == FILM_WIDTH) {  // most tiles: a length that compilers know
        FOR_LINE(i, FILM_WIDTH) out[i] = upper_byte(inside[i], shift);
        return;
    }
    if (step == 1) {
        FOR_LINE(i, right - left) out[left + i] = upper_byte(inside[i], shift);
    } else {
        FOR_LINE(i, right - left) out[left + i] = upper_byte(inside[(s64)i * step], shift);
    }
    FOR_LINE(i, left) out[i] = 0;
    FOR_LINE(i, FILM_WIDTH - right) out[right + i] = 0;
}

// Where the lines of a tile are, from the fourth above it.
struct FilmLines {
    const u8* first;
    s32 pitch_B;
    FN_MEMBER const u8* line(s32 i) const { return first + (s64)i * pitch_B; }
};

// The CPU reads a tile where it is, if it needs nothing beyond the picture and samples are bytes in a row.
template <typename T>
FN bool is_read_in_place(const FieldSamples& s, s32 width, s32 height, s32 first, s32 top, s32 lines) {
    return ON_DEVICE(true, false) && sizeof(T) == 1 && s.step == 1 && s.shift == 0 && first >= 0 &&
           first + FILM_WIDTH <= width && top >= 0 && top + lines <= height;
}

// Phase: the lines of a tile.
template <typename T>
FN FilmLines film_lines(const FieldSamples& s, s32 width, s32 height, s32 first, s32 top, s32 lines, u8* scratch) {
    if (is_read_in_place<T>(s, width, height, first, top, lines))
        return {(const u8*)(row_of<T>(s, top) + first), s.pitch_B};
    FOR_LINES(i, lines)
        load_film_line<T>(s, line_in_picture(top + i, height), width, first, scratch + i * FILM_WIDTH);
    return {scratch, FILM_WIDTH};
}

// Phase: differences and flags of the pixels of an even line (1441-1495).
FN void film_line(const FilmParams& p, FilmTile& tile, const FilmLines& current, const FilmLines& previous, s32 row,
                  s32 slot) {
    const u8* from_c[6];  // lines y - 2 .. y + 3 of the current frame
    const u8* from_p[4];  // y - 1 .. y + 2 of the previous one
    for (int i = 0; i < 6; ++i) from_c[i] = current.line(2 * row + i);
    for (int i = 0; i < 4; ++i) from_p[i] = previous.line(2 * row + 1 + i);
    u8* out[FILM_PLANES];
    for (int k = 0; k < FILM_PLANES; ++k) out[k] = tile.differences[k] + slot * FILM_WIDTH;
    u8* flags = tile.flags + row * FILM_WIDTH;
    const Bytes limit = every((u8)p.half_vdiff1), least = every((u8)p.root_vdiff2);
    const Squares moves = every_square((u16)(p.still + 1));
    FOR_LANES(x, FILM_WIDTH) {
        const Bytes ca1 = loaded(from_c[1] + x), ct = loaded(from_c[2] + x), cb = loaded(from_c[3] + x);
        const Bytes cd2 = loaded(from_c[4] + x);
        const Bytes pa1 = loaded(from_p[0] + x), pt = loaded(from_p[1] + x), pb = loaded(from_p[2] + x);
        const Bytes d0 = difference(ct, pt), d1 = difference(cb, pb), d2 = difference(ct, cb);
        const Bytes d3 = difference(ct, pb), d4 = difference(cb, pt);
        store(out[0] + x, d0);
        store(out[1] + x, d1);
        store(out[2] + x, d2);
        store(out[3] + x, d3);
        store(out[4] + x, d4);
        store(out[5] + x, outside(ca1, ct, cb));  // combs: a top line beyond the bottom lines on both sides
        store(out[6] + x, outside(pa1, ct, pb));
        store(out[7] + x, outside(ca1, pt, cb));
        const Squares cTcT = squared(difference(ct, cd2)), cBcB = squared(difference(ca1, cb));
        const Squares pTpT = squared(difference(pt, loaded(from_p[3] + x))), pBpB = squared(difference(pa1, pb));
        const Bytes moving = not_less_sum(squared(d0), squared(d1), moves);
        const Bytes fits = not_more_than_sum(squared(d2), cTcT, cBcB);
        const Bytes fits2 = not_more_than_sum(squared(d3), cTcT, pBpB);
        const Bytes fits3 = not_more_than_sum(squared(d4), pTpT, cBcB);
        const Bytes rough = max_of(outside(loaded(from_c[0] + x), ct, cd2), outside(ca1, cb, loaded(from_c[5] + x)));
        const Bytes tear1 = without(not_less(d2, least) & every(FILM_TEAR1), fits);
        const Bytes tear2 = without(not_less(d3, least) & every(FILM_TEAR2), fits2);
        const Bytes tear3 = without(not_less(d4, least) & every(FILM_TEAR3), fits3);
        const Bytes smooth = without(every(FILM_SMOOTH) | tear1 | tear2 | tear3, not_less(rough, limit));
        const Bytes which = without(every(FILM_TEARS), fits) | (fits & every(FILM_FITS));
        store(flags + x, (smooth | which) & moving);
    }
}

// Phase: a tear that no neighbor shares is none (1497-1507, 1524). Columns left .. right - 1 are in the picture.
FN void remove_strays(const FilmParams& p, FilmTile& tile, s32 row, s32 left, s32 right) {
    const u8* __restrict__ here = tile.flags + row * FILM_WIDTH;
    const u8* __restrict__ above = here - FILM_WIDTH;
    const u8* __restrict__ below = here + FILM_WIDTH;
    u8* __restrict__ kept = tile.kept + row * FILM_WIDTH;
    const u8 others = p.only_beside ? 0 : 0xff, counts = FILM_TEARS | FILM_FITS | FILM_SMOOTH;
    FOR_LINE(i, right - left) {
        const s32 x = left + i;
        kept[x] = (u8)(here[x] & (counts | here[x - 1] | here[x + 1] | (others & (above[x] | below[x]))));
    }
    FOR_LINE(i, FILM_WIDTH - FILM_MARGIN - right) kept[right + i] = 0;
}

// What divides and discards, of one block: its tears count only where weaving the current frame is not the worst
// (1451, 1508-1514).
FN void finish_block(FilmSums& v, s32 b, u32 least) {
    const u32 tears1 = v[8][b], tears2 = v[9][b], tears3 = v[10][b];
    const u32 counts = less(max_of(tears2, tears3), tears1) ^ ~0u;
    for (int k = 0; k < FILM_SIMPLE; ++k) v[k][b] >>= 4;
    v[7][b] &= counts;
    v[8][b] = tears1 & counts & ~less(tears1, least);
    v[9][b] = tears2 & counts & ~less(tears2, least);
    v[10][b] = tears3 & counts & ~less(tears3, least);
}

// Phase: an even line of the tile, or one beyond the picture, where there is nothing. A line with no neighbor on one side
// combs nothing: what moves up or down would comb there in one pair of fields and not in the next.
FN void film_line_or_none(const FilmParams& p, FilmTile& tile, const FilmLines& current, const FilmLines& previous,
                          s32 y, s32 row, s32 slot) {
    const bool is_inside = y >= 0 && y < p.height;
    if (is_inside) film_line(p, tile, current, previous, row, slot);
    if (y > 0 && y < p.height - 1) return;
    FOR_LINE(x, FILM_WIDTH) {
        for (int k = is_inside ? FILM_SIMPLE : 0; k < FILM_PLANES; ++k) tile.differences[k][slot * FILM_WIDTH + x] = 0;
        if (!is_inside) tile.flags[row * FILM_WIDTH + x] = 0;
    }
}

template <typename T> FN void film_tile(const FilmParams& p, s32 tile_x, s32 tile_y) {
    SHARED FilmTile tile;
    SHARED FilmSums variances;
    const s32 x0 = tile_x * FILM_BLOCKS * 16, y0 = tile_y * FILM_LINES;
    const s32 lines = min_of<s32>(FILM_LINES, p.height - y0), rows = (lines + 3) / 4 * 2 + 2;
    const s32 columns = min_of<s32>(FILM_BLOCKS, (p.width - x0 + 15) / 16), down = (lines + 3) / 4;
    const s32 left = x0 - FILM_MARGIN, top = y0 - 4, loaded = 2 * rows + 4;
    const FilmLines current = film_lines<T>(p.current, p.width, p.height, left, top, loaded, tile.current);
    const FilmLines previous = film_lines<T>(p.previous, p.width, p.height, left, top, loaded, tile.previous);
    BARRIER();
    FOR_LINES(side, 2) {  // above and below the tile only flags matter
        const s32 row = side * (rows - 1);
        film_line_or_none(p, tile, current, previous, y0 + 2 * row - 2, row, side);
    }
    BARRIER();
    for (s32 begin = 0; begin < rows - 2; begin += FILM_SLOTS) {
        const s32 slots = min_of<s32>(FILM_SLOTS, rows - 2 - begin);
        FOR_LINES(slot, slots) {
            film_line_or_none(p, tile, current, previous, y0 + 2 * (begin + slot), begin + slot + 1, slot);
        }
        BARRIER();
        FOR_ITEMS(i, FILM_PLANES * slots / 2) {
            const s32 row = i / FILM_PLANES, k = i - row * FILM_PLANES, sum = k < FILM_SIMPLE ? k : k + FILM_COUNTERS;
            squares_of_blocks(tile.differences[k] + 2 * row * FILM_WIDTH + FILM_MARGIN, FILM_WIDTH, FILM_BLOCKS,
                              variances[sum] + (begin / 2 + row) * FILM_BLOCKS);
        }
        BARRIER();
    }
    const s32 right = min_of<s32>(FILM_WIDTH - FILM_MARGIN, p.width - x0 + FILM_MARGIN);
    FOR_LINES(i, rows - 2) remove_strays(p, tile, i + 1, FILM_MARGIN, right);
    BARRIER();
    FOR_ITEMS(b, FILM_BLOCKS * down) {
        const s32 row = b / FILM_BLOCKS, column = b - row * FILM_BLOCKS;
        u32 counts[FILM_COUNTERS];
        count_flags(tile.kept + (2 * row + 1) * FILM_WIDTH + FILM_MARGIN + 16 * column, FILM_WIDTH, counts);
        for (int k = 0; k < FILM_COUNTERS; ++k) variances[FILM_SIMPLE + k][b] = counts[k];
    }
    BARRIER();
    FOR_EACH(b, FILM_BLOCKS * down) finish_block(variances, b, (u32)p.tear);
    BARRIER();
    if (p.blocks) {
        FOR_ITEMS(b, columns * down) {
            const s32 row = b / columns, column = b - row * columns;
            u32* out = (u32*)((u8*)p.blocks + (s64)(y0 / 4 + row) * p.blocks_pitch_B) +
                       (s64)(x0 / 16 + column) * FILM_VARIANCES;
            for (int k = 0; k < FILM_VARIANCES; ++k) out[k] = variances[k][row * FILM_BLOCKS + column];
        }
    }
    const s32 across = (p.width + 16 * FILM_BLOCKS - 1) / (16 * FILM_BLOCKS);
    FOR_ITEMS(k, FILM_SUMS) {
        u32 sum = 0;
        for (int b = 0; b < FILM_BLOCKS * down; ++b) sum += variances[k][b];
        p.sums[((s64)tile_y * across + tile_x) * FILM_SUMS + k] = sum;
    }
}
