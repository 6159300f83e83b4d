// ASTC blocks to texels: interpolation, the two decode modes, and tiles of blocks of any footprint.
//
// A tile takes its blocks apart, one at a time, and then interpolates. A GPU has a thread per texel, which looks up the
// weights it lies between; the CPU fills the weights of a whole block in, row by row in vector lanes, then interpolates
// its texels side by side.
#pragma once
#include "block_astc.h"

enum { ASTC_TILE_COLUMNS = ON_DEVICE(128, 32), ASTC_TILE_ROWS = ON_DEVICE(1, 8) };
enum { ASTC_BLOCKS_IN_SCRATCH = ON_DEVICE(1, ASTC_TILE_COLUMNS * ASTC_TILE_ROWS) };
enum { ASTC_MAX_SIDE = 12, ASTC_LANES = 16, ASTC_MAX_TEXELS = 144 };

struct AstcParams {
    const void* blocks;  // row by row without padding, aligned to 4 bytes
    void* texels;        // aligned to 4 bytes
    s32 width, height;   // texels
    s32 pitch_B;         // from a row of texels to the next
    s32 block_width, block_height;
    s32 profile;  // an AstcProfile
};
static_assert(sizeof(AstcParams) == 40, "parameter layout");

// decode_unorm8 and sRGB: the top 8 bits of a component. Two components are computed at once as fields of 16 bits, from
// the 8 bits that the 16 of an endpoint repeat: with s = c0 * (64 - w) + c1 * w, (257 * s + 32) / 64 / 256 is
// (s + (s + 32) / 256) / 64, and (256 * s + 128 * 64 + 32) / 64 / 256, the rule of sRGB, is (s + 32) / 64.
struct AstcUnorm8 {
    enum { WORDS = 1 };  // of 32 bits in a texel

    struct Line {
        u32 rb_base, ga_base, rb_shared, ga_shared, rb_own, ga_own;
        u32 rb_carry, ga_carry, rb_half, ga_half;  // fields that carry as linear ones do, and 32 in those that do not
    };
    static FN_MEMBER Line line(const AstcEndpoints& ends, u32 component, s32 profile) {
        u32 base[4], shared[4], own[4];
        UNROLL for (u32 c = 0; c < 4; ++c) {
            const u32 low = ends.of[0][c] & 255, difference = (ends.of[1][c] & 255u) - low;
            base[c] = 64 * low;
            own[c] = component == c ? difference : 0;
            shared[c] = component == c ? 0 : difference;
        }
        const bool srgb = profile == ASTC_SRGB;
        Line made;
        made.rb_base = base[0] + (base[2] << 16);
        made.ga_base = base[1] + (base[3] << 16);
        made.rb_shared = shared[0] + (shared[2] << 16);
        made.ga_shared = shared[1] + (shared[3] << 16);
        made.rb_own = own[0] + (own[2] << 16);
        made.ga_own = own[1] + (own[3] << 16);
        made.rb_carry = srgb ? 0 : 0x00FF00FF;
        made.ga_carry = srgb ? 0x00FF0000 : 0x00FF00FF;
        made.rb_half = srgb ? 0x00200020 : 0;
        made.ga_half = srgb ? 0x00000020 : 0;
        return made;
    }
    static FN_MEMBER u32 rounded(u32 sums, u32 carry, u32 half) {
        return (sums + ((sums + 0x00200020) >> 8 & carry) + half) >> 6 & 0x00FF00FF;
    }
    static FN_MEMBER void texel(const Line& line, u32 weight, u32 own_weight, u32* words) {
        const u32 rb = line.rb_base + line.rb_shared * weight + line.rb_own * own_weight;
        const u32 ga = line.ga_base + line.ga_shared * weight + line.ga_own * own_weight;
        words[0] = rounded(rb, line.rb_carry, line.rb_half) | rounded(ga, line.ga_carry, line.ga_half) << 8;
    }
    // ASTC_LANES texels.
    template <bool PLANES>
    static FN_MEMBER void lanes(const Line line, const u32* __restrict__ w, const u32* __restrict__ own,
                                u32* __restrict__ out) {
        FOR_LINE(i, ASTC_LANES) texel(line, w[i], PLANES ? own[i] : 0, out + i);
    }
    static FN_MEMBER void constant(const AstcBlock& block, u32* words) {
        const u16* c = block.ends[0].of[0];
        words[0] = (u32)(c[0] >> 8) | (u32)(c[1] & 0xFF00) | (u32)(c[2] >> 8) << 16 | (u32)(c[3] >> 8) << 24;
    }
};

