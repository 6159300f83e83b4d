// The color pipe (seed 003:6028-6814): two lines at a time are unpacked to 12 bits, go through the blocks that are on,
// and are packed again. Pixels are in pairs, because 4:2:2 pairs share their chroma. docs/color.md.
#pragma once
#include "color_gamut.h"
#include "color_matrix.h"
#include "color_primaries.h"
#include "color_skin.h"
#include "color_tone.h"
#include "doubled_lines.h"
#include "portable_lines.h"

enum { COLOR_WIDTH = ON_DEVICE(256, 128), COLOR_HEIGHT = 2 };

// One component: Y or R, U or G, V or B, A. Without a source it is `fill` (A: opaque); without a destination it is
// dropped.
struct ColorPlane {
    const void* src;
    void* dst;
    s32 src_pitch_B, dst_pitch_B;
    s32 src_step, dst_step;
    s32 src_shift, dst_shift;
    s32 src_bits, dst_bits;
    s32 src_log2_width, src_log2_height, dst_log2_width, dst_log2_height;  // subsampling
    s32 fill;  // 12 bits
    s32 pad_;
};
static_assert(sizeof(ColorPlane) == 72, "parameter layout");

enum Pairing { SEPARATE = 0, SHARED_CHROMA = 1, FORCED_AVERAGE = 2, DETECTED = 3 };

struct ColorParams {
    ColorPlane planes[4];
    u8* score;            // where skin scores go, or null
    u8* outside;          // where 1 goes for a pixel outside the gamut and 0 for the others, or null
    const s32* vertices;  // of the gamut compression
    const s32* curves;    // of the primaries
    const s16* doubling;  // taps of 32 phases, eight each, that double chroma of half the size on its way in, or null
    s32 score_pitch_B, outside_pitch_B;
    s32 width, height;
    s32 pairing;
    s32 first_chroma;  // a subsampled destination takes pixel 0 of its pixels, not their average
    s32 chroma_y;      // of doubled chroma: where line 0 of the picture lies in it, in 1/32 of its lines
    ColorSkin skin;
    ColorPrimaries primaries;
    ColorGamut gamut;
    ColorControl control;
    ColorContrast contrast;
    ColorProcamp procamp;
    ColorMatrix matrix;
};
static_assert(sizeof(ColorParams) == 1288, "parameter layout");

// Scratch of a tile: both lines of every component, `pitch` (even) samples each.
struct ColorTile {
    s32 parts[3][COLOR_HEIGHT * COLOR_WIDTH];
    s32 score[COLOR_HEIGHT * COLOR_WIDTH], dark[COLOR_HEIGHT * COLOR_WIDTH];
    s32 scaling[COLOR_HEIGHT * COLOR_WIDTH], outside[COLOR_HEIGHT * COLOR_WIDTH];
    s32 shared[COLOR_WIDTH / 2];  // whether a pair of columns shares chroma
};

FN s32 to_pipe(s32 sample, s32 bits) { return bits > 12 ? sample >> (bits - 12) : sample * (1 << (12 - bits)); }
FN s32 from_pipe(s32 value, s32 bits) { return bits > 12 ? value * (1 << (bits - 12)) : value >> (12 - bits); }

// How samples of an element type lie in the pipe; bytes are known to be plain.
template <typename T> struct Depth {
    s32 shift, bits;
    FN_MEMBER s32 in(T element) const { return to_pipe((element >> shift) & ((1 << bits) - 1), bits); }
    FN_MEMBER T out(s32 value) const { return (T)(from_pipe(value, bits) << shift); }
};
template <> struct Depth<u8> {
    s32 shift, bits;
    FN_MEMBER s32 in(u8 element) const { return element * 16; }
    FN_MEMBER u8 out(s32 value) const { return (u8)(value >> 4); }
};

