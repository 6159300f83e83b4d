// Film detection: the eleven variances of two frames, per block of 16x4 pixels and summed (seed 003:1433-1526).
//
// Everything is asked of the pixels of even lines: of a top line, the bottom line under it, and their neighbors within
// each field. Samples are those of 8 bits; squares of their differences fit 16 bits, and sums of two are only compared with
// another. Three combs (ours) go with them, what fields of different pictures show when they are woven, and three rises
// (ours): how far top lines are from the bottom line above, as simple differences say of the one below. So do levels
// (ours): what the lines of either field add up to.
#pragma once
#include "film_lanes.h"
#include "film_lines.h"

enum { FILM_COMBS = 3, FILM_SIMPLE = 5, FILM_COUNTERS = 6, FILM_VARIANCES = FILM_SIMPLE + FILM_COUNTERS };
enum { FILM_SQUARES = FILM_COMBS + FILM_SIMPLE, FILM_RISES = 3, FILM_LEVELS = 2 };
enum { FILM_SUMS = FILM_SQUARES + FILM_COUNTERS + FILM_RISES + FILM_LEVELS };
// Blocks that one step takes, and steps of a row of them: the last may take some again.
enum { FILM_STEP = sizeof(Bytes) < 16 ? 1 : sizeof(Bytes) / 16, FILM_STEPS = (FILM_BLOCKS + FILM_STEP - 1) / FILM_STEP };
// Flags of a pixel that are counted wherever they are; the other three are tears.
enum { FILM_MOVES = 1, FILM_TEARS = 2, FILM_SMOOTH = 4, FILM_FLAGS = 6 };
// Lines of flags are this far apart: there are none in the columns next to them, which only matter beyond the picture.
enum { FILM_PITCH = FILM_WIDTH + 16 };
// Places for the counters of blocks, up to a multiple of any vector.
enum { FILM_PLACES = (FILM_COUNT + 63) / 64 * 64 };

struct FilmParams {
    FieldSamples current, previous;  // shifted right for the upper eight bits of a sample
    u32* sums;    // FILM_SUMS per strip of a tile
    u32* blocks;  // FILM_VARIANCES per block, or null
    s32 blocks_pitch_B;
    s32 width, height;
    s32 still;           // cTpT + cBpB of a pixel that does not move, at most; -1 if all do, less than 0x3fff
    s32 half_vdiff1;     // rounded up
    s32 root_vdiff2;     // rounded up
    s32 tear;
    s32 only_beside;     // the erratum: neighbors in other lines do not save a tear
    s32 least_change;    // of the lines of a pixel that moves, one differs by so much or more
    s32 comb_change;     // a pixel combs if one of its three lines changes by so much or more
};
static_assert(sizeof(FilmParams) == 104, "parameter layout");

struct FilmTile {
    u8 current[FILM_LOADED * FILM_WIDTH], previous[FILM_LOADED * FILM_WIDTH];
    u8 flags[FILM_ROWS * FILM_PITCH + 16];
    u8 counters[FILM_COUNTERS][FILM_PLACES];
    u32 squares[FILM_COUNT][FILM_SQUARES];
    u32 rises[FILM_COUNT][FILM_RISES + 1];  // and levels, those of bottom lines times 65536
};

// How far top lines that change, or have a neighbor that does, lie beyond the bottom lines on both sides, what pixels of
// an even line differ by (1441-1449), and top lines from the bottom line above. A line with no neighbor on one side,
// `inner` is 0 there, combs nothing: what moves up or down would comb there in one pair of fields and not in the next.
// It rises as it falls.
template <bool INNER>
FN void film_differences(const FilmFrames& lines, u8 least, s32 row, s32 x, u8 inner, Bytes out[FILM_SQUARES],
                         Bytes rises[FILM_RISES]) {
    const u8 *c = lines.current.line(2 * row + 1) + x, *p = lines.previous.line(2 * row + 1) + x;
    const s64 cp = lines.current.pitch_B, pp = lines.previous.pitch_B;
    const Bytes ca1 = loaded(c), ct = loaded(c + cp), cb = loaded(c + 2 * cp);
    const Bytes pa1 = loaded(p), pt = loaded(p + pp), pb = loaded(p + 2 * pp);
    out[3] = difference(ct, pt);
    out[4] = difference(cb, pb);
    Bytes changes = not_less(max_of(max_of(out[3], out[4]), difference(ca1, pa1)), every(least));
    if constexpr (!INNER) changes = (Bytes)(changes & every(inner));
    const Bytes tops[3] = {ct, ct, pt}, above[3] = {ca1, pa1, ca1}, below[3] = {cb, pb, cb};
    UNROLL for (int k = 0; k < FILM_COMBS; ++k) {
        const Bytes over = excess(tops[k], above[k]), under = excess(above[k], tops[k]);
        const Bytes over2 = excess(tops[k], below[k]), under2 = excess(below[k], tops[k]);
        out[k] = (Bytes)((min_of(over, over2) | min_of(under, under2)) & changes);
        rises[k] = (Bytes)(over | under);
        out[5 + k] = (Bytes)(over2 | under2);
    }
    if constexpr (!INNER) {
        UNROLL for (int k = 0; k < FILM_RISES; ++k)
            rises[k] = (Bytes)((rises[k] & every(inner)) | without(out[5 + k], every(inner)));
    }
}

