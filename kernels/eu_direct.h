// On a CPU, the most frequent operations in one step: from registers to registers, a thread after the other.
#pragma once
#include "eu_masks.h"

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

// Elements of a source, thread after thread.
template <int N> struct EuNear {
    const u8* first;
    s64 step_B;
    bool is_shared;
    alignas(64) u32 spread[N];
    FN_MEMBER EuNear(const EuRunParams& p, const EuTile& tile, const EuSource& s) {
        if (s.place == EU_NONE) {
            first = (const u8*)spread, step_B = 0, is_shared = false;
            FOR_LINE(i, N) spread[i] = 0;
            return;
        }
        const EuOrigin from = origin_of(p, tile, s);
        first = from.first, step_B = from.step_B;
        is_shared = s.place == EU_SHARED && !s.is_constant;
        if (s.place == EU_SHARED && s.is_constant) {
            spread_out(first);
            first = (const u8*)spread;
        }
    }
    FN_MEMBER void spread_out(const u8* from) {
        const u32 bits = element_at<u32>(from);
        FOR_LINE(i, N) spread[i] = bits;
    }
    FN_MEMBER const u8* of(s32 line) {
        const u8* at = first + line * step_B;
        if (!is_shared) return at;
        spread_out(at);
        return (const u8*)spread;
    }
};

template <int N, typename Use> FN void direct(const EuRunParams& p, EuTile& tile, const EuOperation& op, const Use& use) {
    EuNear<N> a(p, tile, op.sources[0]), b(p, tile, op.sources[1]), c(p, tile, op.sources[2]);
    const bool whole = !p.here && (op.predicate < 0 || op.opcode == EU_SEL);
    for (s32 line = 0; line < tile.grid.lines; ++line) {
        const EuThread t = tile.thread(p, line);
        const u32 mask = whole ? lowest(N) : execution_mask(p, t, op, p.here ? p.here[t.number] : ~0u);
        if (!mask) continue;
        const u32 chosen = op.opcode == EU_SEL ? predicate_of(p, t, op) : 0;
        const u8 *x = a.of(line), *y = b.of(line), *z = c.of(line);
        alignas(64) u32 made[N];
        FOR_LINE(i, N)
            made[i] = use(element_at<u32>(x + 4 * i), element_at<u32>(y + 4 * i), element_at<u32>(z + 4 * i), chosen >> i & 1);
        if (op.to >= 0) {
            u8* to = t.registers + op.to;
            if (mask == lowest(N))
                FOR_LINE(i, N) put_element<u32>(to + 4 * i, made[i]);
            else
                FOR_LINE(i, N) put_element<u32>(to + 4 * i, mask >> i & 1 ? made[i] : element_at<u32>(to + 4 * i));
        }
        if (op.flags >= 0) {
            alignas(16) u8 outcome[N];
            FOR_LINE(i, N) outcome[i] = (u8)(made[i] & 1);
            set_flags(p, t, op, mask, outcome);
        }
    }
}

// One loop for all conditions: which relations are true to them, and whether what they say is the opposite.
template <int N, typename Value, typename First, typename Second>
FN void direct_comparison(const EuRunParams& p, EuTile& tile, const EuOperation& op, const First& first, const Second& second) {
    const u8 condition = op.condition;
    const bool less = condition == EU_L || condition == EU_LE, more = condition == EU_G || condition == EU_GE;
    const bool same = condition != EU_L && condition != EU_G;
    const u32 of_less = less ? ~0u : 0, of_more = more ? ~0u : 0, of_same = same ? ~0u : 0;
    const u32 opposite = condition == EU_NZ ? ~0u : 0;
    direct<N>(p, tile, op, [&](u32 x, u32 y, u32, u32) {
        const Value v = first(x), w = second(y);
        return ((v < w ? of_less : 0) | (v > w ? of_more : 0) | (v == w ? of_same : 0)) ^ opposite;
    });
}

template <int N> FN void direct_floats(const EuRunParams& p, EuTile& tile, const EuOperation& op) {
    const EuFloat f = float_loader(op.sources[0], !op.keeps_denormals), g = float_loader(op.sources[1], !op.keeps_denormals),
                  h = float_loader(op.sources[2], !op.keeps_denormals);
    const bool saturates = op.saturate;
    const auto bits_of = [&](float v) { return bits_of_float(saturates ? saturated(v) : v); };
    switch (op.opcode) {
        case EU_CMP: direct_comparison<N, float>(p, tile, op, f, g); break;
        case EU_SEL: direct<N>(p, tile, op, [&](u32 x, u32 y, u32, u32 on) { return bits_of(on ? f(x) : g(y)); }); break;
        case EU_ADD: direct<N>(p, tile, op, [&](u32 x, u32 y, u32, u32) { return bits_of(normal(f(x) + g(y))); }); break;
        case EU_MUL: direct<N>(p, tile, op, [&](u32 x, u32 y, u32, u32) { return bits_of(normal(f(x) * g(y))); }); break;
        case EU_MAD:
            direct<N>(p, tile, op, [&](u32 x, u32 y, u32 z, u32) {
                return bits_of(sum_of((double)f(x) + (double)g(y) * (double)h(z)));
            });
            break;
        default: direct<N>(p, tile, op, [&](u32 x, u32, u32, u32) { return bits_of(f(x)); }); break;
    }
}

struct EuSigned {
    FN_MEMBER s32 operator()(u32 bits) const { return (s32)bits; }
};

template <int N> FN void direct_integers(const EuRunParams& p, EuTile& tile, const EuOperation& op) {
    switch (op.opcode) {
        case EU_CMP: direct_comparison<N, s32>(p, tile, op, EuSigned(), EuSigned()); break;
        case EU_SEL: direct<N>(p, tile, op, [](u32 x, u32 y, u32, u32 on) { return on ? x : y; }); break;
        case EU_ADD: direct<N>(p, tile, op, [](u32 x, u32 y, u32, u32) { return x + y; }); break;
        case EU_AND: direct<N>(p, tile, op, [](u32 x, u32 y, u32, u32) { return x & y; }); break;
        case EU_SHL: direct<N>(p, tile, op, [](u32 x, u32 y, u32, u32) { return x << (y & 31); }); break;
        default: direct<N>(p, tile, op, [](u32 x, u32, u32, u32) { return x; }); break;
    }
}

// Whether it did all of an operation.
FN bool run_direct(const EuRunParams& p, EuTile& tile, const EuOperation& op) {
    if (!is_direct(op)) return false;
    if (op.arithmetic == EU_FLOATS)
        op.channels == 16 ? direct_floats<16>(p, tile, op) : direct_floats<8>(p, tile, op);
    else
        op.channels == 16 ? direct_integers<16>(p, tile, op) : direct_integers<8>(p, tile, op);
    return true;
}