// Phase: one component of the tile; columns and lines outside the picture repeat the last.
template <typename T>
FN_ONCE void load_component(const ColorParams& p, const ColorPlane& plane, s32 x0, s32 y0, s32 pitch, s32* __restrict__ out) {
    if (!plane.src) {
        const s32 fill = plane.fill;
        FOR_EACH(i, COLOR_HEIGHT * pitch) out[i] = fill;
        return;
    }
    const s32 step = plane.src_step, shift = plane.src_shift, bits = plane.src_bits, half = plane.src_log2_width;
    const s32 mask = (1 << bits) - 1;
    const s32 last = ((p.width - 1) >> half) - (x0 >> half);  // the picture's last sample, counted from the tile's first
    const s32 samples = min_of(pitch >> half, last + 1);
    FOR_LINES(r, COLOR_HEIGHT) {
        const s64 row = min_of(y0 + r, p.height - 1) >> plane.src_log2_height;
        const T* __restrict__ in = (const T*)((const u8*)plane.src + row * plane.src_pitch_B) + (s64)(x0 >> half) * step;
        s32* __restrict__ line = out + r * pitch;
        if (half) {
            FOR_LINE(i, samples) {
                const s32 value = to_pipe((in[(s64)i * step] >> shift) & mask, bits);
                put_twins(line + 2 * i, value, value);
            }
        } else if (step == 1) {
            FOR_LINE(i, samples) line[i] = to_pipe((in[i] >> shift) & mask, bits);
        } else {
            FOR_LINE(i, samples) line[i] = to_pipe((in[(s64)i * step] >> shift) & mask, bits);
        }
        FOR_LINE(i, pitch - (samples << half)) line[(samples << half) + i] =
            to_pipe((in[(s64)last * step] >> shift) & mask, bits);
    }
}

// Four lines of a chroma plane around one of the picture's, and the phase of their taps.
struct DoubledLines {
    const u8* line[4];
    s32 phase;
};
FN DoubledLines doubled_lines(const ColorParams& p, const ColorPlane& plane, s32 y) {
    const s32 position = p.chroma_y + 16 * y, last = ((p.height + 1) >> 1) - 1;
    DoubledLines found;
    found.phase = position & 31;
    for (s32 j = 0; j < 4; ++j)
        found.line[j] = (const u8*)plane.src + (s64)clamp_to((position >> 5) + j - 1, 0, last) * plane.src_pitch_B;
    return found;
}

// Phase: chroma bytes of half the size at every pixel, by four taps down and, between columns, four across.
FN void load_doubled(const ColorParams& p, const ColorPlane& plane, s32 x0, s32 y0, s32 pitch, s32* __restrict__ out) {
    const s16 *taps = p.doubling, *across = taps + 16 * 8 + 2;
    const s32 last = ((p.width + 1) >> 1) - 1;
    FOR_LINES(r, COLOR_HEIGHT) {
        const DoubledLines at = doubled_lines(p, plane, min_of(y0 + r, p.height - 1));
        const s16* down = taps + at.phase * 8 + 2;
        FOR_LINE(i, pitch) {
            s32 sums[4];
            UNROLL for (s32 k = 0; k < 4; ++k) {
                const s32 x = clamp_to(((x0 + i) >> 1) + k - 1, 0, last);
                sums[k] = down[0] * at.line[0][x] + down[1] * at.line[1][x] + down[2] * at.line[2][x] + down[3] * at.line[3][x];
            }
            const s32 between = across[0] * sums[0] + across[1] * sums[1] + across[2] * sums[2] + across[3] * sums[3];
            out[r * pitch + i] = clamp_to((((i & 1) ? between : 64 * sums[1]) + (1 << 11)) >> 12, 0, 255) * 16;
        }
    }
}

