// Untyped messages: dwords of buffers and shared local memory, at addresses that registers held.
#pragma once
#include "eu_sent.h"

enum { EU_UNTYPED_THREADS = 64, EU_UNTYPED_OWNERS = 256 };  // of a tile; who carry atomic operations out
enum { EU_UNTYPED_CHANNELS = 4 };

// Phases: which slots are enabled and what is refused; loads; who stores last, and stores; atomic operations in order.
enum { EU_UNTYPED_CHECK = 0, EU_UNTYPED_LOAD = 1, EU_UNTYPED_CLAIM = 2, EU_UNTYPED_STORE = 3, EU_UNTYPED_ATOMIC = 4 };

// Operations (seed 003:9119-9147), by their codes.
enum EuAtomic {
    EU_ATOMIC_AND = 1, EU_ATOMIC_OR = 2, EU_ATOMIC_XOR = 3, EU_ATOMIC_MOV = 4, EU_ATOMIC_INC = 5, EU_ATOMIC_DEC = 6,
    EU_ATOMIC_ADD = 7, EU_ATOMIC_SUB = 8, EU_ATOMIC_REVSUB = 9, EU_ATOMIC_IMAX = 10, EU_ATOMIC_IMIN = 11,
    EU_ATOMIC_UMAX = 12, EU_ATOMIC_UMIN = 13, EU_ATOMIC_CMPWR = 14, EU_ATOMIC_PREDEC = 15,
};

struct EuUntypedParams {
    u8* registers;
    const u8* mask;        // channels of every thread; null for all
    const u32* addresses;  // [threads][slots]
    const u32* data[EU_UNTYPED_CHANNELS];  // the same of each channel that is stored, or of each source
    u32* memory;
    const s32* bases;      // of every thread, the first dword of its block of shared memory; null: a buffer
    s32* places;           // [threads][slots] dwords from the base on, -1 of slots that are off
    s32* last;             // of every dword of the memory the number of what is stored there, -1 before
    s32* refused;          // raised to 1
    s64 size_B;            // of a buffer
    s64 held_B;            // of it in its buffer object
    s32 block;             // dwords of a block of shared memory
    s32 channels;          // of a thread, in `mask`
    s32 header;            // byte of a thread's registers that its header begins at; -1: none
    s32 to;                // where the response begins; -1: none
    s32 slots;
    s32 count;             // channels of a slot that are loaded or stored
    s32 channel[EU_UNTYPED_CHANNELS];  // which they are
    s32 operation;
    s32 phase;
    s32 threads, pitch;
};
static_assert(sizeof(EuUntypedParams) == 168, "parameter layout");

// A dword of a slot, counted from the memory's first; -1 if it is outside.
FN s64 dword_of(const EuUntypedParams& p, s64 thread, s32 place, s32 channel) {
    if (p.bases) return p.bases[thread] + (place + channel) % p.block;
    return 4 * ((s64)place + channel + 1) <= p.size_B ? (s64)place + channel : -1;
}

FN void check_slot(const EuUntypedParams& p, s64 thread, s32 slot) {
    const s64 number = thread * p.slots + slot;
    bool enabled = slot < p.channels;
    if (enabled && p.mask) enabled = p.mask[thread * p.channels + slot] != 0;
    if (enabled && p.header >= 0) {
        const u32* header = (const u32*)(p.registers + thread * p.pitch + p.header);
        enabled = header[7] >> slot & 1;
    }
    const u32 address = p.addresses[number];
    p.places[number] = enabled ? (s32)(address >> 2) : -1;
    if (!enabled) return;
    bool refused = address & 3;
    for (s32 k = 0; k < p.count && !p.bases; ++k) {
        const s64 dword = dword_of(p, thread, (s32)(address >> 2), p.channel[k]);
        refused |= 4 * (dword + 1) > p.held_B;
    }
    if (refused) raise_shared(p.refused, 1);
}

