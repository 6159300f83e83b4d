// Samples with weights and LODs of float32, and what changes them (docs/exact-sampling.md): ours, not the hardware's.
#pragma once
#include "portable_sums.h"
#include "sample_filter.h"

struct ExactParams {
    SampleParams sample;         // LODs, ratios, steps and rounding are not read; border and outside are floats
    const float* lods;           // of each sample, or null: `lod` for all
    const float* biases;         // or null
    const float* across[3];      // derivatives of the coordinates by x of the picture, or null: `lod` is given
    const float* down[3];        // by y
    const float* weights;        // of a loss by the four numbers of each sample
    s64* texel_sums;             // by texels, in 1/scale; or null
    float* by_coordinate[3];     // or null
    float* by_lod;               // or null
    float scale;
    float lod, bias, base, min_lod, max_lod, resource_min_lod;
    s32 most_probes;
    s32 derived;  // LODs come from derivatives
    s32 pad_;
};
static_assert(sizeof(ExactParams) == 664, "parameter layout");

// Binary logarithm of a number from 2^-126 to below 2^128, to 2^-22; others count as the nearest of these.
FN float log2_of(float x) {
    const u32 bits = clamp_to(bits_of(x), 0x00800000u, 0x7f7fffffu);
    const s32 exponent = (s32)(bits - 0x3f3504f3u) >> 23;  // the mantissa is from sqrt(1/2) to sqrt(2)
    const float mantissa = float_of(bits - ((u32)exponent << 23));
    const float s = (mantissa - 1.0f) / (mantissa + 1.0f), q = s * s;
    const float series = 2.88539008f + q * (0.961796694f + q * (0.577078016f + q * (0.412198583f + q * 0.320598898f)));
    return (float)exponent + s * series;
}

// A coordinate as texels of a level, before the offset.
FN float exact_position(float u, s32 size, s32 mode, bool normalized, s32 offset) {
    const float far = 4194304.0f, limit = 1073741824.0f;
    u = clamp_to(zero_for_nan(u), -far, far);
    if (!normalized) return u;
    if (mode == ADDRESS_WRAP) u = u - (float)floor_of(u);
    if (mode == ADDRESS_MIRROR) u = u - (float)(2 * floor_of(u * 0.5f));
    const float x = clamp_to(u * (float)size, -limit, limit);
    return mode == ADDRESS_MIRROR_ONCE ? clamp_to(x, (float)(-size - offset), (float)(size - offset)) : x;
}

// What the filter sees at a place: a color, and how much of it each texel is.
struct ExactTexel {
    float color[4];
    s32 index[3];
    float part;  // of each of them
    s32 count;
};

template <bool CODES> FN void exact_fetch(const SampleParams& p, s32 index, float color[4]) {
    const Color c = CODES ? Unorm8::fetch(p.texels, index) : Float::fetch(p.texels, index);
    for (s32 k = 0; k < 4; ++k) color[k] = CODES ? (float)c.channel[k] / 255.0f : float_of(c.channel[k]);
}

FN s32 cube_place(const SampleLevel& l, SamplePlace at, s32 i, s32 j) {
    const CubeTexel t = cube_texel(at.face, i, j, l.width);
    return l.first + ((at.slice * 6 + t.face) * l.height + t.j) * l.width + t.i;
}

