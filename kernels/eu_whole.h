// On a CPU, operations that all channels of all threads take part in, from and to registers as they lie: loops that do
// nothing but load, compute and store.
#pragma once
#include "eu_forms.h"

#if HAS_EIGHTS
// Sources of all threads alike that need nothing but to be loaded: elements side by side, one for all channels, or a constant.
enum EuEasy { EU_ROW, EU_ELEMENT, EU_CONSTANT };
template <int N> struct EuOperand {
    s64 at, half_B;
    EuEasy kind;
    EuBits<N> value;
    template <int COUNT> FN_MEMBER void take(const u8* thread, EuBits<N>* out) const {
        if (N > 1 && kind == EU_ROW) {
            UNROLL for (int k = 0; k < COUNT; ++k) out[k] = element_at<EuBits<N>>(thread + at + k * half_B);
        } else {
            const EuBits<N> one = kind == EU_CONSTANT ? value : every<N>(element_at<u32>(thread + at));
            UNROLL for (int k = 0; k < COUNT; ++k) out[k] = one;
        }
    }
};
// False if it is none of these.
template <int CHANNELS, int N>
FN bool put_operand(const EuRunParams& p, const EuSource& s, bool floats, EuOperand<N>& out) {
    if (s.address || (!floats && (s.type > EU_D || s.absolute || s.negate))) return false;
    out.at = s.at, out.half_B = 32, out.value = EuBits<N>{};
    out.kind = s.is_constant ? EU_CONSTANT : s.place == EU_SHARED ? EU_ELEMENT : EU_ROW;
    if (s.is_constant) {
        out.at = 0, out.value = every<N>(element_at<u32>(p.constants + s.at));
        return s.place == EU_SHARED;
    }
    if (s.place == EU_HALVES) out.half_B = s.list;
    if (s.place == EU_LISTED) out.half_B = step_of_eights<CHANNELS>(p.offsets + s.list);
    return out.half_B != 0;
}

// Bytes from a thread to what the next tile has in a line of the nearest cache, for an operand there: once while a tile runs,
// as what has come would drive out what is worked on; then nothing new.
FN s64 to_ask(const EuTile& tile, s64 pitch, s64 at) {
    const u64 line = (u64)1 << (at >> 6 & 63);
    const bool is_asked = (tile.asked & line) != 0;
    tile.asked |= line;
    return is_asked ? 0 : EU_THREADS * pitch + at;
}

// What is the same for all threads, where all channels are worked on: as fast as can be.
template <int N, int COUNT, int SOURCES, EuKind KIND, typename Use>
FN bool direct_whole(const EuRunParams& p, const EuTile& tile, const EuOperation& op, const Use use, int first) {
    enum { CHANNELS = N * COUNT };
    if (SOURCES == 0 || p.here || (op.predicate >= 0 && KIND != EU_SELECTS) || op.trims | op.keeping) return false;
    if (form_of(op, KIND == EU_COMPARES) != EU_AS_BITS || (KIND != EU_COMPARES && !has_destination(op))) return false;
    if ((op.flags >= 0) != (KIND == EU_COMPARES) || (KIND == EU_SELECTS && (op.group != 1 || op.vertical))) return false;
    const bool floats = op.arithmetic == EU_FLOATS, has_result = has_destination(op);
    EuOperand<N> x = {}, y = {}, z = {};
    if (!put_operand<CHANNELS, N>(p, op.sources[SOURCES > 1 ? first : 0], floats, x)) return false;
    if (SOURCES > 1 && !put_operand<CHANNELS, N>(p, op.sources[1 - first], floats, y)) return false;
    if (SOURCES > 2 && !put_operand<CHANNELS, N>(p, op.sources[2], floats, z)) return false;
    const s64 pitch = p.pitch, to = has_result ? op.to : 0;
    const s64 half_B = op.half == EU_BOTH ? op.to_list : 4 * N;
    const s32 bit = KIND == EU_COMPARES ? op.flags : op.predicate;
    const s64 flags_at = p.flags_at + bit / 32 * 4;
    const u32 shift = (u32)bit % 32, kept = ~(lowest(CHANNELS) << shift), turned = op.inverted ? ~0u : 0;
    const s64 ahead_x = to_ask(tile, pitch, x.at), ahead_y = SOURCES > 1 ? to_ask(tile, pitch, y.at) : 0;
    const s64 ahead_z = SOURCES > 2 ? to_ask(tile, pitch, z.at) : 0, ahead_to = has_result ? to_ask(tile, pitch, to) : 0;
    u8* thread = tile.registers;
    const u8* end = thread + tile.grid.lines * pitch;
    for (; thread != end; thread += pitch) {
        EuBits<N> a[COUNT] = {}, b[COUNT] = {}, c[COUNT] = {};
        x.template take<COUNT>(thread, a);
        if (SOURCES > 1) y.template take<COUNT>(thread, b);
        if (SOURCES > 2) z.template take<COUNT>(thread, c);
        const u32 chosen = KIND == EU_SELECTS ? (element_at<u32>(thread + flags_at) ^ turned) >> shift : 0;
        EuBits<N> results[COUNT];
        UNROLL for (int k = 0; k < COUNT; ++k)
            results[k] = use(a[k], b[k], c[k], KIND == EU_SELECTS ? chosen_lanes<N>(chosen >> N * k) : EuBits<N>{});
        if (KIND == EU_COMPARES) {
            const u32 found = lowest_bits(results[0]) | (COUNT > 1 ? lowest_bits(results[COUNT - 1]) << N : 0);
            put_element<u32>(thread + flags_at, (element_at<u32>(thread + flags_at) & kept) | found << shift);
        }
        PREFETCH(thread + ahead_x);
        if (SOURCES > 1) PREFETCH(thread + ahead_y);
        if (SOURCES > 2) PREFETCH(thread + ahead_z);
        if (KIND != EU_COMPARES || has_result) {
            PREFETCH(thread + ahead_to);
            UNROLL for (int k = 0; k < COUNT; ++k) put_element(thread + to + k * half_B, results[k]);
        }
    }
    return true;
}

