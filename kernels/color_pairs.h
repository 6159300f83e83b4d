// The color pipe where two pixels side by side share their chroma: it is worked on once for both, and once for both
// lines as long as these are alike, as those of 4:2:0 are at first. Results are those of color.h. A GPU, which has a
// thread for each pixel, takes color.h's way: nothing here waits for other threads. docs/color.md.
#pragma once
#include "color_words.h"

// Some pairs of a line are looked at, and what would change nothing is skipped for all of them.
enum { COLOR_PAIRS = COLOR_HEIGHT * COLOR_WIDTH / 2, COLOR_SOME = 32 };

// Scratch of a tile: pairs of both lines, one line behind the other. By place in the pair: its luma and, behind the
// matrix, its chroma; before it chroma is that of place 0.
struct ColorPairs {
    s32 y[2][COLOR_PAIRS], u[2][COLOR_PAIRS], v[2][COLOR_PAIRS], outside[2][COLOR_PAIRS];
    s32 score[COLOR_PAIRS], dark[COLOR_PAIRS], scaling[COLOR_PAIRS];  // dark: the scaling of place 1, too
    s32 chroma[COLOR_PAIRS], tip[COLOR_PAIRS], tip_luma[COLOR_PAIRS];  // of the hue
};

union ColorScratch {
    ColorTile pixels;
    ColorPairs pairs;
};

// Whether a tile is worked on so.
FN bool shares_chroma(const ColorParams& p) {
    return ON_DEVICE(true, false) && p.pairing == SHARED_CHROMA && !p.primaries.enable && p.planes[1].src &&
           p.planes[2].src && p.planes[1].src_log2_width && p.planes[2].src_log2_width && !p.planes[0].src_log2_width;
}

// What is known of the pairs: how many there are in a line, whether the lower line's chroma is its own (1) or that of the
// upper one (0), whether that of both places is (after the matrix), and whether any score may not be 0.
struct PairsState {
    s32 half;
    s32 two_lines, two_places, scored;
};

// Luma and chroma of the tile; columns and lines outside the picture repeat the last.
template <typename T>
FN_APART void load_pairs(const ColorParams& p, s32 x0, s32 y0, s32 width, PairsState at, ColorPairs& t) {
    const s32 half = at.half, whole = width >> 1;
    const ColorPlane luma = p.planes[0];
    const s32 step = luma.src_step, shift = luma.src_shift, bits = luma.src_bits, mask = (1 << bits) - 1;
    FOR_LINES(r, COLOR_HEIGHT) {
        const s64 row = min_of(y0 + r, p.height - 1) >> luma.src_log2_height;
        const T* __restrict__ in = (const T*)((const u8*)luma.src + row * luma.src_pitch_B) + (s64)x0 * step;
        s32* __restrict__ first = t.y[0] + r * half;
        s32* __restrict__ second = t.y[1] + r * half;
        if (step == 1) {
            FOR_LINE(k, whole) {
                first[k] = to_pipe((in[2 * k] >> shift) & mask, bits);
                second[k] = to_pipe((in[2 * k + 1] >> shift) & mask, bits);
            }
        } else {
            FOR_LINE(k, whole) {
                first[k] = to_pipe((in[(s64)(2 * k) * step] >> shift) & mask, bits);
                second[k] = to_pipe((in[(s64)(2 * k + 1) * step] >> shift) & mask, bits);
            }
        }
        FOR_LINE(k, half - whole) {
            first[whole + k] = to_pipe((in[(s64)(2 * whole) * step] >> shift) & mask, bits);
            second[whole + k] = first[whole + k];
        }
    }
    for (int c = 1; c < 3; ++c) {
        const ColorPlane plane = p.planes[c];
        const s32 c_step = plane.src_step, c_shift = plane.src_shift, c_bits = plane.src_bits, c_mask = (1 << c_bits) - 1;
        s32* __restrict__ out = c == 1 ? t.u[0] : t.v[0];
        FOR_LINES(r, 1 + at.two_lines) {
            const s64 row = min_of(y0 + r, p.height - 1) >> plane.src_log2_height;
            const T* __restrict__ in = (const T*)((const u8*)plane.src + row * plane.src_pitch_B) + (s64)(x0 >> 1) * c_step;
            if (c_step == 1) {
                FOR_LINE(k, half) out[r * half + k] = to_pipe((in[k] >> c_shift) & c_mask, c_bits);
            } else {
                FOR_LINE(k, half) out[r * half + k] = to_pipe((in[(s64)k * c_step] >> c_shift) & c_mask, c_bits);
            }
        }
    }
}

