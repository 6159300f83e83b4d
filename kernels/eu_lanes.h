// What messages take from threads' registers and answer into them: lanes of many threads, in arrays.
#pragma once
#include "portable.h"

enum { EU_PAYLOAD_PARTS = 8 };     // parameters of a message that are taken at once
enum { EU_LANES_THREADS = 64 };    // of a tile
enum { EU_RESPONSE_CHANNELS = 4 };

struct EuPayloadParams {
    const u8* registers;
    const s32* rows;             // threads, by their numbers in the batch; null for the first `threads`
    u32* out[EU_PAYLOAD_PARTS];  // of each part, dwords of every thread
    s32 at[EU_PAYLOAD_PARTS];    // byte of a thread's registers that each begins at
    s32 parts, dwords;           // of a part
    s32 threads, pitch;
};
static_assert(sizeof(EuPayloadParams) == 128, "parameter layout");

struct EuResponseParams {
    u8* registers;
    const s32* rows;
    const u32* values;                 // of every thread and lane four channels
    const u8* enabled;                 // of every thread and lane; null for all
    s32 channel[EU_RESPONSE_CHANNELS];  // those that are answered, one behind the other
    s32 channels, lanes;
    s32 at, threads, pitch;
    s32 pad_;
};
static_assert(sizeof(EuResponseParams) == 72, "parameter layout");

enum { EU_BLOCK_PX = 16, EU_BLOCK_ROWS = 4 };

// Blocks of a plane of samples, which sample_8x8 answers with: those of a column have its positions across.
struct EuBlocksParams {
    u8* registers;
    const s32* rows;
    const u16* samples;
    const s32* column;  // of every thread
    const s32* row;
    const s32* across;  // [columns][EU_BLOCK_PX] samples; null: side by side
    const s32* down;    // [rows][EU_BLOCK_ROWS]
    s64 samples_pitch;
    s32 at, threads, pitch;
    s32 pad_;
};
static_assert(sizeof(EuBlocksParams) == 80, "parameter layout");

FN s64 thread_of(const s32* rows, s64 n) { return rows ? rows[n] : n; }

template <int N> FN void take_lanes(const EuPayloadParams& p, s64 first, s32 threads) {
    FOR_LINES(line, threads) {
        const s64 n = first + line;
        const u8* from = p.registers + thread_of(p.rows, n) * p.pitch;
        for (s32 part = 0; part < p.parts; ++part) {
            const u32* dwords = (const u32*)(from + p.at[part]);
            u32* out = p.out[part] + n * N;
            FOR_LINE(i, N) out[i] = dwords[i];
        }
    }
}

FN void eu_payload_tile(const EuPayloadParams& p, s32, s32 tile) {
    const s64 first = (s64)tile * EU_LANES_THREADS;
    const s32 threads = (s32)min_of<s64>(EU_LANES_THREADS, p.threads - first);
    if (p.dwords == 16)
        take_lanes<16>(p, first, threads);
    else
        take_lanes<8>(p, first, threads);
}

template <int N> FN void answer_lanes(const EuResponseParams& p, s64 first, s32 threads) {
    FOR_LINES(line, threads) {
        const s64 n = first + line;
        u32* to = (u32*)(p.registers + thread_of(p.rows, n) * p.pitch + p.at);
        const u32* from = p.values + n * N * EU_RESPONSE_CHANNELS;
        for (s32 k = 0; k < p.channels; ++k) {
            const u32* channel = from + p.channel[k];
            u32* out = to + k * N;
            if (p.enabled) {
                const u8* enabled = p.enabled + n * N;
                FOR_LINE(i, N) out[i] = enabled[i] ? channel[i * EU_RESPONSE_CHANNELS] : out[i];
            } else {
                FOR_LINE(i, N) out[i] = channel[i * EU_RESPONSE_CHANNELS];
            }
        }
    }
}

FN void eu_response_tile(const EuResponseParams& p, s32, s32 tile) {
    const s64 first = (s64)tile * EU_LANES_THREADS;
    const s32 threads = (s32)min_of<s64>(EU_LANES_THREADS, p.threads - first);
    if (p.lanes == 16)
        answer_lanes<16>(p, first, threads);
    else
        answer_lanes<8>(p, first, threads);
}

FN void eu_blocks_tile(const EuBlocksParams& p, s32, s32 tile) {
    const s64 first = (s64)tile * EU_LANES_THREADS;
    const s32 threads = (s32)min_of<s64>(EU_LANES_THREADS, p.threads - first);
    FOR_LINES(line, threads) {
        const s64 n = first + line;
        u16* to = (u16*)(p.registers + thread_of(p.rows, n) * p.pitch + p.at);
        const s32 x = p.column[n] * EU_BLOCK_PX, y = p.row[n] * EU_BLOCK_ROWS;
        for (s32 r = 0; r < EU_BLOCK_ROWS; ++r, to += EU_BLOCK_PX) {
            const u16* from = p.samples + (p.down ? p.down[y + r] : y + r) * p.samples_pitch;
            if (p.across)
                FOR_LINE(i, EU_BLOCK_PX) to[i] = from[p.across[x + i]];
            else
                FOR_LINE(i, EU_BLOCK_PX) to[i] = from[x + i];
        }
    }
}