// c / 65536 rounded toward zero; 65535 is 1.0, the half after 65534's. A float holds c exactly, and from 4 on the half is
// normal. (Without a branch, into which the compiler would move a conversion that it then cannot vectorize.)
FN u32 astc_half_of_unorm16(u32 c) {
    const u32 normal = (bits_of_float((float)(s32)c) >> 13) - (128 << 10), tiny = (u32)(((s32)c - 4) >> 31);
    return ((normal & ~tiny) | (c << 8 & tiny)) + ((c + 1) >> 16);
}

// 5 bits of exponent and 11 of a mantissa, whose three linear pieces are convex; never infinite.
FN u32 astc_half_of_logarithm(u32 c) {
    const s32 m = (s32)(c & 0x7FF), mantissa = max_of(max_of(3 * m, 4 * m - 512), 5 * m - 2048);
    return (u32)min_of((s32)(c >> 11 << 10) + (mantissa >> 3), 0x7BFF);
}

// decode_float16, of either profile.
struct AstcFloat16 {
    enum { WORDS = 2 };

    struct Component {
        s32 base, shared, own;
        u32 is_logarithm;  // all ones, or zero
        FN_MEMBER u32 at(s32 weight, s32 own_weight) const {
            const u32 v = (u32)(base + shared * weight + own * own_weight) >> 6;
            return (astc_half_of_logarithm(v) & is_logarithm) | (astc_half_of_unorm16(v) & ~is_logarithm);
        }
    };
    struct Line {
        Component of[4];
    };
    static FN_MEMBER Line line(const AstcEndpoints& ends, u32 component, s32) {
        Line made;
        UNROLL for (u32 c = 0; c < 4; ++c) {
            const s32 difference = (s32)ends.of[1][c] - ends.of[0][c];
            made.of[c].base = 64 * ends.of[0][c] + 32;
            made.of[c].own = component == c ? difference : 0;
            made.of[c].shared = component == c ? 0 : difference;
            made.of[c].is_logarithm = ends.logarithmic >> (c == 3) & 1 ? ~0u : 0;
        }
        return made;
    }
    static FN_MEMBER void texel(const Line& line, u32 weight, u32 own_weight, u32* words) {
        const s32 w = (s32)weight, own = (s32)own_weight;
        words[0] = line.of[0].at(w, own) | line.of[1].at(w, own) << 16;
        words[1] = line.of[2].at(w, own) | line.of[3].at(w, own) << 16;
    }
    template <bool PLANES>
    static FN_MEMBER void lanes(const Component low, const Component high, const u32* __restrict__ w,
                                const u32* __restrict__ own, u32* __restrict__ out) {
        FOR_LINE(i, ASTC_LANES) {
            const s32 weight = (s32)w[i], own_weight = PLANES ? (s32)own[i] : 0;
            out[i] = low.at(weight, own_weight) | high.at(weight, own_weight) << 16;
        }
    }
    // ASTC_LANES texels.
    template <bool PLANES>
    static FN_MEMBER void lanes(const Line& line, const u32* w, const u32* own, u32* __restrict__ out) {
        alignas(64) u32 rg[ASTC_LANES], ba[ASTC_LANES];
        lanes<PLANES>(line.of[0], line.of[1], w, own, rg);
        lanes<PLANES>(line.of[2], line.of[3], w, own, ba);
        FOR_LINE(i, ASTC_LANES) {
            out[2 * i] = rg[i];
            out[2 * i + 1] = ba[i];
        }
    }
    static FN_MEMBER void constant(const AstcBlock& block, u32* words) {
        u32 half[4];
        UNROLL for (int c = 0; c < 4; ++c) {
            const u32 v = block.ends[0].of[0][c];
            half[c] = block.kind == ASTC_CONSTANT_HALF ? v : astc_half_of_unorm16(v);
        }
        words[0] = half[0] | half[1] << 16;
        words[1] = half[2] | half[3] << 16;
    }
};

