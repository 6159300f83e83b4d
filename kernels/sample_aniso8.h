// The anisotropic filter in vector loops: 8-bit texels of a 2D surface, without offset and array.
//
// It computes exactly what sample.h does for these states, probe after probe of all samples of a strip. A grid's footprints
// are made here, too. What would take it around the surface more than once, and all of it on a GPU, which has no use for
// strips, is left to sample.h.
#pragma once
#include "sample.h"
#include "sample_plane_codes.h"

struct AnisoParams {
    SampleParams sample;
    FootprintParams footprint;  // of a grid whose footprints are made here; axes 0: they are in memory
    TileGrid grid;
};
static_assert(sizeof(AnisoParams) == 704, "parameter layout");

struct ProbeStrip {
    PlaneTile plane;
    s32 ratio[SAMPLE_TILE], pairs[SAMPLE_TILE], inner[SAMPLE_TILE], outer[SAMPLE_TILE];  // of all probes
    s32 weight[SAMPLE_TILE];                                                             // of one pair
    s32 position[2][SAMPLE_TILE];                 // of the center, 1/256
    s32 step[2][SAMPLE_TILE];                     // 1/4096
    u32 sums[4][SAMPLE_TILE];                     // of all probes
    u32 kept[HAS_LANES ? 4 * SAMPLE_TILE : 1];    // the same, as vectors have them
    u32 center[4][SAMPLE_TILE];                   // the exact sums of the center, for round footprints
};

// Where a strip's samples are, and their probes.
struct ProbePlace {
    const float *coordinate[2], *steps[2];
    s32 n;
    s32 pairs;   // the most that a sample has
    bool round;  // some samples have one probe
};

// -- addresses -------------------------------------------------------------------------------------------------------

// From -period to twice the period.
FN s32 in_period(s32 p, s32 period) {
    const u32 above = min_of((u32)p, (u32)(p + period));
    return (s32)min_of(above, above - (u32)period);
}

template <int MODE, typename Size>
FN_APART void probe_centers(const float* __restrict__ coordinates, const float* __restrict__ steps, s32 n, Size size,
                            bool rounded, const s32* __restrict__ ratios, s32* __restrict__ positions,
                            s32* __restrict__ fixed_steps) {
    const s32 round = rounded;
    FOR_EACH(i, n) {
        const s32 texels = size(i), step = fixed_step(steps[i], texels);
        positions[i] = axis_position<MODE>(coordinates[i], texels * POSITION_ONE, round);
        fixed_steps[i] = ratios[i] > RATIO_ONE ? step : 0;
    }
}

// Whether 7 1/2 steps from any place inside go around a surface once at most.
template <typename Size> FN_APART bool in_reach(s32 n, const s32* __restrict__ steps, Size size) {
    s32 far = 0;
    for (s32 i = 0; i < n; ++i) {
        const s32 reach = 512 * (size(i) - 1);
        far |= (reach - steps[i]) | (reach + steps[i]);
    }
    return far >= 0;
}

template <int MODE, typename Size>
FN_APART void probe_corners(const s32* __restrict__ positions, const s32* __restrict__ steps, s32 halves, s32 n, Size size,
                            s32* __restrict__ corners) {
    FOR_EACH(i, n) {
        const s32 whole = size(i) * POSITION_ONE, p = positions[i] + probe_offset(steps[i], halves);
        if (MODE == ADDRESS_WRAP)
            corners[i] = in_period(p - BILINEAR_HALF, whole);
        else
            corners[i] = corner_of_position<MODE, false>(MODE == ADDRESS_MIRROR ? in_period(p, 2 * whole) : p, whole, true);
    }
}

template <typename Size>
FN_APART bool axis_centers(ProbeStrip& s, const SampleParams& p, const ProbePlace& at, s32 axis, Size size) {
    const float *u = at.coordinate[axis], *steps = at.steps[axis];
    const bool rounded = p.round_mag >> axis & 1;
    s32 *positions = s.position[axis], *fixed = s.step[axis];
    switch (p.address[axis]) {
        case ADDRESS_WRAP:
            probe_centers<ADDRESS_WRAP>(u, steps, at.n, size, rounded, s.ratio, positions, fixed);
            return in_reach(at.n, fixed, size);
        case ADDRESS_MIRROR:
            probe_centers<ADDRESS_MIRROR>(u, steps, at.n, size, rounded, s.ratio, positions, fixed);
            return in_reach(at.n, fixed, size);
        case ADDRESS_MIRROR_ONCE:
            probe_centers<ADDRESS_MIRROR_ONCE>(u, steps, at.n, size, rounded, s.ratio, positions, fixed);
            return true;
        default: probe_centers<ADDRESS_CLAMP>(u, steps, at.n, size, rounded, s.ratio, positions, fixed); return true;
    }
}

