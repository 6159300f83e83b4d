// The color pipe where luma and chroma do not meet: total color control, the contrast curve and procamp on planes that
// keep their layout. Chroma stays subsampled, since what one sample stands for is alike. docs/color.md.
#pragma once
#include "color.h"
#include "color_planes_bytes.h"

enum { PLANES_WIDTH = ON_DEVICE(2048, 256), PLANES_HEIGHT = ON_DEVICE(4, 8) };

struct ColorPlanesParams {
    ColorPlane planes[3];  // Y, U, V; the sizes below are in their samples
    s32 width, height;
    s32 is_chroma, pad_;  // else luma
    ColorControl control;
    ColorContrast contrast;
    ColorProcamp procamp;
};
static_assert(sizeof(ColorPlanesParams) == 528, "parameter layout");

template <typename T> FN const T* source_row(const ColorPlane& plane, s32 y) {
    return (const T*)((const u8*)plane.src + (s64)y * plane.src_pitch_B);
}
template <typename T> FN T* target_row(const ColorPlane& plane, s32 y) {
    return (T*)((u8*)plane.dst + (s64)y * plane.dst_pitch_B);
}

// Lines of luma through the blocks that are on.
template <typename T, bool CONTRAST, bool PROCAMP>
FN_APART void luma_lines(const ColorPlanesParams& p, s32 x0, s32 width, s32 y0, s32 lines) {
    const ColorPlane plane = p.planes[0];
    const Depth<T> depth = {plane.src_shift, plane.src_bits};
    const ColorContrast contrast = p.contrast;
    const ColorProcamp procamp = p.procamp;
    FOR_LINES(r, lines) {
        const T* __restrict__ in = source_row<T>(plane, y0 + r) + x0;
        T* __restrict__ out = target_row<T>(plane, y0 + r) + x0;
        FOR_LINE(i, width) {
            const s32 y = depth.in(in[i]), curved = CONTRAST ? contrasted(contrast, y) : y;
            out[i] = depth.out(PROCAMP ? procamp_luma(procamp, curved) : curved);
        }
    }
}

// The high half of a product of 16-bit numbers, and its low half.
FN s16 high_half(s16 a, s16 b) { return (s16)((s32)a * (s32)b >> 16); }
FN u16 low_half(s16 a, s16 b) { return (u16)((u32)a * (u32)b); }

// Procamp alone on bytes, in 16-bit numbers. With x = luma - 16 the pipe's result in 8 bits is
// floor((x * contrast + 8 * brightness) / 128) + 16: the high half of the product, and a carry from below.
FN_APART void procamp_luma_bytes(const ColorPlanesParams& p, s32 x0, s32 width, s32 y0, s32 lines) {
    const ColorPlane plane = p.planes[0];
    const s16 contrast = (s16)p.procamp.contrast, scaled = (s16)(4 * contrast);
    const s16 whole = (s16)((p.procamp.brightness >> 4) + 16), rest = (s16)(8 * (p.procamp.brightness & 15));
    FOR_LINES(r, lines) {
        const u8* __restrict__ in = source_row<u8>(plane, y0 + r) + x0;
        u8* __restrict__ out = target_row<u8>(plane, y0 + r) + x0;
        if (width >= PROCAMP_BYTES) {
            procamp_luma_line(p.procamp, in, out, width);
            continue;
        }
        FOR_LINE(i, width) {
            const s16 x = (s16)(in[i] - 16), high = high_half((s16)(x * 128), scaled);
            const s16 carry = (s16)((s16)((low_half(x, contrast) & 127) + rest) >> 7);
            out[i] = (u8)clamp_to<s16>((s16)(high + carry + whole), 0, 255);
        }
    }
}

template <typename T> FN void color_luma_tile(const ColorPlanesParams& p, s32 tile_x, s32 tile_y) {
    const s32 x0 = tile_x * PLANES_WIDTH, y0 = tile_y * PLANES_HEIGHT;
    const s32 width = min_of<s32>(PLANES_WIDTH, p.width - x0), lines = min_of<s32>(PLANES_HEIGHT, p.height - y0);
    if (p.contrast.enable) {
        if (p.procamp.enable) {
            luma_lines<T, true, true>(p, x0, width, y0, lines);
        } else {
            luma_lines<T, true, false>(p, x0, width, y0, lines);
        }
    } else if (p.procamp.enable && sizeof(T) == 1) {
        procamp_luma_bytes(p, x0, width, y0, lines);
    } else if (p.procamp.enable) {
        luma_lines<T, false, true>(p, x0, width, y0, lines);
    } else {
        luma_lines<T, false, false>(p, x0, width, y0, lines);
    }
}

template <bool CONTROL, bool PROCAMP>
FN Chroma changed_chroma(const ColorControl& control, const ColorProcamp& procamp, s32 u, s32 v) {
    if (CONTROL) {
        const s32 u10 = (u >> 2) - 512, v10 = (v >> 2) - 512, factor = saturation_factor(control, u10, v10, 0);
        u = color_controlled(u10, factor);
        v = color_controlled(v10, factor);
    }
    if (!PROCAMP) return {u, v};
    return {procamp_u(procamp, u, v), procamp_v(procamp, u, v)};
}

