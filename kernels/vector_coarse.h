// The first search for motion between fields, by vectors of whole pixels (texsamp's own, docs/deinterlace-hq.md (62)).
#pragma once
#include "field_vectors.h"

enum { COARSE_LINES = 8, COARSE_REACH_X = 16, COARSE_STEP = 2, COARSE_REACH_Y = 4 };  // of two blocks by two: samples of half the width, lines
enum { COARSE_BLOCKS = ON_DEVICE(64, 32) };  // of a tile
enum { COARSE_CALM = 192, COARSE_ACROSS = 2 * COARSE_REACH_X + 1 };

struct VectorCoarseParams {
    VectorGuides halves;
    const FieldShift* shift;
    s8 *x, *y;  // samples of half the width, lines of a field: to the field beside this one in its own frame
    s32 guide_pitch_B, pitch_B;
    s32 columns;
    s32 pad_;
};
static_assert(sizeof(VectorCoarseParams) == 72, "parameter layout");

// What a block costs at half the width by a vector of whole pixels, whose odd ones lie half a sample apart on one side.
FN s32 coarse_cost(const VectorCoarseParams& p, s64 at, s32 x, s32 y, s32 limit) {
    const s64 pitch = p.guide_pitch_B, way = y * pitch;
    const Compared both = {p.halves.own + at + way + (x >> 1), p.halves.other + at - way - ((x + 1) >> 1),
                           p.halves.field + at, p.halves.beyond + at - 2 * way - x};
    return compared_cost(both, COARSE_STEP * pitch, COARSE_LINES / COARSE_STEP, limit);
}

// The vector, if it costs less than what is found, with its length.
FN void try_coarse(const VectorCoarseParams& p, s64 at, s32 x, s32 y, FoundVector& found) {
    const s32 way = length_of(x, 2 * y), cost = coarse_cost(p, at, x, y, found.cost - way) + way;
    if (cost < found.cost) found = {x, y, cost};
}

// What costs least of all vectors, `found` to begin with.
FN void search_coarse(const VectorCoarseParams& p, s64 at, FoundVector& found) {
    for (s32 j = 0; j <= 2 * COARSE_REACH_Y; ++j) {
        const s32 apart = j ? 2 : 1;  // what goes sideways alone may be text, which matches elsewhere as well
        for (s32 i = 0; i <= 2 * COARSE_REACH_X / apart; ++i) {
            const s32 x = apart * outward(i), y = outward(j);
            if (length_of(x, 2 * y) >= found.cost) break;  // as do those that are farther away
            try_coarse(p, at, x, y, found);
        }
    }
}

// With the vectors beside it.
FN void store_coarse(const VectorCoarseParams& p, s64 at, s32 column, s32 row, FoundVector found) {
    if (found.cost > COARSE_CALM || (found.x | found.y) != 0) {
        const s32 x = found.x, y = found.y;
        try_coarse(p, at, x - 1, y, found);
        try_coarse(p, at, x + 1, y, found);
    }
    p.x[(s64)row * p.pitch_B + column] = (s8)found.x;
    p.y[(s64)row * p.pitch_B + column] = (s8)found.y;
}

#if defined(__AVX2__) && !defined(TEXSAMP_THREADED_TILES)
#include "intrinsics.h"
#define HAS_COARSE_TWO 1

FN __m256i two_at(const u8* at) { return _mm256_loadu_si256((const __m256i*)at); }

// Ways across in the order in which they are tried: how far what is read lies on either side, and what lengths and numbers add
// to a cost, whose lower eight bits are the number.
struct CoarseWay {
    s64 own, other, beyond, length, key;
};
struct CoarseWays {
    CoarseWay each[COARSE_ACROSS];
};
constexpr CoarseWays coarse_ways(s32 apart) {
    CoarseWays ways = {};
    for (s32 i = 0; i <= 2 * COARSE_REACH_X / apart; ++i) {
        const s32 x = apart * (i & 1 ? -((i + 1) >> 1) : i >> 1), length = x < 0 ? -x : x;
        ways.each[i] = {x >> 1, -((x + 1) >> 1), -x, length, 256 * length + i};
    }
    return ways;
}
static constexpr CoarseWays COARSE_EVERY = coarse_ways(1), COARSE_EVEN = coarse_ways(2);

