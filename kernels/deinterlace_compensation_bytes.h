// Motion compensation over bytes in a row, on processors with instructions for pairs of bytes: strips in which no pair may
// be compensated are left as they are, others take samples by each vector that occurs.
#pragma once
#include "deinterlace_compensation.h"
#include "deinterlace_luma_bytes.h"

#if HAS_BYTE_PAIRS
FN BytePairs mean_of_four(const u8* a, const u8* b, const u8* c, const u8* d) {
    const BytePairs w = bytes_at(a), x = bytes_at(b), y = bytes_at(c), z = bytes_at(d);
    const PairWords two = every_word(2);
    const PairWords first = first_of_pair(w) + first_of_pair(x) + first_of_pair(y) + first_of_pair(z) + two;
    const PairWords second = second_of_pair(w) + second_of_pair(x) + second_of_pair(y) + second_of_pair(z) + two;
    return pair_of(shifted_down(first, 2), shifted_down(second, 2));
}

// Samples half a vector away from those of a row.
FN BytePairs half_vector(const u8* const* row, s32 x, s32 mx, s32 my) {
    const s32 half = mx / 2, side = half + (mx & 1 ? (mx >= 0 ? 1 : -1) : 0);
    const u8 *above = row[-(my < 0)] + x, *below = row[my > 0] + x;
    if (half == side && my == 0) return bytes_at(above + half);
    return mean_of_four(above + half, above + side, below + half, below + side);
}

FN PairWords not_beyond(PairWords limit, PairWords value) { return without(every_word(-1), less(limit, size_of(value))); }

// One component of vectors against its three neighbors in the 4x4 block.
FN PairWords agreeing(const s8* const* lines, s32 k, PairWords odd, PairWords limit) {
    const PairWords here = one_for_each(lines[0] + k);
    const PairWords beside = pick(odd, one_for_each(lines[0] + k - 1), one_for_each(lines[0] + k + 1));
    return not_beyond(limit, here + one_for_each(lines[1] + k)) & not_beyond(limit, here - one_for_each(lines[2] + k)) &
           not_beyond(limit, here - beside);
}

// How much the picture changes across missing pixels along their angles.
FN BytePairs edge_of(const u8* const* rows, s32 x, const s8* angles, u32 used) {
    BytePairs edge = difference(bytes_at(rows[1] + x), bytes_at(rows[2] + x));
    if (used == ONLY_90) return edge;
    const PairWords chosen = one_for_each(angles);
    for (s32 angle = 0; angle < ANGLES; ++angle) {
        const s32 offset = angle_offset(angle);
        if (angle == STEEPEST || !(used >> (offset + 5) & 1)) continue;
        const BytePairs along = difference(bytes_at(rows[1] + x - offset), bytes_at(rows[2] + x + offset));
        edge = pick(equal(chosen, every_word(offset)), along, edge);
    }
    return edge;
}

struct ByteCompensation {
    const DeinterlaceCompensatedParams& p;
    const u8 *own[ANGLE_LINES + 2], *other[ANGLE_LINES + 2];  // lines of the missing parity: line i is row i + 1
    const s8 *x[ANGLE_LINES][3], *y[ANGLE_LINES][3];  // vectors: of the line, the other field's, the next of its own
    const u16* sad[ANGLE_LINES];
    u8 copies[2][(ANGLE_LINES + 2) * BYTES_PITCH];
    u8 vectors[2][ANGLE_LINES * 3][ANGLE_PITCH];
    u16 sads[ANGLE_LINES][ANGLE_PITCH];

    FN_MEMBER explicit ByteCompensation(const DeinterlaceCompensatedParams& params) : p(params) {}

    FN_MEMBER const s8* vector_line(const s8* plane, s32 line, s32 first, s32 total, u8* copy) const {
        const u8* row = (const u8*)plane + (s64)line * p.vectors_pitch_B;
        prefetch_line(row + first + ANGLE_WIDTH, ANGLE_WIDTH);
        if (first >= 3 && first + ANGLE_WIDTH - 1 <= total) return (const s8*)row + first - 2;
        load_bytes(row, first - 3, total, copy, ANGLE_WIDTH + 2);
        return (const s8*)copy + 1;
    }