template <bool CODES>
FN_APART ExactTexel exact_texel(const SampleParams& p, const SampleLevel& l, SamplePlace at, s32 i, s32 j, s32 k, bool outside) {
    ExactTexel texel = {{}, {}, 1.0f, 0};
    if (outside) {
        for (s32 c = 0; c < 4; ++c) texel.color[c] = float_of(p.outside[c]);
    } else if (p.dimension == SAMPLE_CUBE && p.address[0] == ADDRESS_CUBE) {
        const s32 near_i = clamp_to(i, 0, l.width - 1), near_j = clamp_to(j, 0, l.height - 1);
        const bool corner = i != near_i && j != near_j;
        texel.count = corner ? 3 : 1;
        texel.part = corner ? 1.0f / 3.0f : 1.0f;
        texel.index[0] = corner ? cube_place(l, at, near_i, near_j) : cube_place(l, at, i, j);
        texel.index[1] = cube_place(l, at, corner ? i : near_i, near_j);
        texel.index[2] = cube_place(l, at, near_i, corner ? j : near_j);
        exact_fetch<CODES>(p, texel.index[0], texel.color);
        if (corner) {  // arrays that no variable indexes stay in registers
            float second[4], third[4];
            exact_fetch<CODES>(p, texel.index[1], second);
            exact_fetch<CODES>(p, texel.index[2], third);
            for (s32 c = 0; c < 4; ++c) texel.color[c] = (texel.color[c] + second[c] + third[c]) / 3.0f;
        }
    } else {
        const AxisTexel none = {0, PLACE_INSIDE};
        const AxisTexel x = texel_of_index(i, l.width, p.address[0]);
        const AxisTexel y = p.dimension == SAMPLE_1D ? none : texel_of_index(j, l.height, p.address[1]);
        const AxisTexel z = p.dimension == SAMPLE_3D ? texel_of_index(k, l.depth, p.address[2]) : none;
        const s32 slice = p.dimension == SAMPLE_CUBE ? at.slice * 6 + at.face : at.slice + z.index;
        const s32 place = x.place | y.place | z.place;
        texel.index[0] = l.first + (slice * l.height + y.index) * l.width + x.index;
        texel.count = place & PLACE_BORDER ? 0 : 1;
        texel.part = place & PLACE_HALF ? 0.5f : 1.0f;
        exact_fetch<CODES>(p, texel.index[0], texel.color);
        for (s32 c = 0; c < 4; ++c) {
            const float border = float_of(p.border[c]);
            if (place & PLACE_BORDER)
                texel.color[c] = border;
            else if (place & PLACE_HALF)
                texel.color[c] = (texel.color[c] + border) * 0.5f;
        }
    }
    if (p.compare != COMPARE_NONE) {
        float compared = texel.color[0];
        for (s32 c = 1; c < 4; ++c) compared = c == p.compare_channel ? texel.color[c] : compared;
        const bool truth = compare_holds(p.compare, compared, at.reference);
        for (s32 c = 0; c < 4; ++c)
            if (p.compare_replaces >> c & 1) texel.color[c] = truth ? 0.0f : 1.0f;
        texel.count = 0;
    }
    return texel;
}

// Where a sample is, and how its face or slice moves with the coordinates.
struct ExactPlace {
    SamplePlace at;
    float along[3];
    s32 axes;
    float across[3], down[3];  // of `along`, in level 0's texels
};

FN s32 exact_axes(s32 dimension) { return dimension == SAMPLE_1D ? 1 : dimension == SAMPLE_3D ? 3 : 2; }

// A change of a direction as a change of s and t; v is the direction.
FN void along_face(s32 face, const float v[3], float s, float t, const float change[3], float moved[2]) {
    const CubeFace f = CUBE_FACE[face];
    const s32 major = face >> 1;
    const float size = float_of(magnitude_of(bits_of(v[major]))), growth = (face & 1 ? -change[major] : change[major]);
    moved[0] = ((float)f.s_sign * change[f.s_axis] * 0.5f - (s - 0.5f) * growth) / size;
    moved[1] = ((float)f.t_sign * change[f.t_axis] * 0.5f - (t - 0.5f) * growth) / size;
}