// The lower line gets a chroma of its own.
FN void part_lines(ColorPairs& t, PairsState& at) {
    if (at.two_lines) return;
    const s32 half = at.half;
    FOR_EACH(k, half) {
        t.u[0][half + k] = t.u[0][k];
        t.v[0][half + k] = t.v[0][k];
    }
    at.two_lines = 1;
}

FN s32 uv_factor(const ColorSkin& s, s32 u, s32 v) {
    const SatHue turn = turned(s, u, v);
    return min_of(rectangle_factor(s, turn), rhombus_factor(s, turn));
}
FN s32 luma_score(const ColorSkin& s, s32 uv, s32 y, s32 v) {
    const s32 in_luma = min_of(uv, luma_factor(s, y));
    return s.vy_enable ? min_of(in_luma, vy_factor(s, y, v)) : in_luma;
}

// Scores of some pairs of a line, from what their chroma has.
FN void score_some(const ColorSkin& s, ColorPairs& t, s32 at, s32 chroma_at, s32 count) {
    const s32* __restrict__ factor = t.scaling + chroma_at;
    const s32* __restrict__ v = t.v[0] + chroma_at;
    const s32* __restrict__ first = t.y[0] + at;
    const s32* __restrict__ second = t.y[1] + at;
    s32* __restrict__ score = t.score + at;
    s32* __restrict__ dark = t.dark + at;
    if (!any_of(factor, count)) {
        FOR_LINE(k, count) score[k] = 0;
        return;
    }
    FOR_LINE(k, count) {
        const s32 uv = factor[k];
        score[k] = combined(s.score_mode, luma_score(s, uv, first[k], v[k]), luma_score(s, uv, second[k], v[k]));
        dark[k] = combined(s.dark_mode, dark_membership(s, first[k]), dark_membership(s, second[k]));
    }
}

FN void enhance_some(const ColorSkin& s, ColorPairs& t, s32 at, s32 count) {
    const s32* __restrict__ score = t.score + at;
    const s32* __restrict__ dark = t.dark + at;
    s32* __restrict__ u = t.u[0] + at;
    s32* __restrict__ v = t.v[0] + at;
    if (!any_of(score, count)) return;
    FOR_EACH(k, count) {
        const Chroma made = enhanced(s, u[k], v[k], score[k], dark[k]);
        u[k] = made.u;
        v[k] = made.v;
    }
}

FN void pairs_skin(const ColorParams& p, ColorPairs& t, PairsState& at) {
    const ColorSkin s = p.skin;
    const s32 half = at.half, pairs = COLOR_HEIGHT * half, own = (1 + at.two_lines) * half;
    const s32* __restrict__ u = t.u[0];
    const s32* __restrict__ v = t.v[0];
    s32* __restrict__ factor = t.scaling;
    FOR_EACH(k, own) factor[k] = uv_factor(s, u[k], v[k]);
    at.scored = any_of(factor, own);
    if (at.scored) {
        FOR_LINES(r, COLOR_HEIGHT) {
            const s32 from = at.two_lines ? r * half : 0;
            for (s32 k0 = 0; k0 < half; k0 += COLOR_SOME) {
                score_some(s, t, r * half + k0, from + k0, min_of<s32>(COLOR_SOME, half - k0));
            }
        }
        at.scored = any_of(t.score, pairs);
    } else {
        FOR_EACH(k, pairs) t.score[k] = 0;
    }
    if (s.enhance && at.scored) {
        part_lines(t, at);
        for (s32 k = 0; k < pairs; k += COLOR_SOME) enhance_some(s, t, k, min_of<s32>(COLOR_SOME, pairs - k));
    }
    if (s.output_scores) {
        part_lines(t, at);
        FOR_EACH(k, pairs) {
            t.y[0][k] = t.y[1][k] = 0x7FF + t.score[k] * 64;
            t.u[0][k] = 0x7FF;
            t.v[0][k] = 0x7FF;
        }
    }
}

