// Media messages: blocks that threads write to surfaces, and statistics that they are answered with.
#pragma once
#include "eu_sent.h"

enum { EU_MEDIA_THREADS = 64 };  // of a tile
enum { EU_STATISTICS_DWORDS = 8, EU_STATISTICS_SUMS = 5, EU_STATISTICS_FILM = 11 };
enum { EU_STAD = 0, EU_SHCM = 3, EU_SVCM = 4 };  // of the sums of a block, those that are returned

// The register of statistics of the deinterlacer's messages, of Ivy Bridge and later (seed 003:5737-5790).
struct EuStatisticsParams {
    u32* out;          // [threads][EU_STATISTICS_DWORDS]
    const s32* x;      // of every thread, the upper left pixel of its block
    const s32* y;
    const u16* sums;   // [down][across][EU_STATISTICS_SUMS] of 4x4 pixels; null: 0
    const u8* history;  // the same
    const u8* noise;   // [wide_down][wide_across] of 16x4 pixels
    const u32* film;   // [wide_down][wide_across][EU_STATISTICS_FILM]
    s32 history_pitch;
    s32 down, across, wide_down, wide_across;
    s32 threads;
    s32 deinterlaced;  // else a block is two, one above the other
    s32 pad_;
};
static_assert(sizeof(EuStatisticsParams) == 88, "parameter layout");

// Sums over 16x4 pixels, of which the picture may have less.
FN void add_sums(const EuStatisticsParams& p, s32 column, s32 row, u32& stad, u32& shcm, u32& svcm) {
    stad = shcm = svcm = 0;
    if (!p.sums || row >= p.down) return;
    for (s32 c = column; c < min_of(column + 4, p.across); ++c) {
        const u16* sums = p.sums + ((s64)row * p.across + c) * EU_STATISTICS_SUMS;
        stad += sums[EU_STAD];
        shcm += sums[EU_SHCM];
        svcm += sums[EU_SVCM];
    }
}

FN u32 four_of_history(const EuStatisticsParams& p, s32 column, s32 row) {
    u32 four = 0;
    if (row >= p.down) return four;
    for (s32 c = 0; c < 4; ++c)
        if (column + c < p.across) four |= (u32)p.history[(s64)row * p.history_pitch + column + c] << 8 * c;
    return four;
}

FN u32 noise_of(const EuStatisticsParams& p, s32 column, s32 row) {
    const bool inside = row < p.wide_down && column < p.wide_across;
    return inside ? p.noise[(s64)row * p.wide_across + column] : 255;
}

FN void eu_statistics_tile(const EuStatisticsParams& p, s32, s32 tile) {
    const s64 first = (s64)tile * EU_MEDIA_THREADS;
    const s32 threads = (s32)min_of<s64>(EU_MEDIA_THREADS, p.threads - first);
    FOR_ITEMS(i, threads) {
        const s32 x = p.x[first + i], y = p.y[first + i], column = x >> 2, row = y >> 2, wide = x >> 4;
        u32* out = p.out + (first + i) * EU_STATISTICS_DWORDS;
        u32 stad, shcm, svcm;
        add_sums(p, column, row, stad, shcm, svcm);
        out[0] = four_of_history(p, column, row);
        out[6] = stad << 16 | shcm;
        out[7] = (u32)y << 16 | (u32)x;
        if (p.deinterlaced) {
            const bool inside = row < p.wide_down && wide < p.wide_across;
            u32 film[8];
            for (s32 k = 0; k < 8; ++k)
                film[k] = inside ? p.film[((s64)row * p.wide_across + wide) * EU_STATISTICS_FILM + k] : 0;
            out[1] = film[5] << 24 | film[6] << 16 | film[7] << 8 | noise_of(p, wide, row);
            out[2] = 0;
            for (s32 k = 0; k < 5; ++k) film[k] = min_of(film[k], 0xFFFFu);
            out[3] = film[3] << 16 | film[4];
            out[4] = film[1] << 16 | film[2];
            out[5] = svcm << 16 | film[0];
        } else {
            u32 lower_stad, lower_shcm, lower_svcm;
            add_sums(p, column, row + 1, lower_stad, lower_shcm, lower_svcm);
            out[1] = four_of_history(p, column, row + 1);
            out[2] = min_of(noise_of(p, wide, row), noise_of(p, wide, row + 1));
            out[3] = 0;
            out[4] = lower_shcm << 16 | lower_svcm;
            out[5] = svcm << 16 | lower_stad;
        }
    }
}

