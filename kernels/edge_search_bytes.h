// Edges at shallow angles: what offsets cost, in vectors where a processor has instructions for bytes. Compilers add bytes that
// stay at white in words.
#pragma once
#include "edge_search.h"
#include "window_bytes.h"

#if HAS_BYTE_PAIRS
static_assert(EDGE_WIDTH % LANE_BYTES == 0, "lines of whole vectors");

// What find_steps() and add_steps() find from column `begin` on, of a line and an offset; columns beyond `count` are of no use.
struct EdgeWindows {
    u8 steps[EDGE_STEPS + 2 * LANE_BYTES];
    u16 threes[EDGE_STEPS + 2 * LANE_BYTES];
};

FN void find_windows(const EdgeScratch& s, EdgeWindows& w, s32 i, s32 begin, s32 count, s32 offset, s32 spread) {
    const s32 reach = reach_of(spread), wide = count + 2 * reach;
    const u8* ahead = s.rows + i * EDGE_PITCH + EDGE_SIDE - reach + begin + offset;
    const u8* behind = s.rows + (i + 1) * EDGE_PITCH + EDGE_SIDE - reach + begin - offset;
    for (s32 k = 0; k < wide; k += LANE_BYTES) {
        const auto step = [&](s32 line) { return difference(bytes_at(ahead + line * EDGE_PITCH + k), bytes_at(behind + line * EDGE_PITCH + k)); };
        store(w.steps + k, limited_sum(limited_sum(step(0), step(1)), step(2)));
    }
    for (s32 k = 0; k < wide - 2; k += LANE_PAIRS) store(w.threes + k, sum_of_three(w.steps + k, w.steps + k + 1, w.steps + k + 2));
}

FN PairWords sum_of_windows(const u16* threes, s32 spread) {
    return (words_at(threes) + words_at(threes + 4 * spread)) + (words_at(threes + spread) + words_at(threes + 3 * spread)) +
           words_at(threes + 2 * spread);
}

// By how much three samples of the ground of a line differ, of a strip.
FN BytePairs range_of(const u8* near, s32 far, s32 offset) {
    const BytePairs a = bytes_at(near + offset), b = bytes_at(near + far), c = bytes_at(near + far + offset);
    return excess(max_of(max_of(a, b), c), min_of(min_of(a, b), c));
}

// Of find_costs(): what lies along an offset outside of the samples above and below, of a strip, but for thin lines; where
// those alone are wanted, all others lie as far outside as can be. Most strips have nothing that stands out as a line must.
FN BytePairs outside_of(const u8* above, const u8* wanted, s32 offset) {
    const u8* below = above + EDGE_PITCH;
    const BytePairs a = bytes_at(above), b = bytes_at(below), mean = average(bytes_at(above + offset), bytes_at(below - offset));
    const BytePairs outside = excess(mean, max_of(a, b)) | excess(min_of(a, b), mean);
    const BytePairs closed = unlike_bits(bytes_at(wanted), every_byte(-1));
    if (!has_bits(not_more(every_byte(4 * EDGE_THIN - 1), outside))) return outside | closed;
    const BytePairs ground = max_of(range_of(above, -EDGE_PITCH, -offset), range_of(below, EDGE_PITCH, offset));
    const BytePairs least = max_of(ground, every_byte(EDGE_THIN)), half = average(outside, every_byte(0));
    return excess(outside | closed, not_more(limited_sum(least, least), half));
}

FN void find_costs_of_line(EdgeScratch& s, const EdgeWindows& w, s32 i, s32 begin, s32 count, s32 offset, s32 spread) {
    const u8* above = s.rows + (i + 1) * EDGE_PITCH + EDGE_SIDE + begin;
    const s32 at = i * EDGE_WIDTH + begin;
    u16* least = (offset < 0 ? s.costs.left : s.costs.right) + at;
    u16* to = (offset < 0 ? s.costs.to_left : s.costs.to_right) + at;
    const s32 far = max_of(offset, -offset);
    const PairWords size = every_word(far);
    for (s32 x = 0; x < count; x += LANE_BYTES) {
        u8 outside[LANE_BYTES];
        store(outside, outside_of(above + x, s.wanted + at + x, offset));
        for (s32 n = 0; n < 2; ++n) {
            const s32 k = x + n * LANE_PAIRS;
            const PairWords cost = sum_of_windows(w.threes + k, spread) + size + shifted_up(one_for_each(outside + n * LANE_PAIRS), 5);
            const PairWords before = words_at(least + k), now = far == EDGE_OFFSETS[0] ? cost : lower_of(cost, before);
            store(to + k, far == EDGE_OFFSETS[0] ? size : pick(equal(now, before), words_at(to + k), size));
            store(least + k, now);
        }
    }
}
static_assert(EDGE_OVERSHOOT == 1 << 5, "a shift");