// Phase: which pairs share chroma; 4:4:4 chroma that is taken as 4:2:2 is averaged (6098-6122).
FN void pair_chroma(s32 pairing, ColorTile& t, s32 pitch) {
    s32* __restrict__ shared = t.shared;
    if (pairing < FORCED_AVERAGE) {
        FOR_EACH(k, pitch / 2) shared[k] = pairing;
        return;
    }
    s32* __restrict__ upper_u = t.parts[1];
    s32* __restrict__ lower_u = t.parts[1] + pitch;
    s32* __restrict__ upper_v = t.parts[2];
    s32* __restrict__ lower_v = t.parts[2] + pitch;
    const s32 always = pairing == FORCED_AVERAGE;
    FOR_EACH(k, pitch / 2) {
        const s32 a = upper_u[2 * k], b = upper_u[2 * k + 1], c = lower_u[2 * k], d = lower_u[2 * k + 1];
        const s32 e = upper_v[2 * k], f = upper_v[2 * k + 1], g = lower_v[2 * k], h = lower_v[2 * k + 1];
        const s32 different = ((a ^ b) | (c ^ d) | (e ^ f) | (g ^ h)) >> 4;
        const s32 average = always | (different == 0);
        upper_u[2 * k] = average ? (a + b) >> 1 : a;
        upper_u[2 * k + 1] = average ? (a + b) >> 1 : b;
        lower_u[2 * k] = average ? (c + d) >> 1 : c;
        lower_u[2 * k + 1] = average ? (c + d) >> 1 : d;
        upper_v[2 * k] = average ? (e + f) >> 1 : e;
        upper_v[2 * k + 1] = average ? (e + f) >> 1 : f;
        lower_v[2 * k] = average ? (g + h) >> 1 : g;
        lower_v[2 * k + 1] = average ? (g + h) >> 1 : h;
        shared[k] = average;
    }
}

// Phase: a factor of pairs that share chroma becomes one (6126-6150).
FN void combine_pairs(s32 mode, const s32* __restrict__ shared, s32* __restrict__ factor, s32 pitch) {
    FOR_LINES(r, COLOR_HEIGHT) {
        s32* __restrict__ line = factor + r * pitch;
        FOR_LINE(k, pitch / 2) {
            const s32 a = line[2 * k], b = line[2 * k + 1], both = combined(mode, a, b);
            line[2 * k] = shared[k] ? both : a;
            line[2 * k + 1] = shared[k] ? both : b;
        }
    }
}

// Whether anything in a tile is not 0, on the host, which then skips what would change nothing; a device's threads would
// have to look at all of it each.
FN bool any_of(const s32* __restrict__ values, s32 count) {
    s32 any = ON_DEVICE(0, 1);
    for (s32 i = 0; i < ON_DEVICE(count, 0); ++i) any |= values[i];
    return any;
}

FN void detect_skin(const ColorParams& p, ColorTile& t, s32 pitch) {
    const ColorSkin s = p.skin;
    const s32* __restrict__ y = t.parts[0];
    const s32* __restrict__ u = t.parts[1];
    const s32* __restrict__ v = t.parts[2];
    s32* __restrict__ score = t.score;
    s32* __restrict__ dark = t.dark;
    FOR_EACH(i, COLOR_HEIGHT * pitch) {
        score[i] = skin_score(s, y[i], u[i], v[i]);
        dark[i] = dark_membership(s, y[i]);
    }
    BARRIER();
    combine_pairs(s.score_mode, t.shared, score, pitch);
    combine_pairs(s.dark_mode, t.shared, dark, pitch);
    BARRIER();
}

// Phase: chroma of the skin, or the scores instead of the picture.
FN void enhance_skin(const ColorParams& p, ColorTile& t, s32 pitch) {
    const ColorSkin s = p.skin;
    s32* __restrict__ y = t.parts[0];
    s32* __restrict__ u = t.parts[1];
    s32* __restrict__ v = t.parts[2];
    const s32* __restrict__ score = t.score;
    const s32* __restrict__ dark = t.dark;
    if (s.enhance && any_of(score, COLOR_HEIGHT * pitch)) {
        FOR_EACH(i, COLOR_HEIGHT * pitch) {
            const Chroma chroma = enhanced(s, u[i], v[i], score[i], dark[i]);
            u[i] = chroma.u;
            v[i] = chroma.v;
        }
    }
    if (s.output_scores) {
        FOR_EACH(i, COLOR_HEIGHT * pitch) {
            y[i] = 0x7FF + score[i] * 64;
            u[i] = 0x7FF;
            v[i] = 0x7FF;
        }
    }
}

// Phase: pixels as xvYCC of other primaries.
FN void change_primaries(const ColorParams& p, ColorTile& t, s32 pitch) {
    const ColorPrimaries q = p.primaries;
    const s32* __restrict__ curves = p.curves;
    s32* __restrict__ y = t.parts[0];
    s32* __restrict__ u = t.parts[1];
    s32* __restrict__ v = t.parts[2];
    FOR_EACH(i, COLOR_HEIGHT * pitch) {
        const PrimariesPixel made = with_primaries(q, curves, y[i], u[i], v[i]);
        y[i] = made.y;
        u[i] = made.u;
        v[i] = made.v;
    }
}

