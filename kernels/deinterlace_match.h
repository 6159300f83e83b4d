// Which fields are of one picture, in blocks of 8 pixels by 8 lines (texsamp's own, docs/deinterlace-hq.md (44) to
// (49), (58), (81), (82)): how a field and either field beside it comb, how far all four agree beyond the noise that
// the calmest blocks show, and what follows with what was so before.
#pragma once
#include "fields.h"
#include "magnitude.h"

enum { MATCH_BLOCK = 8, MATCH_LINES = 4 };  // pixels across, missing lines down
enum { MATCH_BLOCKS = ON_DEVICE(32, 8), MATCH_WIDTH = MATCH_BLOCKS * MATCH_BLOCK };
enum { MATCH_SUMS = 11 };  // combs with own, with reference's, of the reference; signed; stillness; detail; calm; edges upright
// What makes the change of a block and its second differences alike in white noise, 469 for each level of deviation.
enum { MATCH_CHANGES = 13, MATCH_BENDS = 10, NOISE_STEPS = 256, NOISE_SHIFT = 4, NOISE_SHARE = 10 };
enum { MATCH_STILLNESS = 6, MATCH_DETAIL, MATCH_DETAIL_OTHER, MATCH_QUIET, MATCH_UPRIGHT };
enum { MATCH_UNEVEN = 12 };  // of combs with both frames, what lines that differ by one may comb
enum { VERDICT_BLOCKS = ON_DEVICE(256, 32), VERDICT_PITCH = VERDICT_BLOCKS + 8, VERDICT_SPARE = 4 };
enum { VERDICT_OWN = 1, VERDICT_REFERENCE = 2, VERDICT_STILL = 4, VERDICT_CALM = 8, VERDICT_RESTS = 16 };

struct DeinterlaceMatchParams {
    FieldSamples current, reference;
    s32* sums;  // planes of a row per row of blocks
    s32 pitch_B, rows;
    s32 width, height;
    s32 parity;  // of the field: 0 top
    s32 pad_;
};
static_assert(sizeof(DeinterlaceMatchParams) == 80, "parameter layout");

struct DeinterlaceNoiseParams {
    const s32* calm;  // a plane of sums
    u32* noise;       // about 29 steps per level of standard deviation
    s32 pitch_B;
    s32 columns, rows;  // of blocks that are whole
    s32 scale;          // bits of samples beyond 8
};
static_assert(sizeof(DeinterlaceNoiseParams) == 32, "parameter layout");

struct DeinterlaceVerdictParams {
    const s32* sums;
    const u32* noise;
    const s8* before;  // how often in a row a block has matched its own frame (positive) or the other one; or null
    const u8* said;    // the verdict then; or null
    s8* after;
    u8* verdict;
    s32 sums_pitch_B, pitch_B;  // of sums; of the others
    s32 columns, rows;
    s32 scale;  // bits of samples beyond 8
    s32 pad_;
};
static_assert(sizeof(DeinterlaceVerdictParams) == 72, "parameter layout");

template <typename T> struct MatchRows {
    T own[(MATCH_LINES + 2) * MATCH_WIDTH], other[(MATCH_LINES + 2) * MATCH_WIDTH];    // from the line before the first
    T field[(MATCH_LINES + 1) * MATCH_WIDTH], beyond[(MATCH_LINES + 1) * MATCH_WIDTH];  // around them, of either frame
    // Sums over the lines of a block: combs, stillness, change, second differences, between lines of each of three fields.
    u16 sizes[9][MATCH_WIDTH];
    s16 signs[3][MATCH_WIDTH];
};

// What has been added up of a column of a block.
struct MatchColumn {
    u16 own, other, beyond, still, change, bend, apart, own_apart, other_apart;
    s16 own_sign, other_sign, beyond_sign;
};

FN void add_comb(s16 comb, u16& size, s16& sign) {
    size = (u16)(size + max_of<s16>(comb, (s16)-comb));
    sign = (s16)(sign + comb);
}

