// The footprint of a pixel for the anisotropic filter: LOD, ratio and the way between probes (seed 003:573-581, hole S5).
#pragma once
#include "sample_address.h"

enum { RATIO_ONE = 256, RATIO_MOST = 16 * RATIO_ONE };

// 2^(k / 256), 23 bits after the point, to nearest.
TABLE u32 POWERS_OF_TWO[256] = {
    0x800000, 0x8058d8, 0x80b1ed, 0x810b41, 0x8164d2, 0x81bea1, 0x8218af, 0x8272fc, 0x82cd87, 0x832850, 0x838359,
    0x83dea1, 0x843a29, 0x8495f0, 0x84f1f6, 0x854e3d, 0x85aac3, 0x86078a, 0x866491, 0x86c1d9, 0x871f62, 0x877d2b,
    0x87db35, 0x883981, 0x88980f, 0x88f6dd, 0x8955ee, 0x89b541, 0x8a14d5, 0x8a74ad, 0x8ad4c6, 0x8b3523, 0x8b95c2,
    0x8bf6a4, 0x8c57ca, 0x8cb933, 0x8d1adf, 0x8d7cd0, 0x8ddf04, 0x8e417d, 0x8ea43a, 0x8f073b, 0x8f6a81, 0x8fce0c,
    0x9031dc, 0x9095f2, 0x90fa4d, 0x915eed, 0x91c3d3, 0x922900, 0x928e72, 0x92f42c, 0x935a2b, 0x93c072, 0x9426ff,
    0x948dd4, 0x94f4f0, 0x955c53, 0x95c3ff, 0x962bf2, 0x96942d, 0x96fcb1, 0x97657d, 0x97ce92, 0x9837f0, 0x98a197,
    0x990b88, 0x9975c2, 0x99e046, 0x9a4b13, 0x9ab62b, 0x9b218d, 0x9b8d3a, 0x9bf931, 0x9c6573, 0x9cd201, 0x9d3eda,
    0x9dabfe, 0x9e196e, 0x9e872a, 0x9ef532, 0x9f6387, 0x9fd228, 0xa04116, 0xa0b051, 0xa11fd9, 0xa18faf, 0xa1ffd2,
    0xa27043, 0xa2e102, 0xa3520f, 0xa3c36b, 0xa43516, 0xa4a70f, 0xa51958, 0xa58bef, 0xa5fed7, 0xa6720e, 0xa6e595,
    0xa7596c, 0xa7cd94, 0xa8420c, 0xa8b6d5, 0xa92bef, 0xa9a15b, 0xaa1718, 0xaa8d26, 0xab0387, 0xab7a3a, 0xabf13f,
    0xac6897, 0xace041, 0xad583f, 0xadd090, 0xae4934, 0xaec22d, 0xaf3b79, 0xafb519, 0xb02f0e, 0xb0a957, 0xb123f6,
    0xb19ee9, 0xb21a32, 0xb295d0, 0xb311c4, 0xb38e0e, 0xb40aaf, 0xb487a6, 0xb504f3, 0xb58298, 0xb60094, 0xb67ee7,
    0xb6fd92, 0xb77c95, 0xb7fbf0, 0xb87ba3, 0xb8fbaf, 0xb97c14, 0xb9fcd2, 0xba7dea, 0xbaff5b, 0xbb8126, 0xbc034a,
    0xbc85ca, 0xbd08a4, 0xbd8bd8, 0xbe0f68, 0xbe9353, 0xbf179a, 0xbf9c3c, 0xc0213b, 0xc0a695, 0xc12c4d, 0xc1b261,
    0xc238d2, 0xc2bfa1, 0xc346cd, 0xc3ce57, 0xc4563f, 0xc4de85, 0xc5672a, 0xc5f02e, 0xc67991, 0xc70353, 0xc78d75,
    0xc817f7, 0xc8a2d8, 0xc92e1b, 0xc9b9be, 0xca45c1, 0xcad226, 0xcb5eed, 0xcbec15, 0xcc799f, 0xcd078c, 0xcd95da,
    0xce248c, 0xceb3a1, 0xcf4319, 0xcfd2f4, 0xd06334, 0xd0f3d7, 0xd184df, 0xd2164c, 0xd2a81e, 0xd33a54, 0xd3ccf1,
    0xd45ff3, 0xd4f35b, 0xd58729, 0xd61b5e, 0xd6affa, 0xd744fd, 0xd7da67, 0xd87039, 0xd90673, 0xd99d16, 0xda3421,
    0xdacb94, 0xdb6371, 0xdbfbb8, 0xdc9468, 0xdd2d82, 0xddc706, 0xde60f5, 0xdefb4e, 0xdf9613, 0xe03143, 0xe0ccdf,
    0xe168e7, 0xe2055b, 0xe2a23c, 0xe33f89, 0xe3dd44, 0xe47b6d, 0xe51a03, 0xe5b907, 0xe65879, 0xe6f85b, 0xe798ab,
    0xe8396a, 0xe8da99, 0xe97c38, 0xea1e47, 0xeac0c7, 0xeb63b7, 0xec0719, 0xecaaec, 0xed4f30, 0xedf3e7, 0xee9910,
    0xef3eab, 0xefe4ba, 0xf08b3b, 0xf13231, 0xf1d99a, 0xf28177, 0xf329c9, 0xf3d290, 0xf47bcc, 0xf5257d, 0xf5cfa4,
    0xf67a41, 0xf72555, 0xf7d0df, 0xf87ce1, 0xf9295a, 0xf9d64a, 0xfa83b3, 0xfb3194, 0xfbdfed, 0xfc8ec0, 0xfd3e0c,
    0xfdedd2, 0xfe9e11, 0xff4ecb,
};

