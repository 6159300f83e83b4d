// Results as a destination's type takes them, and what condition modifiers say of them.
#pragma once
#include "eu_operands.h"

FN double lowest_of(u8 type) {
    return type == EU_D ? -2147483648.0 : type == EU_W ? -32768.0 : type == EU_B ? -128.0 : 0.0;
}
FN double highest_of(u8 type) {
    return type == EU_UD ? 4294967295.0 : type == EU_D ? 2147483647.0 : type == EU_UW ? 65535.0 : type == EU_W ? 32767.0
         : type == EU_UB ? 255.0 : 127.0;
}

FN s64 most_of(s32) { return 0x7FFFFFFF; }
FN s64 most_of(s64) { return 0x7FFFFFFFFFFFFFFF; }

FN float saturated(float v) { return v >= 0.0f ? min_of(v, 1.0f) : 0.0f; }  // NaN is 0, -0 stays

template <typename T> FN T clamped_float(T v, T low, T high) {
    return v > low ? (v < high ? v : high) : v <= low ? low : 0;  // of NaN
}

// Floats as bits of the destination's type: toward zero and clamped if that is an integer.
template <typename Floats>
FN_OF_CELLS void bits_of_floats(const EuOperation& op, const Grid& g, const Floats& values, EuCells<u32>& bits) {
    if (op.to_type == EU_F) {
        if (op.saturate)
            FOR_CELLS(i, g) bits[i] = bits_of_float(saturated(values[i]));
        else
            FOR_CELLS(i, g) bits[i] = bits_of_float(values[i]);
        return;
    }
    const double low = lowest_of(op.to_type), high = highest_of(op.to_type);
    if (op.to_type == EU_UD)
        FOR_CELLS(i, g) bits[i] = (u32)(s64)clamped_float<double>(values[i], low, high);  // has no vectors below v4
    else if (op.to_type == EU_D)
        FOR_CELLS(i, g) bits[i] = (u32)(s32)clamped_float<double>(values[i], low, high);
    else  // limits that floats have
        FOR_CELLS(i, g) bits[i] = (u32)(s32)clamped_float<float>(values[i], (float)low, (float)high);
}

template <typename W, typename Integers>
FN_OF_CELLS void bits_of_integers(const EuOperation& op, const Grid& g, const Integers& values, EuCells<u32>& bits) {
    if (op.to_type == EU_F) {
        if (op.saturate)
            FOR_CELLS(i, g) bits[i] = bits_of_float(saturated((float)values[i]));
        else
            FOR_CELLS(i, g) bits[i] = bits_of_float((float)values[i]);
    } else if (op.saturate) {
        const W low = (W)lowest_of(op.to_type), high = (W)min_of<s64>((s64)highest_of(op.to_type), most_of((W)0));
        FOR_CELLS(i, g) bits[i] = (u32)clamp_to<W>(values[i], low, high);
    } else {
        FOR_CELLS(i, g) bits[i] = (u32)values[i];
    }
}

template <typename T>
FN_OF_CELLS void compared(u8 condition, const Grid& g, const EuCells<T>& a, const EuCells<T>& b, u8* outcome) {
    EuCells<s32> found;  // of the values' own size, which has vectors
    switch (condition) {
        case EU_Z: FOR_CELLS(i, g) found[i] = a[i] == b[i]; break;
        case EU_NZ: FOR_CELLS(i, g) found[i] = a[i] != b[i]; break;
        case EU_G: FOR_CELLS(i, g) found[i] = a[i] > b[i]; break;
        case EU_GE: FOR_CELLS(i, g) found[i] = a[i] >= b[i]; break;
        case EU_L: FOR_CELLS(i, g) found[i] = a[i] < b[i]; break;
        default: FOR_CELLS(i, g) found[i] = a[i] <= b[i]; break;
    }
    FOR_CELLS(i, g) outcome[i] = (u8)found[i];
}

// A result as the destination holds it.
FN s64 stored_integer(u8 type, u32 bits) {
    return type == EU_UD ? (s64)bits : type == EU_D ? (s32)bits : type == EU_UW ? (u16)bits : type == EU_W ? (s16)bits
         : type == EU_UB ? (u8)bits : (s8)bits;
}
