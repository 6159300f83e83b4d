// Instructions of execution units as data: what a program's straight stretches are lowered to, once.
//
// texsamp/emulator/eu/lowering.py makes them; the numbers of the enums are read from here.
#pragma once
#include "portable_elements.h"
#include "portable_gather.h"

enum { EU_CHANNELS = 32, EU_GENERAL_B = 4096, EU_REGISTER_B = 32 };
enum { EU_THREADS = ON_DEVICE(64, 8) };  // of a tile: their registers stay in the cache; on a GPU one for each line

enum EuType { EU_UD = 0, EU_D = 1, EU_UW = 2, EU_W = 3, EU_UB = 4, EU_B = 5, EU_F = 7 };

// Where the elements of a source lie: behind its first; each at an address of its own; or in acc0, with what it holds
// beyond the bits that its registers show. EU_HALVES: eight, and eight more as far behind them as `list` says.
enum EuPlace { EU_PACKED = 0, EU_SHARED = 1, EU_LISTED = 2, EU_NONE = 3, EU_ROWED = 4, EU_KEPT = 5, EU_HALVES = 6 };

// What a result does to the bits of acc0 beyond its registers: nothing, they are gone, or they are those of words or dwords.
enum EuKeeping { EU_LEAVES = 0, EU_FORGETS = 1, EU_WORDS = 2, EU_DWORDS = 4 };

// What values are computed as: float, the low 32 bits of integers, or all bits of them.
enum EuArithmetic { EU_FLOATS = 0, EU_LOW = 1, EU_WIDE = 2 };

enum EuOpcode {
    EU_MOV = 0, EU_SEL = 1, EU_NOT = 2, EU_AND = 3, EU_OR = 4, EU_XOR = 5, EU_SHL = 6, EU_SHR = 7, EU_ASR = 8,
    EU_CMP = 9, EU_ADD = 10, EU_MUL = 11, EU_AVG = 12, EU_MAD = 13, EU_LRP = 14, EU_PLN = 15, EU_FRC = 16,
    EU_RNDU = 17, EU_RNDD = 18, EU_RNDE = 19, EU_RNDZ = 20, EU_INV = 21, EU_SQRT = 22, EU_FDIV = 23, EU_RSQ = 24,
    EU_MAC = 25, EU_EXPECT = 26,  // of all threads that the predicate's first channel is `condition`
    EU_JUMP = 27,                 // to operation `sources[0].at`, if the predicate says so of all `channels`
    EU_STOP = 28,                 // an instruction that is none of these
};

// How an operation is run: those of 1, 8 or 16 channels on a CPU in one step (eu_direct.h), others as on a GPU.
enum EuPath { EU_GENERAL = 0, EU_NOTHING = 1, EU_ONE = 2, EU_EIGHT = 3, EU_SIXTEEN = 4 };

// Of operations of eight channels: whether it may be one of two that are one of sixteen, and which. EU_BOTH: such a one of
// sixteen, whose second half of the result is as far behind the first as `to_list` says.
enum EuHalf { EU_WHOLE = 0, EU_FIRST_HALF = 1, EU_SECOND_HALF = 2, EU_BOTH = 3 };

// Condition modifiers, by the codes of instructions.
enum EuCondition { EU_Z = 1, EU_NZ = 2, EU_G = 3, EU_GE = 4, EU_L = 5, EU_LE = 6 };

struct EuSource {
    s32 at;    // first byte, in a thread's registers or in the constants; behind an address
    s32 list;  // first of the bytes behind it, one for each channel, in `offsets`; EU_ROWED: then where their addresses are
    s32 span;  // bytes to the end of the last element
    u8 type, place;
    u8 is_constant;
    u8 absolute, negate;
    u8 pad_0[1];
    s16 address;  // where the address is among a thread's registers, 0 for none; EU_KEPT: first element
};

struct EuOperation {
    EuSource sources[3];
    s32 to;           // first byte of the destination, -1 for none; behind an address
    s32 to_stride;    // bytes from channel to channel
    s32 to_list;      // EU_ROWED, as of sources; of integers for acc0 the first element
    u32 enabled;      // channels that the destination takes
    s16 flags;        // bit of f0 and f1 that belongs to the first channel's outcome; -1: none is kept
    s16 predicate;    // likewise, of what is read; -1: no predicate
    s16 to_address;   // where the address is, 0 for none
    u8 to_place;      // EU_PACKED or EU_ROWED
    u8 to_span_B;     // to the end of the last element
    u8 opcode, arithmetic, to_type, channels;
    u8 first_channel, no_mask, saturate, condition;
    u8 inverted;      // predicate
    u8 group;         // channels whose flags are combined, 1 for none
    u8 group_all;     // whether all of them, or any, have to be set
    u8 vertical;      // whether the two halves of a flag register are combined
    u8 keeps_denormals;
    u8 keeping;       // an EuKeeping
    u8 whole_product; // acc0 keeps 64 bits of it, not 33
    u8 trims;         // addresses to 12 bits
    u8 path;          // an EuPath
    u8 half;          // an EuHalf
    u8 pad_[2];
};

struct EuRunParams {
    u8* registers;                  // [threads][pitch]
    const EuOperation* operations;  // [count]
    const u8* constants;
    const s32* offsets;
    const u32* here;                // [threads] channels that are at these instructions; null: all are
    s64* kept_words;                // [threads][16] of acc0, and [threads][8]; and which are known
    s64* kept_dwords;
    u8* known_words;
    u8* known_dwords;
    s32* faults;                    // [threads][3] steps to the first illegal address, from 1 on, that, and at which operation
    s32* stops;                     // [tiles] the operation whose expectation did not come true; not written if all did
    s32* ways;                      // [tiles][2] the operation that a tile has come to, and steps; null: there are no jumps
    s32 threads, pitch, count, flags_at, addresses_at;  // count: of steps at most
    s32 first;                      // operation
};
static_assert(sizeof(EuSource) == 20 && sizeof(EuOperation) == 104 && sizeof(EuRunParams) == 120, "parameter layout");

FN bool has_destination(const EuOperation& op) { return (op.to >= 0) | (op.to_address != 0); }

// A value of every channel of a tile's threads.
template <typename T> using EuCells = Cells<T, EU_THREADS * EU_CHANNELS>;