// Phase: pixels outside the gamut, or near its boundary, are drawn inward (6816-7051).
FN void compress_gamut(const ColorParams& p, ColorTile& t, s32 pitch) {
    const ColorGamut g = p.gamut;
    const s32* __restrict__ vertices = p.vertices;
    s32* __restrict__ y = t.parts[0];
    s32* __restrict__ u = t.parts[1];
    s32* __restrict__ v = t.parts[2];
    s32* __restrict__ scaling = t.scaling;
    s32* __restrict__ outside = t.outside;
    FOR_EACH(i, COLOR_HEIGHT * pitch) {
        outside[i] = gamut_place(vertices, decoded_luma(g, y[i]), decoded_chroma(g, u[i]), decoded_chroma(g, v[i])).outside;
    }
    if (!g.full_range_mapping && !any_of(outside, COLOR_HEIGHT * pitch)) return;
    FOR_EACH(i, COLOR_HEIGHT * pitch) {
        const s32 luma = decoded_luma(g, y[i]), u_in = decoded_chroma(g, u[i]), v_in = decoded_chroma(g, v[i]);
        const GamutPixel found = compressed(g, gamut_place(vertices, luma, u_in, v_in));
        y[i] = found.luma == luma ? y[i] : encoded_luma(g, found.luma);
        scaling[i] = found.scaling;
    }
    BARRIER();
    combine_pairs(g.scaling_mode, t.shared, scaling, pitch);
    BARRIER();
    FOR_EACH(i, COLOR_HEIGHT * pitch) {
        const s32 u_new = decoded_chroma(g, u[i]) * scaling[i] >> 12, v_new = decoded_chroma(g, v[i]) * scaling[i] >> 12;
        u[i] = scaling[i] == 4096 ? u[i] : encoded_chroma(g, u_new);
        v[i] = scaling[i] == 4096 ? v[i] : encoded_chroma(g, v_new);
    }
}

FN void control_color(const ColorParams& p, ColorTile& t, s32 pitch) {
    const ColorControl c = p.control;
    s32* __restrict__ u = t.parts[1];
    s32* __restrict__ v = t.parts[2];
    const s32* __restrict__ score = t.score;
    FOR_EACH(i, COLOR_HEIGHT * pitch) {
        const s32 u10 = (u[i] >> 2) - 512, v10 = (v[i] >> 2) - 512;
        const s32 factor = saturation_factor(c, u10, v10, score[i]);
        u[i] = color_controlled(u10, factor);
        v[i] = color_controlled(v10, factor);
    }
}

FN void apply_contrast(const ColorParams& p, ColorTile& t, s32 pitch) {
    const ColorContrast c = p.contrast;
    s32* __restrict__ y = t.parts[0];
    FOR_EACH(i, COLOR_HEIGHT * pitch) {
        const s32 luma = y[i];
        y[i] = contrasted(c, luma);
    }
}

FN void apply_procamp(const ColorParams& p, ColorTile& t, s32 pitch) {
    const ColorProcamp c = p.procamp;
    s32* __restrict__ y = t.parts[0];
    s32* __restrict__ u = t.parts[1];
    s32* __restrict__ v = t.parts[2];
    FOR_EACH(i, COLOR_HEIGHT * pitch) {
        const s32 u_in = u[i], v_in = v[i];
        y[i] = procamp_luma(c, y[i]);
        u[i] = procamp_u(c, u_in, v_in);
        v[i] = procamp_v(c, u_in, v_in);
    }
}

FN void convert_space(const ColorParams& p, ColorTile& t, s32 pitch) {
    const ColorMatrix m = p.matrix;
    s32* __restrict__ y = t.parts[0];
    s32* __restrict__ u = t.parts[1];
    s32* __restrict__ v = t.parts[2];
    FOR_EACH(i, COLOR_HEIGHT * pitch) {
        const s32 a = y[i], b = u[i], c = v[i];
        y[i] = converted<0>(m, a, b, c);
        u[i] = converted<1>(m, a, b, c);
        v[i] = converted<2>(m, a, b, c);
    }
}

