// A field's chroma of bytes in a row as a whole frame, along 90 degrees, on processors with instructions for bytes.
#pragma once
#include "deinterlace_chroma.h"
#include "deinterlace_lines.h"

#if HAS_BYTE_PAIRS
FN bool is_of_bytes(const DeinterlaceChromaParams& p, s32 count) {
    return p.components == 1 && !p.angles && p.current.step == 1 && p.target.step == 1 &&
           (!p.reference.data || p.reference.step == 1) && count >= LANE_BYTES;
}

// Samples x .. x + LANE_BYTES - 1; those before and after are not read where nothing is still. `stmm` begins one earlier.
FN BytePairs chroma_bytes(const DeinterlaceChromaParams& p, const u8* above, const u8* below, const u8* before, const u8* after,
                          const u8* stmm, s32 x) {
    const BytePairs spatial = average(bytes_at(above + x), bytes_at(below + x));
    if (!before) return spatial;
    const BytePairs stmm3 = max_of(max_of(bytes_at(stmm + x), bytes_at(stmm + x + 1)), bytes_at(stmm + x + 2));
    const BytePairs whole = every_byte(1 << p.stmm_shift);
    const BytePairs weights = min_of(excess(stmm3, every_byte(p.stmm_min)), whole);
    if (!has_bits(unlike_bits(weights, whole))) return spatial;
    const BytePairs mean = average(bytes_at(before + x), bytes_at(after + x));
    if (!has_bits(weights)) return mean;
    return blended(first_of_pair(weights), second_of_pair(weights), spatial, mean, p.stmm_shift);
}

FN void chroma_bytes_tile(const DeinterlaceChromaParams& p, s32 tile_x, s32 tile_y) {
    SHARED u8 stmm[CHROMA_PITCH];
    const s32 first = tile_x * CHROMA_WIDTH, count = min_of<s32>(CHROMA_WIDTH, p.width - first);
    const s32 line0 = tile_y * CHROMA_LINES, y0 = 2 * line0 + 1 - p.parity;
    const bool temporal = p.reference.data != nullptr;
    for (s32 i = 0; i < CHROMA_LINES; ++i) {
        const s32 kept = 2 * (line0 + i) + p.parity, line = y0 + 2 * i;
        if (kept < p.height) copy_samples<u8>(p.current, 1, p.target, 1, kept, first, count);
        if (line >= p.height) continue;
        if (temporal) {
            const s32 luma = line_in_picture(p.halved ? 2 * line + 1 - p.parity : line, p.luma_height);
            load_bytes(p.stmm + (s64)luma * p.stmm_pitch_B, first - 1, p.width, stmm, count + 2);
        }
        const u8* above = row_of<u8>(p.current, line_in_picture(line - 1, p.height)) + first;
        const u8* below = row_of<u8>(p.current, line_in_picture(line + 1, p.height)) + first;
        const u8* before = temporal ? row_of<u8>(p.current, line) + first : nullptr;
        const u8* after = temporal ? row_of<u8>(p.reference, line) + first : nullptr;
        u8* out = row_of<u8>(p.target, line) + first;
        prefetch_line(below + count, count);
        if (temporal) prefetch_line(before + count, count), prefetch_line(after + count, count);
        for (s32 x = 0; x < count; x += LANE_BYTES) {  // the last ones may be made twice
            const s32 at = min_of<s32>(x, count - LANE_BYTES);
            store(out + at, chroma_bytes(p, above, below, before, after, stmm, at));
        }
    }
}
#endif

template <typename T> FN void deinterlace_chroma_plane_tile(const DeinterlaceChromaParams& p, s32 tile_x, s32 tile_y) {
#if HAS_BYTE_PAIRS
    if (sizeof(T) == 1 && is_of_bytes(p, min_of<s32>(CHROMA_WIDTH, p.width - tile_x * CHROMA_WIDTH)))
        return chroma_bytes_tile(p, tile_x, tile_y);
#endif
    deinterlace_chroma_tile<T>(p, tile_x, tile_y);
}
