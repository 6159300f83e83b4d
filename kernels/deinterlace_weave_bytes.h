// Weaving of samples that are bytes in a row, on processors with instructions for pairs of bytes: lines are read where they
// lie, and only strips of which something is woven or may be still.
#pragma once
#include "deinterlace.h"
#include "deinterlace_weave.h"
#include "window_bytes.h"

#if HAS_BYTE_PAIRS
enum { WEAVE_STRIPS = MATCH_WIDTH / LANE_BYTES, WEAVE_BESIDE = 8 };
enum { WEAVE_BYTES_PITCH = MATCH_WIDTH + LANE_BYTES + 2 * WEAVE_BESIDE };  // loads reach so far beyond a tile
enum { WEAVE_ROWS = WEAVE_LINES + 2, WEAVE_BLOCKS = 4 * MATCH_BLOCKS };  // of luma, beside at most a fourth as much chroma

FN bool is_of_bytes(const DeinterlaceWeaveParams& p) {
    return p.current.step == 1 && p.reference.step == 1 && p.target.step == 1 && p.across <= 2;
}

// Samples of a tile from its first column on: the missing lines and one more on both sides, and those between and around.
struct WeaveBytes {
    const u8 *own[WEAVE_ROWS], *other[WEAVE_ROWS], *field[WEAVE_ROWS + 1], *beyond[WEAVE_ROWS + 1];
    u8 copies[4 * WEAVE_ROWS + 2][WEAVE_BYTES_PITCH];
    u8 change[WEAVE_ROWS][WEAVE_BYTES_PITCH], detail[WEAVE_ROWS][WEAVE_BYTES_PITCH];  // column BESIDE is the first
    u16 changes[WEAVE_BYTES_PITCH], details[WEAVE_BYTES_PITCH];                       // of three lines
    u8 verdicts[WEAVE_LINES][WEAVE_BLOCKS + 16];  // of blocks
    const u8* verdict[WEAVE_LINES];              // those of a line
};

// Verdicts of the blocks of a tile that lines are in, 0 beyond the picture; the lines of a row of blocks share them.
FN void load_verdicts(const DeinterlaceWeaveParams& p, WeaveBytes& s, s32 y0, s32 lines, s32 first, s32 count) {
    const s32 begin = (first << p.across) / MATCH_BLOCK, last = ((first + count - 1) << p.across) / MATCH_BLOCK;
    s32 before = -1;
    for (s32 i = 0; i < lines; ++i) {
        const s32 row = ((y0 + 2 * i) << p.down) / (2 * MATCH_LINES);
        s.verdict[i] = row == before ? s.verdict[i - 1] : s.verdicts[i];
        if (row == before) continue;
        for (s32 k = 0; k < WEAVE_BLOCKS + 16; ++k) s.verdicts[i][k] = 0;
        copy_bytes(s.verdicts[i], p.verdict + (s64)row * p.pitch_B + begin, (u64)(last + 1 - begin));
        before = row;
    }
}

// For the samples of a strip, by log2 of luma samples per sample: which of its blocks they are in.
TABLE u8 WEAVE_SPREAD[3][32] = {
    {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3},
    {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7},
    {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15},
};
FN BytePairs verdicts_of_strip(const u8* of_blocks, s32 x, s32 across) {
    return looked_up(every_16(of_blocks + (x / MATCH_BLOCK << across)), bytes_at(WEAVE_SPREAD[across]));
}

// Sets of a tile's strips: of which anything is woven or may be still, and of which anything may be still.
struct WeaveStrips {
    u32 known, still;
};
FN WeaveStrips weave_strips(const WeaveBytes& s, s32 lines, s32 across) {
    WeaveStrips found = {0, 0};
    for (s32 strip = 0; strip < WEAVE_STRIPS; ++strip) {
        BytePairs said = every_byte(0);
        for (s32 i = 0; i < lines; ++i)
            if (s.verdict[i] == s.verdicts[i]) said = said | verdicts_of_strip(s.verdict[i], strip * LANE_BYTES, across);
        found.known |= (u32)has_bits(said) << strip;
        found.still |= (u32)has_bits(said & every_byte(VERDICT_STILL | VERDICT_CALM)) << strip;
    }
    return found;
}

// Whether a tile's lines are read where they lie: what lies beyond the picture's sides is not read then.
FN bool are_in_place(s32 count, s32 reach) { return count % LANE_BYTES == 0 && reach >= LANE_BYTES; }

