// An ASTC block of two dimensions taken apart: its grid of weights, its endpoints, and how texels find both.
#pragma once
#include "bits128.h"
#include "block_astc_endpoints.h"
#include "block_astc_tables.h"

// texsamp/surface/codec/astc.py has the same codes.
enum AstcProfile { ASTC_LDR, ASTC_SRGB, ASTC_HDR };
enum AstcKind { ASTC_TEXELS, ASTC_CONSTANT_UNORM16, ASTC_CONSTANT_HALF };
enum { ASTC_NO_COMPONENT = 4, ASTC_PLANE_WEIGHTS = 32 };

struct AstcBlock {
    u8 weights[64 + 16];  // 0..64, row by row; the second plane of two begins at ASTC_PLANE_WEIGHTS
    AstcEndpoints ends[4];
    u16 partition_index;
    u8 kind, partitions;
    u8 columns, rows;  // of the grid
    u8 component;      // the one with weights of its own
    u8 is_error;       // illegal, or an endpoint mode that the profile reserves
};

// One color: as the interpolator gives it, or the bits of halves.
FN void astc_constant(AstcBlock& block, AstcKind kind, u16 r, u16 g, u16 b, u16 a) {
    block.kind = (u8)kind;
    block.ends[0].of[0][0] = r;
    block.ends[0].of[0][1] = g;
    block.ends[0].of[0][2] = b;
    block.ends[0].of[0][3] = a;
}

// Magenta; in the HDR profile NaN.
FN void astc_error(AstcBlock& block, s32 profile) {
    block.is_error = 1;
    if (profile == ASTC_HDR) return astc_constant(block, ASTC_CONSTANT_HALF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF);
    astc_constant(block, ASTC_CONSTANT_UNORM16, 0xFFFF, 0, 0xFFFF, 0xFFFF);
}

// A block of one color: `legal` says whether what its extent says is.
FN void astc_one_color(AstcBlock& block, const Bits128& bits, bool legal, s32 profile) {
    const bool is_half = bits_at(bits, 9, 1);
    if (!legal || (is_half && profile != ASTC_HDR)) return astc_error(block, profile);
    const u64 color = bits.high;
    astc_constant(block, is_half ? ASTC_CONSTANT_HALF : ASTC_CONSTANT_UNORM16, (u16)color, (u16)(color >> 16),
                  (u16)(color >> 32), (u16)(color >> 48));
}

FN void astc_void_extent(AstcBlock& block, const Bits128& bits, s32 profile) {
    const u32 low_s = bits_at(bits, 12, 13), high_s = bits_at(bits, 25, 13);
    const u32 low_t = bits_at(bits, 38, 13), high_t = bits_at(bits, 51, 13);
    const bool no_extent = (low_s & high_s & low_t & high_t) == 0x1FFF;
    const bool has_extent = low_s < high_s && low_t < high_t, reserved = bits_at(bits, 10, 2) != 3;
    astc_one_color(block, bits, !reserved && (no_extent || has_extent), profile);
}

// Eight fields of `bits` bits (1 to 8) to a byte each.
FN u64 astc_bytes(u64 fields, int bits) {
    const u64 four = ((u64)1 << 4 * bits) - 1;
    fields = (fields & four) | (fields >> 4 * bits & four) << 32;
    const u64 two = (((u64)1 << 2 * bits) - 1) * 0x0000000100000001ull;
    fields = (fields & two) | (fields >> 2 * bits & two) << 16;
    const u64 one = (((u64)1 << bits) - 1) * 0x0001000100010001ull;
    return (fields & one) | (fields >> bits & one) << 8;
}

// Five values of n bits below a trit each: m0 T1..0 m1 T3..2 m2 T4 m3 T6..5 m4 T7, from the lowest bit.
FN u64 astc_trit_group(u64 g, int n) {
    const u64 packed = (g >> n & 3) | (g >> 2 * n & 0xC) | (g >> 3 * n & 0x10) | (g >> 4 * n & 0x60) | (g >> 5 * n & 0x80);
    const u64 m = ((u64)1 << n) - 1;
    return ASTC_DIGITS.trits[packed] << n | (g & m) | (g >> (n + 2) & m) << 8 | (g >> (2 * n + 4) & m) << 16 |
           (g >> (3 * n + 5) & m) << 24 | (g >> (4 * n + 7) & m) << 32;
}

