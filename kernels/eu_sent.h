// Who sends a message, and what the host is told of those that do.
#pragma once
#include "portable.h"

enum { EU_RANGES = 12, EU_RANGE_THREADS = 64 };  // dwords that are looked at together; threads of a tile

enum { EU_PLACE_OFF = -1, EU_PLACE_OUTSIDE = -2 };  // where nothing is; outside reads 0, and drops what is written

// mask: channels of every thread, of which one must be enabled; null for all.
FN bool is_sent(const u8* mask, s32 channels, s64 thread) {
    if (!mask) return true;
    bool any = false;
    for (s32 c = 0; c < channels; ++c) any |= mask[thread * channels + c] != 0;
    return any;
}

// The least and the greatest value of dwords, among all threads that send.
struct EuRangesParams {
    const u8* registers;
    const u8* mask;
    s32* out;           // [ranges][2]: the greatest complement, and the greatest value; the least number before
    s32 at[EU_RANGES];  // byte of a thread's registers that each is at
    u32 bits[EU_RANGES];  // those that are looked at
    s32 ranges, channels;
    s32 threads, pitch;
};
static_assert(sizeof(EuRangesParams) == 136, "parameter layout");

FN void eu_ranges_tile(const EuRangesParams& p, s32, s32 tile) {
    const s64 first = (s64)tile * EU_RANGE_THREADS;
    const s32 threads = (s32)min_of<s64>(EU_RANGE_THREADS, p.threads - first);
    FOR_ITEMS(i, threads * p.ranges) {
        const s64 thread = first + i / p.ranges;
        const s32 range = i % p.ranges;
        if (!is_sent(p.mask, p.channels, thread)) continue;
        const s32 value = (s32)(*(const u32*)(p.registers + thread * p.pitch + p.at[range]) & p.bits[range]);
        raise_shared(p.out + 2 * range, ~value);
        raise_shared(p.out + 2 * range + 1, value);
    }
}
