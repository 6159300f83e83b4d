// What portable.h offers for lines of a picture that begin anywhere in memory; it knows the device, too.
#pragma once
#include "portable.h"

// FOR_LINE over elements at `memory`. A GPU fetches sectors of 32 bytes: its warps begin where those do.
#if defined(__CUDACC__)
#define FOR_LINE_OF(memory, i, n)                                                                                  \
    for (int i = (int)threadIdx.x - (int)((unsigned)(u64)(memory) % 32 / sizeof(*(memory))); i < (n); i += BLOCK_X) \
        if (i >= 0)
#else
#define FOR_LINE_OF(memory, i, n) FOR_LINE(i, n)
#endif

// Two neighbors that a GPU moves at once, where their address is a multiple of their size.
template <typename T> struct alignas(2 * sizeof(T)) Twins {
    T first, second;
};
template <typename T> FN Twins<T> twins_at(const T* at) {
    if (ON_DEVICE(true, false)) return {at[0], at[1]};
    return *(const Twins<T>*)at;
}
template <typename T> FN void put_twins(T* at, T first, T second) {
    if (ON_DEVICE(true, false)) {
        at[0] = first;
        at[1] = second;
    } else {
        const Twins<T> both = {first, second};
        *(Twins<T>*)at = both;
    }
}
// Whether they may be moved so.
FN bool in_twins(const void* memory, u64 size) { return ON_DEVICE(0, 1) && ((u64)memory & (2 * size - 1)) == 0; }
