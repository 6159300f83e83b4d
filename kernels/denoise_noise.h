// Noise of a picture: the manual's block noise estimate (seed 003:954-978).
#pragma once
#include "denoise.h"

enum { NOISE_WIDTH = ON_DEVICE(256, 64), NOISE_HEIGHT = 16, NOISE_PITCH = NOISE_WIDTH + 16 };
enum { NOISE_ROWS = NOISE_HEIGHT + 2 * DENOISE_MARGIN, NOISE_BLOCKS = NOISE_WIDTH / 16 };

struct DenoiseNoiseParams {
    const void* data;
    void* blocks;  // one u8 per 16 x block_rows samples
    s32 pitch_B, step, shift, max;
    s32 blocks_pitch_B;
    s32 width, height;
    s32 line_step;
    s32 block_rows;
    s32 edge_threshold, noise_threshold;
    s32 noise_shift;
};
static_assert(sizeof(DenoiseNoiseParams) == 64, "parameter layout");

// Phase: columns x0 - 1 .. x0 + width and lines y0 - margin .. y0 + height + margin - 1.
template <typename T>
FN void load_noise_tile(const DenoiseNoiseParams& p, s32 x0, s32 y0, s32 width, s32 height, s32 margin, T* tile) {
    FOR_LINES(i, height + 2 * margin) {
        const s32 line = denoise_line(y0 + i - margin, p.height, p.line_step);
        const T* in = (const T*)((const u8*)p.data + (s64)line * p.pitch_B);
        load_columns(in, p.step, p.shift, p.max, x0, p.width, width + 2, tile + i * NOISE_PITCH);
    }
}

template <typename T> FN void sort_pair(T& a, T& b) {
    const T low = min_of(a, b);
    b = max_of(a, b);
    a = low;
}

// The middle of nine values: sort the columns, then the middles, the largest smallest and the smallest largest.
template <typename T> FN T median_of_9(T a, T b, T c, T d, T e, T f, T g, T h, T i) {
    sort_pair(a, b), sort_pair(b, c), sort_pair(a, b);
    sort_pair(d, e), sort_pair(e, f), sort_pair(d, e);
    sort_pair(g, h), sort_pair(h, i), sort_pair(g, h);
    return median(max_of(max_of(a, d), g), median(b, e, h), min_of(min_of(c, f), i));
}

// Phase: E13 to E15 on one line: the noise of pixels that count, or 255.
template <typename T>
FN void noise_line(const DenoiseNoiseParams& p, const T* __restrict__ a, const T* __restrict__ here,
                   const T* __restrict__ b, u8* __restrict__ out, s32 width) {
    const s16 edge_threshold = (s16)p.edge_threshold;
    const u16 noise_threshold = (u16)p.noise_threshold;
    const s32 shift = p.noise_shift;
    FOR_LINE(x, width) {
        const T n0 = a[x], n1 = a[x + 1], n2 = a[x + 2], n3 = here[x], n4 = here[x + 1], n5 = here[x + 2];
        const T n6 = b[x], n7 = b[x + 1], n8 = b[x + 2];
        const s16 h = (s16)((s16)((s16)(n0 + n2) + (s16)(2 * n1)) - (s16)((s16)(n6 + n8) + (s16)(2 * n7)));
        const s16 v = (s16)((s16)((s16)(n0 + n6) + (s16)(2 * n3)) - (s16)((s16)(n2 + n8) + (s16)(2 * n5)));
        const s16 edge = (s16)((u16)(max_of<s16>(h, (s16)-h) + max_of<s16>(v, (s16)-v)) >> 3);
        const T middle = median_of_9(n0, n1, n2, n3, n4, n5, n6, n7, n8);
        const T d0 = difference(n0, middle), d1 = difference(n1, middle), d2 = difference(n2, middle);
        const T d3 = difference(n3, middle), d4 = difference(n4, middle), d5 = difference(n5, middle);
        const T d6 = difference(n6, middle), d7 = difference(n7, middle), d8 = difference(n8, middle);
        const T largest = max_of(max_of(max_of(d0, d1), max_of(d2, d3)), max_of(max_of(d4, d5), max_of(d6, max_of(d7, d8))));
        const u16 noise = (u16)((u16)((u16)(d0 + d1) + (u16)(d2 + d3)) + (u16)((u16)(d4 + d5) + (u16)(d6 + d7)) + d8);
        const bool counts = (edge < edge_threshold) & ((u16)largest < noise_threshold);
        out[x] = (u8)(counts ? (u16)(noise >> shift) : (u16)255);
    }
}

template <typename T> FN void block_noise_tile(const DenoiseNoiseParams& p, s32 tile_x, s32 tile_y) {
    SHARED T tile[NOISE_ROWS * NOISE_PITCH];
    SHARED u8 noise[NOISE_HEIGHT * NOISE_PITCH];
    const s32 x0 = tile_x * NOISE_WIDTH, y0 = tile_y * NOISE_HEIGHT;
    const s32 width = min_of<s32>(NOISE_WIDTH, p.width - x0), height = min_of<s32>(NOISE_HEIGHT, p.height - y0);
    load_noise_tile(p, x0, y0, width, height, DENOISE_MARGIN, tile);
    BARRIER();
    FOR_LINES(y, height) {
        const T* here = tile + (y + DENOISE_MARGIN) * NOISE_PITCH;
        const s32 step = p.line_step * NOISE_PITCH;
        noise_line(p, here - step, here, here + step, noise + y * NOISE_PITCH, width);
    }
    BARRIER();
    const s32 columns = (width + 15) >> 4, rows = (height + p.block_rows - 1) / p.block_rows;
    FOR_ITEMS(i, columns * rows) {  // E16
        const s32 row = i / columns, column = i - row * columns;
        const s32 lines = min_of(p.block_rows, height - row * p.block_rows), across = min_of(16, width - column * 16);
        u8 least = 255;
        for (int y = 0; y < lines; ++y)
            for (int x = 0; x < across; ++x)
                least = min_of(least, noise[(row * p.block_rows + y) * NOISE_PITCH + column * 16 + x]);
        u8* out = (u8*)p.blocks + (s64)(y0 / p.block_rows + row) * p.blocks_pitch_B + x0 / 16 + column;
        *out = least;
    }
}
