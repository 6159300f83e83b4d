// Operands: from threads' registers to a value of every channel.
#pragma once
#include "eu_operations.h"

FN u32 lowest(int n) { return n == 32 ? ~0u : (1u << n) - 1; }

// A thread, the operation it is at, and how many it has run.
struct EuThread {
    u8* registers;
    s32 number, operation, steps;
};

// The threads of a tile, and the operation they are at: their lines have values of all channels that are computed, N, which
// on a CPU are whole vectors: what the last ones read is in registers, too, and never stored.
struct EuTile {
    u8* registers;
    const u32* mask;  // channels of each that are worked on
    Grid grid;
    s32 begin, operation, steps, channels;
    mutable u64 asked;  // lines of the nearest cache that were asked for, of the next tile's threads: a bit each
    FN_MEMBER EuThread thread(const EuRunParams& p, s32 line) const {
        return {registers + (s64)line * p.pitch, begin + line, operation, steps};
    }
};

FN s32 size_of(u8 type) { return type >= EU_F ? 4 : 4 >> (type >> 1); }

FN_APART void note_fault(const EuRunParams& p, const EuThread& t, s32 address) {
    s32* fault = p.faults + 3 * t.number;
    FOR_LINE(i, 1) if (!fault[0]) fault[0] = t.steps + 1, fault[1] = address, fault[2] = t.operation;
}

// Where an operand at an address begins; at the first byte of all if that is illegal.
FN s32 addressed(const EuRunParams& p, const EuThread& t, s16 word, s32 behind, s32 span, u8 type) {
    const s32 address = (s32)element_at<u16>(t.registers + word) + behind, end = address + span;
    const s32 registers = (end - 1) / EU_REGISTER_B - address / EU_REGISTER_B + 1;
    if (address >= 0 && end <= EU_GENERAL_B && !(address & (size_of(type) - 1)) && registers <= 2) return address;
    note_fault(p, t, address);
    return 0;
}

