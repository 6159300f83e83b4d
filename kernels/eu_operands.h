// Operands: from a thread's registers to a value of every channel, and back.
#pragma once
#include "eu_operations.h"

// Channels that are computed: whole vectors on a CPU, whose loops are compiled for each of their numbers, N. What the last
// ones read is in registers, too, and never stored.
template <int N> FN int computed_channels([[maybe_unused]] int channels) { return ON_DEVICE(N, channels); }

FN u32 lowest(int n) { return n == 32 ? ~0u : (1u << n) - 1; }

// A thread and the operation it is at.
struct EuThread {
    u8* registers;
    s32 number, operation;
};

FN s32 size_of(u8 type) { return type >= EU_F ? 4 : 4 >> (type >> 1); }

FN_APART void note_fault(const EuRunParams& p, const EuThread& t, s32 address) {
    s32* fault = p.faults + 2 * t.number;
    FOR_LINE(i, 1) if (!fault[0]) fault[0] = t.operation + 1, fault[1] = address;
}

// Where an operand at an address begins; at the first byte of all if that is illegal.
FN s32 addressed(const EuRunParams& p, const EuThread& t, s16 word, s32 behind, s32 span, u8 type) {
    const s32 address = (s32)element_at<u16>(t.registers + word) + behind, end = address + span;
    const s32 registers = (end - 1) / EU_REGISTER_B - address / EU_REGISTER_B + 1;
    if (address >= 0 && end <= EU_GENERAL_B && address % size_of(type) == 0 && registers <= 2) return address;
    note_fault(p, t, address);
    return 0;
}

// The same of an element with an address of its own.
FN s32 row_address(const EuRunParams& p, const EuThread& t, s32 list, s32 at, int i) {
    return (s32)element_at<u16>(t.registers + p.offsets[list + EU_CHANNELS + i]) + at + p.offsets[list + i];
}
FN bool is_legal(s32 address, u8 type) {
    return address >= 0 && address + size_of(type) <= EU_GENERAL_B && address % size_of(type) == 0;
}
FN_APART void check_rows(const EuRunParams& p, const EuThread& t, s32 list, s32 at, int n, u8 type) {
    for (int i = 0; i < n; ++i) {
        const s32 address = row_address(p, t, list, at, i);
        if (!is_legal(address, type)) note_fault(p, t, address);
    }
}

FN const u8* first_of(const EuRunParams& p, const EuThread& t, const EuSource& s, int channels) {
    if (s.is_constant) return p.constants + s.at;
    if (s.place == EU_ROWED) {
        check_rows(p, t, s.list, s.at, channels, s.type);
        return t.registers;
    }
    if (s.place != EU_KEPT && s.address) return t.registers + addressed(p, t, s.address, s.at, s.span, s.type);
    return t.registers + s.at;
}

template <typename T>
FN T row_element(const EuRunParams& p, const EuThread& t, const EuSource& s, int i) {
    const s32 address = row_address(p, t, s.list, s.at, i);
    return element_at<T>(t.registers + (is_legal(address, s.type) ? address : 0));
}

// Integers of acc0: all their bits, where they are known.
template <typename W> FN W kept_element(const EuRunParams& p, const EuThread& t, const EuSource& s, int i, s64 shown) {
    const bool words = size_of(s.type) == 2;
    const int count = words ? 16 : 8, lane = s.address + p.offsets[s.list + i] / (words ? 2 : 4);
    const s64 at = (s64)t.number * count + lane;
    const u8* known = words ? p.known_words : p.known_dwords;
    const s64* kept = words ? p.kept_words : p.kept_dwords;
    return (W)(known[at] ? kept[at] : shown);
}

template <typename T, typename W>
FN void load_near(const u8* from, bool shared, int n, EuLanes<W>& out) {
    if (shared) {
        const W value = (W)element_at<T>(from);
        FOR_LINE(i, n) out[i] = value;
    } else {
        FOR_LINE(i, n) out[i] = (W)element_at<T>(from + i * (int)sizeof(T));
    }
}

template <typename T, typename W>
FN void load_far(const EuRunParams& p, const EuThread& t, const EuSource& s, const u8* from, int n, EuLanes<W>& out) {
    if (s.place == EU_ROWED) {
        FOR_LINE(i, n) out[i] = (W)row_element<T>(p, t, s, i);
        return;
    }
    const s32* offsets = p.offsets + s.list;
    if (s.place == EU_LISTED)
        FOR_LINE(i, n) out[i] = (W)element_at<T>(from + offsets[i]);
    else
        FOR_LINE(i, n) out[i] = kept_element<W>(p, t, s, i, (s64)element_at<T>(from + offsets[i]));
}

// Elements that lie apart; they are rarer, so they are compiled once.
template <int N, typename W>
FN_APART void load_scattered(const EuRunParams& p, const EuThread& t, const EuSource& s, const u8* from, int channels,
                             EuLanes<W>& out) {
    const int n = computed_channels<N>(channels);
    switch (s.type) {
        case EU_UD: load_far<u32>(p, t, s, from, n, out); break;
        case EU_D: load_far<s32>(p, t, s, from, n, out); break;
        case EU_UW: load_far<u16>(p, t, s, from, n, out); break;
        case EU_W: load_far<s16>(p, t, s, from, n, out); break;
        case EU_UB: load_far<u8>(p, t, s, from, n, out); break;
        default: load_far<s8>(p, t, s, from, n, out); break;
    }
}

