// The anisotropic filter in vector loops: 8-bit texels of a 2D surface, without border, offset and array.
//
// It computes exactly what sample.h does for these states, probe after probe of all samples of a tile. What would take
// it around the surface more than once, and all of it on a GPU, which has no use for strips, is left to sample.h.
#pragma once
#include "sample.h"
#include "sample_unorm8.h"

enum { PROBE_STRIP = 64 };  // samples at a time, so that scratch stays in the first cache

struct ProbeStrip {
    BilinearStrip bilinear;
    s32 ratio[SAMPLE_TILE], pairs[SAMPLE_TILE], inner[SAMPLE_TILE], outer[SAMPLE_TILE];
    s32 begin[SAMPLE_TILE], width[SAMPLE_TILE], height[SAMPLE_TILE];  // of each sample's level
    s32 column[SAMPLE_TILE], across[SAMPLE_TILE];                     // first texel, 1/256; step, 1/4096
    s32 row[SAMPLE_TILE], down[SAMPLE_TILE];
    s32 weight[SAMPLE_TILE];     // of a probe
    u32 center[4][SAMPLE_TILE];  // the exact sums of the center, for round footprints
    u32 sums[4][SAMPLE_TILE];    // of all probes
};

// The texel of an index from -size to 2 size, or to 3 size if mirrored.
template <int MODE> FN s32 far_index(s32 i, s32 size) {
    if (MODE == ADDRESS_MIRROR) {
        const s32 reflected = i ^ i >> 31, back = 2 * size - 1 - reflected;
        return min_of(reflected, back ^ back >> 31);
    }
    return near_index<MODE>(i, size);
}

template <int MODE>
FN_APART void probe_axis(const float* __restrict__ coordinates, const float* __restrict__ steps, s32 n, bool rounded,
                   const s32* __restrict__ ratios, const s32* __restrict__ sizes, s32* __restrict__ corners,
                   s32* __restrict__ fixed_steps) {
    const float up = rounded ? 2.0f : 0.0f;
    FOR_EACH(i, n) {
        const s32 texels = sizes[i];
        corners[i] = linear_corner<MODE>(coordinates[i], texels, up);
        const s32 step = (s32)limited(steps[i] * (float)(texels * STEP_ONE), 0x4d000000u);  // STEP_LIMIT
        fixed_steps[i] = step & ~((ratios[i] - RATIO_ONE - 1) >> 31);  // none if it is round
    }
}

// Whether 7 1/2 steps from any place inside stay in reach of `far_index`.
FN bool in_reach(s32 n, const s32* __restrict__ steps, const s32* __restrict__ sizes) {
    s32 far = 0;
    for (s32 i = 0; i < n; ++i) {
        const s32 reach = 512 * (sizes[i] - 1);
        far |= (reach - steps[i]) | (reach + steps[i]);
    }
    return far >= 0;
}

template <int MODE>
FN_APART void probe_addresses(s32 n, s32 halves, const s32* __restrict__ corners, const s32* __restrict__ steps,
                        const s32* __restrict__ sizes, s32* __restrict__ first, s32* __restrict__ second,
                        s32* __restrict__ weights) {
    FOR_EACH(i, n) {
        const s32 corner = corners[i] + probe_offset(steps[i], halves);
        first[i] = far_index<MODE>(corner >> 8, sizes[i]);
        second[i] = far_index<MODE>((corner >> 8) + 1, sizes[i]);
        weights[i] = corner & (POSITION_ONE - 1);
    }
}

// Corners and steps of an axis; false if they are out of reach.
FN bool probe_axis(const SampleParams& p, s32 axis, s64 first, s32 n, const s32* ratios, const s32* sizes, s32* corners,
                   s32* fixed_steps) {
    const float *coordinates = p.coordinate[axis] + first, *steps = p.steps[axis] + first;
    const bool up = p.round_mag >> axis & 1;
    switch (p.address[axis]) {
        case ADDRESS_WRAP:
            probe_axis<ADDRESS_WRAP>(coordinates, steps, n, up, ratios, sizes, corners, fixed_steps);
            return in_reach(n, fixed_steps, sizes);
        case ADDRESS_MIRROR:
            probe_axis<ADDRESS_MIRROR>(coordinates, steps, n, up, ratios, sizes, corners, fixed_steps);
            return in_reach(n, fixed_steps, sizes);
        case ADDRESS_MIRROR_ONCE:
            probe_axis<ADDRESS_MIRROR_ONCE>(coordinates, steps, n, up, ratios, sizes, corners, fixed_steps);
            return true;
        default:
            probe_axis<ADDRESS_CLAMP>(coordinates, steps, n, up, ratios, sizes, corners, fixed_steps);
            return true;
    }
}

