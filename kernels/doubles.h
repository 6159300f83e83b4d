// Floats of 64 bits, by IEEE's operations alone: CPUs and GPUs have the same bits.
#pragma once
#include "portable_elements.h"

FN double magnitude_of(double v) { return double_of_bits(bits_of_double(v) & ~(1ull << 63)); }

FN bool is_nan_bits(u32 bits) { return (bits & 0x7FFFFFFFu) > 0x7F800000u; }

FN bool is_finite(double v) { return (bits_of_double(v) >> 52 & 0x7FF) != 0x7FF; }

// 2 to an exponent from -1022 on.
FN double power_of_two(s32 exponent) { return double_of_bits((u64)(exponent + 1023) << 52); }

// The nearest integer of a number up to 2^51, of two the even one.
FN double nearest(double v) {
    const double middle = 6755399441055744.0;  // 1.5 * 2^52
    return v + middle - middle;
}
