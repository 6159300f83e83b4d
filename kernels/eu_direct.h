// On a CPU, the most frequent operations in one step: from registers to registers, a thread after the other.
#pragma once
#include "eu_masks.h"
#include "portable_eights.h"

// What is known of an operation before its threads are looked at.
FN bool is_direct(const EuSource& s, bool floats) {
    const bool near = (s.place == EU_PACKED || s.place == EU_SHARED) && !s.address;
    return near && (floats ? s.type == EU_F : s.type <= EU_D && !s.absolute && !s.negate);
}
FN bool is_direct(const EuOperation& op) {
    if ((op.channels != 16 && op.channels != 8) || op.arithmetic == EU_WIDE || op.keeping || op.trims) return false;
    const bool floats = op.arithmetic == EU_FLOATS;
    for (int k = 0; k < 3; ++k)
        if (op.sources[k].place != EU_NONE && !is_direct(op.sources[k], floats)) return false;
    if (op.to_address || op.to_place != EU_PACKED || (op.enabled & lowest(op.channels)) != lowest(op.channels)) return false;
    if (op.to >= 0 && (op.to_stride != 4 || (op.opcode == EU_CMP ? op.to_type > EU_D && op.to_type != EU_F
                                           : floats              ? op.to_type != EU_F
                                                                 : op.to_type > EU_D || op.saturate)))
        return false;
    switch (op.opcode) {
        case EU_CMP: return true;
        case EU_SEL: return op.predicate >= 0 && op.flags < 0;
        case EU_MOV: case EU_ADD: return op.flags < 0;
        case EU_MAD: case EU_MUL: return floats && op.flags < 0;
        case EU_AND: case EU_SHL: return !floats && op.flags < 0;
        default: return false;
    }
}

#if HAS_EIGHTS
// Elements of a source, thread after thread.
struct EuNear {
    const u8* at;
    s64 step_B;
    bool is_shared;
    FN_MEMBER EuNear(const EuRunParams& p, const EuTile& tile, const EuSource& s) {
        const EuOrigin from = origin_of(p, tile, s);
        at = from.first, step_B = from.step_B, is_shared = s.place == EU_SHARED;
    }
    FN_MEMBER Bits8 eight(int number) const {
        return is_shared ? eight_of(element_at<u32>(at)) : element_at<Bits8>(at + number * (int)sizeof(Bits8));
    }
};

// Of every thread: channels that are worked on, those that a selection takes from its first source, and outcomes.
struct EuLines {
    bool is_whole;  // all channels are, and `mask` is not set
    u32 mask[EU_THREADS], chosen[EU_THREADS], found[EU_THREADS];
};
FN_APART void look_at_lines(const EuRunParams& p, const EuTile& tile, const EuOperation& op, EuLines& lines) {
    for (s32 line = 0; line < tile.grid.lines; ++line) {
        const EuThread t = tile.thread(p, line);
        if (!lines.is_whole) lines.mask[line] = execution_mask(p, t, op, p.here ? p.here[t.number] : ~0u);
        if (op.opcode == EU_SEL) lines.chosen[line] = predicate_of(p, t, op);
    }
}
// Flags as they are.
FN_APART void look_at_flags(const EuRunParams& p, const EuTile& tile, const EuOperation& op, u32* flags) {
    const u8* word = tile.registers + p.flags_at + op.predicate / 32 * 4;
    const u32 shift = op.predicate % 32, flipped = op.inverted ? ~0u : 0;
    const s32 lines = tile.grid.lines, pitch = p.pitch;
    for (s32 line = 0; line < lines; ++line, word += pitch) flags[line] = (element_at<u32>(word) ^ flipped) >> shift;
}
FN_APART void put_outcomes(const EuRunParams& p, const EuTile& tile, const EuOperation& op, const EuLines& at) {
    u8* word = tile.registers + p.flags_at + op.flags / 32 * 4;
    const u32 shift = op.flags % 32, all = lowest(op.channels);
    const s32 lines = tile.grid.lines, pitch = p.pitch;
    for (s32 line = 0; line < lines; ++line, word += pitch) {
        const u32 mask = at.is_whole ? all : at.mask[line];
        put_element<u32>(word, (element_at<u32>(word) & ~(mask << shift)) | (at.found[line] & mask) << shift);
    }
}

