// ASTC's tables (Khronos Data Format Specification, "ASTC Compressed Texture Image Formats"), made by the compiler from
// what the specification prints.
#pragma once
#include "portable.h"

enum { ASTC_RANGES = 21, ASTC_WEIGHT_RANGES = 12, ASTC_FIRST_COLOR_RANGE = 4, ASTC_MAX_COLOR_PAIRS = 9 };
enum AstcDigits { ASTC_BITS_ONLY, ASTC_TRITS, ASTC_QUINTS };

// Ranges of integers in ascending order; weights use the first twelve, colors all from 0..5.
struct AstcRange {
    int digits, bits;  // an AstcDigits; bits below the trit or quint
};
FN constexpr AstcRange astc_range(int range) {
    constexpr AstcRange RANGES[ASTC_RANGES] = {
        // 0..1, 0..2, 0..3, 0..4
        {ASTC_BITS_ONLY, 1}, {ASTC_TRITS, 0}, {ASTC_BITS_ONLY, 2}, {ASTC_QUINTS, 0},
        // 0..5, 0..7, 0..9, 0..11
        {ASTC_TRITS, 1}, {ASTC_BITS_ONLY, 3}, {ASTC_QUINTS, 1}, {ASTC_TRITS, 2},
        // 0..15, 0..19, 0..23, 0..31
        {ASTC_BITS_ONLY, 4}, {ASTC_QUINTS, 2}, {ASTC_TRITS, 3}, {ASTC_BITS_ONLY, 5},
        // 0..39, 0..47, 0..63, 0..79, 0..95
        {ASTC_QUINTS, 3}, {ASTC_TRITS, 4}, {ASTC_BITS_ONLY, 6}, {ASTC_QUINTS, 4}, {ASTC_TRITS, 5},
        // 0..127, 0..159, 0..191, 0..255
        {ASTC_BITS_ONLY, 7}, {ASTC_QUINTS, 5}, {ASTC_TRITS, 6}, {ASTC_BITS_ONLY, 8},
    };
    return RANGES[range];
}

FN constexpr int astc_sequence_bits(int count, int range) {
    const AstcRange r = astc_range(range);
    const int digits = r.digits == ASTC_TRITS ? (8 * count + 4) / 5 : r.digits == ASTC_QUINTS ? (7 * count + 2) / 3 : 0;
    return digits + count * r.bits;
}

struct AstcRangeTable {
    u8 digits[ASTC_RANGES], bits[ASTC_RANGES];
};
FN constexpr AstcRangeTable astc_range_table() {
    AstcRangeTable t{};
    for (int range = 0; range < ASTC_RANGES; ++range) {
        t.digits[range] = (u8)astc_range(range).digits;
        t.bits[range] = (u8)astc_range(range).bits;
    }
    return t;
}
TABLE AstcRangeTable ASTC_RANGE = astc_range_table();

// Bits 10..0 of a block: the grid of weights. `columns` is 0 where the mode is reserved, or needs more than 64 weights,
// or not 24 to 96 bits.
struct AstcMode {
    u8 columns, rows, range, dual_plane, weight_bits;
};
FN constexpr AstcMode astc_grid(int columns, int rows, int r, int dual_plane, int precise) {
    if (r < 2) return {};  // reserved
    const int range = r - 2 + 6 * precise, weights = columns * rows * (1 + dual_plane);
    const int bits = astc_sequence_bits(weights, range);
    if (weights > 64 || bits < 24 || bits > 96) return {};
    return {(u8)columns, (u8)rows, (u8)range, (u8)dual_plane, (u8)bits};
}
FN constexpr AstcMode astc_mode(int code) {
    const int low = code >> 5 & 3, high = code >> 7 & 3;
    int columns = 0, rows = 0, r = 0, dual_plane = code >> 10 & 1, precise = code >> 9 & 1;
    if (code & 3) {
        r = (code & 3) << 1 | (code >> 4 & 1);
        switch (code >> 2 & 3) {
            case 0: columns = high + 4, rows = low + 2; break;
            case 1: columns = high + 8, rows = low + 2; break;
            case 2: columns = low + 2, rows = high + 8; break;
            default:
                columns = (high & 2) ? (high & 1) + 2 : low + 2;
                rows = (high & 2) ? low + 2 : (high & 1) + 6;
        }
    } else {
        r = (code >> 2 & 3) << 1 | (code >> 4 & 1);
        switch (high) {
            case 0: columns = 12, rows = low + 2; break;
            case 1: columns = low + 2, rows = 12; break;
            case 2: columns = low + 6, rows = (code >> 9 & 3) + 6, dual_plane = precise = 0; break;
            default:
                columns = low == 0 ? 6 : 10;
                rows = low == 0 ? 10 : 6;
                if (low & 2) return {};  // reserved, or a void extent
        }
    }
    return astc_grid(columns, rows, r, dual_plane, precise);
}
struct AstcModeTable {
    AstcMode of[2048];
};
FN constexpr AstcModeTable astc_mode_table() {
    AstcModeTable t{};
    for (int code = 0; code < 2048; ++code) t.of[code] = astc_mode(code);
    return t;
}
TABLE AstcModeTable ASTC_MODES = astc_mode_table();

