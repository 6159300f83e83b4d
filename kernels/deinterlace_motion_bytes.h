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

// Sums over five lines of how far the pairs of one parity's lines are from those of the other frame a vector away.
FN void sum_motion_columns(const u8* const* from, const u8* const* to, s32 mx, s32 first, s32 lines, u16* out) {
    for (s32 strip = 0; strip < STRIPS; ++strip) {
        const s32 x = strip * LANE_BYTES;
        u16* sums = out + 8 + strip * LANE_PAIRS;
        PairWords last[3];  // of the window's lines
        for (s32 n = 0; n < 3; ++n) {
            const s32 row = first + 2 + n;
            last[n] = sum_of_pair(difference(bytes_at(from[row] + x), bytes_at(to[row] + x + mx)));
        }
        for (s32 i = first; i < lines; i += 2) {
            const PairWords fourth = sum_of_pair(difference(bytes_at(from[i + 5] + x), bytes_at(to[i + 5] + x + mx)));
            const PairWords fifth = sum_of_pair(difference(bytes_at(from[i + 6] + x), bytes_at(to[i + 6] + x + mx)));
            store(sums + i * COLUMN_PITCH, last[0] + last[1] + last[2] + fourth + fifth);
            last[0] = last[2];
            last[1] = fourth;
            last[2] = fifth;
        }
    }
}

// The best vector so far of a line's pairs; of equal sums the later one is kept.
FN void keep_better_of_line(const u16* columns, s32 index, s16* best, s16* which) {
    const PairWords now = every_word(index);
    for (s32 k = 0; k < LINE_PAIRS; k += LANE_PAIRS) {
        const u16* at = columns + 8 + k;
        const PairWords sum = words_at(at - 1) + words_at(at) + words_at(at + 1), old = words_at(best + k);
        store(best + k, min_of(old, sum));
        store(which + k, max_of(words_at(which + k), without(now, less(old, sum))));  // indices grow
    }
}

// What is written of a strip: the sum if it is small for what the picture has there, and the vector.
FN PairWords judged_sum(const DeinterlaceMotionParams& p, const u8* const* rows, s32 x, PairWords sum) {
    const PairWords across = line_detail(rows[1], x).all + line_detail(rows[2], x).all + line_detail(rows[3], x).all;
    const PairWords scm = across + down(rows, x) + down(rows + 1, x) + down(rows + 2, x);
    const PairWords steps = min_of(small_quotient(scm, 0, every_word(p.slope)), every_word(p.limit_b));
    const PairWords limit = pick(less(scm, every_word(p.slope * p.limit_a)), every_word(p.limit_a), steps) * every_word(30);
    return sum | less(max_of(limit, every_word(p.perfect + 1)) - every_word(1), sum);
}

FN void motion_bytes_tile(const DeinterlaceMotionParams& p, s32 tile_x, s32 tile_y) {
    SHARED MotionLines frames;
    SHARED u16 columns[MOTION_LINES * COLUMN_PITCH];
    SHARED s16 best[MOTION_LINES * LINE_PAIRS], which[MOTION_LINES * LINE_PAIRS];
    const s32 total = (p.width + 1) / 2;
    const s32 first = tile_x * MOTION_PAIRS, pairs = min_of<s32>(MOTION_PAIRS, total - first);
    const s32 y0 = tile_y * p.tile_distance, lines = min_of<s32>(p.tile_lines, p.height - y0);
    for (s32 i = 0; i < lines + 9; ++i) {
        const s32 line = line_in_picture(y0 + i - 4, p.height);
        for (s32 from = 0; from < 2; ++from)
            frames.rows[from][i] =
                bytes_of_line(p.frames[from], line, p.width, first - 1, frames.copies[from] + i * BYTES_PITCH);
    }
    FOR_LINE(k, lines * LINE_PAIRS) {
        best[k] = 32767;
        which[k] = 0;
    }
    for (s32 i = 0; i < lines; ++i) columns[i * COLUMN_PITCH + 7] = columns[i * COLUMN_PITCH + 8 + LINE_PAIRS] = 0;
    for (s32 v = 0; v < VECTORS; ++v) {
        const s32 mx = vector_x((s16)v), my = vector_y((s16)v);
        for (s32 from = 0; from < min_of(2, lines); ++from)
            sum_motion_columns(frames.rows[from], frames.rows[1 - from] + my, mx, from, lines, columns);
        for (s32 i = 0; i < lines; ++i)
            keep_better_of_line(columns + i * COLUMN_PITCH, v, best + i * LINE_PAIRS, which + i * LINE_PAIRS);
    }
    u8 x_of[16], y_of[16];
    for (s32 v = 0; v < VECTORS; ++v) {
        x_of[v] = (u8)vector_x((s16)v);
        y_of[v] = (u8)vector_y((s16)v);
    }
    for (s32 i = 0; i < lines; ++i) {
        const s64 line = y0 + i;
        u8* out_x = (u8*)p.x + line * p.vectors_pitch_B + first - 1;
        u8* out_y = (u8*)p.y + line * p.vectors_pitch_B + first - 1;
        u16* out_sad = (u16*)((u8*)p.sad + line * p.sad_pitch_B) + first - 1;
        const u8* const* rows = frames.rows[(y0 + i) & 1] + i + 2;
        for (s32 k = 0; k < LINE_PAIRS; k += LANE_PAIRS) {
            const s16* sums = best + i * LINE_PAIRS + k;
            const BytePairs index = as_bytes(words_at(which + i * LINE_PAIRS + k));
            store_each_within(out_x, k, 1, pairs + 1, first_of_pair(looked_up(every_16(x_of), index)));
            store_each_within(out_y, k, 1, pairs + 1, first_of_pair(looked_up(every_16(y_of), index)));
            store_words_within(out_sad, k, 1, pairs + 1, judged_sum(p, rows, 2 * k, words_at(sums)));
        }
    }
}
#endif

template <typename T> FN void deinterlace_search_tile(const DeinterlaceMotionParams& p, s32 tile_x, s32 tile_y) {
#if HAS_BYTE_PAIRS
    if (sizeof(T) == 1 && p.frames[0].step == 1 && p.frames[1].step == 1) return motion_bytes_tile(p, tile_x, tile_y);
#endif
    deinterlace_motion_tile<T>(p, tile_x, tile_y);
}
