// The transform in space of denoise=fast and hq and its inverse (docs/denoise.md H6 and H8), on blocks of 8x8 whose columns are lanes:
// [line][lane]. Afterwards down and across are swapped on a CPU that turns blocks in its registers.
//
// S is s16 for samples of 8 bits, whose sums it holds, else s32.
#pragma once
#include "portable_eights.h"

// Eight elements that lie side by side, as sums.
template <typename T, typename S> FN void copy_hq_eight(const T* __restrict__ from, S* __restrict__ to) {
#if HAS_EIGHTS
    typedef T From __attribute__((vector_size(8 * sizeof(T))));
    typedef S To __attribute__((vector_size(8 * sizeof(S))));
    put_element(to, __builtin_convertvector(element_at<From>(from), To));
#else
    UNROLL for (int k = 0; k < 8; ++k) to[k] = (S)from[k];
#endif
}

// a * c / 32768, rounded. Its form is that of an instruction for vectors.
template <typename S> FN S hq_product(S a, S c) { return (S)((((s32)a * c >> 14) + 1) >> 1); }

// Phase: one dimension of eight values `step` apart.
template <typename S, bool HALVED> FN void transform_hq_eight(S* at, s32 step) {
    S x[8];
    UNROLL for (int k = 0; k < 8; ++k) x[k] = HALVED ? (S)((at[k * step] + 1) >> 1) : at[k * step];
    const S s0 = (S)(x[0] + x[7]), s1 = (S)(x[1] + x[6]), s2 = (S)(x[2] + x[5]), s3 = (S)(x[3] + x[4]);
    const S d0 = (S)(x[0] - x[7]), d1 = (S)(x[1] - x[6]), d2 = (S)(x[2] - x[5]), d3 = (S)(x[3] - x[4]);
    const S e0 = (S)(s0 + s3), e1 = (S)(s1 + s2), f0 = (S)(s0 - s3), f1 = (S)(s1 - s2);
    const S c1 = 32138, c2 = 30274, c3 = 27246, c5 = 18205, c6 = 12540, c7 = 6393;  // 32768 * cos(pi * k / 16)
    at[0] = (S)(e0 + e1);
    at[4 * step] = (S)(e0 - e1);
    at[2 * step] = (S)(hq_product(f0, c2) + hq_product(f1, c6));
    at[6 * step] = (S)(hq_product(f0, c6) - hq_product(f1, c2));
    at[step] = (S)(hq_product(d0, c1) + hq_product(d1, c3) + hq_product(d2, c5) + hq_product(d3, c7));
    at[3 * step] = (S)(hq_product(d0, c3) - hq_product(d1, c7) - hq_product(d2, c1) - hq_product(d3, c5));
    at[5 * step] = (S)(hq_product(d0, c5) - hq_product(d1, c1) + hq_product(d2, c7) + hq_product(d3, c3));
    at[7 * step] = (S)(hq_product(d0, c7) - hq_product(d1, c5) + hq_product(d2, c3) - hq_product(d3, c1));
}

// Its inverse; both may be the same memory.
template <typename S, typename To> FN void restore_hq_eight(const S* at, To* out, s32 step, s32 shift) {
    const s32 half = 1 << (shift - 1), c1 = at[step], c2 = at[2 * step], c3 = at[3 * step];
    const s32 c5 = at[5 * step], c6 = at[6 * step], c7 = at[7 * step];
    const s32 e0 = 128 * (at[0] + at[4 * step]) + half, e1 = 128 * (at[0] - at[4 * step]) + half;
    const s32 f0 = 237 * c2 + 98 * c6, f1 = 98 * c2 - 237 * c6;
    const s32 s0 = e0 + f0, s3 = e0 - f0, s1 = e1 + f1, s2 = e1 - f1;
    const s32 d0 = 251 * c1 + 213 * c3 + 142 * c5 + 50 * c7, d1 = 213 * c1 - 50 * c3 - 251 * c5 - 142 * c7;
    const s32 d2 = 142 * c1 - 251 * c3 + 50 * c5 + 213 * c7, d3 = 50 * c1 - 142 * c3 + 213 * c5 - 251 * c7;
    out[0] = (To)((s0 + d0) >> shift);
    out[step] = (To)((s1 + d1) >> shift);
    out[2 * step] = (To)((s2 + d2) >> shift);
    out[3 * step] = (To)((s3 + d3) >> shift);
    out[4 * step] = (To)((s3 - d3) >> shift);
    out[5 * step] = (To)((s2 - d2) >> shift);
    out[6 * step] = (To)((s1 - d1) >> shift);
    out[7 * step] = (To)((s0 - d0) >> shift);
}

