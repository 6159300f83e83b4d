// Loads, stores and atomics, and what a sanitizer asks of them: is the address alive, aligned, written, free of races?
#include <algorithm>

#include "machine.h"

namespace {

constexpr u32 THREADS = 512, SEVERAL = 511, ATOMIC = 510;  // a mark: phase * THREADS + thread
constexpr u32 OUTSIDE_WORD = 0xFFFFFFFF;
constexpr int SECTOR_B = 32, BANKS = 32;

template <class T, class R> void load(Machine& m, const Instruction& i) {
    u64 at[LANES];
    m.addresses(i, at);
    int size = (int)sizeof(T) * i.count;
    m.group.each([&](int k) {
        const u8* from = m.readable(i, k, at[k], size);
        for (int n = 0; n < i.count; ++n) {
            T value;
            memcpy(&value, from + n * sizeof(T), sizeof(T));
            m.row<R>(i.a[n])[k] = (R)value;
        }
    });
    if (m.counts) count_access(m, i, at, size, false);
}

template <class T, class R> void store(Machine& m, const Instruction& i) {
    u64 at[LANES];
    m.addresses(i, at);
    int size = (int)sizeof(T) * i.count;
    m.group.each([&](int k) {
        u8* to = m.writable(i, k, at[k], size);
        for (int n = 0; n < i.count; ++n) {
            T value = (T)m.row<R>(i.a[n])[k];
            memcpy(to + n * sizeof(T), &value, sizeof(T));
        }
    });
    if (m.counts) count_access(m, i, at, size, true);
}

template <typename T> T sum_of(T held, T given) { return held + given; }
template <typename T> T largest_of(T held, T given) { return held < given ? given : held; }

template <typename T, T COMBINED(T, T)> void atomic(Machine& m, const Instruction& i) {
    u64 at[LANES];
    m.addresses(i, at);
    m.group.each([&](int k) {
        u8* to = m.writable(i, k, at[k], sizeof(T), true);
        T old;
        memcpy(&old, to, sizeof(T));
        T now = COMBINED(old, m.row<T>(i.a[1])[k]);
        memcpy(to, &now, sizeof(T));
        m.row<T>(i.a[0])[k] = old;
    });
    if (m.counts) count_access(m, i, at, sizeof(T), true);
}

int first_unknown(const u8* known, int size, u64 used) {
    for (int n = 0; n < size; ++n)
        if (known[n] != 1 && (known[n] == OUTSIDE_MARK || used >> n & 1)) return n;
    return -1;
}

// Distinct units of memory that a warp's accesses touch.
int distinct(u64* units, int n) {
    std::sort(units, units + n);
    return (int)(std::unique(units, units + n) - units);
}

// Distinct 4-byte words of one bank are fetched one after the other; threads with the same word share it.
int most_of_a_bank(const u64* words, int n) {
    int of_bank[BANKS] = {}, most = 0;
    for (int k = 0; k < n; ++k) most = std::max(most, ++of_bank[words[k] % BANKS]);
    return most;
}

int space_of(const Instruction& i, u64 address) {
    if (i.space != GENERIC) return i.space;
    switch (address & WINDOW) {
        case SHARED_WINDOW: return SHARED;
        case LOCAL_WINDOW: return LOCAL;
        case PARAM_WINDOW: return PARAM;
        default: return GLOBAL;
    }
}

}  // namespace

