// The noise measure over bytes in a row, on processors with instructions for pairs of bytes.
#pragma once
#include "denoise_measure.h"
#include "portable_pairs.h"

#if HAS_BYTE_PAIRS
// Second differences down the columns of a line, 1, 2 and 3 lines apart; the last ones may be made twice.
FN void measure_line_down(const u8* line, s64 step_B, s32 count, s16 (*down)[MEASURE_LINES * MEASURE_PITCH], s32 at) {
    const u8 *a1 = line - step_B, *a2 = a1 - step_B, *a3 = a2 - step_B;
    const u8 *b1 = line + step_B, *b2 = b1 + step_B, *b3 = b2 + step_B;
    s16 *d1 = down[0] + at, *d2 = down[1] + at, *d3 = down[2] + at;
    for (s64 next = 0; next < count; next += LANE_PAIRS) {
        const s64 x = min_of<s64>(next, count - LANE_PAIRS);
        const PairWords here = one_for_each(line + x), twice = here + here;
        store(d1 + x, one_for_each(a1 + x) + one_for_each(b1 + x) - twice);
        store(d2 + x, one_for_each(a2 + x) + one_for_each(b2 + x) - twice);
        store(d3 + x, one_for_each(a3 + x) + one_for_each(b3 + x) - twice);
    }
}

// Their second differences along lines, so many samples apart, of the columns of an instruction: sums over all lines.
FN PairWords measure_columns(const s16* down, s32 apart) {
    PairWords sum = every_word(0);
    UNROLL for (s32 y = 0; y < MEASURE_LINES; ++y, down += MEASURE_PITCH) {
        const PairWords here = words_at(down + MEASURE_SCALES);
        const PairWords sides = words_at(down + MEASURE_SCALES - apart) + words_at(down + MEASURE_SCALES + apart);
        sum = sum + size_of(sides - here - here);
    }
    return sum;
}

// How many samples of each column are cut off; the last ones may be made twice.
FN void count_cut_off(const u8* line, s64 pitch_B, s32 count, u8* counts) {
    const BytePairs one = every_byte(1);
    for (s32 x = 0; x < count; x += LANE_BYTES) {
        const s32 from = min_of<s32>(x, count - LANE_BYTES);
        BytePairs sum = every_byte(0);
        for (s32 y = 0; y < MEASURE_LINES; ++y)
            sum = sum - not_more(bytes_at(line + (s64)y * pitch_B + from) + one, one);  // 255 + 1 is 0
        store(counts + from, sum);
    }
}

FN void measure_bytes_tile(const DenoiseMeasureParams& p, s32 tile_x, s32 tile_y) {
    SHARED u8 counts[MEASURE_WIDTH];
    SHARED s16 down[MEASURE_SCALES][MEASURE_LINES * MEASURE_PITCH];
    const s32 x0 = tile_x * MEASURE_WIDTH, y0 = tile_y * MEASURE_LINES, margin = MEASURE_SCALES * p.line_step;
    const s32 blocks = min_of<s32>(MEASURE_WIDTH / 16, p.columns - x0 / 16);
    const u8* first = (const u8*)p.data + (s64)(y0 + margin) * p.pitch_B + x0;
    const s64 ahead_B = (s64)(MEASURE_LINES + margin) * p.pitch_B;  // what the tile below reads first
    for (s32 y = 0; y < MEASURE_LINES; ++y) {
        const u8* line = first + (s64)y * p.pitch_B;
        for (s32 x = 0; x < MEASURE_WIDTH; x += 64) PREFETCH(line + ahead_B + x);
        measure_line_down(line, (s64)p.line_step * p.pitch_B, 16 * blocks + 2 * MEASURE_SCALES, down,
                          y * MEASURE_PITCH);
    }
    count_cut_off(first + MEASURE_SCALES, p.pitch_B, 16 * blocks, counts);
    u32* out = (u32*)((u8*)p.blocks + (s64)tile_y * p.blocks_pitch_B) + 4 * (x0 / 16);
    for (s32 block = 0; block < blocks; ++block, out += 4) {
        out[0] = out[1] = out[2] = out[3] = 0;
        for (s32 x = 16 * block; x < 16 * block + 16; x += LANE_PAIRS)
            add_sums_of_all(out, measure_columns(down[0] + x, 1), measure_columns(down[1] + x, 2),
                            measure_columns(down[2] + x, 3), one_for_each(counts + x));
    }
}
#endif

template <typename T, typename Sum, int MAX>
FN void measure_plane_tile(const DenoiseMeasureParams& p, s32 tile_x, s32 tile_y) {
#if HAS_BYTE_PAIRS
    const bool fits = p.columns - tile_x * MEASURE_WIDTH / 16 > 1;  // bytes of an instruction
    if (sizeof(T) == 1 && p.step == 1 && fits) return measure_bytes_tile(p, tile_x, tile_y);
#endif
    measure_tile<T, Sum, MAX>(p, tile_x, tile_y);
}
