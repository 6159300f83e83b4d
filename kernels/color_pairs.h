// The color pipe where two pixels side by side share their chroma: it is worked on once for both, and once for both
// lines as long as these are alike, as those of 4:2:0 are at first. Results are those of color.h. A GPU, which has a
// thread for each pixel, takes color.h's way: nothing here waits for other threads. docs/color.md.
#pragma once
#include "color_pairs_gamut.h"
#include "color_pairs_skin.h"
#include "color_pairs_tone.h"
#include "color_words.h"

union ColorScratch {
    ColorTile pixels;
    ColorPairs pairs;
};

// Whether a tile is worked on so.
FN bool shares_chroma(const ColorParams& p) {
    return ON_DEVICE(true, false) && p.pairing == SHARED_CHROMA && !p.primaries.enable && p.planes[1].src &&
           p.planes[2].src && p.planes[1].src_log2_width && p.planes[2].src_log2_width && !p.planes[0].src_log2_width;
}

// Samples of a line, and the last one again until the pairs are in wholes of SOME_PAIRS.
template <typename T> FN void load_chroma_pairs(const T* __restrict__ in, s32 step, Depth<T> depth, s32 half, s16* __restrict__ out) {
    if (step == 1) {
        FOR_LINE(k, half) out[k] = (s16)depth.in(in[k]);
    } else {
        FOR_LINE(k, half) out[k] = (s16)depth.in(in[(s64)k * step]);
    }
    for (s32 k = half; k % SOME_PAIRS; ++k) out[k] = out[half - 1];
}
template <typename T>
FN void load_luma_pairs(const T* __restrict__ in, s32 step, Depth<T> depth, s32 width, s16* __restrict__ first, s16* __restrict__ second) {
    const s32 whole = width >> 1;
    if (step == 1) {
        FOR_LINE(k, whole) {
            first[k] = (s16)depth.in(in[2 * k]);
            second[k] = (s16)depth.in(in[2 * k + 1]);
        }
    } else {
        FOR_LINE(k, whole) {
            first[k] = (s16)depth.in(in[(s64)(2 * k) * step]);
            second[k] = (s16)depth.in(in[(s64)(2 * k + 1) * step]);
        }
    }
    const s16 last = (s16)depth.in(in[(s64)(width - 1) * step]);
    for (s32 k = whole; k < (width + 1) >> 1 || k % SOME_PAIRS; ++k) first[k] = second[k] = last;
}

// Luma and chroma of the tile; columns and lines outside the picture repeat the last.
template <typename T>
FN_APART void load_pairs(const ColorParams& p, s32 x0, s32 y0, s32 width, s32 two_lines, ColorPairs& t) {
    for (s32 c = 0; c < 3; ++c) {
        const ColorPlane plane = p.planes[c];
        const Depth<T> depth = {plane.src_shift, plane.src_bits};
        for (s32 r = 0; r < (c ? 1 + two_lines : COLOR_HEIGHT); ++r) {
            const s64 row = min_of(y0 + r, p.height - 1) >> plane.src_log2_height;
            const T* in = (const T*)((const u8*)plane.src + row * plane.src_pitch_B) + (s64)(x0 >> plane.src_log2_width) * plane.src_step;
            const s32 to = r * PAIRS_PITCH;
            if (c == 0) {
                load_luma_pairs(in, plane.src_step, depth, width, t.y[0] + to, t.y[1] + to);
            } else {
                load_chroma_pairs(in, plane.src_step, depth, (width + 1) >> 1, (c == 1 ? t.u : t.v)[0] + to);
            }
        }
    }
}

// Below 4.0 contrast fits the upper half of a product, and its result 16 bits.
FN void procamp_line(const ColorProcamp& c, s16* __restrict__ y, s32 count) {
    const s16 scaled = (s16)(64 * c.contrast), added = (s16)(c.brightness + 256);
    if (c.contrast < 512) {
        FOR_LINE(k, count) y[k] = clamp_to<s16>((s16)(upper_half((s16)((s16)(y[k] - 256) * 8), scaled) + added), 0, 4095);
    } else {
        FOR_LINE(k, count) y[k] = (s16)procamp_luma(c, y[k]);
    }
}

// Luma by the curve and by procamp, each alone or both.
FN void pairs_luma(const ColorParams& p, ColorPairs& t, s32 count) {
    const ColorProcamp procamp = p.procamp;
    const CurveTables curve = p.contrast.enable ? curve_tables(p.contrast) : CurveTables();
    for (s32 at = 0; at < COLOR_PAIRS; at += PAIRS_PITCH) {
        for (s32 place = 0; place < 2; ++place) {
            if (p.contrast.enable) contrast_line(p.contrast, curve, t.y[place] + at, count);
            if (procamp.enable) procamp_line(procamp, t.y[place] + at, count);
        }
    }
}

