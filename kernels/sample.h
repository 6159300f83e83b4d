// One sample after another: LOD, addresses, texels, filter (seed 003:328-760, 4637-4900; docs/sampler.md).
#pragma once
#include "sample_probes.h"

FN s32 sample_axes(s32 dimension) { return dimension == SAMPLE_1D ? 1 : dimension == SAMPLE_3D ? 3 : 2; }

// Coordinates inside the face, slice or volume; returns where that is.
FN SamplePlace sample_place(const SampleParams& p, s64 i, float along[3]) {
    SamplePlace at = {0, 0, p.references ? p.references[i] : 0.0f};
    along[0] = along[1] = along[2] = 0.0f;
    if (p.dimension == SAMPLE_CUBE) {
        const CubePoint point = cube_point(p.coordinate[0][i], p.coordinate[1][i], p.coordinate[2][i]);
        at.face = point.face;
        along[0] = point.s;
        along[1] = point.t;
    } else {
        const s32 axes = sample_axes(p.dimension);
        for (s32 a = 0; a < axes; ++a) along[a] = p.coordinate[a][i];
    }
    const float* layers = p.coordinate[p.dimension == SAMPLE_CUBE ? 3 : sample_axes(p.dimension)];
    if (p.dimension != SAMPLE_3D && layers) at.slice = array_slice(layers[i], p.slices);
    return at;
}

struct LevelPosition {
    s32 axis[3];  // 1/256 texel
};

FN LevelPosition level_position(const SampleParams& p, const SampleLevel& l, const LodLevels& lod, const float along[3]) {
    const s32 rounds = lod.magnified ? p.round_mag : p.round_min, sizes[3] = {l.width, l.height, l.depth};
    const s32 axes = sample_axes(p.dimension);
    LevelPosition position = {};
    for (s32 a = 0; a < axes; ++a)
        position.axis[a] = fixed_position(along[a], sizes[a], p.address[a], p.normalized, rounds >> a & 1, p.offset[a]);
    return position;
}

// Texels of one level blended along x, then y, then z.
template <typename Kind>
FN Color color_at(const SampleParams& p, const SampleLevel& l, bool outside, SamplePlace at, LevelPosition position,
                  bool linear) {
    const s32 axes = sample_axes(p.dimension);
    AxisTaps taps[3] = {};
    for (s32 a = 0; a < axes; ++a) taps[a] = axis_taps(position.axis[a], linear, p.offset[a]);
    Color planes[2], rows[2];
    for (s32 z = 0; z < (linear && axes > 2 ? 2 : 1); ++z) {
        for (s32 y = 0; y < (linear && axes > 1 ? 2 : 1); ++y) {
            const s32 i = taps[0].first, j = taps[1].first + y, k = taps[2].first + z;
            rows[y] = texel_color<Kind>(p, l, at, i, j, k, outside);
            if (!linear) continue;
            const Color right = texel_color<Kind>(p, l, at, i + 1, j, k, outside);
            for (s32 c = 0; c < 4; ++c)
                rows[y].channel[c] = Kind::blend(rows[y].channel[c], right.channel[c], taps[0].weight);
        }
        planes[z] = rows[0];
        if (linear && axes > 1)
            for (s32 c = 0; c < 4; ++c)
                planes[z].channel[c] = Kind::blend(rows[0].channel[c], rows[1].channel[c], taps[1].weight);
    }
    Color color = planes[0];
    if (linear && axes > 2)
        for (s32 c = 0; c < 4; ++c)
            color.channel[c] = Kind::blend(planes[0].channel[c], planes[1].channel[c], taps[2].weight);
    for (s32 c = 0; c < 4; ++c) color.channel[c] = Kind::finish(color.channel[c], linear ? axes : 0);
    return color;
}

// One level: a probe, or as many as the footprint is longer than wide.
template <typename Kind>
FN Color sample_level(const SampleParams& p, s64 i, s32 number, const LodLevels& lod, SamplePlace at,
                      const float along[3]) {
    const SampleLevel l = p.level[number];
    const bool linear = Kind::FILTERS && (lod.magnified ? p.linear_mag : p.linear_min);
    const bool probing = Kind::FILTERS && p.ratios && (lod.magnified ? p.aniso_mag : p.aniso_min);
    const ProbeWeights weights = probe_weights(probing ? p.ratios[i] : (s32)RATIO_ONE);
    const ProbeSteps steps = weights.probes > 1 ? probe_steps(p, l, at, i) : ProbeSteps{};
    const LevelPosition center = level_position(p, l, lod, along);
    Color first = {}, sums = {};
    for (s32 k = 0; k < weights.probes; ++k) {
        LevelPosition position = center;
        for (s32 a = 0; a < 2; ++a) position.axis[a] += probe_offset(steps.axis[a], 2 * k + 1 - weights.probes);
        const Color probe = color_at<Kind>(p, l, lod.out_of_bounds, at, position, linear);
        if (weights.probes == 1) return probe;
        const s32 weight = k == 0 || k == weights.probes - 1 ? weights.outer : weights.inner;
        if (k == 0) first = probe;
        for (s32 c = 0; c < 4; ++c) {
            const u32 before = k ? sums.channel[c] : Kind::no_probe(first.channel[c]);
            sums.channel[c] = Kind::add_probe(before, first.channel[c], probe.channel[c], weight);
        }
    }
    for (s32 c = 0; c < 4; ++c) sums.channel[c] = Kind::finish_probes(sums.channel[c]);
    return sums;
}

