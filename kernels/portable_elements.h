// What portable.h offers for memory that holds elements of any type, and for floats of 64 bits; it knows the device, too.
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
