// Messages to the data port and the URB whose headers and addresses stay in registers.
#pragma once
#include "eu_sent.h"

enum { EU_PORT_THREADS = 64 };  // of a tile
enum { EU_PORT_SLOTS = 8 };     // of a typed message
enum { EU_PORT_CLAIM = 0, EU_PORT_STORE = 1, EU_PORT_PLACE = 2, EU_PORT_LOAD = 3 };

// OWord block reads.
struct EuBlockReadParams {
    u8* registers;
    const u8* mask;     // channels of every thread, of which one must be enabled; null for all
    const u32* memory;  // the buffer
    s64 size_B;         // of it; beyond are zeros
    s32 channels;       // of a thread, in `mask`
    s32 at, to;         // bytes of a thread's registers: the header's offset, and where the block goes
    s32 unit_B;         // of the offset
    s32 dwords;         // of a block
    s32 threads, pitch;
    s32 pad_;
};
static_assert(sizeof(EuBlockReadParams) == 64, "parameter layout");

FN void eu_block_read_tile(const EuBlockReadParams& p, s32, s32 tile) {
    const s64 first = (s64)tile * EU_PORT_THREADS;
    const s32 threads = (s32)min_of<s64>(EU_PORT_THREADS, p.threads - first);
    FOR_LINES(line, threads) {
        u8* registers = p.registers + (first + line) * p.pitch;
        if (is_sent(p.mask, p.channels, first + line)) {
            const s64 offset = (s64) * (const u32*)(registers + p.at) * p.unit_B;
            u32* to = (u32*)(registers + p.to);
            FOR_LINE(i, p.dwords) {
                const s64 place = offset + 4 * i;
                u32 value = 0;
                if (place + 4 <= p.size_B) value = p.memory[place >> 2];
                to[i] = value;
            }
        }
    }
}

// Texels of a surface: of several that go to one place the last one's stays.
enum { EU_TEXELS_OF_PICTURES = 0, EU_TEXELS_OF_LINES = 1, EU_TEXELS_OF_BUFFERS = 2 };

struct EuImage {
    s32 x, y;           // where it begins, in columns and lines
    s32 width, height;  // texels
};
static_assert(sizeof(EuImage) == 16, "table layout");

struct EuTexelsParams {
    const u8* registers;
    const u8* mask;         // channels of every thread; null for all
    const u8* elements;     // of every thread and slot
    u8* memory;             // from the surface's first byte on
    const EuImage* images;  // [levels][layers]
    const s32* column;      // bytes that each column and line adds
    const s32* line;
    s64* places;            // [threads][slots] bytes from the first one on
    s32* last;              // of every `claim_B` bytes the number of the slot that is stored there, -1 before
    s32* stored;            // raised to 1 if there is one
    s32 kind;
    s32 levels, layers;
    s32 has_layers;         // whether a coordinate names them
    s32 pitch_B;            // of elements of a buffer, of which the one image has its width
    s32 channels;           // of a thread, in `mask`
    s32 at;                 // byte of a thread's registers that its header begins at
    s32 axes;               // U, V, R, LOD behind it
    s32 group;              // bit of the header's mask that the first slot has
    s32 element_B, unit_B, claim_B;
    s32 threads, pitch;
    s32 phase;
    s32 pad_;
};
static_assert(sizeof(EuTexelsParams) == 144, "parameter layout");

FN s64 texel_place(const EuTexelsParams& p, s64 thread, s32 slot) {
    const u32* header = (const u32*)(p.registers + thread * p.pitch + p.at);
    bool chosen = slot < p.channels && (header[7] >> (p.group + slot) & 1);
    if (chosen && p.mask) chosen = p.mask[thread * p.channels + slot] != 0;
    if (!chosen) return EU_PLACE_OFF;
    const u32* axes = header + 8 + slot;
    const u32 u = axes[0], v = p.axes > 1 ? axes[8] : 0, r = p.axes > 2 ? axes[16] : 0, lod = p.axes > 3 ? axes[24] : 0;
    if (p.kind == EU_TEXELS_OF_BUFFERS) return u < (u32)p.images[0].width ? (s64)u * p.pitch_B : EU_PLACE_OUTSIDE;
    const bool lines = p.kind == EU_TEXELS_OF_LINES;
    const u32 y = lines ? 0 : v, layer = !p.has_layers ? 0 : lines ? v : r;
    if (lod >= (u32)p.levels || layer >= (u32)p.layers) return EU_PLACE_OUTSIDE;
    const EuImage image = p.images[lod * p.layers + layer];
    if (u >= (u32)image.width || y >= (u32)image.height) return EU_PLACE_OUTSIDE;
    return (s64)p.column[image.x + u] + p.line[image.y + y];
}

