// The second search for motion between fields, to a quarter of a pixel (texsamp's own, docs/deinterlace-hq.md (63),
// (64), (76)).
#pragma once
#include "vector_pairs.h"

enum { VECTOR_AHEAD = 2 * 64 };  // samples that are asked for in advance, by lines of 64 bytes

// The best of the vectors of the blocks of twice the size that are about a block, and of standing still.
FN FoundVector nearest_vector(const VectorFineParams& p, s64 at, s32 column, s32 row, s32 still) {
    const s32 across = (p.columns + 1) / 2 - 1, down = (p.rows + 1) / 2 - 1;
    const s32 beside = clamp_to(column / 2 + (column & 1 ? 1 : -1), 0, across);
    const s32 below = clamp_to(row / 2 + (row & 1 ? 1 : -1), 0, down);
    const s64 own = (s64)(row / 2) * p.coarse_pitch_B + column / 2;
    const s64 places[3] = {own, (s64)(row / 2) * p.coarse_pitch_B + beside, (s64)below * p.coarse_pitch_B + column / 2};
    FoundVector found = {0, 0, still};
    s32 best = 1 << 30;
    enum { NONE = 1 << 20 };
    s32 asked[4] = {NONE, NONE, NONE, NONE};  // on the host none is asked twice, as it then costs no less
    for (s32 n = 0; n < 4; ++n) {
        const s32 x = n < 3 ? 4 * p.coarse_x[places[n]] : 0, y = n < 3 ? 4 * p.coarse_y[places[n]] : 0;
        if (ON_DEVICE(true, false)) {
            const s32 vector = 1024 * y + x;
            if ((asked[0] == vector) | (asked[1] == vector) | (asked[2] == vector)) continue;
            asked[n] = vector;
        }
        const s32 apart = VECTOR_APART * (n == 0 ? 0 : (x != 4 * p.coarse_x[own]) | (y != 4 * p.coarse_y[own]));
        const s32 cost = ON_DEVICE((x | y) != 0, n < 3) ? fine_whole_cost(p, at, x / 4, y / 4, best - apart) : still;
        if (cost + apart < best) {
            best = cost + apart;
            found = {x, y, cost};
        }
    }
    return found;
}

// Whether what lies farther by a step costs less, which is then found.
FN_ONCE bool try_quarters(const VectorFineParams& p, s64 at, s32 x, s32 y, FoundVector& found) {
    const s32 to_x = found.x + x, to_y = found.y + y, cost = fine_cost(p, at, to_x, to_y, found.cost);
    if (cost >= found.cost) return false;
    found = {to_x, to_y, cost};
    return true;
}

// Asks for what four blocks will need.
FN void prefetch_blocks(const VectorGuides& guides, s64 pitch, s64 at) {
    for (s32 k = 0; k < VECTOR_HIGH; ++k) {
        PREFETCH(guides.own + at + k * pitch);
        PREFETCH(guides.other + at + k * pitch);
        PREFETCH(guides.field + at + k * pitch);
        PREFETCH(guides.beyond + at + k * pitch);
    }
}

// What a vector costs, and what it combs.
FN_ONCE s32 rated(const VectorFineParams& p, s64 at, s32 x, s32 y) { return fine_cost(p, at, x, y, 1 << 30) + fine_comb(p, at, x, y); }

