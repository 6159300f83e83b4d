// On a CPU, most operations in one step: from registers to registers, a thread after the other. Which do is decided once
// (texsamp/emulator/eu/lowering.py); they have one channel, eight, or sixteen.
#pragma once
#include "eu_near.h"

#if HAS_EIGHTS
enum EuKind { EU_COMPUTES, EU_SELECTS, EU_COMPARES };

// Whether results go to the destination as they are made.
FN bool is_plain(const EuOperation& op, bool compares) {
    if (!compares && op.flags >= 0) return false;
    if (!has_destination(op)) return true;
    if (op.to_address || (op.to_stride != 4 && op.channels > 1)) return false;
    if (compares) return size_of(op.to_type) == 4;
    return !op.saturate && (op.arithmetic == EU_FLOATS ? op.to_type == EU_F : op.to_type <= EU_D);
}

// `use` makes results of as many elements of each source, and of the channels that a selection takes from the first.
// first: which of two sources comes first.
template <int N, int COUNT, int SOURCES, EuKind KIND, typename Use>
FN void direct(const EuRunParams& p, const EuTile& tile, const EuOperation& op, const Use& use, int first = 0) {
    enum { CHANNELS = N * COUNT };
    EuLines lines = lines_of(p, tile, op);
    const bool floats = op.arithmetic == EU_FLOATS;
    EuCells<u32> gathered[SOURCES + 1], made;
    EuNear near[3] = {};
    for (int k = 0; k < SOURCES; ++k) near[k] = near_of<CHANNELS>(p, tile, op.sources[k], floats, lines, gathered[k]);
    EuNear x = near[first], y = near[1 - first], z = near[2];
    const u32 all = lowest(CHANNELS);
    const bool is_made = !is_plain(op, KIND == EU_COMPARES), is_stored = is_made || has_destination(op);
    const bool is_whole = lines.is_whole || is_made;
    const s32 count = tile.grid.lines;
    const s64 step_B = is_made ? 4 * CHANNELS : p.pitch;
    const s64 ahead = EU_THREADS * p.pitch;  // what the next tile reads
    u8* to = is_made ? (u8*)&made[0] : tile.registers + op.to;
    for (s32 line = 0; line < count; ++line, to += step_B) {
        EuBits<N> results[COUNT];
        UNROLL for (int k = 0; k < COUNT; ++k)
            results[k] = use(SOURCES > 0 ? x.of<N>(k) : EuBits<N>{}, SOURCES > 1 ? y.of<N>(k) : EuBits<N>{},
                             SOURCES > 2 ? z.of<N>(k) : EuBits<N>{},
                             KIND == EU_SELECTS ? chosen_lanes<N>(lines.chosen[line] >> N * k) : EuBits<N>{});
        if (KIND == EU_COMPARES) {
            u32 found = lowest_bits(results[0]);
            if (COUNT > 1) found |= lowest_bits(results[COUNT - 1]) << N;
            lines.found[line] = found;
        }
        PREFETCH(x.at + ahead), PREFETCH(y.at + ahead), PREFETCH(z.at + ahead), PREFETCH(to + ahead);
        if (is_stored) {
            const u32 mask = is_whole ? all : lines.mask[line] & all;
            UNROLL for (int k = 0; k < COUNT; ++k) {
                u8* at = to + k * sizeof(results[k]);
                if (mask != all) results[k] = chosen_lanes<N>(mask >> N * k) ? results[k] : element_at<EuBits<N>>(at);
                put_element(at, results[k]);
            }
        }
        x.at += x.step_B, y.at += y.step_B, z.at += z.step_B;
    }
    if (is_made) put_made<CHANNELS>(p, tile, op, KIND != EU_COMPARES, lines, made);
    if (op.flags >= 0) put_outcomes(p, tile, op, lines);
    if (op.trims | op.keeping) finish_lines<CHANNELS>(p, tile, op, lines);
}

template <int N> FN EuBits<N> normal_bits(EuReal<N> v) {
    const EuBits<N> bits = element_at<EuBits<N>>(&v);
    return bits & ((bits & 0x7F800000u) == 0 ? every<N>(0x80000000u) : every<N>(~0u));
}
FN float wide_sum(float x, float y, float z) { return (float)((double)x + (double)y * (double)z); }

