// Elements of memory at addresses that registers held: units of 1, 4 or 8 bytes of buffers and shared local memory.
#pragma once
#include "eu_sent.h"

enum { EU_ELEMENTS_THREADS = 64, EU_ELEMENTS_OWNERS = 256 };  // of a tile; who carry atomic operations out

// Phases: where elements are and what of that the host asks; loads; who stores last, and stores; atomic operations in
// order, and what they return, which goes to registers when all of these are read.
enum {
    EU_ELEMENTS_PLACE = 0, EU_ELEMENTS_LOAD = 1, EU_ELEMENTS_CLAIM = 2, EU_ELEMENTS_STORE = 3, EU_ELEMENTS_ATOMIC = 4,
    EU_ELEMENTS_RETURN = 5,
};
// Found: whether an address is illegal; the greatest complement and the greatest address, with another highest bit.
enum { EU_ELEMENTS_FOUND = 3 };

// Operations (seed 003:9119-9147), by their codes.
enum EuAtomic {
    EU_ATOMIC_CMPWR8B = 0, EU_ATOMIC_AND = 1, EU_ATOMIC_OR = 2, EU_ATOMIC_XOR = 3, EU_ATOMIC_MOV = 4, EU_ATOMIC_INC = 5, EU_ATOMIC_DEC = 6,
    EU_ATOMIC_ADD = 7, EU_ATOMIC_SUB = 8, EU_ATOMIC_REVSUB = 9, EU_ATOMIC_IMAX = 10, EU_ATOMIC_IMIN = 11,
    EU_ATOMIC_UMAX = 12, EU_ATOMIC_UMIN = 13, EU_ATOMIC_CMPWR = 14, EU_ATOMIC_PREDEC = 15,
};

// One element of every thread. Bytes count from the payload's and the response's first register on.
struct EuElement {
    s32 u, v;      // bytes with its offset, and, of structures, with the one within; -1: none
    s32 add;       // bytes
    s32 channels;  // of which one must be enabled, a bit each; 0: any of the thread's
    s32 pixel;     // bit of the header's mask; -1: none
    s32 data;      // byte that is stored, or of the first source; -1: none
    s32 to;        // byte of the response; -1: none
    s32 high;      // the same of the upper dword of units of 8 bytes
};
static_assert(sizeof(EuElement) == 32, "table layout");

struct EuElementsParams {
    u8* registers;
    const u8* mask;         // channels of every thread; null for all
    const EuElement* table;
    u8* memory;             // a buffer object, or shared local memory
    const s64* bases;       // of every thread, the first byte of its block of shared memory; null: a buffer
    s64* places;            // [threads][elements] addresses, or EU_PLACE_*
    s32* last;              // of units from `first` on the number of what is stored there, -1 before
    u64* returned;          // [threads][elements] by atomic operations
    s32* found;
    s64 base;               // address of the buffer
    s64 size_B;             // of it; -1: it has no end
    s64 begin;              // address of the buffer object
    s64 first;
    s32 stateless;          // byte of the payload with what is added to the base; -1: none
    s32 offset;             // with an offset of all elements; -1: none
    s32 from, to;           // bytes of a thread's registers: payload and response
    s32 scale;              // bytes that offsets count
    s32 entries, pitch_B;   // of structures; -1 entries: there are none
    s32 block_B;            // of shared memory
    s32 channels;           // of a thread, in `mask`
    s32 elements;
    s32 unit_B, aligned_B;  // of an element; what addresses must be multiples of
    s32 apart_B;            // from one register of a source to the next
    s32 operation, phase;
    s32 threads, pitch;
    s32 pad_;
};
static_assert(sizeof(EuElementsParams) == 176, "parameter layout");

FN u32 word_of(const u8* registers, s32 at) { return *(const u32*)(registers + at); }

FN bool is_element_on(const EuElementsParams& p, const EuElement& e, s64 thread, const u8* payload) {
    if (e.pixel >= 0 && !(word_of(payload, 28) >> e.pixel & 1)) return false;
    if (e.channels == 0) return is_sent(p.mask, p.channels, thread);
    for (s32 c = 0; c < p.channels && c < 16; ++c)
        if ((e.channels >> c & 1) && (!p.mask || p.mask[thread * p.channels + c])) return true;
    return false;
}

FN s64 place_of(const EuElementsParams& p, const EuElement& e, s64 thread, bool* refused) {
    const u8* payload = p.registers + thread * p.pitch + p.from;
    if (!is_element_on(p, e, thread, payload)) return EU_PLACE_OFF;
    const s64 u = e.u < 0 ? 0 : word_of(payload, e.u), v = e.v < 0 || p.entries < 0 ? 0 : word_of(payload, e.v);
    const s64 all = p.offset < 0 ? 0 : word_of(payload, p.offset);
    const s64 within = v + e.add, offset = (all + u) * (p.entries < 0 ? p.scale : p.pitch_B) + within;
    *refused = offset % p.aligned_B != 0;
    if (p.bases) return p.bases[thread] + offset % p.block_B;
    if (p.entries < 0 ? p.size_B >= 0 && offset + p.unit_B > p.size_B : u >= p.entries || within + p.unit_B > p.pitch_B)
        return EU_PLACE_OUTSIDE;
    const s64 base = p.stateless < 0 ? p.base : p.base + (word_of(payload, p.stateless) & 0xFFFFFC00u);
    *refused |= base + offset > 0xFFFFFFFFLL;
    return base + offset;
}