// Luma of some pairs of a line and what their chroma is multiplied by, for one of both places.
FN void compress_some(const ColorGamut& g, ColorPairs& t, int place, s32 at, s32 chroma_at, s32 count) {
    const s32* __restrict__ chroma = t.chroma + chroma_at;
    const s32* __restrict__ tip = t.tip + chroma_at;
    const s32* __restrict__ tip_luma = t.tip_luma + chroma_at;
    s32* __restrict__ y = t.y[place] + at;
    s32* __restrict__ scaling = (place ? t.dark : t.scaling) + at;
    if (!g.full_range_mapping && !any_of(t.outside[place] + at, count)) {
        FOR_LINE(k, count) scaling[k] = 4096;
        return;
    }
    FOR_LINE(k, count) {
        const s32 luma = decoded_luma(g, y[k]);
        const GamutPixel found = compressed(g, gamut_place({chroma[k], tip[k], tip_luma[k]}, luma));
        y[k] = found.luma == luma ? y[k] : encoded_luma(g, found.luma);
        scaling[k] = found.scaling;
    }
}

FN void pairs_gamut(const ColorParams& p, ColorPairs& t, PairsState& at) {
    const ColorGamut g = p.gamut;
    const s32* __restrict__ vertices = p.vertices;
    const s32 half = at.half, pairs = COLOR_HEIGHT * half, own = (1 + at.two_lines) * half;
    FOR_EACH(k, own) {
        const GamutHue hue = gamut_hue(vertices, decoded_chroma(g, t.u[0][k]), decoded_chroma(g, t.v[0][k]));
        t.chroma[k] = hue.chroma;
        t.tip[k] = hue.tip;
        t.tip_luma[k] = hue.tip_luma;
    }
    FOR_LINES(r, COLOR_HEIGHT) {
        const s32 from = at.two_lines ? r * half : 0, to = r * half;
        const s32* __restrict__ chroma = t.chroma + from;
        const s32* __restrict__ tip = t.tip + from;
        const s32* __restrict__ tip_luma = t.tip_luma + from;
        for (int place = 0; place < 2; ++place) {
            const s32* __restrict__ y = t.y[place] + to;
            s32* __restrict__ outside = t.outside[place] + to;
            FOR_LINE(k, half) outside[k] = is_outside({chroma[k], tip[k], tip_luma[k]}, decoded_luma(g, y[k]));
        }
    }
    if (!g.full_range_mapping && !any_of(t.outside[0], pairs) && !any_of(t.outside[1], pairs)) return;
    FOR_LINES(r, COLOR_HEIGHT) {
        const s32 from = at.two_lines ? r * half : 0;
        for (int place = 0; place < 2; ++place) {
            for (s32 k0 = 0; k0 < half; k0 += COLOR_SOME) {
                compress_some(g, t, place, r * half + k0, from + k0, min_of<s32>(COLOR_SOME, half - k0));
            }
        }
    }
    part_lines(t, at);
    FOR_EACH(k, pairs) {
        const s32 u = t.u[0][k], v = t.v[0][k], scaling = combined(g.scaling_mode, t.scaling[k], t.dark[k]);
        const s32 u_new = decoded_chroma(g, u) * scaling >> 12, v_new = decoded_chroma(g, v) * scaling >> 12;
        t.u[0][k] = scaling == 4096 ? u : encoded_chroma(g, u_new);
        t.v[0][k] = scaling == 4096 ? v : encoded_chroma(g, v_new);
    }
}

