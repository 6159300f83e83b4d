// The noise measure that the automatic strength follows (texsamp's own; docs/denoise.md): over blocks of 16x16 samples,
// second differences in both directions between neighbors 1, 2 and 3 apart, and how many samples are cut off.
#pragma once
#include "denoise.h"

enum { MEASURE_WIDTH = ON_DEVICE(256, 64), MEASURE_SCALES = 3, MEASURE_PITCH = MEASURE_WIDTH + 16 };
enum { MEASURE_LINES = 16, MEASURE_ROWS = MEASURE_LINES + 4 * MEASURE_SCALES, MEASURE_QUADS = MEASURE_LINES / 4 };

struct DenoiseMeasureParams {
    const void* data;
    u32* blocks;  // sums of the scales and the number of samples cut off, four words per block
    s32 pitch_B, step, shift, max;
    s32 blocks_pitch_B;
    s32 columns;    // of blocks
    s32 width;      // of the picture
    s32 line_step;  // 1: neighbors are lines of the frame, 2: of its field
};
static_assert(sizeof(DenoiseMeasureParams) == 48, "parameter layout");

// Phase: second differences along lines, `apart` samples apart.
template <typename T> FN void measure_across(const T* tile, s32 apart, s32 width, s32 lines, s16* across) {
    FOR_LINES(y, lines) {
        const T* __restrict__ in = tile + y * MEASURE_PITCH + MEASURE_SCALES - apart;
        s16* __restrict__ out = across + y * MEASURE_PITCH;
        FOR_LINE(x, width) out[x] = (s16)((s16)(in[x] + in[x + 2 * apart]) - (s16)(2 * in[x + apart]));
    }
}

// Phase: those of these down the columns, `apart` lines apart, summed over four lines.
template <typename Sum> FN void measure_down(const s16* across, s32 apart, s32 margin, s32 width, Sum* sums) {
    FOR_LINES(quad, MEASURE_QUADS) {
        const s16* __restrict__ here = across + (4 * quad + margin) * MEASURE_PITCH;
        const s16* __restrict__ above = here - apart * MEASURE_PITCH;
        const s16* __restrict__ below = here + apart * MEASURE_PITCH;
        Sum* __restrict__ out = sums + quad * MEASURE_WIDTH;
        FOR_LINE(x, width) {
            Sum sum = 0;
            UNROLL for (int y = 0; y < 4; ++y) {
                const s32 at = y * MEASURE_PITCH + x;
                const s16 second = (s16)((s16)(above[at] + below[at]) - (s16)(2 * here[at]));
                sum = (Sum)(sum + (u16)max_of<s16>(second, (s16)-second));
            }
            out[x] = sum;
        }
    }
}

// Blocks lie MEASURE_SCALES samples inside the picture, so that all their neighbors exist.
template <typename T, typename Sum, int MAX> FN void measure_tile(const DenoiseMeasureParams& p, s32 tile_x, s32 tile_y) {
    SHARED T tile[MEASURE_ROWS * MEASURE_PITCH];
    SHARED s16 across[MEASURE_ROWS * MEASURE_PITCH];
    SHARED Sum sums[MEASURE_SCALES][MEASURE_QUADS * MEASURE_WIDTH];
    SHARED u8 cut_off[MEASURE_QUADS * MEASURE_WIDTH];
    const s32 x0 = tile_x * MEASURE_WIDTH, y0 = tile_y * MEASURE_LINES, margin = MEASURE_SCALES * p.line_step;
    const s32 blocks = min_of<s32>(MEASURE_WIDTH / 16, p.columns - x0 / 16), width = 16 * blocks;
    const s32 lines = MEASURE_LINES + 2 * margin;
    FOR_LINES(i, lines) {
        const T* in = (const T*)((const u8*)p.data + (s64)(y0 + i) * p.pitch_B);
        load_columns(in, p.step, p.shift, p.max, x0 + 1, p.width, width + 2 * MEASURE_SCALES, tile + i * MEASURE_PITCH);
    }
    for (s32 scale = 0; scale < MEASURE_SCALES; ++scale) {
        BARRIER();
        measure_across(tile, scale + 1, width, lines, across);
        BARRIER();
        measure_down(across, (scale + 1) * p.line_step, margin, width, sums[scale]);
    }
    FOR_LINES(quad, MEASURE_QUADS) {
        const T* __restrict__ in = tile + (4 * quad + margin) * MEASURE_PITCH + MEASURE_SCALES;
        u8* __restrict__ out = cut_off + quad * MEASURE_WIDTH;
        FOR_LINE(x, width) {
            u8 count = 0;
            UNROLL for (int y = 0; y < 4; ++y) {
                const T sample = in[y * MEASURE_PITCH + x];
                count = (u8)(count + (u8)((sample == 0) | (sample == MAX)));
            }
            out[x] = count;
        }
    }
    BARRIER();
    FOR_ITEMS(i, 4 * blocks) {
        const s32 block = i >> 2, which = i & 3;
        u32 sum = 0;
        for (int quad = 0; quad < MEASURE_QUADS; ++quad)
            for (int x = 0; x < 16; ++x) {
                const s32 at = quad * MEASURE_WIDTH + 16 * block + x;
                sum += which < MEASURE_SCALES ? (u32)sums[which][at] : (u32)cut_off[at];
            }
        u32* out = (u32*)((u8*)p.blocks + (s64)tile_y * p.blocks_pitch_B) + 4 * (x0 / 16 + block);
        out[which] = sum;
    }
}
