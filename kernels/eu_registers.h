// Registers of the device that threads read and write through the message gateway, one thread after the other.
#pragma once
#include "eu_sent.h"

enum { EU_REGISTER_THREADS = 64, EU_REGISTER_OWNERS = 256 };  // of a tile; who carry accesses out
enum { EU_DEVICE_REGISTERS = 2097152 };  // dwords that 23 bits of an offset name

struct EuRegistersParams {
    u8* registers;
    const u8* mask;  // channels of every thread, of which one must be enabled; null for all
    u32* values;     // of the device
    s32* written;    // [threads] which of them each has written; -1 before
    s32 channels;    // of a thread, in `mask`
    s32 at, to;      // bytes of a thread's registers: payload and response; -1: there is none
    s32 masked[2];   // whose upper half enables the bits of the lower one, and reads as 0
    s32 reset;       // with the next one 0 when it is written
    u32 writeback;   // what comes back of writes
    s32 threads, pitch;
    s32 pad_;
};
static_assert(sizeof(EuRegistersParams) == 72, "parameter layout");

FN void write_device_register(const EuRegistersParams& p, s32 place, u32 value) {
    if (place == p.reset) {
        p.values[place] = p.values[place + 1] = 0;
    } else if (place == p.masked[0] || place == p.masked[1]) {
        const u32 enabled = value >> 16;
        p.values[place] = (p.values[place] & ~enabled & 0xFFFF) | (value & enabled);
    } else {
        p.values[place] = value;
    }
}

// All accesses to the pairs of one owner, in order: nobody else reads or writes there.
FN void own_registers(const EuRegistersParams& p, s32 owner) {
    for (s64 thread = 0; thread < p.threads; ++thread) {
        const u32* sent = (const u32*)(p.registers + thread * p.pitch + p.at);
        const s32 place = (s32)(sent[2] >> 2 & (EU_DEVICE_REGISTERS - 1));
        if ((place >> 1) % EU_REGISTER_OWNERS != owner || !is_sent(p.mask, p.channels, thread)) continue;
        const bool writes = sent[3] & 1;
        if (writes) {
            write_device_register(p, place, sent[0]);
            p.written[thread] = place;
        }
        if (p.to >= 0) *(u32*)(p.registers + thread * p.pitch + p.to) = writes ? p.writeback : p.values[place];
    }
}

FN void eu_registers_tile(const EuRegistersParams& p, s32, s32 tile) {
    FOR_ITEMS(i, EU_REGISTER_THREADS) own_registers(p, tile * EU_REGISTER_THREADS + i);
}
