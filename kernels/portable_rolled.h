// Loops that a GPU's compiler leaves as they are.
#pragma once

#if defined(__CUDACC__)
#define ROLLED _Pragma("unroll 1")  // before a loop whose copies would be many and long
#else
#define ROLLED
#endif