FN void place_element(const EuElementsParams& p, s64 number) {
    bool refused = false;
    const s64 place = place_of(p, p.table[number % p.elements], number / p.elements, &refused);
    p.places[number] = place;
    if (refused) raise_shared(p.found, 1);
    if (place < 0 || p.bases) return;
    const s32 ordered = (s32)((u32)place ^ 0x80000000u);
    raise_shared(p.found + 1, ~ordered);
    raise_shared(p.found + 2, ordered);
}

FN void copy_unit(u8* to, const u8* from, s32 unit_B) {
    if (unit_B == 4)
        *(u32*)to = *(const u32*)from;
    else
        *to = *from;
}

FN void load_element(const EuElementsParams& p, s64 number) {
    const s64 place = p.places[number];
    const s32 at = p.table[number % p.elements].to;
    if (place == EU_PLACE_OFF || at < 0 || p.to < 0) return;
    u8* to = p.registers + number / p.elements * p.pitch + p.to + at;
    const u32 nothing = 0;
    copy_unit(to, place < 0 ? (const u8*)&nothing : p.memory + (place - p.begin), p.unit_B);
}

FN void store_element(const EuElementsParams& p, s64 number) {
    const s64 place = p.places[number];
    if (place < 0) return;
    s32* last = p.last + (place - p.first) / p.unit_B;
    const u8* from = p.registers + number / p.elements * p.pitch + p.from + p.table[number % p.elements].data;
    if (p.phase == EU_ELEMENTS_CLAIM)
        raise_shared(last, (s32)number);
    else if (*last == (s32)number)
        copy_unit(p.memory + (place - p.begin), from, p.unit_B);
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

// The n-th source of an element, of one register or two.
FN u64 source_of(const EuElementsParams& p, s64 number, s32 n) {
    const s32 at = p.table[number % p.elements].data;
    if (at < 0) return 0;
    const u8* first = p.registers + number / p.elements * p.pitch + p.from + at;
    if (p.unit_B == 4) return word_of(first, n * p.apart_B);
    return word_of(first, 2 * n * p.apart_B) | (u64)word_of(first, (2 * n + 1) * p.apart_B) << 32;
}

FN bool has_two_sources(s32 operation) { return operation == EU_ATOMIC_CMPWR8B || operation == EU_ATOMIC_CMPWR; }

// All accesses to the units of one owner, in order: nobody else writes there.
FN void own_atomics(const EuElementsParams& p, s32 owner) {
    for (s64 number = 0; number < (s64)p.threads * p.elements; ++number) {
        const s64 place = p.places[number];
        if (place < 0 || place / p.unit_B % EU_ELEMENTS_OWNERS != owner) continue;
        u8* there = p.memory + (place - p.begin);
        const u64 one = source_of(p, number, 0), other = has_two_sources(p.operation) ? source_of(p, number, 1) : 0;
        if (p.unit_B == 8) {
            const u64 old = *(const u64*)there;
            if (old == one) *(u64*)there = other;
            p.returned[number] = old;
        } else {
            const u32 old = *(const u32*)there, changed = after_atomic(p.operation, old, (u32)one, (u32)other);
            *(u32*)there = changed;
            p.returned[number] = p.operation == EU_ATOMIC_PREDEC ? changed : old;
        }
    }
}

FN void return_element(const EuElementsParams& p, s64 number) {
    const s64 place = p.places[number];
    const EuElement e = p.table[number % p.elements];
    if (place == EU_PLACE_OFF || p.to < 0) return;
    u8* response = p.registers + number / p.elements * p.pitch + p.to;
    const u64 returned = place < 0 ? 0 : p.returned[number];
    if (e.to >= 0) *(u32*)(response + e.to) = (u32)returned;
    if (e.high >= 0) *(u32*)(response + e.high) = (u32)(returned >> 32);
}

FN void eu_elements_tile(const EuElementsParams& p, s32, s32 tile) {
    const s64 first = (s64)tile * EU_ELEMENTS_THREADS;
    if (p.phase == EU_ELEMENTS_ATOMIC) {
        FOR_ITEMS(i, EU_ELEMENTS_THREADS) own_atomics(p, (s32)first + i);
        return;
    }
    const s32 threads = (s32)min_of<s64>(EU_ELEMENTS_THREADS, p.threads - first);
    FOR_ITEMS(i, threads * p.elements) {
        const s64 number = first * p.elements + i;
        if (p.phase == EU_ELEMENTS_PLACE)
            place_element(p, number);
        else if (p.phase == EU_ELEMENTS_LOAD)
            load_element(p, number);
        else if (p.phase == EU_ELEMENTS_RETURN)
            return_element(p, number);
        else
            store_element(p, number);
    }
}
