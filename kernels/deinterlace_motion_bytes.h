// The motion search over bytes in a row, on processors with instructions for pairs of bytes. Columns of the window are
// added up from line to line: each line of differences once for a vector and a parity.
#pragma once
#include "deinterlace_lines.h"
#include "deinterlace_motion.h"

#if HAS_BYTE_PAIRS
static_assert((s32)MOTION_WIDTH == (s32)LINE_PAIRS, "lines of a tile");
enum { COLUMN_PITCH = LINE_PAIRS + 16 };

// Line i of the tile is row i + 4.
struct MotionLines {
    const u8* rows[2][MOTION_ROWS];
    u8 copies[2][MOTION_ROWS * BYTES_PITCH];
};

// Sums over five lines of how far the pairs of one parity's lines are from those of the other frame a vector away, sixteen
// times, which leaves room for the vector's number below them.
struct VectorColumns {
    const u8* const* to;
    s32 x;
    u16* out;
    PairWords first, middle, last;  // of the window's lines; the middle ones and the last are one sum

    FN_MEMBER VectorColumns(const u8* const* lines, s32 v, u16* sums)
        : to(lines + vector_y((s16)v)), x(vector_x((s16)v)), out(sums + 8) {}

    FN_MEMBER PairWords cost(BytePairs here, s32 row, s32 at) const {
        return sum_of_products(difference(here, bytes_at(to[row] + at + x)), every_byte(16));
    }
    FN_MEMBER void begin(BytePairs a, BytePairs b, BytePairs c, s32 row, s32 at) {
        first = cost(a, row, at);
        last = cost(c, row + 2, at);
        middle = cost(b, row + 1, at) + last;
    }
    FN_MEMBER void next(BytePairs a, BytePairs b, s32 row, s32 at, s32 place) {
        const PairWords below = cost(b, row + 1, at), both = cost(a, row, at) + below;
        store(out + place, first + middle + both);
        first = last;
        middle = both;
        last = below;
    }
};

// Two vectors at a time, for they are measured from the same samples.
FN void sum_motion_columns(const u8* const* from, VectorColumns a, VectorColumns b, s32 first, s32 lines) {
    for (s32 strip = 0; strip < STRIPS; ++strip) {
        const s32 x = strip * LANE_BYTES, row = first + 2;
        const BytePairs line0 = bytes_at(from[row] + x), line1 = bytes_at(from[row + 1] + x), line2 = bytes_at(from[row + 2] + x);
        a.begin(line0, line1, line2, row, x);
        b.begin(line0, line1, line2, row, x);
        for (s32 i = first; i < lines; i += 2) {
            const BytePairs line3 = bytes_at(from[i + 5] + x), line4 = bytes_at(from[i + 6] + x);
            a.next(line3, line4, i + 5, x, i * COLUMN_PITCH + strip * LANE_PAIRS);
            b.next(line3, line4, i + 5, x, i * COLUMN_PITCH + strip * LANE_PAIRS);
        }
    }
}

// The sum over the columns around a pair, sixteen times, and how many vectors come after this one: the least of these is the
// best vector, of equal sums the last one. What 16 bits do not hold is SUM_UNKNOWN or more.
enum { SUM_UNKNOWN = 65520 };
FN PairWords numbered_sum(const u16* at, s32 v) {
    return limited_sum(limited_sum(limited_sum(words_at(at - 1), words_at(at)), words_at(at + 1)), every_word(VECTORS - 1 - v));
}
FN void keep_better_of_line(const u16* a, const u16* b, s32 v, u16* best) {
    for (s32 k = 0; k < LINE_PAIRS; k += LANE_PAIRS) {
        const PairWords better = lower_of(numbered_sum(a + 8 + k, v), numbered_sum(b + 8 + k, v + 1));
        store(best + k, lower_of(words_at(best + k), better));
    }
}

// What is written of a strip: the sum if it is small for what the picture has there, and the vector. Most sums are below all
// limits or above them.
FN PairWords judged_sum(const DeinterlaceMotionParams& p, const u8* const* rows, s32 x, PairWords sum) {
    const s32 least = max_of(30 * min_of(p.limit_a, p.limit_b), p.perfect + 1);
    const s32 most = max_of(30 * max_of(p.limit_a, p.limit_b), p.perfect + 1);
    if (!has_bits(less(every_word(least - 1), sum))) return sum;
    if (!has_bits(less(sum, every_word(most)))) return every_word(-1);
    const PairWords across = line_detail(rows[1], x).all + line_detail(rows[2], x).all + line_detail(rows[3], x).all;
    const PairWords scm = across + down(rows, x) + down(rows + 1, x) + down(rows + 2, x);
    const PairWords steps = min_of(small_quotient(scm, 0, every_word(p.slope)), every_word(p.limit_b));
    const PairWords limit = pick(less(scm, every_word(p.slope * p.limit_a)), every_word(p.limit_a), steps) * every_word(30);
    return sum | less(max_of(limit, every_word(p.perfect + 1)) - every_word(1), sum);
}

