// Convolve of the video analytics functions (seed 003:1701-1783): up to 15x15 coefficients in S3.12, 16-bit results.
//
// All sums are exact. Two lines of samples are multiplied at a time, as pairs of s16; the same pairs serve an even line
// of the tile and the one below it, with coefficients one line apart. 16-bit samples are taken as 256 * high + low, so
// that either part's sum fits 32 bits (225 * 255 * 32768 does), and
// (256 * H + L + half) >> n = (H + ((L + half) >> 8)) >> (n - 8).
#pragma once
#include "pair_products.h"

enum {
    CONVOLVE_WIDTH = ON_DEVICE(384, 64),
    CONVOLVE_HEIGHT = ON_DEVICE(16, 8),
    CONVOLVE_PITCH = CONVOLVE_WIDTH + 16,
    CONVOLVE_PAIRS = 8,  // of lines, that 15 or 16 coefficients meet
    CONVOLVE_LINES = CONVOLVE_HEIGHT / 2 + CONVOLVE_PAIRS - 1
};
static_assert(CONVOLVE_WIDTH % PAIR_BLOCK == 0 && CONVOLVE_HEIGHT % 2 == 0, "sums are computed in blocks");

struct ConvolveParams {
    const void* src;
    void* dst;  // s16
    s32 src_pitch_B, dst_pitch_B;
    s32 width, height;
    s32 left, top;       // samples from the window's first to the one it is for
    s32 columns, pairs;  // of the kernel: pairs of rows
    s32 mirror;
    s32 shift;         // 12 and the scale
    u32 weights[256];  // of every pair of lines 16 words for the upper line's sum and 16 for the lower's
};
static_assert(sizeof(ConvolveParams) == 1080, "parameter layout");

// Where sample k of n is read, or -1 for one that is taken as 0: mirrored once, it is still outside (1756-1773).
FN s32 edge_sample(s32 k, s32 n, s32 mirror) {
    const s32 below = mirror ? -k - 1 : 0, above = mirror ? 2 * n - k - 1 : n - 1;
    const s32 at = k < 0 ? below : k > n - 1 ? above : k;
    return at < 0 || at > n - 1 ? -1 : at;
}

enum { WHOLE, LOW_BYTE, HIGH_BYTE };

template <int PART, typename T> FN u32 part_of(T v) {
    return (u32)(u16)(PART == WHOLE ? v : PART == LOW_BYTE ? v & 255 : v >> 8);
}

// One line of the picture; a line that is taken as 0 keeps nothing of what is read.
template <typename T> struct SourceLine {
    const T* samples;
    u32 keep;
};

template <typename T> FN SourceLine<T> source_line(const ConvolveParams& p, s32 y) {
    const s32 row = edge_sample(y, p.height, p.mirror);
    return {(const T*)((const u8*)p.src + (s64)max_of(row, 0) * p.src_pitch_B), row < 0 ? 0u : 0xFFFFu};
}

// Phase: the tile's lines and those around it, two by two.
template <int PART, typename T>
FN void pair_lines(const ConvolveParams& p, s32 x0, s32 y0, s32 count, s32 lines, u32* pairs) {
    const s32 first = x0 - p.left, mirror = p.mirror;
    const s32 begin = clamp_to(-first, 0, count), end = clamp_to(p.width - first, begin, count);
    FOR_LINES(r, lines) {
        u32* __restrict__ out = pairs + r * CONVOLVE_PITCH;
        const SourceLine<T> upper = source_line<T>(p, y0 - p.top + 2 * r), lower = source_line<T>(p, y0 - p.top + 2 * r + 1);
        const T* __restrict__ a = upper.samples;
        const T* __restrict__ b = lower.samples;
        const u32 keep_a = upper.keep, keep_b = lower.keep;
        FOR_LINE(i, end - begin) {
            const s64 at = (s64)first + begin + i;
            out[begin + i] = (part_of<PART>(a[at]) & keep_a) | (part_of<PART>(b[at]) & keep_b) << 16;
        }
        for (int side = 0; side < 2; ++side) {
            const s32 from = side ? end : 0, to = side ? count : begin;
            FOR_LINE(i, to - from) {
                const s32 found = edge_sample(first + from + i, p.width, mirror), at = max_of(found, 0);
                const u32 pair = (part_of<PART>(a[at]) & keep_a) | (part_of<PART>(b[at]) & keep_b) << 16;
                out[from + i] = found < 0 ? 0 : pair;
            }
        }
    }
}

struct ConvolvePart {
    u32 pairs[CONVOLVE_LINES * CONVOLVE_PITCH];
    s32 sums[ON_DEVICE(2, CONVOLVE_HEIGHT) * CONVOLVE_WIDTH];
};

FN s16 clamp_to_s16(s32 v) { return (s16)clamp_to(v, -32768, 32767); }

// The thread that makes a column's sums is the one that uses them.
template <typename T> FN void convolve_tile(const ConvolveParams& p, s32 tile_x, s32 tile_y) {
    constexpr bool WIDE = sizeof(T) > 1;
    SHARED ConvolvePart parts[1 + WIDE];
    const s32 x0 = tile_x * CONVOLVE_WIDTH, y0 = tile_y * CONVOLVE_HEIGHT;
    const s32 width = min_of<s32>(CONVOLVE_WIDTH, p.width - x0), height = min_of<s32>(CONVOLVE_HEIGHT, p.height - y0);
    const s32 lines = (height + 1) / 2 + p.pairs - 1, count = width + p.columns - 1;
    pair_lines<WIDE ? LOW_BYTE : WHOLE, T>(p, x0, y0, count, lines, parts[0].pairs);
    if constexpr (WIDE) pair_lines<HIGH_BYTE, T>(p, x0, y0, count, lines, parts[1].pairs);
    BARRIER();
    const s32 shift = p.shift, half = 1 << (shift - 1);
    FOR_LINES(g, (height + 1) / 2) {
        const s32 at = ON_DEVICE(0, 2 * g) * CONVOLVE_WIDTH;
        for (ConvolvePart& part : parts)
            sums_of_pairs(part.sums + at, part.sums + at + CONVOLVE_WIDTH, part.pairs + g * CONVOLVE_PITCH, CONVOLVE_PITCH,
                          p.weights, p.pairs, p.columns, width);
        for (s32 y = 0; y < min_of<s32>(2, height - 2 * g); ++y) {
            const s32* __restrict__ low = parts[0].sums + at + y * CONVOLVE_WIDTH;
            const s32* __restrict__ high = parts[WIDE].sums + at + y * CONVOLVE_WIDTH;
            s16* __restrict__ out = (s16*)((u8*)p.dst + (s64)(y0 + 2 * g + y) * p.dst_pitch_B) + x0;
            if constexpr (WIDE) {
                FOR_LINE(x, width) out[x] = clamp_to_s16((high[x] + ((low[x] + half) >> 8)) >> (shift - 8));
            } else {
                FOR_LINE(x, width) out[x] = clamp_to_s16((low[x] + half) >> shift);
            }
        }
    }
}
