// What planes leave of objects: convex polygons inside them, cut into triangles with new vertices, and parts of lines.
//
// Pieces and new vertices of each object are counted first; with the sums of the counts known, they are written.
#pragma once
#include "clip_planes.h"

enum { CLIP_OBJECTS = ON_DEVICE(64, 64) };  // of a tile; texsamp/emulator/fixed/clip.py
enum { CLIP_MOST_CORNERS = SETUP_CORNERS + CLIP_PLANES };

struct ClipCutParams {
    SetupVertices given;
    ClipRules rules;
    s32* counts;        // counting: [count][2]: pieces, and new vertices, of each object
    const s32* places;  // writing: [count][2]: the first of them
    s32* made;          // writing: [pieces][OBJECT_COLUMNS]
    u32* vertices;      // writing: [new vertices][slots][4]
    float* straight;    // writing: [pieces][2][3], what linear weights of corners 1 and 2 are to be; null if they stay
    s32 first_vertex;   // the row of the first new vertex
    s32 tiles_x;
};
static_assert(sizeof(ClipCutParams) == 128, "parameter layout");

// A convex polygon, or a part of a line: of each corner what it has of the object's, and whether the edge from there on is
// an outer one.
struct ClipPolygon {
    double weights[CLIP_MOST_CORNERS][SETUP_CORNERS];
    bool flags[CLIP_MOST_CORNERS];
    s32 count;
};

FN double weighed(const double* weights, const double* values, s32 corners) {
    double sum = 0.0;
    for (s32 n = 0; n < corners; ++n) sum += weights[n] * values[n];
    return sum;
}

FN void put_corner(ClipPolygon& to, const double* weights, bool flag, s32 corners) {
    for (s32 n = 0; n < corners; ++n) to.weights[to.count][n] = weights[n];
    to.flags[to.count++] = flag;
}

// A polygon, or a line, cut at a plane. distances: of the object's corners.
FN void keep_inside(const ClipPolygon& from, const double* distances, s32 corners, ClipPolygon& to) {
    to.count = 0;
    for (s32 n = 0; n < from.count; ++n) {
        const bool last = n + 1 >= from.count;
        const double *here = from.weights[n], *ahead = from.weights[last ? 0 : n + 1];
        const double d = weighed(here, distances, corners), e = weighed(ahead, distances, corners);
        const bool is_in = d >= 0.0;
        if (is_in && to.count < CLIP_MOST_CORNERS) put_corner(to, here, from.flags[n], corners);
        if (is_in == (e >= 0.0) || (last && corners < SETUP_CORNERS) || to.count >= CLIP_MOST_CORNERS) continue;
        const double *inner = is_in ? here : ahead, *outer = is_in ? ahead : here;
        const double near = is_in ? d : e, share = near / (near - (is_in ? e : d));
        double between[SETUP_CORNERS];
        for (s32 k = 0; k < corners; ++k) between[k] = inner[k] + (outer[k] - inner[k]) * share;
        put_corner(to, between, from.flags[n] || is_in, corners);  // where it leaves, an outer edge along the plane begins
    }
}

// The object inside all planes; which of two polygons has it, as each plane goes from one to the other.
FN s32 what_is_left(const ClipCutParams& p, const s32* object, ClipPolygon* pair) {
    const s32 corners = p.given.corners;
    ClipPlanes planes;
    clip_planes_of(p.given, p.rules, object, planes);
    ClipPolygon& left = pair[0];
    left.count = corners;
    for (s32 n = 0; n < corners; ++n) {
        for (s32 k = 0; k < corners; ++k) left.weights[n][k] = n == k ? 1.0 : 0.0;
        left.flags[n] = object[OBJECT_EDGES] >> n & 1;
    }
    s32 now = 0;
    for (s32 k = 0; k < planes.count; ++k) {
        bool is_cut = false;
        for (s32 n = 0; n < corners; ++n) is_cut = is_cut | (planes.of[k][n] < 0.0);
        if (!is_cut) continue;
        keep_inside(pair[now], planes.of[k], corners, pair[1 - now]);
        now = 1 - now;
    }
    return now;
}

