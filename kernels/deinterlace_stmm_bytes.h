// The motion measure of bytes in a row, on processors with instructions for pairs of bytes. Where two frames are alike, or
// nearly so, in all lines of a strip, no complexity is asked for: nothing is divided by it.
#pragma once
#include "deinterlace_lines.h"
#include "deinterlace_stmm.h"

#if HAS_BYTE_PAIRS
static_assert((s32)STMM_WIDTH == (s32)LINE_PAIRS, "lines of a tile");

// Line i of the tile is row i + 4.
struct StmmLines {
    const u8* rows[2][STMM_ROWS];
    u8 copies[2][STMM_ROWS * BYTES_PITCH];
};

// Sums of a line: of each pair's two bytes with those beside them, the bytes themselves twice.
struct AcrossPair {
    PairWords first, second;
};
FN AcrossPair across(const u8* row, s32 x) {
    const BytePairs here = bytes_at(row + x);
    return {sum_with_second_twice(bytes_at(row + x - 1)) + second_of_pair(here),
            sum_with_second_twice(here) + second_of_pair(bytes_at(row + x + 1))};
}
FN AcrossPair crossed(const u8* const* rows, s32 x) {
    const AcrossPair here = across(rows[2], x);
    const BytePairs above = bytes_at(rows[0] + x), below = bytes_at(rows[4] + x);
    const PairWords first = first_of_pair(above) + first_of_pair(below), second = second_of_pair(above) + second_of_pair(below);
    return {shifted_down(here.first + first + first, 3), shifted_down(here.second + second + second, 3)};
}

FN bool are_alike(const u8* const* a, const u8* const* b, s32 x, s32 rows) {
    for (s32 i = 0; i < rows; ++i) {
        const BytePairs left = unlike_bits(bytes_at(a[i] + x - 1), bytes_at(b[i] + x - 1));
        if (has_bits(left | unlike_bits(bytes_at(a[i] + x + 1), bytes_at(b[i] + x + 1)))) return false;
    }
    return true;
}

// Differences of the cross-filtered frames; row i is that of line i - 2.
FN_APART void difference_rows(const StmmLines& lines, s32 rows, u8* out) {
    for (s32 strip = 0; strip < STRIPS; ++strip) {
        const s32 x = strip * LANE_BYTES;
        u8* to = out + BYTES_BESIDE + x;
        if (are_alike(lines.rows[0], lines.rows[1], x, rows + 4)) {
            for (s32 i = 0; i < rows; ++i) store(to + i * BYTES_PITCH, BytePairs{});
            continue;
        }
        for (s32 i = 0; i < rows; ++i) {
            const AcrossPair a = crossed(lines.rows[0] + i, x), b = crossed(lines.rows[1] + i, x);
            store(to + i * BYTES_PITCH, difference(pair_of(a.first, a.second), pair_of(b.first, b.second)));
        }
    }
    for (s32 i = 0; i < rows; ++i) {  // the first and the last pair of a tile are not used
        out[i * BYTES_PITCH + BYTES_BESIDE - 1] = 0;
        out[i * BYTES_PITCH + BYTES_BESIDE + 2 * LINE_PAIRS] = 0;
    }
}

// Of the lines of a strip: sums over the 4x5 window around each pair, shifted; whether there are any.
FN bool sum_windows(const u8* differences, s32 x, s32 lines, s32 shift, PairWords* sums) {
    const u8* from = differences + BYTES_BESIDE + x;
    PairWords sum = every_word(0), any = sum, last[4] = {sum, sum, sum, sum};  // lines
    for (s32 i = 0; i < lines + 4; ++i, from += BYTES_PITCH) {
        const PairWords row = sum_of_pair(bytes_at(from - 1)) + sum_of_pair(bytes_at(from + 1));
        sum = sum + row;
        if (i >= 4) {
            sums[i - 4] = shifted_down(sum, shift);
            any = any | sums[i - 4];
        }
        sum = sum - last[0];
        UNROLL for (s32 k = 0; k < 3; ++k) last[k] = last[k + 1];
        last[3] = row;
    }
    return has_bits(any);
}

