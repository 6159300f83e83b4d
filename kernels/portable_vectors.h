// The widest vectors of integers that a processor of this level has, for the few loops in which compilers do not find
// sums of products of neighbors. Where HAS_VECTORS is 0, and on a GPU, plain loops compute the same.
#pragma once
#include "portable.h"

#if defined(__SSE4_1__) && !defined(TEXSAMP_THREADED_TILES) && !defined(__CUDACC__)
#define HAS_VECTORS 1
#include "intrinsics.h"

#if defined(__AVX512BW__)
#define VECTOR(name) _mm512_##name
#define VECTOR_ALL(name) _mm512_##name##_si512
typedef __m512i Vector;
#elif defined(__AVX2__)
#define VECTOR(name) _mm256_##name
#define VECTOR_ALL(name) _mm256_##name##_si256
typedef __m256i Vector;
#else
#define VECTOR(name) _mm_##name
#define VECTOR_ALL(name) _mm_##name##_si128
typedef __m128i Vector;
#endif

FN Vector load_vector(const void* from) { return VECTOR_ALL(loadu)((const Vector*)from); }
FN void store_vector(void* to, Vector v) { VECTOR_ALL(storeu)((Vector*)to, v); }

FN bool has_any_bits(Vector v) {
#if defined(__AVX512BW__)
    return _mm512_test_epi32_mask(v, v) != 0;
#else
    return !VECTOR_ALL(testz)(v, v);
#endif
}

// The same 16 bytes in every part.
FN Vector in_parts(__m128i bytes) {
#if defined(__AVX512BW__)
    return _mm512_broadcast_i32x4(bytes);
#elif defined(__AVX2__)
    return _mm256_broadcastsi128_si256(bytes);
#else
    return bytes;
#endif
}

// The next 8 bytes in the lower half of each part, for unpacking with others.
FN Vector bytes_in_halves(const u8* from) {
#if defined(__AVX512BW__)
    const __m512i bytes = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i*)from));
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3), bytes);
#elif defined(__AVX2__)
    return _mm256_permute4x64_epi64(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i*)from)), 0x50);
#else
    return _mm_loadl_epi64((const __m128i*)from);
#endif
}

// The first parts of all four, the second ones, and so on.
FN void store_four(u8* to, Vector a, Vector b, Vector c, Vector d) {
#if defined(__AVX512BW__)
    const Vector first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), last = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    const Vector ab[2] = {_mm512_permutex2var_epi64(a, first, b), _mm512_permutex2var_epi64(a, last, b)};
    const Vector cd[2] = {_mm512_permutex2var_epi64(c, first, d), _mm512_permutex2var_epi64(c, last, d)};
    for (int k = 0; k < 2; ++k) {
        store_vector(to + 128 * k, _mm512_inserti64x4(ab[k], _mm512_castsi512_si256(cd[k]), 1));
        store_vector(to + 128 * k + 64, _mm512_shuffle_i64x2(ab[k], cd[k], 0xee));
    }
#elif defined(__AVX2__)
    store_vector(to, _mm256_permute2x128_si256(a, b, 0x20));
    store_vector(to + 32, _mm256_permute2x128_si256(c, d, 0x20));
    store_vector(to + 64, _mm256_permute2x128_si256(a, b, 0x31));
    store_vector(to + 96, _mm256_permute2x128_si256(c, d, 0x31));
#else
    store_vector(to, a);
    store_vector(to + 16, b);
    store_vector(to + 32, c);
    store_vector(to + 48, d);
#endif
}

// The first parts of both, the second ones, and so on.
FN void store_two(u8* to, Vector a, Vector b) {
#if defined(__AVX512BW__)
    const Vector first = _mm512_permutex2var_epi64(a, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), b);
    store_vector(to, first);
    store_vector(to + sizeof(Vector), _mm512_permutex2var_epi64(a, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), b));
#elif defined(__AVX2__)
    store_vector(to, _mm256_permute2x128_si256(a, b, 0x20));
    store_vector(to + sizeof(Vector), _mm256_permute2x128_si256(a, b, 0x31));
#else
    store_vector(to, a);
    store_vector(to + sizeof(Vector), b);
#endif
}