struct FilmRow {
    FilmFrames lines;
    s32 row;      // in the tile
    u8 least;     // change of what combs
    u8 inner[2];  // whether even lines have neighbors on both sides: 0 or 0xff
};

// Sums of the squares of that, and of levels, of the blocks of a step with so many even lines in the picture: of small
// differences, and whether they are small, or of any.
template <int LINES, bool INNER, bool SMALL>
FN bool squares_of_step(const FilmRow& at, s32 first, u32 (*__restrict__ out)[FILM_SQUARES],
                        u32 (*__restrict__ out_rises)[FILM_RISES + 1]) {
    Sums sums[FILM_SQUARES], risen[FILM_RISES + 1];
    UNROLL for (int k = 0; k < FILM_SQUARES; ++k) sums[k] = no_sum();
    UNROLL for (int k = 0; k <= FILM_RISES; ++k) risen[k] = no_sum();
    for (s32 x = first; x < first + 16 * FILM_STEP; x += (s32)sizeof(Bytes)) {
        SquareWords words[FILM_SQUARES], rising[FILM_RISES];
        UNROLL for (int k = 0; k < FILM_SQUARES; ++k) words[k] = no_words();
        UNROLL for (int k = 0; k < FILM_RISES; ++k) rising[k] = no_words();
        Bytes largest = every(0);
        UNROLL for (int line = 0; line < LINES; ++line) {
            Bytes d[FILM_SQUARES], r[FILM_RISES];
            film_differences<INNER>(at.lines, at.least, at.row + line, x, at.inner[line], d, r);
            const u8* top = at.lines.current.line(2 * (at.row + line) + 2) + x;
            risen[FILM_RISES] = plus_levels(risen[FILM_RISES], loaded(top), loaded(top + at.lines.current.pitch_B));
            if constexpr (SMALL) {
                UNROLL for (int k = 0; k < FILM_SQUARES; ++k) words[k] = words[k] + squares_of_neighbors(d[k]);
                UNROLL for (int k = 0; k < FILM_RISES; ++k) rising[k] = rising[k] + squares_of_neighbors(r[k]);
                UNROLL for (int k = FILM_COMBS; k < FILM_SQUARES; ++k) largest = max_of(largest, d[k]);
                UNROLL for (int k = 0; k < FILM_RISES; ++k) largest = max_of(largest, r[k]);
            } else {
                UNROLL for (int k = 0; k < FILM_SQUARES; ++k) sums[k] = plus_squares(sums[k], d[k]);
                UNROLL for (int k = 0; k < FILM_RISES; ++k) risen[k] = plus_squares(risen[k], r[k]);
            }
        }
        if constexpr (SMALL) {
            if (!are_smaller(largest)) return false;  // combs are no larger
            UNROLL for (int k = 0; k < FILM_SQUARES; ++k) sums[k] = plus_words(sums[k], words[k]);
            UNROLL for (int k = 0; k < FILM_RISES; ++k) risen[k] = plus_words(risen[k], rising[k]);
        }
    }
    store_sums(out, sums);
    store_rises(out_rises, risen);
    return true;
}

template <int LINES, bool INNER>
FN_APART void any_squares_of_step(const FilmRow& at, s32 first, u32 (*out)[FILM_SQUARES], u32 (*rises)[FILM_RISES + 1]) {
    squares_of_step<LINES, INNER, false>(at, first, out, rises);
}

