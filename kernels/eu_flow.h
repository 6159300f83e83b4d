// Channels that part: each is at an operation of its own, and the lowest one of all goes on (texsamp/emulator/eu/control/flow.py).
#pragma once
#include "eu_masks.h"

// Of a tile's threads: where the lowest are, and what is behind it.
struct EuFlow {
    s32 at, others;  // operations
    s32 began;       // step at which they came there
    bool parted, some_alone, has_parted;
};
struct EuFlowScratch {
    s32 low[EU_THREADS], others[EU_THREADS];  // of each thread, EU_NOWHERE if there are none
    u8 works[EU_THREADS];                     // whether a thread is at the lowest
};

// Lowest operations of all lines; what was in scratch before has been read.
FN s32 lowest_of(const s32* lines, s32 count) {
    BARRIER();
    s32 found = EU_NOWHERE;
    for (s32 line = 0; line < count; ++line) found = min_of(found, lines[line]);
    return found;
}

// Channels of a thread at an operation.
FN u32 channels_at(const s32* places, s32 k) {
    u32 found = 0;
    for (int i = 0; i < EU_CHANNELS; ++i) found |= (u32)(places[i] == k) << i;
    return found;
}

// Finds the lowest operation, and who is there: p.here, null if all are.
FN_ONCE void find_lowest(EuRunParams& p, const EuTile& tile, EuFlow& flow, EuFlowScratch& scratch) {
    const s32 count = tile.grid.lines;
    FOR_LINES(line, count) FOR_LINE(i, 1) {
        const s32* places = p.places + (s64)(tile.begin + line) * EU_CHANNELS;
        s32 low = EU_NOWHERE;
        for (int c = 0; c < EU_CHANNELS; ++c) low = min_of(low, places[c]);
        s32& alone = p.alone[tile.begin + line];
        if (alone >= low) alone = EU_NOWHERE;  // it has come to a channel of its own
        scratch.low[line] = min_of(low, alone);
    }
    flow.at = lowest_of(scratch.low, count);
    BARRIER();
    FOR_LINES(line, count) FOR_LINE(i, 1) {
        const s32* places = p.places + (s64)(tile.begin + line) * EU_CHANNELS;
        const s32 alone = p.alone[tile.begin + line];
        s32 others = alone > flow.at ? alone : EU_NOWHERE;
        for (int c = 0; c < EU_CHANNELS; ++c) others = min_of(others, places[c] > flow.at ? places[c] : EU_NOWHERE);
        const u32 here = channels_at(places, flow.at);
        p.masks[tile.begin + line] = here;
        scratch.others[line] = here == ~0u ? EU_NOWHERE : min_of(others, EU_NOWHERE - 1);
        scratch.low[line] = alone;
        scratch.works[line] = here || alone == flow.at;
    }
    flow.some_alone = lowest_of(scratch.low, count) != EU_NOWHERE;
    flow.others = lowest_of(scratch.others, count);
    flow.parted = flow.some_alone || flow.others != EU_NOWHERE;
    flow.has_parted |= flow.parted;
    p.here = flow.parted ? p.masks : nullptr;
    BARRIER();
}

// Steps since `find_lowest`, of those that took them; they are at another operation now.
FN_ONCE void leave_lowest(const EuRunParams& p, const EuTile& tile, EuFlow& flow, EuFlowScratch& scratch, s32 k, s32 steps) {
    const s32 taken = steps - flow.began;
    BARRIER();
    FOR_LINES(line, tile.grid.lines) {
        const s64 n = tile.begin + line;
        s32* places = p.places + n * EU_CHANNELS;
        const bool works = !flow.parted || scratch.works[line];
        const u32 here = flow.parted ? p.masks[n] : ~0u;
        FOR_LINE(c, EU_CHANNELS) places[c] = here >> c & 1 ? k : places[c];
        FOR_LINE(i, 1) {
            if (works) p.taken[n] += taken;
            if (p.alone[n] == flow.at && works) p.alone[n] = k;
        }
    }
    flow.at = k, flow.began = steps;
    BARRIER();
}

// Which of a branch's channels jump.
FN u32 jumping(const EuRunParams& p, const EuThread& t, const EuOperation& op) {
    const u32 every = lowest(op.channels);
    return op.predicate < 0 ? every : predicate_of(p, t, op) & every;
}

// Where threads go on without channels.
FN void lead_threads(const EuRunParams& p, const EuTile& tile, const EuOperation& op, const EuFlow& flow) {
    const s32 next = flow.at + 1;
    FOR_LINES(line, tile.grid.lines) FOR_LINE(i, 1) {
        const s64 n = tile.begin + line;
        const bool is_alone = flow.some_alone && p.alone[n] == flow.at;
        if (!is_alone && !(op.leads && (!flow.parted || p.masks[n]))) continue;
        bool goes_on = op.condition == EU_LOOPS;
        if (op.opcode == EU_JUMP)
            goes_on = !jumping(p, tile.thread(p, line), op);
        else if (!goes_on && op.condition != EU_JOINS)
            goes_on = channels_at(p.places + n * EU_CHANNELS, next) != 0;
        p.alone[n] = goes_on ? next : op.sources[op.opcode == EU_JUMP ? 0 : 1].at;
    }
}

// Channels at a branch, or whole threads at a jump, go on.
FN_ONCE void move_channels(const EuRunParams& p, const EuTile& tile, const EuOperation& op, EuFlow& flow,
                           const EuFlowScratch& scratch) {
    const s32 next = flow.at + 1, target = op.sources[0].at, ahead = op.sources[2].at;
    const bool whole = op.opcode == EU_JUMP;
    FOR_LINES(line, tile.grid.lines) {
        const s64 n = tile.begin + line;
        s32* places = p.places + n * EU_CHANNELS;
        const u32 here = flow.parted ? p.masks[n] : ~0u;
        const bool is_alone = flow.some_alone && p.alone[n] == flow.at;
        if (!here && !is_alone) continue;
        const u32 every = lowest(op.channels), named = here >> op.first_channel & every;
        u32 jumps = jumping(p, tile.thread(p, line), op);
        s32 farthest = whole && jumps & 1 ? target : next;
        if (!whole) {
            const u32 there = jumps & named, behind = ~jumps & named, far = target > next ? there : behind;
            farthest = (target > next ? behind : there) ? min_of(target, next) : ahead;
            if (far) farthest = max_of(target, next);
        }
        const u32 lanes = whole ? 0 : every << op.first_channel;
        jumps <<= op.first_channel;
        FOR_LINE(c, EU_CHANNELS)
            if (here >> c & 1) places[c] = lanes >> c & 1 ? (jumps >> c & 1 ? target : next) : farthest;
        FOR_LINE(i, 1) p.taken[n] += here || op.condition != EU_LOOPS || whole;
    }
    BARRIER();
    if (flow.some_alone || op.leads) lead_threads(p, tile, op, flow);
    BARRIER();
}
