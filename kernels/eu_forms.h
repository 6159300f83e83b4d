// On a CPU, what becomes of the results of an operation that runs in one step (eu_direct.h), and what conditions say of them.
#pragma once
#include "eu_near.h"

#if HAS_EIGHTS
enum EuKind { EU_COMPUTES, EU_SELECTS, EU_COMPARES };

// How results go to the destination as they are made: as bits, or as numbers of another type; or not before all are made.
enum EuForm { EU_AS_BITS, EU_AS_FLOATS, EU_AS_DWORDS, EU_AS_SATURATED, EU_APART };
FN EuForm form_of(const EuOperation& op, bool compares) {
    const bool floats = op.arithmetic == EU_FLOATS, is_tested = !compares && op.flags >= 0;
    if (is_tested && (op.saturate || (floats ? op.to_type != EU_F : op.to_type > EU_D))) return EU_APART;
    if (!has_destination(op)) return EU_AS_BITS;
    if (op.to_address || (op.to_stride != 4 && op.channels > 1)) return EU_APART;
    if (compares) return size_of(op.to_type) == 4 ? EU_AS_BITS : EU_APART;
    if (op.saturate) return floats && op.to_type == EU_F ? EU_AS_SATURATED : EU_APART;
    if (op.to_type == EU_F) return floats ? EU_AS_BITS : EU_AS_FLOATS;
    if (floats) return op.to_type == EU_D ? EU_AS_DWORDS : EU_APART;
    return op.to_type <= EU_D ? EU_AS_BITS : EU_APART;
}
FN bool is_plain(const EuOperation& op, bool compares) { return form_of(op, compares) == EU_AS_BITS; }

template <int N> FN EuBits<N> formed(EuForm form, EuBits<N> bits) {
    const EuReal<N> v = real_of<N>(bits);
    if (form == EU_AS_FLOATS) return bits_of_reals<N>(floats_of_signed((EuSigned<N>)bits));
    if (form == EU_AS_SATURATED) return mask_of(v >= 0.0f) & (mask_of(v > 1.0f) ? every<N>(0x3F800000u) : bits);  // NaN is 0
    const EuBits<N> above = mask_of(v >= 2147483648.0f), inside = mask_of(v > -2147483648.0f) & ~above & mask_of(v == v);
    const EuBits<N> whole = (EuBits<N>)signed_of_floats(real_of<N>(bits & inside));
    return whole | (above & 0x7FFFFFFFu) | (mask_of(v <= -2147483648.0f) & 0x80000000u);
}

// Of the results of a line, the channels for which a condition holds. is_unsigned: if they are integers.
template <int N, int COUNT>
FN_APART u32 outcome_of(u8 condition, bool floats, bool is_unsigned, const EuBits<N>* results) {
    u32 found = 0;
    for (int k = 0; k < COUNT; ++k) {
        const EuBits<N> bits = results[k];
        const EuReal<N> v = real_of<N>(bits);
        const EuSigned<N> n = (EuSigned<N>)bits;
        const EuBits<N> none = mask_of(n == 0), some = ~none, below = is_unsigned ? every<N>(0) : mask_of(n < 0);
        EuBits<N> holds;
        switch (condition) {
            case EU_Z: holds = floats ? mask_of(v == 0.0f) : none; break;
            case EU_NZ: holds = floats ? mask_of(v != 0.0f) : some; break;
            case EU_G: holds = floats ? mask_of(v > 0.0f) : some & ~below; break;
            case EU_GE: holds = floats ? mask_of(v >= 0.0f) : ~below; break;
            case EU_L: holds = floats ? mask_of(v < 0.0f) : below; break;
            default: holds = floats ? mask_of(v <= 0.0f) : none | below; break;
        }
        found |= lowest_bits(holds) << N * k;
    }
    return found;
}
#endif
