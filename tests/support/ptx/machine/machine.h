// A thread block of PTX, executed: every register is a row with one element for each thread.
#pragma once

#include <unordered_set>
#include <cstdint>
#include <cstring>
#include <vector>

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i8 = int8_t;
using i16 = int16_t;
using i32 = int32_t;
using i64 = int64_t;
using f32 = float;
using f64 = double;

constexpr int LANES = 256;  // threads of a block, at most: the launch bound of every kernel
constexpr int WARP = 32;
constexpr int DEPTH = 8;  // of calls

// Generic addresses of what is not global memory.
constexpr u64 SHARED_WINDOW = 0x1000000000000000, LOCAL_WINDOW = 0x2000000000000000, PARAM_WINDOW = 0x3000000000000000;
constexpr u64 WINDOW = 0xF000000000000000;

enum Space : i32 { GENERIC, GLOBAL, SHARED, LOCAL, PARAM };
enum Kind : i32 {
    OUTSIDE, MISALIGNED, UNKNOWN, RACE, DIVERGENT_BARRIER, EXITED_BARRIER, READ_ONLY, DIVISION, TOO_LONG, TOO_DEEP
};
constexpr u8 OUTSIDE_MARK = 2;  // of a byte between arrays; 0: not written yet, 1: known

struct Fault {
    i32 kind, line, lane, other, block[3], size, space;
    u64 address;
};

struct Instruction {
    i32 op, line, space, count;
    i32 a[6];       // rows; of a load: four results, the address, its width
    i64 immediate;  // byte offset, or the place to go to
    u64 used;       // bits of the bytes of a load that matter
};

struct Allocation {
    u64 low, high;
    u8 *bytes, *known;
    u64 writable;
    u8* touched;  // where accesses are counted: of each byte, 1 if it was read, 2 if it was written
};

// What the cost model counts, for every instruction: warps and threads that executed it, and what its accesses cost.
struct Counts {
    u64 warps, threads;
    u64 sectors, least_sectors;  // of global and local memory: touched, and what as many bytes in a row would touch
    u64 first_sectors;           // of global memory: those that a block touches for the first time
    u64 passes, least_passes;    // of shared memory: more than the least if threads want different words of a bank
};

struct Group {
    u16 lanes[LANES];
    int count;
    template <class F> void each(F f) const {
        if (count == LANES) {
#pragma GCC ivdep
            for (int k = 0; k < LANES; ++k) f(k);
        } else {
            for (int k = 0; k < count; ++k) f((int)lanes[k]);
        }
    }
};

struct Machine {
    u8* registers;
    Group group;
    i32 block[3];
    const Allocation *allocations, *last;
    int allocation_count;
    const u8* params;
    u64 params_B;
    std::vector<u8> shared, local, known;  // known: of local memory
    const u8* local_marks;  // OUTSIDE_MARK between the arrays
    u64 shared_B, local_B;
    // Who wrote and read each byte of shared memory last: the phase between barriers, then the thread.
    std::vector<u32> wrote, read;
    u32 phase;
    Counts* counts;
    std::unordered_set<u64> block_sectors;  // touched so far, twice their number, plus 1 if they were written

    template <class T> T* row(i32 at) { return (T*)(registers + at); }
    [[noreturn]] void fail(Kind kind, const Instruction& i, int lane, u64 address = 0, int size = 0, int other = -1);
    void addresses(const Instruction& i, u64* out);
    const u8* readable(const Instruction& i, int lane, u64 address, int size);
    u8* writable(const Instruction& i, int lane, u64 address, int size, bool atomic = false);

  private:
    const Allocation* find(const Instruction& i, int lane, u64 address, int size);
    void read_shared(const Instruction& i, int lane, u64 at, int size, bool atomic);
    void write_shared(const Instruction& i, int lane, u64 at, int size, bool atomic);
};

using Execute = void (*)(Machine&, const Instruction&);

// An operation: what it does, and the bytes of each of its operands, the result first.
struct Operation {
    Execute execute;
    u8 sizes[6];
    int operands;
};

struct Named {
    const char* name;
    Operation operation;
};

std::vector<Named> arithmetic();
std::vector<Named> memory();
void count_access(Machine& m, const Instruction& i, const u64* addresses, int size, bool writes);
