// A field's luma of bytes in a row as a whole frame, on processors with instructions for pairs of bytes. Where the motion
// measure leaves nothing of the spatial result none is made, where it takes nothing else no other frame is read.
#pragma once
#include "deinterlace_luma.h"

#if HAS_BYTE_PAIRS
// What strips of a line take from the motion measure: sets of those of which nothing is spatial, and of which all is.
struct TimeStrips {
    u32 still, moving;
};
FN TimeStrips time_strips(const u8* stmm3, s32 low, s32 whole) {
    TimeStrips found = {0, 0};
    for (s32 strip = 0; strip < STRIPS; ++strip) {
        const u8* __restrict__ of_pairs = stmm3 + strip * LANE_PAIRS;
        u8 most = 0, least = 255;
        for (s32 k = 0; k < LANE_PAIRS; ++k) {
            most = max_of(most, of_pairs[k]);
            least = min_of(least, of_pairs[k]);
        }
        found.still |= (u32)(most <= low) << strip;
        found.moving |= (u32)(least >= low + whole) << strip;
    }
    return found;
}

// The mean in time of a line that is still.
FN void average_bytes(const FieldSamples& a, const FieldSamples& b, const FieldTarget& t, s32 line, s32 first, s32 count) {
    const u8* __restrict__ before = row_of<u8>(a, line) + first;
    const u8* __restrict__ after = row_of<u8>(b, line) + first;
    u8* __restrict__ out = row_of<u8>(t, line) + first;
    prefetch_line(before + count, count);
    prefetch_line(after + count, count);
    FOR_LINE(i, count) out[i] = average(before[i], after[i]);
}

// A missing line: the rows around it, and what is known of its pairs.
struct ByteLine {
    const u8* const* rows;
    const s8* angles;
    const u8* stmm3;
    const u16* columns90;
    s32 number, i;  // in the picture, and of the tile
};

struct NoByteCompensation {
    FN_MEMBER void load(s32, s32, s32) const {}
    FN_MEMBER BytePairs apply(const ByteLine&, s32, u32, BytePairs made) const { return made; }
};

// A missing line, whose strips may be still in part and moving in part.
template <typename Compensation>
FN void make_line(const DeinterlaceLumaParams& p, const Compensation& compensation, const ByteLine& line, const u32* used,
                  TimeStrips time, const u8* before, const u8* after, s32 columns, u8* out) {
    const PairWords low = every_word(p.stmm_min), none = every_word(0), whole = every_word(1 << p.stmm_shift);
    for (s32 strip = 0; strip < STRIPS; ++strip) {
        const s32 x = strip * LANE_BYTES, k = strip * LANE_PAIRS;
        const bool still = time.still >> strip & 1, moving = time.moving >> strip & 1;
        BytePairs made = {};
        if (!still) made = compensation.apply(line, k, used[strip], interpolated(line.rows, x, line.angles + k, used[strip]));
        if (!moving) {
            const BytePairs mean = average(bytes_at(before + x), bytes_at(after + x));
            const PairWords weights = min_of(max_of(one_for_each(line.stmm3 + k) - low, none), whole);
            made = still ? mean : blended(weights, weights, made, mean, p.stmm_shift);
        }
        store_within(out, x, 4, 4 + columns, made);
    }
}

template <typename Compensation>
FN void luma_bytes_tile(const DeinterlaceLumaParams& p, Compensation& compensation, s32 tile_x, s32 tile_y) {
    SHARED FieldBytes field;
    SHARED ByteAngles search;
    SHARED s8 angles[ANGLE_LINES * ANGLE_PITCH];
    SHARED u8 stmm[ANGLE_PITCH], stmm3[ANGLE_LINES * ANGLE_WIDTH];
    SHARED u8 copies[2][BYTES_PITCH];
    const s32 total = (p.width + 1) / 2;
    const s32 first = tile_x * ANGLE_PAIRS, pairs = min_of<s32>(ANGLE_PAIRS, total - first);
    const s32 columns = min_of(2 * pairs, p.width - 2 * first);
    const s32 line0 = tile_y * ANGLE_LINES, y0 = 2 * line0 + 1 - p.parity;
    const s32 lines = clamp_to((p.height - y0 + 1) >> 1, 0, (s32)ANGLE_LINES);
    const bool temporal = p.reference.data != nullptr;
    TimeStrips time[ANGLE_LINES];
    u32 wanted[ANGLE_LINES], any = 0;
    for (s32 i = 0; i < lines; ++i) {
        time[i] = {0, ALL_STRIPS};
        if (temporal) {
            load_bytes(p.stmm + (s64)(y0 + 2 * i) * p.stmm_pitch_B, first - 3, total, stmm, ANGLE_WIDTH + 2);
            u8* __restrict__ of_line = stmm3 + i * ANGLE_WIDTH;
            FOR_EACH(k, ANGLE_WIDTH) of_line[k] = max_of(max_of(stmm[k], stmm[k + 1]), stmm[k + 2]);
            time[i] = time_strips(of_line, p.stmm_min, 1 << p.stmm_shift);
        }
        wanted[i] = p.angles ? (u32)ALL_STRIPS : ALL_STRIPS & ~time[i].still;
        any |= wanted[i];
    }
    if (any) {
        compensation.load(first, y0, lines);
        field.load(p.current, p.width, p.height, first - 2, y0, lines);
        if (p.limits.ours)
            find_byte_angles<true>(p.limits, field, search, wanted, first, pairs, total, lines, angles);
        else
            find_byte_angles<false>(p.limits, field, search, wanted, first, pairs, total, lines, angles);
    }
    for (s32 i = 0; i < ANGLE_LINES; ++i) {
        const s32 kept = 2 * (line0 + i) + p.parity, line = y0 + 2 * i;
        if (kept < p.height) copy_samples<u8>(p.current, 1, p.target, 1, kept, 2 * first, columns);
        if (i >= lines) continue;
        if (time[i].still == ALL_STRIPS) {
            average_bytes(p.current, p.reference, p.target, line, 2 * first, columns);
        } else {
            const bool alone = time[i].moving == ALL_STRIPS;
            const u8* before = alone ? nullptr : bytes_of_line(p.current, line, p.width, first - 2, copies[0]);
            const u8* after = alone ? nullptr : bytes_of_line(p.reference, line, p.width, first - 2, copies[1]);
            const ByteLine at = {field.rows + i,           angles + i * ANGLE_PITCH,
                                 stmm3 + i * ANGLE_WIDTH,  search.sums.v90 + i * ANGLE_PITCH + ANGLE_SPARE,
                                 line,                     i};
            make_line(p, compensation, at, search.used + i * STRIPS, time[i], before, after, columns,
                      row_of<u8>(p.target, line) + 2 * (first - 2));
        }
        if (p.angles) {
            s8* __restrict__ out = p.angles + (s64)(line0 + i) * p.angles_pitch_B + first;
            const s8* __restrict__ in = angles + i * ANGLE_PITCH + 2;
            FOR_LINE(k, pairs) out[k] = in[k];
        }
    }
}
#endif

template <typename T> FN void deinterlace_luma_tile(const DeinterlaceLumaParams& p, s32 tile_x, s32 tile_y) {
#if HAS_BYTE_PAIRS
    NoByteCompensation none;
    if (sizeof(T) == 1 && is_of_bytes(p)) return luma_bytes_tile(p, none, tile_x, tile_y);
#endif
    luma_tile<T>(p, NoCompensation(), tile_x, tile_y);
}
