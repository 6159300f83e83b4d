// ASTC blocks of three dimensions: what differs from those of two, and tiles of volumes of any footprint.
#pragma once
#include "block_astc_texels.h"

enum { ASTC_VOLUME_COLUMNS = 32 };  // blocks of a tile, beside each other

struct AstcVolumeParams {
    const void* blocks;         // slice by slice of blocks, row by row, without padding, aligned to 4 bytes
    void* texels;               // the same way, aligned to 4 bytes
    s32 width, height, depth;   // texels
    s32 block_width, block_height, block_depth;
    s32 profile;  // an AstcProfile
    s32 pad_;
};
static_assert(sizeof(AstcVolumeParams) == 48, "parameter layout");

// A grid of weights whose layers lie below each other: its rows are those of all layers; `rows` are those of one.
struct AstcVolumeMode {
    AstcMode grid;
    u8 rows, layers;
};

FN constexpr AstcVolumeMode astc_volume_mode(int code) {
    const int a = code >> 5 & 3, high = code >> 7 & 3, b = code >> 9 & 3;
    int columns = 2, rows = 2, layers = 2, r = 0, dual_plane = code >> 10 & 1, precise = code >> 9 & 1;
    if (code & 3) {
        r = (code & 3) << 1 | (code >> 4 & 1);
        columns = a + 2;
        rows = high + 2;
        layers = (code >> 2 & 3) + 2;
    } else {
        r = (code >> 2 & 3) << 1 | (code >> 4 & 1);
        switch (high) {
            case 0: columns = 6, rows = b + 2, layers = a + 2; break;
            case 1: columns = a + 2, rows = 6, layers = b + 2; break;
            case 2: columns = a + 2, rows = b + 2, layers = 6; break;
            default:
                if (a == 3) return {};  // reserved, or a void extent
                (a == 0 ? columns : a == 1 ? rows : layers) = 6;
        }
        if (high != 3) dual_plane = precise = 0;
    }
    return {astc_grid(columns, rows * layers, r, dual_plane, precise), (u8)rows, (u8)layers};
}
struct AstcVolumeModeTable {
    AstcVolumeMode of[2048];
};
FN constexpr AstcVolumeModeTable astc_volume_mode_table() {
    AstcVolumeModeTable t{};
    for (int code = 0; code < 2048; ++code) t.of[code] = astc_volume_mode(code);
    return t;
}
TABLE AstcVolumeModeTable ASTC_VOLUME_MODES = astc_volume_mode_table();

struct AstcVolumeBlock {
    AstcBlock plain;
    u8 rows, layers;  // of the grid
};

FN void astc_volume_take_apart(AstcVolumeBlock& block, const Bits128& bits, const AstcVolumeParams& p) {
    block.plain.kind = ASTC_TEXELS;
    block.plain.is_error = 0;
    if ((bits.low & 0x1FF) == 0x1FC) {
        bool no_extent = true, has_extent = true;
        UNROLL for (int axis = 0; axis < 3; ++axis) {
            const u32 low = bits_at(bits, 10 + 18 * axis, 9), high = bits_at(bits, 19 + 18 * axis, 9);
            no_extent = no_extent && (low & high) == 0x1FF;
            has_extent = has_extent && low < high;
        }
        return astc_one_color(block.plain, bits, no_extent || has_extent, p.profile);
    }
    const AstcVolumeMode mode = ASTC_VOLUME_MODES.of[bits.low & 2047];
    const bool fits =
        mode.grid.columns <= p.block_width && mode.rows <= p.block_height && mode.layers <= p.block_depth;
    block.rows = mode.rows;
    block.layers = mode.layers;
    if (!astc_take_grid_apart(block.plain, bits, mode.grid, fits, p.profile)) astc_error(block.plain, p.profile);
}

// Where a texel lies between eight weights of the grid: the four it takes, from the nearest to the origin to the farthest,
// the way between them leading along the axes whose fractions are the greatest first; and their parts of 16.
struct AstcSimplex {
    s32 at[4], part[4];
};
FN AstcSimplex astc_simplex(const AstcVolumeParams& p, const AstcVolumeBlock& block, s32 x, s32 y, s32 z) {
    const s32 columns = block.plain.columns, rows = block.rows;
    const s32 s = astc_grid_position(x, p.block_width, columns), t = astc_grid_position(y, p.block_height, rows);
    const s32 r = astc_grid_position(z, p.block_depth, block.layers);
    const s32 fs = s & 15, ft = t & 15, fr = r & 15, step_t = columns, step_r = columns * rows;
    const bool st = fs > ft, tr = ft > fr, sr = fs > fr;
    const s32 most = max_of(max_of(fs, ft), fr), least = min_of(min_of(fs, ft), fr), middle = fs + ft + fr - most - least;
    const s32 first = st && sr ? 1 : !st && tr ? step_t : step_r;
    const s32 last = !st && !sr ? 1 : st && !tr ? step_t : step_r;
    AstcSimplex made;
    made.at[0] = (s >> 4) + (t >> 4) * step_t + (r >> 4) * step_r;
    made.at[3] = made.at[0] + 1 + step_t + step_r;
    made.at[1] = made.at[0] + first;
    made.at[2] = made.at[3] - last;
    made.part[0] = 16 - most;
    made.part[1] = most - middle;
    made.part[2] = middle - least;
    made.part[3] = least;
    return made;
}

