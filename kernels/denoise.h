// Denoise: what its kernels share, and the filter itself (seed 003:799-952; equations E1 to E19 in docs/denoise.md).
//
// A tile is a few rows of 4x4 blocks. Their statistics decide for each block whether it moves and how much history it
// has; both are spread over the block's columns, so that the filter's vector loops run over whole lines.
#pragma once
#include "fields.h"

// Lines beyond the tile: the neighborhood reaches two in field mode.
enum { DENOISE_WIDTH = ON_DEVICE(512, 64), DENOISE_HEIGHT = ON_DEVICE(16, 8), DENOISE_MARGIN = 2 };
enum { DENOISE_PITCH = DENOISE_WIDTH + 16, DENOISE_ROWS = DENOISE_HEIGHT + 2 * DENOISE_MARGIN };
enum { DENOISE_COLUMNS = DENOISE_WIDTH / 4, DENOISE_BLOCK_ROWS = DENOISE_HEIGHT / 4 };

struct DenoiseParams {
    SamplePlane plane;
    const void* previous;  // the denoised picture before, elements as in the target; null for a first frame
    const u8* stored;      // its history, one byte per 4x4 block
    u8* history;
    u16* statistics;  // STAD, MP, TASD, SHCM, SVCM of every block, or null
    s32 previous_pitch_B, stored_pitch_B, history_pitch_B, statistics_pitch_B;
    s32 width, height;
    s32 line_step;  // 1: neighbors are adjacent lines, 2: lines of the same field
    s32 stad_threshold, moving_pixel_threshold, tasd_threshold, scm_threshold;
    s32 history_max, history_delta;
    s32 difference_threshold, low_threshold, good_neighbor_threshold;
    s32 blend_reciprocal, blend_shift;
    s32 neighbor_reciprocals[10];  // by the number of good neighbors
    s32 neighbor_shift;
    s32 pad_;
};
static_assert(sizeof(DenoiseParams) == 200, "parameter layout");

// A line beyond the picture: the nearest one, or the nearest one of its field.
FN s32 denoise_line(s32 line, s32 height, s32 step) {
    return step == 1 ? clamp_to(line, 0, height - 1) : line_in_picture(line, height);
}

// Columns x0 - 1 .. x0 + count - 2 of a line, those beyond the picture repeated.
template <typename T>
FN void load_columns(const T* __restrict__ in, s32 step, s32 shift, s32 max, s32 x0, s32 width, s32 count,
                     T* __restrict__ out) {
    const s32 left = x0 == 0 ? 1 : 0, right = min_of(width - x0 + 1, count);
    const T* __restrict__ inside = in + (s64)(x0 - 1 + left) * step;
    if (step == 1) {
        FOR_LINE_OF(inside, i, right - left) out[left + i] = sample_of(inside[i], shift, max);
    } else {
        load_spaced(inside, step, shift, max, out + left, right - left);
    }
    FOR_LINE(i, left) out[i] = sample_of(in[0], shift, max);
    FOR_LINE(i, count - right) out[right + i] = sample_of(in[(s64)(width - 1) * step], shift, max);
}

// Per column of a row of blocks: the sums over its four lines.
struct DenoiseSums {
    u16 stad[DENOISE_BLOCK_ROWS * DENOISE_PITCH];
    s16 signed_difference[DENOISE_BLOCK_ROWS * DENOISE_PITCH];
    u16 horizontal[DENOISE_BLOCK_ROWS * DENOISE_PITCH], vertical[DENOISE_BLOCK_ROWS * DENOISE_PITCH];
    u8 moving_pixels[DENOISE_BLOCK_ROWS * DENOISE_PITCH];
};

