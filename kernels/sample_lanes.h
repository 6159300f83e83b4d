// Bilinear sums of 8-bit texels, eight samples at a time, on processors that have instructions for sums of neighbors.
// Compilers do not find them in plain loops; what they compute is bilinear_sums. Texels come straight from the surface.
#pragma once
#include "sample_plane.h"
#include "sample_sums.h"

#if defined(__AVX2__) && !defined(TEXSAMP_THREADED_TILES)
#include <immintrin.h>

enum { SUM_LANES = 8 };
enum { KEEP_SUMS, SHOW_CODES, SHOW_NUMBERS };

// Both halves have the same bytes.
FN __m256i in_halves(char a, char b, char c, char d, char e, char f, char g, char h, char i, char j, char k, char l,
                     char m, char n, char o, char q) {
    return _mm256_broadcastsi128_si256(_mm_setr_epi8(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, q));
}

// The left and right texels of a sample's upper and lower row.
FN __m128i texels_of_sample(const u32* texels, const PlaneStrip& s, s32 i) {
    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i*)(texels + s.upper[i])),
                              _mm_loadl_epi64((const __m128i*)(texels + s.lower[i])));
}

// Sums of samples i and i + 4, four channels each; `across` and `down` are weights that all their channels share. Codes
// are less 128 on the way, for products of bytes have one factor with a sign.
FN __m256i sums_of_two(const u32* texels, const PlaneStrip& s, s32 i, __m256i across, __m256i down) {
    const __m256i neighbors = in_halves(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
    const __m256i over_and_under = in_halves(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
    const __m256i four = _mm256_set_m128i(texels_of_sample(texels, s, i + 4), texels_of_sample(texels, s, i));
    const __m256i pairs = _mm256_shuffle_epi8(_mm256_xor_si256(four, _mm256_set1_epi8(-128)), neighbors);
    const __m256i left = _mm256_maddubs_epi16(_mm256_set1_epi16(1), pairs);  // once more: 256 is no byte
    const __m256i rows = _mm256_add_epi16(_mm256_maddubs_epi16(across, pairs), left);
    const __m256i sums = _mm256_madd_epi16(_mm256_shuffle_epi8(rows, over_and_under), down);
    return _mm256_add_epi32(sums, _mm256_set1_epi32(128 << 16));
}

FN __m256i betas_of(Same beta, s32) { return _mm256_set1_epi32(beta.value); }
FN __m256i betas_of(EachBeta beta, s32 i) { return _mm256_loadu_si256((const __m256i*)(beta.beta + i)); }

// Unorm8::blend_levels.
FN __m256i blended_with(const u32* before, __m256i sums, s32 i, __m256i beta) {
    const __m128i low = _mm_loadu_si128((const __m128i*)(before + 4 * i));
    const __m256i kept = _mm256_set_m128i(_mm_loadu_si128((const __m128i*)(before + 4 * i + 16)), low);
    const __m256i rest = _mm256_sub_epi32(_mm256_set1_epi32(256), beta);
    const __m256i both = _mm256_add_epi32(_mm256_mullo_epi32(kept, rest), _mm256_mullo_epi32(sums, beta));
    return _mm256_srli_epi32(_mm256_add_epi32(both, _mm256_set1_epi32(128)), 8);
}

FN void store_halves(void* at, s32 step, __m256i both) {
    _mm_storeu_si128((__m128i*)at, _mm256_castsi256_si128(both));
    _mm_storeu_si128((__m128i*)at + step, _mm256_extracti128_si256(both, 1));
}

// Of samples i to i + 7. Kept sums are those of a sample beside each other.
template <bool SECOND, int SHOWN> FN void sum_lanes(const PlaneStrip& s, const u32* texels, s32 i, __m256i beta, u32* out) {
    const __m256i byte = _mm256_set1_epi32(255);
    const __m256i u = _mm256_and_si256(_mm256_loadu_si256((const __m256i*)(s.column + i)), byte);
    const __m256i v = _mm256_and_si256(_mm256_loadu_si256((const __m256i*)(s.row + i)), byte);
    const __m256i across = _mm256_or_si256(_mm256_slli_epi32(u, 8), _mm256_sub_epi32(byte, u));
    const __m256i down = _mm256_or_si256(_mm256_slli_epi32(v, 16), _mm256_sub_epi32(_mm256_set1_epi32(256), v));
    __m256i sums[4];
    UNROLL for (int k = 0; k < 4; ++k) {
        const __m256i word = _mm256_set1_epi16((s16)(0x0100 + 0x0404 * k));  // the k-th word, and dword, of each half
        const __m256i dword = _mm256_set1_epi32(0x03020100 + 0x04040404 * k);
        sums[k] = sums_of_two(texels, s, i + k, _mm256_shuffle_epi8(across, word), _mm256_shuffle_epi8(down, dword));
        if (SECOND) sums[k] = blended_with((const u32*)s.sums, sums[k], i + k, _mm256_shuffle_epi8(beta, dword));
    }
    if (SHOWN == SHOW_CODES) {
        const __m256i half = _mm256_set1_epi32(32768);
        UNROLL for (int k = 0; k < 4; ++k) sums[k] = _mm256_srli_epi32(_mm256_add_epi32(sums[k], half), 16);
        const __m256i low = _mm256_packus_epi32(sums[0], sums[1]), high = _mm256_packus_epi32(sums[2], sums[3]);
        _mm256_storeu_si256((__m256i*)(out + i), _mm256_packus_epi16(low, high));
        return;
    }
    UNROLL for (int k = 0; k < 4; ++k) {
        if (SHOWN == SHOW_NUMBERS)
            sums[k] = _mm256_castps_si256(_mm256_div_ps(_mm256_cvtepi32_ps(sums[k]), _mm256_set1_ps(16711680.0f)));
        store_halves(out + 4 * (i + k), 4, sums[k]);
    }
}

// The same of one sample, whose right texels are the first of their rows.
template <bool SECOND, int SHOWN>
FN void sum_wrapped(const PlaneStrip& s, const u32* texels, s32 i, s32 pitch, s32 beta, u32* out) {
    const u32 *over = texels + s.upper[i], *under = texels + s.lower[i], u = (u32)s.column[i] & 255, v = (u32)s.row[i] & 255;
    SumsOfTexels sums = bilinear_sums(over[0], over[1 - pitch], under[0], under[1 - pitch], u, v);
    for (int c = 0; c < 4; ++c) {
        u32& sum = sums.channel[c];
        if (SECOND) sum = Unorm8::blend_levels(((const u32*)s.sums)[4 * i + c], sum, beta);
        if (SHOWN != SHOW_CODES) out[4 * i + c] = SHOWN == SHOW_NUMBERS ? Unorm8::shown(sum) : sum;
    }
    if (SHOWN == SHOW_CODES) out[i] = code_word(sums.channel[0], sums.channel[1], sums.channel[2], sums.channel[3]);
}

template <bool SECOND, int SHOWN, typename Size, typename Beta>
FN_APART void strip_in_lanes(PlaneStrip& s, const SampleParams& p, s32 n, Size width, Beta beta, u32* out) {
    const u32* texels = (const u32*)p.texels;
    prefetch_places(texels, s.upper, n);
    prefetch_places(texels, s.lower, n);
    for (s32 i = 0; i < n; i += SUM_LANES) {
        const s32 at = min_of<s32>(i, n - SUM_LANES);
        sum_lanes<SECOND, SHOWN>(s, texels, at, betas_of(beta, at), out);
    }
    if (p.address[0] != ADDRESS_WRAP) return;
    s32 most = -2;
    FOR_ITEMS(i, n) most = max_of(most, (s.column[i] >> 8) - width(i));
    if (most < -1) return;
    FOR_ITEMS(i, n) {
        if (s.column[i] >> 8 == width(i) - 1) sum_wrapped<SECOND, SHOWN>(s, texels, i, width(i), beta(i), out);
    }
}

template <bool SECOND, int SHOWN, typename Beta>
FN void level_in_lanes(PlaneStrip& s, const SampleParams& p, StripLevels levels, StripPlace at, Beta beta, u32* out) {
    level_places<false>(s, p, levels, at.first, at.n);
    if (levels.one_number)
        strip_in_lanes<SECOND, SHOWN>(s, p, at.n, Same{p.level[s.number[0]].width}, beta, out);
    else
        strip_in_lanes<SECOND, SHOWN>(s, p, at.n, EachSize{p.level[0].width, s.number}, beta, out);
}

// Whether these samples were shown.
template <bool CODES> FN bool show_in_lanes(PlaneStrip& s, const SampleParams& p, StripLevels levels, StripPlace at) {
    enum { SHOWN = CODES ? SHOW_CODES : SHOW_NUMBERS };
    if (at.n < SUM_LANES || is_border(p.address[0]) || is_border(p.address[1])) return false;
    u32* out = (u32*)p.out + (CODES ? at.first : 4 * at.first);
    if (!levels.blends) {
        level_in_lanes<false, SHOWN>(s, p, levels, at, Same{0}, out);
        return true;
    }
    level_in_lanes<false, KEEP_SUMS>(s, p, levels, at, Same{0}, (u32*)s.sums);
    next_level(s, p, levels, at.n);
    if (levels.one_lod)
        level_in_lanes<true, SHOWN>(s, p, levels, at, Same{s.beta[0]}, out);
    else
        level_in_lanes<true, SHOWN>(s, p, levels, at, EachBeta{s.beta}, out);
    return true;
}
#else
template <bool CODES> FN bool show_in_lanes(PlaneStrip&, const SampleParams&, StripLevels, StripPlace) { return false; }
#endif