template <typename Size>
FN void axis_probes(const ProbeStrip& s, s32 mode, s32 axis, s32 halves, s32 n, Size size, s32* corners) {
    const s32 *positions = s.position[axis], *steps = s.step[axis];
    switch (mode) {
        case ADDRESS_WRAP: return probe_corners<ADDRESS_WRAP>(positions, steps, halves, n, size, corners);
        case ADDRESS_MIRROR: return probe_corners<ADDRESS_MIRROR>(positions, steps, halves, n, size, corners);
        case ADDRESS_MIRROR_ONCE: return probe_corners<ADDRESS_MIRROR_ONCE>(positions, steps, halves, n, size, corners);
        case ADDRESS_CLAMP_BORDER:
        case ADDRESS_HALF_BORDER: return probe_corners<ADDRESS_CLAMP_BORDER>(positions, steps, halves, n, size, corners);
        default: return probe_corners<ADDRESS_CLAMP>(positions, steps, halves, n, size, corners);
    }
}

// -- sums ------------------------------------------------------------------------------------------------------------

// Weights of a pair of probes: inner, outer, or beyond the last.
FN_APART void pair_weights(s32 n, s32 pair, const s32* __restrict__ pairs, const s32* __restrict__ inner,
                           const s32* __restrict__ outer, s32* __restrict__ weights) {
    FOR_EACH(i, n) {
        const s32 left = pairs[i] - 1 - pair;
        weights[i] = left > 0 ? inner[i] : left == 0 ? outer[i] : 0;
    }
}

FN_APART void clear_sums(ProbeStrip& s, s32 n) {
    if (HAS_LANES)
        for (s32 i = 0; i < 4 * SAMPLE_TILE; ++i) s.kept[i] = 0;
    for (s32 c = 0; c < 4; ++c) {
        u32* __restrict__ sums = s.sums[c];
        FOR_EACH(i, n) sums[i] = 0;
    }
}

FN_APART void add_probe(ProbeStrip& s, s32 n) {
    u32 *__restrict__ red = s.sums[0], *__restrict__ green = s.sums[1], *__restrict__ blue = s.sums[2],
                     *__restrict__ alpha = s.sums[3];
    const s32* __restrict__ weights = s.weight;
    FOR_EACH(i, n) {
        const SumsOfTexels sums = LinearCodes::sums(s.plane.above, s.plane.under, i, s.plane.column[i], s.plane.row[i]);
        const s32 weight = weights[i];
        red[i] = Unorm8::add_probe(red[i], 0, sums.channel[0], weight);
        green[i] = Unorm8::add_probe(green[i], 0, sums.channel[1], weight);
        blue[i] = Unorm8::add_probe(blue[i], 0, sums.channel[2], weight);
        alpha[i] = Unorm8::add_probe(alpha[i], 0, sums.channel[3], weight);
    }
}

FN_APART void center_sums(ProbeStrip& s, s32 n) {
    u32 *__restrict__ red = s.center[0], *__restrict__ green = s.center[1], *__restrict__ blue = s.center[2],
                     *__restrict__ alpha = s.center[3];
    FOR_EACH(i, n) {
        const SumsOfTexels sums = LinearCodes::sums(s.plane.above, s.plane.under, i, s.plane.column[i], s.plane.row[i]);
        red[i] = sums.channel[0];
        green[i] = sums.channel[1];
        blue[i] = sums.channel[2];
        alpha[i] = sums.channel[3];
    }
}