FN void probe_addresses(s32 mode, s32 n, s32 halves, const s32* corners, const s32* steps, const s32* sizes, s32* first,
                        s32* second, s32* weights) {
    switch (mode) {
        case ADDRESS_WRAP:
            return probe_addresses<ADDRESS_WRAP>(n, halves, corners, steps, sizes, first, second, weights);
        case ADDRESS_MIRROR:
            return probe_addresses<ADDRESS_MIRROR>(n, halves, corners, steps, sizes, first, second, weights);
        case ADDRESS_MIRROR_ONCE:
            return probe_addresses<ADDRESS_MIRROR_ONCE>(n, halves, corners, steps, sizes, first, second, weights);
        default: return probe_addresses<ADDRESS_CLAMP>(n, halves, corners, steps, sizes, first, second, weights);
    }
}

// Weights of a pair of probes: inner, outer, or beyond the last.
FN void pair_weights(s32 n, s32 pair, const s32* __restrict__ pairs, const s32* __restrict__ inner,
                     const s32* __restrict__ outer, s32* __restrict__ weights) {
    FOR_EACH(i, n) {
        const s32 left = pairs[i] - 1 - pair, last = (left - 1) >> 31;
        weights[i] = ((inner[i] & ~last) | (outer[i] & last)) & ~(left >> 31);
    }
}

FN_APART void add_probe(ProbeStrip& s, s32 n) {
    const u32 *__restrict__ above = s.bilinear.above, *__restrict__ under = s.bilinear.under;
    const s32 *__restrict__ across = s.bilinear.across, *__restrict__ down = s.bilinear.down;
    const s32* __restrict__ weights = s.weight;
    u32 *__restrict__ red = s.sums[0], *__restrict__ green = s.sums[1], *__restrict__ blue = s.sums[2],
                     *__restrict__ alpha = s.sums[3];
    FOR_EACH(i, n) {
        const SumsOfTexels sums =
            bilinear_sums(above[2 * i], above[2 * i + 1], under[2 * i], under[2 * i + 1], (u32)across[i], (u32)down[i]);
        const s32 weight = weights[i];
        red[i] = Unorm8::add_probe(red[i], 0, sums.channel[0], weight);
        green[i] = Unorm8::add_probe(green[i], 0, sums.channel[1], weight);
        blue[i] = Unorm8::add_probe(blue[i], 0, sums.channel[2], weight);
        alpha[i] = Unorm8::add_probe(alpha[i], 0, sums.channel[3], weight);
    }
}

FN_APART void center_sums(ProbeStrip& s, s32 n) {
    const u32 *__restrict__ above = s.bilinear.above, *__restrict__ under = s.bilinear.under;
    const s32 *__restrict__ across = s.bilinear.across, *__restrict__ down = s.bilinear.down;
    u32 *__restrict__ red = s.center[0], *__restrict__ green = s.center[1], *__restrict__ blue = s.center[2],
                     *__restrict__ alpha = s.center[3];
    FOR_EACH(i, n) {
        const SumsOfTexels sums =
            bilinear_sums(above[2 * i], above[2 * i + 1], under[2 * i], under[2 * i + 1], (u32)across[i], (u32)down[i]);
        red[i] = sums.channel[0];
        green[i] = sums.channel[1];
        blue[i] = sums.channel[2];
        alpha[i] = sums.channel[3];
    }
}

FN void fetch_probe(ProbeStrip& s, const SampleParams& p, s32 n, s32 halves) {
    BilinearStrip& b = s.bilinear;
    probe_addresses(p.address[0], n, halves, s.column, s.across, s.width, b.left, b.right, b.across);
    probe_addresses(p.address[1], n, halves, s.row, s.down, s.height, b.upper, b.lower, b.down);
    FOR_EACH(i, n) {
        b.upper[i] = s.begin[i] + b.upper[i] * s.width[i];
        b.lower[i] = s.begin[i] + b.lower[i] * s.width[i];
    }
    fetch_pairs(b, (const u32*)p.texels, n);
}