FN void load_slot(const EuUntypedParams& p, s64 thread, s32 slot) {
    const s32 place = p.places[thread * p.slots + slot];
    if (place < 0) return;
    u32* to = (u32*)(p.registers + thread * p.pitch + p.to) + slot;
    for (s32 k = 0; k < p.count; ++k) {
        const s64 dword = dword_of(p, thread, place, p.channel[k]);
        to[k * p.slots] = dword < 0 ? 0 : p.memory[dword];
    }
}

FN void store_slot(const EuUntypedParams& p, s64 thread, s32 slot) {
    const s64 number = thread * p.slots + slot;
    const s32 place = p.places[number];
    if (place < 0) return;
    for (s32 k = 0; k < p.count; ++k) {
        const s64 dword = dword_of(p, thread, place, p.channel[k]);
        const s32 order = (s32)number * EU_UNTYPED_CHANNELS + k;
        if (dword < 0) continue;
        if (p.phase == EU_UNTYPED_CLAIM)
            raise_shared(p.last + dword, order);
        else if (p.last[dword] == order)
            p.memory[dword] = p.data[k][number];
    }
}

FN u32 after_atomic(s32 operation, u32 old, u32 one, u32 other) {
    switch (operation) {
        case EU_ATOMIC_AND: return old & one;
        case EU_ATOMIC_OR: return old | one;
        case EU_ATOMIC_XOR: return old ^ one;
        case EU_ATOMIC_MOV: return one;
        case EU_ATOMIC_INC: return old + 1;
        case EU_ATOMIC_DEC:
        case EU_ATOMIC_PREDEC: return old - 1;
        case EU_ATOMIC_ADD: return old + one;
        case EU_ATOMIC_SUB: return old - one;
        case EU_ATOMIC_REVSUB: return one - old;
        case EU_ATOMIC_IMAX: return (u32)max_of((s32)old, (s32)one);
        case EU_ATOMIC_IMIN: return (u32)min_of((s32)old, (s32)one);
        case EU_ATOMIC_UMAX: return max_of(old, one);
        case EU_ATOMIC_UMIN: return min_of(old, one);
        case EU_ATOMIC_CMPWR: return old == one ? other : old;
        default: return old;
    }
}

// All accesses to the dwords of one owner, in order: nobody else writes there.
FN void own_atomics(const EuUntypedParams& p, s32 owner) {
    for (s64 number = 0; number < (s64)p.threads * p.slots; ++number) {
        const s32 place = p.places[number];
        if (place < 0) continue;
        const s64 thread = number / p.slots, dword = dword_of(p, thread, place, 0);
        if (dword < 0 ? owner != 0 : dword % EU_UNTYPED_OWNERS != owner) continue;
        u32 returned = 0;
        if (dword >= 0) {
            const u32 old = p.memory[dword];
            const u32 one = p.data[0] ? p.data[0][number] : 0, other = p.data[1] ? p.data[1][number] : 0;
            const u32 changed = after_atomic(p.operation, old, one, other);
            p.memory[dword] = changed;
            returned = p.operation == EU_ATOMIC_PREDEC ? changed : old;
        }
        if (p.to >= 0) ((u32*)(p.registers + thread * p.pitch + p.to))[number - thread * p.slots] = returned;
    }
}

FN void eu_untyped_tile(const EuUntypedParams& p, s32, s32 tile) {
    const s64 first = (s64)tile * EU_UNTYPED_THREADS;
    if (p.phase == EU_UNTYPED_ATOMIC) {
        FOR_ITEMS(i, EU_UNTYPED_THREADS) own_atomics(p, (s32)first + i);
        return;
    }
    const s32 threads = (s32)min_of<s64>(EU_UNTYPED_THREADS, p.threads - first);
    FOR_ITEMS(i, threads * p.slots) {
        const s64 thread = first + i / p.slots;
        const s32 slot = i % p.slots;
        if (p.phase == EU_UNTYPED_CHECK)
            check_slot(p, thread, slot);
        else if (p.phase == EU_UNTYPED_LOAD)
            load_slot(p, thread, slot);
        else
            store_slot(p, thread, slot);
    }
}