// Where both fields agree along a way that combs, the rating of another one about as far as the blocks of twice the size about a
// block go, if that is less than half of it; that leads nowhere if there is none.
FN_ONCE FoundVector asked_again(const VectorFineParams& p, s64 at, s32 column, s32 row, s32 combed) {
    const s32 across = (p.columns + 1) / 2 - 1, down = (p.rows + 1) / 2 - 1;
    FoundVector best = {0, 0, 1 << 28};
    ROLLED for (s32 n = 0; n < 17; ++n) {  // blocks above, left, here, right, below; then steps of 4, 2 and 1
        s32 x, y;
        if (n < 5) {
            const s32 i = clamp_to(column / 2 + (n == 3) - (n == 1), 0, across), j = clamp_to(row / 2 + (n == 4) - (n == 0), 0, down);
            x = 4 * p.coarse_x[(s64)j * p.coarse_pitch_B + i];
            y = 4 * p.coarse_y[(s64)j * p.coarse_pitch_B + i];
            if (((x | y) == 0) | (x == best.x && y == best.y)) continue;
        } else {
            if (n == 5 && 4 * best.cost >= 3 * combed) break;
            const s32 step = 4 >> ((n - 5) >> 2), way = n & 1 ? -step : step;
            x = best.x + ((n - 5) & 2 ? 0 : way);
            y = best.y + ((n - 5) & 2 ? way : 0);
        }
        const s32 cost = rated(p, at, x, y);
        if (cost >= best.cost) continue;
        best = {x, y, cost};
        if (n >= 5) n += n & 1;  // the other way is not asked then
    }
    return 2 * best.cost < combed ? best : FoundVector{0, 0, 0};
}

FN void vector_fine_tile(const VectorFineParams& given, s32 tile_x, s32 row) {
    VectorFineParams p = given;
    p.guides = shifted_guides(p.guides, *p.shift, p.guide_pitch_B, 1);
    const s32 first = tile_x * VECTOR_BLOCKS, count = min_of<s32>(VECTOR_BLOCKS, p.columns - first);
    FOR_ITEMS(n, count) {
        const s32 column = first + n;
        const s64 at = (s64)(row * VECTOR_LINES - (VECTOR_HIGH - VECTOR_LINES) / 2) * p.guide_pitch_B + column * VECTOR_BLOCK;
        if (ON_DEVICE((n & 3) == 0, false)) prefetch_blocks(p.guides, p.guide_pitch_B, at + VECTOR_AHEAD);
        const s32 still = fine_whole_cost(p, at, 0, 0, 1 << 30);
        FoundVector found = {0, 0, still};
        VectorCombs combs = {0, 0, 0};
        if (still > VECTOR_CALM) {
            found = nearest_vector(p, at, column, row, still);
            // What stands costs what noise and codecs change; between samples that is less, and no motion.
            const s32 least = (found.x | found.y) != 0 ? VECTOR_CALM : VECTOR_STANDS;
            for (s32 step = found.cost > least ? 4 : 0; step > 0; step >>= 1) {
                ROLLED for (s32 n = 0; n < 4; ++n) {  // left or right, then up or down
                    const s32 way = n & 1 ? step : -step;
                    if (try_quarters(p, at, n < 2 ? way : 0, n < 2 ? 0 : way, found)) n |= 1;
                }
            }
            const bool moves = (found.x | found.y) != 0;
            bool believed = moves && fine_combs_less(p, at, found, combs);
            if (!believed) {
                const s32 comb = fine_comb(p, at, found.x, found.y);
                FoundVector other = {0, 0, 0};
                if (comb > VECTOR_COMBED) other = asked_again(p, at, column, row, found.cost + comb);
                VectorCombs its = {0, 0, 0};
                if ((other.x | other.y) != 0 && fine_combs_less(p, at, other, its)) {
                    found = {other.x, other.y, fine_cost(p, at, other.x, other.y, 1 << 30)};
                    combs = its;
                    believed = true;
                }
            }
            if (moves && !believed) found.cost = VECTOR_DOUBTED;
        }
        p.x[(s64)row * p.pitch_B + column] = (s8)found.x;
        p.y[(s64)row * p.pitch_B + column] = (s8)found.y;
        ((u16*)((u8*)p.cost + (s64)row * p.cost_pitch_B))[column] = (u16)found.cost;
        ((VectorCombs*)((u8*)p.combs + (s64)row * p.combs_pitch_B))[column] = combs;
    }
}
