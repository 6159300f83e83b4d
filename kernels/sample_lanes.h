// Bilinear sums of 8-bit texels, eight or sixteen samples at a time, on processors that have instructions for sums of
// neighbors. Compilers do not find them in plain loops; what they compute is bilinear_sums. Texels come straight from
// the surface.
#pragma once
#include "sample_plane.h"
#include "sample_sums.h"

enum { KEEP_SUMS, SHOW_CODES, SHOW_NUMBERS };

#if defined(__AVX2__) && !defined(TEXSAMP_THREADED_TILES)
#include "intrinsics.h"

#if defined(__AVX512BW__)
#define LANES(name) _mm512_##name
#define LANES_ALL(name) _mm512_##name##_si512
typedef __m512i Lanes;
#else
#define LANES(name) _mm256_##name
#define LANES_ALL(name) _mm256_##name##_si256
typedef __m256i Lanes;
#endif

enum { HAS_LANES = true, SUM_LANES = sizeof(Lanes) / 4 };
FN Lanes load_lanes(const void* from) { return LANES_ALL(loadu)((const Lanes*)from); }
FN void store_lanes(void* to, Lanes v) { LANES_ALL(storeu)((Lanes*)to, v); }

// The same 16 bytes in every quarter or half.
FN Lanes in_parts(__m128i bytes) {
#if defined(__AVX512BW__)
    return _mm512_broadcast_i32x4(bytes);
#else
    return _mm256_broadcastsi128_si256(bytes);
#endif
}

// A value that the compiler takes for unknown: it would make constants anew in every round of a loop, which costs more
// than reading them.
FN Lanes opaque(Lanes v) {
    __asm__("" : "+x"(v));
    return v;
}

// What places of a sample count from: the surface, or its second slice there.
struct NearTexels {
    const u32* texels;
    FN_MEMBER const u32* operator()(s32) const { return texels; }
};
struct FarTexels {
    const u32* texels;
    const s32* further;
    FN_MEMBER const u32* operator()(s32 i) const { return texels + further[i]; }
};

// The left and the right texel of a sample's upper row, then those of its lower row.
template <typename Texels> FN __m128i texels_of_sample(Texels texels, const PlaneTile& s, s32 i) {
    const u32* from = texels(i);
    const __m128i upper = _mm_loadl_epi64((const __m128i*)(from + s.upper[i]));
    return _mm_castps_si128(_mm_loadh_pi(_mm_castsi128_ps(upper), (const __m64*)(from + s.lower[i])));
}
template <typename Texels> FN __m256i texels_of_two(Texels texels, const PlaneTile& s, s32 i) {
    return _mm256_set_m128i(texels_of_sample(texels, s, i + 4), texels_of_sample(texels, s, i));
}

// Of every fourth sample from i on.
template <typename Texels> FN Lanes texels_of_lanes(Texels texels, const PlaneTile& s, s32 i) {
#if defined(__AVX512BW__)
    return _mm512_inserti64x4(_mm512_castsi256_si512(texels_of_two(texels, s, i)), texels_of_two(texels, s, i + 8), 1);
#else
    return texels_of_two(texels, s, i);
#endif
}

// What loops over samples have in registers, or read.
struct LaneConstants {
    Lanes neighbors, flip, byte, whole, one, more;
};
FN LaneConstants lane_constants(u32 more) {
    return {opaque(in_parts(_mm_setr_epi8(0, 8, 4, 12, 1, 9, 5, 13, 2, 10, 6, 14, 3, 11, 7, 15))),
            opaque(LANES(set1_epi8)(-128)), opaque(LANES(set1_epi32)(255)), opaque(LANES(set1_epi32)(256)),
            opaque(LANES(set1_epi32)(1)), opaque(LANES(set1_epi32)((s32)more))};
}

// Sums of every fourth sample from i on, four channels each; `across` and `down` are weights that all their channels share.
// Codes are less 128, for products of bytes have one factor with a sign: so sums are less LESS.
enum : u32 { LESS = 128 << 16 };
template <typename Texels>
FN Lanes sums_of_lanes(const LaneConstants& c, Texels texels, const PlaneTile& s, s32 i, Lanes across, Lanes down) {
    const Lanes bytes = LANES(shuffle_epi8)(texels_of_lanes(texels, s, i), c.neighbors);
    const Lanes columns = LANES(maddubs_epi16)(down, LANES_ALL(xor)(bytes, c.flip));
    return LANES(madd_epi16)(columns, across);
}