// A level of each sample into the bilinear strip's sums; false if it is out of reach.
FN_APART bool probe_level(ProbeStrip& s, const SampleParams& p, s64 first, s32 n, s32 pairs, bool second) {
    const SampleLevel* __restrict__ levels = p.level;
    const s32* __restrict__ numbers = s.bilinear.number;
    FOR_ITEMS(i, n) {
        s.begin[i] = levels[numbers[i]].first;
        s.width[i] = levels[numbers[i]].width;
        s.height[i] = levels[numbers[i]].height;
    }
    if (!probe_axis(p, 0, first, n, s.ratio, s.width, s.column, s.across)) return false;
    if (!probe_axis(p, 1, first, n, s.ratio, s.height, s.row, s.down)) return false;
    for (s32 c = 0; c < 4; ++c)
        FOR_EACH(i, n) s.sums[c][i] = 0;
    for (s32 probe = 0; probe < 2 * pairs; ++probe) {
        if (probe % 2 == 0) pair_weights(n, probe / 2, s.pairs, s.inner, s.outer, s.weight);
        fetch_probe(s, p, n, probe % 2 ? probe : -1 - probe);
        if (probe == 0) center_sums(s, n);
        add_probe(s, n);
    }
    for (s32 c = 0; c < 4; ++c) {
        u32* __restrict__ out = s.bilinear.sums[c];
        const u32 *__restrict__ sums = s.sums[c], *__restrict__ center = s.center[c];
        FOR_EACH(i, n) {
            const u32 level = s.ratio[i] == RATIO_ONE ? center[i] : Unorm8::finish_probes(sums[i]);
            out[i] = second ? Unorm8::blend_levels(out[i], level, s.bilinear.beta[i]) : level;
        }
    }
    return true;
}

// Both levels of each sample; false if something is out of reach.
FN bool probe_levels(ProbeStrip& s, const SampleParams& p, s64 first, s32 n) {
    const s32 last = p.levels - 1;
    const s32 *__restrict__ lods = p.lods + first, *__restrict__ ratios = p.ratios + first;
    FOR_EACH(i, n) {
        const LodLevels lod = levels_of_lod(p, lods[i]);
        const s32 ratio = (lod.magnified ? p.aniso_mag : p.aniso_min) ? ratios[i] : RATIO_ONE;
        s.bilinear.number[i] = lod.first;
        s.bilinear.beta[i] = lod.beta;
        s.ratio[i] = ratio;
        s.pairs[i] = pairs_of_probes(ratio);
        s.inner[i] = inner_weight(ratio);
        s.outer[i] = outer_weight(s.pairs[i], s.inner[i]);
    }
    s32 most = 1, betas = 0;
    for (s32 i = 0; i < n; ++i) {
        most = max_of(most, s.pairs[i]);
        betas |= s.bilinear.beta[i];
    }
    if (!probe_level(s, p, first, n, most, false)) return false;
    if (!betas) return true;
    FOR_EACH(i, n) s.bilinear.number[i] = min_of(s.bilinear.number[i] + 1, last);
    return probe_level(s, p, first, n, most, true);
}

FN void sample_aniso8_tile(const SampleParams& p, s32 tile_x, s32 tile_y) {
    if (ON_DEVICE(false, true)) return sample_tile<Unorm8>(p, tile_x, tile_y);
    SHARED ProbeStrip strip;
    const s64 first = ((s64)tile_y * 64 + tile_x) * SAMPLE_TILE;
    const s32 n = (s32)min_of(p.count - first, (s64)SAMPLE_TILE);
    s32 ratios = 0;
    for (s32 i = 0; i < n; ++i) ratios |= p.ratios[first + i];
    if (ratios == RATIO_ONE) return sample_trilinear_tile(p, tile_x, tile_y);
    for (s32 done = 0; done < n; done += PROBE_STRIP) {
        const s32 part = min_of(n - done, (s32)PROBE_STRIP);
        if (probe_levels(strip, p, first + done, part))
            show_sums(strip.bilinear, p, first + done, part);
        else
            sample_strip<Unorm8>(p, first + done, part);
    }
}
