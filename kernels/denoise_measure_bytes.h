// The noise measure over bytes in a row, on processors with instructions for pairs of bytes.
#pragma once
#include "denoise_measure.h"
#include "portable_pairs.h"

#if HAS_BYTE_PAIRS
// Second differences down the columns of a line, 1, 2 and 3 lines apart; the last ones may be made twice.
FN void measure_line_down(const u8* line, s64 step_B, s32 count, s16 (*down)[MEASURE_LINES * MEASURE_PITCH], s32 at) {
    for (s32 x = 0; x < count; x += LANE_PAIRS) {
        const s32 from = min_of<s32>(x, count - LANE_PAIRS);
        const PairWords here = one_for_each(line + from), twice = here + here;
        UNROLL for (s32 scale = 0; scale < MEASURE_SCALES; ++scale) {
            const PairWords sides = one_for_each(line + from - (scale + 1) * step_B) +
                                    one_for_each(line + from + (scale + 1) * step_B);
            store(down[scale] + at + from, sides - twice);
        }
    }
}

// Their second differences along lines, so many samples apart, of the columns of an instruction: sums over all lines.
FN PairWords measure_columns(const s16* down, s32 apart) {
    PairWords sum = every_word(0);
    for (s32 y = 0; y < MEASURE_LINES; ++y, down += MEASURE_PITCH) {
        const PairWords here = words_at(down + MEASURE_SCALES);
        const PairWords sides = words_at(down + MEASURE_SCALES - apart) + words_at(down + MEASURE_SCALES + apart);
        sum = sum + size_of(sides - here - here);
    }
    return sum;
}

FN u32 sum_of_words(PairWords w) {
    s32 parts[LANE_PAIRS / 2];
    store_sums_of_two(parts, w);
    s32 sum = 0;
    for (s32 k = 0; k < LANE_PAIRS / 2; ++k) sum += parts[k];
    return (u32)sum;
}

FN void measure_bytes_tile(const DenoiseMeasureParams& p, s32 tile_x, s32 tile_y) {
    SHARED s16 down[MEASURE_SCALES][MEASURE_LINES * MEASURE_PITCH];
    const s32 x0 = tile_x * MEASURE_WIDTH, y0 = tile_y * MEASURE_LINES, margin = MEASURE_SCALES * p.line_step;
    const s32 blocks = min_of<s32>(MEASURE_WIDTH / 16, p.columns - x0 / 16);
    const u8* first = (const u8*)p.data + (s64)(y0 + margin) * p.pitch_B + x0;
    for (s32 y = 0; y < MEASURE_LINES; ++y)
        measure_line_down(first + (s64)y * p.pitch_B, (s64)p.line_step * p.pitch_B, 16 * blocks + 2 * MEASURE_SCALES, down,
                          y * MEASURE_PITCH);
    const PairWords white = every_word(255), none = every_word(0);
    u32* out = (u32*)((u8*)p.blocks + (s64)tile_y * p.blocks_pitch_B) + 4 * (x0 / 16);
    for (s32 block = 0; block < blocks; ++block, out += 4) {
        for (s32 scale = 0; scale < MEASURE_SCALES; ++scale) {
            PairWords sum = none;
            for (s32 x = 0; x < 16; x += LANE_PAIRS) sum = sum + measure_columns(down[scale] + 16 * block + x, scale + 1);
            out[scale] = sum_of_words(sum);
        }
        PairWords cut_off = none;
        for (s32 y = 0; y < MEASURE_LINES; ++y)
            for (s32 x = 0; x < 16; x += LANE_PAIRS) {
                const PairWords v = one_for_each(first + (s64)y * p.pitch_B + 16 * block + MEASURE_SCALES + x);
                cut_off = cut_off - (equal(v, none) | equal(v, white));
            }
        out[MEASURE_SCALES] = sum_of_words(cut_off);
    }
}
#endif

template <typename T, typename Sum, int MAX>
FN void measure_plane_tile(const DenoiseMeasureParams& p, s32 tile_x, s32 tile_y) {
#if HAS_BYTE_PAIRS
    if (sizeof(T) == 1 && p.step == 1) return measure_bytes_tile(p, tile_x, tile_y);
#endif
    measure_tile<T, Sum, MAX>(p, tile_x, tile_y);
}
