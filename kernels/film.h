// Film detection: the eleven variances of two frames, per block of 16x4 pixels and summed (seed 003:1433-1526).
//
// Everything is asked of the pixels of even lines: of a top line, the bottom line under it, and their neighbors within
// each field. Samples are those of 8 bits; squares of their differences fit 16 bits, and sums of two are only compared with
// another. Three combs (ours) go with them, what fields of different pictures show when they are woven, and three rises
// (ours): how far top lines are from the bottom line above, as simple differences say of the one below.
#pragma once
#include "film_lanes.h"
#include "film_lines.h"

enum { FILM_COMBS = 3, FILM_SIMPLE = 5, FILM_COUNTERS = 6, FILM_VARIANCES = FILM_SIMPLE + FILM_COUNTERS };
enum { FILM_SQUARES = FILM_COMBS + FILM_SIMPLE, FILM_RISES = 3 };
enum { FILM_SUMS = FILM_SQUARES + FILM_COUNTERS + FILM_RISES };
// Blocks that one step takes, and steps of a row of them: the last may take some again.
enum { FILM_STEP = sizeof(Bytes) < 16 ? 1 : sizeof(Bytes) / 16, FILM_STEPS = (FILM_BLOCKS + FILM_STEP - 1) / FILM_STEP };
// Flags of a pixel that are counted wherever they are; the other three are tears.
enum { FILM_MOVES = 1, FILM_FITS = 2, FILM_ROUGH = 4, FILM_FLAGS = 6 };
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
    u32 rises[FILM_COUNT][4];
};

// What pixels of an even line differ by (1441-1449), how far top lines that change, or have a neighbor that does, lie
// beyond the bottom lines on both sides, and what they differ by from the one above.
FN void film_differences(const FilmFrames& lines, u8 least, s32 row, s32 x, Bytes out[FILM_SQUARES],
                         Bytes rises[FILM_RISES]) {
    const u8 *c = lines.current.line(2 * row + 1) + x, *p = lines.previous.line(2 * row + 1) + x;
    const s64 cp = lines.current.pitch_B, pp = lines.previous.pitch_B;
    const Bytes ca1 = loaded(c), ct = loaded(c + cp), cb = loaded(c + 2 * cp);
    const Bytes pa1 = loaded(p), pt = loaded(p + pp), pb = loaded(p + 2 * pp);
    out[3] = difference(ct, pt);
    out[4] = difference(cb, pb);
    const Bytes changes = not_less(max_of(max_of(out[3], out[4]), difference(ca1, pa1)), every(least));
    out[0] = (Bytes)(outside(ca1, ct, cb) & changes);
    out[1] = (Bytes)(outside(pa1, ct, pb) & changes);
    out[2] = (Bytes)(outside(ca1, pt, cb) & changes);
    out[5] = difference(ct, cb);
    out[6] = difference(ct, pb);
    out[7] = difference(cb, pt);
    rises[0] = difference(ct, ca1);
    rises[1] = difference(ct, pa1);
    rises[2] = difference(pt, ca1);
}

// Sums of the squares of that, of a row of blocks with so many even lines in the picture. A line with no neighbor on one
// side combs nothing: what moves up or down would comb there in one pair of fields and not in the next. It rises as it
// falls.
template <int LINES>
FN_APART void squares_of_blocks(const FilmFrames lines, u8 least, s32 y, s32 height, s32 row, s32 first,
                                u32 (*__restrict__ out)[FILM_SQUARES], u32 (*__restrict__ out_rises)[4]) {
    const bool combs[2] = {y > 0 && y < height - 1, y + 2 < height - 1};
    FOR_STEPS(i, FILM_STEPS) {
        const s32 block = min_of<s32>(i * FILM_STEP, FILM_BLOCKS - FILM_STEP);
        Sums sums[FILM_SQUARES], risen[FILM_RISES];
        UNROLL for (int k = 0; k < FILM_SQUARES; ++k) sums[k] = no_sum();
        UNROLL for (int k = 0; k < FILM_RISES; ++k) risen[k] = no_sum();
        for (s32 x = 0; x < 16 * FILM_STEP; x += (s32)sizeof(Bytes))
            UNROLL for (int line = 0; line < LINES; ++line) {
                Bytes d[FILM_SQUARES], r[FILM_RISES];
                film_differences(lines, least, row + line, first + 16 * block + x, d, r);
                if (!combs[line]) {
                    d[0] = d[1] = d[2] = every(0);
                    UNROLL for (int k = 0; k < FILM_RISES; ++k) r[k] = d[5 + k];
                }
                if (are_small(d[3] | d[4] | d[5] | d[6] | d[7] | r[0] | r[1] | r[2])) {  // combs are no larger than these
                    UNROLL for (int k = 0; k < FILM_SQUARES; ++k) sums[k] = plus_small_squares(sums[k], d[k]);
                    UNROLL for (int k = 0; k < FILM_RISES; ++k) risen[k] = plus_small_squares(risen[k], r[k]);
                } else {
                    UNROLL for (int k = 0; k < FILM_SQUARES; ++k) sums[k] = plus_squares(sums[k], d[k]);
                    UNROLL for (int k = 0; k < FILM_RISES; ++k) risen[k] = plus_squares(risen[k], r[k]);
                }
            }
        store_sums(out + block, sums);
        store_rises(out_rises + block, risen);
    }
}

