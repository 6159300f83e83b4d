// Where the pixels of sample_8x8 blocks are in the source, of threads whose coordinates stay in registers.
#pragma once
#include "eu_sent.h"
#include "portable_elements.h"
#include "portable_gather.h"

enum { EU_POSITION_THREADS = 64 };  // of a tile
enum { EU_BLOCK_AT = 1, EU_U_AT = 2, EU_V_AT = 3, EU_DU_AT = 4, EU_DV_AT = 5, EU_DDU_AT = 6 };  // dwords of coordinates

// In 1/32 texel, truncated from the nearest 1/256; 0 of threads that do not send.
struct EuPositionsParams {
    const u8* registers;
    const u8* mask;  // as of EuRangesParams
    s32* x;          // [threads][columns]
    s32* y;          // [threads][rows]
    s32* refused;    // raised to 1 where a position is no number or less than the one before it
    float width, height;  // of the source
    float farthest;       // positions beyond are taken for this one
    s32 columns, rows, margin;
    s32 block_rows;  // without a margin
    s32 channels, at, threads, pitch;
    s32 pad_;
};
static_assert(sizeof(EuPositionsParams) == 88, "parameter layout");

// U(x) = U + dU * x + ddU * x * (x - 1) / 2 in 1/256 texel and a half, each operation in single precision; not a number where
// that is none.
FN float position_of(float start, float step, float second, float size, float x) {
    const float curve = second * size * x * (x - 1.0f) * 0.5f;
    return (start * size + max_of(step, 0.0f) * size * x + curve) * 256.0f + 0.5f;
}

FN s32 clipped_position(float position, float farthest) {
    return (s32)floor_float(clamp_to(position, -8.0f * farthest, 8.0f * farthest)) >> 3;
}

FN void eu_positions_tile(const EuPositionsParams& p, s32, s32 tile) {
    const s64 first = (s64)tile * EU_POSITION_THREADS;
    const s32 threads = (s32)min_of<s64>(EU_POSITION_THREADS, p.threads - first), each = p.columns + p.rows;
    FOR_ITEMS(i, threads * each) {
        const s64 thread = first + i / each;
        const s32 n = i % each, row = n - p.columns;
        const bool across = row < 0;
        const u32* dwords = (const u32*)(p.registers + thread * p.pitch + p.at);
        const float start = float_of_bits(dwords[across ? EU_U_AT : EU_V_AT]);
        const float step = float_of_bits(dwords[across ? EU_DU_AT : EU_DV_AT]);
        const float second = across ? float_of_bits(dwords[EU_DDU_AT]) : 0.0f;
        const float size = across ? p.width : p.height;
        const s64 line = (s64)dwords[EU_BLOCK_AT] * p.block_rows + row - p.margin;
        const float at = across ? (float)(n - p.margin) : (float)line;
        const float position = position_of(start, step, second, size, at);
        const bool sent = is_sent(p.mask, p.channels, thread);
        const s32 found = sent ? clipped_position(position, p.farthest) : 0;
        bool refused = !(position == position);
        if (n != 0 && row != 0) {
            const float before = position_of(start, step, second, size, at - 1.0f);
            refused |= clipped_position(before, p.farthest) > found;
        }
        if (across)
            p.x[thread * p.columns + n] = found;
        else
            p.y[thread * p.rows + row] = found;
        if (refused && sent) raise_shared(p.refused, 1);
    }
}
