// Straight stretches of programs: all operations for some threads, then for the next.
#pragma once
#include "eu_compute.h"

struct EuScratch {
    u32 bits[EU_THREADS][EU_CHANNELS];  // results
    s64 kept[EU_THREADS][EU_CHANNELS];  // of integers for acc0
    u8 outcome[EU_THREADS][EU_CHANNELS];
    u32 mask[EU_THREADS];  // channels that are worked on
};

// Flags of neighbors, or of both halves of a register, combined (volume 4 part 3, pages 94-96).
FN u32 combined_flags(const EuOperation& op, u32 bits) {
    if (op.vertical) {
        const u32 half = op.group_all ? bits & bits >> 16 : (bits | bits >> 16) & 0xFFFF;
        return half & 0xFFFF;
    }
    u32 found = bits;
    for (int step = 1; step < op.group; step *= 2) found = op.group_all ? found & found >> step : found | found >> step;
    u32 spread = 0;  // the first channel of each group has it now
    const u32 group = op.group == 32 ? ~0u : (1u << op.group) - 1;
    for (int first = 0; first < 32; first += op.group)
        if (found >> first & 1) spread |= group << first;
    return spread;
}

FN u32 predicate_of(const EuRunParams& p, const EuThread& t, const EuOperation& op) {
    const u32 word = element_at<u32>(t.registers + p.flags_at + op.predicate / 32 * 4);
    const bool single = op.group == 1 && !op.vertical;
    const u32 bits = (single ? word : combined_flags(op, word)) >> op.predicate % 32;
    return op.inverted ? ~bits : bits;
}

// 32 channels go on where the first 16 do (volume 4 part 3, page 72).
FN u32 execution_mask(const EuRunParams& p, const EuThread& t, const EuOperation& op, u32 here) {
    if (!here) return 0;
    u32 mask = op.no_mask ? ~0u : here >> op.first_channel;
    if (op.channels == EU_CHANNELS) mask = (mask & 0xFFFF) | mask << 16;
    if (op.predicate >= 0 && op.opcode != EU_SEL) mask &= predicate_of(p, t, op);
    return mask & lowest(op.channels);
}

FN bool has_destination(const EuOperation& op) { return (op.to >= 0) | (op.to_address != 0); }

template <typename T> FN void choose(u32 chosen, int n, EuLanes<T>& a, const EuLanes<T>& b) {
    FOR_LINE(i, n) a[i] = chosen >> i & 1 ? a[i] : b[i];
}

// `cmp` compares the sources; others their result with 0.
template <typename T>
FN void finish(const EuRunParams& p, const EuThread& t, const EuOperation& op, int n, EuLanes<T>& a, const EuLanes<T>& b,
               u32* bits, u8* outcome) {
    if (op.opcode == EU_CMP) {
        compared(op.condition, n, a, b, outcome);
        if (has_destination(op)) FOR_LINE(i, n) bits[i] = outcome[i] ? ~0u : 0u;
        return;
    }
    if (op.opcode == EU_SEL && op.predicate >= 0) choose(predicate_of(p, t, op), n, a, b);
}

FN void outcome_of_bits(const EuOperation& op, int n, const u32* bits, u8* outcome) {
    EuLanes<s64> stored, zeros;
    FOR_LINE(i, n) stored[i] = stored_integer(op.to_type, bits[i]), zeros[i] = 0;
    compared(op.condition, n, stored, zeros, outcome);
}

// u * x + v * y + w; a: x, whose neighbors are y, one that is not used, and w.
template <int N>
FN void add_planes(const EuRunParams& p, const EuThread& t, const EuOperation& op, EuLanes<float>& a,
                   const EuLanes<float>& u, const EuLanes<float>& v) {
    const int n = computed_channels<N>(op.channels);
    EuSource at_y = op.sources[0], at_w = op.sources[0];
    at_y.at += 4, at_w.at += 12;
    EuLanes<float> y, w;
    floats_of<N>(p, t, at_y, op.channels, true, y);
    floats_of<N>(p, t, at_w, op.channels, true, w);
    FOR_LINE(i, n) a[i] = sum_of((double)a[i] * (double)u[i] + (double)y[i] * (double)v[i] + (double)w[i]);
}

template <int N>
FN void run_floats(const EuRunParams& p, const EuThread& t, const EuOperation& op, u32* bits, u8* outcome) {
    const int n = computed_channels<N>(op.channels);
    const bool flush = !op.keeps_denormals;
    EuLanes<float> a, b, c;
    floats_of<N>(p, t, op.sources[0], op.channels, flush, a);
    if (op.sources[1].place != EU_NONE) floats_of<N>(p, t, op.sources[1], op.channels, flush, b);
    if (op.sources[2].place != EU_NONE) floats_of<N>(p, t, op.sources[2], op.channels, flush, c);
    finish(p, t, op, n, a, b, bits, outcome);
    if (op.opcode == EU_CMP) return;
    if (op.opcode == EU_PLN)
        add_planes<N>(p, t, op, a, b, c);
    else if (op.opcode != EU_SEL || op.predicate < 0)
        compute_floats(op, n, a, b, c);
    bits_of_floats(op, n, a, bits);
    if (op.flags < 0) return;
    if (op.to_type != EU_F) {
        outcome_of_bits(op, n, bits, outcome);
        return;
    }
    EuLanes<float> zeros;
    FOR_LINE(i, n) zeros[i] = 0.0f;
    compared(op.condition, n, a, zeros, outcome);
}

template <typename W> FN void keep_integers(const EuOperation& op, int n, const EuLanes<W>& values, s64* kept) {
    if (op.saturate) {
        const s64 low = (s64)lowest_of(op.to_type), high = (s64)highest_of(op.to_type);
        FOR_LINE(i, n) kept[i] = clamp_to<s64>(values[i], low, high);
    } else {
        FOR_LINE(i, n) kept[i] = values[i];
    }
}

