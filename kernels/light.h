// Light that changes from field to field (texsamp's own, docs/deinterlace-hq.md (68) to (70)): what blocks of both
// fields of a frame add up to, and lines of a frame under the light of another field.
#pragma once
#include "fields.h"

enum { LIGHT_BLOCK = 32, LIGHT_LINES = 16 };  // pixels across, lines of a field down
enum { LIGHT_BLOCKS = ON_DEVICE(16, 8), LIGHT_TILE = LIGHT_BLOCKS * LIGHT_BLOCK };
enum { RELIT_WIDTH = ON_DEVICE(512, 128), RELIT_LINES = 8, LIGHT_BITS = 12 };

struct LightSumsParams {
    FieldSamples source;
    u32* sums;  // of whole blocks; first those of the top field, then those of the bottom one
    s32 pitch_B;
    s32 columns, rows;  // of a field
    s32 pad_;
};
static_assert(sizeof(LightSumsParams) == 48, "parameter layout");

struct RelitParams {
    FieldSamples source;
    FieldTarget target;
    s32 width, height;
    s32 gains[2], offsets[2];  // by the parity of a line, in 1/4096
};
static_assert(sizeof(RelitParams) == 72, "parameter layout");

// Of a block's lines; 16 samples of 12 bits are no more than a word holds.
template <typename T> FN u16 sum_of_column(const T* at, s64 pitch, s32 shift, s32 max) {
    u16 sum = 0;
    UNROLL for (s32 k = 0; k < LIGHT_LINES / 8; ++k)
        UNROLL for (s32 j = 0; j < 8; ++j) sum = (u16)(sum + sample_of(at[(8 * k + j) * pitch], shift, max));
    return sum;
}

template <typename T> FN void light_sums_tile(const LightSumsParams& p, s32 tile_x, s32 row) {
    SHARED u16 sums[LIGHT_TILE];
    const s32 first = tile_x * LIGHT_BLOCKS, blocks = min_of<s32>(LIGHT_BLOCKS, p.columns - first);
    const s32 parity = row >= p.rows, line = 2 * LIGHT_LINES * (row - parity * p.rows) + parity;
    const s32 step = p.source.step, shift = p.source.shift, max = p.source.max;
    const s64 pitch = 2 * (p.source.pitch_B / (s32)sizeof(T));
    const T* __restrict__ in = row_of<T>(p.source, line) + (s64)first * LIGHT_BLOCK * step;
    if (step == 1) {
        FOR_EACH(x, blocks * LIGHT_BLOCK) sums[x] = sum_of_column(in + x, pitch, shift, max);
    } else {
        FOR_EACH(x, blocks * LIGHT_BLOCK) sums[x] = sum_of_column(in + (s64)x * step, pitch, shift, max);
    }
    BARRIER();
    u32* __restrict__ out = (u32*)((u8*)p.sums + (s64)row * p.pitch_B) + first;
    FOR_EACH(b, blocks) {
        u32 sum = 0;
        UNROLL for (s32 k = 0; k < LIGHT_BLOCK; ++k) sum += sums[b * LIGHT_BLOCK + k];
        out[b] = sum;
    }
}

template <typename T> FN void relit_tile(const RelitParams& p, s32 tile_x, s32 tile_y) {
    const s32 first = tile_x * RELIT_WIDTH, count = min_of<s32>(RELIT_WIDTH, p.width - first);
    const s32 line0 = tile_y * RELIT_LINES, lines = min_of<s32>(RELIT_LINES, p.height - line0);
    const s32 from = p.source.step, to = p.target.step, shift = p.source.shift, max = p.source.max;
    FOR_LINES(i, lines) {
        const T* __restrict__ in = row_of<T>(p.source, line0 + i) + (s64)first * from;
        T* __restrict__ out = row_of<T>(p.target, line0 + i) + (s64)first * to;
        const s32 gain = p.gains[(line0 + i) & 1], offset = p.offsets[(line0 + i) & 1] + (1 << (LIGHT_BITS - 1));
        FOR_LINE(x, count) {
            const s32 lit = (gain * sample_of(in[(s64)x * from], shift, max) + offset) >> LIGHT_BITS;
            out[(s64)x * to] = element_of((T)clamp_to<s32>(lit, 0, max), p.target.shift);
        }
    }
}