// Phase: one component of the tile to the picture (6066, 8668).
template <typename T>
FN_ONCE void store_component(const ColorParams& p, const ColorPlane& plane, s32 x0, s32 y0, s32 width, s32 pitch,
                        const s32* __restrict__ from) {
    if (!plane.dst) return;
    const s32 step = plane.dst_step, shift = plane.dst_shift, bits = plane.dst_bits, half = plane.dst_log2_width;
    const s32 lines = plane.dst_log2_height ? 1 : min_of<s32>(COLOR_HEIGHT, p.height - y0);
    const bool first = p.first_chroma, both = plane.dst_log2_height;
    FOR_LINES(r, lines) {
        const s64 row = (y0 + r) >> plane.dst_log2_height;
        T* __restrict__ out = (T*)((u8*)plane.dst + row * plane.dst_pitch_B) + (s64)(x0 >> half) * step;
        const s32* __restrict__ line = from + r * pitch;
        const s32* __restrict__ other = both ? line + pitch : line;
        if (half) {
            FOR_LINE(i, (width + 1) >> 1) {
                const Twins<s32> above = twins_at(line + 2 * i), below = twins_at(other + 2 * i);
                const s32 upper = (above.first + above.second) >> 1, lower = (below.first + below.second) >> 1;
                const s32 value = first ? above.first : (upper + lower) >> 1;
                out[(s64)i * step] = (T)(from_pipe(value, bits) << shift);
            }
        } else if (step == 1) {
            FOR_LINE(i, width) out[i] = (T)(from_pipe(line[i], bits) << shift);
        } else {
            FOR_LINE(i, width) out[(s64)i * step] = (T)(from_pipe(line[i], bits) << shift);
        }
    }
}

// Where the bytes of four components are in words of a picture, opaque ones that are stored in one go.
struct WordPlaces {
    u8* first;
    s32 y, u, v;   // bits to shift by
    bool whole;    // whether they are such words
    bool triples;  // whether they are those of three components, without the byte that is opaque
};

template <typename T> FN WordPlaces word_places(const ColorParams& p) {
    const ColorPlane* planes = p.planes;
    const s32 count = planes[3].dst ? 4 : 3;
    u64 first = (u64)planes[0].dst, last = first;
    bool bytes = sizeof(T) == 1 && !planes[3].src;
    for (int c = 0; c < 4; ++c) {
        if (c == count) break;
        const ColorPlane& plane = planes[c];
        first = min_of(first, (u64)plane.dst);
        last = max_of(last, (u64)plane.dst);
        bytes &= plane.dst && plane.dst_step == count && !plane.dst_log2_width && !plane.dst_log2_height;
    }
    bytes &= last - first == (u64)(count - 1);
    const bool aligned = first % 4 == 0 && planes[0].dst_pitch_B % 4 == 0;
    // Bits of bytes that are neighbors; planes of their own may be any distance apart.
    const s32 y = (s32)(8 * (u32)((u64)planes[0].dst - first)), u = (s32)(8 * (u32)((u64)planes[1].dst - first));
    const s32 v = (s32)(8 * (u32)((u64)planes[2].dst - first));
    return {(u8*)first, y, u, v, bytes && count == 4 && aligned, bytes && count == 3};
}

// Phase: all components of the tile to such a picture.
FN_APART void store_words(const ColorParams& p, WordPlaces at, s32 x0, s32 y0, s32 width, s32 pitch, const ColorTile& t) {
    const s32 y = at.y, u = at.u, v = at.v;
    const u32 opaque = ~(255u << y | 255u << u | 255u << v);
    FOR_LINES(r, min_of<s32>(COLOR_HEIGHT, p.height - y0)) {
        u32* __restrict__ out = (u32*)(at.first + (s64)(y0 + r) * p.planes[0].dst_pitch_B) + x0;
        const s32* __restrict__ a = t.parts[0] + r * pitch;
        const s32* __restrict__ b = t.parts[1] + r * pitch;
        const s32* __restrict__ c = t.parts[2] + r * pitch;
        FOR_LINE(i, width) out[i] = opaque | (u32)(a[i] >> 4) << y | (u32)(b[i] >> 4) << u | (u32)(c[i] >> 4) << v;
    }
}

