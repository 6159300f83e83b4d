// Tiles of float texels: one sample after another, its four channels at once, each blended as `Float` of sample_filter.h
// defines it: a + (b - a) * weight, where the order of the two texels counts.
#pragma once
#include "sample.h"
#include "sample_plane.h"

struct Channels {
    float channel[4];
};

// All ones for a weight of 0.
FN u32 no_weight(s32 weight) { return 0u - (u32)(weight == 0); }

struct FloatTaps {
    s32 aside[SAMPLE_TILE];                                  // from a row's first texel to its second
    float across[SAMPLE_TILE], down[SAMPLE_TILE];            // weights of the second texel and the second row
    u32 still_across[SAMPLE_TILE], still_down[SAMPLE_TILE];  // no_weight
};

// From corners to weights, and the order of texels: in mirrored halves the upper one comes first.
template <typename Size> FN_APART void float_taps(PlaneTile& s, FloatTaps& t, s32 n, Size width) {
    FOR_EACH(i, n) {
        const s32 last = width(i) - 1, x = s.column[i] & ~CORNER_TURNED, y = s.row[i] & ~CORNER_TURNED;
        const s32 u = x & 255, v = y & 255, aside = x >> 8 == last ? -last : 1, upper = s.upper[i], lower = s.lower[i];
        const bool turned_x = (s.column[i] != x) & (u != 0), turned_y = (s.row[i] != y) & (v != 0);
        const s32 shift = turned_x ? aside : 0;
        s.upper[i] = (turned_y ? lower : upper) + shift;
        s.lower[i] = (turned_y ? upper : lower) + shift;
        t.aside[i] = turned_x ? -aside : aside;
        t.across[i] = (float)(turned_x ? 256 - u : u) * (1.0f / 256.0f);
        t.down[i] = (float)(turned_y ? 256 - v : v) * (1.0f / 256.0f);
        t.still_across[i] = no_weight(u);
        t.still_down[i] = no_weight(v);
    }
}

// Masks, as a choice by a condition that the channels share would leave the vectors.
FN Channels mixed(const Channels& a, const Channels& b, float weight, u32 still) {
    Channels made;
    UNROLL for (s32 c = 0; c < 4; ++c) {
        const float left = a.channel[c], right = b.channel[c], between = left + (right - left) * weight;
        const u32 keep = still | (0u - (u32)(left == right));
        made.channel[c] = float_of((bits_of(left) & keep) | (bits_of(between) & ~keep));
    }
    return made;
}

// Samples of one level; blended with the level before, if this is the SECOND.
template <bool LINEAR, bool SECOND, typename Beta>
FN_APART void row_of_samples(const PlaneTile& s, const FloatTaps& t, const Channels* texels, TileRow row, Beta beta, Channels* out) {
    FOR_ITEMS(k, row.n) {
        const s32 i = row.begin + k;
        const Channels* upper = texels + s.upper[i];
        const Channels* lower = texels + s.lower[i];
        Channels color = upper[0];
        if (LINEAR) {
            const s32 aside = t.aside[i];
            const float across = t.across[i];
            const u32 still = t.still_across[i];
            const Channels below = mixed(lower[0], lower[aside], across, still);
            color = mixed(mixed(color, upper[aside], across, still), below, t.down[i], t.still_down[i]);
        }
        if (SECOND) color = mixed(out[k], color, (float)beta(i) * (1.0f / 256.0f), no_weight(beta(i)));
        out[k] = color;
    }
}

// Samples that see the border are left to sample.h.
template <bool LINEAR>
FN_APART void border_floats(const PlaneTile& s, const SampleParams& p, TileLevels levels, TileRow row, Channels* out) {
    FOR_ITEMS(k, row.n) {
        const s32 i = row.begin + k, number = s.number[levels.one_number() ? 0 : i], x = s.column[i] >> 8, y = s.row[i] >> 8;
        const s32 width = p.level[number].width, height = p.level[number].height;
        const s32 places = place_of_index(x, width, p.address[0]) | place_of_index(y, height, p.address[1]) |
                           place_of_index(x + LINEAR, width, p.address[0]) | place_of_index(y + LINEAR, height, p.address[1]);
        if (!places) continue;
        const LodLevels lod = {false, false, number, number, 0, 0};
        const float along[3] = {p.coordinate[0][row.first + k], p.coordinate[1][row.first + k], 0.0f};
        const Color color = sample_level<Float>(p, row.first + k, number, lod, SamplePlace{0, 0, 0.0f}, along);
        for (s32 c = 0; c < 4; ++c) out[k].channel[c] = float_of(color.channel[c]);
    }
}

template <typename Beta> FN_APART void blend_row(const Channels* next, TileRow row, Beta beta, Channels* out) {
    FOR_ITEMS(k, row.n) {
        const s32 weight = beta(row.begin + k);
        out[k] = mixed(out[k], next[k], (float)weight * (1.0f / 256.0f), no_weight(weight));
    }
}

// -- tiles -----------------------------------------------------------------------------------------------------------

struct FloatTile {
    PlaneTile tile;
    FloatTaps taps;
};

template <bool LINEAR, bool SECOND, typename Beta>
FN void row_of_floats(FloatTile& f, const SampleParams& p, TileLevels levels, TileRow row, Beta beta) {
    PlaneTile& s = f.tile;
    const Channels* texels = (const Channels*)p.texels;
    Channels *out = (Channels*)p.out + row.first, *next = SECOND ? (Channels*)s.sums[0] : out;
    if (!is_border(p.address[0]) && !is_border(p.address[1]))
        return row_of_samples<LINEAR, SECOND>(s, f.taps, texels, row, beta, out);
    row_of_samples<LINEAR, false>(s, f.taps, texels, row, Same{0}, next);
    border_floats<LINEAR>(s, p, levels, row, next);
    if (SECOND) blend_row(next, row, beta, out);
}

template <bool LINEAR, bool SECOND, typename Beta>
FN void level_of_floats(FloatTile& f, const SampleParams& p, TileLevels levels, const TilePlace& at, Beta beta) {
    PlaneTile& s = f.tile;
    const Channels* texels = (const Channels*)p.texels;
    find_places(s, p, levels, at, PlanePlaces<LINEAR>{});
    prefetch_places(texels, s.upper, at.n);
    if (LINEAR) prefetch_places(texels, s.lower, at.n);
    if (LINEAR && levels.one_number())
        float_taps(s, f.taps, at.n, Same{p.level[s.number[0]].width});
    else if (LINEAR)
        float_taps(s, f.taps, at.n, EachSize{p.level[0].width, s.number});
    for (s32 r = 0; r < at.rows; ++r) row_of_floats<LINEAR, SECOND>(f, p, levels, row_of_tile(at, r), beta);
}

template <bool LINEAR> FN void plane_of_floats(const PlaneParams& p, s32 tile_x, s32 tile_y) {
    SHARED FloatTile f;
    const TilePlace at = tile_place(p.grid, p.sample.count, tile_x, tile_y);
    const TileLevels levels = tile_levels(f.tile, p, at);
    level_of_floats<LINEAR, false>(f, p.sample, levels, at, Same{0});
    if (!levels.blends) return;
    next_level(f.tile, p.sample, levels, at.n);
    if (levels.one_lod())
        level_of_floats<LINEAR, true>(f, p.sample, levels, at, Same{f.tile.beta[0]});
    else
        level_of_floats<LINEAR, true>(f, p.sample, levels, at, EachBeta{f.tile.beta});
}
