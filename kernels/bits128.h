// A block of 128 bits as two words, and fields of it.
#pragma once
#include "portable.h"

struct Bits128 {
    u64 low, high;
};

FN Bits128 load_block(const u32* words) {
    Bits128 b;
    b.low = words[0] | (u64)words[1] << 32;
    b.high = words[2] | (u64)words[3] << 32;
    return b;
}

// `count` bits (1 to 31) from bit `at`.
FN u32 bits_at(const Bits128& b, int at, int count) {
    const u64 from = at >= 64             ? b.high >> (at - 64)
                     : at + count <= 64 ? b.low >> at
                                        : b.low >> at | b.high << (64 - at);
    return (u32)from & ((1u << count) - 1);
}

// The 64 bits from bit `at` (0 to 127), zeros beyond the end.
FN u64 window_at(const Bits128& b, int at) {
    return at >= 64 ? b.high >> (at - 64) : at == 0 ? b.low : b.low >> at | b.high << (64 - at);
}

// Without its lowest `count` bits (1 to 63).
FN Bits128 shifted_down(const Bits128& b, int count) {
    return {b.low >> count | b.high << (64 - count), b.high >> count};
}

// The lowest `count` bits (0 to 127), zeros above them.
FN Bits128 lowest_bits(const Bits128& b, int count) {
    if (count < 64) return {b.low & (((u64)1 << count) - 1), 0};
    return {b.low, b.high & (((u64)1 << (count - 64)) - 1)};
}

FN u64 reversed_bits(u64 v) {
    v = (v >> 1 & 0x5555555555555555ull) | (v & 0x5555555555555555ull) << 1;
    v = (v >> 2 & 0x3333333333333333ull) | (v & 0x3333333333333333ull) << 2;
    v = (v >> 4 & 0x0F0F0F0F0F0F0F0Full) | (v & 0x0F0F0F0F0F0F0F0Full) << 4;
    v = (v >> 8 & 0x00FF00FF00FF00FFull) | (v & 0x00FF00FF00FF00FFull) << 8;
    v = (v >> 16 & 0x0000FFFF0000FFFFull) | (v & 0x0000FFFF0000FFFFull) << 16;
    return v >> 32 | v << 32;
}

// Bit 0 becomes bit 127.
FN Bits128 reversed(const Bits128& b) { return {reversed_bits(b.high), reversed_bits(b.low)}; }