// 2^(d / 256) in 1/256, to nearest; d up to 1024.
FN s32 ratio_of_lods(s32 d) {
    const s32 octave = d >> 8;
    return (s32)((POWERS_OF_TWO[d & 255] + (16384u >> octave)) >> (15 - octave));
}

struct FootprintParams {
    const float* coordinate[3];  // of a grid
    const float* gradient_x[3];  // for each sample
    const float* gradient_y[3];
    const float* biases;         // or null
    s32* lods;                   // of the shorter axis, with every bias
    s32* ratios;                 // 1/256
    float* steps[3];             // from probe to probe, as coordinates
    float scale[3];              // texels for 1.0
    s32 axes;
    s32 cube;                    // derivatives of directions, divided by their largest component
    s32 width, height;           // of the grid
    s32 bias;                    // 1/256
    s32 ewa;                     // axes of the ellipse, not of the pixel
    s32 limit_lod, limit_ratio;  // the largest ratio as a difference of LODs, and as a ratio, in 1/256
    s32 pad_;
    s64 count;                   // samples: width * height * grids
};
static_assert(sizeof(FootprintParams) == 176, "parameter layout");

// By three steps of Newton's method, so that all processors agree.
FN float square_root(float x) {
    float inverse = float_of(0x5f3759dfu - (bits_of(x) >> 1));
    UNROLL for (s32 k = 0; k < 3; ++k) inverse = inverse * (1.5f - x * 0.5f * inverse * inverse);
    return x * inverse;
}

// How much of the derivatives by x and by y the major axis is, and the squared lengths of both axes.
struct FootprintAxes {
    float by_x, by_y, major, minor;
};

// Legacy: the longer derivative and the shorter; by x if they are the same.
FN FootprintAxes longer_axis(float xx, float yy) {
    const bool x_is_longer = number_bits(xx) >= number_bits(yy);
    const FootprintAxes axes = {x_is_longer ? 1.0f : 0.0f, x_is_longer ? 0.0f : 1.0f, x_is_longer ? xx : yy,
                                x_is_longer ? yy : xx};
    return axes;
}

// EWA: the axes of the ellipse that a round pixel becomes, from the products of the derivatives.
FN FootprintAxes ellipse_axes(float xx, float xy, float yy) {
    const float mean = (xx + yy) * 0.5f, half = (xx - yy) * 0.5f;
    const float root = square_root(half * half + xy * xy), minor = mean - root;
    const float x = half >= 0.0f ? half + root : xy, y = half >= 0.0f ? xy : root - half;
    const float length = square_root(x * x + y * y);
    const bool round = !(length > 0.0f);
    const float divisor = round ? 1.0f : length;
    const FootprintAxes axes = {round ? 1.0f : x / divisor, round ? 0.0f : y / divisor, mean + root,
                                minor > 0.0f ? minor : 0.0f};
    return axes;
}

// -- strips ----------------------------------------------------------------------------------------------------------

// Scratch for as many footprints as a strip has samples, or quads.
struct FootprintScratch {
    float dx[3][SAMPLE_TILE], dy[3][SAMPLE_TILE];
    float by_x[SAMPLE_TILE], by_y[SAMPLE_TILE], part[SAMPLE_TILE];
    u32 major[SAMPLE_TILE], minor[SAMPLE_TILE];  // squared lengths
};