// Whether any group of a tile may move; asked before its lines are looked at.
FN bool may_any_move(const EdgeScratch& s, s32 lines) {
    BytePairs most = every_byte(0);
    for (s32 k = 0; k < (lines + 2) * EDGE_WIDTH; k += LANE_BYTES) most = max_of(most, bytes_at(s.changed + k));
    return has_bits(excess(most, every_byte(EDGE_MOVING)));
}

FN void seek_edges(EdgeScratch& s, s32 lines) {
    EdgeWindows w = {};
    for (s32 i = 0; i < lines; ++i) {
        if (s.end[i] == 0) continue;
        const s32 begin = s.begin[i] & -LANE_BYTES, count = ((s.end[i] + LANE_BYTES - 1) & -LANE_BYTES) - begin;
        find_windows(s, w, i, begin, count, 0, spread_of(0));
        for (s32 k = 0; k < count; k += LANE_PAIRS)
            store(s.costs.straight + i * EDGE_WIDTH + begin + k, sum_of_windows(w.threes + k, spread_of(0)));
        for (s32 n = 0; n < 2 * (s32)sizeof(EDGE_OFFSETS); ++n) {
            const s32 offset = n & 1 ? EDGE_OFFSETS[n >> 1] : -EDGE_OFFSETS[n >> 1];
            find_windows(s, w, i, begin, count, offset, spread_of(offset));
            find_costs_of_line(s, w, i, begin, count, offset, spread_of(offset));
        }
    }
}
#else
FN bool may_any_move(const EdgeScratch&, s32) { return true; }  // a device's threads would wait for each other to know

FN void seek_edges(EdgeScratch& s, s32 lines) {
    for (s32 n = -1; n < 2 * (s32)sizeof(EDGE_OFFSETS); ++n) {
        const s32 offset = n < 0 ? 0 : (n & 1 ? EDGE_OFFSETS[n >> 1] : -EDGE_OFFSETS[n >> 1]);
        switch (ON_DEVICE(0, spread_of(offset))) {  // where places are constant, a GPU's loads hold them
            case 3: seek_along(s, lines, offset, 3); break;
            case 4: seek_along(s, lines, offset, 4); break;
            case 5: seek_along(s, lines, offset, 5); break;
            default: seek_along(s, lines, offset, spread_of(offset));
        }
    }
}
#endif

// Phase: no edges. On the host only where some are sought; a device asks no tile in advance, which costs more there.
FN void clear_offsets(const EdgeSearchParams& p, s32 line0, s32 lines, s32 first, s32 count) {
    FOR_LINES(i, lines) {
        s8* __restrict__ offsets = p.offsets + (s64)(line0 + i) * p.pitch_B + first;
        FOR_LINE(k, count) offsets[k] = 0;
    }
}

template <typename T> FN void edge_search_tile(const EdgeSearchParams& p, s32 tile_x, s32 tile_y) {
    SHARED EdgeScratch s;
    const s32 first = tile_x * EDGE_WIDTH, count = min_of<s32>(EDGE_WIDTH, p.width - first);
    const s32 line0 = tile_y * EDGE_LINES, y0 = 2 * line0 + 1 - p.parity;
    const s32 lines = clamp_to((p.height - y0 + 1) >> 1, 0, (s32)EDGE_LINES);
    u8* sought = p.sought + (s64)tile_y * p.sought_pitch_B + tile_x;
    if (ON_DEVICE(true, false))
        *sought = 0;
    else
        clear_offsets(p, line0, lines, first, count);
    if (is_tile_followed(p, line0, lines, first, count)) return;
    FOR_LINES(i, lines + 2) find_changed<T>(p, y0 + 2 * i - 2, first, count, s.changed + i * EDGE_WIDTH);
    if (!may_any_move(s, lines)) return;
    FOR_LINES(i, lines + 3) load_edge_row<T>(p, y0 + 2 * i - 3, first, s.rows + i * EDGE_PITCH);
    BARRIER();
    FOR_LINES(i, lines) find_wanted(p, s, i);
    BARRIER();
    FOR_LINES(i, lines) find_moving(p, s, i, line0 + i, first, count);
    BARRIER();
    bool any = false;
    for (s32 i = 0; i < lines; ++i) any |= s.end[i] > 0;
    if (!any) return;
    if (ON_DEVICE(true, false)) {
        *sought = 1;
        clear_offsets(p, line0, lines, first, count);
    }
    seek_edges(s, lines);
    FOR_LINES(i, lines) {
        const s64 at = (s64)(line0 + i) * p.pitch_B + first;
        choose_offsets(s, i, p.offsets + at, p.keys + at);
    }
}