// The same of an element with an address of its own.
FN s32 row_address(const EuRunParams& p, const EuThread& t, s32 list, s32 at, int i) {
    return (s32)element_at<u16>(t.registers + p.offsets[list + EU_CHANNELS + i]) + at + p.offsets[list + i];
}
FN bool is_legal(s32 address, u8 type) {
    return address >= 0 && address + size_of(type) <= EU_GENERAL_B && !(address & (size_of(type) - 1));
}
FN_APART void check_rows(const EuRunParams& p, const EuThread& t, s32 list, s32 at, int n, u8 type) {
    for (int i = 0; i < n; ++i) {
        const s32 address = row_address(p, t, list, at, i);
        if (!is_legal(address, type)) note_fault(p, t, address);
    }
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

// A float without what is smaller than normal ones.
FN u32 flushed_bits(u32 bits) { return (bits & 0x7F800000u) == 0 ? bits & 0x80000000u : bits; }

// Bits of a float that are kept, of one smaller than normal ones too, and that are flipped.
struct EuModifiers {
    u32 kept, kept_small, flipped;
};
struct EuFloat {
    EuModifiers m;
    FN_MEMBER float operator()(u32 bits) const {
        return float_of_bits((bits & ((bits & 0x7F800000u) == 0 ? m.kept_small : m.kept)) ^ m.flipped);
    }
};
FN EuModifiers modifiers_of(const EuSource& s, bool flush) {
    const u32 kept = s.absolute ? 0x7FFFFFFFu : ~0u;
    return {kept, flush ? kept & 0x80000000u : kept, s.negate ? 0x80000000u : 0};
}
template <typename W> struct EuInteger {
    template <typename T> FN_MEMBER W operator()(T v) const { return (W)v; }
};

// Where an operand of every thread begins.
struct EuOrigin {
    const u8* first;
    s64 step_B;
};
FN bool is_apart(const EuSource& s) { return s.place > EU_LISTED || s.address; }
FN EuOrigin origin_of(const EuRunParams& p, const EuTile& tile, const EuSource& s) {
    if (s.is_constant) return {p.constants + s.at, 0};
    return {tile.registers + s.at, p.pitch};
}

// `use` makes a value of an element.
template <int N, typename T, typename W, typename Use>
FN void load_near(const EuRunParams& p, const EuTile& tile, const EuSource& s, const Use& use, EuCells<W>& out) {
    const EuOrigin from = origin_of(p, tile, s);
    const int n = ON_DEVICE(N, tile.grid.n);
    if (s.place == EU_SHARED) {
        FOR_LINES_OF(line, tile.grid) {
            const W value = use(element_at<T>(from.first + line * from.step_B));
            FOR_LINE(i, n) out[line * N + i] = value;
        }
    } else if (s.place == EU_PACKED) {
        FOR_LINES_OF(line, tile.grid) {
            const u8* at = from.first + line * from.step_B;
            FOR_LINE(i, n) out[line * N + i] = use(element_at<T>(at + i * (int)sizeof(T)));
        }
    } else {
        const s32* offsets = p.offsets + s.list;
        FOR_LINES_OF(line, tile.grid) {
            const u8* at = from.first + line * from.step_B;
            FOR_LINE(i, n) out[line * N + i] = use(element_at<T>(at + offsets[i]));
        }
    }
}

// The elements of a line's thread that lie at an address, or at one of their own.
template <typename T, typename W, typename Use>
FN_OF_CELLS void load_addressed(const EuRunParams& p, const EuTile& tile, s32 line, const EuSource& s, const Use& use,
                             EuCells<W>& out) {
    const EuThread t = tile.thread(p, line);
    const int n = tile.grid.n, to = line * tile.grid.pitch;
    if (s.place == EU_ROWED) {
        check_rows(p, t, s.list, s.at, tile.channels, s.type);
        FOR_LINE(i, n) out[to + i] = use(row_element<T>(p, t, s, i));
        return;
    }
    const u8* from = t.registers + addressed(p, t, s.address, s.at, s.span, s.type);
    const s32* offsets = p.offsets + s.list;
    if (s.place == EU_LISTED)
        FOR_LINE(i, n) out[to + i] = use(element_at<T>(from + offsets[i]));
    else
        FOR_LINE(i, n) out[to + i] = use(element_at<T>(from + (s.place == EU_SHARED ? 0 : i * (int)sizeof(T))));
}

// Integers of acc0: all their bits, where they are known.
template <typename T, typename W>
FN_OF_CELLS void load_kept(const EuRunParams& p, const EuTile& tile, s32 line, const EuSource& s, EuCells<W>& out) {
    const EuThread t = tile.thread(p, line);
    const bool words = sizeof(T) == 2;
    const int count = words ? 16 : 8;
    const u8* known = words ? p.known_words : p.known_dwords;
    const s64* kept = words ? p.kept_words : p.kept_dwords;
    FOR_LINE(i, tile.grid.n) {
        const s32 behind = p.offsets[s.list + i];
        const s64 at = (s64)t.number * count + s.address + behind / (int)sizeof(T);
        out[line * tile.grid.pitch + i] = (W)(known[at] ? kept[at] : (s64)element_at<T>(t.registers + s.at + behind));
    }
}

template <int N, typename T, typename W, typename Use>
FN void load(const EuRunParams& p, const EuTile& tile, const EuSource& s, const Use& use, EuCells<W>& out) {
    if (is_apart(s)) {
        FOR_LINES_OF(line, tile.grid) if (tile.mask[line]) load_addressed<T>(p, tile, line, s, use, out);
    } else {
        load_near<N, T>(p, tile, s, use, out);
    }
}

template <int N, typename T, typename W>
FN void load_integers(const EuRunParams& p, const EuTile& tile, const EuSource& s, EuCells<W>& out) {
    if (s.place == EU_KEPT)
        FOR_LINES_OF(line, tile.grid) load_kept<T>(p, tile, line, s, out);
    else
        load<N, T>(p, tile, s, EuInteger<W>(), out);
}

template <int N, typename W>
FN_OF_CELLS void integers_of(const EuRunParams& p, const EuTile& tile, const EuSource& s, EuCells<W>& out) {
    switch (s.type) {
        case EU_UD: load_integers<N, u32>(p, tile, s, out); break;
        case EU_D: load_integers<N, s32>(p, tile, s, out); break;
        case EU_UW: load_integers<N, u16>(p, tile, s, out); break;
        case EU_W: load_integers<N, s16>(p, tile, s, out); break;
        case EU_UB: load_integers<N, u8>(p, tile, s, out); break;
        default: load_integers<N, s8>(p, tile, s, out); break;
    }
    if (s.absolute) FOR_CELLS(at, tile.grid) out[at] = out[at] < 0 ? (W)(0 - (u64)out[at]) : out[at];
    if (s.negate) FOR_CELLS(at, tile.grid) out[at] = (W)(0 - (u64)out[at]);
}

template <int N>
FN_OF_CELLS void floats_of(const EuRunParams& p, const EuTile& tile, const EuSource& s, bool flush, EuCells<float>& out) {
    load<N, u32>(p, tile, s, EuFloat{modifiers_of(s, flush)}, out);
}