// A level of all samples into the plane's sums, blended with the level before, if this is the SECOND.
template <bool SECOND, typename Beta> FN_APART void finish_level(ProbeStrip& s, const ProbePlace& at, Beta beta) {
    for (s32 c = 0; c < 4; ++c) {
        u32* __restrict__ out = s.plane.sums[c];
        u32* __restrict__ sums = s.sums[c];
        const u32* __restrict__ center = s.center[c];
        FOR_EACH(i, at.n) sums[i] = Unorm8::finish_probes(sums[i]);
        if (at.round) FOR_EACH(i, at.n) sums[i] = s.ratio[i] > RATIO_ONE ? sums[i] : center[i];
        FOR_EACH(i, at.n) {
            const u32 level = sums[i];
            out[i] = SECOND ? Unorm8::blend_levels(out[i], level, beta(i)) : level;
        }
    }
}

// -- strips ----------------------------------------------------------------------------------------------------------

// All probes of a level; false if something is out of reach.
template <typename Size, typename First>
FN bool probe_level(ProbeStrip& s, const SampleParams& p, const ProbePlace& at, Size width, Size height, First first) {
    if (!axis_centers(s, p, at, 0, width) || !axis_centers(s, p, at, 1, height)) return false;
    const bool wraps = p.address[1] == ADDRESS_WRAP, bordered = is_border(p.address[0]) || is_border(p.address[1]);
    clear_sums(s, at.n);
    for (s32 probe = 0; probe < 2 * at.pairs; ++probe) {
        if (probe % 2 == 0) pair_weights(at.n, probe / 2, s.pairs, s.inner, s.outer, s.weight);
        const s32 halves = probe % 2 ? probe : -1 - probe;
        axis_probes(s, p.address[0], 0, halves, at.n, width, s.plane.column);
        axis_probes(s, p.address[1], 1, halves, at.n, height, s.plane.row);
        if (bordered)
            texel_places<false>(s.plane, at.n, width, height, first, wraps);
        else
            texel_places<true>(s.plane, at.n, width, height, first, wraps);
        const bool centered = probe == 0 && at.round, in_lanes = HAS_LANES && !bordered;
        if (centered || !in_lanes) {
            fetch_pairs(s.plane, (const u32*)p.texels, at.n);
            mend<true>(s.plane, p, at.n, width, height);
        }
        if (centered) center_sums(s, at.n);
        if (in_lanes && probe < 2) {  // what the next ones read is mostly near
            prefetch_places((const u32*)p.texels, s.plane.upper, at.n);
            prefetch_places((const u32*)p.texels, s.plane.lower, at.n);
        }
        if (in_lanes)
            add_probe_in_lanes(s.plane, (const u32*)p.texels, at.n, width, p.address[0] == ADDRESS_WRAP, s.weight, s.kept);
        else
            add_probe(s, at.n);
    }
    if (HAS_LANES && !bordered) channels_of_lanes(s.kept, at.n, s.sums);
    return true;
}

FN_APART bool probe_level(ProbeStrip& s, const SampleParams& p, const ProbePlace& at, TileLevels levels) {
    if (levels.one_number()) {
        const SampleLevel l = p.level[s.plane.number[0]];
        return probe_level(s, p, at, Same{l.width}, Same{l.height}, Same{l.first});
    }
    const EachSize width = {p.level[0].width, s.plane.number}, height = {p.level[0].height, s.plane.number};
    return probe_level(s, p, at, width, height, EachFirst{p.level, s.plane.number});
}

// Levels and ratios where all samples share them, or where each has its own.
FN TileLevels one_footprint(ProbeStrip& s, const SampleParams& p, s32 lod, s32 ratio, s32 n) {
    const s32 used = (levels_of_lod(p, lod).magnified ? p.aniso_mag : p.aniso_min) ? ratio : (s32)RATIO_ONE;
    FOR_EACH(i, n) s.ratio[i] = used;
    return one_level(s.plane, p, lod, n);
}
FN_APART TileLevels each_footprint(ProbeStrip& s, const SampleParams& p, const s32* __restrict__ lods,
                                    const s32* __restrict__ ratios, s32 n) {
    const s32 magnified = p.aniso_mag, minified = p.aniso_min;
    FOR_EACH(i, n) {
        const LodLevels lod = levels_of_lod(p, lods[i]);
        s.plane.number[i] = lod.first;
        s.plane.beta[i] = lod.beta;
        s.ratio[i] = (lod.magnified ? magnified : minified) ? ratios[i] : (s32)RATIO_ONE;
    }
    return compared_levels(s.plane, n);
}