FN Lanes betas_of(Same beta, s32) { return LANES(set1_epi32)(beta.value); }
FN Lanes betas_of(EachBeta beta, s32 i) { return load_lanes(beta.beta + i); }

// 256 times Unorm8::blend_levels, with one product: 256 times the nearer sums, and beta times how far the others are from them.
FN Lanes blended_lanes(const LaneConstants& c, Lanes near, Lanes far, Lanes beta) {
    const Lanes part = LANES(mullo_epi32)(LANES(sub_epi32)(far, near), beta);
    return LANES(add_epi32)(LANES(add_epi32)(LANES(slli_epi32)(near, 8), c.more), part);
}

FN Lanes numbers_of(Lanes sums) {
#if defined(__AVX512BW__)
    return _mm512_castps_si512(_mm512_div_ps(_mm512_cvtepi32_ps(sums), _mm512_set1_ps(16711680.0f)));
#else
    return _mm256_castps_si256(_mm256_div_ps(_mm256_cvtepi32_ps(sums), _mm256_set1_ps(16711680.0f)));
#endif
}

FN void store_parts(u32* at, Lanes v) {  // 16 words apart
#if defined(__AVX512BW__)
    _mm_storeu_si128((__m128i*)at, _mm512_castsi512_si128(v));
    _mm_storeu_si128((__m128i*)(at + 16), _mm512_extracti32x4_epi32(v, 1));
    _mm_storeu_si128((__m128i*)(at + 32), _mm512_extracti32x4_epi32(v, 2));
    _mm_storeu_si128((__m128i*)(at + 48), _mm512_extracti32x4_epi32(v, 3));
#else
    _mm_storeu_si128((__m128i*)at, _mm256_castsi256_si128(v));
    _mm_storeu_si128((__m128i*)(at + 16), _mm256_extracti128_si256(v, 1));
#endif
}

// Where sums of a sample are kept: as they lie in vectors.
FN s32 sum_place(s32 i, s32 c) {
    const s32 block = i / SUM_LANES * SUM_LANES, in_block = i - block;
    return 4 * block + in_block % 4 * SUM_LANES + in_block / 4 * 4 + c;
}

// Weights of samples i to i + SUM_LANES - 1, for sums_of_lanes.
struct LaneWeights {
    Lanes across, down;
};
FN LaneWeights weights_of_lanes(const LaneConstants& c, const PlaneTile& s, s32 i) {
    const Lanes u = LANES_ALL(and)(load_lanes(s.column + i), c.byte);
    const Lanes v = LANES(max_epi32)(LANES_ALL(and)(load_lanes(s.row + i), c.byte), c.one);  // 256 is no byte
    const Lanes down = LANES_ALL(or)(LANES(slli_epi32)(v, 8), LANES(sub_epi32)(c.whole, v));
    return {LANES_ALL(or)(LANES(slli_epi32)(u, 16), LANES(sub_epi32)(c.whole, u)),
            LANES_ALL(or)(down, LANES(slli_epi32)(down, 16))};
}

// The K-th dword of each part in all four.
template <int K> FN Lanes dword_of_parts(Lanes v) {
#if defined(__AVX512BW__)
    return _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)(0x55 * K));
#else
    return _mm256_shuffle_epi32(v, 0x55 * K);
#endif
}
FN Lanes dword_of_parts(Lanes v, s32 k) {
    return k == 0 ? dword_of_parts<0>(v) : k == 1 ? dword_of_parts<1>(v) : k == 2 ? dword_of_parts<2>(v) : dword_of_parts<3>(v);
}

// Of every fourth sample from i + k on.
template <typename Texels>
FN Lanes sums_of_lanes(const LaneConstants& c, Texels texels, const PlaneTile& s, s32 i, s32 k, LaneWeights w) {
    return sums_of_lanes(c, texels, s, i + k, dword_of_parts(w.across, k), dword_of_parts(w.down, k));
}