// Phase: E1 to E5 of the columns.
template <typename T>
FN_ONCE void sum_denoise_columns(const T* current, const T* previous, s32 threshold, DenoiseSums& sums, s32 width, s32 rows) {
    FOR_LINES(j, rows) {
        const T* __restrict__ c0 = current + (DENOISE_MARGIN + 4 * j) * DENOISE_PITCH + 1;
        const T* __restrict__ c1 = c0 + DENOISE_PITCH;
        const T* __restrict__ c2 = c1 + DENOISE_PITCH;
        const T* __restrict__ c3 = c2 + DENOISE_PITCH;
        const T* __restrict__ p0 = previous + 4 * j * DENOISE_PITCH + 1;
        const T* __restrict__ p1 = p0 + DENOISE_PITCH;
        const T* __restrict__ p2 = p1 + DENOISE_PITCH;
        const T* __restrict__ p3 = p2 + DENOISE_PITCH;
        const s32 at = j * DENOISE_PITCH;
        u16* __restrict__ stad = sums.stad + at;
        s16* __restrict__ signed_difference = sums.signed_difference + at;
        u16* __restrict__ horizontal = sums.horizontal + at;
        u16* __restrict__ vertical = sums.vertical + at;
        u8* __restrict__ moving_pixels = sums.moving_pixels + at;
        const T limit = (T)threshold;
        FOR_LINE(x, width) {
            const T d0 = difference(c0[x], p0[x]), d1 = difference(c1[x], p1[x]);
            const T d2 = difference(c2[x], p2[x]), d3 = difference(c3[x], p3[x]);
            stad[x] = (u16)((u16)(d0 + d1) + (u16)(d2 + d3));
            moving_pixels[x] = (u8)((u8)((u8)(d0 >= limit) + (u8)(d1 >= limit)) +
                                    (u8)((u8)(d2 >= limit) + (u8)(d3 >= limit)));
            const s16 now = (s16)((u16)(c0[x] + c1[x]) + (u16)(c2[x] + c3[x]));
            const s16 then = (s16)((u16)(p0[x] + p1[x]) + (u16)(p2[x] + p3[x]));
            signed_difference[x] = (s16)(now - then);
            horizontal[x] = (u16)((u16)(difference(c0[x], c0[x + 1]) + difference(c1[x], c1[x + 1])) +
                                  (u16)(difference(c2[x], c2[x + 1]) + difference(c3[x], c3[x + 1])));
            vertical[x] = (u16)((u16)(difference(c0[x], c1[x]) + difference(c1[x], c2[x])) + difference(c2[x], c3[x]));
        }
    }
}

// Phase: E1 alone, where nothing else decides.
template <typename T> FN void sum_denoise_stads(const T* current, const T* previous, DenoiseSums& sums, s32 width, s32 rows) {
    FOR_LINES(j, rows) {
        const T* __restrict__ c = current + (DENOISE_MARGIN + 4 * j) * DENOISE_PITCH + 1;
        const T* __restrict__ p = previous + 4 * j * DENOISE_PITCH + 1;
        u16* __restrict__ stad = sums.stad + j * DENOISE_PITCH;
        FOR_LINE(x, width) {
            const T d0 = difference(c[x], p[x]), d1 = difference(c[x + DENOISE_PITCH], p[x + DENOISE_PITCH]);
            const T d2 = difference(c[x + 2 * DENOISE_PITCH], p[x + 2 * DENOISE_PITCH]);
            const T d3 = difference(c[x + 3 * DENOISE_PITCH], p[x + 3 * DENOISE_PITCH]);
            stad[x] = (u16)((u16)(d0 + d1) + (u16)(d2 + d3));
        }
    }
}

// Whether E2 to E5 can change anything.
FN bool stad_decides(const DenoiseParams& p) {
    return !p.statistics && p.moving_pixel_threshold >= 16 && p.scm_threshold <= 0;
}

// What the filter takes from its block, once per column: history, and all ones where it moves.
struct DenoiseBlocks {
    u32 history[DENOISE_BLOCK_ROWS * DENOISE_COLUMNS], moving[DENOISE_BLOCK_ROWS * DENOISE_COLUMNS];
    u8 stored[DENOISE_BLOCK_ROWS * DENOISE_COLUMNS];
};

