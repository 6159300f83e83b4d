// High dynamic range to standard: PQ or HLG of BT.2020 to BT.709 of a display that is white at `white` (docs/tonemap.md).
// Light is 1.0 at that white. Floats: what is rounded, and in which order, is the same everywhere.
#pragma once
#include "portable.h"

enum {
    TONEMAP_WIDTH = ON_DEVICE(256, 128),  // even
    TONEMAP_LINES = 2,                    // that share the chroma of 4:2:0
    TONEMAP_PIXELS = TONEMAP_LINES * TONEMAP_WIDTH,
    PEAK_LINES = ON_DEVICE(32, 8),  // that a tile of the measurement counts: a GPU wants many
    CODE_WHITE = 16384,
    CODE_SHIFT = 13,  // fraction bits of the coefficients that make codes
    PLACE_BITS = 17,  // a curve has an entry for the bits of a float above these: 64 per octave
    FIRST_PLACE = (127 - 32) << 23,  // 2^-32
    CURVE_PIECES = 40 * 64,          // up to 2^8
    BIN_BITS = 19,                   // 16 bins per octave
    PEAK_BINS = 40 * 16,
    PEAK_PARTS = 4  // of the counts, that take turns, so that equal neighbors do not wait for each other
};

struct Weights {
    float r, g, b;
};

struct TonemapPlane {
    const void* src;
    void* dst;
    s32 src_pitch_B, dst_pitch_B;
    s32 src_step, dst_step;
    s32 src_shift, dst_shift;
};
static_assert(sizeof(TonemapPlane) == 40, "parameter layout");

struct TonemapParams {
    TonemapPlane planes[3];  // Y, U, V
    const float* light;      // of codes 0 to CODE_WHITE
    const float* system;     // HLG's factor over the luminance of its light, or null
    const float* gain;       // over the largest of R, G, B of BT.709
    const float* code;       // R', G' or B' of light
    u32* sums;               // of the measurement: a row of PEAK_BINS per row of tiles
    s32 sums_pitch_B;
    s32 width, height;
    s32 src_max;                      // largest sample
    s32 log2_width, log2_height;      // subsampling of chroma
    s32 decode[9], offsets[3];        // samples less their offsets to codes
    Weights luminance, primaries[3];  // of BT.2020's light: its luminance, and R, G, B of BT.709
    Weights luma;                     // of R', G', B'
    float luma_scale, luma_offset;    // Y' to samples; the offset holds what rounds to the nearest
    float u_scale, v_scale, chroma_offset;  // sums of B' - Y' and R' - Y' to samples
    float dst_end;                          // the largest sample and that
    s32 pad_;
};
static_assert(sizeof(TonemapParams) == 320, "parameter layout");

struct TonemapTile {
    s32 samples[3][TONEMAP_PIXELS];
    float parts[3][TONEMAP_PIXELS];  // R, G, B, then Y', B' - Y', R' - Y'
};

// A curve's value: straight between its entries, the first of which stands for 0.
FN float curve_at(const float* __restrict__ curve, float v) {
    const s32 last = FIRST_PLACE + (CURVE_PIECES << PLACE_BITS) - 1;
    const s32 place = clamp_to<s32>((s32)bits_of_float(v), FIRST_PLACE, last) - FIRST_PLACE;
    const s32 piece = place >> PLACE_BITS;
    const float along = (float)(place & ((1 << PLACE_BITS) - 1)) * (1.0f / (1 << PLACE_BITS));
    const float a = curve[piece], b = curve[piece + 1];
    return a + along * (b - a);
}

FN float weighted(Weights weights, float r, float g, float b) { return (weights.r * r + weights.g * g) + weights.b * b; }

template <int ROW> FN s32 code_of_row(const TonemapParams& p, s32 y, s32 u, s32 v) {
    const s32 sum = p.decode[3 * ROW] * y + p.decode[3 * ROW + 1] * u + p.decode[3 * ROW + 2] * v;
    return clamp_to<s32>((sum + (1 << (CODE_SHIFT - 1))) >> CODE_SHIFT, 0, CODE_WHITE);
}

// How much of the way from gray a color may go whose lowest part is below 0.
FN float share_inside(float gray, float lowest) {
    const float least = 1.0f / (1ull << 60);  // no division by 0
    return gray / max_of(max_of(gray - lowest, gray), least);
}

// Phase: one component of two lines; columns and lines outside the picture repeat the last.
template <typename T>
FN void load_lines(const TonemapParams& p, int component, s32 x0, s32 y0, s32 pitch, s32* __restrict__ out) {
    const TonemapPlane plane = p.planes[component];
    const s32 half = component ? p.log2_width : 0, log2_height = component ? p.log2_height : 0;
    const s32 step = plane.src_step, shift = plane.src_shift, max = p.src_max;
    const s32 last = ((p.width - 1) >> half) - (x0 >> half);  // the picture's last sample, counted from the tile's first
    const s32 samples = min_of(pitch >> half, last + 1);
    FOR_LINES(r, TONEMAP_LINES) {
        const s64 row = min_of(y0 + r, p.height - 1) >> log2_height;
        const T* __restrict__ in = (const T*)((const u8*)plane.src + row * plane.src_pitch_B) + (s64)(x0 >> half) * step;
        s32* __restrict__ line = out + r * pitch;
        if (half) {
            FOR_LINE(i, samples) {
                const s32 value = (in[(s64)i * step] >> shift) & max;
                line[2 * i] = value;
                line[2 * i + 1] = value;
            }
        } else {
            FOR_LINE(i, samples) line[i] = (in[(s64)i * step] >> shift) & max;
        }
        FOR_LINE(i, pitch - (samples << half)) line[(samples << half) + i] = (in[(s64)last * step] >> shift) & max;
    }
}