// Of one sample, whose right texels may be the first of their rows.
FN SumsOfTexels sums_of_sample(const u32* texels, const PlaneTile& s, s32 i, s32 pitch) {
    const u32 *over = texels + s.upper[i], *under = texels + s.lower[i];
    const s32 right = s.column[i] >> 8 == pitch - 1 ? 1 - pitch : 1;
    return bilinear_sums(over[0], over[right], under[0], under[right], (u32)s.column[i] & 255, (u32)s.row[i] & 255);
}
FN SumsOfTexels blended_sums(SumsOfTexels near, SumsOfTexels far, s32 weight) {
    for (int c = 0; c < 4; ++c) near.channel[c] = Unorm8::blend_levels(near.channel[c], far.channel[c], weight);
    return near;
}

// Even steps of one texel at most: whether the corners of a row go on so.
FN bool goes_on_evenly(const s32* corners, s32 last) {
    const s32 first = corners[0], middle = corners[last / 2], far = corners[last], bend = first + far - 2 * middle;
    return clamp_to<s32>(far - first, -256 * last, 256 * last) == far - first && clamp_to<s32>(bend, -512, 512) == bend;
}

// Texels take so long from memory that it is best to ask for those of the next tile, where it is known; they lie densely
// enough for every fourth sample to stand for all.
template <typename Texels> FN void prefetch_texels(const PlaneTile& s, Texels texels, const TilePlace& at) {
    const s32 last = at.columns - 1;
    if (!at.left || !goes_on_evenly(s.column, last) || !goes_on_evenly(s.row, last)) {
        for (s32 i = 0; i < at.n; i += 2) PREFETCH(texels(i) + s.upper[i]);
        for (s32 i = 0; i < at.n; i += 2) PREFETCH(texels(i) + s.lower[i]);
        return;
    }
    const u64 beyond = (u64)(4 * (s64)(s.upper[last] - s.upper[0]));  // no pointer: it may lie outside
    for (s32 i = 0; i < at.n; i += 4) PREFETCH((const void*)((u64)(texels(i) + s.upper[i]) + beyond));
    for (s32 i = at.n - at.columns; i < at.n; i += 4) PREFETCH((const void*)((u64)(texels(i) + s.lower[i]) + beyond));
}