// Phase: a row of blocks.
FN void film_squares(const FilmFrames& lines, u8 least, s32 y, s32 height, s32 row, s32 first,
                     u32 (*out)[FILM_SQUARES], u32 (*rises)[4]) {
    if (y + 2 < height)
        squares_of_blocks<2>(lines, least, y, height, row, first, out, rises);
    else if (y < height)
        squares_of_blocks<1>(lines, least, y, height, row, first, out, rises);
    else
        squares_of_blocks<0>(lines, least, y, height, row, first, out, rises);
}

// The flags of pixels (1451-1495).
FN Bytes film_flags(const FilmParams& p, const FilmFrames& lines, s32 row, s32 x) {
    const u8 *c = lines.current.line(2 * row) + x, *b = lines.previous.line(2 * row + 1) + x;
    const s64 cp = lines.current.pitch_B, pp = lines.previous.pitch_B;
    const Bytes ca1 = loaded(c + cp), ct = loaded(c + 2 * cp), cb = loaded(c + 3 * cp), cd2 = loaded(c + 4 * cp);
    const Bytes pa1 = loaded(b), pt = loaded(b + pp), pb = loaded(b + 2 * pp), pd2 = loaded(b + 3 * pp);
    const Squares cTpT = squared(difference(ct, pt)), cBpB = squared(difference(cb, pb));
    const Bytes moving = not_less(cTpT + cBpB, every_square((u16)(p.still + 1)));
    if (!has_bits(moving)) return every(0);
    const Bytes d2 = difference(ct, cb), d3 = difference(ct, pb), d4 = difference(cb, pt);
    const Squares cTcT = squared(difference(ct, cd2)), cBcB = squared(difference(ca1, cb));
    const Squares pTpT = squared(difference(pt, pd2)), pBpB = squared(difference(pa1, pb));
    const Bytes fits = not_less(cTcT + cBcB, squared(d2));
    const Bytes fits2 = not_less(cTcT + pBpB, squared(d3));
    const Bytes fits3 = not_less(pTpT + cBcB, squared(d4));
    const Bytes limit = every((u8)p.half_vdiff1), least = every((u8)p.root_vdiff2);
    const Bytes rough = not_less(max_of(outside(loaded(c), ct, cd2), outside(ca1, cb, loaded(c + 5 * cp))), limit);
    Bytes flags = appended(every(0), without(not_less(d4, least), fits3));
    flags = appended(flags, without(not_less(d3, least), fits2));
    flags = appended(flags, without(not_less(d2, least), fits));
    flags = appended(without(flags, rough), rough);
    return appended(appended(flags, fits), every(0xff)) & moving;
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
                kept[line] = loaded(here) & (every(FILM_MOVES | FILM_FITS | FILM_ROUGH) | near);
            }
            count_flags(kept, counts);
            found = true;
        }
        if (!found) continue;
        for (int n = 0; n < FILM_STEP; ++n) {
            const s32 b = first + block + n;
            counters[0][b] = (u8)(counts[n][0] - counts[n][1]);
            counters[1][b] = (u8)counts[n][1];
            counters[2][b] = (u8)(counts[n][0] - counts[n][2]);
            for (int k = 3; k < FILM_COUNTERS; ++k) counters[k][b] = (u8)counts[n][k];
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
