// Linear filters of 8-bit texels where a sample chooses its slice: layers of arrays, slices of volumes, faces of cubes.
//
// It computes exactly what sample.h does for these states, in the vector loops of planes. A volume's sample is two of a
// plane's, blended; a cube's whose texels lie on more than one face are left to sample.h, and so is all of it on a GPU,
// where one sample after another is as good.
#pragma once
#include "sample.h"
#include "sample_plane_codes.h"

struct SliceParams {
    SampleParams sample;
    TileGrid grid;
};
static_assert(sizeof(SliceParams) == 528, "parameter layout");

struct SliceTile {
    PlaneTile plane;
    float along[2][SAMPLE_TILE];                         // coordinates inside a face
    s32 slice[SAMPLE_TILE];                              // of each sample
    s32 depth[SAMPLE_TILE], weight[SAMPLE_TILE];         // corners across slices, and the weights of the second ones
    s32 further[SAMPLE_TILE];                            // texels from the first slice to the second one
    s32 leaves[SAMPLE_TILE];                             // whether some of a sample's texels lie beyond its face
    u32 before[4 * SAMPLE_TILE];                         // sums of the level before
};

// First texel of each sample's slice: of one level, or of each sample's.
struct SliceFirst {
    s32 first, texels;  // of a slice
    const s32* slice;
    FN_MEMBER s32 area(s32) const { return texels; }
    FN_MEMBER s32 operator()(s32 i) const { return first + slice[i] * texels; }
};
struct EachSliceFirst {
    const SampleLevel* level;
    const s32 *number, *slice;
    FN_MEMBER s32 area(s32 i) const { return level[number[i]].width * level[number[i]].height; }
    FN_MEMBER s32 operator()(s32 i) const { return level[number[i]].first + slice[i] * area(i); }
};

// -- arrays ----------------------------------------------------------------------------------------------------------

FN_APART void layers_of_row(s32* __restrict__ slices, const float* __restrict__ layers, s32 count, TileRow row) {
    FOR_EACH(i, row.n) slices[row.begin + i] = array_slice(layers[row.first + i], count);
    prefetch_row(layers + row.first + 2 * row.n, row.n);
}

FN_APART void first_layer(s32* slices, TileRow row) { FOR_EACH(i, row.n) slices[row.begin + i] = 0; }

struct LayerPlaces {
    const s32* slice;
    FN_MEMBER void operator()(PlaneTile& s, const SampleParams& p, TileLevels levels, const TilePlace& at) const {
        if (levels.one_number()) {
            const SampleLevel l = p.level[s.number[0]];
            tile_places<false>(s, p, at, Same{l.width}, Same{l.height}, SliceFirst{l.first, l.width * l.height, slice});
        } else {
            const EachSize width = {p.level[0].width, s.number}, height = {p.level[0].height, s.number};
            tile_places<false>(s, p, at, width, height, EachSliceFirst{p.level, s.number, slice});
        }
    }
};

// -- cubes -----------------------------------------------------------------------------------------------------------

FN u32 chosen_bits(bool first, u32 a, u32 b) {
    const u32 mask = 0u - (u32)first;
    return (a & mask) | (b & ~mask);
}

// cube_point of each sample of a row, by masks: choices of floats would leave the vectors.
FN_APART void faces_of_row(const float* __restrict__ xs, const float* __restrict__ ys, const float* __restrict__ zs, s32 n,
                           float* __restrict__ along_s, float* __restrict__ along_t, s32* __restrict__ slices) {
    const u32 sign = 0x80000000u;
    FOR_EACH(i, n) {
        const bool known = (xs[i] == xs[i]) & (ys[i] == ys[i]) & (zs[i] == zs[i]);
        const u32 x = chosen_bits(known, bits_of(xs[i]), (u32)FLOAT_ONE), y = chosen_bits(known, bits_of(ys[i]), 0);
        const u32 z = chosen_bits(known, bits_of(zs[i]), 0), wide = x & ~sign, high = y & ~sign, deep = z & ~sign;
        const bool on_x = (wide >= high) & (wide >= deep), on_y = !on_x & (high >= deep);  // their bits are in order, too
        const u32 major = chosen_bits(on_x, x, chosen_bits(on_y, y, z)), behind = major & sign;
        const u32 s = chosen_bits(on_x, z ^ behind ^ sign, chosen_bits(on_y, x, x ^ behind)), t = chosen_bits(on_y, z ^ behind, y ^ sign);
        const float size = float_of(major & ~sign);
        along_s[i] = float_of(s) / size * 0.5f + 0.5f;
        along_t[i] = float_of(t) / size * 0.5f + 0.5f;
        slices[i] += (s32)chosen_bits(on_x, 0, chosen_bits(on_y, 2, 4)) + (s32)(behind >> 31);
    }
    prefetch_row(xs + 2 * n, n);
    prefetch_row(ys + 2 * n, n);
    prefetch_row(zs + 2 * n, n);
}