// Lines of chroma through the blocks that are on. STEP 0: whatever step the planes have.
template <typename T, bool CONTROL, bool PROCAMP, int STEP>
FN_APART void chroma_lines(const ColorPlanesParams& p, s32 x0, s32 width, s32 y0, s32 lines) {
    const ColorPlane first = p.planes[1], second = p.planes[2];
    const Depth<T> depth = {first.src_shift, first.src_bits};
    const ColorControl control = p.control;
    const ColorProcamp procamp = p.procamp;
    const s32 from = STEP ? STEP : first.src_step, to = STEP ? STEP : first.dst_step;
    FOR_LINES(r, lines) {
        const T* __restrict__ u_in = source_row<T>(first, y0 + r) + (s64)x0 * from;
        const T* __restrict__ v_in = source_row<T>(second, y0 + r) + (s64)x0 * from;
        T* __restrict__ u_out = target_row<T>(first, y0 + r) + (s64)x0 * to;
        T* __restrict__ v_out = target_row<T>(second, y0 + r) + (s64)x0 * to;
        FOR_LINE(i, width) {
            const s32 u = depth.in(u_in[(s64)i * from]), v = depth.in(v_in[(s64)i * from]);
            const Chroma made = changed_chroma<CONTROL, PROCAMP>(control, procamp, u, v);
            u_out[(s64)i * to] = depth.out(made.u);
            v_out[(s64)i * to] = depth.out(made.v);
        }
    }
}

// One of the sums of procamp, (a * first + b * second) / 256 in 8-bit steps around 0, from halves of products.
FN s16 turned_byte(s16 a, s16 first, s16 b, s16 second) {
    const u16 carry = (u16)((low_half(a, first) & 255) + (low_half(b, second) & 255)) >> 8;
    return (s16)(high_half((s16)(a * 256), first) + high_half((s16)(b * 256), second) + carry);
}

// Procamp alone on bytes side by side, in 16-bit numbers; |cos| + |sin| is below 2^15, so that no sum overflows.
FN_APART void procamp_chroma_bytes(const ColorPlanesParams& p, s32 x0, s32 width, s32 y0, s32 lines) {
    const ColorPlane first = p.planes[1], second = p.planes[2];
    const s16 cosine = (s16)p.procamp.cos_hue, sine = (s16)p.procamp.sin_hue, back = (s16)-sine;
    FOR_LINES(r, lines) {
        const u8* __restrict__ u_in = source_row<u8>(first, y0 + r) + x0;
        const u8* __restrict__ v_in = source_row<u8>(second, y0 + r) + x0;
        u8* __restrict__ u_out = target_row<u8>(first, y0 + r) + x0;
        u8* __restrict__ v_out = target_row<u8>(second, y0 + r) + x0;
        if (width >= PROCAMP_BYTES) {
            procamp_chroma_line(p.procamp, u_in, v_in, u_out, v_out, width);
            continue;
        }
        FOR_LINE(i, width) {
            const s16 u = (s16)(u_in[i] - 128), v = (s16)(v_in[i] - 128);
            u_out[i] = (u8)clamp_to<s16>((s16)(turned_byte(u, cosine, v, sine) + 128), 0, 255);
            v_out[i] = (u8)clamp_to<s16>((s16)(turned_byte(v, cosine, u, back) + 128), 0, 255);
        }
    }
}

template <typename T, int STEP> FN void color_chroma_step(const ColorPlanesParams& p, s32 tile_x, s32 tile_y) {
    const s32 x0 = tile_x * PLANES_WIDTH, y0 = tile_y * PLANES_HEIGHT;
    const s32 width = min_of<s32>(PLANES_WIDTH, p.width - x0), lines = min_of<s32>(PLANES_HEIGHT, p.height - y0);
    if (p.control.enable) {
        if (p.procamp.enable) {
            chroma_lines<T, true, true, STEP>(p, x0, width, y0, lines);
        } else {
            chroma_lines<T, true, false, STEP>(p, x0, width, y0, lines);
        }
    } else if (p.procamp.enable && sizeof(T) == 1 && STEP == 1 &&
               magnitude_of(p.procamp.cos_hue) + magnitude_of(p.procamp.sin_hue) < 1 << 15) {
        procamp_chroma_bytes(p, x0, width, y0, lines);
    } else if (p.procamp.enable) {
        chroma_lines<T, false, true, STEP>(p, x0, width, y0, lines);
    } else {
        chroma_lines<T, false, false, STEP>(p, x0, width, y0, lines);
    }
}

template <typename T> FN void color_chroma_tile(const ColorPlanesParams& p, s32 tile_x, s32 tile_y) {
    if (p.planes[1].src_step == 1) {
        color_chroma_step<T, 1>(p, tile_x, tile_y);
    } else {
        color_chroma_step<T, 0>(p, tile_x, tile_y);
    }
}

template <typename T> FN void color_planes_tile(const ColorPlanesParams& p, s32 tile_x, s32 tile_y) {
    if (p.is_chroma) {
        color_chroma_tile<T>(p, tile_x, tile_y);
    } else {
        color_luma_tile<T>(p, tile_x, tile_y);
    }
}