enum EuKind { EU_COMPUTES, EU_SELECTS, EU_COMPARES };

// `use` makes eight results of as many elements of each source, and of the channels that a selection takes from the first.
template <int EIGHTS, int SOURCES, EuKind KIND, typename Use>
FN void direct(const EuRunParams& p, const EuTile& tile, const EuOperation& op, const Use& use) {
    EuLines lines;
    lines.is_whole = !p.here && (op.predicate < 0 || KIND == EU_SELECTS);
    if (KIND == EU_SELECTS && lines.is_whole && op.group == 1 && !op.vertical)
        look_at_flags(p, tile, op, lines.chosen);
    else if (KIND == EU_SELECTS || !lines.is_whole)
        look_at_lines(p, tile, op, lines);
    EuNear x(p, tile, op.sources[0]), y(p, tile, op.sources[SOURCES > 1]), z(p, tile, op.sources[SOURCES > 2 ? 2 : 0]);
    const u32 all = lowest(8 * EIGHTS);
    const bool is_stored = op.to >= 0, is_whole = lines.is_whole;
    const s32 count = tile.grid.lines;
    const s64 pitch = p.pitch;
    u8* to = tile.registers + op.to;
    for (s32 line = 0; line < count; ++line, to += pitch) {
        Bits8 made[EIGHTS];
        UNROLL for (int k = 0; k < EIGHTS; ++k)
            made[k] = use(x.eight(k), SOURCES > 1 ? y.eight(k) : Bits8{}, SOURCES > 2 ? z.eight(k) : Bits8{},
                          KIND == EU_SELECTS ? lanes_of(lines.chosen[line], 8 * k) : Bits8{});
        if (KIND == EU_COMPARES) {
            Bits8 found = made[0] & bit_of_lane(0);
            if (EIGHTS > 1) found |= made[EIGHTS - 1] & bit_of_lane(8);
            lines.found[line] = all_bits(found);
        }
        if (is_stored) {
            const u32 mask = is_whole ? all : lines.mask[line];
            UNROLL for (int k = 0; k < EIGHTS; ++k) {
                u8* eight = to + k * sizeof(Bits8);
                put_element(eight, mask == all ? made[k] : lanes_of(mask, 8 * k) ? made[k] : element_at<Bits8>(eight));
            }
        }
        x.at += x.step_B, y.at += y.step_B, z.at += z.step_B;
    }
    if (KIND == EU_COMPARES) put_outcomes(p, tile, op, lines);
}

struct EuSigned8 {
    FN_MEMBER Signed8 operator()(Bits8 bits) const { return (Signed8)bits; }
};
struct EuFloat8 {
    EuModifiers m;
    FN_MEMBER Float8 operator()(Bits8 bits) const {
        return (Float8)((bits & ((bits & 0x7F800000u) == 0 ? eight_of(m.kept_small) : eight_of(m.kept))) ^ m.flipped);
    }
};
FN Bits8 normal_bits(Float8 v) {
    const Bits8 bits = (Bits8)v;
    return bits & ((bits & 0x7F800000u) == 0 ? eight_of(0x80000000u) : eight_of(~0u));
}

template <int EIGHTS, typename First, typename Second>
FN void direct_comparison(const EuRunParams& p, EuTile& tile, const EuOperation& op, const First& f, const Second& g) {
    const auto compare = [&](const auto& relation) {
        direct<EIGHTS, 2, EU_COMPARES>(p, tile, op, [&](Bits8 x, Bits8 y, Bits8, Bits8) { return (Bits8)relation(f(x), g(y)); });
    };
    switch (op.condition) {
        case EU_Z: compare([](auto v, auto w) { return v == w; }); break;
        case EU_NZ: compare([](auto v, auto w) { return v != w; }); break;
        case EU_G: compare([](auto v, auto w) { return v > w; }); break;
        case EU_GE: compare([](auto v, auto w) { return v >= w; }); break;
        case EU_L: compare([](auto v, auto w) { return v < w; }); break;
        default: compare([](auto v, auto w) { return v <= w; }); break;
    }
}