// Weights beyond the grid are taken with a part of 0 only.
FN u32 astc_simplex_weight(const AstcSimplex& from, const u8* plane, s32 count) {
    s32 sum = 8;
    UNROLL for (int k = 0; k < 4; ++k) sum += plane[min_of(from.at[k], count - 1)] * from.part[k];
    return (u32)sum >> 4;
}

FN s32 astc_volume_partition(const AstcBlock& block, bool small_block, s32 x, s32 y, s32 z) {
    AstcPattern pattern = astc_pattern(block.partition_index, block.partitions, small_block);
    const u32 seed = astc_seed(block.partition_index, block.partitions), random = astc_hash(seed);
    const AstcShifts shifts = astc_shifts(seed, block.partitions);
    const int shift = seed & 16 ? shifts.x : shifts.y, places[4] = {26, 30, 18, 22};
    UNROLL for (int k = 0; k < 4; ++k) {
        const u32 n = (random >> places[k] | (places[k] == 30 ? random << 2 : 0)) & 15;
        pattern.start[k] = (u8)(pattern.start[k] + ((n * n >> shift) << small_block) * z);
    }
    return pattern.at((u8)x, (u8)y);
}

template <typename Out>
FN void astc_volume_texel(const AstcVolumeParams& p, const AstcVolumeBlock& block, s32 x, s32 y, s32 z, u32* words) {
    const AstcBlock& plain = block.plain;
    if (plain.kind != ASTC_TEXELS) return Out::constant(plain, words);
    const AstcSimplex simplex = astc_simplex(p, block, x, y, z);
    const s32 count = plain.columns * plain.rows;
    const u32 weight = astc_simplex_weight(simplex, plain.weights, count);
    const bool planes = plain.component != ASTC_NO_COMPONENT;
    const u32 own = planes ? astc_simplex_weight(simplex, plain.weights + ASTC_PLANE_WEIGHTS, count) : 0;
    const bool small_block = p.block_width * p.block_height * p.block_depth < 31;
    const s32 partition = plain.partitions > 1 ? astc_volume_partition(plain, small_block, x, y, z) : 0;
    Out::texel(Out::line(plain.ends[partition], plain.component, p.profile), weight, own, words);
}

// Rows of blocks of one slice after the other are below each other.
template <typename Out> FN void astc_volume_tile(const AstcVolumeParams& p, s32 tile_x, s32 tile_y) {
    SHARED AstcVolumeBlock blocks[ASTC_VOLUME_COLUMNS];
    const s32 blocks_x = (p.width + p.block_width - 1) / p.block_width;
    const s32 blocks_y = (p.height + p.block_height - 1) / p.block_height;
    const s32 first = tile_x * ASTC_VOLUME_COLUMNS, columns = min_of(blocks_x - first, (s32)ASTC_VOLUME_COLUMNS);
    FOR_ITEMS(i, columns) {
        const u32* words = (const u32*)p.blocks + 4 * ((s64)tile_y * blocks_x + first + i);
        astc_volume_take_apart(blocks[i], load_block(words), p);
    }
    BARRIER();
    const s32 left = first * p.block_width, top = tile_y % blocks_y * p.block_height, front = tile_y / blocks_y * p.block_depth;
    const s32 width = min_of(p.width - left, columns * p.block_width);
    const s32 height = min_of(p.height - top, p.block_height), depth = min_of(p.depth - front, p.block_depth);
    FOR_LINES(line, height * depth) {
        const s32 y = line % height, z = line / height;
        u32* out = (u32*)p.texels + (((s64)(front + z) * p.height + top + y) * p.width + left) * Out::WORDS;
        FOR_LINE(x, width) {
            const s32 column = x / p.block_width;
            astc_volume_texel<Out>(p, blocks[column], x - column * p.block_width, y, z, out + x * Out::WORDS);
        }
    }
}
