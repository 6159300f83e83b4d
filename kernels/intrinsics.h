// The intrinsics of the level that is compiled, and no others: those of AVX take longer to read than many a kernel.
#pragma once
#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__SSE4_1__)
#include <smmintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif
