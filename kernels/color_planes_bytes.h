// Procamp alone on bytes, on processors with sums of products of pairs: what color_planes.h computes otherwise.
#pragma once
#include "color_matrix.h"
#include "portable_vectors.h"

#if HAS_VECTORS
enum { PROCAMP_BYTES = sizeof(Vector) };

FN Vector pair_of_factors(s32 first, s32 second) {
    return VECTOR(set1_epi32)((s32)(((u32)first & 0xffff) | (u32)second << 16));
}

// Bytes from four vectors of sums, `shift` of whose bits are a fraction. Two rounds of unpacking came before.
template <int SHIFT> FN Vector bytes_of_sums(const Vector (&sums)[4]) {
    Vector whole[4];
    UNROLL for (int i = 0; i < 4; ++i) whole[i] = VECTOR(srai_epi32)(sums[i], SHIFT);
    return VECTOR(packus_epi16)(VECTOR(packs_epi32)(whole[0], whole[1]), VECTOR(packs_epi32)(whole[2], whole[3]));
}

// The pipe's luma in 8 bits is (luma * contrast + 8 * (brightness - 2 * contrast + 256)) / 128: a product of pairs.
FN Vector procamp_luma_vector(Vector luma, Vector factors) {
    const Vector none = VECTOR(set1_epi32)(0), eights = VECTOR(set1_epi16)(8);
    const Vector low = VECTOR(unpacklo_epi8)(luma, none), high = VECTOR(unpackhi_epi8)(luma, none);
    const Vector sums[4] = {VECTOR(madd_epi16)(VECTOR(unpacklo_epi16)(low, eights), factors),
                            VECTOR(madd_epi16)(VECTOR(unpackhi_epi16)(low, eights), factors),
                            VECTOR(madd_epi16)(VECTOR(unpacklo_epi16)(high, eights), factors),
                            VECTOR(madd_epi16)(VECTOR(unpackhi_epi16)(high, eights), factors)};
    return bytes_of_sums<7>(sums);
}

// One of both chroma planes, from words of both.
FN Vector procamp_chroma_vector(const Vector (&pairs)[4], Vector factors, Vector middle) {
    Vector sums[4];
    UNROLL for (int i = 0; i < 4; ++i) sums[i] = VECTOR(add_epi32)(VECTOR(madd_epi16)(pairs[i], factors), middle);
    return bytes_of_sums<8>(sums);
}

// Where the vector at x begins: the last one ends with the line, and repeats some of the one before.
FN s32 within_line(s32 x, s32 count) { return min_of<s32>(x, count - PROCAMP_BYTES); }

// Lines of at least PROCAMP_BYTES.
FN void procamp_luma_line(const ColorProcamp& c, const u8* in, u8* out, s32 count) {
    const Vector factors = pair_of_factors(c.contrast, c.brightness - 2 * c.contrast + 256);
    for (s32 i = 0; i < count; i += PROCAMP_BYTES) {
        const s32 x = within_line(i, count);
        store_vector(out + x, procamp_luma_vector(load_vector(in + x), factors));
    }
}

FN void procamp_chroma_line(const ColorProcamp& c, const u8* u_in, const u8* v_in, u8* u_out, u8* v_out, s32 count) {
    const Vector u_factors = pair_of_factors(c.cos_hue, c.sin_hue), v_factors = pair_of_factors(-c.sin_hue, c.cos_hue);
    const Vector u_middle = VECTOR(set1_epi32)(128 * (256 - c.cos_hue - c.sin_hue));
    const Vector v_middle = VECTOR(set1_epi32)(128 * (256 - c.cos_hue + c.sin_hue)), none = VECTOR(set1_epi32)(0);
    for (s32 i = 0; i < count; i += PROCAMP_BYTES) {
        const s32 x = within_line(i, count);
        const Vector u = load_vector(u_in + x), v = load_vector(v_in + x);
        const Vector low = VECTOR(unpacklo_epi8)(u, v), high = VECTOR(unpackhi_epi8)(u, v);
        const Vector pairs[4] = {VECTOR(unpacklo_epi8)(low, none), VECTOR(unpackhi_epi8)(low, none),
                                 VECTOR(unpacklo_epi8)(high, none), VECTOR(unpackhi_epi8)(high, none)};
        store_vector(u_out + x, procamp_chroma_vector(pairs, u_factors, u_middle));
        store_vector(v_out + x, procamp_chroma_vector(pairs, v_factors, v_middle));
    }
}
#else
enum { PROCAMP_BYTES = 1 << 30 };  // no line is so long
FN void procamp_luma_line(const ColorProcamp&, const u8*, u8*, s32) {}
FN void procamp_chroma_line(const ColorProcamp&, const u8*, const u8*, u8*, u8*, s32) {}
#endif