FN s32 sum_of_4(const u16* values, s32 b) {
    return (values[4 * b] + values[4 * b + 1]) + (values[4 * b + 2] + values[4 * b + 3]);
}

// What blocks are judged by; `reads` has all bits where there is a frame before.
struct DenoiseLimits {
    s32 stad_threshold, moving_pixel_threshold, tasd_threshold, scm_threshold, history_max, history_delta, reads;
};
FN DenoiseLimits denoise_limits(const DenoiseParams& p) {
    return {p.stad_threshold, p.moving_pixel_threshold, p.tasd_threshold, p.scm_threshold,
            p.history_max,    p.history_delta,          p.previous ? -1 : 0};
}

// E6 and E7 of a block: its history, and all ones where it moves. `pixels`, `change` and `scm` are those of E2 to E5.
struct DenoiseVerdict {
    s32 history, moving;
};
template <bool STAD_DECIDES>
FN DenoiseVerdict decide_block(const DenoiseLimits& p, s32 stad, s32 pixels, s32 change, s32 scm, s32 old) {
    s32 moving = stad > p.stad_threshold ? -1 : 0, drifts = 0;
    if constexpr (!STAD_DECIDES) {
        moving |= pixels > p.moving_pixel_threshold ? -1 : 0;
        drifts = (max_of(change, -change) > p.tasd_threshold ? -1 : 0) & (scm < p.scm_threshold ? -1 : 0);
    }
    const s32 halved = old >= 128 ? old >> 1 : 0;
    const s32 grown = old < 128 ? 128 : (old < p.history_max ? old + p.history_delta : old);
    return {pick(moving, halved, pick(drifts, 128, grown)) & p.reads, moving | ~p.reads};
}

// Phase: E6 and E7; history and statistics go to memory. With STAD_DECIDES, that is all there is to read.
template <bool STAD_DECIDES>
FN_ONCE void decide_blocks(const DenoiseParams& p, const DenoiseSums& sums, DenoiseBlocks& blocks, s32 first_column,
                      s32 first_row, s32 columns, s32 rows) {
    FOR_LINES(j, rows) {
        const s32 at = j * DENOISE_PITCH;
        const u16* __restrict__ stads = sums.stad + at;
        const s16* __restrict__ signed_difference = sums.signed_difference + at;
        const u16* __restrict__ horizontal = sums.horizontal + at;
        const u16* __restrict__ vertical = sums.vertical + at;
        const u8* __restrict__ moving_pixels = sums.moving_pixels + at;
        const u8* __restrict__ stored = blocks.stored + j * DENOISE_COLUMNS;
        u32* __restrict__ histories = blocks.history + j * DENOISE_COLUMNS;
        u32* __restrict__ moves = blocks.moving + j * DENOISE_COLUMNS;
        u8* __restrict__ out = p.history + (s64)(first_row + j) * p.history_pitch_B + first_column;
        const DenoiseLimits limits = denoise_limits(p);
        FOR_LINE(b, columns) {
            s32 pixels = 0, change = 0, scm = 0;
            if constexpr (!STAD_DECIDES) {
                pixels = (moving_pixels[4 * b] + moving_pixels[4 * b + 1]) +
                         (moving_pixels[4 * b + 2] + moving_pixels[4 * b + 3]);
                change = (signed_difference[4 * b] + signed_difference[4 * b + 1]) +
                         (signed_difference[4 * b + 2] + signed_difference[4 * b + 3]);
                scm = horizontal[4 * b] + horizontal[4 * b + 1] + horizontal[4 * b + 2] + sum_of_4(vertical, b);
            }
            const DenoiseVerdict verdict =
                decide_block<STAD_DECIDES>(limits, sum_of_4(stads, b), pixels, change, scm, stored[b]);
            histories[b] = (u32)verdict.history * 0x01010101u;
            moves[b] = (u32)verdict.moving;
            out[b] = (u8)verdict.history;
        }
        if (!STAD_DECIDES && p.statistics) {
            u16* __restrict__ table = (u16*)((u8*)p.statistics + (s64)(first_row + j) * p.statistics_pitch_B);
            const s32 reads = p.previous ? -1 : 0;
            FOR_LINE(b, columns) {
                u16* __restrict__ entry = table + 5 * (s64)(first_column + b);
                const s32 change = (signed_difference[4 * b] + signed_difference[4 * b + 1]) +
                                   (signed_difference[4 * b + 2] + signed_difference[4 * b + 3]);
                entry[0] = (u16)sum_of_4(stads, b);
                entry[1] = (u16)(((moving_pixels[4 * b] + moving_pixels[4 * b + 1]) +
                                  (moving_pixels[4 * b + 2] + moving_pixels[4 * b + 3])) &
                                 reads);
                entry[2] = (u16)max_of(change, -change);
                entry[3] = (u16)(horizontal[4 * b] + horizontal[4 * b + 1] + horizontal[4 * b + 2]);
                entry[4] = (u16)sum_of_4(vertical, b);
            }
        }
    }
}

