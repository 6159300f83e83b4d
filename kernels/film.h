// Film detection: the eleven variances of two frames, per block of 16x4 pixels and summed (seed 003:1433-1526).
//
// Everything is asked of the pixels of even lines: of a top line, the bottom line under it, and their neighbors within
// each field. Samples are those of 8 bits; squares of their differences fit 16 bits, and no sum of two is ever made.
// Three combs (ours) go with them: what fields of different pictures show when they are woven.
#pragma once
#include "deinterlace.h"

// A tile measures FILM_BLOCKS blocks across and computes 8 columns more on either side, and one even line more above and
// below, for the neighbors of tears. Statistics are of the CPU's tiles: others are whole parts of them.
enum { FILM_WIDTH = ON_DEVICE(256, 96), FILM_MARGIN = 8, FILM_BLOCKS = (FILM_WIDTH - 2 * FILM_MARGIN) / 16 };
enum { FILM_LINES = ON_DEVICE(32, 16), FILM_ROWS = FILM_LINES / 2 + 2, FILM_LOADED = FILM_LINES + 8 };
enum { FILM_SIMPLE = 5, FILM_COUNTERS = 6, FILM_VARIANCES = FILM_SIMPLE + FILM_COUNTERS };
// Differences are kept for so many even lines at a time: on the CPU those of one row of blocks, near at hand.
enum { FILM_SLOTS = ON_DEVICE(2, FILM_LINES / 2) };
enum { FILM_COMBS = 3, FILM_SUMS = FILM_VARIANCES + FILM_COMBS, FILM_PLANES = FILM_SIMPLE + FILM_COMBS };
// Flags of a pixel. Of two that are six bits apart, one sum over a block counts both.
enum { FILM_TEARS = 1, FILM_FITS = 2, FILM_SMOOTH = 4, FILM_TEAR3 = 8, FILM_TEAR1 = 64, FILM_TEAR2 = 128 };

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
    s16 differences[FILM_PLANES][FILM_SLOTS * FILM_WIDTH];
    u8 flags[FILM_ROWS * FILM_WIDTH], kept[FILM_ROWS * FILM_WIDTH];
    u8 zeros[16];
};

// a - b, or 0 if that is less. The sum of b and c need not exist to be compared with a.
template <typename T> FN T excess(T a, T b) { return (T)(max_of(a, b) - b); }
FN u8 more(u16 a, u16 b, u16 c) { return (u8)less<u16>(c, excess(a, b)); }
FN u8 not_less(u8 a, u8 b) { return (u8)(max_of(a, b) == a ? ~0 : 0); }
FN u32 distance(u8 a, u8 b) {
    const s32 d = a - b;
    return (u32)(d < 0 ? -d : d);
}
FN u16 squared(u8 difference) { return (u16)((u16)difference * (u16)difference); }

// Half of |a - b| + |b - c| - |a - c|: how far b lies outside its neighbors of the same field.
FN u8 outside(u8 a, u8 b, u8 c) { return (u8)(excess(b, max_of(a, c)) | excess(min_of(a, c), b)); }

FN u8 upper_byte(u8 element, s32) { return element; }
FN u8 upper_byte(u16 element, s32 shift) { return (u8)(element >> shift); }

