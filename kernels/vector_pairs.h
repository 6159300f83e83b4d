// What a vector of the second search costs and combs, by pairs of lines where a processor has instructions for them. All is
// added up: to stop where a sum is too much already takes longer, since nobody foresees where that is.
#pragma once
#include "field_vectors.h"
#include "portable_line_pairs.h"

#if HAS_LINE_PAIRS
// block_between() by pairs: of lines k and k + LINES / 2.
template <s32 LINES, s32 ACROSS, s32 DOWN> FN void pairs_by(const u8* at, s64 pitch, LinePair* pairs) {
    const s64 apart = LINES / 2 * pitch;
    LinePair above = lines_16(at, at + apart);
    UNROLL for (s32 k = 0; k < LINES / 2 + (DOWN != 0); ++k) {
        const u8* line = at + k * pitch;
        LinePair pair = lines_16(line, line + apart);
        if (ACROSS != 0) pair = between<ACROSS>(pair, lines_16(line + 1, line + apart + 1));
        if (DOWN == 0) pairs[k] = pair;
        if (DOWN != 0 && k > 0) pairs[k - 1] = between<DOWN>(above, pair);
        above = pair;
    }
}

// The cost of a vector of these parts of a sample; what leads the other way has the rest of a whole one.
template <s32 ACROSS, s32 DOWN> FN_APART s32 cost_of_parts(const VectorGuides& guides, s64 pitch, s64 at, s32 x, s32 y) {
    enum { PAIRS = VECTOR_HIGH / 2 };
    LinePair a[PAIRS], b[PAIRS];
    PairDifferences sums = no_pair_differences();
    pairs_by<VECTOR_HIGH, ACROSS, DOWN>(guides.own + at + (y >> 2) * pitch + (x >> 2), pitch, a);
    pairs_by<VECTOR_HIGH, (4 - ACROSS) & 3, (4 - DOWN) & 3>(guides.other + at + (-y >> 2) * pitch + (-x >> 2), pitch, b);
    UNROLL for (s32 k = 0; k < PAIRS; ++k) add_differences(sums, a[k], b[k]);
    pairs_by<VECTOR_HIGH, 2 * (ACROSS & 1), 2 * (DOWN & 1)>(guides.beyond + at + (-y >> 1) * pitch + (-x >> 1), pitch, b);
    pairs_by<VECTOR_HIGH, 0, 0>(guides.field + at, pitch, a);
    UNROLL for (s32 k = 0; k < PAIRS; ++k) add_differences(sums, a[k], b[k]);
    return total(sums);
}

template <s32 ACROSS> FN s32 cost_of_down(const VectorGuides& guides, s64 pitch, s64 at, s32 x, s32 y) {
    switch (y & 3) {
        case 0: return cost_of_parts<ACROSS, 0>(guides, pitch, at, x, y);
        case 1: return cost_of_parts<ACROSS, 1>(guides, pitch, at, x, y);
        case 2: return cost_of_parts<ACROSS, 2>(guides, pitch, at, x, y);
        default: return cost_of_parts<ACROSS, 3>(guides, pitch, at, x, y);
    }
}

// The cost of a vector in quarters.
FN s32 fine_cost(const VectorFineParams& p, s64 at, s32 x, s32 y, s32) {
    switch (x & 3) {
        case 0: return cost_of_down<0>(p.guides, p.guide_pitch_B, at, x, y);
        case 1: return cost_of_down<1>(p.guides, p.guide_pitch_B, at, x, y);
        case 2: return cost_of_down<2>(p.guides, p.guide_pitch_B, at, x, y);
        default: return cost_of_down<3>(p.guides, p.guide_pitch_B, at, x, y);
    }
}

// What a vector of whole samples costs.
FN s32 fine_whole_cost(const VectorFineParams& p, s64 at, s32 x, s32 y, s32) {
    return cost_of_parts<0, 0>(p.guides, p.guide_pitch_B, at, 4 * x, 4 * y);
}
template <s32 LINES, s32 ACROSS> FN void pairs_down(const u8* at, s64 pitch, s32 down, LinePair* pairs) {
    switch (down) {
        case 0: return pairs_by<LINES, ACROSS, 0>(at, pitch, pairs);
        case 1: return pairs_by<LINES, ACROSS, 1>(at, pitch, pairs);
        case 2: return pairs_by<LINES, ACROSS, 2>(at, pitch, pairs);
        default: return pairs_by<LINES, ACROSS, 3>(at, pitch, pairs);
    }
}