// (a + b) >> 1 without a wider type.
template <typename T> FN T floor_average(T a, T b) { return (T)((T)(a & b) + (T)((T)(a ^ b) >> 1)); }

// Types that hold sums of nine samples, and their products with a reciprocal.
template <typename T> struct DenoiseArithmetic;
template <> struct DenoiseArithmetic<u8> {
    typedef u16 Sum;
    static FN_MEMBER u16 reciprocal(s32 value) { return (u16)(value << 1); }
    static FN_MEMBER u8 mean(u16 sum, u16 reciprocal, s32) {  // >> 11
        return (u8)(((u32)(u16)(sum << 4) * (u32)reciprocal) >> 16);
    }
    static FN_MEMBER u8 blend(u16 sum, s32 reciprocal, s32) {  // >> 10; 256 is white
        return (u8)min_of<u16>((u16)(((u32)(u16)(sum << 4) * (u32)(u16)(reciprocal << 2)) >> 16), 255);
    }
    static FN_MEMBER u8 temporal(u8 c, u8 p, u8 history) {
        return (u8)((u16)((u16)((u16)history * p) + (u16)((u16)((u16)(256 - history) * c) + 128)) >> 8);
    }
};
template <> struct DenoiseArithmetic<u16> {
    typedef u32 Sum;
    static FN_MEMBER u32 reciprocal(s32 value) { return (u32)value; }
    static FN_MEMBER u16 mean(u32 sum, u32 reciprocal, s32 shift) { return (u16)((sum * reciprocal) >> shift); }
    static FN_MEMBER u16 blend(u32 sum, s32 reciprocal, s32 shift) {
        return (u16)min_of<u32>((sum * (u32)reciprocal) >> shift, 1023);
    }
    static FN_MEMBER u16 temporal(u16 c, u16 p, u8 history) {
        return (u16)((history * (u32)p + (256 - history) * (u32)c + 128) >> 8);
    }
};