FN void pairs_control(const ColorParams& p, ColorPairs& t, PairsState& at) {
    const ColorControl c = p.control;
    if (at.scored) part_lines(t, at);
    s32* __restrict__ u = t.u[0];
    s32* __restrict__ v = t.v[0];
    const s32* __restrict__ score = t.score;
    FOR_EACH(k, (1 + at.two_lines) * at.half) {
        const s32 u10 = (u[k] >> 2) - 512, v10 = (v[k] >> 2) - 512;
        const s32 factor = saturation_factor(c, u10, v10, score[k]);
        u[k] = color_controlled(u10, factor);
        v[k] = color_controlled(v10, factor);
    }
}

// Luma by the curve and by procamp, each alone or both.
FN void pairs_luma(const ColorParams& p, ColorPairs& t, PairsState at) {
    const ColorContrast contrast = p.contrast;
    const ColorProcamp procamp = p.procamp;
    for (int place = 0; place < 2; ++place) {
        s32* __restrict__ y = t.y[place];
        if (contrast.enable) FOR_EACH(k, COLOR_HEIGHT * at.half) y[k] = contrasted(contrast, y[k]);
        if (procamp.enable) FOR_EACH(k, COLOR_HEIGHT * at.half) y[k] = procamp_luma(procamp, y[k]);
    }
}

FN void pairs_procamp(const ColorParams& p, ColorPairs& t, PairsState at) {
    const ColorProcamp c = p.procamp;
    s32* __restrict__ u = t.u[0];
    s32* __restrict__ v = t.v[0];
    FOR_EACH(k, (1 + at.two_lines) * at.half) {
        const s32 u_in = u[k], v_in = v[k];
        u[k] = procamp_u(c, u_in, v_in);
        v[k] = procamp_v(c, u_in, v_in);
    }
}

FN void pairs_matrix(const ColorParams& p, ColorPairs& t, PairsState& at) {
    const ColorMatrix m = p.matrix;
    part_lines(t, at);
    FOR_EACH(k, COLOR_HEIGHT * at.half) {
        const s32 a = t.y[0][k], other = t.y[1][k], b = t.u[0][k], c = t.v[0][k];
        t.y[0][k] = converted<0>(m, a, b, c);
        t.u[0][k] = converted<1>(m, a, b, c);
        t.v[0][k] = converted<2>(m, a, b, c);
        t.y[1][k] = converted<0>(m, other, b, c);
        t.u[1][k] = converted<1>(m, other, b, c);
        t.v[1][k] = converted<2>(m, other, b, c);
    }
    at.two_places = 1;
}

// Every block that is on, in the order of the pipe.
FN_APART PairsState run_pair_blocks(const ColorParams& p, ColorPairs& t, PairsState at) {
    if (p.skin.detect) {
        pairs_skin(p, t, at);
    } else {
        FOR_EACH(k, COLOR_HEIGHT * at.half) t.score[k] = 0;
    }
    if (p.gamut.enable) pairs_gamut(p, t, at);
    if (p.control.enable) pairs_control(p, t, at);
    pairs_luma(p, t, at);
    if (p.procamp.enable) pairs_procamp(p, t, at);
    if (p.matrix.enable) pairs_matrix(p, t, at);
    return at;
}