FN_APART void probe_pairs(ProbeStrip& s, ProbePlace& at) {
    FOR_EACH(i, at.n) {
        const s32 pairs = pairs_of_probes(s.ratio[i]), inner = inner_weight(s.ratio[i]);
        s.pairs[i] = pairs;
        s.inner[i] = inner;
        s.outer[i] = outer_weight(pairs, inner);
    }
    s32 least = s.ratio[0], most = s.ratio[0];
    for (s32 i = 0; i < at.n; ++i) least = min_of(least, s.ratio[i]);
    for (s32 i = 0; i < at.n; ++i) most = max_of(most, s.ratio[i]);
    at.round = least == RATIO_ONE;
    at.pairs = most == RATIO_ONE ? 0 : pairs_of_probes(most);
}

// Both levels of each sample into the plane's sums; false if something is out of reach.
FN bool probe_levels(ProbeStrip& s, const SampleParams& p, const ProbePlace& at, TileLevels levels) {
    if (!probe_level(s, p, at, levels)) return false;
    finish_level<false>(s, at, Same{0});
    if (!levels.blends) return true;
    next_level(s.plane, p, levels, at.n);
    if (!probe_level(s, p, at, levels)) return false;
    if (levels.one_lod())
        finish_level<true>(s, at, Same{s.plane.beta[0]});
    else
        finish_level<true>(s, at, EachBeta{s.plane.beta});
    return true;
}

FN_APART void show_codes(const PlaneTile& s, s32 n, u32* __restrict__ words) {
    FOR_EACH(i, n) words[i] = code_word(s.sums[0][i], s.sums[1][i], s.sums[2][i], s.sums[3][i]);
}

// Samples of a strip alone, from the first on; `one`: all have one LOD and one ratio.
FN_APART void strip_of_probes(ProbeStrip& s, const SampleParams& p, s32 n, bool one) {
    const TileLevels levels =
        one ? one_footprint(s, p, p.lods[0], p.ratios[0], n) : each_footprint(s, p, p.lods, p.ratios, n);
    ProbePlace at = {{p.coordinate[0], p.coordinate[1]}, {p.steps[0], p.steps[1]}, n, 0, false};
    probe_pairs(s, at);
    if (!at.pairs) return show_levels<LinearCodes>(s.plane, p, levels, strip_place(0, n), PlanePlaces<false>{});
    if (!probe_levels(s, p, at, levels)) return sample_strip<Unorm8>(p, 0, n);
    if (p.codes)
        show_codes(s.plane, n, (u32*)p.out);
    else
        show_sums(s.plane, {0, 0, n}, (float*)p.out);
}

// The parameters of a strip alone, whose footprints are `made` or given.
FN void strip_params(const AnisoParams& p, const TilePlace& at, const StripFootprints& made, SampleParams& strip) {
    strip = p.sample;
    const bool is_grid = p.footprint.axes != 0;
    strip.lods = is_grid ? made.lods : p.sample.lods + at.first;
    strip.ratios = is_grid ? made.ratios : p.sample.ratios + at.first;
    for (s32 a = 0; a < 2; ++a) strip.steps[a] = is_grid ? made.steps[a] : p.sample.steps[a] + at.first;
    for (s32 a = 0; a < 2; ++a) strip.coordinate[a] += at.first;
    strip.out = p.sample.codes ? (void*)((u32*)p.sample.out + at.first) : (void*)((float*)p.sample.out + 4 * at.first);
}

FN void sample_aniso8_tile(const AnisoParams& p, s32 tile_x, s32 tile_y) {
    SHARED FootprintScratch scratch;
    SHARED StripFootprints made;
    SHARED SampleParams strip;
    const TilePlace at = tile_place(p.grid, p.sample.count, tile_x, tile_y);
    if (at.n <= 0) return;
    const bool one =
        p.footprint.axes && grid_footprints(p.footprint, at.top, at.left, at.n, scratch, made);
    FOR_ITEMS(i, 1) strip_params(p, at, made, strip);
    BARRIER();
    if (ON_DEVICE(false, true)) return sample_strip<Unorm8>(strip, 0, at.n);
    SHARED ProbeStrip probes;
    strip_of_probes(probes, strip, at.n, one);
}
