// The common case in vector loops: 2D surfaces without arrays, offsets and comparison, one filter for all levels of
// detail. A tile of samples goes through each step before the next: levels, addresses, texels, sums.
//
// It computes exactly what sample.h does. Where all samples of a tile have one level, or one LOD, on the CPU the loops
// do not look them up for each sample. A grid's LODs are made here, too, tile by tile.
//
// A device's tile is one row, so that a thread has the same sample in every step, and its quad in those before: only
// where quads become samples, or where one thread makes the last quad of an odd row, others wait.
#pragma once
#include "sample_axis.h"
#include "sample_filter.h"

struct PlaneParams {
    SampleParams sample;
    LodParams lod;  // of a grid whose LODs are made here; axes 0: there is none
    TileGrid grid;
};
static_assert(sizeof(PlaneParams) == 672, "parameter layout");

struct PlaneTile {
    s32 number[SAMPLE_TILE], beta[SAMPLE_TILE];   // of each sample's level
    s32 column[SAMPLE_TILE], row[SAMPLE_TILE];    // corners
    s32 upper[SAMPLE_TILE], lower[SAMPLE_TILE];   // the left texels of both rows
    u32 above[2 * SAMPLE_TILE], under[2 * SAMPLE_TILE];  // left and right texel of each sample, of 8-bit texels
    u32 sums[4][SAMPLE_TILE];
};

// -- levels of detail ------------------------------------------------------------------------------------------------

// What the samples of a tile have in common.
struct TileLevels {
    bool same_lod, same_number;  // all samples have the first's
    bool blends;                 // some are between levels

    // Only the host looks: kernels for a device are compiled without what follows.
    FN_MEMBER bool one_lod() const { return ON_DEVICE(same_lod, false); }
    FN_MEMBER bool one_number() const { return ON_DEVICE(same_number, false); }
};

// All at once: the host asks about a tile as a whole, on a device each thread only knows its own samples.
FN TileLevels one_level(PlaneTile& s, const SampleParams& p, s32 lod, s32 n) {
    const LodLevels at = levels_of_lod(p, lod);
    if (ON_DEVICE(true, false)) {
        s.number[0] = at.first;
        s.beta[0] = at.beta;
    } else {
        FOR_EACH(i, n) s.number[i] = at.first;
        FOR_EACH(i, n) s.beta[i] = at.beta;
    }
    return {ON_DEVICE(true, false), ON_DEVICE(true, false), at.beta != 0};
}

FN TileLevels compared_levels(const PlaneTile& s, s32 n) {
    TileLevels levels = {false, false, true};
    if (ON_DEVICE(true, false)) {
        s32 betas = 0, numbers = 0;
        for (s32 i = 0; i < n; ++i) betas |= s.beta[i];
        for (s32 i = 0; i < n; ++i) numbers |= s.number[i] ^ s.number[0];
        levels.same_number = !numbers;
        levels.blends = betas != 0;
    }
    return levels;
}

FN_APART void each_level(PlaneTile& s, const SampleParams& p, const s32* __restrict__ lods, TileRow row) {
    FOR_EACH(i, row.n) {
        const LodLevels lod = levels_of_lod(p, lods[i]);
        s.number[row.begin + i] = lod.first;
        s.beta[row.begin + i] = lod.beta;
    }
}

// Each LOD is that of two samples.
FN_APART void each_level_of_quads(PlaneTile& s, const SampleParams& p, s32 bias, const s32* __restrict__ lods, TileRow row) {
    FOR_EACH(q, (row.n + 1) / 2) {
        const LodLevels lod = levels_of_lod(p, lods[q] + bias);
        const s32 i = row.begin + 2 * q;
        s.number[i] = s.number[i + 1] = lod.first;
        s.beta[i] = s.beta[i + 1] = lod.beta;
    }
}

// Whether a row of a tile has the same quads as the row before it.
FN bool shares_quads(const LodParams& p, const TilePlace& at, s32 row) {
    const s32 y = at.top + row;
    return row && grid_rows(p.width, p.height, y).top == grid_rows(p.width, p.height, y - 1).top;
}

FN TileLevels grid_levels(PlaneTile& s, const PlaneParams& p, const TilePlace& at) {
    const LodParams& g = p.lod;
    const s32 columns = (at.columns + 1) / 2;  // of quads
    u32* longest = s.above;
    s32* lods = (s32*)s.under;
    s32 quads = 0;
    for (s32 r = 0; r < at.rows; ++r) {
        if (shares_quads(g, at, r)) continue;
        const GridRows rows = grid_rows(g.width, g.height, at.top + r);
        grid_squares(g, rows, at.left, at.columns, (float*)s.sums[0], (float*)s.sums[1], longest + quads);
        quads += columns;
    }
    BARRIER();
    if (ON_DEVICE(true, false)) {  // often all lengths are the same, but for their last bits
        u32 least = ~0u, most = 0;
        for (s32 q = 0; q < quads; ++q) least = min_of(least, longest[q]);
        for (s32 q = 0; q < quads; ++q) most = max_of(most, longest[q]);
        const s32 lod = lod_of_square(most);
        if (lod == lod_of_square(least)) return one_level(s, p.sample, lod + g.bias, at.n);
    }
    FOR_EACH(q, quads) lods[q] = lod_of_square(longest[q]);
    for (s32 r = 0, first = -columns; r < at.rows; ++r) {
        if (!shares_quads(g, at, r)) first += columns;
        each_level_of_quads(s, p.sample, g.bias, lods + first, row_of_tile(at, r));
        BARRIER();  // the last quad of an odd row reaches into the next one
    }
    return compared_levels(s, at.n);
}

// -- addresses -------------------------------------------------------------------------------------------------------