template <int N> struct EuInt {
    FN_MEMBER EuSigned<N> operator()(EuBits<N> bits) const { return (EuSigned<N>)bits; }
};
template <int N> struct EuNumber {
    EuModifiers m;
    FN_MEMBER EuReal<N> operator()(EuBits<N> bits) const {
        const EuBits<N> kept = (bits & 0x7F800000u) == 0 ? every<N>(m.kept_small) : every<N>(m.kept);
        return real_of<N>((bits & kept) ^ m.flipped);
    }
};

// Three relations do for six conditions.
template <int N, int COUNT, typename First, typename Second>
FN void direct_comparison(const EuRunParams& p, const EuTile& tile, const EuOperation& op, const First& f, const Second& g) {
    const u32 flipped = op.condition == EU_NZ ? ~0u : 0;
    const bool turned = op.condition == EU_L || op.condition == EU_LE;
    const First& of_first = turned ? g : f;
    const Second& of_second = turned ? f : g;
    const auto compare = [&](const auto& relation) {
        direct<N, COUNT, 2, EU_COMPARES>(p, tile, op, [&](EuBits<N> x, EuBits<N> y, EuBits<N>, EuBits<N>) {
            return mask_of(relation(of_first(x), of_second(y))) ^ flipped;
        }, turned);
    };
    switch (op.condition) {
        case EU_Z: case EU_NZ: compare([](auto v, auto w) { return v == w; }); break;
        case EU_G: case EU_L: compare([](auto v, auto w) { return v > w; }); break;
        default: compare([](auto v, auto w) { return v >= w; }); break;
    }
}

// Less frequent ones: all values first, then what the functions of cells say of them.
template <int N, int COUNT, typename T, typename F>
FN_APART void take_values(const EuRunParams& p, const EuTile& tile, const EuSource& s, const F& f, const EuLines& lines,
                          EuCells<T>& out) {
    if (s.place == EU_NONE) return;
    EuCells<u32> gathered;
    EuNear x = near_of<N * COUNT>(p, tile, s, s.type == EU_F, lines, gathered);
    u8* to = (u8*)&out[0];
    for (s32 line = 0; line < tile.grid.lines; ++line, x.at += x.step_B)
        UNROLL for (int k = 0; k < COUNT; ++k, to += 4 * N) put_element(to, f(x.of<N>(k)));
}
template <int N, int COUNT, typename T>
FN_APART void put_values(const EuRunParams& p, const EuTile& tile, const EuOperation& op, const EuCells<T>& values) {
    const u8* from = (const u8*)&values[0];
    direct<N, COUNT, 0, EU_COMPUTES>(p, tile, op, [&](EuBits<N>, EuBits<N>, EuBits<N>, EuBits<N>) {
        const EuBits<N> bits = element_at<EuBits<N>>(from);
        from += sizeof(bits);
        return bits;
    });
}

template <int N, int COUNT>
FN_APART void other_floats(const EuRunParams& p, const EuTile& tile, const EuOperation& op, const EuNumber<N>* f) {
    const Grid grid = {tile.grid.lines, N * COUNT, N * COUNT};
    const EuLines lines = lines_of(p, tile, op);
    EuCells<float> a, b, c;
    take_values<N, COUNT>(p, tile, op.sources[0], f[0], lines, a);
    take_values<N, COUNT>(p, tile, op.sources[1], f[1], lines, b);
    take_values<N, COUNT>(p, tile, op.sources[2], f[2], lines, c);
    if (op.opcode == EU_PLN) {
        EuCells<float> y, w;
        EuSource plane = op.sources[0];
        plane.at += 4;
        take_values<N, COUNT>(p, tile, plane, f[0], lines, y);
        plane.at += 8;
        take_values<N, COUNT>(p, tile, plane, f[0], lines, w);
        put_planes(grid, a, y, w, b, c);
    } else {
        compute_floats(op, grid, a, b, c);
    }
    put_values<N, COUNT>(p, tile, op, a);
}
template <int N, int COUNT>
FN_APART void other_integers(const EuRunParams& p, const EuTile& tile, const EuOperation& op) {
    const EuLines lines = lines_of(p, tile, op);
    EuCells<s32> a, b, c;
    take_values<N, COUNT>(p, tile, op.sources[0], EuInt<N>(), lines, a);
    take_values<N, COUNT>(p, tile, op.sources[1], EuInt<N>(), lines, b);
    take_values<N, COUNT>(p, tile, op.sources[2], EuInt<N>(), lines, c);
    compute_integers<s32, u32>(op, Grid{tile.grid.lines, N * COUNT, N * COUNT}, a, b, c);
    put_values<N, COUNT>(p, tile, op, a);
}