// Phase: what was found out about each pixel.
FN void store_findings(u8* bytes, s32 pitch_B, s32 x0, s32 y0, s32 width, s32 height, s32 pitch,
                    const s32* __restrict__ from) {
    if (!bytes) return;
    FOR_LINES(r, min_of<s32>(COLOR_HEIGHT, height - y0)) {
        u8* __restrict__ out = bytes + (s64)(y0 + r) * pitch_B + x0;
        FOR_LINE(i, width) out[i] = (u8)from[r * pitch + i];
    }
}

// Phase: alpha passes by the pipe; in another depth it is rounded to the nearest.
template <typename From, typename To> FN_ONCE void copy_alpha(const ColorParams& p, s32 x0, s32 y0, s32 width) {
    const ColorPlane& plane = p.planes[3];
    if (!plane.dst) return;
    const s32 from_step = plane.src_step, from_shift = plane.src_shift, step = plane.dst_step, shift = plane.dst_shift;
    const u32 from_max = (1u << plane.src_bits) - 1, max = (1u << plane.dst_bits) - 1;
    FOR_LINES(r, min_of<s32>(COLOR_HEIGHT, p.height - y0)) {
        To* __restrict__ out = (To*)((u8*)plane.dst + (s64)(y0 + r) * plane.dst_pitch_B) + (s64)x0 * step;
        if (!plane.src) {
            FOR_LINE(i, width) out[(s64)i * step] = (To)(max << shift);
            continue;
        }
        const From* __restrict__ in =
            (const From*)((const u8*)plane.src + (s64)(y0 + r) * plane.src_pitch_B) + (s64)x0 * from_step;
        if (from_max == max) {
            FOR_LINE(i, width) out[(s64)i * step] = (To)(((in[(s64)i * from_step] >> from_shift) & max) << shift);
        } else {
            FOR_LINE(i, width) {
                const u32 alpha = ((u32)in[(s64)i * from_step] >> from_shift) & from_max;
                out[(s64)i * step] = (To)((alpha * max + from_max / 2) / from_max << shift);
            }
        }
    }
}

// Phases: every block that is on, in the order of the pipe.
FN_APART void run_blocks(const ColorParams& p, ColorTile& t, s32 pitch) {
    pair_chroma(p.pairing, t, pitch);
    BARRIER();
    if (p.skin.detect) {
        detect_skin(p, t, pitch);
        enhance_skin(p, t, pitch);
    } else {
        FOR_EACH(i, COLOR_HEIGHT * pitch) t.score[i] = 0;
    }
    if (p.primaries.enable) change_primaries(p, t, pitch);
    if (p.gamut.enable) compress_gamut(p, t, pitch);
    if (p.control.enable) control_color(p, t, pitch);
    if (p.contrast.enable) apply_contrast(p, t, pitch);
    if (p.procamp.enable) apply_procamp(p, t, pitch);
    if (p.matrix.enable) convert_space(p, t, pitch);
}

template <typename From, typename To>
FN void pixels_tile(const ColorParams& p, ColorTile& t, s32 x0, s32 y0, s32 width) {
    const s32 pitch = (width + 1) & ~1;
    const bool doubles = ON_DEVICE(sizeof(From) == 1 && p.doubling, false);
    for (int c = 0; c < 3; ++c) {
        if (doubles && c) {
            load_doubled(p, p.planes[c], x0, y0, pitch, t.parts[c]);
        } else {
            load_component<From>(p, p.planes[c], x0, y0, pitch, t.parts[c]);
        }
    }
    BARRIER();
    run_blocks(p, t, pitch);
    BARRIER();
    const WordPlaces words = word_places<To>(p);
    if (words.whole) {
        store_words(p, words, x0, y0, width, pitch, t);
    } else {
        for (int c = 0; c < 3; ++c) store_component<To>(p, p.planes[c], x0, y0, width, pitch, t.parts[c]);
        copy_alpha<From, To>(p, x0, y0, width);
    }
    store_findings(p.score, p.score_pitch_B, x0, y0, width, p.height, pitch, t.score);
    if (p.gamut.enable) store_findings(p.outside, p.outside_pitch_B, x0, y0, width, p.height, pitch, t.outside);
}