template <typename Size> FN_APART void stay_on_face(PlaneTile& s, s32* leaves, s32 n, Size size) {
    FOR_EACH(i, n) {
        const s32 last = (size(i) - 1) * POSITION_ONE;
        const s32 column = clamp_to(s.column[i], 0, last), row = clamp_to(s.row[i], 0, last);
        leaves[i] |= (s.column[i] ^ column) | (s.row[i] ^ row);
        s.column[i] = column;
        s.row[i] = row;
    }
}

struct FacePlaces {
    SliceTile& f;
    template <typename Size, typename First>
    FN_MEMBER void of_level(PlaneTile& s, const SampleParams& p, s32 n, Size size, First first) const {
        const TilePlace at = strip_place(0, n);
        axis_corners<ADDRESS_CLAMP_BORDER, false>(f.along[0], at, size, true, p.round_mag & 1, s.column);
        axis_corners<ADDRESS_CLAMP_BORDER, false>(f.along[1], at, size, true, p.round_mag & 2, s.row);
        stay_on_face(s, f.leaves, n, size);
        texel_places<true>(s, n, size, size, first, false);
    }
    FN_MEMBER void operator()(PlaneTile& s, const SampleParams& p, TileLevels levels, const TilePlace& at) const {
        if (levels.one_number()) {
            const SampleLevel l = p.level[s.number[0]];
            of_level(s, p, at.n, Same{l.width}, SliceFirst{l.first, l.width * l.height, f.slice});
        } else {
            of_level(s, p, at.n, EachSize{p.level[0].width, s.number}, EachSliceFirst{p.level, s.number, f.slice});
        }
    }
};

FN_APART void show_leaving(const SliceTile& f, const SampleParams& p, TileRow row) {
    s32 some = 0;
    for (s32 i = 0; i < row.n; ++i) some |= f.leaves[row.begin + i];
    if (!some) return;
    FOR_ITEMS(i, row.n)
        if (f.leaves[row.begin + i]) sample_strip<Unorm8>(p, row.first + i, 1);
}

// -- volumes ---------------------------------------------------------------------------------------------------------

// Both slices of each sample from its corner across them, and the weight of the second.
template <typename Size, typename First>
FN_APART void slices_of_tile(SliceTile& f, s32 n, Size depth, First first, bool wraps) {
    const u32 around = wraps;
    FOR_EACH(i, n) {
        const s32 slices = depth(i), near = f.depth[i] >> 8;
        const u32 next = (u32)(f.depth[i] + 255) >> 8;
        f.slice[i] = near;
        f.further[i] = (min_of((s32)min_of(next, next - around * (u32)slices), slices - 1) - near) * first.area(i);
        f.weight[i] = f.depth[i] & 255;
    }
    for (s32 i = n; i % 16; ++i) f.further[i] = 0;  // the last vector may have more
}

template <bool SECOND, bool CODES, typename Size>
FN void slice_of_tile(SliceTile& f, const SampleParams& p, const TilePlace& at, Size width) {
    PlaneTile& s = f.plane;
    fetch_pairs(s, (const u32*)p.texels, at.n);
    if (p.address[0] == ADDRESS_WRAP) wrap_pairs(s, (const u32*)p.texels, at.n, width);
    tile_sums<LinearCodes, SECOND, CODES>(s, p, at, EachBeta{f.weight});
}

template <int SHOWN, typename Size, typename First>
FN void volume_level(SliceTile& f, const SampleParams& p, const TilePlace& at, Size width, Size height, Size depth, First first) {
    PlaneTile& s = f.plane;
    axis_corners<false>(p.address[2], p.coordinate[2], at, depth, true, p.round_mag & 4, f.depth);
    slices_of_tile(f, at.n, depth, first, p.address[2] == ADDRESS_WRAP);
    tile_places<false>(s, p, at, width, height, first);
    fill_last_lanes(s, at.n);
    if (HAS_LANES) return tile_in_lanes<SHOWN>(s, p, at, TwoSlices<Size>{width, f.further, f.weight});
    slice_of_tile<false, false>(f, p, at, width);
    FOR_EACH(i, at.n) {
        s.upper[i] += f.further[i];
        s.lower[i] += f.further[i];
    }
    slice_of_tile<true, SHOWN == SHOW_CODES>(f, p, at, width);
    if (SHOWN == SHOW_NUMBERS) tile_numbers(s, at, (float*)p.out);
}

