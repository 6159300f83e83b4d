// Straight stretches of programs: each operation for all threads of a tile, in steps that go through all of their channels.
#pragma once
#include "eu_direct.h"
#include "eu_flow.h"
#include "portable_rolled.h"

template <int N, typename T>
FN void choose(const EuRunParams& p, const EuTile& tile, const EuOperation& op, EuCells<T>& a, const EuCells<T>& b) {
    FOR_LINES_OF(line, tile.grid) {
        const u32 chosen = predicate_of(p, tile.thread(p, line), op);
        FOR_LINE(i, ON_DEVICE(N, tile.grid.n)) a[line * N + i] = chosen >> i & 1 ? a[line * N + i] : b[line * N + i];
    }
}

// What a condition says of results as the destination holds them.
FN_OF_CELLS void outcome_of_bits(const EuOperation& op, const Grid& g, const EuCells<u32>& bits, u8* outcome) {
    if (op.to_type == EU_F) {
        EuCells<float> stored, zeros;
        FOR_CELLS(i, g) stored[i] = float_of_bits(bits[i]), zeros[i] = 0.0f;
        compared(op.condition, g, stored, zeros, outcome);
        return;
    }
    EuCells<s64> stored, zeros;
    FOR_CELLS(i, g) stored[i] = stored_integer(op.to_type, bits[i]), zeros[i] = 0;
    compared(op.condition, g, stored, zeros, outcome);
}

// u * x + v * y + w; a: x, whose neighbors are y, one that is not used, and w.
template <int N>
FN_OF_CELLS void add_planes(const EuRunParams& p, const EuTile& tile, const EuOperation& op, EuCells<float>& a, const EuCells<float>& u,
                   const EuCells<float>& v) {
    EuSource at_y = op.sources[0], at_w = op.sources[0];
    at_y.at += 4, at_w.at += 12;
    EuCells<float> y, w;
    floats_of<N>(p, tile, at_y, true, y);
    floats_of<N>(p, tile, at_w, true, w);
    put_planes(tile.grid, a, y, w, u, v);
}

// `cmp` compares the sources.
template <typename T>
FN void compare_sources(const EuOperation& op, const Grid& g, const EuCells<T>& a, const EuCells<T>& b, EuCells<u32>& bits,
                        u8* outcome) {
    compared(op.condition, g, a, b, outcome);
    if (has_destination(op)) FOR_CELLS(i, g) bits[i] = outcome[i] ? ~0u : 0u;
}

template <int N>
FN void run_floats(const EuRunParams& p, const EuTile& tile, const EuOperation& op, EuCells<u32>& bits, u8* outcome) {
    const bool flush = !op.keeps_denormals;
    const Grid& g = tile.grid;
    EuCells<float> sources[3];
    ROLLED for (s32 k = 0; k < 3; ++k) {
        if (ON_DEVICE(false, true)) sources[k][0] = 0;  // is in memory there, which is read before it is known what for
        if (k == 0 || op.sources[k].place != EU_NONE) floats_of<N>(p, tile, op.sources[k], flush, sources[k]);
    }
    EuCells<float>&a = sources[0], &b = sources[1], &c = sources[2];
    if (op.opcode == EU_CMP) {
        compare_sources(op, g, a, b, bits, outcome);
        return;
    }
    if (op.opcode == EU_SEL && op.predicate >= 0)
        choose<N>(p, tile, op, a, b);
    else if (op.opcode == EU_PLN)
        add_planes<N>(p, tile, op, a, b, c);
    else
        compute_floats(op, g, a, b, c);
    bits_of_floats(op, g, a, bits);
    if (op.flags >= 0) outcome_of_bits(op, g, bits, outcome);
}

