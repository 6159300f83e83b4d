// One kernel source, two devices: the only file that knows which one it is compiled for.
//
// A kernel is KERNEL(name, Params, tile); tile(params, tile_x, tile_y) is a function or an instance of a template,
// made of phases: a scalar prologue, then FOR_EACH loops over SHARED scratch, with BARRIER() between one that writes
// scratch and one that reads or overwrites it. On CUDA a tile is a thread block; on the CPU it is one call, and every
// FOR_EACH is a loop the compiler vectorizes. FOR_LINES/FOR_LINE split a two-dimensional phase: lines go to
// threadIdx.y (a plain loop on the CPU), the elements of a line to threadIdx.x (the vector loop). FOR_ITEMS is FOR_EACH
// for scalar work, with a plain loop on the CPU.
// Self-contained: NVRTC has no standard headers.
#pragma once

typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef short s16;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;
#define KERNEL_OF_PLANES(name, Params, blocks, ...) KERNEL(name, Params, __VA_ARGS__)  // not on CUDA
#if defined(__CUDACC__)
#define FN static __device__ __forceinline__
#define FN_MEMBER __device__ __forceinline__
#define FN_APART static __device__ __noinline__  // compiled once for all kernels that share it
#define FN_ONCE FN
#define SHARED __shared__
#define BARRIER() __syncthreads()
enum { BLOCK_X = 32, BLOCK_Y = 8 };  // threads; of texsamp/device/cuda.py
#define FOR_EACH(i, n) for (int i = (int)(threadIdx.y * BLOCK_X + threadIdx.x); i < (n); i += BLOCK_X * BLOCK_Y)
#define FOR_ITEMS(i, n) FOR_EACH(i, n)
#define FOR_LINES(i, n) for (int i = (int)threadIdx.y; i < (n); i += BLOCK_Y)
#define FOR_LINE(i, n) for (int i = (int)threadIdx.x; i < (n); i += BLOCK_X)
#define ON_DEVICE(host, device) (device)
#include "portable_planes.h"
#define KERNEL(name, Params, ...)                                                                                \
    extern "C" __global__ void __launch_bounds__(256, 4) name(const __grid_constant__ Params params, int tiles_y) { \
        const int y = blockIdx.z * gridDim.y + blockIdx.y; __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);   \
        if (y < tiles_y) __VA_ARGS__(params, blockIdx.x, y);                                                     \
    }
#elif defined(TEXSAMP_THREADED_TILES)  // test build: each tile on real threads, so a sanitizer sees missing barriers
#include "threaded_tiles.h"
#else
#define FN static inline __attribute__((always_inline))
#define FN_MEMBER inline __attribute__((always_inline))
#define FN_APART static __attribute__((noinline))  // compiled once for all kernels that share it
#define FN_ONCE FN_APART  // for what takes long to compile; a GPU has it in every kernel, as calls cost registers there
#define SHARED alignas(64)
#define BARRIER() ((void)0)
#define FOR_EACH(i, n) _Pragma("omp simd") for (int i = 0; i < (n); ++i)
#define FOR_ITEMS(i, n) for (int i = 0; i < (n); ++i)
#define FOR_LINES(i, n) for (int i = 0; i < (n); ++i)
#define FOR_LINE(i, n) _Pragma("omp simd") for (int i = 0; i < (n); ++i)
#define ON_DEVICE(host, device) (host)
#define KERNEL(name, Params, ...)                                                                               \
    extern "C" __attribute__((visibility("default"))) void name(const Params* params, int tiles_x, int begin,   \
                                                                int end) {                                      \
        const Params local = *params;                                                                           \
        for (int y = begin; y < end; ++y)                                                                       \
            for (int x = 0; x < tiles_x; ++x) __VA_ARGS__(local, x, y);                                         \
    }
#endif

#if defined(__CUDACC__)
#define UNROLL _Pragma("unroll")
#define PREFETCH(address) ((void)0)
#define TABLE static __device__ const
#else
#define UNROLL _Pragma("GCC unroll 8")
#define PREFETCH(address) __builtin_prefetch(address)
#define TABLE static const
#endif

template <typename T> FN T min_of(T a, T b) { return a < b ? a : b; }
template <typename T> FN T max_of(T a, T b) { return a > b ? a : b; }
template <typename T> FN T clamp_to(T v, T low, T high) { return min_of(max_of(v, low), high); }

// a * b + c for floats that hold integers below 2^24, where fused and separate rounding both are exact.
FN float multiply_add_exact(float a, float b, float c) {
#if defined(__CUDACC__)
    return __fmaf_rn(a, b, c);
#elif defined(__FMA__)
    return __builtin_fmaf(a, b, c);
#else
    return a * b + c;
#endif
}

// The square root, rounded to the nearest.
FN float root_of(float v) {
#if defined(__CUDACC__)
    return __fsqrt_rn(v);
#else
    return __builtin_sqrtf(v);
#endif
}

FN u32 bits_of_float(float v) {
#if defined(__CUDACC__)
    return __float_as_uint(v);
#else
    u32 bits;
    __builtin_memcpy(&bits, &v, sizeof(bits));
    return bits;
#endif
}

// Adds to a sum in scratch that the threads of a tile share; what it comes to does not depend on their order.
FN void add_shared(u32* sum, u32 n) {
#if defined(__CUDACC__)
    atomicAdd(sum, n);
#elif defined(TEXSAMP_THREADED_TILES)
    __atomic_fetch_add(sum, n, __ATOMIC_RELAXED);
#else
    *sum += n;
#endif
}

