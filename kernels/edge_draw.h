// Edges at shallow angles (texsamp's own, docs/deinterlace-hq.md (55) to (60), (78)): samples along the offsets that
// were found, in what another method has made of a field.
#pragma once
#include "edge_search.h"
#include "magnitude.h"

enum { EDGE_CUBIC = 5, EDGE_BEYOND = 16, EDGE_RUN = ON_DEVICE(16, 1) };
enum { DRAWN_WIDTH = ON_DEVICE(256, 64), DRAWN_LINES = 8 };  // of a tile
static_assert(DRAWN_LINES == EDGE_LINES && DRAWN_WIDTH % EDGE_WIDTH == 0, "tiles of the search are parts of those that are drawn");

struct EdgeDrawParams {
    FieldSamples current;
    FieldTarget target;  // holds what another method has made of the field
    const s8* offsets;   // as the search leaves them
    const u8* keys;
    s32 pitch_B;
    s32 width, height;
    s32 parity;  // of the field: 0 top
    s32 drop;    // bits of a sample beyond 8
    s32 sought_pitch_B;
    const u8* sought;  // of every tile of the search, on the host
    u8 weights[184];  // of the sample along the edge, in eighths, by agreement, contrast, ratio and side; 4 unused
};
static_assert(sizeof(EdgeDrawParams) == 280, "parameter layout");

template <typename T> FN s32 edge_sample(const EdgeDrawParams& p, s32 line, s32 x) {
    const s64 at = clamp_to(x, 0, p.width - 1);
    return sample_of(row_of<T>(p.current, line_in_picture(line, p.height))[at * p.current.step], p.current.shift, p.current.max);
}

template <typename T> FN s32 along_edge(const EdgeDrawParams& p, s32 x, s32 y, s32 offset) {
    const s32 above = edge_sample<T>(p, y - 1, x + offset);
    const s32 below = edge_sample<T>(p, y + 1, x - offset);
    if (magnitude_of(offset) > EDGE_CUBIC) return (above + below + 1) >> 1;
    const s32 far = edge_sample<T>(p, y - 3, x + 3 * offset) + edge_sample<T>(p, y + 3, x - 3 * offset);
    const s32 low = min_of(above, below), high = max_of(above, below), spare = max_of(high - low, 4 << p.drop) >> 1;
    const s32 value = clamp_to((9 * (above + below) - far + 8) >> 4, low - spare, high + spare);
    return clamp_to(value, 0, p.current.max);
}

// How far the offset of a line is from another there, where that edge would be.
FN s32 edge_apart(const EdgeDrawParams& p, s32 line, s32 x, s32 offset) {
    const s32 row = clamp_to(line, 0, ((p.height + p.parity) >> 1) - 1), column = clamp_to(x, 0, p.width - 1);
    const bool sought = ON_DEVICE(p.sought[(s64)(row / EDGE_LINES) * p.sought_pitch_B + column / EDGE_WIDTH], true);
    return magnitude_of((sought ? p.offsets[(s64)row * p.pitch_B + column] : 0) - offset);
}

// How well the lines above and below follow the same edge, 0 to 4.
FN s32 edge_agreement(const EdgeDrawParams& p, s32 line, s32 x, s32 offset) {
    const s32 one = edge_apart(p, line - 1, x + 2 * offset, offset), other = edge_apart(p, line + 1, x - 2 * offset, offset);
    const s32 most = max_of(one, other), least = min_of(one, other), allowed = 1 + magnitude_of(offset) / 4;
    if (most <= allowed) return most <= allowed / 2 ? 4 : 3;
    return least <= allowed ? 2 : (least <= 2 * allowed ? 1 : 0);
}

// What lies in a tile of the search.
template <typename T> FN void draw_edges(const EdgeDrawParams& p, s32 first, s32 count, s32 line0, s32 lines) {
    const s32 runs = (count + EDGE_RUN - 1) / EDGE_RUN;
    FOR_ITEMS(n, lines * runs) {
        const s32 line = line0 + n / runs, start = first + n % runs * EDGE_RUN, y = 2 * line + 1 - p.parity;
        const s64 at = (s64)line * p.pitch_B;  // its rows hold whole runs
        s8 any = 0;
        for (s32 k = 0; k < EDGE_RUN; ++k) any |= p.offsets[at + start + k];
        if (any == 0) continue;
        for (s32 x = start; x < min_of(start + EDGE_RUN, p.width); ++x) {
            const s32 offset = p.offsets[at + x];
            if (offset == 0) continue;
            const s32 agreement = edge_agreement(p, line, x, offset);
            const s32 key = p.keys[at + x], weight = p.weights[agreement * EDGE_KEYS + (key & (EDGE_HELD - 1))];
            if (weight == 0) continue;
            T* out = row_of<T>(p.target, y) + (s64)x * p.target.step;
            const s32 made = sample_of(*out, p.target.shift, p.current.max);
            const s32 most = key & EDGE_HELD ? EDGE_BEYOND << p.drop : p.current.max;
            const s32 edge = clamp_to(along_edge<T>(p, x, y, offset), made - most, made + most);
            *out = element_of((T)((weight * edge + (8 - weight) * made + 4) >> 3), p.target.shift);
        }
    }
}

// Tiles of the search in which it has sought nothing are left out; on a GPU looking costs more than it saves.
template <typename T> FN void draw_sought(const EdgeDrawParams& p, s32 begin, s32 end, s32 line0, s32 lines, s32 tile_y) {
    for (s32 x = begin; x < end; x += EDGE_WIDTH)
        if (p.sought[(s64)tile_y * p.sought_pitch_B + x / EDGE_WIDTH])
            draw_edges<T>(p, x, min_of<s32>(EDGE_WIDTH, end - x), line0, lines);
}

template <typename T> FN void edge_draw_tile(const EdgeDrawParams& p, s32 tile_x, s32 tile_y) {
    const s32 begin = tile_x * DRAWN_WIDTH, end = min_of<s32>(begin + DRAWN_WIDTH, p.width), line0 = tile_y * DRAWN_LINES;
    const s32 lines = min_of<s32>(DRAWN_LINES, ((p.height + p.parity) >> 1) - line0);
    ON_DEVICE(draw_sought<T>(p, begin, end, line0, lines, tile_y), draw_edges<T>(p, begin, end - begin, line0, lines));
}