// What each sample of a strip has; steps are from probe to probe, as coordinates.
struct StripFootprints {
    s32 lods[SAMPLE_TILE], ratios[SAMPLE_TILE];
    float steps[3][SAMPLE_TILE];
};

template <bool EWA, int AXES> FN_APART void strip_axes(const FootprintParams& p, FootprintScratch& s, s32 n) {
    FOR_EACH(i, n) {
        float xx = 0.0f, xy = 0.0f, yy = 0.0f;
        UNROLL for (s32 a = 0; a < AXES; ++a) {
            const float x = s.dx[a][i] * p.scale[a], y = s.dy[a][i] * p.scale[a];
            xx = a ? xx + x * x : x * x;
            yy = a ? yy + y * y : y * y;
            xy = a ? xy + x * y : x * y;
        }
        const FootprintAxes axes = EWA ? ellipse_axes(xx, xy, yy) : longer_axis(xx, yy);
        s.by_x[i] = axes.by_x;
        s.by_y[i] = axes.by_y;
        s.major[i] = number_bits(axes.major);
        s.minor[i] = number_bits(axes.minor);
    }
}

struct LodAndRatio {
    s32 lod, ratio;
    float part;  // of the major axis, from probe to probe
};
FN LodAndRatio lod_and_ratio(const FootprintParams& p, u32 major_square, u32 minor_square) {
    const s32 major = lod_of_square(major_square), minor = lod_of_square(minor_square);
    const s32 difference = clamp_to(major - minor, 0, p.limit_lod), ratio = min_of(ratio_of_lods(difference), p.limit_ratio);
    return {major - difference + p.bias, ratio, (float)min_of(ratio - RATIO_ONE, (s32)RATIO_ONE) / (float)ratio};
}

// Whether all n squares have the same LOD; the host alone asks.
FN bool same_lods(const u32* __restrict__ squares, s32 n) {
    u32 least = squares[0], most = squares[0];
    for (s32 i = 1; i < n; ++i) least = min_of(least, squares[i]);
    for (s32 i = 1; i < n; ++i) most = max_of(most, squares[i]);
    return lod_of_square(least) == lod_of_square(most);
}

// Each footprint is that of TIMES samples. Returns whether all have one LOD and one ratio; on a device false.
template <int TIMES>
FN_APART bool strip_lods(const FootprintParams& p, FootprintScratch& s, s32 n, StripFootprints& made) {
    if (ON_DEVICE(true, false) && same_lods(s.major, n) && same_lods(s.minor, n)) {  // as for all of a flat picture
        const LodAndRatio one = lod_and_ratio(p, s.major[0], s.minor[0]);
        FOR_EACH(i, TIMES * n) made.lods[i] = one.lod;
        FOR_EACH(i, TIMES * n) made.ratios[i] = one.ratio;
        FOR_EACH(i, n) s.part[i] = one.part;
        return true;
    }
    FOR_EACH(i, n) {
        const LodAndRatio one = lod_and_ratio(p, s.major[i], s.minor[i]);
        UNROLL for (s32 k = 0; k < TIMES; ++k) made.lods[TIMES * i + k] = one.lod;
        UNROLL for (s32 k = 0; k < TIMES; ++k) made.ratios[TIMES * i + k] = one.ratio;
        s.part[i] = one.part;
    }
    return false;
}

template <bool EWA, int TIMES>
FN_APART void strip_steps(const FootprintScratch& s, s32 axis, s32 n, StripFootprints& made) {
    FOR_EACH(i, n) {
        const float dx = s.dx[axis][i], dy = s.dy[axis][i], by_x = s.by_x[i], by_y = s.by_y[i];
        const float along = EWA ? dx * by_x + dy * by_y : by_x > 0.0f ? dx : dy;
        const float step = along * s.part[i];
        UNROLL for (s32 k = 0; k < TIMES; ++k) made.steps[axis][TIMES * i + k] = step;
    }
}

// From derivatives in scratch. Every phase goes on with what the same thread has written: none needs a barrier.
template <bool EWA, int TIMES>
FN bool strip_footprints(const FootprintParams& p, FootprintScratch& s, s32 n, StripFootprints& made) {
    if (p.axes == 1)
        strip_axes<EWA, 1>(p, s, n);
    else if (p.axes == 2)
        strip_axes<EWA, 2>(p, s, n);
    else
        strip_axes<EWA, 3>(p, s, n);
    const bool one = strip_lods<TIMES>(p, s, n, made);
    for (s32 a = 0; a < p.axes; ++a) strip_steps<EWA, TIMES>(s, a, n, made);
    return one;
}

