// Smaller mip levels: values of a level through rows of filter taps, one axis at a time.
//
// The taps are plain tables that texsamp/surface/mips.py computes. A sum starts with its first product and adds the
// others in the order of the taps, every operation rounded to float.
#pragma once
#include "formats.h"

enum { MIP_RUN = ON_DEVICE(8192, 1024), MIP_VALUES = ON_DEVICE(24576, 3072) };  // of a tile; texsamp/surface/mips.py

struct MipAxisParams {
    const float* source;   // axes: outer, from, run
    float* target;         // axes: outer, to, run
    const s32* samples;    // [to][taps]: which input samples
    const float* weights;  // [to][taps]
    const s32* counts;     // [to]: how many of the taps are used, at least one
    s32 from, to;          // samples along the axis
    s32 run;               // values of one sample
    s32 taps;
    s32 lines;  // the lines of all tiles: rows of the target along x, samples of it along y and z
    s32 lines_per_tile;
};
static_assert(sizeof(MipAxisParams) == 64, "parameter layout");

// Along y and z: a line is one sample of the target, a long run of values that share their taps.
FN void mips_down_tile(const MipAxisParams& p, s32 tile_x, s32 tile_y) {
    const s32 first = tile_y * p.lines_per_tile, end = min_of(first + p.lines_per_tile, p.lines);
    const s64 left = (s64)tile_x * MIP_RUN;
    const s32 run = (s32)min_of((s64)p.run - left, (s64)MIP_RUN);
    FOR_LINES(k, end - first) {
        const s32 line = first + k, outer = line / p.to, sample = line % p.to;
        const float* __restrict__ source = p.source + (s64)outer * p.from * p.run + left;
        const s32* samples = p.samples + (s64)sample * p.taps;
        const float* weights = p.weights + (s64)sample * p.taps;
        const s32 count = p.counts[sample];
        float* __restrict__ target = p.target + (s64)line * p.run + left;
        {
            const float* __restrict__ in = source + (s64)samples[0] * p.run;
            const float weight = weights[0];
            FOR_LINE(i, run) target[i] = weight * in[i];
        }
        for (s32 t = 1; t < count; ++t) {
            const float* __restrict__ in = source + (s64)samples[t] * p.run;
            const float weight = weights[t];
            FOR_LINE(i, run) target[i] = target[i] + weight * in[i];
        }
    }
}

// Along x: a line is a row, its samples are texels of `run` channels.
template <int CHANNELS> FN void filter_across(const MipAxisParams& p, s32 tile_y) {
    const s32 first = tile_y * p.lines_per_tile, end = min_of(first + p.lines_per_tile, p.lines);
    FOR_LINES(k, end - first) {
        const float* __restrict__ source = p.source + (s64)(first + k) * p.from * CHANNELS;
        float* __restrict__ target = p.target + (s64)(first + k) * p.to * CHANNELS;
        FOR_LINE(x, p.to) {
            const s32* samples = p.samples + (s64)x * p.taps;
            const float* weights = p.weights + (s64)x * p.taps;
            const s32 count = p.counts[x];
            float sums[CHANNELS];
            UNROLL for (int c = 0; c < CHANNELS; ++c) sums[c] = weights[0] * source[samples[0] * CHANNELS + c];
            for (s32 t = 1; t < count; ++t) {
                const float* __restrict__ in = source + samples[t] * CHANNELS;
                UNROLL for (int c = 0; c < CHANNELS; ++c) sums[c] = sums[c] + weights[t] * in[c];
            }
            UNROLL for (int c = 0; c < CHANNELS; ++c) target[x * CHANNELS + c] = sums[c];
        }
    }
}

FN void mips_across_tile(const MipAxisParams& p, s32, s32 tile_y) {
    switch (p.run) {
        case 1: return filter_across<1>(p, tile_y);
        case 2: return filter_across<2>(p, tile_y);
        case 3: return filter_across<3>(p, tile_y);
        case 4: return filter_across<4>(p, tile_y);
    }
}