// What samples are sums of: texels of a plane; of two slices of a volume, `further` from each other, or of two levels, each
// with places of its own, and blended. Vectors of sums have MORE_BITS behind the point, and MORE is what they lack, rounding
// included. A sample wraps if its right texels are the first of their rows.
template <typename Size> struct OnePlane {
    enum : u32 { MORE_BITS = 0, MORE = LESS };
    Size width;
    FN_MEMBER void prefetch(const PlaneTile& s, const u32* texels, const TilePlace& at) const {
        prefetch_texels(s, NearTexels{texels}, at);
    }
    FN_MEMBER Lanes sums(const LaneConstants& c, const u32* texels, const PlaneTile& s, s32 i, s32 k, LaneWeights w) const {
        return LANES(add_epi32)(sums_of_lanes(c, NearTexels{texels}, s, i, k, w), c.more);
    }
    FN_MEMBER bool wraps(const PlaneTile& s, s32 i) const { return s.column[i] >> 8 == width(i) - 1; }
    FN_MEMBER SumsOfTexels sums(const u32* texels, const PlaneTile& s, s32 i) const {
        return sums_of_sample(texels, s, i, width(i));
    }
};
template <typename Size> struct TwoSlices {
    enum : u32 { MORE_BITS = 8, MORE = (LESS << 8) + 128 };
    Size width;
    const s32 *further, *weight;
    FN_MEMBER void prefetch(const PlaneTile& s, const u32* texels, const TilePlace& at) const {
        prefetch_texels(s, NearTexels{texels}, at);
        prefetch_texels(s, FarTexels{texels, further}, at);
    }
    FN_MEMBER Lanes sums(const LaneConstants& c, const u32* texels, const PlaneTile& s, s32 i, s32 k, LaneWeights w) const {
        const Lanes near = sums_of_lanes(c, NearTexels{texels}, s, i, k, w);
        const Lanes far = sums_of_lanes(c, FarTexels{texels, further}, s, i, k, w);
        return blended_lanes(c, near, far, dword_of_parts(load_lanes(weight + i), k));
    }
    FN_MEMBER bool wraps(const PlaneTile& s, s32 i) const { return s.column[i] >> 8 == width(i) - 1; }
    FN_MEMBER SumsOfTexels sums(const u32* texels, const PlaneTile& s, s32 i) const {
        return blended_sums(sums_of_sample(texels, s, i, width(i)), sums_of_sample(texels + further[i], s, i, width(i)), weight[i]);
    }
};
template <typename Size, typename Beta> struct TwoLevels {
    enum : u32 { MORE_BITS = 8, MORE = (LESS << 8) + 128 };
    Size width, smaller_width;
    const PlaneTile& smaller;
    Beta beta;
    FN_MEMBER void prefetch(const PlaneTile& s, const u32* texels, const TilePlace& at) const {
        prefetch_texels(s, NearTexels{texels}, at);
        prefetch_texels(smaller, NearTexels{texels}, at);
    }
    FN_MEMBER Lanes sums(const LaneConstants& c, const u32* texels, const PlaneTile& s, s32 i, s32 k, LaneWeights w) const {
        const Lanes near = sums_of_lanes(c, NearTexels{texels}, s, i, k, w);
        const Lanes far = sums_of_lanes(c, NearTexels{texels}, smaller, i, k, weights_of_lanes(c, smaller, i));
        return blended_lanes(c, near, far, dword_of_parts(betas_of(beta, i), k));
    }
    FN_MEMBER bool wraps(const PlaneTile& s, s32 i) const {
        return (s.column[i] >> 8 == width(i) - 1) | (smaller.column[i] >> 8 == smaller_width(i) - 1);
    }
    FN_MEMBER SumsOfTexels sums(const u32* texels, const PlaneTile& s, s32 i) const {
        const SumsOfTexels near = sums_of_sample(texels, s, i, width(i));
        return blended_sums(near, sums_of_sample(texels, smaller, i, smaller_width(i)), beta(i));
    }
};

// Of samples i to i + SUM_LANES - 1; the first of them is `shown` there.
template <int SHOWN, typename Sources>
FN void sum_lanes(const LaneConstants& c, PlaneTile& s, const u32* texels, Sources sources, s32 i, u32* shown) {
    const LaneWeights weights = weights_of_lanes(c, s, i);
    u32* kept = (u32*)s.sums + 4 * i;
    Lanes sums[4];
    UNROLL for (int k = 0; k < 4; ++k) sums[k] = sources.sums(c, texels, s, i, k, weights);
    enum { SHIFT = Sources::MORE_BITS + (SHOWN == SHOW_CODES ? 16 : 0) };
    if (SHIFT != 0) UNROLL for (int k = 0; k < 4; ++k) sums[k] = LANES(srli_epi32)(sums[k], SHIFT);
    if (SHOWN == SHOW_CODES) {
        const Lanes low = LANES(packus_epi32)(sums[0], sums[1]), high = LANES(packus_epi32)(sums[2], sums[3]);
        store_lanes(shown, LANES(packus_epi16)(low, high));
        return;
    }
    UNROLL for (int k = 0; k < 4; ++k) {
        if (SHOWN == SHOW_NUMBERS)
            store_parts(shown + 4 * k, numbers_of(sums[k]));
        else
            store_lanes(kept + SUM_LANES * k, sums[k]);
    }
}

// The same of the few samples of a row that wrap.
template <int SHOWN, typename Sources>
FN void sum_wrapped(PlaneTile& s, const u32* texels, Sources sources, TileRow row, u32* shown) {
    u32 some = 0;
    FOR_ITEMS(k, row.n) some |= sources.wraps(s, row.begin + k);
    if (!some) return;
    FOR_ITEMS(k, row.n) {
        const s32 i = row.begin + k;
        if (!sources.wraps(s, i)) continue;
        const SumsOfTexels sums = sources.sums(texels, s, i);
        if (SHOWN == SHOW_CODES) shown[k] = code_word(sums.channel[0], sums.channel[1], sums.channel[2], sums.channel[3]);
        for (int c = 0; c < 4; ++c) {
            if (SHOWN == KEEP_SUMS) ((u32*)s.sums)[sum_place(i, c)] = sums.channel[c];
            if (SHOWN == SHOW_NUMBERS) shown[4 * k + c] = Unorm8::shown(sums.channel[c]);
        }
    }
}