template <int EIGHTS> FN void direct_floats(const EuRunParams& p, EuTile& tile, const EuOperation& op) {
    const bool flush = !op.keeps_denormals, saturates = op.saturate;
    const EuFloat8 f = {modifiers_of(op.sources[0], flush)}, g = {modifiers_of(op.sources[1], flush)},
                   h = {modifiers_of(op.sources[2], flush)};
    const auto bits_of = [&](Float8 v) {
        const Float8 one = Float8{} + 1.0f;
        return !saturates ? (Bits8)v : (Bits8)(v >= 0.0f ? v < 1.0f ? v : one : Float8{});
    };
    switch (op.opcode) {
        case EU_CMP: direct_comparison<EIGHTS>(p, tile, op, f, g); break;
        case EU_SEL:
            direct<EIGHTS, 2, EU_SELECTS>(p, tile, op, [&](Bits8 x, Bits8 y, Bits8, Bits8 on) {
                return bits_of((Signed8)on ? f(x) : g(y));
            });
            break;
        case EU_ADD:
            direct<EIGHTS, 2, EU_COMPUTES>(p, tile, op, [&](Bits8 x, Bits8 y, Bits8, Bits8) {
                return bits_of((Float8)normal_bits(f(x) + g(y)));
            });
            break;
        case EU_MUL:
            direct<EIGHTS, 2, EU_COMPUTES>(p, tile, op, [&](Bits8 x, Bits8 y, Bits8, Bits8) {
                return bits_of((Float8)normal_bits(f(x) * g(y)));
            });
            break;
        case EU_MAD:
            direct<EIGHTS, 3, EU_COMPUTES>(p, tile, op, [&](Bits8 x, Bits8 y, Bits8 z, Bits8) {
                return bits_of((Float8)normal_bits(wide_sum(f(x), g(y), h(z))));
            });
            break;
        default: direct<EIGHTS, 1, EU_COMPUTES>(p, tile, op, [&](Bits8 x, Bits8, Bits8, Bits8) { return bits_of(f(x)); }); break;
    }
}

template <int EIGHTS> FN void direct_integers(const EuRunParams& p, EuTile& tile, const EuOperation& op) {
    switch (op.opcode) {
        case EU_CMP: direct_comparison<EIGHTS>(p, tile, op, EuSigned8(), EuSigned8()); break;
        case EU_SEL: direct<EIGHTS, 2, EU_SELECTS>(p, tile, op, [](Bits8 x, Bits8 y, Bits8, Bits8 on) { return on ? x : y; }); break;
        case EU_ADD: direct<EIGHTS, 2, EU_COMPUTES>(p, tile, op, [](Bits8 x, Bits8 y, Bits8, Bits8) { return x + y; }); break;
        case EU_AND: direct<EIGHTS, 2, EU_COMPUTES>(p, tile, op, [](Bits8 x, Bits8 y, Bits8, Bits8) { return x & y; }); break;
        case EU_SHL: direct<EIGHTS, 2, EU_COMPUTES>(p, tile, op, [](Bits8 x, Bits8 y, Bits8, Bits8) { return x << (y & 31); }); break;
        default: direct<EIGHTS, 1, EU_COMPUTES>(p, tile, op, [](Bits8 x, Bits8, Bits8, Bits8) { return x; }); break;
    }
}

// Whether it did all of an operation.
FN bool run_direct(const EuRunParams& p, EuTile& tile, const EuOperation& op) {
    if (!is_direct(op)) return false;
    if (op.arithmetic == EU_FLOATS)
        op.channels == 16 ? direct_floats<2>(p, tile, op) : direct_floats<1>(p, tile, op);
    else
        op.channels == 16 ? direct_integers<2>(p, tile, op) : direct_integers<1>(p, tile, op);
    return true;
}
#endif