// Phase: what LINES lines from line i on add to the sums of a block row's columns: how lines of one field lie among those
// of another; how far the lines before and after agree, and half as far those of the field itself and beyond; and how far
// the former differ, a field's own samples from the mean of those beside them, and its lines from each other.
template <int LINES, typename T> FN void add_lines(MatchRows<T>& s, s32 i) {
    const T* __restrict__ own = s.own + i * MATCH_WIDTH;
    const T* __restrict__ other = s.other + i * MATCH_WIDTH;
    const T* __restrict__ field = s.field + i * MATCH_WIDTH;
    const T* __restrict__ beyond = s.beyond + i * MATCH_WIDTH;
    u16 (*__restrict__ sizes)[MATCH_WIDTH] = s.sizes;
    s16 (*__restrict__ signs)[MATCH_WIDTH] = s.signs;
    FOR_EACH(k, MATCH_WIDTH) {
        MatchColumn sums = {sizes[0][k], sizes[1][k], sizes[2][k], sizes[3][k], sizes[4][k],
                            sizes[5][k], sizes[6][k], sizes[7][k], sizes[8][k], signs[0][k], signs[1][k], signs[2][k]};
        UNROLL for (s32 j = 0; j < LINES; ++j) {
            const s32 up = j * MATCH_WIDTH + k, here = up + MATCH_WIDTH, down = here + MATCH_WIDTH;
            const s16 mine = (s16)((s16)(own[up] + own[down]) + (s16)(4 * own[here]));
            const s16 others = (s16)((s16)(other[up] + other[down]) + (s16)(4 * other[here]));
            const s16 around = (s16)(3 * (s16)(field[up] + field[here])), far = (s16)(3 * (s16)(beyond[up] + beyond[here]));
            add_comb((s16)(mine - around), sums.own, sums.own_sign);
            add_comb((s16)(others - around), sums.other, sums.other_sign);
            add_comb((s16)(others - far), sums.beyond, sums.beyond_sign);
            const T change = difference(own[here], other[here]);
            const u16 changes = (u16)(difference(field[up], beyond[up]) + difference(field[here], beyond[here]));
            sums.still = (u16)(sums.still + change + (changes >> 1));
            sums.change = (u16)(sums.change + change);
            // The last two columns reach into the next line; nothing asks for them.
            const u16 beside = (u16)(field[up] + field[up + 2]), twice = (u16)(2 * field[up + 1]);
            sums.bend = (u16)(sums.bend + difference(beside, twice));
            sums.apart = (u16)(sums.apart + difference(field[up], field[here]));
            sums.own_apart = (u16)(sums.own_apart + difference(own[up], own[here]));
            sums.other_apart = (u16)(sums.other_apart + difference(other[up], other[here]));
        }
        sizes[0][k] = sums.own;
        sizes[1][k] = sums.other;
        sizes[2][k] = sums.beyond;
        sizes[3][k] = sums.still;
        sizes[4][k] = sums.change;
        sizes[5][k] = sums.bend;
        sizes[6][k] = sums.apart;
        sizes[7][k] = sums.own_apart;
        sizes[8][k] = sums.other_apart;
        signs[0][k] = sums.own_sign;
        signs[1][k] = sums.other_sign;
        signs[2][k] = sums.beyond_sign;
    }
}

// How far a block's columns comb with both frames in one sense, beyond what lines that are not even may: the lesser of
// both senses. An edge upright that is elsewhere in the other fields combs in one sense on one side, and back on another.
template <typename T> FN s32 upright_of(const MatchRows<T>& s, s32 first) {
    s32 up = 0, down = 0;
    UNROLL for (s32 k = first; k < first + MATCH_BLOCK; ++k) {
        const s32 comb = s.signs[0][k] + s.signs[1][k], uneven = MATCH_UNEVEN * s.sizes[6][k];
        up += max_of<s32>(comb - uneven, 0);
        down += max_of<s32>(-comb - uneven, 0);
    }
    return min_of(up, down);
}