// Three values of n bits below a quint each: m0 Q2..0 m1 Q4..3 m2 Q6..5.
FN u64 astc_quint_group(u64 g, int n) {
    const u64 packed = (g >> n & 7) | (g >> 2 * n & 0x18) | (g >> 3 * n & 0x60);
    const u64 m = ((u64)1 << n) - 1;
    return (u64)ASTC_DIGITS.quints[packed] << n | (g & m) | (g >> (n + 3) & m) << 8 | (g >> (2 * n + 5) & m) << 16;
}

enum { ASTC_SEQUENCE_ROOM = 72 };  // 64 values, and what the last group stores beyond them

// Values of a sequence that begins at bit 0 and has nothing but zeros behind it. Each group stores 8 bytes, the next one
// overwrites those it has no values for.
FN void astc_sequence(const Bits128& stream, int count, int range, u8* values) {
    const int n = ASTC_RANGE.bits[range], digits = ASTC_RANGE.digits[range];
    if (digits == ASTC_BITS_ONLY) {
        for (int i = 0; i < count; i += 8) {
            store_bytes(values + i, astc_bytes(window_at(stream, i * n), n));
        }
    } else if (digits == ASTC_TRITS) {
        for (int i = 0, at = 0; i < count; i += 5, at += 8 + 5 * n) {
            store_bytes(values + i, astc_trit_group(window_at(stream, at), n));
        }
    } else {
        for (int i = 0, at = 0; i < count; i += 3, at += 7 + 3 * n) {
            store_bytes(values + i, astc_quint_group(window_at(stream, at), n));
        }
    }
}

FN void astc_weights(AstcBlock& block, const Bits128& bits, const AstcMode& mode) {
    alignas(16) u8 stored[ASTC_SEQUENCE_ROOM];
    const int count = mode.columns * mode.rows << mode.dual_plane;
    astc_sequence(lowest_bits(reversed(bits), mode.weight_bits), count, mode.range, stored);
    const u8* table = ASTC_VALUES.weights[mode.range];
    if (mode.dual_plane) {
        for (int i = 0; i < count; i += 2) {
            block.weights[i / 2] = table[stored[i]];
            block.weights[ASTC_PLANE_WEIGHTS + i / 2] = table[stored[i + 1]];
        }
    } else {
        for (int i = 0; i < count; ++i) block.weights[i] = table[stored[i]];
    }
}

// Endpoint modes of up to four partitions, 4 bits each.
struct AstcColorModes {
    u32 modes;
    int pairs;
    FN_MEMBER u32 of(int partition) const { return modes >> 4 * partition & 15; }
};

// `fields`: from bit 25 on, continued where the block continues them.
FN AstcColorModes astc_color_modes(u32 selector, u32 fields, int partitions) {
    AstcColorModes made = {0, 0};
    for (int i = 0; i < partitions; ++i) {
        const u32 own = (selector - 1 + (fields >> i & 1)) << 2 | (fields >> (partitions + 2 * i) & 3);
        const u32 mode = selector == 0 ? fields & 15 : own;
        made.modes |= mode << 4 * i;
        made.pairs += (int)(mode >> 2) + 1;
    }
    return made;
}

// A block with weights, whose grid `fits` the footprint or not; false: it is an error.
FN bool astc_take_grid_apart(AstcBlock& block, const Bits128& bits, const AstcMode& mode, bool fits, s32 profile) {
    const int partitions = (int)bits_at(bits, 11, 2) + 1;
    const bool too_many_planes = mode.dual_plane && partitions == 4;
    if (mode.columns == 0 || !fits || too_many_planes) return false;

    // What does not fit the head of the block is below its weights.
    int below = 128 - mode.weight_bits, color_at = 17;
    AstcColorModes colors = {bits_at(bits, 13, 4), (int)bits_at(bits, 15, 2) + 1};
    if (partitions > 1) {
        color_at = 29;
        const u32 selector = bits_at(bits, 23, 2);
        u32 fields = bits_at(bits, 25, 4);
        if (selector != 0) {
            const int more = 3 * partitions - 4;
            below -= more;
            fields |= bits_at(bits, below, more) << 4;
        }
        colors = astc_color_modes(selector, fields, partitions);
    }
    block.component = ASTC_NO_COMPONENT;
    if (mode.dual_plane) {
        below -= 2;
        block.component = (u8)bits_at(bits, below, 2);
    }
    const int range =
        colors.pairs > ASTC_MAX_COLOR_PAIRS || below < color_at ? 0 : ASTC_COLOR_RANGES.of[colors.pairs][below - color_at];
    if (range == 0) return false;

    block.partition_index = (u16)bits_at(bits, 13, 10);
    block.partitions = (u8)partitions;
    block.columns = mode.columns;
    block.rows = mode.rows;
    astc_weights(block, bits, mode);

    u8 values[ASTC_SEQUENCE_ROOM];
    const int sequence_bits = astc_sequence_bits(2 * colors.pairs, range);
    astc_sequence(lowest_bits(shifted_down(bits, color_at), sequence_bits), 2 * colors.pairs, range, values);
    const u8* table = ASTC_VALUES.colors[range - ASTC_FIRST_COLOR_RANGE];
    const u8* next = values;
    for (int i = 0; i < partitions; ++i) {
        const u32 color_mode = colors.of(i);
        const int count = 2 * (int)(color_mode >> 2) + 2;
        s32 v[8] = {};
        for (int k = 0; k < count; ++k) v[k] = table[next[k]];
        next += count;
        if (astc_is_hdr(color_mode) && profile != ASTC_HDR) {
            block.is_error = 1;
            block.ends[i] = {{{0xFFFF, 0, 0xFFFF, 0xFFFF}, {0xFFFF, 0, 0xFFFF, 0xFFFF}}, 0};
        } else {
            astc_endpoints(block.ends[i], color_mode, v);
        }
    }
    return true;
}