// Phase: samples to light.
FN_APART void light_of_samples(const TonemapParams& params, TonemapTile& t, s32 pixels) {
    const TonemapParams p = params;
    const float* __restrict__ light = p.light;
    const s32* __restrict__ y = t.samples[0];
    const s32* __restrict__ u = t.samples[1];
    const s32* __restrict__ v = t.samples[2];
    float* __restrict__ red = t.parts[0];
    float* __restrict__ green = t.parts[1];
    float* __restrict__ blue = t.parts[2];
    FOR_EACH(i, pixels) {
        const s32 a = y[i] - p.offsets[0], b = u[i] - p.offsets[1], c = v[i] - p.offsets[2];
        red[i] = light[code_of_row<0>(p, a, b, c)];
        green[i] = light[code_of_row<1>(p, a, b, c)];
        blue[i] = light[code_of_row<2>(p, a, b, c)];
    }
}

// Phase: HLG's light of the scene to that of the display.
FN_APART void light_of_scene(const TonemapParams& params, TonemapTile& t, s32 pixels) {
    const Weights luminance = params.luminance;
    const float* __restrict__ system = params.system;
    float* __restrict__ red = t.parts[0];
    float* __restrict__ green = t.parts[1];
    float* __restrict__ blue = t.parts[2];
    FOR_EACH(i, pixels) {
        const float by = curve_at(system, weighted(luminance, red[i], green[i], blue[i]));
        red[i] = red[i] * by;
        green[i] = green[i] * by;
        blue[i] = blue[i] * by;
    }
}

FN void find_light(const TonemapParams& p, TonemapTile& t, s32 pixels) {
    light_of_samples(p, t, pixels);
    BARRIER();
    if (!p.system) return;
    light_of_scene(p, t, pixels);
    BARRIER();
}

// Phase: light to Y', B' - Y' and R' - Y' of the display.
FN_APART void map_tones(const TonemapParams& params, TonemapTile& t, s32 pixels) {
    const TonemapParams p = params;
    const float* __restrict__ gain = p.gain;
    const float* __restrict__ code = p.code;
    const Weights to_red = p.primaries[0], to_green = p.primaries[1], to_blue = p.primaries[2];
    const Weights luminance = p.luminance, to_luma = p.luma;
    float* __restrict__ first = t.parts[0];
    float* __restrict__ second = t.parts[1];
    float* __restrict__ third = t.parts[2];
    FOR_EACH(i, pixels) {
        const float wide_r = first[i], wide_g = second[i], wide_b = third[i];
        const float r = weighted(to_red, wide_r, wide_g, wide_b), g = weighted(to_green, wide_r, wide_g, wide_b);
        const float b = weighted(to_blue, wide_r, wide_g, wide_b), by = curve_at(gain, max_of(max_of(r, g), b));
        const float gray = weighted(luminance, wide_r, wide_g, wide_b) * by;
        const float share = share_inside(gray, min_of(min_of(r * by, g * by), b * by));
        const float red = curve_at(code, gray + share * (r * by - gray));
        const float green = curve_at(code, gray + share * (g * by - gray));
        const float blue = curve_at(code, gray + share * (b * by - gray));
        const float luma = weighted(to_luma, red, green, blue);
        first[i] = luma;
        second[i] = blue - luma;
        third[i] = red - luma;
    }
}

FN s32 to_sample(float value, float scale, float offset, float end) {
    return (s32)clamp_to(value * scale + offset, 0.0f, end);
}

template <typename T> FN void store_luma(const TonemapParams& p, const TonemapTile& t, s32 x0, s32 y0, s32 width, s32 pitch) {
    const TonemapPlane plane = p.planes[0];
    const float scale = p.luma_scale, offset = p.luma_offset, end = p.dst_end;
    const s32 step = plane.dst_step, shift = plane.dst_shift;
    FOR_LINES(r, min_of<s32>(TONEMAP_LINES, p.height - y0)) {
        T* __restrict__ out = (T*)((u8*)plane.dst + (s64)(y0 + r) * plane.dst_pitch_B) + (s64)x0 * step;
        const float* __restrict__ line = t.parts[0] + r * pitch;
        if (step == 1) {
            FOR_LINE(i, width) out[i] = (T)(to_sample(line[i], scale, offset, end) << shift);
        } else {
            FOR_LINE(i, width) out[(s64)i * step] = (T)(to_sample(line[i], scale, offset, end) << shift);
        }
    }
}

