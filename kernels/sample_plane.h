// The common case in vector loops: 2D surfaces without arrays, offsets and comparison, one filter for all levels of
// detail. A strip of samples goes through each step before the next: levels, addresses, texels, sums.
//
// It computes exactly what sample.h does. Where all samples of a strip have one level, or one LOD, on the CPU the loops
// do not look them up for each sample. A grid's LODs are made here, too, strip by strip.
#pragma once
#include "sample_axis.h"
#include "sample_filter.h"

struct PlaneParams {
    SampleParams sample;
    LodParams lod;  // of a grid whose LODs are made here; axes 0: there is none
};
static_assert(sizeof(PlaneParams) == 640, "parameter layout");

struct PlaneStrip {
    s32 number[SAMPLE_TILE], beta[SAMPLE_TILE];   // of each sample's level
    s32 column[SAMPLE_TILE], row[SAMPLE_TILE];    // corners
    s32 upper[SAMPLE_TILE], lower[SAMPLE_TILE];   // the left texels of both rows
    u32 above[2 * SAMPLE_TILE], under[2 * SAMPLE_TILE];  // left and right texel of each sample, of 8-bit texels
    u32 sums[4][SAMPLE_TILE];
};

// -- levels of detail ------------------------------------------------------------------------------------------------

// What the samples of a strip have in common.
struct StripLevels {
    bool one_lod, one_number;  // all samples have the first's
    bool blends;               // some are between levels
};