// Largest range whose sequence of pairs fits the bits there are; 0: not even 0..5 does.
struct AstcColorRangeTable {
    u8 of[ASTC_MAX_COLOR_PAIRS + 1][128];  // pairs, bits
};
FN constexpr AstcColorRangeTable astc_color_range_table() {
    AstcColorRangeTable t{};
    for (int pairs = 1; pairs <= ASTC_MAX_COLOR_PAIRS; ++pairs) {
        for (int bits = 0; bits < 128; ++bits) {
            for (int range = ASTC_FIRST_COLOR_RANGE; range < ASTC_RANGES; ++range) {
                if (astc_sequence_bits(2 * pairs, range) <= bits) t.of[pairs][bits] = (u8)range;
            }
        }
    }
    return t;
}
TABLE AstcColorRangeTable ASTC_COLOR_RANGES = astc_color_range_table();

// Five trits of a packed byte T, one per byte.
FN constexpr u64 astc_trits(int T) {
    int c = 0, t[5] = {};
    if ((T >> 2 & 7) == 7) {
        c = (T >> 5 & 7) << 2 | (T & 3);
        t[4] = t[3] = 2;
    } else {
        c = T & 31;
        const bool both = (T >> 5 & 3) == 3;
        t[4] = both ? 2 : T >> 7;
        t[3] = both ? T >> 7 : T >> 5 & 3;
    }
    if ((c & 3) == 3) {
        t[2] = 2;
        t[1] = c >> 4;
        t[0] = c & 8 ? 2 : c >> 2 & 1;
    } else if ((c >> 2 & 3) == 3) {
        t[2] = t[1] = 2;
        t[0] = c & 3;
    } else {
        t[2] = c >> 4;
        t[1] = c >> 2 & 3;
        t[0] = c & 2 ? 2 : c & 1;
    }
    u64 bytes = 0;
    for (int k = 0; k < 5; ++k) bytes |= (u64)t[k] << 8 * k;
    return bytes;
}

// Three quints of seven packed bits Q, one per byte.
FN constexpr u32 astc_quints(int Q) {
    int q0 = 4, q1 = 4, q2 = 4;
    const int top = Q >> 5 & 3;
    if ((Q >> 1 & 3) == 3 && top == 0) {
        q2 = Q & 1 ? 4 : Q >> 3 & 3;
    } else {
        int c = Q & 31;
        if ((Q >> 1 & 3) == 3) {
            c = (Q >> 3 & 3) << 3 | (3 - top) << 1 | (Q & 1);
        } else {
            q2 = top;
        }
        if ((c & 7) == 5) {
            q0 = c >> 3;
        } else {
            q1 = c >> 3;
            q0 = c & 7;
        }
    }
    return (u32)(q0 | q1 << 8 | q2 << 16);
}

struct AstcDigitTable {
    u64 trits[256];
    u32 quints[128];
};
FN constexpr AstcDigitTable astc_digit_table() {
    AstcDigitTable t{};
    for (int packed = 0; packed < 256; ++packed) t.trits[packed] = astc_trits(packed);
    for (int packed = 0; packed < 128; ++packed) t.quints[packed] = astc_quints(packed);
    return t;
}
TABLE AstcDigitTable ASTC_DIGITS = astc_digit_table();