enum { EU_LINEAR = 0, EU_TILED_X = 1, EU_TILED_Y = 2 };

enum { EU_HAS_PIXEL_MASK = 16 };  // of a header's fourth dword

// Phases of blocks that write to places of others: which thread is the last one to write to each dword of the surface; its
// dwords are written; and dwords that it wrote differently from others are counted.
enum { EU_WRITE_ALL = 0, EU_CLAIM = 1, EU_WRITE_CLAIMED = 2, EU_COUNT_DIFFERENT = 3 };

// Blocks of dwords into a surface, at the places that headers name: of every thread one, clipped at the surface.
struct EuMediaWriteParams {
    const u8* registers;
    const s32* rows;   // threads, by their numbers in the batch; null for the first `threads`
    const u8* mask;    // as of EuRangesParams, of the first `threads`
    const u8* values;  // of the first block
    u32* memory;
    s64 values_pitch;  // bytes from block to block
    s32 line_pitch;    // bytes from line to line of a block
    s32 by_thread;     // whether blocks are those of all threads of the batch, else of `threads`
    s32 at;            // byte of a thread's registers that its header begins at
    s32 threads, pitch;
    s32 lines, dwords;            // of a block
    s32 x_down, x_up, y_down;     // bits by which the header's columns and lines are shifted
    s32 width_B, surface_lines;   // of the surface
    s32 line_step, first_line;
    s32 tiling, pitch_B;
    s32* last;       // [surface_lines][dwords of width_B] of all dwords, -1 before; not of EU_WRITE_ALL
    u32* different;  // a sum
    s32 phase;
    s32 channels;
    s32 masked;  // whether headers may have a bit for each dword of a block, which they say
    s32 pad_;
};
static_assert(sizeof(EuMediaWriteParams) == 144, "parameter layout");

// Bytes from the first of a surface on.
FN s64 place_of(s32 tiling, s64 pitch_B, s32 x, s32 y) {
    if (tiling == EU_TILED_X) return (y >> 3) * (pitch_B << 3) + ((s64)(x >> 9) << 12) + ((y & 7) << 9 | (x & 511));
    if (tiling == EU_TILED_Y)
        return (y >> 5) * (pitch_B << 5) + ((s64)(x >> 7) << 12) + ((x & 112) << 5 | (y & 31) << 4 | (x & 15));
    return y * pitch_B + x;
}

// Bit of a pixel mask for a dword of the block (hole P7).
FN s32 pixel_bit(s32 dword, s32 line) {
    return (dword & 1) | (line & 1) << 1 | (dword & 2) << 1 | (line & 2) << 2 | (dword & 4) << 2;
}

template <int PHASE> FN void write_blocks(const EuMediaWriteParams& p, s32 tile) {
    const s64 first = (s64)tile * EU_MEDIA_THREADS;
    const s32 threads = (s32)min_of<s64>(EU_MEDIA_THREADS, p.threads - first), size = p.lines * p.dwords;
    FOR_ITEMS(i, threads * size) {
        const s32 block = i / size, within = i - block * size, line = within / p.dwords;
        const s64 n = first + block, thread = p.rows ? p.rows[n] : n;
        const s32* header = (const s32*)(p.registers + thread * p.pitch + p.at);
        const bool is_masked = p.masked && (header[3] & EU_HAS_PIXEL_MASK);
        if (is_masked && !(header[2] >> pixel_bit(within - line * p.dwords, line) & 1)) continue;
        if (!is_sent(p.mask, p.channels, thread)) continue;
        const s64 column = (s64)(header[0] >> p.x_down) * (1 << p.x_up) + 4 * (within - line * p.dwords);
        const s64 row = (s64)(header[1] >> p.y_down) + line;
        if (column < 0 || column >= p.width_B || row < 0 || row >= p.surface_lines) continue;
        const s32 x = (s32)column, y = (s32)row;
        const u8* values = p.values + (p.by_thread ? thread : n) * p.values_pitch + (s64)line * p.line_pitch;
        const u32 value = ((const u32*)values)[within - line * p.dwords];
        u32* to = p.memory + (place_of(p.tiling, p.pitch_B, x, y * p.line_step + p.first_line) >> 2);
        s32* last = PHASE == EU_WRITE_ALL ? nullptr : p.last + (y * (s64)((p.width_B + 3) >> 2) + (x >> 2));
        if (PHASE == EU_CLAIM)
            raise_shared(last, (s32)n);
        else if (PHASE == EU_COUNT_DIFFERENT)
            add_of_tiles(p.different, *to != value);
        else if (PHASE == EU_WRITE_ALL || *last == (s32)n)
            *to = value;
    }
}