// Codes of texels to values and back. Values of channels with the sRGB curve are linear, of others the codes themselves.
struct MipValuesParams {
    void* codes;
    float* values;
    s64 count;
    s32 channels;  // 1 to 4: values of a texel
    s32 curved;    // a bit for each channel that has the sRGB curve
    s32 tiles_x;
    s32 pad_;
};
static_assert(sizeof(MipValuesParams) == 40, "parameter layout");

struct MipSpan {
    s64 begin;
    s32 count;
};

// The part of a tile; it begins with a whole texel.
FN MipSpan mip_span(const MipValuesParams& p, s32 tile_x, s32 tile_y) {
    const s64 begin = ((s64)tile_y * p.tiles_x + tile_x) * MIP_VALUES;
    return {begin, (s32)clamp_to(p.count - begin, (s64)0, (s64)MIP_VALUES)};
}

template <typename T> FN s32 largest_code() {
    return (T)-1 < (T)0 ? (1 << (8 * sizeof(T) - 1)) - 1 : (1 << 8 * sizeof(T)) - 1;
}

// The most negative code of a signed format means what its neighbor means.
template <typename T> FN void load_codes(const MipValuesParams& p, s32 tile_x, s32 tile_y) {
    const MipSpan span = mip_span(p, tile_x, tile_y);
    const T* __restrict__ codes = (const T*)p.codes + span.begin;
    float* __restrict__ values = p.values + span.begin;
    FOR_EACH(i, span.count) values[i] = (float)max_of((s32)codes[i], -largest_code<T>());
}

// To the nearest code, from halfway away from zero. Values are finite. Magnitudes are clamped as integers, in whose
// order they are too: the compiler makes vector loops of that, and branches of clamped floats.
template <typename T> FN T nearest_code(float value) {
    const s32 bits = (s32)bits_of(value), sign = (T)-1 < (T)0 ? bits >> 31 : 0;
    const s32 magnitude = (T)-1 < (T)0 ? bits & 0x7fffffff : max_of(bits, 0);
    const float size = float_of((u32)min_of(magnitude, (s32)bits_of((float)largest_code<T>())));
    const s32 whole = (s32)size;
    const float rest = size - (float)whole;
    return (T)(((whole + (s32)(rest + rest)) ^ sign) - sign);
}

template <typename T> FN void store_codes(const MipValuesParams& p, s32 tile_x, s32 tile_y) {
    const MipSpan span = mip_span(p, tile_x, tile_y);
    const float* __restrict__ values = p.values + span.begin;
    T* __restrict__ codes = (T*)p.codes + span.begin;
    FOR_EACH(i, span.count) codes[i] = nearest_code<T>(values[i]);
}

FN void mips_load_srgb_tile(const MipValuesParams& p, s32 tile_x, s32 tile_y) {
    const MipSpan span = mip_span(p, tile_x, tile_y);
    const SrgbCurve curve(8);
    const u8* __restrict__ codes = (const u8*)p.codes + span.begin;
    float* __restrict__ values = p.values + span.begin;
    for (s32 channel = 0; channel < p.channels; ++channel) {
        const s32 texels = span.count / p.channels;
        if (p.curved >> channel & 1) {
            FOR_EACH(x, texels) {
                values[x * p.channels + channel] = float_of(srgb_linear(curve, codes[x * p.channels + channel]));
            }
        } else {
            FOR_EACH(x, texels) values[x * p.channels + channel] = (float)codes[x * p.channels + channel];
        }
    }
}

FN void mips_store_srgb_tile(const MipValuesParams& p, s32 tile_x, s32 tile_y) {
    const MipSpan span = mip_span(p, tile_x, tile_y);
    const SrgbCurve curve(8);
    const float* __restrict__ values = p.values + span.begin;
    u8* __restrict__ codes = (u8*)p.codes + span.begin;
    for (s32 channel = 0; channel < p.channels; ++channel) {
        const s32 texels = span.count / p.channels;
        if (p.curved >> channel & 1) {
            FOR_EACH(x, texels) {
                codes[x * p.channels + channel] = (u8)srgb_code(curve, bits_of(values[x * p.channels + channel]));
            }
        } else {
            FOR_EACH(x, texels) {
                codes[x * p.channels + channel] = nearest_code<u8>(values[x * p.channels + channel]);
            }
        }
    }
}