// block_between() of any vector.
template <s32 LINES> FN_APART void pairs_between(const u8* guide, s64 pitch, s32 x, s32 y, LinePair* pairs) {
    const u8* at = guide + (y >> 2) * pitch + (x >> 2);
    switch (x & 3) {
        case 0: return pairs_down<LINES, 0>(at, pitch, y & 3, pairs);
        case 1: return pairs_down<LINES, 1>(at, pitch, y & 3, pairs);
        case 2: return pairs_down<LINES, 2>(at, pitch, y & 3, pairs);
        default: return pairs_down<LINES, 3>(at, pitch, y & 3, pairs);
    }
}

// comb_aside().
FN u16 comb_of_pairs(const VectorFineParams& p, s64 at, const FoundVector& found, s32 aside, const LinePair* around) {
    LinePair a[VECTOR_LINES / 2], b[VECTOR_LINES / 2];
    PairDifferences sums = no_pair_differences();
    pairs_between<VECTOR_LINES>(p.guides.own + at, p.guide_pitch_B, aside + found.x, found.y, a);
    pairs_between<VECTOR_LINES>(p.guides.other + at, p.guide_pitch_B, aside - found.x, -found.y, b);
    UNROLL for (s32 k = 0; k < VECTOR_LINES / 2; ++k) {
        add_differences(sums, a[k], around[k]);
        add_differences(sums, b[k], around[k]);
    }
    return (u16)total(sums);
}

// comb_of().
FN_APART s32 fine_comb(const VectorFineParams& p, s64 at, s32 x, s32 y) {
    enum { PAIRS = VECTOR_HIGH / 2 };
    const s64 pitch = p.guide_pitch_B;
    LinePair a[PAIRS], b[PAIRS], around[PAIRS];
    pairs_between<VECTOR_HIGH>(p.guides.own + at, pitch, x, y, a);
    pairs_between<VECTOR_HIGH>(p.guides.other + at, pitch, -x, -y, b);
    pairs_by<VECTOR_HIGH, 0, 2>(p.guides.field + at - p.parity * pitch, pitch, around);
    PairDifferences sums = no_pair_differences();
    UNROLL for (s32 k = 0; k < PAIRS; ++k) {
        add_differences(sums, a[k], around[k]);
        add_differences(sums, b[k], around[k]);
    }
    return total(sums);
}

// combs_less().
FN bool fine_combs_less(const VectorFineParams& p, s64 at, const FoundVector& found, VectorCombs& combs) {
    enum { PAIRS = VECTOR_HIGH / 2, BESIDE = (VECTOR_HIGH - VECTOR_LINES) / 2 };
    static_assert(PAIRS == 2 * BESIDE, "pairs whose lower line is the block's own, then those whose upper one is");
    const s64 pitch = p.guide_pitch_B, above = p.parity * pitch, first = at + BESIDE * pitch;
    LinePair a[PAIRS], b[PAIRS], own[PAIRS], other[PAIRS], around[PAIRS];
    pairs_between<VECTOR_HIGH>(p.guides.own + at, pitch, found.x, found.y, a);
    pairs_between<VECTOR_HIGH>(p.guides.other + at, pitch, -found.x, -found.y, b);
    pairs_by<VECTOR_HIGH, 0, 2>(p.guides.field + at - above, pitch, around);
    pairs_by<VECTOR_HIGH, 0, 0>(p.guides.own + at, pitch, own);
    pairs_by<VECTOR_HIGH, 0, 0>(p.guides.other + at, pitch, other);
    PairDifferences moved[2] = {no_pair_differences(), no_pair_differences()}, owns = moved[0], others = moved[0];
    UNROLL for (s32 k = 0; k < PAIRS; ++k) {
        add_differences(moved[k / BESIDE], a[k], around[k]);
        add_differences(moved[k / BESIDE], b[k], around[k]);
        add_differences(owns, own[k], around[k]);
        add_differences(others, other[k], around[k]);
    }
    const s32 middle = lower_total(moved[0]) + upper_total(moved[1]);
    if (middle > ASIDE_CALM) {
        pairs_by<VECTOR_LINES, 0, 2>(p.guides.field + first - above, pitch, around);
        combs = {(u16)middle, comb_of_pairs(p, first, found, -ASIDE, around), comb_of_pairs(p, first, found, ASIDE, around)};
    }
    return total(moved[0]) + total(moved[1]) < 2 * min_of(total(owns), total(others));
}
#else
FN s32 fine_cost(const VectorFineParams& p, s64 at, s32 x, s32 y, s32 limit) { return quarter_cost(p, at, x, y, limit); }
FN s32 fine_whole_cost(const VectorFineParams& p, s64 at, s32 x, s32 y, s32 limit) {
    return whole_cost(p.guides, p.guide_pitch_B, at, x, y, limit);
}
FN s32 fine_comb(const VectorFineParams& p, s64 at, s32 x, s32 y) { return comb_of(p, at, x, y); }
FN bool fine_combs_less(const VectorFineParams& p, s64 at, const FoundVector& found, VectorCombs& combs) {
    return combs_less(p, at, found, combs);
}
#endif