// Phase: E8 to E12 on one line; a and b are the lines above and below.
template <typename T>
FN void denoise_luma_line(const DenoiseParams& p, const T* __restrict__ a, const T* __restrict__ here,
                          const T* __restrict__ b, const T* __restrict__ before, const u8* __restrict__ histories,
                          const u8* __restrict__ moves, T* __restrict__ out, s32 width) {
    typedef DenoiseArithmetic<T> A;
    typedef typename A::Sum Sum;
    const s32 shift = p.neighbor_shift, blend_shift = p.blend_shift, q = p.blend_reciprocal;
    const T good = (T)p.good_neighbor_threshold, low = (T)p.low_threshold, high = (T)p.difference_threshold;
    const Sum half = (Sum)((high - low) >> 1);
    const Sum r1 = A::reciprocal(p.neighbor_reciprocals[1]), r2 = A::reciprocal(p.neighbor_reciprocals[2]);
    const Sum r3 = A::reciprocal(p.neighbor_reciprocals[3]), r4 = A::reciprocal(p.neighbor_reciprocals[4]);
    const Sum r5 = A::reciprocal(p.neighbor_reciprocals[5]), r6 = A::reciprocal(p.neighbor_reciprocals[6]);
    const Sum r7 = A::reciprocal(p.neighbor_reciprocals[7]), r8 = A::reciprocal(p.neighbor_reciprocals[8]);
    const Sum r9 = A::reciprocal(p.neighbor_reciprocals[9]);
    FOR_LINE(x, width) {
        const T c = here[x + 1];
        T least = c, most = c, count = 1;
        Sum sum = c;
#define NEIGHBOR(value)                                     \
    {                                                       \
        const T v = value;                                  \
        const T near = (T)(difference(v, c) <= good ? ~0 : 0); \
        count = (T)(count - near);                          \
        sum = (Sum)(sum + (T)(v & near));                   \
        least = min_of(least, v);                           \
        most = max_of(most, v);                             \
    }
        NEIGHBOR(a[x]) NEIGHBOR(a[x + 1]) NEIGHBOR(a[x + 2])
        NEIGHBOR(here[x]) NEIGHBOR(here[x + 2])
        NEIGHBOR(b[x]) NEIGHBOR(b[x + 1]) NEIGHBOR(b[x + 2])
#undef NEIGHBOR
        const Sum n = count;
        Sum reciprocal = r1;
        reciprocal = n == 2 ? r2 : reciprocal;
        reciprocal = n == 3 ? r3 : reciprocal;
        reciprocal = n == 4 ? r4 : reciprocal;
        reciprocal = n == 5 ? r5 : reciprocal;
        reciprocal = n == 6 ? r6 : reciprocal;
        reciprocal = n == 7 ? r7 : reciprocal;
        reciprocal = n == 8 ? r8 : reciprocal;
        reciprocal = n == 9 ? r9 : reciprocal;
        const T spatial = A::mean((Sum)(sum + (n >> 1)), reciprocal, shift);

        const T then = before[x];
        T temporal = A::temporal(c, then, histories[x]);
        const T upper = floor_average(temporal, most);
        temporal = temporal >= most ? upper : temporal;
        const T lower = floor_average(temporal, least);
        temporal = temporal < least ? lower : temporal;

        const T d = difference(c, then);
        const T inside = clamp_to(d, low, high);
        const Sum weighted =
            (Sum)((Sum)((Sum)spatial * (T)(inside - low)) + (Sum)((Sum)((Sum)temporal * (T)(high - inside)) + half));
        const T mixed = d < low ? temporal : A::blend(weighted, q, blend_shift);
        const T moving = (T)((s8)moves[x] | (d >= high ? ~0 : 0));
        out[x] = pick(moving, spatial, mixed);
    }
}

// Phase: E17 to E19 on one line.
template <typename T>
FN void denoise_chroma_line(const DenoiseParams& p, const T* __restrict__ here, const T* __restrict__ before,
                            const u8* __restrict__ histories, const u8* __restrict__ moves, T* __restrict__ out,
                            s32 width) {
    typedef DenoiseArithmetic<T> A;
    const T low = (T)p.low_threshold, high = (T)p.difference_threshold;
    FOR_LINE(x, width) {
        const T c = here[x + 1], then = before[x];
        const T d = difference(c, then);
        const T temporal = A::temporal(c, then, histories[x]);
        const T filtered = pick((T)(d < high ? ~0 : 0), temporal, c);
        const T moving = (T)((s8)moves[x] | (d >= low ? ~0 : 0));
        out[x] = pick(moving, average(filtered, c), filtered);
    }
}