// The same of a row of blocks.
template <int LINES, bool INNER>
FN_APART void squares_of_blocks(const FilmRow at, s32 first, u32 (*__restrict__ out)[FILM_SQUARES],
                                u32 (*__restrict__ rises)[FILM_RISES + 1]) {
    FOR_STEPS(i, FILM_STEPS) {
        const s32 block = min_of<s32>(i * FILM_STEP, FILM_BLOCKS - FILM_STEP), x = first + 16 * block;
        if (!squares_of_step<LINES, INNER, true>(at, x, out + block, rises + block))
            any_squares_of_step<LINES, INNER>(at, x, out + block, rises + block);
    }
}

// Phase: a row of blocks.
FN void film_squares(const FilmFrames& lines, u8 least, s32 y, s32 height, s32 row, s32 first,
                     u32 (*out)[FILM_SQUARES], u32 (*rises)[FILM_RISES + 1]) {
    const u8 upper = y > 0 && y < height - 1 ? 0xff : 0, lower = y + 2 < height - 1 ? 0xff : 0;
    const FilmRow at = {lines, row, least, {upper, lower}};
    if (upper & lower)
        squares_of_blocks<2, true>(at, first, out, rises);
    else if (y + 2 < height)
        squares_of_blocks<2, false>(at, first, out, rises);
    else if (y < height)
        squares_of_blocks<1, false>(at, first, out, rises);
    else
        squares_of_blocks<0, false>(at, first, out, rises);
}

// What flags are made from: differences in time and between lines of both frames (1441-1467).
struct FilmPixels {
    Bytes cTpT, cBpB, cTcB, cTpB, cBpT, cTcT, cBcB, pTpT, pBpB;
};

// The flags of pixels (1451-1495). `c` is at the line above the pixels' neighbors in their field.
template <bool SMALL>
FN Bytes flags_of(const FilmParams& p, const FilmPixels& d, const u8* c, s64 pitch) {
    const Bytes moving = not_less(squares_of_two<SMALL>(d.cTpT, d.cBpB), every_square((u16)(p.still + 1)));
    if (!has_bits(moving)) return every(0);
    const Bytes tears = exceeds<SMALL>(squared(d.cTcB), squares_of_two<SMALL>(d.cTcT, d.cBcB));
    const Bytes ca1 = loaded(c + pitch), ct = loaded(c + 2 * pitch), cb = loaded(c + 3 * pitch);
    const Bytes misplaced = max_of(outside(loaded(c), ct, loaded(c + 4 * pitch)),
                                   outside(ca1, cb, loaded(c + 5 * pitch)));
    const Bytes smooth = without(moving, not_less(misplaced, every((u8)p.half_vdiff1)));
    Bytes flags = every(0);
    if (has_bits(smooth)) {
        const Bytes least = every((u8)p.root_vdiff2);
        const Bytes tears2 = exceeds<SMALL>(squared(d.cTpB), squares_of_two<SMALL>(d.cTcT, d.pBpB));
        const Bytes tears3 = exceeds<SMALL>(squared(d.cBpT), squares_of_two<SMALL>(d.pTpT, d.cBcB));
        flags = appended(flags, not_less(d.cBpT, least) & tears3);
        flags = appended(flags, not_less(d.cTpB, least) & tears2);
        flags = appended(flags, not_less(d.cTcB, least) & tears) & smooth;
    }
    return appended(appended(appended(flags, smooth), tears & moving), moving);
}

FN Bytes film_flags(const FilmParams& p, const FilmFrames& lines, s32 row, s32 x) {
    const u8 *c = lines.current.line(2 * row) + x, *b = lines.previous.line(2 * row + 1) + x;
    const s64 cp = lines.current.pitch_B, pp = lines.previous.pitch_B;
    const Bytes ca1 = loaded(c + cp), ct = loaded(c + 2 * cp), cb = loaded(c + 3 * cp), cd2 = loaded(c + 4 * cp);
    const Bytes pa1 = loaded(b), pt = loaded(b + pp), pb = loaded(b + 2 * pp), pd2 = loaded(b + 3 * pp);
    const FilmPixels d = {difference(ct, pt), difference(cb, pb),  difference(ct, cb),
                          difference(ct, pb), difference(cb, pt),  difference(ct, cd2),
                          difference(ca1, cb), difference(pt, pd2), difference(pa1, pb)};
    const Bytes all = d.cTpT | d.cBpB | d.cTcB | d.cTpB | d.cBpT | d.cTcT | d.cBcB | d.pTpT | d.pBpB;
    return are_small(all) ? flags_of<true>(p, d, c, cp) : flags_of<false>(p, d, c, cp);
}

