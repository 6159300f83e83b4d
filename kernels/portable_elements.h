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

// The square root in 64 bits, rounded to the nearest.
FN double wide_root_of(double v) {
#if defined(__CUDACC__)
    return __dsqrt_rn(v);
#else
    return __builtin_sqrt(v);
#endif
}

// N values for FOR_LINE: an array on a CPU; on a GPU, whose blocks have as many threads in a line, a register of each.
template <typename T, int N> struct Lanes {
#if defined(__CUDACC__)
    static_assert(N <= BLOCK_X, "one value for each thread of a line");
    T value;
    FN_MEMBER T& operator[](int) { return value; }
    FN_MEMBER const T& operator[](int) const { return value; }
#else
    alignas(64) T values[N];
    FN_MEMBER T& operator[](int i) { return values[i]; }
    FN_MEMBER const T& operator[](int i) const { return values[i]; }
#endif
};
