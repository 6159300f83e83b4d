// Sums in memory that all threads share.
#pragma once
#include "portable.h"

// Adds to a sum; what it comes to does not depend on the order of threads.
FN void add_to_sum(s64* sum, s64 n) {
#if defined(__CUDACC__)
    atomicAdd((u64*)sum, (u64)n);
#else
    __atomic_fetch_add(sum, n, __ATOMIC_RELAXED);
#endif
}