FN void eu_media_write_tile(const EuMediaWriteParams& p, s32, s32 tile) {
    if (p.phase == EU_WRITE_ALL) write_blocks<EU_WRITE_ALL>(p, tile);
    if (p.phase == EU_CLAIM) write_blocks<EU_CLAIM>(p, tile);
    if (p.phase == EU_WRITE_CLAIMED) write_blocks<EU_WRITE_CLAIMED>(p, tile);
    if (p.phase == EU_COUNT_DIFFERENT) write_blocks<EU_COUNT_DIFFERENT>(p, tile);
}

// Where lines beyond the edges are read: the nearest of all, of the frame, or of the field.
enum { EU_NEAREST_LINE = 0, EU_NEAREST_OF_FRAME = 1, EU_NEAREST_OF_FIELD = 2 };

// Blocks of bytes out of a surface, from the places that headers name; beyond its edges the nearest pixel is repeated.
struct EuMediaReadParams {
    u8* registers;
    const u8* mask;    // as of EuRangesParams
    const u8* memory;
    s32 channels, at, to;       // bytes of a thread's registers: its header, and its block
    s32 threads, pitch;
    s32 lines, width_B, line_pitch;  // of a block
    s32 pixel_B;                // or pairs of pixels, whose lumas are apart
    s32 left, right;            // bytes of a pair with lumas; -1: no pairs
    s32 row_B, surface_lines;   // of the surface
    s32 line_step, first_line, beyond;
    s32 tiling, pitch_B;
};
static_assert(sizeof(EuMediaReadParams) == 96, "parameter layout");

FN s64 line_read(const EuMediaReadParams& p, s64 y) {
    const s64 last = p.surface_lines - 1;
    if (p.beyond == EU_NEAREST_OF_FIELD) {
        if (y < 0) return min_of<s64>(y & 1, last);
        if (y > last) return max_of<s64>(last - (last - y & 1), 0);
        return y;
    }
    if (p.beyond == EU_NEAREST_OF_FRAME && y < 0) return 0;
    if (p.beyond == EU_NEAREST_OF_FRAME && y > last) return 2 * last + 1;
    return clamp_to<s64>(y, 0, last) * p.line_step + p.first_line;
}

FN s64 column_read(const EuMediaReadParams& p, s64 x) {
    const s64 pixel = x >= 0 ? x / p.pixel_B : -((-x + p.pixel_B - 1) / p.pixel_B);
    const s64 last = p.row_B / p.pixel_B - 1;
    s64 within = x - pixel * p.pixel_B;
    if (p.left >= 0 && pixel < 0 && within == p.right) within = p.left;
    if (p.left >= 0 && pixel > last && within == p.left) within = p.right;
    return clamp_to<s64>(pixel, 0, last) * p.pixel_B + within;
}

FN void eu_media_read_tile(const EuMediaReadParams& p, s32, s32 tile) {
    const s64 first = (s64)tile * EU_MEDIA_THREADS;
    const s32 threads = (s32)min_of<s64>(EU_MEDIA_THREADS, p.threads - first), size = p.lines * p.width_B;
    FOR_ITEMS(i, threads * size) {
        const s32 block = i / size, within = i - block * size, line = within / p.width_B, column = within - line * p.width_B;
        if (!is_sent(p.mask, p.channels, first + block)) continue;
        u8* registers = p.registers + (first + block) * p.pitch;
        const s32* header = (const s32*)(registers + p.at);
        const s64 x = column_read(p, (s64)header[0] + column), y = line_read(p, (s64)header[1] + line);
        registers[p.to + line * p.line_pitch + column] = p.memory[place_of(p.tiling, p.pitch_B, (s32)x, (s32)y)];
    }
}