template <int N, typename W, typename U>
FN void run_integers(const EuRunParams& p, const EuTile& tile, const EuOperation& op, EuCells<W>* sources, EuCells<u32>& bits,
                     u8* outcome) {
    const Grid& g = tile.grid;
    ROLLED for (s32 k = 0; k < 3; ++k) {
        if (ON_DEVICE(false, true)) sources[k][0] = 0;
        if (k == 0 || op.sources[k].place != EU_NONE) integers_of<N>(p, tile, op.sources[k], sources[k]);
    }
    EuCells<W>&a = sources[0], &b = sources[1], &c = sources[2];
    if (op.opcode == EU_CMP) {
        compare_sources(op, g, a, b, bits, outcome);
        return;
    }
    if (op.opcode == EU_SEL && op.predicate >= 0)
        choose<N>(p, tile, op, a, b);
    else
        compute_integers<W, U>(op, g, a, b, c);
    bits_of_integers<W>(op, g, a, bits);
    if (op.flags >= 0) outcome_of_bits(op, g, bits, outcome);
}

template <int N, typename W>
FN void put_results(const EuRunParams& p, const EuTile& tile, const EuOperation& op, const EuCells<u32>& bits,
                    const EuCells<W>& wide, EuScratch& scratch) {
    BARRIER();  // what is stored may be what others have loaded
    if (has_destination(op)) store<N>(p, tile, op, bits, scratch);
    if (op.trims) {
        BARRIER();  // what other lanes have stored is trimmed
        FOR_LINES_OF(line, tile.grid) trim_addresses(p, tile.thread(p, line));
    }
    if (op.keeping)
        FOR_LINES_OF(line, tile.grid)
            if (tile.mask[line]) keep_wide(p, tile.thread(p, line), op, tile.mask[line], wide, line * N);
    if (op.flags >= 0)
        FOR_LINES_OF(line, tile.grid)
            FOR_LINE(i, 1) set_flags(p, tile.thread(p, line), op, tile.mask[line] & op.enabled, scratch.outcome + line * N);
    BARRIER();
}

template <int N> FN void run_channels(const EuRunParams& p, EuTile& tile, const EuOperation& op, EuScratch& scratch) {
    tile.grid.n = ON_DEVICE(N, (int)op.channels), tile.grid.pitch = N;
    EuCells<u32> bits;
    if (op.arithmetic == EU_FLOATS) {
        run_floats<N>(p, tile, op, bits, scratch.outcome);
        put_results<N>(p, tile, op, bits, bits, scratch);
    } else if (op.arithmetic == EU_LOW) {
        EuCells<s32> values[3];  // of the sources, the first of which becomes the result
        run_integers<N, s32, u32>(p, tile, op, values, bits, scratch.outcome);
        put_results<N>(p, tile, op, bits, values[0], scratch);
    } else {
        EuCells<s64> values[3];
        run_integers<N, s64, u64>(p, tile, op, values, bits, scratch.outcome);
        put_results<N>(p, tile, op, bits, values[0], scratch);
    }
}

FN void run_operation(const EuRunParams& p, EuTile& tile, const EuOperation& op, EuScratch& scratch) {
    if (ON_DEVICE(op.channels == 1, false))
        run_channels<ON_DEVICE(1, EU_CHANNELS)>(p, tile, op, scratch);
    else if (ON_DEVICE(op.channels <= 8, false))
        run_channels<ON_DEVICE(8, EU_CHANNELS)>(p, tile, op, scratch);
    else if (ON_DEVICE(op.channels == 16, false))
        run_channels<ON_DEVICE(16, EU_CHANNELS)>(p, tile, op, scratch);
    else
        run_channels<EU_CHANNELS>(p, tile, op, scratch);
}

// Channels of each thread that an operation works on; of an expectation, whether it goes another way; of a jump, whether it
// does, 2 if some of its channels do. Returns their union.
FN u32 put_masks(const EuRunParams& p, const EuTile& tile, const EuOperation& op, u32* mask) {
    FOR_LINES_OF(line, tile.grid) {
        const EuThread t = tile.thread(p, line);
        u32 found;
        if (op.opcode >= EU_EXPECT) {
            const u32 every = lowest(op.channels), bits = op.predicate < 0 ? every : predicate_of(p, t, op) & every;
            found = (bits == every ? 1 : bits ? 2 : 0) ^ (op.opcode == EU_EXPECT && op.condition);
        }
        else
            found = execution_mask(p, t, op, p.here ? p.here[t.number] : ~0u);
        FOR_LINE(i, 1) mask[line] = found;
    }
    BARRIER();
    u32 any = 0;
    for (s32 line = 0; line < tile.grid.lines; ++line) any |= mask[line];
    return any;
}