// The part of a tile that is inside the surface.
struct AstcTile {
    s32 x, y;              // first block
    s32 columns, rows;     // blocks
    s32 width_px, lines;   // texels
    s64 blocks_per_row;
};
FN AstcTile astc_tile_of(const AstcParams& p, s32 tile_x, s32 tile_y) {
    AstcTile t;
    const s32 blocks_x = (p.width + p.block_width - 1) / p.block_width;
    const s32 blocks_y = (p.height + p.block_height - 1) / p.block_height;
    t.x = tile_x * ASTC_TILE_COLUMNS;
    t.y = tile_y * ASTC_TILE_ROWS;
    t.columns = min_of(blocks_x - t.x, (s32)ASTC_TILE_COLUMNS);
    t.rows = min_of(blocks_y - t.y, (s32)ASTC_TILE_ROWS);
    t.width_px = min_of(p.width - t.x * p.block_width, t.columns * p.block_width);
    t.lines = min_of(p.height - t.y * p.block_height, t.rows * p.block_height);
    t.blocks_per_row = blocks_x;
    return t;
}

FN const u32* astc_words(const AstcParams& p, const AstcTile& t, s32 column, s32 row) {
    return (const u32*)p.blocks + 4 * ((t.y + row) * t.blocks_per_row + t.x + column);
}

template <typename Out> FN u32* astc_row(const AstcParams& p, const AstcTile& t, s32 x, s32 y) {
    const s64 first_x = (s64)t.x * p.block_width + x, first_y = (s64)t.y * p.block_height + y;
    return (u32*)((u8*)p.texels + first_y * p.pitch_B) + first_x * Out::WORDS;
}

FN u32 astc_grid_weight(const AstcBlock& block, const u8* plane, s32 x_16, s32 y_16) {
    const s32 x0 = x_16 >> 4, x1 = min_of(x0 + 1, block.columns - 1);
    const s32 y0 = y_16 >> 4, y1 = min_of(y0 + 1, block.rows - 1);
    const u8 *upper = plane + y0 * block.columns, *lower = plane + y1 * block.columns;
    return astc_between(upper[x0], upper[x1], lower[x0], lower[x1], (u16)(x_16 & 15), (u16)(y_16 & 15));
}

// One texel of a block.
template <typename Out> FN void astc_texel(const AstcParams& p, const AstcBlock& block, s32 x, s32 y, u32* words) {
    if (block.kind != ASTC_TEXELS) return Out::constant(block, words);
    const s32 x_16 = astc_grid_position(x, p.block_width, block.columns);
    const s32 y_16 = astc_grid_position(y, p.block_height, block.rows);
    const u32 weight = astc_grid_weight(block, block.weights, x_16, y_16);
    const bool planes = block.component != ASTC_NO_COMPONENT;
    const u32 own = planes ? astc_grid_weight(block, block.weights + ASTC_PLANE_WEIGHTS, x_16, y_16) : 0;
    s32 partition = 0;
    if (block.partitions > 1) {
        const bool small_block = p.block_width * p.block_height < 31;
        partition = astc_pattern(block.partition_index, block.partitions, small_block).at((u8)x, (u8)y);
    }
    Out::texel(Out::line(block.ends[partition], block.component, p.profile), weight, own, words);
}

