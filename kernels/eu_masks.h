// Which channels of a thread an operation works on, and the flags that it reads and writes.
#pragma once
#include "eu_store.h"

// Flags of neighbors, or of both halves of a register, combined (volume 4 part 3, pages 94-96).
FN u32 combined_flags(const EuOperation& op, u32 bits) {
    if (op.vertical) {
        const u32 half = op.group_all ? bits & bits >> 16 : (bits | bits >> 16) & 0xFFFF;
        return half & 0xFFFF;
    }
    if (op.group_all >= EU_COMPONENT) return (bits >> (op.group_all - EU_COMPONENT) & 0x11111111u) * 15;
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

// The lowest bit of each of 8 bytes.
FN u32 bits_of_bytes(const u8* bytes) {
    return (u32)((element_at<u64>(bytes) & 0x0101010101010101ull) * 0x0102040810204080ull >> 56);
}

FN void set_flags(const EuRunParams& p, const EuThread& t, const EuOperation& op, u32 mask, const u8* outcome) {
    u8* word = t.registers + p.flags_at + op.flags / 32 * 4;
    u32 found = 0;
    if (ON_DEVICE(true, false))
        for (int i = 0; i < op.channels; i += 8) found |= bits_of_bytes(outcome + i) << i;
    else
        for (int i = 0; i < op.channels; ++i) found |= (u32)outcome[i] << i;
    const u32 kept = ~(mask << op.flags % 32);
    put_element<u32>(word, (element_at<u32>(word) & kept) | (found & mask) << op.flags % 32);
}