FN void turn_line(const ColorProcamp& c, s16* __restrict__ u, s16* __restrict__ v, s32 count) {
    FOR_LINE(k, count) {
        const s32 u_in = u[k], v_in = v[k];
        u[k] = (s16)procamp_u(c, u_in, v_in);
        v[k] = (s16)procamp_v(c, u_in, v_in);
    }
}

FN void pairs_matrix(const ColorMatrix& m, ColorPairs& t, s32 count) {
    for (s32 at = 0; at < COLOR_PAIRS; at += PAIRS_PITCH) {
        s16* __restrict__ y[2] = {t.y[0] + at, t.y[1] + at};
        s16* __restrict__ u[2] = {t.u[0] + at, t.u[1] + at};
        s16* __restrict__ v[2] = {t.v[0] + at, t.v[1] + at};
        FOR_LINE(k, count) {
            const s32 a = y[0][k], other = y[1][k], b = u[0][k], c = v[0][k];
            y[0][k] = (s16)converted<0>(m, a, b, c);
            u[0][k] = (s16)converted<1>(m, a, b, c);
            v[0][k] = (s16)converted<2>(m, a, b, c);
            y[1][k] = (s16)converted<0>(m, other, b, c);
            u[1][k] = (s16)converted<1>(m, other, b, c);
            v[1][k] = (s16)converted<2>(m, other, b, c);
        }
    }
}

// Chroma by total color control and by procamp: the upper line at once, and what the lower one has of its own.
FN void pairs_chroma(const ColorParams& p, ColorPairs& t, const s32* parted, s32 groups, s32 scored) {
    const ColorControl control = p.control;
    const ColorProcamp procamp = p.procamp;
    const ControlTables tables = control.enable ? control_tables(control) : ControlTables();
    for (s32 i = -1; i < groups; ++i) {
        if (i >= 0 && !parted[i]) continue;
        const s32 at = i < 0 ? 0 : PAIRS_PITCH + i * SOME_PAIRS, count = i < 0 ? groups * SOME_PAIRS : SOME_PAIRS;
        if (control.enable) control_line(control, tables, t, at, count, scored);
        if (procamp.enable) turn_line(procamp, t.u[0] + at, t.v[0] + at, count);
    }
}

// Every block that is on, in the order of the pipe. Whether lower lines have a chroma of their own then.
FN_APART s32 run_pair_blocks(const ColorParams& p, ColorPairs& t, s32 half, s32 two_lines) {
    const ColorSkin skin = p.skin;  // copies, which no store to scratch can change
    const ColorGamut gamut = p.gamut;
    const ColorMatrix matrix = p.matrix;
    const s32 groups = (half + SOME_PAIRS - 1) / SOME_PAIRS, count = groups * SOME_PAIRS;
    s32 parted[PAIRS_PITCH / SOME_PAIRS], any = matrix.enable, scored = 0;
    for (s32 i = 0; i < groups; ++i) {
        SomePairs some = {i * SOME_PAIRS, two_lines, 0};
        if (skin.detect) {
            pairs_skin(skin, t, some);
        } else {
            for (s32 at = some.at; at < COLOR_PAIRS; at += PAIRS_PITCH) no_scores(t.score + at);
        }
        if (gamut.enable) pairs_gamut(gamut, p.vertices, t, some);
        if (p.control.enable && some.scored) part_lines(t, some);
        parted[i] = some.two_lines;
        any |= some.two_lines;
        scored |= some.scored;
    }
    if (p.control.enable || p.procamp.enable) pairs_chroma(p, t, parted, groups, scored);
    for (s32 i = 0; i < groups; ++i) {
        SomePairs some = {i * SOME_PAIRS, parted[i], 0};
        if (any) part_lines(t, some);
    }
    if (p.contrast.enable || p.procamp.enable) pairs_luma(p, t, count);
    if (matrix.enable) pairs_matrix(matrix, t, count);
    return any;
}