template <int N, typename W, typename U>
FN void run_integers(const EuRunParams& p, const EuThread& t, const EuOperation& op, u32* bits, u8* outcome, s64* kept) {
    const int n = computed_channels<N>(op.channels);
    EuLanes<W> a, b, c;
    integers_of<N>(p, t, op.sources[0], op.channels, a);
    if (op.sources[1].place != EU_NONE) integers_of<N>(p, t, op.sources[1], op.channels, b);
    if (op.sources[2].place != EU_NONE) integers_of<N>(p, t, op.sources[2], op.channels, c);
    finish(p, t, op, n, a, b, bits, outcome);
    if (op.opcode == EU_CMP) return;
    if (op.opcode != EU_SEL || op.predicate < 0) compute_integers<W, U>(op, n, a, b, c);
    bits_of_integers(op, n, a, bits);
    if (op.keeping > EU_FORGETS) keep_integers(op, n, a, kept);
    if (op.flags < 0) return;
    EuLanes<W> zeros;
    FOR_LINE(i, n) zeros[i] = 0;
    if (op.to_type == EU_F || op.saturate)
        compared(op.condition, n, a, zeros, outcome);
    else
        outcome_of_bits(op, n, bits, outcome);
}

// The lowest bit of each of 8 bytes.
FN u32 bits_of_bytes(const u8* bytes) {
    return (u32)((element_at<u64>(bytes) & 0x0101010101010101ull) * 0x0102040810204080ull >> 56);
}

FN void set_flags(const EuRunParams& p, const EuThread& t, const EuOperation& op, u32 mask, const u8* outcome) {
    u8* word = t.registers + p.flags_at + op.flags / 32 * 4;
    u32 found = 0;
    for (int i = 0; i < op.channels; i += 8) found |= bits_of_bytes(outcome + i) << i;
    const u32 kept = ~(mask << op.flags % 32);
    put_element<u32>(word, (element_at<u32>(word) & kept) | (found & mask) << op.flags % 32);
}

template <int N>
FN void compute_channels(const EuRunParams& p, const EuThread& t, const EuOperation& op, EuScratch& scratch, s32 line) {
    u32* bits = scratch.bits[line];
    u8* outcome = scratch.outcome[line];
    if (op.arithmetic == EU_FLOATS)
        run_floats<N>(p, t, op, bits, outcome);
    else if (op.arithmetic == EU_LOW)
        run_integers<N, s32, u32>(p, t, op, bits, outcome, scratch.kept[line]);
    else
        run_integers<N, s64, u64>(p, t, op, bits, outcome, scratch.kept[line]);
}

FN void compute(const EuRunParams& p, const EuThread& t, const EuOperation& op, EuScratch& scratch, s32 line) {
    if (ON_DEVICE(op.channels <= 8, false))
        compute_channels<ON_DEVICE(8, EU_CHANNELS)>(p, t, op, scratch, line);
    else if (ON_DEVICE(op.channels <= 16, false))
        compute_channels<ON_DEVICE(16, EU_CHANNELS)>(p, t, op, scratch, line);
    else
        compute_channels<EU_CHANNELS>(p, t, op, scratch, line);
}

FN void store(const EuRunParams& p, const EuThread& t, const EuOperation& op, u32 mask, const u32* bits) {
    if (op.channels <= 8)
        store_bits<8>(p, t, op, mask, bits);
    else if (op.channels <= 16)
        store_bits<16>(p, t, op, mask, bits);
    else
        store_bits<EU_CHANNELS>(p, t, op, mask, bits);
}

FN void put_results(const EuRunParams& p, const EuThread& t, const EuOperation& op, EuScratch& scratch, s32 line) {
    const u32 mask = scratch.mask[line];
    if (has_destination(op) && (mask & op.enabled)) store(p, t, op, mask & op.enabled, scratch.bits[line]);
    if (op.trims) trim_addresses(p, t);
    if (op.keeping && mask) keep_wide(p, t, op, mask, scratch.kept[line]);
    if (op.flags >= 0 && mask) FOR_LINE(i, 1) set_flags(p, t, op, mask, scratch.outcome[line]);
}

FN void eu_run_tile(const EuRunParams& p, s32, s32 tile_y) {
    SHARED EuScratch scratch;
    const s32 begin = tile_y * EU_THREADS, threads = min_of<s32>(EU_THREADS, p.threads - begin);
    for (s32 k = 0; k < p.count; ++k) {
        const EuOperation& op = p.operations[k];
        const bool expects = op.opcode == EU_EXPECT;
        FOR_LINES(line, threads) {
            const EuThread t = {p.registers + (s64)(begin + line) * p.pitch, begin + line, k};
            u32 mask = 0;
            if (expects)
                mask = (predicate_of(p, t, op) & 1) != op.condition;
            else
                mask = execution_mask(p, t, op, p.here ? p.here[begin + line] : ~0u);
            FOR_LINE(i, 1) scratch.mask[line] = mask;
            if (mask && !expects) compute(p, t, op, scratch, line);
        }
        BARRIER();
        if (expects) {
            u32 deviates = 0;
            for (s32 line = 0; line < threads; ++line) deviates |= scratch.mask[line];
            if (deviates) {
                FOR_LINES(line, 1) FOR_LINE(i, 1) p.stops[tile_y] = k;
                return;
            }
        } else {
            FOR_LINES(line, threads) {
                const EuThread t = {p.registers + (s64)(begin + line) * p.pitch, begin + line, k};
                put_results(p, t, op, scratch, line);
            }
        }
        BARRIER();
    }
}