template <typename T, bool CHROMA> FN void denoise_tile(const DenoiseParams& p, s32 tile_x, s32 tile_y) {
    SHARED T current[DENOISE_ROWS * DENOISE_PITCH];
    SHARED T previous[DENOISE_HEIGHT * DENOISE_PITCH];
    SHARED T finished[DENOISE_HEIGHT * DENOISE_PITCH];
    SHARED DenoiseSums sums;
    SHARED DenoiseBlocks blocks;
    const s32 x0 = tile_x * DENOISE_WIDTH, y0 = tile_y * DENOISE_HEIGHT;
    const s32 width = min_of<s32>(DENOISE_WIDTH, p.width - x0), height = min_of<s32>(DENOISE_HEIGHT, p.height - y0);
    const s32 columns = (width + 3) >> 2, rows = (height + 3) >> 2;
    FOR_LINES(i, 4 * rows + 2 * DENOISE_MARGIN) {
        const s32 line = denoise_line(y0 + i - DENOISE_MARGIN, p.height, p.line_step);
        const T* in = (const T*)((const u8*)p.plane.src + (s64)line * p.plane.src_pitch_B);
        load_columns(in, p.plane.src_step, p.plane.src_shift, p.plane.src_max, x0, p.width, 4 * columns + 2,
                     current + i * DENOISE_PITCH);
    }
    FOR_LINES(i, 4 * rows) {
        const s32 line = denoise_line(y0 + i, p.height, p.line_step);
        // A first frame has none: it stands in for itself, and nothing of what that yields is used.
        const bool itself = !p.previous;
        const T* in = itself ? (const T*)((const u8*)p.plane.src + (s64)line * p.plane.src_pitch_B)
                             : (const T*)((const u8*)p.previous + (s64)line * p.previous_pitch_B);
        load_columns(in, itself ? p.plane.src_step : p.plane.dst_step, itself ? p.plane.src_shift : p.plane.dst_shift,
                     p.plane.src_max, x0, p.width, 4 * columns + 2, previous + i * DENOISE_PITCH);
    }
    FOR_LINES(j, rows) {
        const u8* __restrict__ in = p.previous ? p.stored + (s64)(y0 / 4 + j) * p.stored_pitch_B + x0 / 4 : nullptr;
        u8* __restrict__ out = blocks.stored + j * DENOISE_COLUMNS;
        if (in) {
            FOR_LINE(b, columns) out[b] = in[b];
        } else {
            FOR_LINE(b, columns) out[b] = 0;
        }
    }
    BARRIER();
    if (stad_decides(p)) {
        sum_denoise_stads(current, previous, sums, 4 * columns, rows);
        BARRIER();
        decide_blocks<true>(p, sums, blocks, x0 / 4, y0 / 4, columns, rows);
    } else {
        sum_denoise_columns(current, previous, p.difference_threshold, sums, 4 * columns, rows);
        BARRIER();
        decide_blocks<false>(p, sums, blocks, x0 / 4, y0 / 4, columns, rows);
    }
    BARRIER();
    FOR_LINES(y, height) {
        const T* here = current + (DENOISE_MARGIN + y) * DENOISE_PITCH;
        const T* before = previous + y * DENOISE_PITCH + 1;
        const u8* histories = (const u8*)(blocks.history + (y >> 2) * DENOISE_COLUMNS);
        const u8* moves = (const u8*)(blocks.moving + (y >> 2) * DENOISE_COLUMNS);
        T* out = finished + y * DENOISE_PITCH;
        const s32 step = p.line_step * DENOISE_PITCH;
        if (!CHROMA) {
            denoise_luma_line<T>(p, here - step, here, here + step, before, histories, moves, out, width);
        } else if (p.previous) {
            denoise_chroma_line<T>(p, here, before, histories, moves, out, width);
        } else {
            FOR_LINE(x, width) out[x] = here[x + 1];
        }
    }
    BARRIER();
    store_tile(p.plane, finished, DENOISE_PITCH, x0, y0, width, height);
}