// Where lanes would reach beyond the rows of a tile, they go on in the next row, and samples are shown from scratch.
template <int SHOWN, typename Sources>
FN_APART void tile_in_lanes(PlaneTile& s, const SampleParams& p, const TilePlace& at, Sources sources) {
    enum { WORDS = SHOWN == SHOW_CODES ? 1 : 4 };
    const u32* texels = (const u32*)p.texels;
    sources.prefetch(s, texels, at);
    alignas(64) u32 scratch[WORDS * SAMPLE_TILE];
    const u32 half = SHOWN == SHOW_CODES ? 32768u << Sources::MORE_BITS : 0;
    const LaneConstants constants = lane_constants(Sources::MORE + half);
    const bool in_place = at.columns % SUM_LANES == 0;
    const s32 rows = in_place ? at.rows : 1, columns = in_place ? at.columns : at.n;
    for (s32 r = 0; r < rows; ++r) {
        u32* shown = in_place ? (u32*)p.out + WORDS * (at.first + r * at.pitch) : scratch;
        for (s32 i = 0; i < columns; i += SUM_LANES)
            sum_lanes<SHOWN>(constants, s, texels, sources, r * columns + i, shown + WORDS * i);
    }
    for (s32 r = 0; r < at.rows; ++r) {
        const TileRow row = row_of_tile(at, r);
        u32* shown = (u32*)p.out + WORDS * row.first;
        if (!in_place && SHOWN != KEEP_SUMS) FOR_ITEMS(i, WORDS * row.n) shown[i] = scratch[WORDS * row.begin + i];
        if (p.address[0] == ADDRESS_WRAP) sum_wrapped<SHOWN>(s, texels, sources, row, shown);
    }
}

// The last vector of a tile may have more samples.
FN void fill_last_lanes(PlaneTile& s, s32 n) {
    for (s32 i = n; i % SUM_LANES; ++i) s.upper[i] = s.lower[i] = 0;
}

// Unorm8::add_probe of n samples, of which the last vector may have more; `sums` are kept as vectors have them. Samples
// whose right texels are the first of their rows are added one by one.
template <typename Size>
FN_APART void add_probe_in_lanes(PlaneTile& s, const u32* texels, s32 n, Size width, bool wraps, s32* weights, u32* sums) {
    fill_last_lanes(s, n);
    s32 most = -2;
    if (wraps)
        for (s32 i = 0; i < n; ++i) most = max_of(most, (s.column[i] >> 8) - width(i));
    alignas(64) s32 inside[SAMPLE_TILE];
    const s32* used = most < -1 ? weights : inside;
    if (most == -1) {
        for (s32 i = 0; i < n; ++i) inside[i] = s.column[i] >> 8 == width(i) - 1 ? 0 : weights[i];
        for (s32 i = 0; i < n; ++i) {
            if (s.column[i] >> 8 != width(i) - 1) continue;
            const SumsOfTexels made = sums_of_sample(texels, s, i, width(i));
            u32* kept = sums + sum_place(i, 0);
            for (int c = 0; c < 4; ++c) kept[c] = Unorm8::add_probe(kept[c], 0, made.channel[c], weights[i]);
        }
    }
    const LaneConstants constants = lane_constants(LESS + 128);
    for (s32 i = 0; i < n; i += SUM_LANES) {
        const LaneWeights w = weights_of_lanes(constants, s, i);
        const Lanes weight = load_lanes(used + i);
        UNROLL for (int k = 0; k < 4; ++k) {
            u32* kept = sums + 4 * i + SUM_LANES * k;
            const Lanes sums_and_half = LANES(add_epi32)(sums_of_lanes(constants, NearTexels{texels}, s, i, k, w), constants.more);
            const Lanes color = LANES(srli_epi32)(sums_and_half, 8);
            store_lanes(kept, LANES(add_epi32)(load_lanes(kept), LANES(mullo_epi32)(color, dword_of_parts(weight, k))));
        }
    }
}

