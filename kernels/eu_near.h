// On a CPU, operands and results of operations that run in one step (eu_direct.h): a channel of a thread, or eight.
#pragma once
#include "eu_lines.h"

#if HAS_EIGHTS
template <int N> struct EuVector {
    typedef u32 Bits;
    typedef s32 Signed;
    typedef float Float;
};
template <> struct EuVector<8> {
    typedef Bits8 Bits;
    typedef Signed8 Signed;
    typedef Float8 Float;
};
template <int N> using EuBits = typename EuVector<N>::Bits;
template <int N> using EuSigned = typename EuVector<N>::Signed;
template <int N> using EuReal = typename EuVector<N>::Float;

template <int N> FN EuBits<N> every(u32 bits) { return bits - EuBits<N>{}; }
template <int N> FN EuReal<N> real_of(EuBits<N> bits) { return element_at<EuReal<N>>(&bits); }
template <int N> FN EuBits<N> bits_of_reals(EuReal<N> v) { return element_at<EuBits<N>>(&v); }
FN float floats_of_signed(s32 n) { return (float)n; }
FN Float8 floats_of_signed(Signed8 n) { return __builtin_convertvector(n, Float8); }
FN s32 signed_of_floats(float v) { return (s32)v; }
FN Signed8 signed_of_floats(Float8 v) { return __builtin_convertvector(v, Signed8); }
FN Bits8 mask_of(Signed8 found) { return (Bits8)found; }
FN u32 mask_of(bool found) { return 0 - (u32)found; }
FN u32 lowest_bits(u32 lanes) { return lanes & 1; }
FN u32 lowest_bits(Bits8 lanes) { return bits_of_lanes(lanes); }
template <int N> FN EuBits<N> chosen_lanes(u32 mask) {
    if constexpr (N == 1)
        return 0 - (mask & 1);
    else
        return lanes_of(mask, 0);
}

// Elements of a source, thread after thread, as 32 bits each.
struct EuNear {
    const u8* at;
    s64 step_B;
    s32 eight_B;  // from eight to eight; 0: an element of all channels
    s32 ahead_B;  // to what the next tile reads; 0 where it is the same
    template <int N> FN_MEMBER EuBits<N> of(int number) const {
        if (N == 1 || !eight_B) return every<N>(element_at<u32>(at));
        return element_at<EuBits<N>>(at + number * eight_B);
    }
};

// Bytes from each element to the next, if that is the same for all; else 0.
template <int CHANNELS> FN s32 even_step(const s32* offsets) {
    const s32 step = CHANNELS > 1 ? offsets[1] : 4;
    s32 off = 0;
    for (int i = 0; i < CHANNELS; ++i) off |= offsets[i] ^ i * step;
    return off ? 0 : step;
}

// A source of all lines that cannot be taken as it lies: 32 bits at each place, shifted up until only the element is left,
// and down again.
template <int CHANNELS>
FN_APART void gather(const EuRunParams& p, const EuTile& tile, const EuSource& s, bool floats, const EuLines& at_work,
                     u32* to) {
    const EuOrigin from = origin_of(p, tile, s);
    const s32 size = size_of(s.type), spare = 32 - 8 * size, lines = s.is_constant ? 1 : tile.grid.lines;
    s32 offsets[CHANNELS];
    for (int i = 0; i < CHANNELS; ++i) {
        offsets[i] = s.place == EU_LISTED ? p.offsets[s.list + i] : s.place == EU_HALVES ? i / 8 * s.list + i % 8 * 4 : i * size;
    }
    const s32 step = even_step<CHANNELS>(offsets);
    const bool is_signed = s.type & 1, absolute = s.absolute && !floats, negate = s.negate && !floats;
    for (s32 line = 0; line < lines; ++line, to += CHANNELS) {
        const u8* at = from.first + line * from.step_B;
        if (s.address) {
            if (!at_work.of<CHANNELS>(line)) continue;
            const EuThread t = tile.thread(p, line);
            at = t.registers + addressed(p, t, s.address, s.at, s.span, s.type);
        }
        if (!s.is_constant) PREFETCH(at + EU_THREADS * p.pitch);
        if (s.place == EU_SHARED)
            FOR_LINE(i, CHANNELS) to[i] = element_at<u32>(at) << spare;
        else if (step == 4)
            FOR_LINE(i, CHANNELS) to[i] = element_at<u32>(at + 4 * i) << spare;
        else if (step == 2)
            FOR_LINE(i, CHANNELS) to[i] = (u32)element_at<u16>(at + 2 * i) << spare;
        else
            UNROLL for (int i = 0; i < CHANNELS; ++i) to[i] = element_at<u32>(at + offsets[i]) << spare;
        if (is_signed)
            FOR_LINE(i, CHANNELS) to[i] = (u32)((s32)to[i] >> spare);
        else
            FOR_LINE(i, CHANNELS) to[i] = to[i] >> spare;
        if (absolute) FOR_LINE(i, CHANNELS) to[i] = (s32)to[i] < 0 ? 0 - to[i] : to[i];
        if (negate) FOR_LINE(i, CHANNELS) to[i] = 0 - to[i];
    }
}
// Bytes from one eight of listed elements to the next, if those of an eight lie side by side.
template <int CHANNELS> FN s32 step_of_eights(const s32* offsets) {
    const s32 step = CHANNELS > 8 ? offsets[8] : 32;
    s32 off = 0;
    for (int i = 0; i < CHANNELS; ++i) off |= offsets[i] ^ (i / 8 * step + i % 8 * 4);
    return off ? 0 : step;
}
template <int CHANNELS>
FN_APART EuNear near_of(const EuRunParams& p, const EuTile& tile, const EuSource& s, bool floats, const EuLines& at_work,
                        EuCells<u32>& gathered) {
    const EuOrigin from = origin_of(p, tile, s);
    const s32 ahead = s.is_constant ? 0 : EU_THREADS * p.pitch;
    if (!s.address && (floats || (s.type <= EU_D && !s.absolute && !s.negate))) {
        if (s.place == EU_PACKED) return {from.first, from.step_B, 32, ahead};
        if (s.place == EU_SHARED) return {from.first, from.step_B, 0, ahead};
        if (s.place == EU_HALVES) return {from.first, from.step_B, s.list, ahead};
        const s32 step = step_of_eights<CHANNELS>(p.offsets + s.list);
        if (step) return {from.first, from.step_B, step, ahead};
    }
    gather<CHANNELS>(p, tile, s, floats, at_work, &gathered[0]);
    return {(const u8*)&gathered[0], s.is_constant ? 0 : CHANNELS * 4, 32, 0};
}