// Phase: columns first .. first + FILM_WIDTH - 1 of a line; beyond the picture nothing differs from anything.
template <typename T> FN void load_film_line(const FieldSamples& s, s32 line, s32 width, s32 first, u8* __restrict__ out) {
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

// Phase: differences and flags of the pixels of an even line (1441-1495).
FN void film_line(const FilmParams& p, FilmTile& tile, s32 row, s32 slot) {
    const u8* __restrict__ ca2 = tile.current + 2 * row * FILM_WIDTH;  // lines y - 2 .. y + 3 of the current frame
    const u8* __restrict__ ca1 = ca2 + FILM_WIDTH;
    const u8* __restrict__ ct = ca1 + FILM_WIDTH;
    const u8* __restrict__ cb = ct + FILM_WIDTH;
    const u8* __restrict__ cd2 = cb + FILM_WIDTH;
    const u8* __restrict__ cd3 = cd2 + FILM_WIDTH;
    const u8* __restrict__ pa1 = tile.previous + (2 * row + 1) * FILM_WIDTH;  // y - 1 .. y + 2 of the previous one
    const u8* __restrict__ pt = pa1 + FILM_WIDTH;
    const u8* __restrict__ pb = pt + FILM_WIDTH;
    const u8* __restrict__ pd2 = pb + FILM_WIDTH;
    s16* __restrict__ to0 = tile.differences[0] + slot * FILM_WIDTH;
    s16* __restrict__ to1 = tile.differences[1] + slot * FILM_WIDTH;
    s16* __restrict__ to2 = tile.differences[2] + slot * FILM_WIDTH;
    s16* __restrict__ to3 = tile.differences[3] + slot * FILM_WIDTH;
    s16* __restrict__ to4 = tile.differences[4] + slot * FILM_WIDTH;
    s16* __restrict__ to5 = tile.differences[5] + slot * FILM_WIDTH;
    s16* __restrict__ to6 = tile.differences[6] + slot * FILM_WIDTH;
    s16* __restrict__ to7 = tile.differences[7] + slot * FILM_WIDTH;
    u8* __restrict__ flags = tile.flags + row * FILM_WIDTH;
    const s16 still = (s16)p.still;
    const u8 limit = (u8)p.half_vdiff1, least = (u8)p.root_vdiff2;
    FOR_LINE(x, FILM_WIDTH) {
        const u8 d0 = difference(ct[x], pt[x]), d1 = difference(cb[x], pb[x]), d2 = difference(ct[x], cb[x]);
        const u8 d3 = difference(ct[x], pb[x]), d4 = difference(cb[x], pt[x]);
        to0[x] = d0;
        to1[x] = d1;
        to2[x] = d2;
        to3[x] = d3;
        to4[x] = d4;
        to5[x] = outside(ca1[x], ct[x], cb[x]);  // combs: a top line beyond the bottom lines on both sides
        to6[x] = outside(pa1[x], ct[x], pb[x]);
        to7[x] = outside(ca1[x], pt[x], cb[x]);
        const u16 cTcT = squared(difference(ct[x], cd2[x])), cBcB = squared(difference(ca1[x], cb[x]));
        const u16 pTpT = squared(difference(pt[x], pd2[x])), pBpB = squared(difference(pa1[x], pb[x]));
        const s16 change = (s16)(min_of<u16>(squared(d0), 0x3fff) + min_of<u16>(squared(d1), 0x3fff));
        const u8 moving = (u8)less<s16>(still, change), tears = more(squared(d2), cTcT, cBcB);
        const u8 tears2 = more(squared(d3), cTcT, pBpB), tears3 = more(squared(d4), pTpT, cBcB);
        const u8 rough = max_of(outside(ca2[x], ct[x], cd2[x]), outside(ca1[x], cb[x], cd3[x]));
        const u8 tear1 = (u8)(tears & not_less(d2, least) & FILM_TEAR1);
        const u8 tear2 = (u8)(tears2 & not_less(d3, least) & FILM_TEAR2);
        const u8 tear3 = (u8)(tears3 & not_less(d4, least) & FILM_TEAR3);
        const u8 smooth = (u8)(less(rough, limit) & (u8)(FILM_SMOOTH | tear1 | tear2 | tear3));
        flags[x] = (u8)(moving & (u8)(pick<u8>(tears, FILM_TEARS, FILM_FITS) | smooth));
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

// Sum of some flags' bits in two lines of a block, as differences from 0: the form for which processors have an instruction.
FN u32 sum_flags(const u8* flags, const u8* zeros, u8 which) {
    u32 sum = 0;
    KEEP_LOOP for (int x = 0; x < 16; ++x) sum += distance((u8)(flags[x] & which), zeros[x]);
    KEEP_LOOP for (int x = 0; x < 16; ++x) sum += distance((u8)(flags[FILM_WIDTH + x] & which), zeros[x]);
    return sum;
}

FN s32 sum_squares(const s16* differences) {
    s32 sum = 0;
    KEEP_LOOP for (int x = 0; x < 16; ++x) sum += differences[x] * differences[x];
    KEEP_LOOP for (int x = 0; x < 16; ++x) sum += differences[FILM_WIDTH + x] * differences[FILM_WIDTH + x];
    return sum;
}

// The sums of squares of one block.
FN void block_squares(const FilmTile& tile, s32 at, u32* v) {
    for (int k = 0; k < FILM_SIMPLE; ++k) v[k] = (u32)sum_squares(tile.differences[k] + at) >> 4;
    for (int k = 0; k < FILM_COMBS; ++k)
        v[FILM_VARIANCES + k] = (u32)sum_squares(tile.differences[FILM_SIMPLE + k] + at);
}

// The counters of one block, whose tears count only where weaving the current frame is not the worst (1508-1514).
FN void block_counters(const FilmParams& p, const FilmTile& tile, s32 at, u32* v) {
    const u8* flags = tile.kept + at;
    const u32 first = sum_flags(flags, tile.zeros, FILM_TEARS | FILM_TEAR1);
    const u32 second = sum_flags(flags, tile.zeros, FILM_FITS | FILM_TEAR2) >> 1;
    v[5] = first & 63;
    v[6] = second & 63;
    v[7] = sum_flags(flags, tile.zeros, FILM_SMOOTH) >> 2;
    v[8] = first >> 6;
    v[9] = second >> 6;
    v[10] = sum_flags(flags, tile.zeros, FILM_TEAR3) >> 3;
    if (v[8] > v[9] && v[8] > v[10]) v[7] = v[8] = v[9] = v[10] = 0;
    for (int k = 8; k < 11; ++k)
        if (v[k] < (u32)p.tear) v[k] = 0;
}

// Phase: an even line of the tile, or one beyond the picture, where there is nothing.
FN void film_line_or_none(const FilmParams& p, FilmTile& tile, s32 y, s32 row, s32 slot) {
    if (y >= 0 && y < p.height) {
        film_line(p, tile, row, slot);
        return;
    }
    FOR_LINE(x, FILM_WIDTH) {
        tile.flags[row * FILM_WIDTH + x] = 0;
        for (int k = 0; k < FILM_PLANES; ++k) tile.differences[k][slot * FILM_WIDTH + x] = 0;
    }
}

template <typename T> FN void film_tile(const FilmParams& p, s32 tile_x, s32 tile_y) {
    SHARED FilmTile tile;
    SHARED u32 variances[FILM_BLOCKS * (FILM_LINES / 4)][FILM_SUMS];
    const s32 x0 = tile_x * FILM_BLOCKS * 16, y0 = tile_y * FILM_LINES;
    const s32 lines = min_of<s32>(FILM_LINES, p.height - y0), rows = (lines + 3) / 4 * 2 + 2;
    const s32 columns = min_of<s32>(FILM_BLOCKS, (p.width - x0 + 15) / 16), down = (lines + 3) / 4;
    FOR_EACH(x, 16) tile.zeros[x] = 0;
    FOR_LINES(i, 2 * rows + 4) {
        const s32 line = line_in_picture(y0 - 4 + i, p.height);
        load_film_line<T>(p.current, line, p.width, x0 - FILM_MARGIN, tile.current + i * FILM_WIDTH);
        load_film_line<T>(p.previous, line, p.width, x0 - FILM_MARGIN, tile.previous + i * FILM_WIDTH);
    }
    BARRIER();
    FOR_LINES(side, 2) {  // above and below the tile only flags matter
        const s32 row = side * (rows - 1);
        film_line_or_none(p, tile, y0 + 2 * row - 2, row, side);
    }
    BARRIER();
    for (s32 begin = 0; begin < rows - 2; begin += FILM_SLOTS) {
        const s32 slots = min_of<s32>(FILM_SLOTS, rows - 2 - begin);
        FOR_LINES(slot, slots) film_line_or_none(p, tile, y0 + 2 * (begin + slot), begin + slot + 1, slot);
        BARRIER();
        FOR_ITEMS(b, columns * slots / 2) {
            const s32 row = b / columns, column = b - row * columns;
            block_squares(tile, 2 * row * FILM_WIDTH + FILM_MARGIN + 16 * column, variances[begin / 2 * columns + b]);
        }
        BARRIER();
    }
    const s32 right = min_of<s32>(FILM_WIDTH - FILM_MARGIN, p.width - x0 + FILM_MARGIN);
    FOR_LINES(i, rows - 2) remove_strays(p, tile, i + 1, FILM_MARGIN, right);
    BARRIER();
    FOR_ITEMS(b, columns * down) {
        const s32 row = b / columns, column = b - row * columns;
        block_counters(p, tile, (2 * row + 1) * FILM_WIDTH + FILM_MARGIN + 16 * column, variances[b]);
        if (p.blocks) {
            u32* out = (u32*)((u8*)p.blocks + (s64)(y0 / 4 + row) * p.blocks_pitch_B) +
                       (s64)(x0 / 16 + column) * FILM_VARIANCES;
            for (int k = 0; k < FILM_VARIANCES; ++k) out[k] = variances[b][k];
        }
    }
    BARRIER();
    const s32 across = (p.width + 16 * FILM_BLOCKS - 1) / (16 * FILM_BLOCKS);
    FOR_ITEMS(k, FILM_SUMS) {
        u32 sum = 0;
        for (int b = 0; b < columns * down; ++b) sum += variances[b][k];
        p.sums[((s64)tile_y * across + tile_x) * FILM_SUMS + k] = sum;
    }
}
