// Tiles of 8-bit texels: sums of codes times weights, as `Unorm8` of sample_filter.h defines them.
#pragma once
#include "sample_lanes.h"

// Left and right texels of both rows, as neighbors.
FN_APART void fetch_pairs(PlaneTile& s, const u32* texels, s32 n) {
    prefetch_places(texels, s.upper, n);
    prefetch_places(texels, s.lower, n);
    gather_pairs(texels, s.upper, n, s.above);
    gather_pairs(texels, s.lower, n, s.under);
}

FN_APART void fetch_nearest(PlaneTile& s, const u32* texels, s32 n) {
    FOR_ITEMS(i, n) s.above[i] = texels[s.upper[i]];
}

// The few samples between the last column and the first, whose right texels are far away.
template <typename Size> FN_APART void wrap_pairs(PlaneTile& s, const u32* texels, s32 n, Size width) {
    s32 most = -2;
    FOR_ITEMS(i, n) most = max_of(most, (s.column[i] >> 8) - width(i));
    if (most < -1) return;
    FOR_ITEMS(i, n) {
        const s32 pitch = width(i);
        if (s.column[i] >> 8 != pitch - 1) continue;
        s.above[2 * i + 1] = texels[s.upper[i] + 1 - pitch];
        s.under[2 * i + 1] = texels[s.lower[i] + 1 - pitch];
    }
}

FN u32 bordered(const SampleParams& p, u32 texel, s32 place) {
    u32 color = 0;
    for (s32 c = 0; c < 4; ++c) {
        const u32 code = place & PLACE_BORDER ? p.border[c] : Unorm8::halfway(texel >> 8 * c & 255, p.border[c]);
        color |= code << 8 * c;
    }
    return place ? color : texel;
}

// Texels outside are clamped ones so far; each has its neighbor's place beside it.
template <typename Size>
FN_APART void border_pairs(PlaneTile& s, const SampleParams& p, s32 n, Size width, Size height) {
    FOR_ITEMS(i, n) {
        const s32 pitch = width(i), rows = height(i), x = s.column[i] >> 8, y = s.row[i] >> 8;
        const s32 left = place_of_index(x, pitch, p.address[0]), right = place_of_index(x + 1, pitch, p.address[0]);
        const s32 high = place_of_index(y, rows, p.address[1]), low = place_of_index(y + 1, rows, p.address[1]);
        if (!(left | right | high | low)) continue;
        if (left | right) {
            s.above[2 * i + 1] = s.above[2 * i];
            s.under[2 * i + 1] = s.under[2 * i];
        }
        s.above[2 * i] = bordered(p, s.above[2 * i], left | high);
        s.above[2 * i + 1] = bordered(p, s.above[2 * i + 1], right | high);
        s.under[2 * i] = bordered(p, s.under[2 * i], left | low);
        s.under[2 * i + 1] = bordered(p, s.under[2 * i + 1], right | low);
    }
}

template <typename Size>
FN_APART void border_nearest(PlaneTile& s, const SampleParams& p, s32 n, Size width, Size height) {
    FOR_ITEMS(i, n) {
        const s32 across = place_of_index(s.column[i] >> 8, width(i), p.address[0]);
        const s32 down = place_of_index(s.row[i] >> 8, height(i), p.address[1]);
        s.above[i] = bordered(p, s.above[i], across | down);
    }
}

// What was fetched as if no texel lay outside.
template <bool LINEAR, typename Size> FN void mend(PlaneTile& s, const SampleParams& p, s32 n, Size width, Size height) {
    if (LINEAR && p.address[0] == ADDRESS_WRAP) wrap_pairs(s, (const u32*)p.texels, n, width);
    if (!is_border(p.address[0]) && !is_border(p.address[1])) return;
    if (LINEAR)
        border_pairs(s, p, n, width, height);
    else
        border_nearest(s, p, n, width, height);
}

// -- sums ------------------------------------------------------------------------------------------------------------

// A filter's sums of one level, of the samples' left and right texels; a nearest one has the texel alone, with all the
// weight.
struct LinearCodes {
    enum { LINEAR = true };
    FN SumsOfTexels sums(const u32* above, const u32* under, s32 i, s32 column, s32 row) {
        return bilinear_sums(above[2 * i], above[2 * i + 1], under[2 * i], under[2 * i + 1], (u32)column & 255, (u32)row & 255);
    }
};
struct NearestCodes {
    enum { LINEAR = false };
    FN SumsOfTexels sums(const u32* texels, const u32*, s32 i, s32, s32) {
        const u32 texel = texels[i];
        const SumsOfTexels sums = {{(texel & 255) << 16, (texel & 0xff00) << 8, texel & 0xff0000, texel >> 8 & 0xff0000}};
        return sums;
    }
};