template <typename T> FN void plain_match_tile(const DeinterlaceMatchParams& p, s32 tile_x, s32 tile_y) {
    SHARED MatchRows<T> s;
    const s32 first = tile_x * MATCH_WIDTH, y0 = 2 * MATCH_LINES * tile_y + 1 - p.parity;
    const s32 lines = clamp_to((p.height - y0 + 1) >> 1, 0, (s32)MATCH_LINES);
    FOR_LINES(i, lines + 2) {
        const s32 line = line_in_picture(y0 + 2 * i - 2, p.height), at = i * MATCH_WIDTH;
        load_or_zero(p.current, line, p.width, first, s.own + at, MATCH_WIDTH);
        load_or_zero(p.reference, line, p.width, first, s.other + at, MATCH_WIDTH);
    }
    FOR_LINES(i, lines + 1) {
        const s32 line = line_in_picture(y0 + 2 * i - 1, p.height), at = i * MATCH_WIDTH;
        load_or_zero(p.current, line, p.width, first, s.field + at, MATCH_WIDTH);
        load_or_zero(p.reference, line, p.width, first, s.beyond + at, MATCH_WIDTH);
    }
    FOR_LINES(n, 12) {
        u16* __restrict__ out = n < 9 ? s.sizes[n] : (u16*)s.signs[n - 9];
        FOR_LINE(k, MATCH_WIDTH) out[k] = 0;
    }
    BARRIER();
    if (lines == MATCH_LINES)
        add_lines<MATCH_LINES>(s, 0);
    else
        for (s32 i = 0; i < lines; ++i) add_lines<1>(s, i);
    BARRIER();
    const s32 columns = min_of<s32>(MATCH_BLOCKS, (p.width - first + MATCH_BLOCK - 1) / MATCH_BLOCK);
    FOR_LINES(n, MATCH_SUMS) {
        s32* __restrict__ out = (s32*)((u8*)p.sums + (s64)(n * p.rows + tile_y) * p.pitch_B) + tile_x * MATCH_BLOCKS;
        const u16* __restrict__ sizes = s.sizes[n < 3 ? n : 3];
        const s16* __restrict__ signs = s.signs[clamp_to<s32>(n - 3, 0, 2)];
        if (n == MATCH_DETAIL || n == MATCH_DETAIL_OTHER) {
            const u16* __restrict__ between = s.sizes[6];
            const u16* __restrict__ beside = s.sizes[n == MATCH_DETAIL ? 7 : 8];
            FOR_LINE(b, columns) {
                s32 sum = 0;
                UNROLL for (s32 k = 0; k < MATCH_BLOCK; ++k) sum += between[b * MATCH_BLOCK + k] + beside[b * MATCH_BLOCK + k];
                out[b] = sum;
            }
        } else if (n == MATCH_UPRIGHT) {
            FOR_LINE(b, columns) out[b] = upright_of(s, b * MATCH_BLOCK);
        } else if (n == MATCH_QUIET) {
            const u16* __restrict__ change = s.sizes[4];
            const u16* __restrict__ bend = s.sizes[5];
            FOR_LINE(b, columns) {
                s32 changes = 0, bends = 0;
                UNROLL for (s32 k = 0; k < MATCH_BLOCK; ++k) changes += change[b * MATCH_BLOCK + k];
                UNROLL for (s32 k = 0; k < MATCH_BLOCK - 2; ++k) bends += bend[b * MATCH_BLOCK + k];
                out[b] = min_of(MATCH_CHANGES * changes, MATCH_BENDS * bends);
            }
        } else if (n < 3 || n == MATCH_STILLNESS) {
            FOR_LINE(b, columns) {
                s32 sum = 0;
                UNROLL for (s32 k = 0; k < MATCH_BLOCK; ++k) sum += sizes[b * MATCH_BLOCK + k];
                out[b] = sum;
            }
        } else {
            FOR_LINE(b, columns) {
                s32 sum = 0;
                UNROLL for (s32 k = 0; k < MATCH_BLOCK; ++k) sum += signs[b * MATCH_BLOCK + k];
                out[b] = sum;
            }
        }
    }
}

// The noise of a pair of fields: what the tenth block from the calmest of a hundred shows.
FN void deinterlace_noise_tile(const DeinterlaceNoiseParams& p, s32, s32) {
    SHARED u32 counts[NOISE_STEPS];
    FOR_EACH(i, NOISE_STEPS) counts[i] = 0;
    BARRIER();
    for (s32 y = 0; y < p.rows; ++y) {
        const s32* __restrict__ calm = (const s32*)((const u8*)p.calm + (s64)y * p.pitch_B);
        FOR_ITEMS(x, p.columns) add_shared(&counts[min_of<s32>(calm[x] >> (NOISE_SHIFT + p.scale), NOISE_STEPS - 1)], 1);
    }
    BARRIER();
    FOR_ITEMS(n, 1) {
        const u32 all = (u32)(p.rows * p.columns);
        u32 calmer = 0, step = 0;
        while (step < NOISE_STEPS - 1 && NOISE_SHARE * (calmer + counts[step]) < all) calmer += counts[step++];
        *p.noise = step;
    }
}