FN_APART ExactPlace exact_place(const ExactParams& e, s64 i) {
    const SampleParams& p = e.sample;
    ExactPlace place = {};
    place.at.reference = p.references ? p.references[i] : 0.0f;
    place.axes = exact_axes(p.dimension);
    const s32 given = p.dimension == SAMPLE_CUBE ? 3 : place.axes;
    const s32 sizes[3] = {p.level[0].width, p.level[0].height, p.level[0].depth};
    float v[3] = {}, dx[3] = {}, dy[3] = {};
    for (s32 a = 0; a < given; ++a) {
        v[a] = p.coordinate[a][i];
        if (e.derived) {
            dx[a] = e.across[a][i];
            dy[a] = e.down[a][i];
        }
    }
    if (p.dimension == SAMPLE_CUBE) {
        const CubePoint point = cube_point(v[0], v[1], v[2]);
        place.at.face = point.face;
        place.along[0] = point.s;
        place.along[1] = point.t;
        along_face(point.face, v, point.s, point.t, dx, place.across);
        along_face(point.face, v, point.s, point.t, dy, place.down);
    } else {
        for (s32 a = 0; a < place.axes; ++a) {
            place.along[a] = v[a];
            place.across[a] = dx[a];
            place.down[a] = dy[a];
        }
    }
    for (s32 a = 0; a < place.axes; ++a) {
        place.across[a] = zero_for_nan(place.across[a]) * (float)sizes[a];
        place.down[a] = zero_for_nan(place.down[a]) * (float)sizes[a];
    }
    const float* layers = p.coordinate[given];
    if (p.dimension != SAMPLE_3D && layers) place.at.slice = array_slice(layers[i], p.slices);
    return place;
}

// Levels, probes and the step from one to the next, as `along`.
struct ExactDetail {
    bool magnified, outside, live;  // live: the LOD, not its limits, chooses between two levels
    s32 first, second, probes;
    float beta;
    float step[3];
};

FN_APART ExactDetail exact_detail(const ExactParams& e, const ExactPlace& place, s64 i) {
    const SampleParams& p = e.sample;
    ExactDetail d = {};
    d.probes = 1;
    float lod = e.lods ? zero_for_nan(e.lods[i]) : e.lod;
    if (e.derived) {
        float squares[2] = {};
        for (s32 a = 0; a < place.axes; ++a) {
            squares[0] = squares[0] + place.across[a] * place.across[a];
            squares[1] = squares[1] + place.down[a] * place.down[a];
        }
        const bool by_x = squares[0] >= squares[1];
        const float longer = by_x ? squares[0] : squares[1], shorter = by_x ? squares[1] : squares[0];
        if (e.most_probes > 1 && longer > 0.0f) {
            while (d.probes < e.most_probes && longer > shorter * (float)(d.probes * d.probes)) ++d.probes;
            const s32 sizes[3] = {p.level[0].width, p.level[0].height, p.level[0].depth};
            for (s32 a = 0; a < place.axes; ++a)
                d.step[a] = (by_x ? place.across[a] : place.down[a]) / (float)(d.probes * sizes[a]);
        }
        lod = 0.5f * log2_of(longer / (float)(d.probes * d.probes));
    }
    lod = lod + e.bias + (e.biases ? zero_for_nan(e.biases[i]) : 0.0f);
    const float last = (float)(p.levels - 1), most = min_of(e.max_lod, last);
    const float least = max_of(min_of(e.min_lod, last), e.resource_min_lod);
    d.outside = e.resource_min_lod > last;
    if (p.preclamp) lod = max_of(min_of(lod, e.max_lod), e.min_lod);
    d.magnified = lod <= e.base;
    if (d.magnified || p.mip == MIP_NONE) {
        d.first = floor_of(least);
    } else {
        const float limited = max_of(min_of(lod, most), least);
        d.live = p.mip == MIP_LINEAR && limited == lod && lod < most;
        d.first = floor_of(p.mip == MIP_NEAREST ? limited + 0.5f : limited);
        d.beta = p.mip == MIP_LINEAR ? limited - (float)d.first : 0.0f;
    }
    if (d.outside) d.first = 0;
    if (d.outside) d.beta = 0.0f;
    d.first = clamp_to(d.first, 0, p.levels - 1);
    d.second = min_of(d.first + 1, p.levels - 1);
    if (!(d.magnified ? p.aniso_mag : p.aniso_min)) d.probes = 1;
    return d;
}