void count_access(Machine& m, const Instruction& i, const u64* addresses, int size, bool writes) {
    if (i.space == PARAM) return;
    Counts& counts = *m.counts;
    const Group& group = m.group;
    bool shared = i.space == SHARED || (i.space == GENERIC && (addresses[group.lanes[0]] & WINDOW) == SHARED_WINDOW);
    bool global = space_of(i, addresses[group.lanes[0]]) == GLOBAL;
    u64 bytes[WARP * 16], units[WARP * 16];
    for (int k = 0; k < group.count;) {
        int warp = group.lanes[k] / WARP, n = 0;
        for (; k < group.count && group.lanes[k] / WARP == warp; ++k)
            for (int b = 0; b < size; ++b) bytes[n++] = addresses[group.lanes[k]] + (u64)b;
        n = distinct(bytes, n);
        u64 unit = shared ? 4 : SECTOR_B;
        for (int b = 0; b < n; ++b) units[b] = bytes[b] / unit;
        int touched = distinct(units, n);
        if (shared) {
            counts.passes += (u64)most_of_a_bank(units, touched);
            counts.least_passes += (u64)((touched + BANKS - 1) / BANKS);
        } else {
            counts.sectors += (u64)touched;
            counts.least_sectors += (u64)((n + SECTOR_B - 1) / SECTOR_B);
            for (int n = 0; global && n < touched; ++n)
                counts.first_sectors += m.block_sectors.insert(2 * units[n] + writes).second;
        }
    }
}

void Machine::addresses(const Instruction& i, u64* out) {
    u64 offset = (u64)i.immediate;
    if (i.a[5] == 4) {
        const u32* base = row<u32>(i.a[4]);
        group.each([=](int k) { out[k] = (u32)(base[k] + offset); });
    } else {
        const u64* base = row<u64>(i.a[4]);
        group.each([=](int k) { out[k] = base[k] + offset; });
    }
}

const Allocation* Machine::find(const Instruction& i, int lane, u64 address, int size) {
    auto holds = [=](const Allocation* a) { return address >= a->low && address + size <= a->high; };
    if (allocation_count && holds(last)) return last;
    const Allocation* after = std::upper_bound(allocations, allocations + allocation_count, address,
                                               [](u64 at, const Allocation& a) { return at < a.low; });
    if (after == allocations || !holds(after - 1)) fail(OUTSIDE, i, lane, address, size);
    return last = after - 1;
}

const u8* Machine::readable(const Instruction& i, int lane, u64 address, int size) {
    if (address & (u64)(size - 1)) fail(MISALIGNED, i, lane, address, size);
    int space = space_of(i, address);
    u64 at = space == GLOBAL ? address : address & ~WINDOW;
    if (space == PARAM && (address & WINDOW) == LOCAL_WINDOW) space = LOCAL;  // a parameter of a function
    if (space == GLOBAL) {
        const Allocation* a = find(i, lane, address, size);
        at = address - a->low;
        if (first_unknown(a->known + at, size, i.used) >= 0) fail(UNKNOWN, i, lane, address, size);
        if (a->touched)
            for (int n = 0; n < size; ++n) a->touched[at + n] |= 1;
        return a->bytes + at;
    }
    if (space == PARAM) {
        if (at + size > params_B) fail(OUTSIDE, i, lane, address, size);
        return params + at;
    }
    if (space == SHARED) {
        if (at + size > shared_B) fail(OUTSIDE, i, lane, address, size);
        read_shared(i, lane, at, size, false);
        return shared.data() + at;
    }
    if (at + size > local_B) fail(OUTSIDE, i, lane, address, size);
    const u8* marks = known.data() + lane * local_B + at;
    int wrong = first_unknown(marks, size, i.used);
    if (wrong >= 0) fail(marks[wrong] == OUTSIDE_MARK ? OUTSIDE : UNKNOWN, i, lane, address, size);
    return local.data() + lane * local_B + at;
}