// Makes a number in memory that tiles share no less than this one; what it comes to does not depend on their order.
FN void raise_shared(s32* number, s32 least) {
#if defined(__CUDACC__)
    atomicMax(number, least);
#else
    s32 held = __atomic_load_n(number, __ATOMIC_RELAXED);
    while (held < least && !__atomic_compare_exchange_n(number, &held, least, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
#endif
}

// Adds to a sum in memory that tiles share.
FN void add_of_tiles(u32* sum, u32 n) {
#if defined(__CUDACC__)
    atomicAdd(sum, n);
#else
    __atomic_fetch_add(sum, n, __ATOMIC_RELAXED);
#endif
}

// The bytes of a word, from the lowest up, at any address.
FN void store_bytes(u8* out, u64 bytes) {
#if defined(__CUDACC__)
    UNROLL for (int k = 0; k < 8; ++k) out[k] = (u8)(bytes >> 8 * k);
#else
    __builtin_memcpy(out, &bytes, sizeof(bytes));
#endif
}

FN void copy_bytes(void* out, const void* from, u64 size_B) {
#if defined(__CUDACC__)
    for (u64 k = 0; k < size_B; ++k) ((u8*)out)[k] = ((const u8*)from)[k];
#else
    __builtin_memcpy(out, from, size_B);
#endif
}

// out[i] = table[index[i]] for 16 bytes, whose indices are below 16.
#if !defined(__CUDACC__) && !defined(TEXSAMP_THREADED_TILES) && defined(__SSSE3__)
#include <tmmintrin.h>

FN void look_up_16(const u8* table, const u8* index, u8* out) {
    const __m128i bytes = _mm_loadu_si128((const __m128i*)table), at = _mm_loadu_si128((const __m128i*)index);
    _mm_storeu_si128((__m128i*)out, _mm_shuffle_epi8(bytes, at));
}
#else
FN void look_up_16(const u8* table, const u8* index, u8* out) {
    for (int i = 0; i < 16; ++i) out[i] = table[index[i]];
}
#endif

// dst[c][r] = src[r][c] for r < rows, c < columns (both multiples of 8; pitches in elements).
template <typename To, typename From>
FN void transpose(To* dst, int dst_pitch, const From* src, int src_pitch, int rows, int columns) {
    FOR_LINES(c, columns) {
        FOR_LINE(r, rows) dst[c * dst_pitch + r] = (To)src[r * src_pitch + c];
    }
}

#if !defined(__CUDACC__) && !defined(TEXSAMP_THREADED_TILES) && defined(__SSE2__)
#include <emmintrin.h>

FN void transpose(u8* dst, int dst_pitch, const u8* src, int src_pitch, int rows, int columns) {
    for (int r = 0; r < rows; r += 8)
        for (int c = 0; c < columns; c += 8) {
            const u8* s = src + r * src_pitch + c;
            u8* d = dst + c * dst_pitch + r;
            __m128i row[8];
            for (int i = 0; i < 8; ++i) row[i] = _mm_loadl_epi64((const __m128i*)(s + i * src_pitch));
            const __m128i a0 = _mm_unpacklo_epi8(row[0], row[1]), a1 = _mm_unpacklo_epi8(row[2], row[3]);
            const __m128i a2 = _mm_unpacklo_epi8(row[4], row[5]), a3 = _mm_unpacklo_epi8(row[6], row[7]);
            const __m128i b0 = _mm_unpacklo_epi16(a0, a1), b1 = _mm_unpackhi_epi16(a0, a1);
            const __m128i b2 = _mm_unpacklo_epi16(a2, a3), b3 = _mm_unpackhi_epi16(a2, a3);
            const __m128i pair[4] = {_mm_unpacklo_epi32(b0, b2), _mm_unpackhi_epi32(b0, b2),
                                     _mm_unpacklo_epi32(b1, b3), _mm_unpackhi_epi32(b1, b3)};
            for (int i = 0; i < 4; ++i) {
                _mm_storel_epi64((__m128i*)(d + 2 * i * dst_pitch), pair[i]);
                _mm_storel_epi64((__m128i*)(d + (2 * i + 1) * dst_pitch), _mm_unpackhi_epi64(pair[i], pair[i]));
            }
        }
}

FN void transpose(float* dst, int dst_pitch, const s16* src, int src_pitch, int rows, int columns) {
    for (int r = 0; r < rows; r += 8)
        for (int c = 0; c < columns; c += 8) {
            const s16* s = src + r * src_pitch + c;
            float* d = dst + c * dst_pitch + r;
            __m128i a[8], b[8];
            for (int i = 0; i < 8; ++i) a[i] = _mm_loadu_si128((const __m128i*)(s + i * src_pitch));
            for (int round = 0; round < 3; ++round) {
                for (int i = 0; i < 4; ++i) {
                    b[2 * i] = _mm_unpacklo_epi16(a[i], a[i + 4]);
                    b[2 * i + 1] = _mm_unpackhi_epi16(a[i], a[i + 4]);
                }
                for (int i = 0; i < 8; ++i) a[i] = b[i];
            }
            for (int i = 0; i < 8; ++i) {
                const __m128i low = _mm_srai_epi32(_mm_unpacklo_epi16(a[i], a[i]), 16);
                const __m128i high = _mm_srai_epi32(_mm_unpackhi_epi16(a[i], a[i]), 16);
                _mm_storeu_ps(d + i * dst_pitch, _mm_cvtepi32_ps(low));
                _mm_storeu_ps(d + i * dst_pitch + 4, _mm_cvtepi32_ps(high));
            }
        }
}
#endif