template <bool TURNS, typename Size>
FN void axis_corners(s32 mode, const float* all, const TilePlace& at, Size size, bool linear, bool rounded, s32* corners) {
    switch (mode) {
        case ADDRESS_WRAP: return axis_corners<ADDRESS_WRAP, false>(all, at, size, linear, rounded, corners);
        case ADDRESS_MIRROR: return axis_corners<ADDRESS_MIRROR, TURNS>(all, at, size, linear, rounded, corners);
        case ADDRESS_MIRROR_ONCE:
            return axis_corners<ADDRESS_MIRROR_ONCE, TURNS>(all, at, size, linear, rounded, corners);
        case ADDRESS_CLAMP_BORDER:
        case ADDRESS_HALF_BORDER:
            return axis_corners<ADDRESS_CLAMP_BORDER, false>(all, at, size, linear, rounded, corners);
        default: return axis_corners<ADDRESS_CLAMP, false>(all, at, size, linear, rounded, corners);
    }
}

FN bool is_border(s32 mode) { return mode == ADDRESS_CLAMP_BORDER || mode == ADDRESS_HALF_BORDER; }

// First texel of each sample's level.
struct EachFirst {
    const SampleLevel* level;
    const s32* number;
    FN_MEMBER s32 operator()(s32 i) const { return level[number[i]].first; }
};

// From corners to texels: the left texel of each sample's two rows. PLAIN: no corner lies outside or is marked; if the
// second row has no weight, it is the first.
template <bool PLAIN, typename Size, typename First>
FN_APART void texel_places(PlaneTile& s, s32 n, Size width, Size height, First first, bool wraps) {
    const u32 around = wraps;
    FOR_EACH(i, n) {
        const s32 pitch = width(i), rows = height(i), begin = first(i);
        s32 x = s.column[i] >> 8, y = s.row[i] >> 8;
        u32 next = (u32)(s.row[i] + 255) >> 8;
        if (!PLAIN) {
            x = clamp_to((s.column[i] & ~CORNER_TURNED) >> 8, 0, pitch - 1);
            y = (s.row[i] & ~CORNER_TURNED) >> 8;
            next = (u32)max_of(y + 1, 0);
            y = clamp_to(y, 0, rows - 1);
        }
        s.upper[i] = begin + y * pitch + x;
        s.lower[i] = begin + min_of((s32)min_of(next, next - around * (u32)rows), rows - 1) * pitch + x;
    }
}

template <bool TURNS, typename Size, typename First>
FN void tile_places(PlaneTile& s, const SampleParams& p, const TilePlace& at, Size width, Size height, First first) {
    const bool linear = p.linear_mag, wraps = p.address[1] == ADDRESS_WRAP;
    axis_corners<TURNS>(p.address[0], p.coordinate[0], at, width, linear, p.round_mag & 1, s.column);
    axis_corners<TURNS>(p.address[1], p.coordinate[1], at, height, linear, p.round_mag & 2, s.row);
    if (TURNS || is_border(p.address[0]) || is_border(p.address[1]))
        texel_places<false>(s, at.n, width, height, first, wraps);
    else
        texel_places<true>(s, at.n, width, height, first, wraps);
}

// Addresses in each sample's level, or the next; and the width of those levels.
template <bool TURNS>
FN void level_places(PlaneTile& s, const SampleParams& p, TileLevels levels, const TilePlace& at) {
    if (levels.one_number()) {
        const SampleLevel l = p.level[s.number[0]];
        tile_places<TURNS>(s, p, at, Same{l.width}, Same{l.height}, Same{l.first});
    } else {
        const EachSize width = {p.level[0].width, s.number}, height = {p.level[0].height, s.number};
        tile_places<TURNS>(s, p, at, width, height, EachFirst{p.level, s.number});
    }
}

template <bool TURNS> struct PlanePlaces {
    FN_MEMBER void operator()(PlaneTile& s, const SampleParams& p, TileLevels levels, const TilePlace& at) const {
        level_places<TURNS>(s, p, levels, at);
    }
};

// One body for all that ask for addresses in the same way.
template <typename Places>
FN_ONCE void find_places(PlaneTile& s, const SampleParams& p, TileLevels levels, const TilePlace& at, const Places& places) {
    places(s, p, levels, at);
}

FN void find_next_level(PlaneTile& next, const PlaneTile& s, const SampleParams& p, TileLevels levels, s32 n) {
    const s32 last = p.levels - 1;
    FOR_EACH(i, levels.one_number() ? 1 : n) next.number[i] = min_of(s.number[i] + 1, last);
}
FN void next_level(PlaneTile& s, const SampleParams& p, TileLevels levels, s32 n) { find_next_level(s, s, p, levels, n); }

// The weight of each sample's second level.
struct EachBeta {
    const s32* beta;
    FN_MEMBER s32 operator()(s32 i) const { return beta[i]; }
};

FN s32 place_of_index(s32 i, s32 size, s32 mode) {
    const s32 outside = mode == ADDRESS_CLAMP_BORDER ? PLACE_BORDER : PLACE_HALF;
    return is_border(mode) && (i < 0 || i >= size) ? outside : (s32)PLACE_INSIDE;
}

// -- tiles -----------------------------------------------------------------------------------------------------------

FN TileLevels given_levels(PlaneTile& s, const SampleParams& p, const TilePlace& at) {
    if (!p.lods) return one_level(s, p, p.lod, at.n);
    for (s32 r = 0; r < at.rows; ++r) {
        const TileRow row = row_of_tile(at, r);
        each_level(s, p, p.lods + row.first, row);
    }
    return compared_levels(s, at.n);
}

FN TileLevels tile_levels(PlaneTile& s, const PlaneParams& p, const TilePlace& at) {
    return p.lod.axes ? grid_levels(s, p, at) : given_levels(s, p.sample, at);
}