// A line where it lies, or a copy in which the picture's first and last samples repeat.
FN_ONCE const u8* weave_row(const FieldSamples& s, s32 line, s32 width, s32 first, u8* copy) {
    const u8* row = row_of<u8>(s, line);
    prefetch_line(row + first + MATCH_WIDTH, MATCH_WIDTH);
    if (are_in_place(min_of<s32>(MATCH_WIDTH, width - first), width - first)) return row + first;
    load_bytes(row, first - WEAVE_BESIDE, width, copy, WEAVE_BYTES_PITCH);
    return copy + WEAVE_BESIDE;
}

FN void load_weave_rows(const DeinterlaceWeaveParams& p, WeaveBytes& s, s32 y0, s32 lines, s32 first) {
    u8 (*copy)[WEAVE_BYTES_PITCH] = s.copies;
    for (s32 i = 0; i < lines + 3; ++i) {
        const s32 line = line_in_picture(y0 + 2 * i - 3, p.height), missing = line_in_picture(y0 + 2 * i - 2, p.height);
        s.field[i] = weave_row(p.current, line, p.width, first, *copy++);
        s.beyond[i] = weave_row(p.reference, line, p.width, first, *copy++);
        if (i == lines + 2) continue;
        s.own[i] = weave_row(p.current, missing, p.width, first, *copy++);
        s.other[i] = weave_row(p.reference, missing, p.width, first, *copy++);
    }
}

// What find_changes() finds, of some rows of one strip.
FN void changes_of_strip(WeaveBytes& s, s32 rows, s32 x) {
    BytePairs up = bytes_at(s.field[0] + x), above = difference(up, bytes_at(s.beyond[0] + x));
    for (s32 i = 0; i < rows; ++i) {
        const BytePairs a = bytes_at(s.own[i] + x), b = bytes_at(s.other[i] + x);
        const BytePairs down = bytes_at(s.field[i + 1] + x), below = difference(down, bytes_at(s.beyond[i + 1] + x));
        store(s.change[i] + WEAVE_BESIDE + x, max_of(difference(a, b), max_of(above, below)));
        store(s.detail[i] + WEAVE_BESIDE + x, difference(average(a, b), average(up, down)));
        up = down;
        above = below;
    }
}

// The same of the strips of a tile. Beyond the picture's sides, where samples repeat, so do changes and detail.
FN void find_changes(WeaveBytes& s, s32 rows, u32 strips, s32 first, s32 count, s32 reach) {
    const bool in_place = are_in_place(count, reach);
    const s32 left = in_place && first == 0 ? 0 : -2, right = in_place ? reach - LANE_BYTES : WEAVE_STRIPS * LANE_BYTES;
    for (s32 strip = 0; strip <= WEAVE_STRIPS; ++strip)
        if (strips >> strip & 1) changes_of_strip(s, rows, clamp_to(strip * LANE_BYTES - 2, left, right));
    if (left == 0 && strips & 1) {
        for (s32 i = 0; i < rows; ++i) {
            u8 *change = s.change[i] + WEAVE_BESIDE, *detail = s.detail[i] + WEAVE_BESIDE;
            change[-2] = change[-1] = change[0];
            detail[-2] = detail[-1] = detail[0];
        }
    }
    for (s32 k = reach; in_place && k < count + 2; ++k) {
        if (!(strips >> count / LANE_BYTES & 1)) break;
        for (s32 i = 0; i < rows; ++i) {
            u8 *change = s.change[i] + WEAVE_BESIDE, *detail = s.detail[i] + WEAVE_BESIDE;
            change[k] = change[reach - 1];
            detail[k] = detail[reach - 1];
        }
    }
}

// Sums over the line and those on both sides.
FN void add_three_of_strip(const u8 (*rows)[WEAVE_BYTES_PITCH], s32 x, u16* out) {
    UNROLL for (s32 k = WEAVE_BESIDE + x; k < WEAVE_BESIDE + x + LANE_BYTES; k += LANE_PAIRS)
        store(out + k, sum_of_three(rows[0] + k, rows[1] + k, rows[2] + k));
}

// What of VERDICT_STILL and VERDICT_CALM the samples of a strip agree to.
FN BytePairs agreed(const WeaveBytes& s, s32 x, s32 most) {
    PairWords still[2], calm[2];
    UNROLL for (s32 n = 0; n < 2; ++n) {
        const s32 k = WEAVE_BESIDE + x + n * LANE_PAIRS;
        const PairWords sum = words_of_five(s.changes + k), detail = words_of_five(s.details + k);
        still[n] = less(sum, every_word(most) + shifted_down(detail, 2));
        calm[n] = less(sum, every_word(WEAVE_CALM));
    }
    return (put_in_order(still[0], still[1]) & every_byte(VERDICT_STILL)) |
           (put_in_order(calm[0], calm[1]) & every_byte(VERDICT_CALM));
}

