// What opcodes compute. As texsamp/emulator/eu/alu/arithmetic.py and products.py, which say where each is from.
#pragma once
#include "eu_results.h"

// Sums of products: in 64 bits, rounded once.
FN float sum_of(double sum) { return float_of_bits(flushed_bits(bits_of_float((float)sum))); }
FN float normal(float v) { return float_of_bits(flushed_bits(bits_of_float(v))); }
FN float round_up(float v) { return -floor_float(-v); }
FN float nearest_float(float v) {
    const u32 bits = bits_of_float(v);
    const float size = float_of_bits(bits & 0x7FFFFFFFu);
    const float whole = size < 8388608.0f ? (size + 8388608.0f) - 8388608.0f : size;  // beyond, there are no fractions
    return float_of_bits(bits_of_float(whole) | (bits & 0x80000000u));
}
FN bool is_nan(float v) { return v != v; }
FN bool is_nan(s32) { return false; }
FN bool is_nan(s64) { return false; }

// `sel` with a condition: ge and l prefer numbers.
template <typename T> FN void selected(u8 condition, const Grid& g, EuCells<T>& a, const EuCells<T>& b) {
    switch (condition) {
        case EU_Z: FOR_CELLS(i, g) a[i] = a[i] == b[i] ? a[i] : b[i]; break;
        case EU_NZ: FOR_CELLS(i, g) a[i] = a[i] != b[i] ? a[i] : b[i]; break;
        case EU_G: FOR_CELLS(i, g) a[i] = a[i] > b[i] ? a[i] : b[i]; break;
        case EU_GE: FOR_CELLS(i, g) a[i] = (a[i] >= b[i]) | (is_nan(b[i]) & !is_nan(a[i])) ? a[i] : b[i]; break;
        case EU_L: FOR_CELLS(i, g) a[i] = (a[i] < b[i]) | (is_nan(b[i]) & !is_nan(a[i])) ? a[i] : b[i]; break;
        default: FOR_CELLS(i, g) a[i] = a[i] <= b[i] ? a[i] : b[i]; break;
    }
}

// u * x + v * y + w, in the place of x.
FN void put_planes(const Grid& g, EuCells<float>& x, const EuCells<float>& y, const EuCells<float>& w,
                   const EuCells<float>& u, const EuCells<float>& v) {
    FOR_CELLS(i, g) x[i] = sum_of((double)x[i] * (double)u[i] + (double)y[i] * (double)v[i] + (double)w[i]);
}

// The result takes the place of the first source.
FN_OF_CELLS void compute_floats(const EuOperation& op, const Grid& g, EuCells<float>& a, const EuCells<float>& b,
                       const EuCells<float>& c) {
    switch (op.opcode) {
        case EU_ADD: FOR_CELLS(i, g) a[i] = normal(a[i] + b[i]); break;
        case EU_MUL: FOR_CELLS(i, g) a[i] = normal(a[i] * b[i]); break;
        case EU_MAD: FOR_CELLS(i, g) a[i] = sum_of((double)a[i] + (double)b[i] * (double)c[i]); break;
        case EU_LRP:
            FOR_CELLS(i, g) a[i] = sum_of((double)a[i] * (double)b[i] + (1.0 - (double)a[i]) * (double)c[i]);
            break;
        case EU_FRC: FOR_CELLS(i, g) a[i] = normal(a[i] - floor_float(a[i])); break;
        case EU_RNDU: FOR_CELLS(i, g) a[i] = round_up(a[i]); break;
        case EU_RNDD: FOR_CELLS(i, g) a[i] = floor_float(a[i]); break;
        case EU_RNDE: FOR_CELLS(i, g) a[i] = nearest_float(a[i]); break;
        case EU_RNDZ: FOR_CELLS(i, g) a[i] = a[i] < 0.0f ? round_up(a[i]) : floor_float(a[i]); break;
        case EU_INV: FOR_CELLS(i, g) a[i] = normal(1.0f / a[i]); break;
        case EU_SQRT: FOR_CELLS(i, g) a[i] = root_of(a[i]); break;
        case EU_RSQ: FOR_CELLS(i, g) a[i] = sum_of(1.0 / wide_root_of((double)a[i])); break;
        case EU_FDIV: FOR_CELLS(i, g) a[i] = normal(a[i] / b[i]); break;
        case EU_MAC: FOR_CELLS(i, g) a[i] = normal(normal(a[i] * b[i]) + c[i]); break;
        case EU_SEL: selected(op.condition, g, a, b); break;
        default: break;  // mov
    }
}

template <typename W, typename U>
FN_OF_CELLS void compute_integers(const EuOperation& op, const Grid& g, EuCells<W>& a, const EuCells<W>& b, const EuCells<W>& c) {
    switch (op.opcode) {
        case EU_NOT: FOR_CELLS(i, g) a[i] = ~a[i]; break;
        case EU_AND: FOR_CELLS(i, g) a[i] = a[i] & b[i]; break;
        case EU_OR: FOR_CELLS(i, g) a[i] = a[i] | b[i]; break;
        case EU_XOR: FOR_CELLS(i, g) a[i] = a[i] ^ b[i]; break;
        case EU_SHL: FOR_CELLS(i, g) a[i] = (W)((U)a[i] << (b[i] & 31)); break;
        case EU_ASR: FOR_CELLS(i, g) a[i] = a[i] >> (b[i] & 31); break;
        case EU_SHR: {
            const U low = (U)((op.sources[0].type >= EU_UB ? 1u << 8 : op.sources[0].type >= EU_UW ? 1u << 16 : 0u) - 1);
            FOR_CELLS(i, g) a[i] = (W)(((U)a[i] & (u32)low) >> (b[i] & 31));
            break;
        }
        case EU_ADD: FOR_CELLS(i, g) a[i] = (W)((U)a[i] + (U)b[i]); break;
        case EU_MUL: FOR_CELLS(i, g) a[i] = (W)((U)a[i] * (U)b[i]); break;
        case EU_MAC: FOR_CELLS(i, g) a[i] = (W)((U)a[i] * (U)b[i] + (U)c[i]); break;
        case EU_AVG: FOR_CELLS(i, g) a[i] = (W)((U)a[i] + (U)b[i] + 1) >> 1; break;
        case EU_SEL: selected(op.condition, g, a, b); break;
        default: break;  // mov
    }
}