// Weights of all texels of a block, row by row. Rows are filled in from left to right in ASTC_LANES lanes, so that each
// covers what the one before wrote too much.
FN void astc_fill_in(const AstcParams& p, const AstcBlock& block, const u8* plane, u8* weights) {
    alignas(16) u8 left[ASTC_LANES], right[ASTC_LANES], part[ASTC_LANES];
    alignas(16) u8 lefts[ASTC_MAX_SIDE][ASTC_LANES], rights[ASTC_MAX_SIDE][ASTC_LANES];
    const s32 columns = block.columns, rows = block.rows;
    FOR_LINE(x, ASTC_LANES) {
        const s32 x_16 = astc_grid_position(x, p.block_width, columns);
        left[x] = (u8)min_of(x_16 >> 4, columns - 1);
        right[x] = (u8)min_of((x_16 >> 4) + 1, columns - 1);
        part[x] = (u8)(x_16 & 15);
    }
    for (s32 r = 0; r < rows; ++r) {
        look_up_16(plane + r * columns, left, lefts[r]);
        look_up_16(plane + r * columns, right, rights[r]);
    }
    for (s32 y = 0; y < p.block_height; ++y) {
        const s32 y_16 = astc_grid_position(y, p.block_height, rows);
        const s32 above = y_16 >> 4, below = min_of(above + 1, rows - 1);
        const u8 *left0 = lefts[above], *right0 = rights[above], *left1 = lefts[below], *right1 = rights[below];
        u8* __restrict__ out = weights + y * p.block_width;
        FOR_LINE(x, ASTC_LANES) {
            out[x] = (u8)astc_between(left0[x], right0[x], left1[x], right1[x], part[x], (u16)(y_16 & 15));
        }
    }
}

FN void astc_fill_partitions(const AstcParams& p, const AstcBlock& block, u8* partitions) {
    const bool small_block = p.block_width * p.block_height < 31;
    const AstcPattern pattern = astc_pattern(block.partition_index, block.partitions, small_block);
    for (s32 y = 0; y < p.block_height; ++y) {
        u8* __restrict__ out = partitions + y * p.block_width;
        FOR_LINE(x, ASTC_LANES) out[x] = pattern.at((u8)x, (u8)y);
    }
}

// Texels of a whole block, on the CPU.
template <typename Out> struct AstcWhole {
    enum { ROOM = ASTC_MAX_TEXELS + ASTC_LANES };
    alignas(64) u32 texels[ROOM * Out::WORDS];
    alignas(64) u8 weights[ROOM], own_weights[ROOM], partitions[ROOM];

    static FN_MEMBER void widen(const u8* __restrict__ bytes, u32* __restrict__ words) {
        FOR_LINE(i, ASTC_LANES) words[i] = bytes[i];
    }
    // Interpolates as if all texels were of the first partition, then those of the others once more.
    template <bool PLANES> FN_MEMBER void interpolate(const AstcParams& p, const AstcBlock& block, const u8* shared) {
        typename Out::Line lines[4];
        for (s32 i = 0; i < block.partitions; ++i) lines[i] = Out::line(block.ends[i], block.component, p.profile);
        for (s32 at = 0; at < p.block_width * p.block_height; at += ASTC_LANES) {
            alignas(64) u32 w[ASTC_LANES], own[ASTC_LANES], in[ASTC_LANES], made[ASTC_LANES * Out::WORDS];
            u32* __restrict__ out = texels + at * Out::WORDS;
            widen(shared + at, w);
            if (PLANES) widen(own_weights + at, own);
            Out::template lanes<PLANES>(lines[0], w, own, out);
            if (block.partitions > 1) widen(partitions + at, in);
            for (s32 index = 1; index < block.partitions; ++index) {
                Out::template lanes<PLANES>(lines[index], w, own, made);
                FOR_LINE(i, ASTC_LANES * Out::WORDS) out[i] = in[i / Out::WORDS] == (u32)index ? made[i] : out[i];
            }
        }
    }
    FN_MEMBER void make(const AstcParams& p, const AstcBlock& block) {
        const u8* shared = block.weights;
        const bool planes = block.component != ASTC_NO_COMPONENT;
        if (planes || block.columns != p.block_width || block.rows != p.block_height) {
            astc_fill_in(p, block, block.weights, weights);
            shared = weights;
        }
        if (block.partitions > 1) astc_fill_partitions(p, block, partitions);
        if (!planes) return interpolate<false>(p, block, shared);
        astc_fill_in(p, block, block.weights + ASTC_PLANE_WEIGHTS, own_weights);
        interpolate<true>(p, block, shared);
    }
};