// Words in the order in which they were, after two rounds of packing four vectors: word k of part j is word j of part k.
FN Vector in_order(Vector v) {
#if defined(__AVX512BW__)
    return _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), v);
#elif defined(__AVX2__)
    return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
#else
    return v;
#endif
}

// The first halves of all parts, then the second ones: the order of two vectors that were packed into one.
FN Vector halves_in_order(Vector v) {
#if defined(__AVX512BW__)
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), v);
#elif defined(__AVX2__)
    return _mm256_permute4x64_epi64(v, 0xd8);
#else
    return v;
#endif
}

// Transposes work in lanes of 16 bytes, two of them where there are.
#if defined(__AVX2__)
#define LANES_OF(name) _mm256_##name
typedef __m256i TransposeVector;
FN TransposeVector load_lanes_of(const void* first, const void* second) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i*)first)),
                                   _mm_loadu_si128((const __m128i*)second), 1);
}
FN void store_lanes_of(void* to, TransposeVector v) { _mm256_storeu_si256((__m256i*)to, v); }
#else
#define LANES_OF(name) _mm_##name
typedef __m128i TransposeVector;
FN TransposeVector load_lanes_of(const void* first, const void*) { return _mm_loadu_si128((const __m128i*)first); }
FN void store_lanes_of(void* to, TransposeVector v) { _mm_storeu_si128((__m128i*)to, v); }
#endif
enum { TRANSPOSE_LANES = sizeof(TransposeVector) / 16 };

// out[c * pitch + r] = in[r][c] of 8 columns of pairs of bytes, for 8 lines of each lane.
FN void transpose_byte_pairs(u16* out, s32 pitch, const u8* const* lines, s32 column) {
    TransposeVector a[8], b[8];
    UNROLL for (int i = 0; i < 8; ++i) a[i] = load_lanes_of(lines[i] + column, lines[i + 8 * (TRANSPOSE_LANES - 1)] + column);
    UNROLL for (int i = 0; i < 4; ++i) {
        b[2 * i] = LANES_OF(unpacklo_epi16)(a[i], a[i + 4]);
        b[2 * i + 1] = LANES_OF(unpackhi_epi16)(a[i], a[i + 4]);
    }
    UNROLL for (int i = 0; i < 4; ++i) {
        a[2 * i] = LANES_OF(unpacklo_epi16)(b[i], b[i + 4]);
        a[2 * i + 1] = LANES_OF(unpackhi_epi16)(b[i], b[i + 4]);
    }
    UNROLL for (int i = 0; i < 4; ++i) {
        b[2 * i] = LANES_OF(unpacklo_epi16)(a[i], a[i + 4]);
        b[2 * i + 1] = LANES_OF(unpackhi_epi16)(a[i], a[i + 4]);
    }
    UNROLL for (int i = 0; i < 8; ++i) store_lanes_of(out + i * pitch, b[i]);
}

// out[r * out_pitch + c] = pair r of column c, of 4 pairs of s16 in 4 columns of each lane.
FN void transpose_word_pairs(u32* out, s32 out_pitch, const s16* columns, s32 pitch) {
    TransposeVector a[4], b[4];
    UNROLL for (int i = 0; i < 4; ++i)
        a[i] = load_lanes_of(columns + i * pitch, columns + (i + 4 * (TRANSPOSE_LANES - 1)) * pitch);
    b[0] = LANES_OF(unpacklo_epi32)(a[0], a[1]);
    b[1] = LANES_OF(unpackhi_epi32)(a[0], a[1]);
    b[2] = LANES_OF(unpacklo_epi32)(a[2], a[3]);
    b[3] = LANES_OF(unpackhi_epi32)(a[2], a[3]);
    store_lanes_of(out, LANES_OF(unpacklo_epi64)(b[0], b[2]));
    store_lanes_of(out + out_pitch, LANES_OF(unpackhi_epi64)(b[0], b[2]));
    store_lanes_of(out + 2 * out_pitch, LANES_OF(unpacklo_epi64)(b[1], b[3]));
    store_lanes_of(out + 3 * out_pitch, LANES_OF(unpackhi_epi64)(b[1], b[3]));
}
#undef LANES_OF
#else
#define HAS_VECTORS 0
#endif