// One component of the tile to the picture. values: of both places in the pairs. two_lines: whether the lower
// line has values of its own.
template <typename T>
FN_APART void store_pairs(const ColorParams& p, const ColorPlane& plane, s32 x0, s32 y0, s32 width, s32 two_lines,
                          const s16* __restrict__ first_place, const s16* __restrict__ second_place) {
    if (!plane.dst) return;
    const s32 step = plane.dst_step, half = (width + 1) >> 1;
    const Depth<T> depth = {plane.dst_shift, plane.dst_bits};
    const s32 lines = plane.dst_log2_height ? 1 : min_of<s32>(COLOR_HEIGHT, p.height - y0);
    const bool first = p.first_chroma, both = plane.dst_log2_height;
    FOR_LINES(r, lines) {
        const s64 row = (y0 + r) >> plane.dst_log2_height;
        const s32 from = two_lines ? r * PAIRS_PITCH : 0, below = both && two_lines ? from + PAIRS_PITCH : from;
        T* __restrict__ out = (T*)((u8*)plane.dst + row * plane.dst_pitch_B) + (s64)(x0 >> plane.dst_log2_width) * step;
        if (plane.dst_log2_width && first_place == second_place && step == 1 && from == below) {
            FOR_LINE(k, half) out[k] = depth.out(first_place[from + k]);
        } else if (plane.dst_log2_width) {
            FOR_LINE(k, half) {
                const s32 upper = (first_place[from + k] + second_place[from + k]) >> 1;
                const s32 lower = (first_place[below + k] + second_place[below + k]) >> 1;
                const s32 value = first ? first_place[from + k] : (upper + lower) >> 1;
                out[(s64)k * step] = depth.out(value);
            }
        } else if (step == 1) {
            FOR_LINE(k, width >> 1) {
                out[2 * k] = depth.out(first_place[from + k]);
                out[2 * k + 1] = depth.out(second_place[from + k]);
            }
        } else {
            FOR_LINE(k, width >> 1) {
                out[(s64)(2 * k) * step] = depth.out(first_place[from + k]);
                out[(s64)(2 * k + 1) * step] = depth.out(second_place[from + k]);
            }
        }
        if (!plane.dst_log2_width && (width & 1)) {
            FOR_LINE(k, 1) out[(s64)(width - 1) * step] = depth.out(first_place[from + (width >> 1)]);
        }
    }
}

// What was found out about each pixel of the pairs.
FN_APART void store_pair_findings(u8* bytes, s32 pitch_B, s32 x0, s32 y0, s32 width, s32 height,
                                  const s16* __restrict__ first, const s16* __restrict__ second) {
    if (!bytes) return;
    FOR_LINES(r, min_of<s32>(COLOR_HEIGHT, height - y0)) {
        u8* __restrict__ out = bytes + (s64)(y0 + r) * pitch_B + x0;
        FOR_LINE(k, (width + 1) >> 1) out[2 * k] = (u8)first[r * PAIRS_PITCH + k];
        FOR_LINE(k, width >> 1) out[2 * k + 1] = (u8)second[r * PAIRS_PITCH + k];
    }
}

template <typename From, typename To>
FN void pairs_tile(const ColorParams& p, ColorPairs& t, s32 x0, s32 y0, s32 width) {
    const bool alike = p.planes[1].src_log2_height && p.planes[2].src_log2_height;
    load_pairs<From>(p, x0, y0, width, !alike, t);
    const s32 two_lines = run_pair_blocks(p, t, (width + 1) >> 1, !alike), two_places = p.matrix.enable != 0;
    store_pairs<To>(p, p.planes[0], x0, y0, width, 1, t.y[0], t.y[1]);
    store_pairs<To>(p, p.planes[1], x0, y0, width, two_lines, t.u[0], t.u[two_places]);
    store_pairs<To>(p, p.planes[2], x0, y0, width, two_lines, t.v[0], t.v[two_places]);
    copy_alpha<From, To>(p, x0, y0, width);
    store_pair_findings(p.score, p.score_pitch_B, x0, y0, width, p.height, t.score, t.score);
    if (p.gamut.enable) store_pair_findings(p.outside, p.outside_pitch_B, x0, y0, width, p.height, t.outside[0], t.outside[1]);
}

template <typename From, typename To> FN void color_tile(const ColorParams& p, s32 tile_x, s32 tile_y) {
    SHARED ColorScratch t;
    const s32 x0 = tile_x * COLOR_WIDTH, y0 = tile_y * COLOR_HEIGHT;
    const s32 width = min_of<s32>(COLOR_WIDTH, p.width - x0);
    if (ON_DEVICE(sizeof(From) == 1 && p.doubling, false)) {  // then a tile is two whole lines
        if (sizeof(To) == 1 && doubled_words(p, word_places<To>(p), y0)) return;
        for (s32 x = 0; x < p.width; x += COLOR_WIDTH)
            pixels_tile<From, To>(p, t.pixels, x, y0, min_of<s32>(COLOR_WIDTH, p.width - x));
        return;
    }
    if (ON_DEVICE(sizeof(From) == 1 && sizeof(To) == 1, false) && words_tile(p, word_places<To>(p), x0, y0, width)) return;
    if (shares_chroma(p)) {
        pairs_tile<From, To>(p, t.pairs, x0, y0, width);
    } else {
        pixels_tile<From, To>(p, t.pixels, x0, y0, width);
    }
}
