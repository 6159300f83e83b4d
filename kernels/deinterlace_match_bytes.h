// How fields comb with each other, of samples that are bytes, on processors with instructions for pairs of bytes:
// lines are read where they lie, if their samples do in a row, and the eight columns of a block are added up at once.
#pragma once
#include "deinterlace_lines.h"
#include "deinterlace_match.h"

#if HAS_BYTE_PAIRS
enum { MATCH_BESIDE = 8, MATCH_BYTES_PITCH = MATCH_WIDTH + MATCH_BESIDE };  // loads reach so far beyond a tile
enum { MATCH_BEND = MATCH_SUMS, MATCH_BACK };  // sums of which others are made: of quiet, and of edges upright

// Samples of a tile, from its first column on: missing lines, one more on both sides, and those between them.
struct MatchBytes {
    const u8 *own[MATCH_LINES + 2], *other[MATCH_LINES + 2], *field[MATCH_LINES + 1], *beyond[MATCH_LINES + 1];
    u8 copies[4 * MATCH_LINES + 6][MATCH_BYTES_PITCH];
    s32 sums[MATCH_BACK + 1][MATCH_BLOCKS];
};

// A line where it lies, or a copy with 0 beyond the picture.
FN_ONCE const u8* match_row(const FieldSamples& s, s32 line, s32 width, s32 first, u8* copy) {
    if (s.step == 1 && first + MATCH_BYTES_PITCH <= width) return row_of<u8>(s, line) + first;
    load_or_zero(s, line, width, first, copy, MATCH_BYTES_PITCH);
    return copy;
}

FN void load_match_rows(const DeinterlaceMatchParams& p, MatchBytes& s, s32 y0, s32 lines, s32 first) {
    u8 (*copy)[MATCH_BYTES_PITCH] = s.copies;
    for (s32 i = 0; i < lines + 2; ++i) {
        const s32 missing = line_in_picture(y0 + 2 * i - 2, p.height), line = line_in_picture(y0 + 2 * i - 1, p.height);
        s.own[i] = match_row(p.current, missing, p.width, first, *copy++);
        s.other[i] = match_row(p.reference, missing, p.width, first, *copy++);
        if (i == lines + 1) continue;
        s.field[i] = match_row(p.current, line, p.width, first, *copy++);
        s.beyond[i] = match_row(p.reference, line, p.width, first, *copy++);
    }
}

// Asks for what the next tile reads, of so many columns as are fetched at once.
FN void prefetch_match(const MatchBytes& s, s32 lines, s32 x) {
    for (s32 i = 0; i < lines + 2; ++i) {
        PREFETCH(s.own[i] + x);
        PREFETCH(s.other[i] + x);
        if (i == lines + 1) continue;
        PREFETCH(s.field[i] + x);
        PREFETCH(s.beyond[i] + x);
    }
}

// A missing line four times, and those on both sides of it.
FN PairHalves four_and_two(BytePairs above, BytePairs here, BytePairs below) {
    return weighted_halves(above, here, 1, 4) + halves_of(below);
}

// Of columns, what upright_of() adds up in one sense.
FN PairHalves beyond_uneven(PairHalves combs, PairHalves uneven) {
    const PairHalves rest = combs - uneven;
    return {max_of(rest.low, every_word(0)), max_of(rest.high, every_word(0))};
}

