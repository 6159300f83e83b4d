// Blocks one after the other; in each, the threads at the lowest instruction go on together until they part.
#include <algorithm>
#include <string>
#include <unordered_map>

#include "machine.h"

namespace {

enum Control : i32 { GO, GO_IF, GO_UNLESS, CALL, RETURN, BARRIER, CONTROLS };
constexpr const char* CONTROL_NAMES[CONTROLS] = {"bra", "bra.if", "bra.unless", "call", "ret", "bar.sync"};
constexpr i32 WAITING = 1 << 29, ENDED = 1 << 30;  // places of threads that do not go on
constexpr i64 LONGEST = 200'000'000;               // instructions of a block, before we call it endless

std::vector<Named> operations() {
    std::vector<Named> all = arithmetic(), more = memory();
    all.insert(all.end(), more.begin(), more.end());
    return all;
}
const std::vector<Named> OPERATIONS = operations();

struct Constant {
    i32 row, size;
    u64 bits;
};

struct Program {
    const Instruction* code;
    i32 entry, register_B;
    const Constant* constants;
    i64 constant_count;
    i32 shared_B, local_B;
    const u32* shared_marks;  // ~0 between the arrays, else 0
    const u8* local_marks;
    i32 specials[10];  // rows of tid.x, y; ntid.x, y; nctaid.x, y, z; ctaid.x, y, z
};

struct Launch {
    i32 grid[3], block_x, block_y;
    const u8* params;
    u64 params_B;
    const Allocation* allocations;
    i64 allocation_count;
    Counts* counts;
    u8* reached;  // of every instruction: whether a thread came there
};

struct Threads {
    i32 place[LANES], back[LANES][DEPTH];
    int depth[LANES], count, next;  // next: the lowest place of threads outside the group

    // The threads at the lowest place become the group.
    i32 gather(Group& group) {
        i32 lowest = *std::min_element(place, place + count);
        next = ENDED;
        group.count = 0;
        for (int k = 0; k < count; ++k) {
            if (place[k] == lowest)
                group.lanes[group.count++] = (u16)k;
            else
                next = std::min(next, place[k]);
        }
        return lowest;
    }
    void move(const Group& group, i32 to) {
        for (int k = 0; k < group.count; ++k) place[group.lanes[k]] = to;
    }
};

// Waiting threads go on if all wait at one barrier.
void release(Machine& m, Threads& threads, const Program& program) {
    i32 at = -1, first = -1, gone = -1;
    for (int k = 0; k < threads.count; ++k) {
        if (threads.place[k] == ENDED) {
            gone = k;
        } else if (first < 0) {
            first = k, at = threads.place[k] & ~WAITING;
        } else if ((threads.place[k] & ~WAITING) != at) {
            m.fail(DIVERGENT_BARRIER, program.code[at], first, 0, 0, k);
        }
    }
    if (gone >= 0) m.fail(EXITED_BARRIER, program.code[at], first, 0, 0, gone);
    for (int k = 0; k < threads.count; ++k) threads.place[k] = at + 1;
    ++m.phase;
}

void run_block(Machine& m, const Program& program, const Launch& launch) {
    Threads threads;
    threads.count = launch.block_x * launch.block_y;
    std::fill(threads.place, threads.place + threads.count, program.entry);
    std::fill(threads.depth, threads.depth + threads.count, 0);
    Group& group = m.group;
    m.block_sectors.clear();
    i64 steps = 0;
    for (;;) {
        i32 at = threads.gather(group);
        if (at == ENDED) return;
        if (at & WAITING) {
            release(m, threads, program);
            continue;
        }
        bool together = true;
        while (together && at < threads.next) {
            const Instruction& i = program.code[at];
            if (++steps > LONGEST) m.fail(TOO_LONG, i, group.lanes[0]);
            launch.reached[at] = 1;
            if (launch.counts) {
                m.counts = launch.counts + at;
                m.counts->threads += (u64)group.count;
                for (int k = 0, warp = -1; k < group.count; ++k)
                    if (group.lanes[k] / WARP != warp) warp = group.lanes[k] / WARP, ++m.counts->warps;
            }
            if (i.op >= CONTROLS) {
                OPERATIONS[(size_t)(i.op - CONTROLS)].operation.execute(m, i);
                ++at;
                continue;
            }
            i32 to = (i32)i.immediate;
            switch (i.op) {
                case GO: at = to; break;
                case GO_IF:
                case GO_UNLESS: {
                    const bool* condition = m.row<bool>(i.a[0]);
                    bool wanted = i.op == GO_IF;
                    int taken = 0;
                    for (int k = 0; k < group.count; ++k) taken += condition[group.lanes[k]] == wanted;
                    if (taken == group.count) {
                        at = to;
                    } else if (taken == 0) {
                        ++at;
                    } else {
                        for (int k = 0; k < group.count; ++k)
                            threads.place[group.lanes[k]] = condition[group.lanes[k]] == wanted ? to : at + 1;
                        together = false;
                    }
                    break;
                }
                case CALL:
                    for (int k = 0; k < group.count; ++k) {
                        int lane = group.lanes[k];
                        if (threads.depth[lane] == DEPTH) m.fail(TOO_DEEP, i, lane);
                        threads.back[lane][threads.depth[lane]++] = at + 1;
                        if (i.a[1]) {
                            u8* marks = m.known.data() + lane * m.local_B + i.a[0];
                            memcpy(marks, m.local_marks + i.a[0], (size_t)i.a[1]);
                        }
                    }
                    at = to;
                    break;
                case RETURN:
                    for (int k = 0; k < group.count; ++k) {
                        int lane = group.lanes[k];
                        threads.place[lane] = threads.depth[lane] ? threads.back[lane][--threads.depth[lane]] : ENDED;
                    }
                    together = false;
                    break;
                case BARRIER:
                    threads.move(group, at | WAITING);
                    together = false;
                    break;
            }
        }
        if (together) threads.move(group, at);  // it met others on its way
    }
}

}  // namespace