// Phase: chroma, of subsampled layouts the sum of 2 or 4 pixels; the scale makes a mean of it.
template <typename T>
FN void store_chroma(const TonemapParams& p, int component, const float* from, s32 x0, s32 y0, s32 width, s32 pitch) {
    const TonemapPlane plane = p.planes[component];
    const float scale = component == 1 ? p.u_scale : p.v_scale, offset = p.chroma_offset, end = p.dst_end;
    const s32 step = plane.dst_step, shift = plane.dst_shift, half = p.log2_width, both = p.log2_height;
    FOR_LINES(r, both ? 1 : min_of<s32>(TONEMAP_LINES, p.height - y0)) {
        const s64 row = (y0 + r) >> both;
        T* __restrict__ out = (T*)((u8*)plane.dst + row * plane.dst_pitch_B) + (s64)(x0 >> half) * step;
        const float* __restrict__ line = from + r * pitch;
        const float* __restrict__ other = line + pitch;
        if (both) {
            FOR_LINE(i, (width + 1) >> 1) {
                const float sum = (line[2 * i] + line[2 * i + 1]) + (other[2 * i] + other[2 * i + 1]);
                out[(s64)i * step] = (T)(to_sample(sum, scale, offset, end) << shift);
            }
        } else if (half) {
            FOR_LINE(i, (width + 1) >> 1) {
                out[(s64)i * step] = (T)(to_sample(line[2 * i] + line[2 * i + 1], scale, offset, end) << shift);
            }
        } else {
            FOR_LINE(i, width) out[(s64)i * step] = (T)(to_sample(line[i], scale, offset, end) << shift);
        }
    }
}

template <typename From, typename To> FN void tonemap_tile(const TonemapParams& p, s32 tile_x, s32 tile_y) {
    SHARED TonemapTile t;
    const s32 x0 = tile_x * TONEMAP_WIDTH, y0 = tile_y * TONEMAP_LINES;
    const s32 width = min_of<s32>(TONEMAP_WIDTH, p.width - x0), pitch = (width + 1) & ~1;
    for (int c = 0; c < 3; ++c) load_lines<From>(p, c, x0, y0, pitch, t.samples[c]);
    BARRIER();
    find_light(p, t, TONEMAP_LINES * pitch);
    map_tones(p, t, TONEMAP_LINES * pitch);
    BARRIER();
    store_luma<To>(p, t, x0, y0, width, pitch);
    for (int c = 1; c < 3; ++c) store_chroma<To>(p, c, t.parts[c], x0, y0, width, pitch);
}

// Phase: the bin of each pixel's largest of R, G, B.
FN void find_bins(TonemapTile& t, s32 pixels) {
    const float* __restrict__ red = t.parts[0];
    const float* __restrict__ green = t.parts[1];
    const float* __restrict__ blue = t.parts[2];
    s32* __restrict__ bins = t.samples[0];
    FOR_EACH(i, pixels) {
        const s32 last = FIRST_PLACE + (PEAK_BINS << BIN_BITS) - 1;
        const s32 place = (s32)bits_of_float(max_of(max_of(red[i], green[i]), blue[i]));
        bins[i] = (clamp_to<s32>(place, FIRST_PLACE, last) - FIRST_PLACE) >> BIN_BITS;
    }
}

// How many pixels of PEAK_LINES lines are how bright; a tile is as wide as the picture.
template <typename From> FN void peak_tile(const TonemapParams& p, s32, s32 tile_y) {
    SHARED TonemapTile t;
    SHARED u32 counts[PEAK_PARTS * PEAK_BINS];
    FOR_EACH(i, PEAK_PARTS * PEAK_BINS) counts[i] = 0;
    const s32 begin = tile_y * PEAK_LINES, end = min_of<s32>(begin + PEAK_LINES, p.height);
    for (s32 y0 = begin; y0 < end; y0 += TONEMAP_LINES)
        for (s32 x0 = 0; x0 < p.width; x0 += TONEMAP_WIDTH) {
            const s32 width = min_of<s32>(TONEMAP_WIDTH, p.width - x0), pitch = (width + 1) & ~1;
            for (int c = 0; c < 3; ++c) load_lines<From>(p, c, x0, y0, pitch, t.samples[c]);
            BARRIER();
            find_light(p, t, TONEMAP_LINES * pitch);
            find_bins(t, TONEMAP_LINES * pitch);
            BARRIER();
            for (s32 r = 0; r < min_of<s32>(TONEMAP_LINES, end - y0); ++r)
                FOR_ITEMS(i, width) add_shared(&counts[i % PEAK_PARTS * PEAK_BINS + t.samples[0][r * pitch + i]], 1);
            BARRIER();
        }
    u32* __restrict__ out = (u32*)((u8*)p.sums + (s64)tile_y * p.sums_pitch_B);
    FOR_EACH(i, PEAK_BINS) {
        u32 sum = 0;
        for (s32 part = 0; part < PEAK_PARTS; ++part) sum += counts[part * PEAK_BINS + i];
        out[i] = sum;
    }
}