template <int WORDS> struct AstcFourTexels {
    u32 words[4 * WORDS];
};

// A row of 4 to 12 texels, by fours that may overlap.
template <int WORDS> FN void astc_copy_row(const u32* from, u32* to, s32 texels) {
    typedef AstcFourTexels<WORDS> Four;
    const s32 middle = min_of(texels - 4, 4) * WORDS, last = (texels - 4) * WORDS;
    *(Four*)to = *(const Four*)from;
    *(Four*)(to + middle) = *(const Four*)(from + middle);
    *(Four*)(to + last) = *(const Four*)(from + last);
}

template <typename Out> FN void astc_store(const AstcParams& p, const AstcTile& t, const AstcBlock& block, s32 column, s32 row) {
    const s32 x = column * p.block_width, y = row * p.block_height;
    const s32 width = min_of(p.block_width, t.width_px - x), height = min_of(p.block_height, t.lines - y);
    u32* out = astc_row<Out>(p, t, x, y);
    const s64 pitch = p.pitch_B / 4;
    if (block.kind != ASTC_TEXELS) {
        u32 words[Out::WORDS];
        Out::constant(block, words);
        for (s32 r = 0; r < height; ++r) {
            for (s32 i = 0; i < width * Out::WORDS; ++i) out[r * pitch + i] = words[i % Out::WORDS];
        }
        return;
    }
    AstcWhole<Out> whole;
    whole.make(p, block);
    for (s32 r = 0; r < height; ++r) {
        const u32* from = whole.texels + r * p.block_width * Out::WORDS;
        if (width == p.block_width) {
            astc_copy_row<Out::WORDS>(from, out + r * pitch, width);
        } else {
            for (s32 i = 0; i < width * Out::WORDS; ++i) out[r * pitch + i] = from[i];
        }
    }
}

template <typename Out> FN void astc_tile(const AstcParams& p, s32 tile_x, s32 tile_y) {
    SHARED AstcBlock blocks[ASTC_BLOCKS_IN_SCRATCH];
    const AstcTile t = astc_tile_of(p, tile_x, tile_y);
    FOR_ITEMS(i, t.rows * ASTC_TILE_COLUMNS) {
        const s32 column = i % ASTC_TILE_COLUMNS, row = i / ASTC_TILE_COLUMNS;
        if (column < t.columns) {
            AstcBlock& block = blocks[ON_DEVICE(0, i)];
            const Bits128 bits = load_block(astc_words(p, t, column, row));
            astc_take_apart(block, bits, p.block_width, p.block_height, p.profile);
            if (ON_DEVICE(true, false)) astc_store<Out>(p, t, block, column, row);
        }
    }
    if (ON_DEVICE(true, false)) return;
    BARRIER();
    FOR_LINES(y, t.lines) {
        const s32 row = y / p.block_height, block_y = y % p.block_height;
        u32* out = astc_row<Out>(p, t, 0, y);
        FOR_LINE(x, t.width_px) {
            const s32 column = x / p.block_width, block_x = x % p.block_width;
            const AstcBlock& block = blocks[row * ASTC_TILE_COLUMNS + column];
            astc_texel<Out>(p, block, block_x, block_y, out + x * Out::WORDS);
        }
    }
}

// Whether each block is an error: a byte per block.
FN void astc_check_tile(const AstcParams& p, s32 tile_x, s32 tile_y) {
    const AstcTile t = astc_tile_of(p, tile_x, tile_y);
    FOR_ITEMS(i, t.rows * ASTC_TILE_COLUMNS) {
        const s32 column = i % ASTC_TILE_COLUMNS, row = i / ASTC_TILE_COLUMNS;
        if (column < t.columns) {
            AstcBlock block;
            astc_take_apart(block, load_block(astc_words(p, t, column, row)), p.block_width, p.block_height, p.profile);
            ((u8*)p.texels)[(t.y + row) * t.blocks_per_row + t.x + column] = block.is_error;
        }
    }
}