// One component of the tile to the picture. values: of both places in the pairs. two_lines: whether the lower
// line has values of its own.
template <typename T>
FN_APART void store_pairs(const ColorParams& p, const ColorPlane& plane, s32 x0, s32 y0, s32 width, s32 half, s32 two_lines,
                    const s32* __restrict__ first_place, const s32* __restrict__ second_place) {
    if (!plane.dst) return;
    const s32 step = plane.dst_step, shift = plane.dst_shift, bits = plane.dst_bits;
    const s32 lines = plane.dst_log2_height ? 1 : min_of<s32>(COLOR_HEIGHT, p.height - y0);
    const bool first = p.first_chroma, both = plane.dst_log2_height;
    FOR_LINES(r, lines) {
        const s64 row = (y0 + r) >> plane.dst_log2_height;
        const s32 from = two_lines ? r * half : 0, below = both && two_lines ? from + half : from;
        T* __restrict__ out = (T*)((u8*)plane.dst + row * plane.dst_pitch_B) + (s64)(x0 >> plane.dst_log2_width) * step;
        if (plane.dst_log2_width && first_place == second_place && step == 1 && from == below) {
            FOR_LINE(k, half) out[k] = (T)(from_pipe(first_place[from + k], bits) << shift);
        } else if (plane.dst_log2_width) {
            FOR_LINE(k, half) {
                const s32 upper = (first_place[from + k] + second_place[from + k]) >> 1;
                const s32 lower = (first_place[below + k] + second_place[below + k]) >> 1;
                const s32 value = first ? first_place[from + k] : (upper + lower) >> 1;
                out[(s64)k * step] = (T)(from_pipe(value, bits) << shift);
            }
        } else if (step == 1) {
            FOR_LINE(k, width >> 1) {
                out[2 * k] = (T)(from_pipe(first_place[from + k], bits) << shift);
                out[2 * k + 1] = (T)(from_pipe(second_place[from + k], bits) << shift);
            }
        } else {
            FOR_LINE(k, width >> 1) {
                out[(s64)(2 * k) * step] = (T)(from_pipe(first_place[from + k], bits) << shift);
                out[(s64)(2 * k + 1) * step] = (T)(from_pipe(second_place[from + k], bits) << shift);
            }
        }
        if (!plane.dst_log2_width && (width & 1)) {
            FOR_LINE(k, 1) out[(s64)(width - 1) * step] = (T)(from_pipe(first_place[from + (width >> 1)], bits) << shift);
        }
    }
}

// What was found out about each pixel of the pairs.
FN_APART void store_pair_findings(u8* bytes, s32 pitch_B, s32 x0, s32 y0, s32 width, s32 height, s32 half,
                            const s32* __restrict__ first, const s32* __restrict__ second) {
    if (!bytes) return;
    FOR_LINES(r, min_of<s32>(COLOR_HEIGHT, height - y0)) {
        u8* __restrict__ out = bytes + (s64)(y0 + r) * pitch_B + x0;
        FOR_LINE(k, (width + 1) >> 1) out[2 * k] = (u8)first[r * half + k];
        FOR_LINE(k, width >> 1) out[2 * k + 1] = (u8)second[r * half + k];
    }
}

template <typename From, typename To>
FN void pairs_tile(const ColorParams& p, ColorPairs& t, s32 x0, s32 y0, s32 width) {
    const bool alike = p.planes[1].src_log2_height && p.planes[2].src_log2_height;
    PairsState at = {(width + 1) >> 1, !alike, 0, p.skin.detect};
    load_pairs<From>(p, x0, y0, width, at, t);
    at = run_pair_blocks(p, t, at);
    store_pairs<To>(p, p.planes[0], x0, y0, width, at.half, 1, t.y[0], t.y[1]);
    store_pairs<To>(p, p.planes[1], x0, y0, width, at.half, at.two_lines, t.u[0], t.u[at.two_places]);
    store_pairs<To>(p, p.planes[2], x0, y0, width, at.half, at.two_lines, t.v[0], t.v[at.two_places]);
    copy_alpha<From, To>(p, x0, y0, width);
    store_pair_findings(p.score, p.score_pitch_B, x0, y0, width, p.height, at.half, t.score, t.score);
    if (p.gamut.enable) {
        store_pair_findings(p.outside, p.outside_pitch_B, x0, y0, width, p.height, at.half, t.outside[0], t.outside[1]);
    }
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