// The texels of a level that a sample has: `take` gets each, its weight, and how that changes with each axis' texels.
template <bool CODES, typename Sink>
FN_APART void exact_level(const ExactParams& e, const ExactPlace& place, const ExactDetail& d, s32 number, Sink& sink) {
    const SampleParams& p = e.sample;
    const SampleLevel l = p.level[number];
    const s32 sizes[3] = {l.width, l.height, l.depth};
    const bool linear = d.magnified ? p.linear_mag : p.linear_min;
    const float share = 1.0f / (float)d.probes;
    const bool gathers = ON_DEVICE(Sink::SLOPES, false);  // all texels first: what a sink writes to then comes at once
    ExactTexel gathered[ON_DEVICE(8, 1)];
    for (s32 k = 0; k < d.probes; ++k) {
        const float steps = (float)(2 * k + 1 - d.probes) * 0.5f;
        s32 first[3] = {};
        float weight[3][2] = {{1.0f, 0.0f}, {1.0f, 0.0f}, {1.0f, 0.0f}};
        for (s32 a = 0; a < place.axes; ++a) {
            float u = place.along[a];
            if (d.probes > 1) u = u + d.step[a] * steps;
            const float x = exact_position(u, sizes[a], p.address[a], p.normalized, p.offset[a]) - (linear ? 0.5f : 0.0f);
            first[a] = floor_of(x);
            if (linear) weight[a][1] = x - (float)first[a];
            weight[a][0] = 1.0f - weight[a][1];
            first[a] += p.offset[a];
        }
        const s32 ends[3] = {linear ? 2 : 1, linear && place.axes > 1 ? 2 : 1, linear && place.axes > 2 ? 2 : 1};
        s32 n = 0;
        for (s32 z = 0; gathers && z < ends[2]; ++z)
            for (s32 y = 0; y < ends[1]; ++y)
                for (s32 x = 0; x < ends[0]; ++x, ++n) {
                    gathered[n] = exact_texel<CODES>(p, l, place.at, first[0] + x, first[1] + y, first[2] + z, d.outside);
                    sink.expect(gathered[n]);
                }
        n = 0;
        for (s32 z = 0; z < ends[2]; ++z)
            for (s32 y = 0; y < ends[1]; ++y)
                for (s32 x = 0; x < ends[0]; ++x, ++n) {
                    const float wx = weight[0][x], wy = weight[1][y], wz = weight[2][z], w = wx * wy * wz * share;
                    const float slope[3] = {linear ? (x ? share : -share) * wy * wz : 0.0f,
                                            linear ? (y ? share : -share) * wx * wz : 0.0f,
                                            linear ? (z ? share : -share) * wx * wy : 0.0f};
                    if (!Sink::SLOPES && w == 0.0f) continue;  // infinities of texels that do not count
                    const ExactTexel texel = gathers ? gathered[n]
                        : exact_texel<CODES>(p, l, place.at, first[0] + x, first[1] + y, first[2] + z, d.outside);
                    sink.take(texel, w, slope);
                }
    }
}

struct ExactSum {
    enum { SLOPES = false };
    float color[4];
    FN_MEMBER void expect(const ExactTexel&) {}
    FN_MEMBER void take(const ExactTexel& texel, float w, const float*) {
        for (s32 c = 0; c < 4; ++c) color[c] = color[c] + texel.color[c] * w;
    }
};

template <bool CODES> FN void exact_tile(const ExactParams& e, s32 tile_x, s32 tile_y) {
    const s64 begin = ((s64)tile_y * 64 + tile_x) * SAMPLE_TILE;
    FOR_ITEMS(n, (s32)min_of(e.sample.count - begin, (s64)SAMPLE_TILE)) {
        const s64 i = begin + n;
        const ExactPlace place = exact_place(e, i);
        const ExactDetail d = exact_detail(e, place, i);
        ExactSum levels[2] = {};
        for (s32 k = 0; k < (d.beta != 0.0f ? 2 : 1); ++k)
            exact_level<CODES>(e, place, d, k ? d.second : d.first, levels[k]);
        for (s32 c = 0; c < 4; ++c) {
            const float a = levels[0].color[c], b = levels[1].color[c];
            ((float*)e.sample.out)[4 * i + c] = d.beta != 0.0f ? a + (b - a) * d.beta : a;
        }
    }
}