// A comparison and the selection that it is made for.
template <int N, int COUNT, typename Use>
FN bool whole_choice(const EuRunParams& p, const EuTile& tile, const EuOperation& op, const EuOperation& next, const Use use,
                     int first) {
    enum { CHANNELS = N * COUNT };
    if (p.here) return false;
    const bool floats = op.arithmetic == EU_FLOATS, has_outcomes = has_destination(op), turned = next.inverted;
    EuOperand<N> x = {}, y = {}, u = {}, v = {};
    if (!put_operand<CHANNELS, N>(p, op.sources[first], floats, x)) return false;
    if (!put_operand<CHANNELS, N>(p, op.sources[1 - first], floats, y)) return false;
    if (!put_operand<CHANNELS, N>(p, next.sources[turned ? 1 : 0], true, u)) return false;
    if (!put_operand<CHANNELS, N>(p, next.sources[turned ? 0 : 1], true, v)) return false;
    const s64 pitch = p.pitch, flags_at = p.flags_at + op.flags / 32 * 4;
    const s64 outcomes = op.to, half_B = op.half == EU_BOTH ? op.to_list : 4 * N, to = next.to;
    const u32 shift = (u32)op.flags % 32, kept = ~(lowest(CHANNELS) << shift);
    const s64 ahead_x = to_ask(tile, pitch, x.at), ahead_y = to_ask(tile, pitch, y.at), ahead_u = to_ask(tile, pitch, u.at);
    const s64 ahead_v = to_ask(tile, pitch, v.at), ahead_to = to_ask(tile, pitch, to);
    u8* thread = tile.registers;
    const u8* end = thread + tile.grid.lines * pitch;
    for (; thread != end; thread += pitch) {
        EuBits<N> a[COUNT], b[COUNT], found[COUNT];
        x.template take<COUNT>(thread, a);
        y.template take<COUNT>(thread, b);
        UNROLL for (int k = 0; k < COUNT; ++k) found[k] = use(a[k], b[k]);
        const u32 bits = lowest_bits(found[0]) | (COUNT > 1 ? lowest_bits(found[COUNT - 1]) << N : 0);
        put_element<u32>(thread + flags_at, (element_at<u32>(thread + flags_at) & kept) | bits << shift);
        if (has_outcomes)
            UNROLL for (int k = 0; k < COUNT; ++k) put_element(thread + outcomes + k * half_B, found[k]);
        u.template take<COUNT>(thread, a);
        v.template take<COUNT>(thread, b);
        PREFETCH(thread + ahead_x), PREFETCH(thread + ahead_y), PREFETCH(thread + ahead_u);
        PREFETCH(thread + ahead_v), PREFETCH(thread + ahead_to);
        UNROLL for (int k = 0; k < COUNT; ++k)
            put_element(thread + to + k * 4 * N, (EuSigned<N>)found[k] ? a[k] : b[k]);
    }
    return true;
}
#endif