u8* Machine::writable(const Instruction& i, int lane, u64 address, int size, bool atomic) {
    if (address & (u64)(size - 1)) fail(MISALIGNED, i, lane, address, size);
    int space = space_of(i, address);
    u64 at = space == GLOBAL ? address : address & ~WINDOW;
    if (space == PARAM && (address & WINDOW) == LOCAL_WINDOW) space = LOCAL;
    if (space == GLOBAL) {
        const Allocation* a = find(i, lane, address, size);
        if (!a->writable) fail(READ_ONLY, i, lane, address, size);
        at = address - a->low;
        if (atomic && first_unknown(a->known + at, size, ~0ull) >= 0) fail(UNKNOWN, i, lane, address, size);
        memset(a->known + at, 1, (u32)size);
        if (a->touched)
            for (int n = 0; n < size; ++n) a->touched[at + n] |= 2;
        return a->bytes + at;
    }
    if (space == PARAM) fail(READ_ONLY, i, lane, address, size);
    if (space == SHARED) {
        if (at + size > shared_B) fail(OUTSIDE, i, lane, address, size);
        if (atomic) read_shared(i, lane, at, size, true);
        write_shared(i, lane, at, size, atomic);
        return shared.data() + at;
    }
    if (at + size > local_B) fail(OUTSIDE, i, lane, address, size);
    u8* marks = known.data() + lane * local_B + at;
    for (int n = 0; n < size; ++n)
        if (marks[n] == OUTSIDE_MARK) fail(OUTSIDE, i, lane, address, size);
    memset(marks, 1, size);
    return local.data() + lane * local_B + at;
}

void Machine::read_shared(const Instruction& i, int lane, u64 at, int size, bool atomic) {
    u32 mine = phase * THREADS + (atomic ? ATOMIC : (u32)lane);
    for (int n = 0; n < size; ++n) {
        u32 writer = wrote[at + n];
        if (writer == OUTSIDE_WORD) fail(OUTSIDE, i, lane, at, size);
        if (!(i.used >> n & 1)) continue;
        if (writer == 0) fail(UNKNOWN, i, lane, at, size);
        if (writer / THREADS == phase && writer != mine) fail(RACE, i, lane, at, size, (int)(writer % THREADS));
        u32& reader = read[at + n];
        reader = reader / THREADS == phase && reader != mine ? phase * THREADS + SEVERAL : mine;
    }
}

void Machine::write_shared(const Instruction& i, int lane, u64 at, int size, bool atomic) {
    u32 mine = phase * THREADS + (atomic ? ATOMIC : (u32)lane);
    for (int n = 0; n < size; ++n) {
        u32 &writer = wrote[at + n], reader = read[at + n];
        if (writer == OUTSIDE_WORD) fail(OUTSIDE, i, lane, at, size);
        if (writer / THREADS == phase && writer != mine) fail(RACE, i, lane, at, size, (int)(writer % THREADS));
        if (reader / THREADS == phase && reader != mine) fail(RACE, i, lane, at, size, (int)(reader % THREADS));
        writer = mine;
    }
}

#define WIDTHS(name, f, T)                                                                                   \
    {name "@2", {&f<T, u16>, {}, 0}}, {name "@4", {&f<T, u32>, {}, 0}}, {name "@8", {&f<T, u64>, {}, 0}}
#define LOADS(type, T) WIDTHS("ld." type, load, T)
#define STORES(type, T) WIDTHS("st." type, store, T)

std::vector<Named> memory() {
    return {
        LOADS("u8", u8), LOADS("s8", i8), LOADS("b8", u8), LOADS("u16", u16), LOADS("s16", i16), LOADS("b16", u16),
        LOADS("u32", u32), LOADS("s32", i32), LOADS("b32", u32), LOADS("f32", u32), LOADS("u64", u64),
        LOADS("s64", i64), LOADS("b64", u64), LOADS("f64", u64),
        STORES("u8", u8), STORES("b8", u8), STORES("u16", u16), STORES("b16", u16), STORES("u32", u32),
        STORES("b32", u32), STORES("f32", u32), STORES("u64", u64), STORES("b64", u64), STORES("f64", u64),
        {"atom.add.u32@4", {&atomic<u32, sum_of<u32>>, {}, 0}},
        {"atom.add.u64@8", {&atomic<u64, sum_of<u64>>, {}, 0}},
        {"atom.max.s32@4", {&atomic<i32, largest_of<i32>>, {}, 0}},
    };
}