// Thresholds for 3x3 blocks of 8-bit samples; (44) is eight times as large as the change of a sample.
enum { MATCH_LEAST = 1152, MATCH_MOVING = 6912, MATCH_STILL = 768, MATCH_MOST = 3, MATCH_REGION = 5 };
enum { MATCH_NOISE = 24, MATCH_CALM = 96, MATCH_SHIFTED = 576, MATCH_FAINT = 1392 };
// Blocks of 7x7 that have matched before, and 4 more: as many 40ths of what the other fields comb may a woven one.
enum { MATCH_ALONE = 4, MATCH_SHARE = 40 };
// Fourths of what lines differ by that a picture may comb with itself, and more: to match, and to stand.
enum { MATCH_DETAILED = 9, MATCH_STANDING = 16, MATCH_PLAIN = 9216 };

struct VerdictRows {
    s32 sums[MATCH_DETAIL_OTHER + 1][VERDICT_PITCH];  // of three rows of blocks
    s32 calmest[VERDICT_PITCH];                    // stillness, the least of three rows
    s8 before[VERDICT_PITCH], own[VERDICT_PITCH], other[VERDICT_PITCH];  // of the block, and the most of three rows
    s16 sure_own[VERDICT_PITCH], sure_other[VERDICT_PITCH];              // of seven rows, how many runs of two
    s16 many_own[VERDICT_PITCH], many_other[VERDICT_PITCH];              // and how many at all
    u8 said[VERDICT_BLOCKS];                                             // before
};

FN s32 sum_of_blocks(const s32* row, s32 k) { return row[k - 1] + row[k] + row[k + 1]; }

template <typename X> FN X most_of_blocks(const X* row, s32 k) { return max_of(max_of(row[k - 1], row[k]), row[k + 1]); }

FN s16 sum_of_seven(const s16* row, s32 k) {
    return (s16)(row[k - 3] + row[k - 2] + row[k - 1] + row[k] + row[k + 1] + row[k + 2] + row[k + 3]);
}

// Phase: sums of a row of blocks and those above and below; the first and last one repeat beyond it.
FN void add_rows_of_sums(const DeinterlaceVerdictParams& p, s32 n, s32 row, s32 first, s32* __restrict__ out) {
    const s32 *lines[3], left = clamp_to(-first, 0, (s32)VERDICT_PITCH);
    const s32 right = clamp_to(p.columns - first, left, (s32)VERDICT_PITCH), last = p.columns - 1;
    for (s32 i = 0; i < 3; ++i) {
        const s64 at = n * p.rows + clamp_to(row + i - 1, 0, p.rows - 1);
        lines[i] = (const s32*)((const u8*)p.sums + at * p.sums_pitch_B);
    }
    const s32* __restrict__ a = lines[0];
    const s32* __restrict__ b = lines[1];
    const s32* __restrict__ c = lines[2];
    const s32 begin = first + left;
    FOR_LINE(k, right - left) out[left + k] = a[begin + k] + b[begin + k] + c[begin + k];
    FOR_LINE(k, left) out[k] = a[0] + b[0] + c[0];
    FOR_LINE(k, VERDICT_PITCH - right) out[right + k] = a[last] + b[last] + c[last];
}

// Phase: the least stillness of a row of blocks and those above and below; the first and last one repeat beyond it.
FN void find_calmest(const DeinterlaceVerdictParams& p, s32 row, s32 first, s32* __restrict__ out) {
    const s32 above = max_of(row - 1, 0), below = min_of(row + 1, p.rows - 1), last = p.columns - 1;
    const s32 left = clamp_to(-first, 0, (s32)VERDICT_PITCH), right = clamp_to(p.columns - first, left, (s32)VERDICT_PITCH);
    const u8* sums = (const u8*)p.sums + (s64)MATCH_STILLNESS * p.rows * p.sums_pitch_B;
    const s32* __restrict__ a = (const s32*)(sums + (s64)above * p.sums_pitch_B);
    const s32* __restrict__ b = (const s32*)(sums + (s64)row * p.sums_pitch_B);
    const s32* __restrict__ c = (const s32*)(sums + (s64)below * p.sums_pitch_B);
    const s32 begin = first + left;
    FOR_LINE(k, right - left) out[left + k] = min_of(min_of(a[begin + k], b[begin + k]), c[begin + k]);
    FOR_LINE(k, left) out[k] = min_of(min_of(a[0], b[0]), c[0]);
    FOR_LINE(k, VERDICT_PITCH - right) out[right + k] = min_of(min_of(a[last], b[last]), c[last]);
}