template <typename Kind> FN Color sample_one(const SampleParams& p, s64 i) {
    float along[3];
    const SamplePlace at = sample_place(p, i, along);
    const LodLevels lod = levels_of_lod(p, p.lods ? p.lods[i] : p.lod);
    Color color = {};
    for (s32 k = 0; k < (Kind::FILTERS && lod.beta ? 2 : 1); ++k) {
        const Color level = sample_level<Kind>(p, i, k ? lod.second : lod.first, lod, at, along);
        for (s32 c = 0; c < 4; ++c)
            color.channel[c] =
                k ? Kind::blend_levels(color.channel[c], level.channel[c], lod.beta) : level.channel[c];
    }
    return color;
}

// Four texels of level 0, unfiltered: lower left, lower right, upper right, upper left (003:4746-4750).
template <typename Kind> FN Color gather_one(const SampleParams& p, s64 i) {
    float along[3];
    const SamplePlace at = sample_place(p, i, along);
    const SampleLevel l = p.level[0];
    const s32 sizes[2] = {l.width, l.height};
    AxisTaps taps[2];
    for (s32 a = 0; a < 2; ++a) {
        const s32 offset = p.offsets[a] ? p.offsets[a][i] : p.offset[a];
        taps[a] = axis_taps(fixed_position(along[a], sizes[a], p.address[a], p.normalized, false, offset), true, offset);
    }
    Color gathered;
    for (s32 c = 0; c < 4; ++c) {
        const s32 x = taps[0].first + (c == 1 || c == 2), y = taps[1].first + (c < 2);
        gathered.channel[c] = Kind::shown_texel(texel_color<Kind>(p, l, at, x, y, 0, false).channel[p.gather]);
    }
    return gathered;
}

template <typename Kind> FN_APART void sample_strip(const SampleParams& p, s64 first, s32 n) {
    FOR_EACH(i, n) {
        if (p.gather >= 0) {
            ((Color*)p.out)[first + i] = gather_one<Kind>(p, first + i);
            continue;
        }
        const Color color = sample_one<Kind>(p, first + i);
        for (s32 c = 0; c < 4; ++c) {
            if (p.codes)
                ((u8*)p.out)[4 * (first + i) + c] = (u8)Kind::code(color.channel[c]);
            else
                ((u32*)p.out)[4 * (first + i) + c] = Kind::shown(color.channel[c]);
        }
    }
}

template <typename Kind> FN void sample_tile(const SampleParams& p, s32 tile_x, s32 tile_y) {
    const s64 first = ((s64)tile_y * 64 + tile_x) * SAMPLE_TILE;
    sample_strip<Kind>(p, first, (s32)min_of(p.count - first, (s64)SAMPLE_TILE));
}

// LODs as the LOD message returns them: clamped, and not (003:4739-4745).
FN void sample_queries_tile(const SampleParams& p, s32 tile_x, s32 tile_y) {
    const s64 first = ((s64)tile_y * 64 + tile_x) * SAMPLE_TILE;
    FOR_EACH(i, (s32)min_of(p.count - first, (s64)SAMPLE_TILE)) {
        const s32 lod = p.lods[first + i];
        float* out = (float*)p.out + 2 * (first + i);
        out[0] = (float)levels_of_lod(p, lod).clamped * (1.0f / 256.0f);
        out[1] = (float)lod * (1.0f / 256.0f);
    }
}

// -- unfiltered loads (003:4718-4735) --------------------------------------------------------------------------------

struct LoadParams {
    const void* texels;
    const s32* place[4];  // x, y, slice or z, level; null: 0
    void* out;
    s64 count;
    SampleLevel level[SAMPLE_LEVELS];
    u32 outside[4];
    s32 levels;
    s32 pad_;
};
static_assert(sizeof(LoadParams) == 320, "parameter layout");

template <typename Kind> FN Color load_one(const LoadParams& p, s64 i) {
    s32 at[4];
    for (s32 a = 0; a < 4; ++a) at[a] = p.place[a] ? p.place[a][i] : 0;
    Color color;
    for (s32 c = 0; c < 4; ++c) color.channel[c] = p.outside[c];
    if (at[3] >= 0 && at[3] < p.levels) {
        const SampleLevel l = p.level[at[3]];
        if (at[0] >= 0 && at[0] < l.width && at[1] >= 0 && at[1] < l.height && at[2] >= 0 && at[2] < l.depth)
            color = Kind::fetch(p.texels, l.first + (at[2] * l.height + at[1]) * l.width + at[0]);
    }
    for (s32 c = 0; c < 4; ++c) color.channel[c] = Kind::shown_texel(color.channel[c]);
    return color;
}

template <typename Kind> FN void load_tile(const LoadParams& p, s32 tile_x, s32 tile_y) {
    const s64 first = ((s64)tile_y * 64 + tile_x) * SAMPLE_TILE;
    FOR_EACH(i, (s32)min_of(p.count - first, (s64)SAMPLE_TILE)) ((Color*)p.out)[first + i] = load_one<Kind>(p, first + i);
}
