// Straight stretches of programs: all operations for some threads, then for the next.
#pragma once
#include "eu_compute.h"

struct EuScratch {
    u32 bits[EU_THREADS][EU_CHANNELS];  // results
    u8 outcome[EU_THREADS][EU_CHANNELS];
    u32 mask[EU_THREADS];  // channels that are worked on
};

FN u32 lowest(int n) { return n == 32 ? ~0u : (1u << n) - 1; }

FN u32 flag_bits(const EuRunParams& p, const u8* registers, s16 first) {
    return element_at<u32>(registers + p.flags_at + first / 32 * 4) >> first % 32;
}

FN u32 predicate_of(const EuRunParams& p, const u8* registers, const EuOperation& op) {
    const u32 bits = flag_bits(p, registers, op.predicate);
    return op.inverted ? ~bits : bits;
}

// 32 channels go on where the first 16 do (volume 4 part 3, page 72).
FN u32 execution_mask(const EuRunParams& p, const u8* registers, const EuOperation& op, u32 here) {
    if (!here) return 0;
    u32 mask = op.no_mask ? ~0u : here >> op.first_channel;
    if (op.channels == EU_CHANNELS) mask = (mask & 0xFFFF) | mask << 16;
    if (op.predicate >= 0 && op.opcode != EU_SEL) mask &= predicate_of(p, registers, op);
    return mask & lowest(op.channels);
}

template <typename T> FN void choose(u32 chosen, int n, EuLanes<T>& a, const EuLanes<T>& b) {
    FOR_LINE(i, n) a[i] = chosen >> i & 1 ? a[i] : b[i];
}

// `cmp` compares the sources; others their result with 0.
template <typename T>
FN void finish(const EuRunParams& p, const u8* registers, const EuOperation& op, int n, EuLanes<T>& a, const EuLanes<T>& b,
               u32* bits, u8* outcome) {
    if (op.opcode == EU_CMP) {
        compared(op.condition, n, a, b, outcome);
        FOR_LINE(i, n) bits[i] = outcome[i] ? ~0u : 0u;
        return;
    }
    if (op.opcode == EU_SEL && op.predicate >= 0) choose(predicate_of(p, registers, op), n, a, b);
}

FN void outcome_of_bits(const EuOperation& op, int n, const u32* bits, u8* outcome) {
    EuLanes<s64> stored, zeros;
    FOR_LINE(i, n) stored[i] = stored_integer(op.to_type, bits[i]), zeros[i] = 0;
    compared(op.condition, n, stored, zeros, outcome);
}

// u * x + v * y + w; a: x, whose neighbors are y, one that is not used, and w.
FN void add_planes(const EuRunParams& p, const u8* registers, const EuOperation& op, int n, EuLanes<float>& a,
                   const EuLanes<float>& u, const EuLanes<float>& v) {
    EuSource at_y = op.sources[0], at_w = op.sources[0];
    at_y.at += 4, at_w.at += 12;
    const EuLanes<float> y = floats_of(p, registers, at_y, true, n), w = floats_of(p, registers, at_w, true, n);
    FOR_LINE(i, n) a[i] = sum_of((double)a[i] * (double)u[i] + (double)y[i] * (double)v[i] + (double)w[i]);
}

FN void run_floats(const EuRunParams& p, const u8* registers, const EuOperation& op, int n, u32* bits, u8* outcome) {
    const bool flush = !op.keeps_denormals;
    EuLanes<float> a = floats_of(p, registers, op.sources[0], flush, n), b, c;
    if (op.sources[1].place != EU_NONE) b = floats_of(p, registers, op.sources[1], flush, n);
    if (op.sources[2].place != EU_NONE) c = floats_of(p, registers, op.sources[2], flush, n);
    finish(p, registers, op, n, a, b, bits, outcome);
    if (op.opcode == EU_CMP) return;
    if (op.opcode == EU_PLN)
        add_planes(p, registers, op, n, a, b, c);
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

template <typename W, typename U>
FN void run_integers(const EuRunParams& p, const u8* registers, const EuOperation& op, int n, u32* bits, u8* outcome) {
    EuLanes<W> a = integers_of<W>(p, registers, op.sources[0], n), b;
    if (op.sources[1].place != EU_NONE) b = integers_of<W>(p, registers, op.sources[1], n);
    finish(p, registers, op, n, a, b, bits, outcome);
    if (op.opcode == EU_CMP) return;
    if (op.opcode != EU_SEL || op.predicate < 0) compute_integers<W, U>(op, n, a, b);
    bits_of_integers(op, n, a, bits);
    if (op.flags < 0) return;
    EuLanes<W> zeros;
    FOR_LINE(i, n) zeros[i] = 0;
    if (op.to_type == EU_F || op.saturate)
        compared(op.condition, n, a, zeros, outcome);
    else
        outcome_of_bits(op, n, bits, outcome);
}

FN void set_flags(const EuRunParams& p, u8* registers, const EuOperation& op, u32 mask, const u8* outcome) {
    u8* word = registers + p.flags_at + op.flags / 32 * 4;
    u32 found = 0;
    for (int i = 0; i < op.channels; ++i) found |= (u32)outcome[i] << i;
    const u32 kept = ~(mask << op.flags % 32);
    put_element<u32>(word, (element_at<u32>(word) & kept) | (found & mask) << op.flags % 32);
}

FN void eu_run_tile(const EuRunParams& p, s32, s32 tile_y) {
    SHARED EuScratch scratch;
    const s32 begin = tile_y * EU_THREADS, threads = min_of<s32>(EU_THREADS, p.threads - begin);
    for (s32 k = 0; k < p.count; ++k) {
        const EuOperation& op = p.operations[k];
        const int n = computed_channels(op);
        FOR_LINES(t, threads) {
            const u8* registers = p.registers + (s64)(begin + t) * p.pitch;
            const u32 mask = execution_mask(p, registers, op, p.here ? p.here[begin + t] : ~0u);
            FOR_LINE(i, 1) scratch.mask[t] = mask;
            if (!mask) continue;
            u32* bits = scratch.bits[t];
            u8* outcome = scratch.outcome[t];
            if (op.arithmetic == EU_FLOATS)
                run_floats(p, registers, op, n, bits, outcome);
            else if (op.arithmetic == EU_LOW)
                run_integers<s32, u32>(p, registers, op, n, bits, outcome);
            else
                run_integers<s64, u64>(p, registers, op, n, bits, outcome);
        }
        BARRIER();
        FOR_LINES(t, threads) {
            u8* registers = p.registers + (s64)(begin + t) * p.pitch;
            const u32 mask = scratch.mask[t];
            if (op.to >= 0 && (mask & op.enabled)) store_bits(registers, op, mask & op.enabled, scratch.bits[t]);
            if (op.flags >= 0 && mask) FOR_LINE(i, 1) set_flags(p, registers, op, mask, scratch.outcome[t]);
        }
        BARRIER();
    }
}