FN void weave_bytes_line(const WeaveBytes& s, s32 i, WeaveStrips strips, s32 across, s32 most, s32 count, u8* out) {
    const BytePairs none = every_byte(0);
    for (s32 strip = 0; strip < WEAVE_STRIPS; ++strip) {
        if (!(strips.known >> strip & 1)) continue;
        const s32 x = strip * LANE_BYTES;
        const BytePairs said = verdicts_of_strip(s.verdict[i], x, across);
        const BytePairs a = bytes_at(s.own[i + 1] + x), b = bytes_at(s.other[i + 1] + x);
        BytePairs made = pick(equal(said & every_byte(VERDICT_OWN | VERDICT_REFERENCE), none), bytes_at(out + x, count - x),
                              pick(equal(said & every_byte(VERDICT_REFERENCE), none), a, b));
        if (strips.still >> strip & 1) made = pick(equal(agreed(s, x, most) & said, none), made, average(a, b));
        store_within(out, x, 0, count, made);
    }
}

// Strips whose missing lines show what was before and after them already: whatever is said of those, they stay.
FN u32 strips_that_stay(const DeinterlaceWeaveParams& p, const WeaveBytes& s, u32 strips, s32 y0, s32 lines, s32 first, s32 count) {
    u32 found = 0;
    for (s32 strip = 0; strip < WEAVE_STRIPS; ++strip) {
        if (!(strips >> strip & 1)) continue;
        const s32 x = strip * LANE_BYTES;
        bool stays = x + LANE_BYTES <= count;
        for (s32 i = 0; i < lines && stays; ++i) {
            const BytePairs made = bytes_at(row_of<u8>(p.target, y0 + 2 * i) + first + x);
            stays = !has_bits(unlike_bits(made, bytes_at(s.own[i + 1] + x)) | unlike_bits(made, bytes_at(s.other[i + 1] + x)));
        }
        found |= (u32)stays << strip;
    }
    return found;
}

FN void weave_bytes_tile(const DeinterlaceWeaveParams& p, s32 tile_x, s32 tile_y) {
    alignas(64) WeaveBytes s;
    const s32 first = tile_x * MATCH_WIDTH, count = min_of<s32>(MATCH_WIDTH, p.width - first);
    const s32 y0 = 2 * WEAVE_LINES * tile_y + 1 - p.parity;
    const s32 lines = clamp_to((p.height - y0 + 1) >> 1, 0, (s32)WEAVE_LINES);
    load_verdicts(p, s, y0, lines, first, count);
    WeaveStrips strips = weave_strips(s, lines, p.across);
    if (!strips.known) return;
    for (s32 i = 0; i < lines; ++i) prefetch_line(row_of<u8>(p.target, y0 + 2 * i) + first, count);
    load_weave_rows(p, s, y0, lines, first);
    const u32 rest = ~strips_that_stay(p, s, strips.known, y0, lines, first, count);
    strips.known &= rest;
    strips.still &= rest;
    const u32 summed = strips.still | strips.still << 1;  // sums begin two columns before their strip, and end two behind it
    find_changes(s, lines + 2, summed, first, count, p.width - first);
    const s32 most = WEAVE_STILL + (s32)*p.noise;
    for (s32 i = 0; i < lines; ++i) {
        for (s32 strip = 0; strip <= WEAVE_STRIPS; ++strip) {
            if (!(summed >> strip & 1)) continue;
            add_three_of_strip(s.change + i, strip * LANE_BYTES - 2, s.changes);
            add_three_of_strip(s.detail + i, strip * LANE_BYTES - 2, s.details);
        }
        weave_bytes_line(s, i, strips, p.across, most, count, row_of<u8>(p.target, y0 + 2 * i) + first);
    }
}
#endif

template <typename T> FN void deinterlace_weave_tile(const DeinterlaceWeaveParams& p, s32 tile_x, s32 tile_y) {
#if HAS_BYTE_PAIRS
    if (sizeof(T) == 1 && is_of_bytes(p)) return weave_bytes_tile(p, tile_x, tile_y);
#endif
    plain_weave_tile<T>(p, tile_x, tile_y);
}
