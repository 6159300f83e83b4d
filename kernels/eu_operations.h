// Instructions of execution units as data: what a program's straight stretches are lowered to, once.
//
// texsamp/emulator/eu/engine/lowering.py makes them; the numbers of the enums are read from here.
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
    EU_JUMP = 27,                 // of whole threads to operation `sources[0].at`, if the predicate's first channel says so
    EU_BRANCH = 28,               // of channels, to the same (eu_flow.h)
    EU_STOP = 29,                 // an instruction that is none of these
};

// What a branch is, as its `condition`. Where channels go that it does not name, and threads that have none behind it, differ.
enum EuBranch { EU_PARTS = 0, EU_JOINS = 1, EU_LOOPS = 2, EU_SUSPENDS = 3 };  // if and else; endif; while; break, cont, halt

// How an operation is run: those of 1, 8 or 16 channels on a CPU in one step (eu_direct.h), others as on a GPU.
enum EuPath { EU_GENERAL = 0, EU_NOTHING = 1, EU_ONE = 2, EU_EIGHT = 3, EU_SIXTEEN = 4 };

// Of operations of eight channels: whether it may be one of two that are one of sixteen, and which. EU_BOTH: such a one of
// sixteen, whose second half of the result is as far behind the first as `to_list` says.
enum EuHalf { EU_WHOLE = 0, EU_FIRST_HALF = 1, EU_SECOND_HALF = 2, EU_BOTH = 3 };

// What counts of flags that are combined: whether any is set, all are, or the one of a component of four.
enum EuGroup { EU_ANY = 0, EU_ALL = 1, EU_COMPONENT = 2 };

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
    u32 enabled;      // channels that the destination and the flags take
    s16 flags;        // bit of f0 and f1 that belongs to the first channel's outcome; -1: none is kept
    s16 predicate;    // likewise, of what is read; -1: no predicate
    s16 to_address;   // where the address is, 0 for none
    u8 to_place;      // EU_PACKED or EU_ROWED
    u8 to_span_B;     // to the end of the last element
    u8 opcode, arithmetic, to_type, channels;
    u8 first_channel, no_mask, saturate, condition;
    u8 inverted;      // predicate
    u8 group;         // channels whose flags are combined, 1 for none
    u8 group_all;     // an EuGroup
    u8 vertical;      // whether the two halves of a flag register are combined
    u8 keeps_denormals;
    u8 keeping;       // an EuKeeping
    u8 whole_product; // acc0 keeps 64 bits of it, not 33
    u8 trims;         // addresses to 12 bits
    u8 path;          // an EuPath
    u8 half;          // an EuHalf
    u8 leads;         // of a branch that channels jump at: threads that have none behind it go to operation `sources[1].at`
    u8 stays;         // of a jump: it goes around what the engine does not take
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
    s32* ways;                      // [tiles][EU_WAYS] where a tile has come to; null: there are no jumps, nor what is below
    s32* places;                    // [threads][EU_CHANNELS] operations that channels are at; read if `parted`
    s32* alone;                     // [threads] operations that threads without channels there are at, or EU_NOWHERE
    u32* masks;                     // [threads] room for `here`
    s32* taken;                     // [threads] steps of each
    s32 threads, pitch, count, flags_at, addresses_at;  // count: of steps at most
    s32 first;                      // operation
    s32 parted;                     // from the beginning on
    s32 ordered;                    // whether no tile goes around what the engine does not take
};
static_assert(sizeof(EuSource) == 20 && sizeof(EuOperation) == 104 && sizeof(EuRunParams) == 160, "parameter layout");

// The lowest operation that channels or threads are at, steps, the next one that others are at, and EuWay.
enum { EU_WAYS = 4, EU_NOWHERE = 2147483647 };
// All channels have gone together, are together again, or apart; or apart, and some threads are where they have no channel.
enum EuWay { EU_TOGETHER = 0, EU_JOINED = 1, EU_PARTED = 2, EU_ALONE = 3 };

FN bool has_destination(const EuOperation& op) { return (op.to >= 0) | (op.to_address != 0); }

// A value of every channel of a tile's threads.
template <typename T> using EuCells = Cells<T, EU_THREADS * EU_CHANNELS>;