// Phase: there are no runs beyond the picture.
FN void clear_runs(VerdictRows& s) {
    FOR_EACH(k, VERDICT_PITCH) {
        s.before[k] = s.own[k] = s.other[k] = 0;
        s.sure_own[k] = s.sure_other[k] = 0;
        s.many_own[k] = s.many_other[k] = 0;
    }
}

// Phase: what was said of a row of blocks before; all of them rested where nothing was.
FN void load_said(const DeinterlaceVerdictParams& p, s32 row, s32 first, s32 count, u8* __restrict__ out) {
    if (p.said == nullptr) {
        FOR_LINE(k, count) out[k] = VERDICT_RESTS;
        return;
    }
    const u8* __restrict__ in = p.said + (s64)row * p.pitch_B + first;
    FOR_LINE(k, count) out[k] = in[k];
}

// Phase: what is known of the runs of a row of blocks and those about it.
FN void add_rows_of_runs(const DeinterlaceVerdictParams& p, s32 row, s32 first, VerdictRows& s) {
    if (p.before == nullptr) return;
    const s32 left = clamp_to(-first, 0, (s32)VERDICT_PITCH);
    const s32 count = clamp_to(p.columns - first, left, (s32)VERDICT_PITCH) - left;
    s16* __restrict__ sure_own = s.sure_own + left;
    s16* __restrict__ sure_other = s.sure_other + left;
    s16* __restrict__ many_own = s.many_own + left;
    s16* __restrict__ many_other = s.many_other + left;
    s8* __restrict__ own = s.own + left;
    s8* __restrict__ other = s.other + left;
    s8* __restrict__ before = s.before + left;
    for (s32 i = max_of(-3, -row); i < min_of(4, p.rows - row); ++i) {
        const s8* __restrict__ in = p.before + (s64)(row + i) * p.pitch_B + first + left;
        FOR_LINE(n, count) {
            sure_own[n] = (s16)(sure_own[n] + (in[n] >= 2));
            sure_other[n] = (s16)(sure_other[n] + (in[n] <= -2));
            many_own[n] = (s16)(many_own[n] + (in[n] > 0));
            many_other[n] = (s16)(many_other[n] + (in[n] < 0));
        }
        if (i < -1 || i > 1) continue;
        FOR_LINE(n, count) {
            own[n] = max_of(own[n], in[n]);
            other[n] = max_of(other[n], (s8)-in[n]);
        }
        if (i != 0) continue;
        FOR_LINE(n, count) before[n] = in[n];
    }
}