// All at once: the host asks about a strip as a whole, on a device each thread only knows its own samples.
FN StripLevels one_level(PlaneStrip& s, const SampleParams& p, s32 lod, s32 n) {
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

FN StripLevels compared_levels(const PlaneStrip& s, s32 n) {
    StripLevels levels = {false, false, true};
    if (ON_DEVICE(true, false)) {
        s32 betas = 0, numbers = 0;
        for (s32 i = 0; i < n; ++i) betas |= s.beta[i];
        for (s32 i = 0; i < n; ++i) numbers |= s.number[i] ^ s.number[0];
        levels.one_number = !numbers;
        levels.blends = betas != 0;
    }
    return levels;
}

FN_APART void each_level(PlaneStrip& s, const SampleParams& p, const s32* __restrict__ lods, s32 n) {
    FOR_EACH(i, n) {
        const LodLevels lod = levels_of_lod(p, lods[i]);
        s.number[i] = lod.first;
        s.beta[i] = lod.beta;
    }
}

// Each LOD is that of two samples.
FN_APART void each_level_of_quads(PlaneStrip& s, const SampleParams& p, s32 bias, const s32* __restrict__ lods, s32 quads) {
    FOR_EACH(q, quads) {
        const LodLevels lod = levels_of_lod(p, lods[q] + bias);
        s.number[2 * q] = s.number[2 * q + 1] = lod.first;
        s.beta[2 * q] = s.beta[2 * q + 1] = lod.beta;
    }
}

FN StripLevels grid_levels(PlaneStrip& s, const PlaneParams& p, s32 left, s32 row, s32 n) {
    const LodParams& g = p.lod;
    const s32 quads = (n + 1) / 2;
    u32* longest = s.above;
    s32* lods = (s32*)s.under;
    grid_squares(g, row, left, n, (float*)s.sums[0], (float*)s.sums[1], longest);
    BARRIER();
    if (ON_DEVICE(true, false)) {  // often all lengths are the same, but for their last bits
        u32 least = longest[0], most = longest[0];
        for (s32 q = 1; q < quads; ++q) least = min_of(least, longest[q]);
        for (s32 q = 1; q < quads; ++q) most = max_of(most, longest[q]);
        const s32 lod = lod_of_square(most);
        if (lod == lod_of_square(least)) return one_level(s, p.sample, lod + g.bias, n);
    }
    FOR_EACH(q, quads) lods[q] = lod_of_square(longest[q]);
    BARRIER();
    each_level_of_quads(s, p.sample, g.bias, lods, quads);
    BARRIER();
    return compared_levels(s, n);
}

// -- addresses -------------------------------------------------------------------------------------------------------

template <bool TURNS, typename Size>
FN void axis_corners(s32 mode, const float* coordinates, s32 n, Size size, bool linear, bool rounded, s32* corners) {
    switch (mode) {
        case ADDRESS_WRAP: return axis_corners<ADDRESS_WRAP, false>(coordinates, n, size, linear, rounded, corners);
        case ADDRESS_MIRROR: return axis_corners<ADDRESS_MIRROR, TURNS>(coordinates, n, size, linear, rounded, corners);
        case ADDRESS_MIRROR_ONCE:
            return axis_corners<ADDRESS_MIRROR_ONCE, TURNS>(coordinates, n, size, linear, rounded, corners);
        case ADDRESS_CLAMP_BORDER:
        case ADDRESS_HALF_BORDER:
            return axis_corners<ADDRESS_CLAMP_BORDER, false>(coordinates, n, size, linear, rounded, corners);
        default: return axis_corners<ADDRESS_CLAMP, false>(coordinates, n, size, linear, rounded, corners);
    }
}

FN bool is_border(s32 mode) { return mode == ADDRESS_CLAMP_BORDER || mode == ADDRESS_HALF_BORDER; }

// First texel of each sample's level.
struct EachFirst {
    const SampleLevel* level;
    const s32* number;
    FN_MEMBER s32 operator()(s32 i) const { return level[number[i]].first; }
};

// From corners to texels: the left texel of each sample's two rows. PLAIN: no corner lies outside or is marked.
template <bool PLAIN, typename Size, typename First>
FN_APART void texel_places(PlaneStrip& s, s32 n, Size width, Size height, First first, bool wraps) {
    const u32 around = wraps;
    FOR_EACH(i, n) {
        const s32 pitch = width(i), rows = height(i), begin = first(i);
        s32 x = s.column[i] >> 8, y = s.row[i] >> 8;
        u32 next = (u32)y + 1;
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
FN void strip_places(PlaneStrip& s, const SampleParams& p, s64 at, s32 n, Size width, Size height, First first) {
    const bool linear = p.linear_mag, wraps = p.address[1] == ADDRESS_WRAP;
    axis_corners<TURNS>(p.address[0], p.coordinate[0] + at, n, width, linear, p.round_mag & 1, s.column);
    axis_corners<TURNS>(p.address[1], p.coordinate[1] + at, n, height, linear, p.round_mag & 2, s.row);
    prefetch_row(p.coordinate[0] + at + 4 * SAMPLE_TILE, n);
    prefetch_row(p.coordinate[1] + at + 4 * SAMPLE_TILE, n);
    BARRIER();
    if (TURNS || is_border(p.address[0]) || is_border(p.address[1]))
        texel_places<false>(s, n, width, height, first, wraps);
    else
        texel_places<true>(s, n, width, height, first, wraps);
    BARRIER();
}

// Addresses in each sample's level, or the next; and the width of those levels.
template <bool TURNS> FN void level_places(PlaneStrip& s, const SampleParams& p, StripLevels levels, s64 at, s32 n) {
    if (levels.one_number) {
        const SampleLevel l = p.level[s.number[0]];
        strip_places<TURNS>(s, p, at, n, Same{l.width}, Same{l.height}, Same{l.first});
    } else {
        const EachSize width = {p.level[0].width, s.number}, height = {p.level[0].height, s.number};
        strip_places<TURNS>(s, p, at, n, width, height, EachFirst{p.level, s.number});
    }
}

FN void next_level(PlaneStrip& s, const SampleParams& p, StripLevels levels, s32 n) {
    const s32 last = p.levels - 1;
    FOR_EACH(i, levels.one_number ? 1 : n) s.number[i] = min_of(s.number[i] + 1, last);
    BARRIER();
}

// The weight of each sample's second level.
struct EachBeta {
    const s32* beta;
    FN_MEMBER s32 operator()(s32 i) const { return beta[i]; }
};

FN s32 place_of_index(s32 i, s32 size, s32 mode) {
    const s32 outside = mode == ADDRESS_CLAMP_BORDER ? PLACE_BORDER : PLACE_HALF;
    return is_border(mode) && (i < 0 || i >= size) ? outside : (s32)PLACE_INSIDE;
}

// -- strips ----------------------------------------------------------------------------------------------------------

// Where a strip's samples are, and how many.
struct StripPlace {
    s64 first;
    s32 n;
};

// In a row of a grid of this width, or, without one, among all samples.
FN StripPlace strip_place(s32 width, s64 count, s32 tile_x, s32 tile_y) {
    if (width) {
        const s32 left = tile_x * SAMPLE_TILE;
        return {(s64)tile_y * width + left, min_of(width - left, (s32)SAMPLE_TILE)};
    }
    const s64 first = ((s64)tile_y * 64 + tile_x) * SAMPLE_TILE;
    return {first, (s32)min_of(count - first, (s64)SAMPLE_TILE)};
}
FN StripPlace strip_place(const PlaneParams& p, s32 tile_x, s32 tile_y) {
    return strip_place(p.lod.axes ? p.lod.width : 0, p.sample.count, tile_x, tile_y);
}

FN StripLevels strip_levels(PlaneStrip& s, const PlaneParams& p, s32 tile_x, s32 tile_y, StripPlace at) {
    if (p.lod.axes) return grid_levels(s, p, tile_x * SAMPLE_TILE, tile_y, at.n);
    if (!p.sample.lods) return one_level(s, p.sample, p.sample.lod, at.n);
    each_level(s, p.sample, p.sample.lods + at.first, at.n);
    BARRIER();
    return compared_levels(s, at.n);
}