#if defined(__SSE2__) && !defined(TEXSAMP_THREADED_TILES)
#include "intrinsics.h"
#define HQ_TURNS 1
// Blocks with down and across swapped.
template <int LANES> FN void turn_hq_blocks(s32* lines, s32 count) {
    for (s32 n = 0; n < count; ++n) {
        for (s32 first = 0; first < LANES; first += 8) {
            s32* block = lines + 8 * n * LANES + first;
            for (int j = 0; j < 8; ++j) {
                for (int k = 0; k < j; ++k) {
                    const s32 v = block[j * LANES + k];
                    block[j * LANES + k] = block[k * LANES + j];
                    block[k * LANES + j] = v;
                }
            }
        }
    }
}

#if defined(__AVX512BW__)
#define HQ(name) _mm512_##name
typedef __m512i HqLine;
FN HqLine load_hq_line(const s16* from) { return _mm512_loadu_si512(from); }
FN void store_hq_line(s16* to, HqLine line) { _mm512_storeu_si512(to, line); }
#elif defined(__AVX2__)
#define HQ(name) _mm256_##name
typedef __m256i HqLine;
FN HqLine load_hq_line(const s16* from) { return _mm256_loadu_si256((const __m256i*)from); }
FN void store_hq_line(s16* to, HqLine line) { _mm256_storeu_si256((__m256i*)to, line); }
#else
#define HQ(name) _mm_##name
typedef __m128i HqLine;
FN HqLine load_hq_line(const s16* from) { return _mm_loadu_si128((const __m128i*)from); }
FN void store_hq_line(s16* to, HqLine line) { _mm_storeu_si128((__m128i*)to, line); }
#endif

template <int LANES> FN void turn_hq_blocks(s16* lines, s32 count) {
    enum { WIDTH = sizeof(HqLine) / sizeof(s16) };
    for (s32 i = 0; i < count * LANES / WIDTH; ++i) {
        s16* at = lines + i / (LANES / WIDTH) * 8 * LANES + i % (LANES / WIDTH) * WIDTH;
        HqLine a[8], b[8];
        UNROLL for (int j = 0; j < 8; ++j) a[j] = load_hq_line(at + j * LANES);
        UNROLL for (int round = 0; round < 3; ++round) {
            UNROLL for (int j = 0; j < 4; ++j) {
                b[2 * j] = HQ(unpacklo_epi16)(a[j], a[j + 4]);
                b[2 * j + 1] = HQ(unpackhi_epi16)(a[j], a[j + 4]);
            }
            UNROLL for (int j = 0; j < 8; ++j) a[j] = b[j];
        }
        UNROLL for (int j = 0; j < 8; ++j) store_hq_line(at + j * LANES, a[j]);
    }
}
#undef HQ
#else
#define HQ_TURNS 0
#endif

// Down, then across, of `count` pictures.
template <typename S, int LANES> FN void transform_hq_space(S* values, s32 count) {
    FOR_LINES(n, count) {
        FOR_LINE(lane, LANES) transform_hq_eight<S, false>(values + 8 * n * LANES + lane, LANES);
    }
    BARRIER();
#if HQ_TURNS
    turn_hq_blocks<LANES>(values, count);
    FOR_LINES(n, count) {
        FOR_LINE(lane, LANES) transform_hq_eight<S, true>(values + 8 * n * LANES + lane, LANES);
    }
#else
    FOR_ITEMS(i, count * LANES) transform_hq_eight<S, true>(values + 8 * i, 1);
#endif
}

// Back across, then down, in 1/16 steps; `values` are overwritten.
template <typename S, int LANES> FN void restore_hq_space(S* values, s32* restored) {
#if HQ_TURNS
    FOR_LINE(lane, LANES) restore_hq_eight(values + lane, values + lane, LANES, 8);
    turn_hq_blocks<LANES>(values, 1);
#else
    FOR_ITEMS(i, LANES) restore_hq_eight(values + 8 * i, values + 8 * i, 1, 8);
#endif
    BARRIER();
    FOR_EACH(lane, LANES) restore_hq_eight(values + lane, restored + lane, LANES, 7);
}
