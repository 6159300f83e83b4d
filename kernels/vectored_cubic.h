// Samples where a vector leads, between those of a field's guide (texsamp's own, docs/deinterlace-hq.md (65)).
#pragma once
#include "field_vectors.h"
#include "portable_pairs.h"

enum { VECTORED_WIDTH = ON_DEVICE(256, 64), VECTORED_LINES = ON_DEVICE(16, 8) };  // of a tile
enum { VECTORED_ROWS = VECTORED_LINES + 2, VECTORED_SPARE = VECTOR_BLOCK };
enum { VECTORED_PITCH = VECTORED_WIDTH + 2 * VECTORED_SPARE };

TABLE s8 VECTORED_CUBIC[4][4] = {{0, 16, 0, 0}, {-1, 14, 4, -1}, {-2, 10, 10, -2}, {-1, 4, 14, -1}};

// Lines of them, from a place in quarters on.
template <typename T>
FN void cubic_samples_of(const T* __restrict__ guide, s32 pitch, s32 x, s32 y, s32 max, s32 count, s32 lines, T* __restrict__ out) {
    const T* __restrict__ at = guide + (s64)(y >> 2) * pitch + (x >> 2);
    const s8* across = VECTORED_CUBIC[x & 3];
    const s8* down = VECTORED_CUBIC[y & 3];
    const s16 a0 = across[0], a1 = across[1], a2 = across[2], a3 = across[3];
    const s16 d0 = down[0], d1 = down[1], d2 = down[2], d3 = down[3];
    const s32 kind = ((x & 3) != 0) + 2 * ((y & 3) != 0);
    for (s32 n = 0; n < lines; ++n, at += pitch, out += VECTORED_PITCH) {
        if (kind == 0) {
            FOR_LINE(k, count) out[k] = at[k];
        } else if (kind == 1) {
            FOR_LINE(k, count) {
                const s16 sum = (s16)((s16)(a0 * at[k - 1]) + (s16)(a1 * at[k]) + (s16)(a2 * at[k + 1]) + (s16)(a3 * at[k + 2]));
                out[k] = (T)clamp_to<s16>((s16)((s16)(sum + 8) >> 4), 0, (s16)max);
            }
        } else if (kind == 2) {
            const T* __restrict__ up = at - pitch;
            const T* __restrict__ next = at + pitch;
            const T* __restrict__ last = next + pitch;
            FOR_LINE(k, count) {
                const s16 sum = (s16)((s16)(d0 * up[k]) + (s16)(d1 * at[k]) + (s16)(d2 * next[k]) + (s16)(d3 * last[k]));
                out[k] = (T)clamp_to<s16>((s16)((s16)(sum + 8) >> 4), 0, (s16)max);
            }
        } else {
            FOR_LINE(k, count) {
                s32 sum = 128;
                UNROLL for (s32 j = 0; j < 4; ++j) {
                    const T* line = at + (j - 1) * pitch + k;
                    const s16 part = (s16)((s16)(a0 * line[-1]) + (s16)(a1 * line[0]) + (s16)(a2 * line[1]) + (s16)(a3 * line[2]));
                    sum += part * (j == 0 ? d0 : (j == 1 ? d1 : (j == 2 ? d2 : d3)));
                }
                out[k] = (T)clamp_to<s32>(sum >> 8, 0, max);
            }
        }
    }
}

template <typename T> FN_ONCE void cubic_samples(const T* guide, s32 pitch, s32 x, s32 y, s32 max, s32 count, s32 lines, T* out) {
    cubic_samples_of(guide, pitch, x, y, max, count, lines, out);
}

#if HAS_BYTE_PAIRS
// Weights of two samples that follow each other, as bytes and as words.
FN PairWords byte_weights(s32 first, s32 second) { return every_word((first & 0xff) | second * 256); }
FN PairWords word_weights(s32 first, s32 second) { return every_two_words(first, second); }

// Lines of a whole block.
FN void cubic_bytes(const u8* guide, s64 pitch, s32 x, s32 y, s32 lines, u8* out) {
    const u8* at = guide + (y >> 2) * pitch + (x >> 2);
    const s8 *a = VECTORED_CUBIC[x & 3], *d = VECTORED_CUBIC[y & 3];
    const bool across = x & 3, down = y & 3;
    if (!across && !down) {
        for (s32 n = 0; n < lines; ++n) copy_bytes(out + n * VECTORED_PITCH, at + n * pitch, VECTOR_BLOCK);
        return;
    }
    const PairWords first = byte_weights(a[0], a[1]), last = byte_weights(a[2], a[3]);
    const PairWords upper = word_weights(d[0], d[1]), lower = word_weights(d[2], d[3]);
    const auto part = [&](const u8* from) { return across ? sums_of_four(from, first, last) : one_for_each(from); };
    for (s32 k = 0; k < VECTOR_BLOCK; k += LANE_PAIRS) {
        if (!down) {
            for (s32 n = 0; n < lines; ++n)
                store_each(out + n * VECTORED_PITCH + k, shifted_down(part(at + n * pitch + k) + every_word(8), 4));
            continue;
        }
        const s32 shift = across ? 8 : 4;
        const PairSums half = every_sum(1 << (shift - 1));
        const u8* from = at - pitch + k;
        PairWords w0 = part(from), w1 = part(from + pitch), w2 = part(from + 2 * pitch);
        for (s32 n = 0; n < lines; ++n) {
            const PairWords w3 = part(from + (n + 3) * pitch);
            const PairSums low = weighted_low(w0, w1, upper) + weighted_low(w2, w3, lower);
            const PairSums high = weighted_high(w0, w1, upper) + weighted_high(w2, w3, lower);
            store_each(out + n * VECTORED_PITCH + k, shifted_down(low + half, high + half, shift));
            w0 = w1;
            w1 = w2;
            w2 = w3;
        }
    }
}
#endif

// Those of a block, which nearly always is whole: a length that is known makes better loops.
template <typename T> FN_ONCE void cubic_block(const T* guide, s32 pitch, s32 x, s32 y, s32 max, s32 count, s32 lines, T* out) {
    if (count < VECTOR_BLOCK) return cubic_samples(guide, pitch, x, y, max, count, lines, out);
#if HAS_BYTE_PAIRS
    if constexpr (sizeof(T) == 1) return cubic_bytes(guide, pitch, x, y, lines, out);
#endif
    cubic_samples_of(guide, pitch, x, y, max, VECTOR_BLOCK, lines, out);
}
