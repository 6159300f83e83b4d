// One kernel source, two devices: the only file that knows which one it is compiled for.
//
// A kernel is KERNEL(name, Params) around `name_tile(params, tile_x, tile_y)`, a tile function made of phases:
// a scalar prologue, then FOR_EACH loops over SHARED scratch, with BARRIER() between a phase that writes scratch
// and one that reads or overwrites it. On CUDA a tile is a thread block; on the CPU it is one call, and every
// FOR_EACH is a loop the compiler vectorizes. FOR_LINES/FOR_LINE split a two-dimensional phase: lines go to
// threadIdx.y (a plain loop on the CPU), the elements of a line to threadIdx.x (the vector loop).
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

#if defined(__CUDACC__)
#define FN static __device__ __forceinline__
#define SHARED __shared__
#define BARRIER() __syncthreads()
#define FOR_EACH(i, n) \
    for (int i = (int)(threadIdx.y * blockDim.x + threadIdx.x); i < (n); i += (int)(blockDim.x * blockDim.y))
#define FOR_LINES(i, n) for (int i = (int)threadIdx.y; i < (n); i += (int)blockDim.y)
#define FOR_LINE(i, n) for (int i = (int)threadIdx.x; i < (n); i += (int)blockDim.x)
#define ON_DEVICE(host, device) (device)
#define KERNEL(name, Params)                                                         \
    extern "C" __global__ void __launch_bounds__(256) name(const Params params) {    \
        name##_tile(params, (int)blockIdx.x, (int)blockIdx.y);                       \
    }
#elif defined(TEXSAMP_THREADED_TILES)  // test build: each tile on real threads, so a sanitizer sees missing barriers
#include "threaded_tiles.h"
#else
#define FN static inline __attribute__((always_inline))
#define SHARED alignas(64)
#define BARRIER() ((void)0)
#define FOR_EACH(i, n) _Pragma("omp simd") for (int i = 0; i < (n); ++i)
#define FOR_LINES(i, n) for (int i = 0; i < (n); ++i)
#define FOR_LINE(i, n) _Pragma("omp simd") for (int i = 0; i < (n); ++i)
#define ON_DEVICE(host, device) (host)
#define KERNEL(name, Params)                                                                                    \
    extern "C" __attribute__((visibility("default"))) void name(const Params* params, int tiles_x, int begin,   \
                                                                int end) {                                      \
        const Params local = *params;                                                                           \
        for (int y = begin; y < end; ++y)                                                                       \
            for (int x = 0; x < tiles_x; ++x) name##_tile(local, x, y);                                         \
    }
#endif

template <typename T> FN T min_of(T a, T b) { return a < b ? a : b; }
template <typename T> FN T max_of(T a, T b) { return a > b ? a : b; }
template <typename T> FN T clamp_to(T v, T low, T high) { return min_of(max_of(v, low), high); }