FN void deinterlace_verdict_tile(const DeinterlaceVerdictParams& p, s32 tile_x, s32 row) {
    SHARED VerdictRows s;
    const s32 first = tile_x * VERDICT_BLOCKS, count = min_of<s32>(VERDICT_BLOCKS, p.columns - first);
    clear_runs(s);
    BARRIER();
    FOR_LINES(n, MATCH_DETAIL_OTHER + 4) {
        if (n <= MATCH_DETAIL_OTHER)
            add_rows_of_sums(p, n, row, first - VERDICT_SPARE, s.sums[n]);
        else if (n == MATCH_DETAIL_OTHER + 1)
            find_calmest(p, row, first - VERDICT_SPARE, s.calmest);
        else if (n == MATCH_DETAIL_OTHER + 2)
            load_said(p, row, first, count, s.said);
        else
            add_rows_of_runs(p, row, first - VERDICT_SPARE, s);
    }
    BARRIER();
    const s32 scale = p.scale, noise = MATCH_NOISE * (s32)*p.noise << scale;
    const s32* __restrict__ upright = (const s32*)((const u8*)p.sums + (s64)(MATCH_UPRIGHT * p.rows + row) * p.sums_pitch_B) + first;
    s8* __restrict__ after = p.after + (s64)row * p.pitch_B + first;
    u8* __restrict__ verdict = p.verdict + (s64)row * p.pitch_B + first;
    FOR_EACH(b, count) {
        const s32 k = b + VERDICT_SPARE;
        const s32 own = sum_of_blocks(s.sums[0], k), other = sum_of_blocks(s.sums[1], k);
        const s32 beyond = sum_of_blocks(s.sums[2], k), least = MATCH_LEAST << scale;
        const bool combs_own = (2 * magnitude_of(sum_of_blocks(s.sums[3], k)) < own) &
                               (2 * magnitude_of(sum_of_blocks(s.sums[5], k)) < beyond);
        const bool combs_other = 2 * magnitude_of(sum_of_blocks(s.sums[4], k)) < other;
        const s32 plain = MATCH_PLAIN << scale, detail = sum_of_blocks(s.sums[MATCH_DETAIL], k);
        const bool own_is_detail = 4 * own <= MATCH_DETAILED * detail + plain;
        const bool other_is_detail = 4 * other <= MATCH_DETAILED * sum_of_blocks(s.sums[MATCH_DETAIL_OTHER], k) + plain;
        const bool is_own = (7 * max_of(own, beyond) + 4 * least < 4 * other) & combs_other & own_is_detail;
        const bool is_other = (7 * other + 4 * least < 4 * min_of(own, beyond)) & combs_own & other_is_detail;
        const s32 near_own = sum_of_seven(s.sure_own, k), near_other = sum_of_seven(s.sure_other, k);
        const bool in_own = (near_own >= MATCH_REGION) & (4 * near_other < near_own);
        const bool in_other = (near_other >= MATCH_REGION) & (4 * near_own < near_other);
        const s32 here = s.before[k];
        const s32 up = here < 0 ? 0 : min_of(here + 1, (s32)MATCH_MOST);
        const s32 down = here > 0 ? 0 : max_of(here - 1, -(s32)MATCH_MOST);
        const bool goes_on = (in_own & own_is_detail) | (in_other & other_is_detail);
        const bool fades = (own + other > (MATCH_MOVING << scale)) & !goes_on;
        const s32 nearer = here - (here > 0) + (here < 0);
        after[b] = (s8)(is_own ? up : (is_other ? down : (fades ? nearer : here)));
        const s32 own_before = most_of_blocks(s.own, k), other_before = most_of_blocks(s.other, k);
        const s32 most_own = (sum_of_seven(s.many_own, k) + MATCH_ALONE) * other;
        const s32 most_other = (sum_of_seven(s.many_other, k) + MATCH_ALONE) * min_of(own, beyond);
        const bool backs_own = (own_before > 0) & (other_before < 2) & (MATCH_SHARE * own <= most_own);
        const bool backs_other = (other_before > 0) & (own_before < 2) & (MATCH_SHARE * other <= most_other);
        const bool weave_own = (is_own & backs_own) | (in_own & own_is_detail & (9 * own <= 8 * other));
        const bool weave_other = (is_other & backs_other) | (in_other & other_is_detail & (9 * other <= 8 * own));
        const bool shifted = upright[b] >= MATCH_SHIFTED << scale;
        const s32 most = shifted ? min_of(noise, max_of(MATCH_FAINT << scale, own >> 6)) + (own >> 8)
                                 : (MATCH_STILL << scale) + noise + (own >> 5);
        const bool rests = sum_of_blocks(s.sums[MATCH_STILLNESS], k) < most;
        const bool may_stand = ((s.said[b] & VERDICT_RESTS) != 0) | (4 * own <= MATCH_STANDING * detail + plain);
        const s32 calmest = min_of(min_of(s.calmest[k - 1], s.calmest[k]), s.calmest[k + 1]);
        const bool near_calm = calmest < MATCH_CALM << scale;
        verdict[b] = (u8)((weave_own ? VERDICT_OWN : 0) | (weave_other ? VERDICT_REFERENCE : 0) |
                          (rests & may_stand ? VERDICT_STILL : 0) | (near_calm & !shifted & may_stand ? VERDICT_CALM : 0) |
                          (rests ? VERDICT_RESTS : 0));
    }
}