// What add_lines() adds up, of one strip of all lines. Where all of a tile's are in the picture, none is read twice.
template <bool WHOLE> FN void match_strip(MatchBytes& s, s32 lines, s32 x) {
    const PairHalves none = {every_word(0), every_word(0)};
    PairHalves sizes[3] = {none, none, none}, signs[3] = {none, none, none}, bend = none, uneven = none;
    StripSums changed = no_strip_sums(), around_changed = changed, own_apart = changed, other_apart = changed;
    const auto at = [&](const u8* const* rows, s32 i) { return bytes_at(rows[i] + x); };
    BytePairs up = at(s.field, 0), far_up = at(s.beyond, 0), before = every_byte(0);
    BytePairs own_above = at(s.own, 0), own_here = at(s.own, 1), other_above = at(s.other, 0), other_here = at(s.other, 1);
    const auto add_line = [&](s32 i) {
        const BytePairs down = at(s.field, i + 1), far_down = at(s.beyond, i + 1);
        const BytePairs own_below = at(s.own, i + 2), other_below = at(s.other, i + 2);
        const PairHalves own = four_and_two(own_above, own_here, own_below), other = four_and_two(other_above, other_here, other_below);
        const PairHalves around = weighted_halves(up, down, 3, 3), far = weighted_halves(far_up, far_down, 3, 3);
        const PairHalves combs[3] = {own - around, other - around, other - far};
        UNROLL for (s32 n = 0; n < 3; ++n) {
            sizes[n] = sizes[n] + size_of(combs[n]);
            signs[n] = signs[n] + combs[n];
        }
        add_bytes(changed, difference(own_here, other_here));
        add_bytes(around_changed, lower_average(difference(up, far_up), difference(down, far_down)));
        const BytePairs apart = difference(up, down);
        add_bytes(own_apart, apart);
        add_bytes(own_apart, difference(own_above, own_here));
        add_bytes(other_apart, apart);
        add_bytes(other_apart, difference(other_above, other_here));
        if (i & 1) uneven = uneven + weighted_halves(before, apart, MATCH_UNEVEN, MATCH_UNEVEN);
        before = apart;
        const BytePairs middle = bytes_at(s.field[i] + x + 1);
        bend = bend + size_of(weighted_halves(up, bytes_at(s.field[i] + x + 2), 1, 1) - weighted_halves(middle, middle, 1, 1));
        up = down;
        far_up = far_down;
        own_above = own_here;
        own_here = own_below;
        other_above = other_here;
        other_here = other_below;
    };
    if (WHOLE) {
        UNROLL for (s32 i = 0; i < MATCH_LINES; ++i) add_line(i);
    } else {
        for (s32 i = 0; i < lines; ++i) add_line(i);
        if (lines & 1) uneven = uneven + weighted_halves(before, before, MATCH_UNEVEN, 0);
    }
    const s32 b = x / MATCH_BLOCK;
    const PairWords all = every_word(1);
    store_totals_of_eights(s.sums[MATCH_QUIET] + b, changed);
    store_totals_of_eights(s.sums[MATCH_DETAIL] + b, own_apart);
    store_totals_of_eights(s.sums[MATCH_DETAIL_OTHER] + b, other_apart);
    changed.v = changed.v + around_changed.v;
    store_totals_of_eights(s.sums[MATCH_STILLNESS] + b, changed);
    store_sums_of_eights(s.sums[0] + b, s.sums[1] + b, sizes[0], sizes[1], all);
    store_sums_of_eights(s.sums[2] + b, s.sums[3] + b, sizes[2], signs[0], all);
    store_sums_of_eights(s.sums[4] + b, s.sums[5] + b, signs[1], signs[2], all);
    const PairHalves combs = signs[0] + signs[1];
    store_sums_of_eights(s.sums[MATCH_UPRIGHT] + b, s.sums[MATCH_BACK] + b, beyond_uneven(combs, uneven),
                         beyond_uneven(none - combs, uneven), all);
    s32 unused[LANE_BYTES / MATCH_BLOCK];
    store_sums_of_eights(s.sums[MATCH_BEND] + b, unused, bend, bend, first_six_words());
}
static_assert(MATCH_LINES % 2 == 0, "lines in twos");

FN void match_bytes_tile(const DeinterlaceMatchParams& p, s32 tile_x, s32 tile_y) {
    alignas(64) MatchBytes s;
    const s32 first = tile_x * MATCH_WIDTH, y0 = 2 * MATCH_LINES * tile_y + 1 - p.parity;
    const s32 lines = clamp_to((p.height - y0 + 1) >> 1, 0, (s32)MATCH_LINES);
    const s32 columns = min_of<s32>(MATCH_BLOCKS, (p.width - first + MATCH_BLOCK - 1) / MATCH_BLOCK);
    load_match_rows(p, s, y0, lines, first);
    for (s32 x = 0; x < MATCH_WIDTH; x += LANE_BYTES) {
        if (x % 64 == 0) prefetch_match(s, lines, x + MATCH_WIDTH);
        if (lines == MATCH_LINES)
            match_strip<true>(s, lines, x);
        else
            match_strip<false>(s, lines, x);
    }
    for (s32 b = 0; b < MATCH_BLOCKS; ++b) {
        s.sums[MATCH_QUIET][b] = min_of(MATCH_CHANGES * s.sums[MATCH_QUIET][b], MATCH_BENDS * s.sums[MATCH_BEND][b]);
        s.sums[MATCH_UPRIGHT][b] = min_of(s.sums[MATCH_UPRIGHT][b], s.sums[MATCH_BACK][b]);
    }
    for (s32 n = 0; n < MATCH_SUMS; ++n) {
        u8* out = (u8*)p.sums + (s64)(n * p.rows + tile_y) * p.pitch_B;
        copy_bytes((s32*)out + tile_x * MATCH_BLOCKS, s.sums[n], (u64)columns * sizeof(s32));
    }
}
#endif

template <typename T> FN void deinterlace_match_tile(const DeinterlaceMatchParams& p, s32 tile_x, s32 tile_y) {
#if HAS_BYTE_PAIRS
    if constexpr (sizeof(T) == 1) return match_bytes_tile(p, tile_x, tile_y);
#endif
    plain_match_tile<T>(p, tile_x, tile_y);
}
