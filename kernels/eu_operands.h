// Operands: from a thread's registers to a value of every channel, and back.
#pragma once
#include "eu_operations.h"

// Channels that are computed: whole vectors on a CPU. What the last ones read is in registers, too, and never stored.
FN int computed_channels(const EuOperation& op) { return ON_DEVICE((op.channels + 7) & ~7, (int)op.channels); }

template <typename T, typename W>
FN void load_elements(const EuRunParams& p, const u8* registers, const EuSource& s, int n, EuLanes<W>& out) {
    const u8* from = (s.is_constant ? p.constants : registers) + s.at;
    if (s.place == EU_PACKED) {
        FOR_LINE(i, n) out[i] = (W)element_at<T>(from + i * (int)sizeof(T));
    } else if (s.place == EU_SHARED) {
        const W value = (W)element_at<T>(from);
        FOR_LINE(i, n) out[i] = value;
    } else {
        const s32* offsets = p.offsets + s.list;
        FOR_LINE(i, n) out[i] = (W)element_at<T>(from + offsets[i]);
    }
}

template <typename W>
FN_APART EuLanes<W> integers_of(const EuRunParams& p, const u8* registers, const EuSource& s, int n) {
    EuLanes<W> out;
    switch (s.type) {
        case EU_UD: load_elements<u32>(p, registers, s, n, out); break;
        case EU_D: load_elements<s32>(p, registers, s, n, out); break;
        case EU_UW: load_elements<u16>(p, registers, s, n, out); break;
        case EU_W: load_elements<s16>(p, registers, s, n, out); break;
        case EU_UB: load_elements<u8>(p, registers, s, n, out); break;
        default: load_elements<s8>(p, registers, s, n, out); break;
    }
    if (s.absolute) FOR_LINE(i, n) out[i] = out[i] < 0 ? (W)(0 - (u64)out[i]) : out[i];
    if (s.negate) FOR_LINE(i, n) out[i] = (W)(0 - (u64)out[i]);
    return out;
}

// A float without what is smaller than normal ones.
FN u32 flushed_bits(u32 bits) { return (bits & 0x7F800000u) == 0 ? bits & 0x80000000u : bits; }

// Bits of a float that are kept, of one smaller than normal ones too, and that are flipped.
struct EuModifiers {
    u32 kept, kept_small, flipped;
};
FN float modified(u32 bits, const EuModifiers& m) {
    return float_of_bits((bits & ((bits & 0x7F800000u) == 0 ? m.kept_small : m.kept)) ^ m.flipped);
}

FN_APART EuLanes<float> floats_of(const EuRunParams& p, const u8* registers, const EuSource& s, bool flush, int n) {
    const u32 kept = s.absolute ? 0x7FFFFFFFu : ~0u;
    const EuModifiers m = {kept, flush ? kept & 0x80000000u : kept, s.negate ? 0x80000000u : 0};
    const u8* from = (s.is_constant ? p.constants : registers) + s.at;
    EuLanes<float> out;
    if (s.place == EU_PACKED) {
        FOR_LINE(i, n) out[i] = modified(element_at<u32>(from + i * 4), m);
    } else if (s.place == EU_SHARED) {
        const float value = modified(element_at<u32>(from), m);
        FOR_LINE(i, n) out[i] = value;
    } else {
        const s32* offsets = p.offsets + s.list;
        FOR_LINE(i, n) out[i] = modified(element_at<u32>(from + offsets[i]), m);
    }
    return out;
}

template <typename T> FN void store_elements(u8* to, int stride, u32 mask, int n, const u32* bits) {
    const u32 all = n == 32 ? ~0u : (1u << n) - 1;
    if (mask == all && stride == (int)sizeof(T)) {
        FOR_LINE(i, n) put_element<T>(to + i * (int)sizeof(T), (T)bits[i]);
    } else {
        FOR_LINE(i, n) if (mask >> i & 1) put_element<T>(to + i * stride, (T)bits[i]);
    }
}

FN void store_bits(u8* registers, const EuOperation& op, u32 mask, const u32* bits) {
    const int n = op.channels;
    u8* to = registers + op.to;
    if (op.to_type == EU_UB || op.to_type == EU_B)
        store_elements<u8>(to, op.to_stride, mask, n, bits);
    else if (op.to_type == EU_UW || op.to_type == EU_W)
        store_elements<u16>(to, op.to_stride, mask, n, bits);
    else
        store_elements<u32>(to, op.to_stride, mask, n, bits);
}