// `bits` bits repeated from the top down to fill `width`.
FN constexpr int astc_repeated(int m, int bits, int width) {
    int v = 0;
    for (int at = width - bits; at > -bits; at -= bits) v |= at >= 0 ? m << at : m >> -at;
    return v;
}

// A layout the specification prints, such as "b000b0bb0": the bits of m by letter, `a` the lowest.
FN constexpr int astc_placed(const char* letters, int m) {
    int v = 0;
    for (; *letters; ++letters) v = v << 1 | (*letters == '0' ? 0 : m >> (*letters - 'a') & 1);
    return v;
}

struct AstcUnquantization {
    const char* b;
    int c;
};
FN constexpr int astc_unquantized(const AstcUnquantization& by, int digit, int m, int width) {
    const int a = m & 1 ? (2 << width) - 1 : 0;
    return (a & 1 << (width - 1)) | ((digit * by.c + astc_placed(by.b, m)) ^ a) >> 2;
}

FN constexpr int astc_color(int range, int value) {
    constexpr AstcUnquantization NONE = {"", 0}, BY[ASTC_RANGES - ASTC_FIRST_COLOR_RANGE] = {
        {"000000000", 204}, NONE, {"000000000", 113}, {"b000b0bb0", 93},               // 6, 8, 10, 12 levels
        NONE, {"b0000bb00", 54}, {"cb000cbcb", 44}, NONE,                              // 16, 20, 24, 32
        {"cb0000cbc", 26}, {"dcb000dcb", 22}, NONE, {"dcb0000dc", 13}, {"edcb000ed", 11},  // 40, 48, 64, 80, 96
        NONE, {"edcb0000e", 6}, {"fedcb000f", 5}, NONE,                                // 128, 160, 192, 256
    };
    const AstcRange r = astc_range(range);
    if (r.digits == ASTC_BITS_ONLY) return astc_repeated(value & ((1 << r.bits) - 1), r.bits, 8);
    return astc_unquantized(BY[range - ASTC_FIRST_COLOR_RANGE], value >> r.bits, value & ((1 << r.bits) - 1), 8);
}

FN constexpr int astc_weight(int range, int value) {
    constexpr AstcUnquantization NONE = {"", 0}, BY[ASTC_WEIGHT_RANGES] = {
        NONE, NONE, NONE, NONE, {"0000000", 50}, NONE,                                 // 2, 3, 4, 5, 6, 8 levels
        {"0000000", 28}, {"b000b0b", 23}, NONE, {"b0000b0", 13}, {"cb000cb", 11}, NONE,  // 10, 12, 16, 20, 24, 32
    };
    constexpr int THREE[3] = {0, 32, 63}, FIVE[5] = {0, 16, 32, 47, 63};
    const AstcRange r = astc_range(range);
    const int m = value & ((1 << r.bits) - 1), digit = value >> r.bits;
    const int w = r.digits == ASTC_BITS_ONLY ? astc_repeated(m, r.bits, 6)
                  : r.bits > 0               ? astc_unquantized(BY[range], digit, m, 6)
                  : r.digits == ASTC_TRITS   ? THREE[digit]
                                             : FIVE[digit];
    return w > 32 ? w + 1 : w;
}

// Stored values to colors 0..255 and weights 0..64; zero where a range has no such value.
struct AstcValueTable {
    alignas(32) u8 weights[ASTC_WEIGHT_RANGES][32];
    u8 colors[ASTC_RANGES - ASTC_FIRST_COLOR_RANGE][256];
};
FN constexpr AstcValueTable astc_value_table() {
    AstcValueTable t{};
    for (int range = 0; range < ASTC_RANGES; ++range) {
        const AstcRange r = astc_range(range);
        const int levels = (r.digits == ASTC_TRITS ? 3 : r.digits == ASTC_QUINTS ? 5 : 1) << r.bits;
        for (int value = 0; value < levels; ++value) {
            if (range < ASTC_WEIGHT_RANGES) t.weights[range][value] = (u8)astc_weight(range, value);
            if (range >= ASTC_FIRST_COLOR_RANGE)
                t.colors[range - ASTC_FIRST_COLOR_RANGE][value] = (u8)astc_color(range, value);
        }
    }
    return t;
}
TABLE AstcValueTable ASTC_VALUES = astc_value_table();