// Phase: flags of an even line, if it is in the picture.
FN_APART void film_line(const FilmParams& p, const FilmFrames& lines, s32 y, s32 row, u8* __restrict__ flags) {
    if (y < 0 || y >= p.height) {
        FOR_LINE(x, FILM_WIDTH) flags[x] = 0;
        return;
    }
    const u8 *ct = lines.current.line(2 * row + 2), *cb = lines.current.line(2 * row + 3);
    const u8 *pt = lines.previous.line(2 * row + 2), *pb = lines.previous.line(2 * row + 3);
    for (s32 x = FILM_WIDTH; x < 2 * FILM_WIDTH; x += 64) {
        PREFETCH(ct + x);
        PREFETCH(cb + x);
        PREFETCH(pt + x);
        PREFETCH(pb + x);
    }
    const Bytes least = every((u8)p.least_change);
    FOR_LANES(x, FILM_WIDTH) {
        const Bytes top = difference(loaded(ct + x), loaded(pt + x)), bottom = difference(loaded(cb + x), loaded(pb + x));
        const bool moves = has_bits(not_less(max_of(top, bottom), least));
        store(flags + x, moves ? film_flags(p, lines, row, x) : every(0));
    }
}

// Phase: counters of a row of blocks. A tear that no neighbor shares is none (1497-1507, 1524).
FN_APART void film_counters(const u8* flags, u8 others, u8 (*__restrict__ counters)[FILM_PLACES], s32 first) {
    FOR_STEPS(i, FILM_STEPS) {
        const s32 block = min_of<s32>(i * FILM_STEP, FILM_BLOCKS - FILM_STEP);
        u32 counts[FILM_STEP][FILM_FLAGS] = {};
        bool found = false;
        for (s32 x = 0; x < 16 * FILM_STEP; x += (s32)sizeof(Bytes)) {
            const u8* here = flags + 16 * block + x;
            if (!has_bits(loaded(here) | loaded(here + FILM_PITCH))) continue;
            Bytes kept[2];
            UNROLL for (int line = 0; line < 2; ++line, here += FILM_PITCH) {
                const Bytes beside = loaded(here - 1) | loaded(here + 1);
                const Bytes near = beside | (every(others) & (loaded(here - FILM_PITCH) | loaded(here + FILM_PITCH)));
                kept[line] = loaded(here) & (every(FILM_MOVES | FILM_TEARS | FILM_SMOOTH) | near);
            }
            count_flags(kept, counts);
            found = true;
        }
        if (!found) continue;
        for (int n = 0; n < FILM_STEP; ++n) {
            const s32 b = first + block + n;
            counters[0][b] = (u8)counts[n][1];
            counters[1][b] = (u8)(counts[n][0] - counts[n][1]);
            for (int k = 2; k < FILM_COUNTERS; ++k) counters[k][b] = (u8)counts[n][k];
        }
    }
}

// Phase: of a block tears count only where weaving the current frame is not the worst (1508-1514).
FN void discard_tears(u8 (*__restrict__ counters)[FILM_PLACES], u8 least) {
    FOR_EACH(b, FILM_PLACES) {
        const u8 tears1 = counters[3][b], tears2 = counters[4][b], tears3 = counters[5][b];
        const u8 counts = (u8)~less(max_of(tears2, tears3), tears1);
        counters[2][b] &= counts;
        counters[3][b] = (u8)(tears1 & counts & ~less(tears1, least));
        counters[4][b] = (u8)(tears2 & counts & ~less(tears2, least));
        counters[5][b] = (u8)(tears3 & counts & ~less(tears3, least));
    }
}

// Phase: sums and counters of the blocks of a tile, for those who ask for them.
FN void store_film_blocks(const FilmParams& p, const FilmTile& tile, s32 tile_x, s32 tile_y) {
    const s32 x0 = tile_x * FILM_BLOCKS, y0 = tile_y * FILM_DOWN;
    const s32 columns = min_of<s32>(FILM_BLOCKS, (p.width + 15) / 16 - x0);
    const s32 rows = min_of<s32>(FILM_DOWN, (p.height + 3) / 4 - y0);
    FOR_ITEMS(i, columns * rows) {
        const s32 row = i / columns, column = i - row * columns, b = row * FILM_BLOCKS + column;
        u32* out = (u32*)((u8*)p.blocks + (s64)(y0 + row) * p.blocks_pitch_B) + (s64)(x0 + column) * FILM_VARIANCES;
        for (int k = 0; k < FILM_SIMPLE; ++k) out[k] = tile.squares[b][FILM_COMBS + k];
        for (int k = 0; k < FILM_COUNTERS; ++k) out[FILM_SIMPLE + k] = tile.counters[k][b];
    }
}