FN void eu_texels_tile(const EuTexelsParams& p, s32, s32 tile) {
    const s64 first = (s64)tile * EU_PORT_THREADS;
    const s32 threads = (s32)min_of<s64>(EU_PORT_THREADS, p.threads - first);
    FOR_ITEMS(i, threads * EU_PORT_SLOTS) {
        const s32 slot = i % EU_PORT_SLOTS;
        const s64 thread = first + i / EU_PORT_SLOTS, number = thread * EU_PORT_SLOTS + slot;
        const s64 place = texel_place(p, thread, slot);
        if (p.phase == EU_PORT_PLACE) {
            p.places[number] = place;
            continue;
        }
        if (place < 0) continue;
        s32* last = p.last + place / p.claim_B;
        if (p.phase == EU_PORT_CLAIM) {
            raise_shared(last, (s32)number);
            raise_shared(p.stored, 1);
        } else if (*last == (s32)number) {
            const u8* from = p.elements + number * p.element_B;
            u8* to = p.memory + place;
            if (p.unit_B == 4)
                for (s32 k = 0; k < p.element_B; k += 4) *(u32*)(to + k) = *(const u32*)(from + k);
            else
                for (s32 k = 0; k < p.element_B; ++k) to[k] = from[k];
        }
    }
}

// URB writes: of several dwords that go to one place the last one stays. Reads: all are placed before the first is
// answered, since a response may lie where its header is.
struct EuUrbParams {
    u8* registers;
    const u8* mask;  // channels of every thread; null for all
    u32* dwords;     // the buffer
    s32* last;       // of writes: of each of its dwords, numbers of those that are sent, -1 before
    s64* places;     // of reads: of every dword that is answered, which of the buffer's
    s64 size;        // dwords
    s32 channels;    // of a thread, in `mask`
    s32 at;          // byte of a thread's registers that its header begins at; data of writes are behind it
    s32 to;          // byte of a thread's registers that its response begins at
    s32 count;       // registers of data
    s32 offset, farthest;  // units; the largest that is defined
    s32 unit;        // dwords
    s32 per_slot;    // whether the header has offsets, too
    s32 interleaved;
    s32 threads, pitch;
    s32 phase;
};
static_assert(sizeof(EuUrbParams) == 96, "parameter layout");

FN s64 urb_place(const EuUrbParams& p, s64 thread, s32 within) {
    const s32 lane = within % 8, line = within / 8;
    const u32* header = (const u32*)(p.registers + thread * p.pitch + p.at);
    bool chosen = lane < p.channels && (header[5] >> (8 + lane) & 1);
    if (chosen && p.mask) chosen = p.mask[thread * p.channels + lane] != 0;
    if (p.unit == 4 && !p.interleaved) chosen = chosen && (lane >= 4) == ((header[5] >> 16 & 1) != 0);
    if (!chosen) return EU_PLACE_OFF;
    const s32 slot = p.interleaved && lane >= 4;
    const s64 offset = p.offset + (p.per_slot ? (s64)header[3 + slot] : 0);
    s64 place = (s64)(header[slot] & 0xFFFF) * 16 + offset * p.unit;
    place += p.interleaved ? line * 4 + lane % 4 : p.unit == 4 ? lane % 4 : line * 8 + lane;
    return offset > p.farthest || place >= p.size ? EU_PLACE_OUTSIDE : place;
}

FN void eu_urb_tile(const EuUrbParams& p, s32, s32 tile) {
    const s64 first = (s64)tile * EU_PORT_THREADS;
    const s32 threads = (s32)min_of<s64>(EU_PORT_THREADS, p.threads - first), size = 8 * p.count;
    FOR_ITEMS(i, threads * size) {
        const s32 within = i % size;
        const s64 thread = first + i / size, number = thread * size + within;
        u8* registers = p.registers + thread * p.pitch;
        if (p.phase == EU_PORT_LOAD) {
            const s64 place = p.places[number];
            if (place != EU_PLACE_OFF) ((u32*)(registers + p.to))[within] = place < 0 ? 0 : p.dwords[place];
            continue;
        }
        const s64 place = urb_place(p, thread, within);
        if (p.phase == EU_PORT_PLACE) {
            p.places[number] = place;
            continue;
        }
        if (place < 0) continue;
        if (p.phase == EU_PORT_CLAIM)
            raise_shared(p.last + place, (s32)number);
        else if (p.last[place] == (s32)number)
            p.dwords[place] = ((const u32*)(registers + p.at))[8 + within];
    }
}