// Complexity of every second line of a strip, from `first` on.
FN void find_complexity(const DeinterlaceStmmParams& p, const u8* const* rows, s32 x, s32 first, s32 lines, PairWords* out) {
    const PairWords multiplier = every_word(p.vecm_multiplier << 6), none = every_word(0), c2 = every_word(p.c2);
    rows += first + 2;
    LineDetail line0 = line_detail(rows[0], x), line1 = line_detail(rows[1], x), line2 = line_detail(rows[2], x);
    PairWords down0 = down(rows, x);
    for (s32 i = first; i < lines; i += 2, rows += 2) {
        const LineDetail line3 = line_detail(rows[3], x), line4 = line_detail(rows[4], x);
        const PairWords down2 = down(rows + 2, x), vertical = down0 + down(rows + 1, x) + down2;
        const PairWords edge = line0.inside + line1.inside + line2.inside + line3.inside + line4.inside;
        const PairWords vecm = upper_product(shifted_up(edge, 5), multiplier);  // edge * multiplier / 32
        const PairWords scm = max_of(vertical + (line1.all + line2.all + line3.all) - vecm, none);
        out[i] = shifted_down(scm, p.scm_shift) + c2;
        line0 = line2;
        line1 = line3;
        line2 = line4;
        down0 = down2;
    }
}

FN void stmm_bytes_tile(const DeinterlaceStmmParams& p, s32 tile_x, s32 tile_y) {
    SHARED StmmLines frames;
    SHARED u8 differences[STMM_ROWS * BYTES_PITCH];
    SHARED u8 copies[STMM_LINES * LINE_PAIRS];
    const s32 total = (p.width + 1) / 2;
    const s32 first = tile_x * STMM_PAIRS, pairs = min_of<s32>(STMM_PAIRS, total - first);
    const s32 y0 = tile_y * STMM_LINES, lines = min_of<s32>(STMM_LINES, p.height - y0);
    const s32 skip = (p.first_line - y0) & (p.line_step - 1), step = p.line_step;
    for (s32 i = 0; i < lines + 8; ++i) {
        const s32 line = line_in_picture(y0 + i - 4, p.height);
        for (s32 which = 0; which < 2; ++which)
            frames.rows[which][i] =
                bytes_of_line(p.frames[which], line, p.width, first - 1, frames.copies[which] + i * BYTES_PITCH);
    }
    const bool in_place = first > 0 && first - 1 + LINE_PAIRS <= total;
    const u8* stored[STMM_LINES];
    for (s32 i = skip; i < lines; i += step) {
        const u8* row = p.stored + (s64)(y0 + i) * p.stored_pitch_B;
        stored[i] = in_place ? row + first - 1 : copies + i * LINE_PAIRS;
        if (!in_place) load_bytes(row, first - 1, total, copies + i * LINE_PAIRS, LINE_PAIRS);
    }
    difference_rows(frames, lines + 4, differences);
    const PairWords large = every_word(p.large_weight), small = every_word(p.small_weight), one = every_word(256);
    const PairWords threshold = every_word(p.large_threshold);
    for (s32 strip = 0; strip < STRIPS; ++strip) {
        PairWords sums[STMM_LINES], complexity[STMM_LINES];
        const s32 x = strip * LANE_BYTES, k = strip * LANE_PAIRS;
        const bool differ = sum_windows(differences, x, lines, p.tdm_shift1, sums);
        if (differ) {
            for (s32 i = skip; i < 2 && i < lines; i += step)
                find_complexity(p, frames.rows[i], x, i, lines, complexity);
        }
        for (s32 i = skip; i < lines; i += step) {
            const PairWords before = one_for_each(stored[i] + k);
            PairWords now = every_word(0);
            if (differ) now = small_quotient(sums[i], p.tdm_shift2, complexity[i]);
            const PairWords weight = pick(less(threshold, now), large, small);
            const PairWords mixed = weight * before + (one - weight) * now;
            u8* out = p.stmm + (s64)(y0 + i) * p.stmm_pitch_B + first - 1;
            store_each_within(out, k, 1, pairs + 1, upper_bytes(mixed));
        }
    }
}
#endif

template <typename T, bool NOISY> FN void deinterlace_motion_measure_tile(const DeinterlaceStmmParams& p, s32 x, s32 y) {
#if HAS_BYTE_PAIRS
    if (sizeof(T) == 1 && !NOISY && p.frames[0].step == 1 && p.frames[1].step == 1) return stmm_bytes_tile(p, x, y);
#endif
    deinterlace_stmm_tile<T, NOISY>(p, x, y);
}