struct EuAsFloats {
    const EuCells<u32>& bits;
    FN_MEMBER float operator[](int at) const { return float_of_bits(bits[at]); }
};
struct EuAsIntegers {
    const EuCells<u32>& bits;
    FN_MEMBER s32 operator[](int at) const { return (s32)bits[at]; }
};
struct EuAsStored {
    const EuCells<u32>& bits;
    u8 type;
    FN_MEMBER s64 operator[](int at) const { return stored_integer(type, bits[at]); }
};

template <typename T> FN bool holds(u8 condition, T v) {
    return condition == EU_Z ? v == 0 : condition == EU_NZ ? v != 0 : condition == EU_G ? v > 0
         : condition == EU_GE ? v >= 0 : condition == EU_L ? v < 0 : v <= 0;
}
template <int CHANNELS, typename V> FN void put_found(u8 condition, s32 count, const V& values, EuLines& lines) {
    for (s32 line = 0; line < count; ++line) {
        lines.found[line] = 0;
        for (int i = 0; i < CHANNELS; ++i) lines.found[line] |= (u32)holds(condition, values[line * CHANNELS + i]) << i;
    }
}

template <int CHANNELS, typename T>
FN void scatter(const EuRunParams& p, const EuTile& tile, const EuOperation& op, const EuLines& lines,
                const EuCells<u32>& bits) {
    for (s32 line = 0; line < tile.grid.lines; ++line) {
        const u32 mask = lines.of<CHANNELS>(line);
        if (!mask) continue;
        const EuThread t = tile.thread(p, line);
        const s32 to = op.to_address ? addressed(p, t, op.to_address, op.to, op.to_span_B, op.to_type) : op.to;
        store_elements<CHANNELS, T>(t.registers + to, op.to_stride, mask, CHANNELS, bits, line * CHANNELS);
    }
}

// Values of all lines to a destination that is not all of 32 bits side by side, or whose condition is asked for.
// is_value: not an outcome.
template <int CHANNELS>
FN_APART void put_made(const EuRunParams& p, const EuTile& tile, const EuOperation& op, bool is_value, EuLines& lines,
                       EuCells<u32>& made) {
    const Grid grid = {tile.grid.lines, CHANNELS, CHANNELS};
    const bool floats = op.arithmetic == EU_FLOATS, is_tested = is_value && op.flags >= 0;
    if (is_value && floats)
        bits_of_floats(op, grid, EuAsFloats{made}, made);
    else if (is_value)
        bits_of_integers<s32>(op, grid, EuAsIntegers{made}, made);
    if (is_tested && op.to_type == EU_F)
        put_found<CHANNELS>(op.condition, grid.lines, EuAsFloats{made}, lines);
    else if (is_tested)
        put_found<CHANNELS>(op.condition, grid.lines, EuAsStored{made, op.to_type}, lines);
    if (!has_destination(op)) return;
    const int size = size_of(op.to_type);
    if (size == 1)
        scatter<CHANNELS, u8>(p, tile, op, lines, made);
    else if (size == 2)
        scatter<CHANNELS, u16>(p, tile, op, lines, made);
    else
        scatter<CHANNELS, u32>(p, tile, op, lines, made);
}
#endif
