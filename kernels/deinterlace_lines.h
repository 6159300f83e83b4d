// Lines of bytes as they lie in a picture, for what looks at pairs of them.
#pragma once
#include "deinterlace.h"
#include "portable_pairs.h"

#if HAS_BYTE_PAIRS
// Pairs of a tile's lines, in strips of as many as an instruction takes. Loads reach so far beyond them.
enum { LINE_PAIRS = 128, STRIPS = LINE_PAIRS / LANE_PAIRS, BYTES_BESIDE = 8, BYTES_PITCH = 2 * LINE_PAIRS + 2 * BYTES_BESIDE };

// Samples 2 * first .. 2 * (first + LINE_PAIRS) - 1 of a line and those beside them: where they are, if all are in the
// picture, else a copy in which its ends repeat. Asks for those of the next tile.
FN const u8* bytes_of_line(const FieldSamples& s, s32 line, s32 width, s32 first, u8* copy) {
    const u8* row = row_of<u8>(s, line);
    const s32 x = 2 * first - BYTES_BESIDE;
    prefetch_line(row + 2 * (first + LINE_PAIRS), 2 * LINE_PAIRS);
    if (x >= 0 && x + BYTES_PITCH <= width) return row + 2 * first;
    load_bytes(row, x, width, copy, BYTES_PITCH);
    return copy + BYTES_BESIDE;
}

// The blend with the mean in time; weights are words, of the first and the second bytes.
FN BytePairs blended(PairWords first_weights, PairWords second_weights, BytePairs moving, BytePairs still, s32 shift) {
    const PairWords first = first_of_pair(still), second = second_of_pair(still);
    return pair_of(first + shifted_down(first_weights * (first_of_pair(moving) - first), shift),
                   second + shifted_down(second_weights * (second_of_pair(moving) - second), shift));
}

// Differences along a line: inside pairs, and with those beside them.
struct LineDetail {
    PairWords inside, all;
};
FN LineDetail line_detail(const u8* row, s32 x) {
    const BytePairs here = bytes_at(row + x), right = difference(here, bytes_at(row + x + 1));
    return {first_of_pair(right), sum_of_pair(difference(bytes_at(row + x - 1), here)) + second_of_pair(right)};
}
// Between a line and the one two below.
FN PairWords down(const u8* const* rows, s32 x) {
    return sum_of_pair(difference(bytes_at(rows[0] + x), bytes_at(rows[2] + x)));
}

// Those values of a strip that are from `begin` to `end` of a line.
FN void store_each_within(u8* line, s32 k, s32 begin, s32 end, PairWords values) {
    if (k >= begin && k + LANE_PAIRS <= end) return store_each(line + k, values);
    u8 bytes[LANE_PAIRS];
    store_each(bytes, values);
    const s32 from = max_of(begin - k, 0), to = min_of<s32>(end - k, LANE_PAIRS);
    if (to - from >= LANE_PAIRS / 2) {  // most: two halves that meet
        copy_bytes(line + k + from, bytes + from, LANE_PAIRS / 2);
        copy_bytes(line + k + to - LANE_PAIRS / 2, bytes + to - LANE_PAIRS / 2, LANE_PAIRS / 2);
        return;
    }
    for (s32 i = from; i < to; ++i) line[k + i] = bytes[i];
}
FN void store_words_within(u16* line, s32 k, s32 begin, s32 end, PairWords values) {
    if (k >= begin && k + LANE_PAIRS <= end) return store(line + k, values);
    u16 words[LANE_PAIRS];
    store(words, values);
    for (s32 i = max_of(begin - k, 0); i < min_of<s32>(end - k, LANE_PAIRS); ++i) line[k + i] = words[i];
}
#endif
