// On a CPU, most operations in one step: from registers to registers, a thread after the other. Which do is decided once
// (texsamp/emulator/eu/engine/lowering.py); they have one channel, eight, or sixteen.
#pragma once
#include "eu_addressed.h"
#include "eu_halves.h"
#include "eu_whole.h"

#if HAS_EIGHTS
// `use` makes results of as many elements of each source, and of the channels that a selection takes from the first.
// first: which of two sources comes first.
template <int N, int COUNT, int SOURCES, EuKind KIND, typename Use>
FN void direct(const EuRunParams& p, const EuTile& tile, const EuOperation& op, const Use& use, int first = 0) {
    enum { CHANNELS = N * COUNT };
    if (direct_whole<N, COUNT, SOURCES, KIND>(p, tile, op, use, first)) return;
    EuLines lines = lines_of(p, tile, op);
    const bool floats = op.arithmetic == EU_FLOATS;
    EuCells<u32> gathered[SOURCES + 1], made;
    EuNear near[3] = {};
    for (int k = 0; k < SOURCES; ++k) near[k] = near_of<CHANNELS>(p, tile, op.sources[k], floats, lines, gathered[k]);
    EuNear x = near[first], y = near[1 - first], z = near[2];
    const u32 all = lowest(CHANNELS);
    const EuForm form = form_of(op, KIND == EU_COMPARES);
    const bool is_made = form == EU_APART, is_stored = is_made || has_destination(op);
    const s32 half_B = op.half == EU_BOTH ? op.to_list : 4 * N;
    const bool is_tested = KIND != EU_COMPARES && op.flags >= 0 && !is_made;
    const bool is_whole = lines.is_whole || is_made;
    const s32 count = tile.grid.lines;
    const s64 step_B = is_made ? 4 * CHANNELS : p.pitch;
    const s64 ahead = is_made ? 0 : EU_THREADS * p.pitch;  // what the next tile reads
    EuWords chosen = {}, flags = {};
    if (KIND == EU_SELECTS) chosen = chosen_of(p, tile, op, lines);
    if (KIND == EU_COMPARES) flags = flags_of(p, tile, op.flags, false);
    u8* to = is_made ? (u8*)&made[0] : tile.registers + op.to;
    for (s32 line = 0; line < count; ++line, to += step_B) {
        EuBits<N> results[COUNT];
        const u32 mask = is_whole ? all : lines.mask[line] & all, from_first = KIND == EU_SELECTS ? chosen.take() : 0;
        UNROLL for (int k = 0; k < COUNT; ++k)
            results[k] = use(SOURCES > 0 ? x.of<N>(k) : EuBits<N>{}, SOURCES > 1 ? y.of<N>(k) : EuBits<N>{},
                             SOURCES > 2 ? z.of<N>(k) : EuBits<N>{},
                             KIND == EU_SELECTS ? chosen_lanes<N>(from_first >> N * k) : EuBits<N>{});
        if (KIND == EU_COMPARES) {
            u32 found = lowest_bits(results[0]);
            if (COUNT > 1) found |= lowest_bits(results[COUNT - 1]) << N;
            if (op.flags >= 0) put_outcome(flags, lines.of<CHANNELS>(line), found);
            flags.at += flags.step_B;
        }
        if (is_tested) lines.found[line] = outcome_of<N, COUNT>(op.condition, floats, op.to_type == EU_UD, results);
        if (SOURCES > 0) PREFETCH(x.at + x.ahead_B);
        if (SOURCES > 1) PREFETCH(y.at + y.ahead_B);
        if (SOURCES > 2) PREFETCH(z.at + z.ahead_B);
        if (is_stored) {
            PREFETCH(to + ahead);
            if (KIND != EU_COMPARES && form != EU_AS_BITS && !is_made)
                for (int k = 0; k < COUNT; ++k) results[k] = formed<N>(form, results[k]);
            UNROLL for (int k = 0; k < COUNT; ++k) {
                u8* at = to + k * half_B;
                if (mask != all) results[k] = chosen_lanes<N>(mask >> N * k) ? results[k] : element_at<EuBits<N>>(at);
                put_element(at, results[k]);
            }
        }
        x.at += x.step_B, y.at += y.step_B, z.at += z.step_B;
    }
    if (is_made) put_made<CHANNELS>(p, tile, op, KIND != EU_COMPARES, lines, made);
    if (KIND != EU_COMPARES && op.flags >= 0) put_outcomes(p, tile, op, lines);
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

// Whether a comparison is followed by the selection it is made for, which moves bits as they are.
FN bool moves_bits(const EuSource& s) {
    return s.place <= EU_SHARED && !s.address && size_of(s.type) == 4 && !s.absolute && !s.negate;
}
FN bool is_joined(const EuOperation& op, const EuOperation& next) {
    return next.opcode == EU_SEL && next.path == op.path && op.flags >= 0 && op.predicate < 0 && next.flags < 0
        && next.predicate == op.flags && next.group == 1 && !next.vertical && next.first_channel == op.first_channel
        && next.no_mask == op.no_mask && is_plain(op, true) && is_plain(next, false) && has_destination(next)
        && op.to < EU_GENERAL_B && next.to < EU_GENERAL_B
        && !(op.trims | op.keeping | next.trims | next.keeping) && (next.arithmetic != EU_FLOATS || next.keeps_denormals)
        && moves_bits(next.sources[0]) && moves_bits(next.sources[1]);
}

// Both of them, without a look at the flags between.
template <int N, int COUNT, typename Use>
FN void direct_choice(const EuRunParams& p, const EuTile& tile, const EuOperation& op, const EuOperation& next, const Use& use,
                      int first) {
    enum { CHANNELS = N * COUNT };
    if (whole_choice<N, COUNT>(p, tile, op, next, use, first)) return;
    EuLines lines = lines_of(p, tile, op);
    const bool floats = op.arithmetic == EU_FLOATS, has_outcomes = has_destination(op);
    EuCells<u32> gathered[2];
    EuNear near[2] = {};
    for (int k = 0; k < 2; ++k) near[k] = near_of<CHANNELS>(p, tile, op.sources[k], floats, lines, gathered[k]);
    EuNear x = near[first], y = near[1 - first];
    EuNear u = near_of<CHANNELS>(p, tile, next.sources[0], true, lines, gathered[0]);
    EuNear v = near_of<CHANNELS>(p, tile, next.sources[1], true, lines, gathered[0]);
    EuWords flags = flags_of(p, tile, op.flags, false);
    const u32 all = lowest(CHANNELS), turned = next.inverted ? ~0u : 0;
    const s32 count = tile.grid.lines;
    const s64 ahead = EU_THREADS * p.pitch;
    u8* outcomes = tile.registers + op.to;
    u8* to = tile.registers + next.to;
    const s32 half_B = op.half == EU_BOTH ? op.to_list : 4 * N;
    const auto put = [&](u8* at, s32 half_B, u32 mask, EuBits<N>* results) {
        UNROLL for (int k = 0; k < COUNT; ++k, at += half_B) {
            if (mask != all) results[k] = chosen_lanes<N>(mask >> N * k) ? results[k] : element_at<EuBits<N>>(at);
            put_element(at, results[k]);
        }
    };
    for (s32 line = 0; line < count; ++line) {
        const u32 mask = lines.of<CHANNELS>(line);
        EuBits<N> found[COUNT], chosen[COUNT];
        UNROLL for (int k = 0; k < COUNT; ++k) {
            found[k] = use(x.of<N>(k), y.of<N>(k));
            chosen[k] = found[k] ^ turned;
        }
        put_outcome(flags, mask, lowest_bits(found[0]) | (COUNT > 1 ? lowest_bits(found[COUNT - 1]) << N : 0));
        if (has_outcomes) put(outcomes, half_B, mask, found);
        UNROLL for (int k = 0; k < COUNT; ++k) chosen[k] = (EuSigned<N>)chosen[k] ? u.of<N>(k) : v.of<N>(k);
        PREFETCH(x.at + x.ahead_B), PREFETCH(y.at + y.ahead_B), PREFETCH(u.at + u.ahead_B), PREFETCH(v.at + v.ahead_B), PREFETCH(to + ahead);
        put(to, 4 * N, mask, chosen);
        x.at += x.step_B, y.at += y.step_B, u.at += u.step_B, v.at += v.step_B;
        flags.at += flags.step_B, outcomes += p.pitch, to += p.pitch;
    }
}

// Three relations do for six conditions. next: the selection that a comparison is joined with, null if none.
template <int N, int COUNT, typename First, typename Second>
FN void direct_comparison(const EuRunParams& p, const EuTile& tile, const EuOperation& op, const EuOperation* next,
                          const First& f, const Second& g) {
    const u32 flipped = op.condition == EU_NZ ? ~0u : 0;
    const bool turned = op.condition == EU_L || op.condition == EU_LE;
    const First of_first = turned ? g : f;
    const Second of_second = turned ? f : g;
    const auto compare = [&](const auto& relation) {
        const auto found = [=](EuBits<N> x, EuBits<N> y) { return mask_of(relation(of_first(x), of_second(y))) ^ flipped; };
        if (next)
            direct_choice<N, COUNT>(p, tile, op, *next, found, turned);
        else
            direct<N, COUNT, 2, EU_COMPARES>(p, tile, op, [=](EuBits<N> x, EuBits<N> y, EuBits<N>, EuBits<N>) {
                return found(x, y);
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
FN_APART void direct_floats(const EuRunParams& p, const EuTile& tile, const EuOperation& op, const EuOperation* next) {
    typedef EuBits<N> Bits;
    const bool flush = !op.keeps_denormals;
    const EuNumber<N> number[3] = {{modifiers_of(op.sources[0], flush)}, {modifiers_of(op.sources[1], flush)},
                                   {modifiers_of(op.sources[2], flush)}};
    const EuNumber<N> f = number[0], g = number[1], h = number[2];
    switch (op.opcode == EU_SEL && op.predicate < 0 ? (u8)EU_EXPECT : op.opcode) {
        case EU_CMP: direct_comparison<N, COUNT>(p, tile, op, next, f, g); break;
        case EU_MOV:
            direct<N, COUNT, 1, EU_COMPUTES>(p, tile, op, [=](Bits x, Bits, Bits, Bits) { return bits_of_reals<N>(f(x)); });
            break;
        case EU_SEL:
            direct<N, COUNT, 2, EU_SELECTS>(p, tile, op, [=](Bits x, Bits y, Bits, Bits on) {
                return (EuSigned<N>)on ? bits_of_reals<N>(f(x)) : bits_of_reals<N>(g(y));
            });
            break;
        case EU_ADD:
            direct<N, COUNT, 2, EU_COMPUTES>(p, tile, op, [=](Bits x, Bits y, Bits, Bits) {
                return normal_bits<N>(f(x) + g(y));
            });
            break;
        case EU_MUL:
            direct<N, COUNT, 2, EU_COMPUTES>(p, tile, op, [=](Bits x, Bits y, Bits, Bits) {
                return normal_bits<N>(f(x) * g(y));
            });
            break;
        case EU_MAD:
            direct<N, COUNT, 3, EU_COMPUTES>(p, tile, op, [=](Bits x, Bits y, Bits z, Bits) {
                return normal_bits<N>(wide_sum(f(x), g(y), h(z)));
            });
            break;
        default: other_floats<N, COUNT>(p, tile, op, number); break;
    }
}

template <int N, int COUNT>
FN_APART void direct_integers(const EuRunParams& p, const EuTile& tile, const EuOperation& op, const EuOperation* next) {
    typedef EuBits<N> Bits;
    const auto compute = [&](const auto& use) { direct<N, COUNT, 2, EU_COMPUTES>(p, tile, op, use); };
    switch (op.opcode == EU_SEL && op.predicate < 0 ? (u8)EU_EXPECT : op.opcode) {
        case EU_CMP: direct_comparison<N, COUNT>(p, tile, op, next, EuInt<N>(), EuInt<N>()); break;
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

// Dwords as floats, where a sign is taken or changed, or there is none: that needs more than 32 bits of integers.
template <int N, int COUNT> FN_APART void direct_numbers(const EuRunParams& p, const EuTile& tile, const EuOperation& op) {
    typedef EuBits<N> Bits;
    const EuSource& s = op.sources[0];
    EuOperation moved = op;
    moved.arithmetic = EU_FLOATS;  // bits come as they are
    const u32 kept = s.absolute ? 0x7FFFFFFFu : ~0u, low = s.type == EU_UD ? 0xFFFFu : ~0u;
    const float high = s.type == EU_UD ? 65536.0f : 0.0f;
    const bool negate = s.negate;
    direct<N, COUNT, 1, EU_COMPUTES>(p, tile, moved, [=](Bits x, Bits, Bits, Bits) {
        EuReal<N> v = floats_of_signed((EuSigned<N>)(x & low)) + floats_of_signed((EuSigned<N>)(x >> 16)) * high;
        v = real_of<N>(bits_of_reals<N>(v) & kept);
        return bits_of_reals<N>(negate ? 0.0f - v : v);  // of 0 it is 0
    });
}

template <int N, int COUNT>
FN void run_direct(const EuRunParams& p, const EuTile& tile, const EuOperation& op, const EuOperation* next) {
    if (op.arithmetic == EU_FLOATS)
        direct_floats<N, COUNT>(p, tile, op, next);
    else if (op.arithmetic == EU_LOW)
        direct_integers<N, COUNT>(p, tile, op, next);
    else
        direct_numbers<N, COUNT>(p, tile, op);
}

// Returns how many operations were run. following: those behind it.
FN s32 run_direct(const EuRunParams& p, const EuTile& tile, const EuOperation& op, s32 following) {
    EuOperation both;
    const bool may_be = op.half == EU_FIRST_HALF && following > 0 && (&op)[1].half == EU_SECOND_HALF;
    if (may_be && is_one_of_both(p, op, (&op)[1], both)) {
        const EuOperation* next = op.opcode == EU_CMP && following > 1 && is_joined(both, (&op)[2]) ? &op + 2 : nullptr;
        run_direct<8, 2>(p, tile, both, next);
        return next ? 3 : 2;
    }
    const EuOperation* next = op.opcode == EU_CMP && following > 0 && is_joined(op, (&op)[1]) ? &op + 1 : nullptr;
    switch (op.path) {
        case EU_SIXTEEN:
            if (!run_addressed<16>(p, tile, op)) run_direct<8, 2>(p, tile, op, next);
            break;
        case EU_EIGHT:
            if (!run_addressed<8>(p, tile, op)) run_direct<8, 1>(p, tile, op, next);
            break;
        case EU_ONE: run_direct<1, 1>(p, tile, op, next); break;
        default: return 1;  // does nothing
    }
    return next ? 2 : 1;
}
#else
FN s32 run_direct(const EuRunParams&, const EuTile&, const EuOperation&, s32) { return 1; }
#endif