template <int N, int COUNT>
FN_APART void direct_floats(const EuRunParams& p, const EuTile& tile, const EuOperation& op) {
    typedef EuBits<N> Bits;
    const bool flush = !op.keeps_denormals;
    const EuNumber<N> number[3] = {{modifiers_of(op.sources[0], flush)}, {modifiers_of(op.sources[1], flush)},
                                   {modifiers_of(op.sources[2], flush)}};
    const EuNumber<N>&f = number[0], &g = number[1], &h = number[2];
    const auto bits_of = [](EuReal<N> v) { return element_at<Bits>(&v); };
    switch (op.opcode == EU_SEL && op.predicate < 0 ? (u8)EU_EXPECT : op.opcode) {
        case EU_CMP: direct_comparison<N, COUNT>(p, tile, op, f, g); break;
        case EU_MOV:
            direct<N, COUNT, 1, EU_COMPUTES>(p, tile, op, [&](Bits x, Bits, Bits, Bits) { return bits_of(f(x)); });
            break;
        case EU_SEL:
            direct<N, COUNT, 2, EU_SELECTS>(p, tile, op, [&](Bits x, Bits y, Bits, Bits on) {
                return (EuSigned<N>)on ? bits_of(f(x)) : bits_of(g(y));
            });
            break;
        case EU_ADD:
            direct<N, COUNT, 2, EU_COMPUTES>(p, tile, op, [&](Bits x, Bits y, Bits, Bits) {
                return normal_bits<N>(f(x) + g(y));
            });
            break;
        case EU_MUL:
            direct<N, COUNT, 2, EU_COMPUTES>(p, tile, op, [&](Bits x, Bits y, Bits, Bits) {
                return normal_bits<N>(f(x) * g(y));
            });
            break;
        case EU_MAD:
            direct<N, COUNT, 3, EU_COMPUTES>(p, tile, op, [&](Bits x, Bits y, Bits z, Bits) {
                return normal_bits<N>(wide_sum(f(x), g(y), h(z)));
            });
            break;
        default: other_floats<N, COUNT>(p, tile, op, number); break;
    }
}

template <int N, int COUNT>
FN_APART void direct_integers(const EuRunParams& p, const EuTile& tile, const EuOperation& op) {
    typedef EuBits<N> Bits;
    const auto compute = [&](const auto& use) { direct<N, COUNT, 2, EU_COMPUTES>(p, tile, op, use); };
    switch (op.opcode == EU_SEL && op.predicate < 0 ? (u8)EU_EXPECT : op.opcode) {
        case EU_CMP: direct_comparison<N, COUNT>(p, tile, op, EuInt<N>(), EuInt<N>()); break;
        case EU_MOV: direct<N, COUNT, 1, EU_COMPUTES>(p, tile, op, [](Bits x, Bits, Bits, Bits) { return x; }); break;
        case EU_SEL:
            direct<N, COUNT, 2, EU_SELECTS>(p, tile, op, [](Bits x, Bits y, Bits, Bits on) {
                return (EuSigned<N>)on ? x : y;
            });
            break;
        case EU_ADD: compute([](Bits x, Bits y, Bits, Bits) { return x + y; }); break;
        case EU_AND: compute([](Bits x, Bits y, Bits, Bits) { return x & y; }); break;
        case EU_SHL: compute([](Bits x, Bits y, Bits, Bits) { return x << (y & 31); }); break;
        default: other_integers<N, COUNT>(p, tile, op); break;
    }
}

template <int N, int COUNT> FN void run_direct(const EuRunParams& p, const EuTile& tile, const EuOperation& op) {
    if (op.arithmetic == EU_FLOATS)
        direct_floats<N, COUNT>(p, tile, op);
    else
        direct_integers<N, COUNT>(p, tile, op);
}
FN void run_direct(const EuRunParams& p, const EuTile& tile, const EuOperation& op) {
    switch (op.path) {
        case EU_SIXTEEN: run_direct<8, 2>(p, tile, op); break;
        case EU_EIGHT: run_direct<8, 1>(p, tile, op); break;
        case EU_ONE: run_direct<1, 1>(p, tile, op); break;
        default: break;  // does nothing
    }
}
#else
FN void run_direct(const EuRunParams&, const EuTile&, const EuOperation&) {}
#endif