// Kept sums channel by channel.
FN_APART void channels_of_lanes(const u32* kept, s32 n, u32 (*sums)[SAMPLE_TILE]) {
    for (s32 i = 0; i < n; i += SUM_LANES) {
        const u32* from = kept + 4 * i;
        const Lanes a = load_lanes(from), b = load_lanes(from + SUM_LANES), c = load_lanes(from + 2 * SUM_LANES);
        const Lanes d = load_lanes(from + 3 * SUM_LANES);
        const Lanes first = LANES(unpacklo_epi32)(a, b), second = LANES(unpacklo_epi32)(c, d);
        const Lanes third = LANES(unpackhi_epi32)(a, b), fourth = LANES(unpackhi_epi32)(c, d);
        store_lanes(sums[0] + i, LANES(unpacklo_epi64)(first, second));
        store_lanes(sums[1] + i, LANES(unpackhi_epi64)(first, second));
        store_lanes(sums[2] + i, LANES(unpacklo_epi64)(third, fourth));
        store_lanes(sums[3] + i, LANES(unpackhi_epi64)(third, fourth));
    }
}

template <int SHOWN, typename Size>
FN void levels_in_lanes(PlaneTile& s, const SampleParams& p, TileLevels levels, const TilePlace& at, const PlaneTile* smaller,
                        Size width, Size smaller_width) {
    if (!smaller)
        tile_in_lanes<SHOWN>(s, p, at, OnePlane<Size>{width});
    else if (levels.one_lod())
        tile_in_lanes<SHOWN>(s, p, at, TwoLevels<Size, Same>{width, smaller_width, *smaller, {s.beta[0]}});
    else
        tile_in_lanes<SHOWN>(s, p, at, TwoLevels<Size, EachBeta>{width, smaller_width, *smaller, {s.beta}});
}

// Whether these samples were shown.
template <bool CODES, typename Places>
FN bool show_in_lanes(PlaneTile& s, const SampleParams& p, TileLevels levels, const TilePlace& at, const Places& places) {
    enum { SHOWN = CODES ? SHOW_CODES : SHOW_NUMBERS };
    if (is_border(p.address[0]) || is_border(p.address[1])) return false;
    PlaneTile next;
    const PlaneTile* smaller = levels.blends ? &next : nullptr;
    find_places(s, p, levels, at, places);
    fill_last_lanes(s, at.n);
    if (smaller) {
        find_next_level(next, s, p, levels, at.n);
        find_places(next, p, levels, at, places);
        fill_last_lanes(next, at.n);
    }
    if (levels.one_number()) {
        const s32 number = s.number[0], last = p.levels - 1;
        const Same width = {p.level[number].width}, smaller_width = {p.level[min_of(number + 1, last)].width};
        levels_in_lanes<SHOWN>(s, p, levels, at, smaller, width, smaller_width);
    } else {
        const s32 largest = p.level[0].width;
        levels_in_lanes<SHOWN>(s, p, levels, at, smaller, EachSize{largest, s.number}, EachSize{largest, next.number});
    }
    return true;
}
#else
enum { HAS_LANES = false };
FN s32 sum_place(s32 i, s32 c) { return c * SAMPLE_TILE + i; }
template <typename Size> struct TwoSlices {
    Size width;
    const s32 *further, *weight;
};
template <int SHOWN, typename Sources> FN void tile_in_lanes(PlaneTile&, const SampleParams&, const TilePlace&, Sources) {}
FN void fill_last_lanes(PlaneTile&, s32) {}
template <bool CODES, typename Places>
FN bool show_in_lanes(PlaneTile&, const SampleParams&, TileLevels, const TilePlace&, const Places&) { return false; }
template <typename Size> FN void add_probe_in_lanes(PlaneTile&, const u32*, s32, Size, bool, s32*, u32*) {}
FN void channels_of_lanes(const u32*, s32, u32 (*)[SAMPLE_TILE]) {}
#endif
