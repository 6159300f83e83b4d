// What portable.h offers for memory that holds elements of any type, for values of a line's threads, and for floats of 64
// bits; it knows the device, too.
#pragma once
#include "portable.h"

// On a CPU bytes are copied, or the compiler would take elements of two types for different memory.
template <typename T> FN T element_at(const void* at) {
#if defined(__CUDACC__)
    return *(const T*)at;
#else
    T v;
    __builtin_memcpy(&v, at, sizeof(v));
    return v;
#endif
}
template <typename T> FN void put_element(void* at, T v) {
#if defined(__CUDACC__)
    *(T*)at = v;
#else
    __builtin_memcpy(at, &v, sizeof(v));
#endif
}

FN float float_of_bits(u32 bits) {
#if defined(__CUDACC__)
    return __uint_as_float(bits);
#else
    float v;
    __builtin_memcpy(&v, &bits, sizeof(v));
    return v;
#endif
}

FN u64 bits_of_double(double v) {
#if defined(__CUDACC__)
    return (u64)__double_as_longlong(v);
#else
    u64 bits;
    __builtin_memcpy(&bits, &v, sizeof(bits));
    return bits;
#endif
}

FN double double_of_bits(u64 bits) {
#if defined(__CUDACC__)
    return __longlong_as_double((s64)bits);
#else
    double v;
    __builtin_memcpy(&v, &bits, sizeof(v));
    return v;
#endif
}

// The square root in 64 bits, rounded to the nearest.
FN double wide_root_of(double v) {
#if defined(__CUDACC__)
    return __dsqrt_rn(v);
#else
    return __builtin_sqrt(v);
#endif
}

// Functions that take cells: on a CPU compiled once, on a GPU, which would put the cells into memory, where they are used.
#if defined(__CUDACC__)
#define FN_OF_CELLS FN
#else
#define FN_OF_CELLS FN_APART
#endif

// Lines of n values each, which lie `pitch` apart where they are in memory.
struct Grid {
    int lines, n, pitch;
};

// Values of all lines, for FOR_CELLS: an array on a CPU, which goes through it as one line; on a GPU, whose blocks have a
// thread for each, its register.
template <typename T, int COUNT> struct Cells {
#if defined(__CUDACC__)
    static_assert(COUNT <= BLOCK_X * BLOCK_Y, "one value for each thread of a block");
    T value;
    FN_MEMBER T& operator[](int) { return value; }
    FN_MEMBER const T& operator[](int) const { return value; }
#else
    alignas(64) T values[COUNT];
    FN_MEMBER T& operator[](int at) { return values[at]; }
    FN_MEMBER const T& operator[](int at) const { return values[at]; }
#endif
};

// Once for every cell, and once for every line, of which a GPU's block has no more than threads: no loop there.
#if defined(__CUDACC__)
#define FOR_CELLS(at, g)                                                                                             \
    for (int at = (int)threadIdx.y * (g).pitch + (int)threadIdx.x,                                                   \
             at##_is = (int)threadIdx.y < (g).lines && (int)threadIdx.x < (g).n; at##_is; at##_is = 0)
#define FOR_LINES_OF(line, g) for (int line = (int)threadIdx.y, line##_is = line < (g).lines; line##_is; line##_is = 0)
#else
#define FOR_LINES_OF(line, g) FOR_LINES(line, (g).lines)
#if !defined(TEXSAMP_THREADED_TILES)
#define FOR_CELLS(at, g) FOR_EACH(at, (g).lines * (g).pitch)
#endif
#endif