FN void show_footprints(const FootprintParams& p, const StripFootprints& made, s64 first, s32 n) {
    s32 *__restrict__ lods = p.lods + first, *__restrict__ ratios = p.ratios + first;
    FOR_EACH(i, n) {
        lods[i] = made.lods[i] + (p.biases ? lod_of_number(p.biases[first + i]) : 0);
        ratios[i] = made.ratios[i];
    }
    for (s32 a = 0; a < p.axes; ++a) {
        float* __restrict__ steps = p.steps[a] + first;
        FOR_EACH(i, n) steps[i] = made.steps[a][i];
    }
}

// -- from gradients --------------------------------------------------------------------------------------------------

FN void sample_footprints_tile(const FootprintParams& p, s32 tile_x, s32 tile_y) {
    SHARED FootprintScratch s;
    SHARED StripFootprints made;
    const s64 first = ((s64)tile_y * 64 + tile_x) * SAMPLE_TILE;
    const s32 n = (s32)min_of(p.count - first, (s64)SAMPLE_TILE);
    if (n <= 0) return;
    for (s32 a = 0; a < p.axes; ++a) {
        const float *__restrict__ by_x = p.gradient_x[a] + first, *__restrict__ by_y = p.gradient_y[a] + first;
        FOR_EACH(i, n) s.dx[a][i] = by_x[i];
        FOR_EACH(i, n) s.dy[a][i] = by_y[i];
    }
    p.ewa ? strip_footprints<true, 1>(p, s, n, made) : strip_footprints<false, 1>(p, s, n, made);
    show_footprints(p, made, first, n);
}

// -- from a grid -----------------------------------------------------------------------------------------------------

// Quads that begin at every second pixel of a row, from q0 on; across: pixels to the right neighbor.
template <bool CUBE>
FN_APART void quad_derivatives(const FootprintParams& p, s32 axis, GridRows rows, s32 left, s32 across, s32 q0, s32 quads,
                               FootprintScratch& s) {
    const float *__restrict__ top = p.coordinate[axis] + rows.top + left, *below = p.coordinate[axis] + rows.below + left;
    FOR_EACH(q, quads) {
        const s64 at = rows.top + left + 2 * q, under = rows.below + left + 2 * q;
        const float here = CUBE ? major_coordinate(p.coordinate, axis, at) : top[2 * q];
        const float beside = CUBE ? major_coordinate(p.coordinate, axis, at + across) : top[2 * q + across];
        const float lower = CUBE ? major_coordinate(p.coordinate, axis, under) : below[2 * q];
        s.dx[axis][q0 + q] = beside - here;
        s.dy[axis][q0 + q] = lower - here;
    }
}

FN void quad_derivatives(const FootprintParams& p, GridRows rows, s32 left, s32 across, s32 q0, s32 quads,
                         FootprintScratch& s) {
    for (s32 axis = 0; axis < p.axes; ++axis) {
        if (p.cube)
            quad_derivatives<true>(p, axis, rows, left, across, q0, quads, s);
        else
            quad_derivatives<false>(p, axis, rows, left, across, q0, quads, s);
    }
}

// Footprints of a row's n samples from `left`; true if they have one LOD and one ratio.
FN bool grid_footprints(const FootprintParams& p, s32 row, s32 left, s32 n, FootprintScratch& s, StripFootprints& made) {
    const GridRows rows = grid_rows(p.width, p.height, row);
    const s32 pairs = n / 2;
    quad_derivatives(p, rows, left, 1, 0, pairs, s);
    if (n & 1) {  // the last column
        const s32 partner = p.width > 1;
        quad_derivatives(p, rows, left + n - 1 - partner, partner, pairs, 1, s);
    }
    BARRIER();
    const s32 quads = (n + 1) / 2;
    return p.ewa ? strip_footprints<true, 2>(p, s, quads, made) : strip_footprints<false, 2>(p, s, quads, made);
}

FN void sample_grid_footprints_tile(const FootprintParams& p, s32 tile_x, s32 row) {
    SHARED FootprintScratch s;
    SHARED StripFootprints made;
    const s32 left = tile_x * SAMPLE_TILE, n = min_of(p.width - left, (s32)SAMPLE_TILE);
    grid_footprints(p, row, left, n, s, made);
    BARRIER();
    show_footprints(p, made, (s64)row * p.width + left, n);
}