// Phase: sums of the blocks of a strip of a tile.
FN void store_film_sums(const FilmTile& tile, s32 strip, u32* __restrict__ out) {
    enum { BLOCKS = FILM_COUNT / FILM_STRIPS };
    const s32 first = strip * BLOCKS;
    FOR_EACH(k, FILM_SQUARES) {
        u32 sum = 0;
        for (int b = 0; b < BLOCKS; ++b) sum += tile.squares[first + b][k];
        out[k] = sum;
    }
    FOR_ITEMS(k, FILM_COUNTERS) {
        u32 sum = 0;
        for (int b = 0; b < BLOCKS; ++b) sum += tile.counters[k][first + b];
        out[FILM_SQUARES + k] = sum;
    }
    FOR_ITEMS(k, FILM_RISES) {
        u32 sum = 0;
        for (int b = 0; b < BLOCKS; ++b) sum += tile.rises[first + b][k];
        out[FILM_SQUARES + FILM_COUNTERS + k] = sum;
    }
    FOR_ITEMS(k, FILM_LEVELS) {
        u32 sum = 0;
        for (int b = 0; b < BLOCKS; ++b) sum += tile.rises[first + b][FILM_RISES] >> 16 * k & 0xffff;
        out[FILM_SQUARES + FILM_COUNTERS + FILM_RISES + k] = sum;
    }
}

template <typename T> FN void film_tile(const FilmParams& p, s32 tile_x, s32 tile_y) {
    SHARED FilmTile tile;
    const s32 x0 = tile_x * FILM_BLOCKS * 16, y0 = tile_y * FILM_LINES;
    const bool is_whole = x0 + FILM_BLOCKS * 16 <= p.width && p.width >= FILM_WIDTH;
    // at the sides of the picture whole tiles have no margin: they need nothing beyond it
    const s32 left = is_whole ? clamp_to(x0 - FILM_MARGIN, 0, p.width - FILM_WIDTH) : x0 - FILM_MARGIN;
    const FilmFrames lines = {film_lines<T>(p.current, p.width, p.height, left, y0 - 4, tile.current),
                              film_lines<T>(p.previous, p.width, p.height, left, y0 - 4, tile.previous)};
    u8* const flags = tile.flags + FILM_PITCH - FILM_WIDTH;
    FOR_LINES(row, FILM_ROWS) {
        FOR_LINE(side, 2) flags[row * FILM_PITCH + side * (FILM_WIDTH + 1) - 1] = 0;
    }
    FOR_LINES(k, FILM_COUNTERS) {
        FOR_LINE(b, FILM_PLACES) tile.counters[k][b] = 0;
    }
    BARRIER();
    FOR_LINES(row, FILM_ROWS) film_line(p, lines, y0 + 2 * row - 2, row, flags + row * FILM_PITCH);
    FOR_LINES(row, FILM_DOWN) {
        const s32 y = y0 + 4 * row, first = x0 - left;
        const s32 b = row * FILM_BLOCKS;
        film_squares(lines, (u8)p.comb_change, y, p.height, 2 * row + 1, first, tile.squares + b, tile.rises + b);
    }
    BARRIER();
    FOR_LINES(row, FILM_ROWS) {
        FOR_LINE(i, FILM_WIDTH - (p.width - left)) flags[row * FILM_PITCH + p.width - left + i] = 0;
    }
    BARRIER();
    FOR_LINES(row, FILM_DOWN) {
        const u8* from = flags + (2 * row + 1) * FILM_PITCH + x0 - left;
        film_counters(from, p.only_beside ? 0 : 0xff, tile.counters, row * FILM_BLOCKS);
    }
    BARRIER();
    discard_tears(tile.counters, (u8)p.tear);
    BARRIER();
    if (p.blocks) store_film_blocks(p, tile, tile_x, tile_y);
    const s32 across = (p.width + 16 * FILM_BLOCKS - 1) / (16 * FILM_BLOCKS);
    for (s32 strip = 0; strip < FILM_STRIPS; ++strip)
        store_film_sums(tile, strip, p.sums + (((s64)tile_y * FILM_STRIPS + strip) * across + tile_x) * FILM_SUMS);
}