// Whether all channels of a tile go the same way at a jump or branch, and whether they jump; there are `flow` and all are here.
FN bool is_agreed(const EuRunParams& p, const EuTile& tile, const EuOperation& op, u32* mask, bool& jumps) {
    const u32 any = put_masks(p, tile, op, mask);
    u32 all = any;
    for (s32 line = 0; line < tile.grid.lines; ++line) all &= mask[line];
    BARRIER();
    jumps = any != 0;
    return any == all && any <= 1;
}

// Goes on behind the jump or branch that a tile is at; false if it stops there.
FN bool go_past(EuRunParams& p, const EuTile& tile, const EuOperation& op, EuFlow& flow, EuScratch& scratch,
                EuFlowScratch& own, s32& k, s32 steps) {
    if (op.stays && (p.ordered || flow.parted)) return false;
    bool jumps = false;
    if (!flow.parted && is_agreed(p, tile, op, scratch.mask, jumps) && !(jumps && op.leads)) {
        k = jumps ? op.sources[0].at : k + 1;
        return true;
    }
    leave_lowest(p, tile, flow, own, k, steps);
    move_channels(p, tile, op, flow, own);
    find_lowest(p, tile, flow, own);
    k = flow.at, flow.began = steps + 1;
    return true;
}

FN void eu_run_tile(const EuRunParams& given, s32, s32 tile_y) {
    SHARED EuScratch scratch;
    SHARED EuFlowScratch own;
    EuRunParams p = given;
    const s32 begin = tile_y * EU_THREADS, threads = min_of<s32>(EU_THREADS, p.threads - begin);
    EuTile tile = {p.registers + (s64)begin * p.pitch, scratch.mask, {threads, 0, 0}, begin, 0, 0, 0, 0};
    EuFlow flow = {p.first, EU_NOWHERE, 0, false, false, false};
    if (p.parted) find_lowest(p, tile, flow, own);
    s32 k = flow.at, steps = 0;
    while (steps < p.count && k < EU_NOWHERE - 1) {
        if (flow.parted && k == flow.others) {
            leave_lowest(p, tile, flow, own, k, steps);
            find_lowest(p, tile, flow, own);
        }
        const EuOperation& op = p.operations[k];
        tile.operation = k, tile.steps = steps, tile.channels = op.channels;
        if (op.opcode == EU_STOP || (flow.some_alone && op.no_mask)) break;
        if (ON_DEVICE(op.path != EU_GENERAL, op.path == EU_NOTHING)) {
            const s32 more = run_direct(p, tile, op, min_of(p.count - steps, flow.others - k) - 1);
            k += more, steps += more;
            continue;
        }
        if (op.opcode == EU_JUMP || op.opcode == EU_BRANCH) {
            if (!go_past(p, tile, op, flow, scratch, own, k, steps)) break;
            ++steps;
            continue;
        }
        const u32 any = put_masks(p, tile, op, scratch.mask);
        if (op.opcode == EU_EXPECT) {
            if (any) {
                FOR_LINES(line, 1) FOR_LINE(i, 1) p.stops[tile_y] = k - p.first;
                return;
            }
            BARRIER();
        } else if (any) {
            run_operation(p, tile, op, scratch);
        } else {
            BARRIER();
        }
        ++k, ++steps;
    }
    if (!p.ways) return;
    leave_lowest(p, tile, flow, own, k, steps);
    if (flow.parted) find_lowest(p, tile, flow, own);
    FOR_LINES(line, 1) FOR_LINE(i, 1) {
        s32* way = p.ways + EU_WAYS * tile_y;
        way[0] = flow.at, way[1] = steps, way[2] = flow.others;
        way[3] = flow.some_alone ? EU_ALONE : flow.parted ? EU_PARTED : flow.has_parted ? EU_JOINED : EU_TOGETHER;
    }
}