// -- what a loss changes by, from what it changes by with each sample ------------------------------------------------

struct ExactSlopes {
    enum { SLOPES = true };
    const float* weights;  // of the four numbers
    s64* sums;
    float scale, share;  // of this level
    float total;         // this level's part of the loss
    float slope[3];      // by each axis' texels of this level
    FN_MEMBER void expect(const ExactTexel& texel) {
        for (s32 n = 0; sums && n < texel.count; ++n) PREFETCH(sums + 4 * (s64)texel.index[n]);
    }
    FN_MEMBER void take(const ExactTexel& texel, float w, const float* slopes) {
        float value = 0.0f;
        for (s32 c = 0; c < 4; ++c) value = value + weights[c] * texel.color[c];
        total = total + value * w;
        for (s32 a = 0; a < 3; ++a) slope[a] = slope[a] + value * slopes[a];
        for (s32 n = 0; sums && n < texel.count; ++n)
            for (s32 c = 0; c < 4; ++c) {
                const s64 units = (s64)(weights[c] * (w * texel.part * share) * scale);
                if (units) add_to_sum(sums + 4 * (s64)texel.index[n] + c, units);
            }
    }
};

template <bool CODES> FN void exact_slopes_tile(const ExactParams& e, s32 tile_x, s32 tile_y) {
    const SampleParams& p = e.sample;
    const s64 begin = ((s64)tile_y * 64 + tile_x) * SAMPLE_TILE;
    FOR_ITEMS(n, (s32)min_of(p.count - begin, (s64)SAMPLE_TILE)) {
        const s64 i = begin + n;
        const ExactPlace place = exact_place(e, i);
        const ExactDetail d = exact_detail(e, place, i);
        float along[3] = {}, by_lod = 0.0f;
        for (s32 k = 0; k < (d.live || d.beta != 0.0f ? 2 : 1); ++k) {
            const SampleLevel l = p.level[k ? d.second : d.first];
            const s32 sizes[3] = {l.width, l.height, l.depth};
            ExactSlopes slopes = {e.weights + 4 * i, e.texel_sums, e.scale, k ? d.beta : 1.0f - d.beta, 0.0f, {}};
            exact_level<CODES>(e, place, d, k ? d.second : d.first, slopes);
            by_lod = k ? slopes.total - by_lod : slopes.total;
            for (s32 a = 0; a < place.axes; ++a)
                along[a] = along[a] + slopes.slope[a] * slopes.share * (p.normalized ? (float)sizes[a] : 1.0f);
        }
        if (e.by_lod) e.by_lod[i] = d.live ? by_lod : 0.0f;
        if (!e.by_coordinate[0]) continue;
        if (p.dimension != SAMPLE_CUBE) {
            for (s32 a = 0; a < place.axes; ++a) e.by_coordinate[a][i] = along[a];
            continue;
        }
        const CubeFace f = CUBE_FACE[place.at.face];
        const s32 major = place.at.face >> 1;
        const float size = float_of(magnitude_of(bits_of(p.coordinate[major][i])));
        const float radial = (place.along[0] - 0.5f) * along[0] + (place.along[1] - 0.5f) * along[1];
        e.by_coordinate[f.s_axis][i] = zero_for_nan((float)f.s_sign * along[0] * 0.5f / size);
        e.by_coordinate[f.t_axis][i] = zero_for_nan((float)f.t_sign * along[1] * 0.5f / size);
        e.by_coordinate[major][i] = zero_for_nan((place.at.face & 1 ? radial : -radial) / size);
    }
}
