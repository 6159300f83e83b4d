// What denoise=fast and hq reads (texsamp's own; docs/denoise.md H1 and H2): planes with their edges repeated around them, and a
// quarter of luma's size of these.
#pragma once
#include "fields.h"

enum { HQ_PAD = 64, HQ_QUARTER_PAD = HQ_PAD / 4, HQ_PAD_WIDTH = ON_DEVICE(512, 128), HQ_PAD_LINES = 8 };

struct DenoiseHqPlaneParams {
    FieldSamples source;  // of the padded plane's own elements where it is made smaller
    void* target;         // the first element of the padding
    s32 target_pitch_B;
    s32 width, height;  // of the source, without padding
};
static_assert(sizeof(DenoiseHqPlaneParams) == 48, "parameter layout");

template <typename T> FN void denoise_hq_pad_tile(const DenoiseHqPlaneParams& p, s32 tile_x, s32 tile_y) {
    const s32 x0 = tile_x * HQ_PAD_WIDTH, y0 = tile_y * HQ_PAD_LINES;
    const s32 count = min_of<s32>(HQ_PAD_WIDTH, p.width + 2 * HQ_PAD - x0);
    const s32 lines = min_of<s32>(HQ_PAD_LINES, p.height + 2 * HQ_PAD - y0);
    const s32 step = p.source.step, shift = p.source.shift, max = p.source.max;
    FOR_LINES(y, lines) {
        const T* __restrict__ in = row_of<T>(p.source, clamp_to(y0 + y - HQ_PAD, 0, p.height - 1));
        T* __restrict__ out = (T*)((u8*)p.target + (s64)(y0 + y) * p.target_pitch_B) + x0;
        FOR_LINE(x, count) {
            out[x] = sample_of(in[(s64)clamp_to(x0 + x - HQ_PAD, 0, p.width - 1) * step], shift, max);
        }
    }
}

// Means of 4x4 samples. `width` and `height` are those of the large picture; its padding is averaged, too.
template <typename T> FN void denoise_hq_quarter_tile(const DenoiseHqPlaneParams& p, s32 tile_x, s32 tile_y) {
    const s32 x0 = tile_x * HQ_PAD_WIDTH, y0 = tile_y * HQ_PAD_LINES;
    const s32 count = min_of<s32>(HQ_PAD_WIDTH, (p.width + 2 * HQ_PAD) / 4 - x0);
    const s32 lines = min_of<s32>(HQ_PAD_LINES, (p.height + 2 * HQ_PAD) / 4 - y0);
    FOR_LINES(y, lines) {
        const T* __restrict__ in = row_of<T>(p.source, 4 * (y0 + y)) + 4 * x0;
        T* __restrict__ out = (T*)((u8*)p.target + (s64)(y0 + y) * p.target_pitch_B) + x0;
        const s32 pitch = p.source.pitch_B / (s32)sizeof(T);
        FOR_LINE(x, count) {
            u32 sum = 8;
            UNROLL for (int j = 0; j < 4; ++j) {
                const T* __restrict__ four = in + (s64)j * pitch + 4 * x;
                sum += (u32)four[0] + four[1] + four[2] + four[3];
            }
            out[x] = (T)(sum >> 4);
        }
    }
}