// The object's own corner that a corner is, -1 for a new one.
FN s32 own_corner(const double* weights, s32 corners) {
    for (s32 n = 0; n < corners; ++n)
        if (weights[n] == 1.0) return n;
    return -1;
}

FN s32 pieces_of(const ClipPolygon& left, s32 corners) { return max_of(left.count - (corners - 1), 0); }

// The bits of a sum of weighed numbers. What is no number is handed on, the first of it, as a quiet one, else it is the
// negative one: processors have it so, and GPUs do otherwise.
FN u32 mixed_bits(const u32* values, const double* weights, s32 corners) {
    double sum = 0.0;
    u32 handed = 0xFFC00000u;
    for (s32 n = corners - 1; n >= 0; --n) {
        const float value = float_of_bits(values[n]);
        if (weights[n] != 0.0 && value != value) handed = values[n] | 1u << 22;
    }
    for (s32 n = 0; n < corners; ++n) {
        const double part = (weights[n] == 0.0 ? 0.0 : (double)float_of_bits(values[n])) * weights[n];
        sum = n ? sum + part : part;
    }
    return sum != sum ? handed : bits_of_float((float)sum);
}

FN void write_vertex(const ClipCutParams& p, const s32* object, const double* weights, s32 number) {
    const SetupVertices& v = p.given;
    u32* out = p.vertices + (s64)number * v.slots * 4;
    for (s32 k = 0; k < v.slots * 4; ++k) {
        u32 values[SETUP_CORNERS];
        for (s32 n = 0; n < v.corners; ++n) values[n] = slot_of(v, object[OBJECT_CORNERS + n], 0)[k];
        out[k] = k < 4 ? values[0] : mixed_bits(values, weights, v.corners);
    }
}

// The inverse of a matrix of 2 or 3 rows and its determinant; of one without it nothing.
FN double inverse_of(const double m[SETUP_CORNERS][SETUP_CORNERS], s32 size, double inverse[SETUP_CORNERS][SETUP_CORNERS]) {
    if (size == 2) {
        const double found = m[0][0] * m[1][1] - m[0][1] * m[1][0];
        inverse[0][0] = m[1][1] / found, inverse[0][1] = -m[0][1] / found;
        inverse[1][0] = -m[1][0] / found, inverse[1][1] = m[0][0] / found;
        return found;
    }
    double found = 0.0;
    for (s32 n = 0; n < 3; ++n) {
        const s32 a = (n + 1) % 3, b = (n + 2) % 3;
        found += m[0][n] * (m[1][a] * m[2][b] - m[1][b] * m[2][a]);
    }
    for (s32 row = 0; row < 3; ++row)
        for (s32 column = 0; column < 3; ++column) {
            const s32 a = (row + 1) % 3, b = (row + 2) % 3, c = (column + 1) % 3, d = (column + 2) % 3;
            inverse[row][column] = (m[c][a] * m[d][b] - m[c][b] * m[d][a]) / found;
        }
    return found;
}

// What linear weights of a piece's corners are to be: those of the whole object (Sandy Bridge volume 2 part 1, page 191).
// A constant, and times those weights; of pieces without area as they are.
FN void write_straight(const ClipCutParams& p, const s32* object, const double weights[SETUP_CORNERS][SETUP_CORNERS], float* out) {
    const s32 size = p.given.corners;
    double screen[SETUP_CORNERS][SETUP_CORNERS], inverse[SETUP_CORNERS][SETUP_CORNERS], wanted[SETUP_CORNERS][SETUP_CORNERS];
    for (s32 k = 0; k < SETUP_STRAIGHT; ++k) out[k] = k == 1 || k == 5 ? 1.0f : 0.0f;
    if (!(magnitude_of(inverse_of(weights, size, inverse)) > clip_smallest_w())) return;
    for (s32 row = 0; row < size; ++row) {
        double parts[SETUP_CORNERS], sum = 0.0;
        for (s32 n = 0; n < size; ++n) parts[n] = weights[row][n] * position_of(p.given, object[OBJECT_CORNERS + n], 3), sum += parts[n];
        for (s32 n = 0; n < size; ++n) screen[row][n] = parts[n] / sum;
    }
    for (s32 row = 0; row < size; ++row)
        for (s32 column = 0; column < size; ++column) {
            wanted[row][column] = 0.0;
            for (s32 n = 0; n < size; ++n) wanted[row][column] += screen[row][n] * inverse[n][column];
        }
    for (s32 row = 0; row + 1 < size; ++row) {
        out[3 * row] = (float)wanted[0][row + 1];
        for (s32 n = 0; n + 1 < size; ++n) out[3 * row + 1 + n] = (float)(wanted[n + 1][row + 1] - wanted[0][row + 1]);
    }
}