    FN_MEMBER void load(s32 first, s32 y0, s32 lines) {
        const DeinterlaceLumaParams& luma = p.luma;
        const s32 total = (luma.width + 1) / 2;
        for (s32 i = 0; i < lines + 2; ++i) {
            const s32 line = line_in_picture(y0 + 2 * i - 2, luma.height);
            own[i] = bytes_of_line(luma.current, line, luma.width, first - 2, copies[0] + i * BYTES_PITCH);
            other[i] = bytes_of_line(luma.reference, line, luma.width, first - 2, copies[1] + i * BYTES_PITCH);
        }
        for (s32 i = 0; i < lines; ++i) {
            const s32 line = y0 + 2 * i, down = (line & 3) < 2 ? 1 : -1;
            for (s32 n = 0; n < 3; ++n) {
                const s32 from = line_in_picture(line + n * down, luma.height);
                x[i][n] = vector_line(p.x, from, first, total, vectors[0][3 * i + n]);
                y[i][n] = vector_line(p.y, from, first, total, vectors[1][3 * i + n]);
            }
            const u16* in = (const u16*)((const u8*)p.sad + (s64)line * p.sad_pitch_B);
            sad[i] = in + first - 2;
            prefetch_line(in + first + ANGLE_WIDTH, ANGLE_WIDTH);
            if (first >= 2 && first - 2 + ANGLE_WIDTH <= total) continue;
            const s32 left = max_of(2 - first, 0), right = min_of<s32>(ANGLE_WIDTH, total - first + 2);
            for (s32 k = 0; k < ANGLE_WIDTH; ++k) sads[i][k] = k >= left && k < right ? in[first - 2 + k] : 65535;
            sad[i] = sads[i];
        }
    }

    // Strip k of a line with what may be compensated in place of the spatial result.
    FN_MEMBER BytePairs apply(const ByteLine& line, s32 k, u32 used, BytePairs made) const {
        const u8 second[16] = {0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255, 255};
        const PairWords odd = as_words(every_16(second)), limit = every_word(p.smooth);  // pairs in twos
        const PairWords sums = words_at(sad[line.i] + k), none = equal(sums, every_word(-1));
        const PairWords perfect = without(every_word(-1), less(every_word(p.perfect), sums) | none);
        const PairWords right90 = equal(one_for_each(line.angles + k), every_word(0));
        const PairWords cost90 = window_of(line.columns90 + k);
        const PairWords below = less(sums + every_word(p.tight), cost90 + cost90) & right90;
        const PairWords likely = without(without(below, none), perfect);
        PairWords left = less(every_word(p.still), one_for_each(line.stmm3 + k)) & (perfect | likely);
        if (!has_bits(left)) return made;
        left = left & agreeing(x[line.i], k, odd, limit) & agreeing(y[line.i], k, odd, limit);
        if (!has_bits(left)) return made;

        const s32 at = 2 * k;
        const BytePairs edge = edge_of(line.rows, at, line.angles + k, used);
        const BytePairs above = bytes_at(line.rows[1] + at), beneath = bytes_at(line.rows[2] + at);
        const BytePairs low = min_of(above, beneath), high = max_of(above, beneath);
        const PairWords of_x = one_for_each(x[line.i][0] + k), of_y = one_for_each(y[line.i][0] + k);
        while (has_bits(left)) {
            const s32 lane = first_of(left), mx = x[line.i][0][k + lane], my = y[line.i][0][k + lane];
            const PairWords here = left & equal(of_x, every_word(mx)) & equal(of_y, every_word(my));
            const BytePairs value = half_vector(other + line.i + 1, at, mx, my);
            const BytePairs delta = difference(value, half_vector(own + line.i + 1, at, -mx, -my));
            const BytePairs far = not_more(every_byte(p.neighbor), excess(low, value) | excess(value, high));
            const BytePairs refused = not_more(edge, delta) | not_more(every_byte(p.consistency), delta) |
                                      (far & as_bytes(without(every_word(-1), perfect)));
            made = pick(without(here, as_words(refused)), value, made);
            left = without(left, here);
        }
        return made;
    }
};
#endif

template <typename T> FN void deinterlace_motion_luma_tile(const DeinterlaceCompensatedParams& p, s32 tile_x, s32 tile_y) {
#if HAS_BYTE_PAIRS
    if (sizeof(T) == 1 && is_of_bytes(p.luma) && !p.counts) {
        ByteCompensation compensation(p);
        return luma_bytes_tile(p.luma, compensation, tile_x, tile_y);
    }
#endif
    deinterlace_compensated_tile<T>(p, tile_x, tile_y);
}
