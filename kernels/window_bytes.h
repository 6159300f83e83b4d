// What windows of 5x3 samples add up to, of bytes: words of a sample each.
#pragma once
#include "portable_pairs.h"

#if HAS_BYTE_PAIRS
FN PairWords sum_of_three(const u8* a, const u8* b, const u8* c) { return one_for_each(a) + one_for_each(b) + one_for_each(c); }
FN PairWords words_of_five(const u16* at) {
    return words_at(at - 2) + words_at(at - 1) + words_at(at) + words_at(at + 1) + words_at(at + 2);
}
#endif