// Of samples in a row; blended with the level before, if this is the SECOND; shown as CODES, or kept.
template <typename Filter, bool SECOND, bool CODES, typename Beta>
FN_APART void row_sums(PlaneTile& s, TileRow row, Beta beta, u32* __restrict__ words) {
    u32 *red = s.sums[0], *green = s.sums[1], *blue = s.sums[2], *alpha = s.sums[3];
    FOR_EACH(k, row.n) {
        const s32 i = row.begin + k;
        const SumsOfTexels sums = Filter::sums(s.above, s.under, i, s.column[i], s.row[i]);
        const u32 r = SECOND ? Unorm8::blend_levels(red[i], sums.channel[0], beta(i)) : sums.channel[0];
        const u32 g = SECOND ? Unorm8::blend_levels(green[i], sums.channel[1], beta(i)) : sums.channel[1];
        const u32 b = SECOND ? Unorm8::blend_levels(blue[i], sums.channel[2], beta(i)) : sums.channel[2];
        const u32 a = SECOND ? Unorm8::blend_levels(alpha[i], sums.channel[3], beta(i)) : sums.channel[3];
        if (CODES) {
            words[k] = code_word(r, g, b, a);
        } else {
            red[i] = r;
            green[i] = g;
            blue[i] = b;
            alpha[i] = a;
        }
    }
}

FN_APART void show_sums(const PlaneTile& s, TileRow row, float* __restrict__ numbers) {
    FOR_EACH(i, row.n) {
        UNROLL for (int c = 0; c < 4; ++c) numbers[4 * i + c] = (float)(s32)s.sums[c][row.begin + i] / 16711680.0f;
    }
}

// -- tiles -----------------------------------------------------------------------------------------------------------

template <bool LINEAR, typename Places>
FN void level_texels(PlaneTile& s, const SampleParams& p, TileLevels levels, const TilePlace& at, const Places& places) {
    find_places(s, p, levels, at, places);
    if (LINEAR)
        fetch_pairs(s, (const u32*)p.texels, at.n);
    else
        fetch_nearest(s, (const u32*)p.texels, at.n);
    if (levels.one_number())
        mend<LINEAR>(s, p, at.n, Same{p.level[s.number[0]].width}, Same{p.level[s.number[0]].height});
    else
        mend<LINEAR>(s, p, at.n, EachSize{p.level[0].width, s.number}, EachSize{p.level[0].height, s.number});
}

// The last level's sums, shown or kept.
template <typename Filter, bool SECOND, bool CODES, typename Beta>
FN void tile_sums(PlaneTile& s, const SampleParams& p, const TilePlace& at, Beta beta) {
    for (s32 r = 0; r < at.rows; ++r) {
        const TileRow row = row_of_tile(at, r);
        row_sums<Filter, SECOND, CODES>(s, row, beta, (u32*)p.out + row.first);
    }
}

FN void tile_numbers(const PlaneTile& s, const TilePlace& at, float* numbers) {
    for (s32 r = 0; r < at.rows; ++r) {
        const TileRow row = row_of_tile(at, r);
        show_sums(s, row, numbers + 4 * row.first);
    }
}

template <typename Filter, bool CODES, typename Places>
FN void show_levels(PlaneTile& s, const SampleParams& p, TileLevels levels, const TilePlace& at, const Places& places) {
    if (Filter::LINEAR && show_in_lanes<CODES>(s, p, levels, at, places)) return;
    level_texels<Filter::LINEAR>(s, p, levels, at, places);
    if (!levels.blends) {
        tile_sums<Filter, false, CODES>(s, p, at, Same{0});
    } else {
        tile_sums<Filter, false, false>(s, p, at, Same{0});
        next_level(s, p, levels, at.n);
        level_texels<Filter::LINEAR>(s, p, levels, at, places);
        if (levels.one_lod())
            tile_sums<Filter, true, CODES>(s, p, at, Same{s.beta[0]});
        else
            tile_sums<Filter, true, CODES>(s, p, at, EachBeta{s.beta});
    }
    if (!CODES) tile_numbers(s, at, (float*)p.out);
}

// Samples of a tile whose levels are known; `places` tells where a level's texels are.
template <typename Filter, typename Places>
FN void show_levels(PlaneTile& s, const SampleParams& p, TileLevels levels, const TilePlace& at, const Places& places) {
    if (p.codes)
        show_levels<Filter, true>(s, p, levels, at, places);
    else
        show_levels<Filter, false>(s, p, levels, at, places);
}

template <typename Filter> FN void plane_of_codes(const PlaneParams& p, s32 tile_x, s32 tile_y) {
    SHARED PlaneTile tile;
    const TilePlace at = tile_place(p.grid, p.sample.count, tile_x, tile_y);
    show_levels<Filter>(tile, p.sample, tile_levels(tile, p, at), at, PlanePlaces<false>{});
}