void Machine::fail(Kind kind, const Instruction& i, int lane, u64 address, int size, int other) {
    throw Fault{kind, i.line, lane, other, {block[0], block[1], block[2]}, size, i.space, address};
}

extern "C" i32 find_operation(const char* name, u8* sizes) {
    static const auto places = [] {
        std::unordered_map<std::string, i32> made;
        for (i32 k = 0; k < CONTROLS; ++k) made[CONTROL_NAMES[k]] = k;
        for (const Named& each : OPERATIONS) made[each.name] = CONTROLS + (i32)(&each - OPERATIONS.data());
        return made;
    }();
    auto found = places.find(name);
    if (found == places.end()) return -1;
    if (found->second >= CONTROLS) {
        const Operation& operation = OPERATIONS[(size_t)(found->second - CONTROLS)].operation;
        std::copy(operation.sizes, operation.sizes + operation.operands, sizes);
    }
    return found->second;
}

extern "C" i32 run(const Program* program, const Launch* launch, Fault* fault) {
    Machine m{};
    static thread_local std::vector<u8> rows;
    if (rows.size() < (size_t)program->register_B) rows.resize((size_t)program->register_B);
    m.registers = rows.data();
    for (i64 n = 0; n < program->constant_count; ++n) {
        const Constant& c = program->constants[n];
        for (int k = 0; k < LANES; ++k) memcpy(m.registers + c.row + k * c.size, &c.bits, (size_t)c.size);
    }
    m.allocations = m.last = launch->allocations;
    m.allocation_count = (int)launch->allocation_count;
    m.params = launch->params, m.params_B = launch->params_B;
    m.shared_B = (u64)program->shared_B, m.local_B = (u64)program->local_B;
    m.local_marks = program->local_marks;
    m.shared.resize(m.shared_B), m.wrote.resize(m.shared_B), m.read.resize(m.shared_B);
    m.local.resize(m.local_B * LANES), m.known.resize(m.local_B * LANES);
    auto fill = [&](int special, i32 value) { std::fill_n(m.row<u32>(program->specials[special]), LANES, (u32)value); };
    for (int k = 0; k < LANES; ++k) {
        m.row<u32>(program->specials[0])[k] = (u32)(k % launch->block_x);
        m.row<u32>(program->specials[1])[k] = (u32)(k / launch->block_x);
    }
    fill(2, launch->block_x), fill(3, launch->block_y);
    for (int axis = 0; axis < 3; ++axis) fill(4 + axis, launch->grid[axis]);
    i64 blocks = (i64)launch->grid[0] * launch->grid[1] * launch->grid[2];
    try {
        for (i64 block = 0; block < blocks; ++block) {
            m.block[0] = (i32)(block % launch->grid[0]);
            m.block[1] = (i32)(block / launch->grid[0] % launch->grid[1]);
            m.block[2] = (i32)(block / launch->grid[0] / launch->grid[1]);
            for (int axis = 0; axis < 3; ++axis) fill(7 + axis, m.block[axis]);
            m.phase = 1;
            std::copy_n(program->shared_marks, m.shared_B, m.wrote.data());
            std::fill(m.read.begin(), m.read.end(), 0);
            for (int k = 0; m.local_B && k < LANES; ++k)
                memcpy(m.known.data() + k * m.local_B, m.local_marks, m.local_B);
            run_block(m, *program, *launch);
        }
    } catch (const Fault& found) {
        *fault = found;
        return 1;
    }
    return 0;
}