FN void write_piece(const ClipCutParams& p, const s32* object, const ClipPolygon& left, const s32* rows, s32 number, s32 piece) {
    const s32 corners = p.given.corners, at[SETUP_CORNERS] = {0, number + 1, number + 2};
    s32* out = p.made + (s64)piece * OBJECT_COLUMNS;
    for (s32 k = 0; k < OBJECT_COLUMNS; ++k) out[k] = object[k];
    for (s32 n = 0; n < corners; ++n) out[OBJECT_CORNERS + n] = rows[at[n]];
    out[OBJECT_EDGES] = (1 << corners) - 1;
    if (corners == SETUP_CORNERS) {  // of a fan: its own edge, and at its ends those of the first corner
        const bool first = number == 0 && left.flags[0], last = number + 3 == left.count && left.flags[left.count - 1];
        out[OBJECT_EDGES] = (s32)first | (s32)left.flags[number + 1] << 1 | (s32)last << 2;
    }
    if (!p.straight) return;
    double weights[SETUP_CORNERS][SETUP_CORNERS];
    for (s32 n = 0; n < corners; ++n)
        for (s32 k = 0; k < corners; ++k) weights[n][k] = left.weights[at[n]][k];
    write_straight(p, object, weights, p.straight + (s64)piece * SETUP_STRAIGHT);
}

FN_ONCE void write_pieces(const ClipCutParams& p, const s32* object, const ClipPolygon& left, const s32* places) {
    const s32 corners = p.given.corners;
    s32 rows[CLIP_MOST_CORNERS], made = places[1];
    for (s32 n = 0; n < left.count; ++n) {
        const s32 own = own_corner(left.weights[n], corners);
        rows[n] = own < 0 ? p.first_vertex + made : object[OBJECT_CORNERS + own];
        if (own < 0) write_vertex(p, object, left.weights[n], made++);
    }
    for (s32 number = 0; number < pieces_of(left, corners); ++number) write_piece(p, object, left, rows, number, places[0] + number);
}

FN void write_whole(const ClipCutParams& p, const s32* object, s32 piece) {
    for (s32 k = 0; k < OBJECT_COLUMNS; ++k) p.made[(s64)piece * OBJECT_COLUMNS + k] = object[k];
    for (s32 k = 0; p.straight && k < SETUP_STRAIGHT; ++k) p.straight[(s64)piece * SETUP_STRAIGHT + k] = k == 1 || k == 5 ? 1.0f : 0.0f;
}

FN void clip_cut_tile(const ClipCutParams& p, s32 tile_x, s32 tile_y) {
    const s32 begin = (tile_y * p.tiles_x + tile_x) * CLIP_OBJECTS, count = min_of<s32>(CLIP_OBJECTS, p.given.count - begin);
    FOR_ITEMS(i, count) {
        const s32 number = begin + i, *object = object_of(p.given, number);
        const ClipOutcome outcome = outcome_of(p.given, p.rules, object);
        ClipPolygon pair[2];
        pair[0].count = 0;
        const ClipPolygon& left = pair[outcome == CLIP_CUT ? what_is_left(p, object, pair) : 0];
        if (!p.places) {
            s32 made = 0;
            for (s32 n = 0; n < left.count; ++n) made += own_corner(left.weights[n], p.given.corners) < 0;
            const bool is_whole = outcome == CLIP_WHOLE;
            p.counts[2 * number] = is_whole ? 1 : pieces_of(left, p.given.corners);
            p.counts[2 * number + 1] = made;
        } else if (outcome == CLIP_WHOLE) {
            write_whole(p, object, p.places[2 * number]);
        } else if (outcome == CLIP_CUT) {
            write_pieces(p, object, left, p.places + 2 * number);
        }
    }
}