template <int N, typename W>
FN void integers_of(const EuRunParams& p, const EuThread& t, const EuSource& s, int channels, EuLanes<W>& out) {
    const int n = computed_channels<N>(channels);
    const u8* from = first_of(p, t, s, channels);
    const bool shared = s.place == EU_SHARED;
    if (s.place > EU_SHARED) {
        load_scattered<N, W>(p, t, s, from, channels, out);
    } else {
        switch (s.type) {
            case EU_UD: load_near<u32>(from, shared, n, out); break;
            case EU_D: load_near<s32>(from, shared, n, out); break;
            case EU_UW: load_near<u16>(from, shared, n, out); break;
            case EU_W: load_near<s16>(from, shared, n, out); break;
            case EU_UB: load_near<u8>(from, shared, n, out); break;
            default: load_near<s8>(from, shared, n, out); break;
        }
    }
    if (s.absolute) FOR_LINE(i, n) out[i] = out[i] < 0 ? (W)(0 - (u64)out[i]) : out[i];
    if (s.negate) FOR_LINE(i, n) out[i] = (W)(0 - (u64)out[i]);
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

template <int N>
FN void floats_of(const EuRunParams& p, const EuThread& t, const EuSource& s, int channels, bool flush, EuLanes<float>& out) {
    const int n = computed_channels<N>(channels);
    const u32 kept = s.absolute ? 0x7FFFFFFFu : ~0u;
    const EuModifiers m = {kept, flush ? kept & 0x80000000u : kept, s.negate ? 0x80000000u : 0};
    const u8* from = first_of(p, t, s, channels);
    if (s.place == EU_PACKED) {
        FOR_LINE(i, n) out[i] = modified(element_at<u32>(from + i * 4), m);
    } else if (s.place == EU_SHARED) {
        const float value = modified(element_at<u32>(from), m);
        FOR_LINE(i, n) out[i] = value;
    } else if (s.place == EU_LISTED) {
        const s32* offsets = p.offsets + s.list;
        FOR_LINE(i, n) out[i] = modified(element_at<u32>(from + offsets[i]), m);
    } else {
        FOR_LINE(i, n) out[i] = modified(row_element<u32>(p, t, s, i), m);
    }
}

// N: channels of whole vectors, whose neighbors keep what they hold without a branch.
template <int N, typename T> FN void store_elements(u8* to, int stride, u32 mask, int channels, const u32* bits) {
    const int size = (int)sizeof(T);
    if (stride == size && channels == N && mask == lowest(N)) {
        FOR_LINE(i, N) put_element<T>(to + i * size, (T)bits[i]);
    } else if (stride == size && channels == N) {
        FOR_LINE(i, N) put_element<T>(to + i * size, mask >> i & 1 ? (T)bits[i] : element_at<T>(to + i * size));
    } else {
        FOR_LINE(i, channels) if (mask >> i & 1) put_element<T>(to + i * stride, (T)bits[i]);
    }
}

// Elements at addresses of their own, one after the other: they may be the same.
template <typename T> FN void store_rows(const EuRunParams& p, const EuThread& t, const EuOperation& op, u32 mask, const u32* bits) {
    check_rows(p, t, op.to_list, op.to, op.channels, op.to_type);
    FOR_LINE(j, 1) {
        for (int i = 0; i < op.channels; ++i) {
            const s32 address = row_address(p, t, op.to_list, op.to, i);
            if ((mask >> i & 1) && is_legal(address, op.to_type)) put_element<T>(t.registers + address, (T)bits[i]);
        }
    }
}

template <int N, typename T> FN void store_as(const EuRunParams& p, const EuThread& t, const EuOperation& op, u32 mask, const u32* bits) {
    if (op.to_place == EU_ROWED) {
        store_rows<T>(p, t, op, mask, bits);
        return;
    }
    const s32 to = op.to_address ? addressed(p, t, op.to_address, op.to, op.to_span_B, op.to_type) : op.to;
    store_elements<N, T>(t.registers + to, op.to_stride, mask, op.channels, bits);
}

template <int N> FN void store_bits(const EuRunParams& p, const EuThread& t, const EuOperation& op, u32 mask, const u32* bits) {
    const s32 size = size_of(op.to_type);
    if (size == 1)
        store_as<N, u8>(p, t, op, mask, bits);
    else if (size == 2)
        store_as<N, u16>(p, t, op, mask, bits);
    else
        store_as<N, u32>(p, t, op, mask, bits);
}

// a0.2 to a0.7 have 12 bits (volume 4 part 3, page 41).
FN void trim_addresses(const EuRunParams& p, const EuThread& t) {
    FOR_LINE(i, 1) {
        for (int k = 2; k < 8; ++k) {
            u8* word = t.registers + p.addresses_at + 2 * k;
            put_element<u16>(word, element_at<u16>(word) & 0xFFF);
        }
    }
}

// What acc0 holds beyond its registers, as texsamp/emulator/eu/accumulators.py keeps it. mask: not 0.
FN void keep_wide(const EuRunParams& p, const EuThread& t, const EuOperation& op, u32 mask, const s64* values) {
    u8* words = p.known_words + (s64)t.number * 16;
    u8* dwords = p.known_dwords + (s64)t.number * 8;
    if (op.keeping != EU_WORDS) FOR_LINE(i, 16) words[i] = 0;
    if (op.keeping != EU_DWORDS) FOR_LINE(i, 8) dwords[i] = 0;
    if (op.keeping == EU_FORGETS) return;
    u8* known = op.keeping == EU_WORDS ? words : dwords;
    s64* kept = op.keeping == EU_WORDS ? p.kept_words + (s64)t.number * 16 : p.kept_dwords + (s64)t.number * 8;
    const int spare = op.whole_product ? 0 : 31;
    FOR_LINE(i, op.channels) {
        const int lane = op.to_list + i * op.to_stride / op.keeping;
        if (mask >> i & 1) known[lane] = 1, kept[lane] = (s64)((u64)values[i] << spare) >> spare;
    }
}