// Whether the sums of all best vectors are known; if not, nothing is written.
FN bool motion_bytes_tile(const DeinterlaceMotionParams& p, s32 tile_x, s32 tile_y) {
    SHARED MotionLines frames;
    SHARED u16 columns[2][MOTION_LINES * COLUMN_PITCH];
    SHARED u16 best[MOTION_LINES * LINE_PAIRS];
    const s32 total = (p.width + 1) / 2;
    const s32 first = tile_x * MOTION_PAIRS, pairs = min_of<s32>(MOTION_PAIRS, total - first);
    const s32 y0 = tile_y * p.tile_distance, lines = min_of<s32>(p.tile_lines, p.height - y0);
    for (s32 i = 0; i < lines + 9; ++i) {
        const s32 line = line_in_picture(y0 + i - 4, p.height);
        for (s32 from = 0; from < 2; ++from)
            frames.rows[from][i] =
                bytes_of_line(p.frames[from], line, p.width, first - 1, frames.copies[from] + i * BYTES_PITCH);
    }
    FOR_LINE(k, lines * LINE_PAIRS) best[k] = 65535;
    for (s32 i = 0; i < lines; ++i)
        for (s32 n = 0; n < 2; ++n) columns[n][i * COLUMN_PITCH + 7] = columns[n][i * COLUMN_PITCH + 8 + LINE_PAIRS] = 0;
    for (s32 v = 0; v < VECTORS; v += 2) {
        for (s32 from = 0; from < min_of(2, lines); ++from) {
            const u8* const* to = frames.rows[1 - from];
            sum_motion_columns(frames.rows[from], {to, v, columns[0]}, {to, v + 1, columns[1]}, from, lines);
        }
        for (s32 i = 0; i < lines; ++i)
            keep_better_of_line(columns[0] + i * COLUMN_PITCH, columns[1] + i * COLUMN_PITCH, v, best + i * LINE_PAIRS);
    }
    u16 largest = 0;
    FOR_LINE(k, lines * LINE_PAIRS) largest = max_of(largest, best[k]);
    if (largest >= SUM_UNKNOWN) return false;
    u8 x_of[16], y_of[16];
    for (s32 v = 0; v < VECTORS; ++v) {
        x_of[VECTORS - 1 - v] = (u8)vector_x((s16)v);
        y_of[VECTORS - 1 - v] = (u8)vector_y((s16)v);
    }
    for (s32 i = 0; i < lines; ++i) {
        const s64 line = y0 + i;
        u8* out_x = (u8*)p.x + line * p.vectors_pitch_B + first - 1;
        u8* out_y = (u8*)p.y + line * p.vectors_pitch_B + first - 1;
        u16* out_sad = (u16*)((u8*)p.sad + line * p.sad_pitch_B) + first - 1;
        const u8* const* rows = frames.rows[(y0 + i) & 1] + i + 2;
        for (s32 k = 0; k < LINE_PAIRS; k += LANE_PAIRS) {
            const PairWords found = words_at(best + i * LINE_PAIRS + k);
            const BytePairs index = as_bytes(found & every_word(15));
            store_each_within(out_x, k, 1, pairs + 1, first_of_pair(looked_up(every_16(x_of), index)));
            store_each_within(out_y, k, 1, pairs + 1, first_of_pair(looked_up(every_16(y_of), index)));
            const PairWords sums = upper_product(found, every_word(4096));  // a sixteenth
            store_words_within(out_sad, k, 1, pairs + 1, judged_sum(p, rows, 2 * k, sums));
        }
    }
    return true;
}
#endif

template <typename T> FN void deinterlace_search_tile(const DeinterlaceMotionParams& p, s32 tile_x, s32 tile_y) {
#if HAS_BYTE_PAIRS
    if (sizeof(T) == 1 && p.frames[0].step == 1 && p.frames[1].step == 1 && motion_bytes_tile(p, tile_x, tile_y)) return;
#endif
    deinterlace_motion_tile<T>(p, tile_x, tile_y);
}