// The costs of two blocks beside each other by a vector, one in either half, with its length and number: the least of them is
// of the vector that costs least, and of the first one. It is put into `best`.
FN void try_two(const u8* own, const u8* other, const u8* beyond, s64 step, const __m256i* field, __m256i number, __m256i& best) {
    __m256i sums = _mm256_setzero_si256(), keys = sums;
    UNROLL for (s32 k = 0; k < COARSE_LINES / COARSE_STEP; k += 2) {
        UNROLL for (s32 n = k; n < k + 2; ++n) {
            sums = _mm256_add_epi64(sums, _mm256_sad_epu8(two_at(own + n * step), two_at(other + n * step)));
            sums = _mm256_add_epi64(sums, _mm256_sad_epu8(field[n], two_at(beyond + n * step)));
        }
        keys = _mm256_add_epi64(sums, _mm256_shuffle_epi32(sums, 0x4e));
        keys = _mm256_add_epi64(_mm256_slli_epi64(keys, 8), number);
        if (k == 0 && _mm256_movemask_epi8(_mm256_cmpgt_epi32(best, keys)) == 0) return;
    }
    best = _mm256_min_epi32(best, keys);
}

// What `search_coarse` finds for two blocks.
FN void search_two(const VectorCoarseParams& p, s64 at, FoundVector* found) {
    const s64 pitch = p.guide_pitch_B, step = COARSE_STEP * pitch;
    __m256i field[COARSE_LINES / COARSE_STEP], best = _mm256_set1_epi64x(0x7fffffff);
    UNROLL for (s32 k = 0; k < COARSE_LINES / COARSE_STEP; ++k) field[k] = two_at(p.halves.field + at + k * step);
    s32 number = 0, reach = max_of(found[0].cost, found[1].cost);
    for (s32 j = 0; j <= 2 * COARSE_REACH_Y; ++j) {
        const s32 y = outward(j), length = length_of(0, 2 * y), count = 2 * COARSE_REACH_X / (j ? 2 : 1) + 1;
        const s64 way = y * pitch;
        const CoarseWay* ways = (j ? COARSE_EVEN : COARSE_EVERY).each;
        const u8 *own = p.halves.own + at + way, *other = p.halves.other + at - way, *beyond = p.halves.beyond + at - 2 * way;
        const __m256i first = _mm256_set1_epi64x(256 * length + number);
        for (s32 i = 0; i < count && length + ways[i].length < reach; ++i) {
            const __m256i key = _mm256_add_epi64(first, _mm256_set1_epi64x(ways[i].key));
            try_two(own + ways[i].own, other + ways[i].other, beyond + ways[i].beyond, step, field, key, best);
        }
        number += count;
        reach = max_of(_mm256_extract_epi32(best, 0), _mm256_extract_epi32(best, 4)) >> 8;
    }
    const s32 keys[2] = {_mm256_extract_epi32(best, 0), _mm256_extract_epi32(best, 4)};
    for (s32 n = 0; n < 2; ++n) {
        const s32 place = keys[n] & 255, down = place < COARSE_ACROSS ? 0 : 1 + (place - COARSE_ACROSS) / (COARSE_REACH_X + 1);
        const s32 across = down ? 2 * outward((place - COARSE_ACROSS) % (COARSE_REACH_X + 1)) : outward(place);
        found[n] = {across, outward(down), keys[n] >> 8};
    }
}
#else
#define HAS_COARSE_TWO 0
FN void search_two(const VectorCoarseParams&, s64, FoundVector*) {}
#endif

FN void vector_coarse_tile(const VectorCoarseParams& given, s32 tile_x, s32 row) {
    VectorCoarseParams p = given;
    p.halves = shifted_guides(p.halves, *p.shift, p.guide_pitch_B, 2);
    const s32 first = tile_x * COARSE_BLOCKS, count = min_of<s32>(COARSE_BLOCKS, p.columns - first);
    FOR_ITEMS(n, count) {
        const s32 column = first + n;
        const s64 at = (s64)row * COARSE_LINES * p.guide_pitch_B + column * VECTOR_BLOCK;
        FoundVector found[2] = {{0, 0, coarse_cost(p, at, 0, 0, 1 << 30)}, {0, 0, 0}};
        if (found[0].cost > COARSE_CALM) {
            if (HAS_COARSE_TWO && n + 1 < count) found[1].cost = coarse_cost(p, at + VECTOR_BLOCK, 0, 0, 1 << 30);
            if (found[1].cost > COARSE_CALM) {
                search_two(p, at, found);
                store_coarse(p, at + VECTOR_BLOCK, column + 1, row, found[1]);
                ++n;
            } else {
                search_coarse(p, at, found[0]);
            }
        }
        store_coarse(p, at, column, row, found[0]);
    }
}