template <int SHOWN> FN_APART void volume_level(SliceTile& f, const SampleParams& p, TileLevels levels, const TilePlace& at) {
    PlaneTile& s = f.plane;
    if (levels.one_number()) {
        const SampleLevel l = p.level[s.number[0]];
        const SliceFirst first = {l.first, l.width * l.height, f.slice};
        volume_level<SHOWN>(f, p, at, Same{l.width}, Same{l.height}, Same{l.depth}, first);
    } else {
        const SampleLevel& l = p.level[0];
        const EachSize width = {l.width, s.number}, height = {l.height, s.number}, depth = {l.depth, s.number};
        volume_level<SHOWN>(f, p, at, width, height, depth, EachSliceFirst{p.level, s.number, f.slice});
    }
}

// The sums of two levels, blended.
FN_APART void show_volume_row(const SliceTile& f, const SampleParams& p, bool one_lod, TileRow row) {
    const u32* sums = (const u32*)f.plane.sums;
    FOR_ITEMS(k, row.n) {
        const s32 i = row.begin + k, beta = f.plane.beta[one_lod ? 0 : i];
        u32 blended[4];
        for (s32 c = 0; c < 4; ++c) blended[c] = Unorm8::blend_levels(f.before[sum_place(i, c)], sums[sum_place(i, c)], beta);
        if (p.codes)
            ((u32*)p.out)[row.first + k] = code_word(blended[0], blended[1], blended[2], blended[3]);
        else
            for (s32 c = 0; c < 4; ++c) ((u32*)p.out)[4 * (row.first + k) + c] = Unorm8::shown(blended[c]);
    }
}

FN void show_volume(SliceTile& f, const SampleParams& p, TileLevels levels, const TilePlace& at) {
    if (!levels.blends && p.codes) return volume_level<SHOW_CODES>(f, p, levels, at);
    if (!levels.blends) return volume_level<SHOW_NUMBERS>(f, p, levels, at);
    volume_level<KEEP_SUMS>(f, p, levels, at);
    for (s32 i = 0; i < 4 * SAMPLE_TILE; ++i) f.before[i] = ((const u32*)f.plane.sums)[i];
    next_level(f.plane, p, levels, at.n);
    volume_level<KEEP_SUMS>(f, p, levels, at);
    for (s32 r = 0; r < at.rows; ++r) show_volume_row(f, p, levels.one_lod(), row_of_tile(at, r));
}

// -- tiles -----------------------------------------------------------------------------------------------------------

FN void show_cube(SliceTile& f, const SampleParams& p, TileLevels levels, const TilePlace& at) {
    for (s32 i = 0; i < at.n; ++i) f.leaves[i] = 0;
    for (s32 i = 0; i < at.n; ++i) f.slice[i] *= 6;
    for (s32 r = 0; r < at.rows; ++r) {
        const TileRow row = row_of_tile(at, r);
        faces_of_row(p.coordinate[0] + row.first, p.coordinate[1] + row.first, p.coordinate[2] + row.first, row.n,
                     f.along[0] + row.begin, f.along[1] + row.begin, f.slice + row.begin);
    }
    show_levels<LinearCodes>(f.plane, p, levels, at, FacePlaces{f});
    for (s32 r = 0; r < at.rows; ++r) show_leaving(f, p, row_of_tile(at, r));
}

FN void slices_of_codes(const SliceParams& params, s32 tile_x, s32 tile_y) {
    const SampleParams& p = params.sample;
    const TilePlace at = tile_place(params.grid, p.count, tile_x, tile_y);
    if (ON_DEVICE(false, true)) return sample_strip<Unorm8>(p, at.first, at.n);
    SHARED SliceTile f;
    const TileLevels levels = given_levels(f.plane, p, at);
    if (p.dimension == SAMPLE_3D) return show_volume(f, p, levels, at);
    const bool is_cube = p.dimension == SAMPLE_CUBE;
    const float* layers = p.coordinate[is_cube ? 3 : 2];
    for (s32 r = 0; r < at.rows; ++r) {
        if (layers)
            layers_of_row(f.slice, layers, p.slices, row_of_tile(at, r));
        else
            first_layer(f.slice, row_of_tile(at, r));
    }
    if (is_cube)
        show_cube(f, p, levels, at);
    else
        show_levels<LinearCodes>(f.plane, p, levels, at, LayerPlaces{f.slice});
}
