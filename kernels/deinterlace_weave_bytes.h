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
    u8 verdict[WEAVE_LINES][WEAVE_BLOCKS + 16];  // of blocks
};

// Verdicts of the blocks of a tile that a line is in, 0 beyond the picture.
FN void load_verdicts(const DeinterlaceWeaveParams& p, s32 line, s32 first, s32 count, u8* out) {
    const u8* row = p.verdict + (s64)((line << p.down) / (2 * MATCH_LINES)) * p.pitch_B;
    const s32 begin = (first << p.across) / MATCH_BLOCK, last = ((first + count - 1) << p.across) / MATCH_BLOCK;
    for (s32 k = 0; k < WEAVE_BLOCKS + 16; ++k) out[k] = 0;
    copy_bytes(out, row + begin, (u64)(last + 1 - begin));
}

// For the samples of a strip, by log2 of luma samples per sample: which of its blocks they are in.
TABLE u8 WEAVE_SPREAD[3][32] = {
    {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3},
    {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7},
    {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15},
};
FN BytePairs verdicts_of_strip(const u8* of_blocks, s32 x, s32 across) {
    return looked_up(every_16(of_blocks + ((x << across) / MATCH_BLOCK)), bytes_at(WEAVE_SPREAD[across]));
}

// Sets of a tile's strips: of which anything is woven or may be still, and of which anything may be still.
struct WeaveStrips {
    u32 known, still;
};
FN WeaveStrips weave_strips(const WeaveBytes& s, s32 lines, s32 across) {
    WeaveStrips found = {0, 0};
    for (s32 strip = 0; strip < WEAVE_STRIPS; ++strip) {
        BytePairs said = every_byte(0);
        for (s32 i = 0; i < lines; ++i) said = said | verdicts_of_strip(s.verdict[i], strip * LANE_BYTES, across);
        found.known |= (u32)has_bits(said) << strip;
        found.still |= (u32)has_bits(said & every_byte(VERDICT_STILL | VERDICT_CALM)) << strip;
    }
    return found;
}

// A line where it lies, or a copy in which the picture's first and last samples repeat.
FN_ONCE const u8* weave_row(const FieldSamples& s, s32 line, s32 width, s32 first, u8* copy) {
    const u8* row = row_of<u8>(s, line);
    prefetch_line(row + first + MATCH_WIDTH, MATCH_WIDTH);
    if (first >= WEAVE_BESIDE && first - WEAVE_BESIDE + WEAVE_BYTES_PITCH <= width) return row + first;
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

// What find_changes() finds, of one strip.
FN void changes_of_strip(WeaveBytes& s, s32 i, s32 x) {
    const BytePairs a = bytes_at(s.own[i] + x), b = bytes_at(s.other[i] + x);
    const BytePairs up = bytes_at(s.field[i] + x), down = bytes_at(s.field[i + 1] + x);
    const BytePairs around = max_of(difference(up, bytes_at(s.beyond[i] + x)), difference(down, bytes_at(s.beyond[i + 1] + x)));
    store(s.change[i] + WEAVE_BESIDE + x, max_of(difference(a, b), around));
    store(s.detail[i] + WEAVE_BESIDE + x, difference(average(a, b), average(up, down)));
}

// Sums over the line and those on both sides.
FN void add_three_of_strip(const u8 (*rows)[WEAVE_BYTES_PITCH], s32 x, u16* out) {
    for (s32 k = WEAVE_BESIDE + x; k < WEAVE_BESIDE + x + LANE_BYTES; k += LANE_PAIRS)
        store(out + k, sum_of_three(rows[0] + k, rows[1] + k, rows[2] + k));
}

// What of VERDICT_STILL and VERDICT_CALM the samples of a strip agree to.
FN BytePairs agreed(const WeaveBytes& s, s32 x, s32 most) {
    PairWords still[2], calm[2];
    for (s32 n = 0; n < 2; ++n) {
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

FN void weave_bytes_tile(const DeinterlaceWeaveParams& p, s32 tile_x, s32 tile_y) {
    alignas(64) WeaveBytes s;
    const s32 first = tile_x * MATCH_WIDTH, count = min_of<s32>(MATCH_WIDTH, p.width - first);
    const s32 y0 = 2 * WEAVE_LINES * tile_y + 1 - p.parity;
    const s32 lines = clamp_to((p.height - y0 + 1) >> 1, 0, (s32)WEAVE_LINES);
    for (s32 i = 0; i < lines; ++i) load_verdicts(p, y0 + 2 * i, first, count, s.verdict[i]);
    const WeaveStrips strips = weave_strips(s, lines, p.across);
    if (!strips.known) return;
    for (s32 i = 0; i < lines; ++i) prefetch_line(row_of<u8>(p.target, y0 + 2 * i) + first, count);
    load_weave_rows(p, s, y0, lines, first);
    const u32 summed = strips.still | strips.still << 1;  // sums begin two columns before their strip, and end two behind it
    for (s32 strip = 0; strip <= WEAVE_STRIPS; ++strip) {
        if (!(summed >> strip & 1)) continue;
        for (s32 i = 0; i < lines + 2; ++i) changes_of_strip(s, i, strip * LANE_BYTES - 2);
    }
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