FN void astc_take_apart(AstcBlock& block, const Bits128& bits, s32 block_width, s32 block_height, s32 profile) {
    block.kind = ASTC_TEXELS;
    block.is_error = 0;
    if ((bits.low & 0x1FF) == 0x1FC) return astc_void_extent(block, bits, profile);
    const AstcMode mode = ASTC_MODES.of[bits.low & 2047];
    const bool fits = mode.columns <= block_width && mode.rows <= block_height;
    if (!astc_take_grid_apart(block, bits, mode, fits, profile)) astc_error(block, profile);
}

// The partition of a texel: the largest of up to four values modulo 64 that are linear in x and y.
struct AstcPattern {
    u8 step_x[4], step_y[4], start[4], used[4];
    FN_MEMBER u8 at(u8 x, u8 y) const {
        const u8 a = (u8)(step_x[0] * x + step_y[0] * y + start[0]) & used[0];
        const u8 b = (u8)(step_x[1] * x + step_y[1] * y + start[1]) & used[1];
        const u8 c = (u8)(step_x[2] * x + step_y[2] * y + start[2]) & used[2];
        const u8 d = (u8)(step_x[3] * x + step_y[3] * y + start[3]) & used[3];
        const u8 last = c >= d ? 2 : 3, later = (b >= c) & (b >= d) ? 1 : last;
        return (a >= b) & (a >= c) & (a >= d) ? 0 : later;
    }
};

FN u32 astc_hash(u32 p) {
    p ^= p >> 15;
    p -= p << 17;
    p += p << 7;
    p += p << 4;
    p ^= p >> 5;
    p += p << 16;
    p ^= p >> 7;
    p ^= p >> 3;
    p ^= p << 6;
    return p ^ p >> 17;
}

FN u32 astc_seed(u32 index, int partitions) { return index + (u32)(partitions - 1) * 1024; }

struct AstcShifts {
    int x, y;
};
FN AstcShifts astc_shifts(u32 seed, int partitions) {
    const int of_seed = seed & 2 ? 4 : 5, of_count = partitions == 3 ? 6 : 5;
    return {seed & 1 ? of_seed : of_count, seed & 1 ? of_count : of_seed};
}

FN AstcPattern astc_pattern(u32 index, int partitions, bool small_block) {
    const u32 seed = astc_seed(index, partitions), random = astc_hash(seed);
    const AstcShifts shift = astc_shifts(seed, partitions);
    AstcPattern made;
    UNROLL for (int k = 0; k < 4; ++k) {
        const u32 x = random >> 8 * k & 15, y = random >> (8 * k + 4) & 15;
        made.step_x[k] = (u8)((x * x >> shift.x) << small_block);
        made.step_y[k] = (u8)((y * y >> shift.y) << small_block);
        made.start[k] = (u8)(random >> (14 - 4 * k));
        made.used[k] = k < max_of(partitions, 2) ? 63 : 0;
    }
    return made;
}

// Where a texel is in the grid, along one axis, in sixteenths: 0 to 176.
FN s32 astc_grid_position(s32 texel, s32 texels, s32 cells) {
    return ((1024 + texels / 2) / (texels - 1) * texel * (cells - 1) + 32) >> 6;
}

// A weight between four of the grid, `x` and `y` sixteenths from the first.
FN u16 astc_between(u16 first, u16 right, u16 down, u16 diagonal, u16 x, u16 y) {
    const u16 both = (u16)(x * y + 8) >> 4;
    return (u16)(first * (16 - x - y + both) + right * (x - both) + down * (y - both) + diagonal * both + 8) >> 4;
}
