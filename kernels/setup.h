// Setup: objects of the clipper on the screen, culled, as shapes with planes (volume 2 part 1, pages 233-282).
//
// What is left of each object is counted first; with the sums of the counts known, it is written, one behind the other.
#pragma once
#include "clip_planes.h"
#include "setup_lines.h"

enum { SETUP_OBJECTS = ON_DEVICE(64, 64) };  // of a tile; texsamp/emulator/fixed/setup.py
enum SetupFill { FILL_SOLID = 0, FILL_WIREFRAME = 1, FILL_POINT = 2 };
enum SetupCull { CULL_BOTH = 0, CULL_NONE = 1, CULL_FRONT = 2, CULL_BACK = 3 };

// Of an object, to be added up: how many it became; of these, that are drawn; whether the clipper let it through, and
// whether it cuts it; rows of subspans, subspans in these, and pixels, of what may be drawn.
enum {
    SUM_OBJECTS = 0, SUM_DRAWN = 1, SUM_PASSED = 2, SUM_CUT = 3, SUM_ROWS = 4, SUM_SUBSPANS = 5, SUM_PIXELS = 6, SUM_COLUMNS = 7,
};
// And what it reaches to, of which the greatest counts: pixels to the left, above, to the right and below, array indices.
// Of the left and upper ones and the lower index all bits are turned, so that the least counts.
enum { REACH_LEFT = 0, REACH_TOP = 1, REACH_RIGHT = 2, REACH_BOTTOM = 3, REACH_LOW = 4, REACH_HIGH = 5, REACH_COLUMNS = 6 };

struct SetupRules {
    s32 is_rectangle;     // a triangle stands for the box around it
    s32 kind;             // SetupKind of objects that are filled as they are
    s32 shows_back;       // points and lines that are declared back faces
    s32 is_strip;         // lines, of which the last one draws its last pixel
    s32 front_winding, cull;
    s32 fill[2];          // of front and back faces
    s32 biased[3];        // fill modes whose depth is moved
    float bias_constant, bias_scale, bias_clamp;
    float bias_unit;      // 0: that of a float, by the depth
    s32 array_index_is_zero;
    s32 point_width;      // in 1/256 pixels; -1: that of the vertex
    float least_point_width, most_point_width;
    s32 upper_right;      // the border of a point that belongs to it
    s32 left, top, right, bottom;  // pixels that may be drawn
    s32 last_scissor;     // -1: there are none
    s32 keeps_undrawn;    // those that lie outside of what is drawn, which the line stipple counts
};

struct SetupParams {
    SetupVertices given;
    ClipRules clip;
    ScreenRules screen;
    LineRules lines;
    SetupRules rules;
    const s32* scissors;     // [last_scissor + 1][4]
    const float* straight;   // [count][2][3]; null: all are as they came
    s64* sums;               // counting: [count][SUM_COLUMNS]
    s32* reach;              // counting: [count][REACH_COLUMNS]
    const s64* places;       // writing: [count], the first that an object becomes; null: counting
    s64* edges;              // [objects][4][3]
    s32* areas;              // [objects][4]: left, top, right and bottom pixel that is drawn in, inclusive
    s64* weights;            // [objects][2][3]: a, b, c of the weights of corner 1 and 2, times the scale
    s64* scales;             // [objects]: above 0
    float* corners;          // [objects][6]: 1 / w of three corners; depth of corner 0, and what 1 and 2 have more
    float* made_straight;    // [objects][2][3]; null with `straight`
    s32* told;               // [objects][TOLD_COLUMNS]
    s64* rows;               // [objects][2]: rows of subspans, and subspans, that may be drawn
    s32 tiles_x;
};
static_assert(sizeof(SetupParams) == 344, "parameter layout");

// An object on the screen. corner: of a triangle that became a point, else -1.
struct SetupObject {
    Shape shape;
    s64 weights[2][3], scale;
    float corners[6];
    s32 kind, corner;
};

// What an object is before it is filled.
struct SetupFace {
    Screen screen;
    s64 area;
    bool is_seen, is_back;
};

FN void face_of(const SetupParams& p, const s32* object, SetupFace& face) {
    const SetupRules& rules = p.rules;
    screen_of(p.given, p.screen, object, face.screen);
    face.is_seen = face.screen.is_seen, face.is_back = rules.shows_back, face.area = 0;
    if (!face.is_seen) return;
    const Point* at = face.screen.at;
    if (p.given.corners == 2) face.is_seen = at[0].x != at[1].x || at[0].y != at[1].y;
    if (p.given.corners < SETUP_CORNERS || rules.is_rectangle) return;
    face.area = doubled_area(at);
    face.is_back = (face.area < 0) != (bool)rules.front_winding || face.area == 0;
    const bool is_culled = rules.cull == CULL_BOTH || (rules.cull == CULL_FRONT && !face.is_back) || (rules.cull == CULL_BACK && face.is_back);
    face.is_seen = !is_culled && (face.area != 0 || rules.fill[1] != FILL_SOLID);
}

// Weights of corners 1 and 2 of a triangle, and their scale.
FN void weigh_triangle(SetupObject& to, const Point* at) {
    const s64 area = doubled_area(at), sign = area < 0 ? -1 : area > 0;
    for (int n = 0; n < 2; ++n) {
        const Point end = at[n ? 1 : 2];
        const s64 dx = n ? at[0].x - end.x : end.x - at[0].x, dy = n ? at[0].y - end.y : end.y - at[0].y;
        to.weights[n][0] = dy * sign, to.weights[n][1] = -dx * sign, to.weights[n][2] = (at[0].y * dx - at[0].x * dy) * sign;
    }
    to.scale = max_of<s64>(area * sign, 1);
}

// The weight of corner 1 of a line: how far along the line.
FN void weigh_line(SetupObject& to, const Point* at) {
    const s64 dx = at[1].x - at[0].x, dy = at[1].y - at[0].y;
    to.weights[0][0] = dx, to.weights[0][1] = dy, to.weights[0][2] = -(dx * at[0].x + dy * at[0].y);
    to.weights[1][0] = to.weights[1][1] = to.weights[1][2] = 0;
    to.scale = max_of<s64>(dx * dx + dy * dy, 1);
}

FN s32 point_width(const SetupParams& p, s32 vertex) {
    const SetupRules& rules = p.rules;
    if (rules.point_width >= 0) return rules.point_width;
    const float given = float_of_bits(slot_of(p.given, vertex, VERTEX_HEADER)[HEADER_POINT_WIDTH]), least = rules.least_point_width;
    const float wanted = given != given ? 0.0f : given, most = max_of(rules.least_point_width, rules.most_point_width);
    return (s32)nearest((double)(wanted < least ? least : wanted > most ? most : wanted) * RASTER_SUBPIXELS);
}

// A square; its weights are how far a sample is from the left and the upper border.
FN void square(const SetupParams& p, SetupObject& to, Point at, s32 vertex) {
    const s64 width = point_width(p, vertex);
    const Point low = {at.x - width / 2, at.y - width / 2};
    for (int n = 0; n < 2; ++n) to.weights[n][0] = n == 0, to.weights[n][1] = n == 1, to.weights[n][2] = n ? -low.y : -low.x;
    to.scale = max_of<s64>(width, 1);
    box(to.shape, low, {low.x + width, low.y + width}, p.rules.upper_right);
}

// 1 / w and depths of corners; a corner that is not there is as the first.
FN void plane_of(SetupObject& to, const Screen& screen, s32 first, s32 corners) {
    for (int n = 0; n < SETUP_CORNERS; ++n) {
        const s32 from = n < corners ? first + n : first;
        to.corners[n] = (float)screen.inverse_w[from];
        to.corners[3 + n] = (float)(n ? screen.depth[from] - screen.depth[first] : screen.depth[first]);
    }
}

// The exponent e of a number m * 2^e, with m from 1/2 to below 1; 0 of 0 and of what is none.
FN s32 exponent_of(double v) { return v == 0.0 || !is_finite(v) ? 0 : (s32)(bits_of_double(v) >> 52 & 0x7FF) - 1022; }

FN double greater(double a, double b) { return a != a || a > b ? a : b; }

// How far a triangle's depth is moved (volume 2 part 1, pages 310-311).
FN double bias_of(const SetupRules& rules, const SetupObject& object) {
    const double first = (double)object.corners[3], one = (double)object.corners[4], two = (double)object.corners[5];
    double slopes[2];
    for (int k = 0; k < 2; ++k) {
        const double sum = (double)object.weights[0][k] * one + (double)object.weights[1][k] * two;
        slopes[k] = magnitude_of(sum * (double)RASTER_SUBPIXELS / (double)object.scale);
    }
    const double largest = greater(magnitude_of(first), greater(magnitude_of(first + one), magnitude_of(first + two)));
    const double unit = rules.bias_unit != 0.0f ? (double)rules.bias_unit : power_of_two(exponent_of(largest) - 24);
    double bias = (double)rules.bias_constant * unit + (double)rules.bias_scale * greater(slopes[0], slopes[1]);
    const double clamp = (double)rules.bias_clamp;
    if (clamp > 0.0 && bias > clamp) bias = clamp;
    if (clamp < 0.0 && bias < clamp) bias = clamp;
    return bias != bias ? 0.0 : bias;
}

// What is no number is 0, what is infinite the largest one.
FN float finite_or_largest(float v) {
    const float largest = float_of_bits(0x7F7FFFFFu);
    return v != v ? 0.0f : v > largest ? largest : v < -largest ? -largest : v;
}

FN void move(const SetupRules& rules, SetupObject& object, s32 fill) {
    if (rules.biased[fill]) object.corners[3] = (float)((double)object.corners[3] + bias_of(rules, object));
}

FN bool lies_somewhere(const Shape& shape) { return shape.bounds[2] >= shape.bounds[0] && shape.bounds[3] >= shape.bounds[1]; }

// Whether the edge from a corner of a triangle on becomes a line, or the corner a point: not where the clipper put one
// (page 249).
FN bool has_part(const s32* object, s32 fill, s32 corner) {
    if (fill == FILL_SOLID) return corner == 0;
    if (!(object[OBJECT_EDGES] >> corner & 1)) return false;
    bool is_own = fill == FILL_WIREFRAME;
    for (int n = 0; n < SETUP_CORNERS; ++n) is_own = is_own || object[OBJECT_SUBMITTED + n] == object[OBJECT_CORNERS + corner];
    return is_own;
}

// A part of a triangle as it is filled: itself, an edge with the triangle's planes, or a corner with those of a point, that
// is moved as the triangle is.
FN bool filled_part(const SetupParams& p, const s32* object, const SetupFace& face, s32 corner, SetupObject& made) {
    const s32 fill = p.rules.fill[face.is_back];
    const Screen& screen = face.screen;
    if (!has_part(object, fill, corner)) return false;
    plane_of(made, screen, 0, SETUP_CORNERS);
    weigh_triangle(made, screen.at);
    move(p.rules, made, fill);
    made.kind = fill == FILL_SOLID ? p.rules.kind : fill == FILL_WIREFRAME ? KIND_LINE : KIND_PLAIN;
    if (fill == FILL_SOLID) polygon(made.shape, screen.at, SETUP_CORNERS);
    if (fill == FILL_WIREFRAME) {
        const Point ends[2] = {screen.at[corner], screen.at[(corner + 1) % SETUP_CORNERS]};
        line(made.shape, p.lines, ends, false);
        return lies_somewhere(made.shape);  // an edge of no length has no pixels
    }
    if (fill == FILL_POINT) {
        const float moved = made.corners[3] - (float)screen.depth[0];
        plane_of(made, screen, corner, 1);
        made.corners[3] += finite_or_largest(moved);
        square(p, made, screen.at[corner], object[OBJECT_CORNERS + corner]);
        made.corner = corner;
    }
    return true;
}

// The next line of a strip goes on from the last pixel of this one, which it draws.
FN bool goes_on(const SetupParams& p, s32 number) {
    const s32 run = object_of(p.given, number)[OBJECT_RUN];
    for (s32 next = number + 1; next < p.given.count && object_of(p.given, next)[OBJECT_RUN] == run; ++next) {
        SetupFace face;
        if (outcome_of(p.given, p.clip, object_of(p.given, next)) == CLIP_DROPPED) continue;
        face_of(p, object_of(p.given, next), face);
        if (face.is_seen) return true;
    }
    return false;
}

// One of up to three parts that an object becomes.
FN_ONCE bool part_of(const SetupParams& p, s32 number, const SetupFace& face, s32 part, SetupObject& made) {
    const s32* object = object_of(p.given, number);
    const SetupRules& rules = p.rules;
    made.corner = -1, made.kind = rules.kind;
    if (p.given.corners == SETUP_CORNERS && !rules.is_rectangle) return filled_part(p, object, face, part, made);
    if (part) return false;
    const Point* at = face.screen.at;
    plane_of(made, face.screen, 0, p.given.corners);
    if (p.given.corners == 1) {
        square(p, made, at[0], object[OBJECT_CORNERS]);
    } else if (p.given.corners == 2) {
        weigh_line(made, at);
        const bool draws_last = p.lines.kind == LINE_THIN && p.lines.draws_last;
        line(made.shape, p.lines, at, draws_last && !(rules.is_strip && goes_on(p, number)));
    } else {
        weigh_triangle(made, at);
        Shape around;
        bound(around, at, SETUP_CORNERS);
        box(made.shape, {around.bounds[0], around.bounds[1]}, {around.bounds[2], around.bounds[3]}, false);
    }
    return true;
}

// The pixels that a shape may have: those of the drawing rectangle and its viewport's scissor. False if there are none.
FN bool area_of(const SetupParams& p, const Shape& shape, s32 viewport, s32* area) {
    const SetupRules& rules = p.rules;
    const s32 limits[4] = {rules.left, rules.top, rules.right, rules.bottom};
    const s32* scissor = rules.last_scissor < 0 ? limits : p.scissors + 4 * min_of(viewport, rules.last_scissor);
    for (int k = 0; k < 4; ++k) {
        const s64 pixel = shape.bounds[k] >> 8;
        area[k] = (s32)(k < 2 ? max_of(max_of<s64>(pixel, limits[k]), (s64)scissor[k]) : min_of(min_of<s64>(pixel, limits[k]), (s64)scissor[k]));
    }
    return area[0] <= area[2] && area[1] <= area[3];
}

FN void count_part(const s32* area, bool is_drawn, s32 slice, s64* sums, s32* reach) {
    sums[SUM_OBJECTS] += 1;
    if (!is_drawn) return;
    sums[SUM_DRAWN] += 1;
    const s32 rows = (area[3] >> 1) - (area[1] >> 1) + 1;
    sums[SUM_ROWS] += rows;
    sums[SUM_SUBSPANS] += (s64)rows * ((area[2] >> 1) - (area[0] >> 1) + 1);
    sums[SUM_PIXELS] += (s64)(area[2] - area[0] + 1) * (area[3] - area[1] + 1);
    const s32 found[REACH_COLUMNS] = {~area[0], ~area[1], area[2], area[3], ~slice, slice};
    for (int k = 0; k < REACH_COLUMNS; ++k) reach[k] = max_of(reach[k], found[k]);
}

FN void write_part(const SetupParams& p, const SetupObject& made, const s32* area, bool is_drawn, const s32* told, s64 to) {
    for (int n = 0; n < RASTER_EDGES; ++n) ((RasterEdge*)p.edges)[to * RASTER_EDGES + n] = made.shape.edges[n];
    for (int k = 0; k < 4; ++k) p.areas[to * 4 + k] = area[k];
    for (int k = 0; k < 6; ++k) p.weights[to * 6 + k] = made.weights[k / 3][k % 3];
    p.scales[to] = made.scale;
    for (int k = 0; k < 6; ++k) p.corners[to * 6 + k] = made.corners[k];
    p.rows[to * 2] = is_drawn ? (area[3] >> 1) - (area[1] >> 1) + 1 : 0;
    p.rows[to * 2 + 1] = p.rows[to * 2] * ((area[2] >> 1) - (area[0] >> 1) + 1);
    for (int k = 0; k < TOLD_COLUMNS; ++k) p.told[to * TOLD_COLUMNS + k] = told[k];
    if (!p.straight) return;
    for (int k = 0; k < SETUP_STRAIGHT; ++k) {
        const float as_it_is = k == 1 || k == 5 ? 1.0f : 0.0f;
        p.made_straight[to * SETUP_STRAIGHT + k] = made.corner < 0 ? p.straight[(s64)told[TOLD_OBJECT] * SETUP_STRAIGHT + k] : as_it_is;
    }
}

FN void set_up_object(const SetupParams& p, s32 number) {
    const s32* object = object_of(p.given, number);
    const ClipOutcome outcome = outcome_of(p.given, p.clip, object);
    SetupFace face;
    face.is_seen = false;
    if (outcome != CLIP_DROPPED) face_of(p, object, face);
    s64 sums[SUM_COLUMNS] = {0, 0, outcome != CLIP_DROPPED, outcome == CLIP_CUT, 0, 0, 0}, to = p.places ? p.places[number] : 0;
    s32 reach[REACH_COLUMNS];
    for (int k = 0; k < REACH_COLUMNS; ++k) reach[k] = -0x7FFFFFFF - 1;
    for (s32 part = 0; face.is_seen && part < SETUP_CORNERS; ++part) {
        SetupObject made;
        if (!part_of(p, number, face, part, made)) continue;
        const s32 viewport = viewport_of(p.given, object);
        const u32* header = slot_of(p.given, object[OBJECT_SUBMITTED], VERTEX_HEADER);
        const s32 slice = p.rules.array_index_is_zero ? 0 : (s32)header[HEADER_ARRAY_INDEX];
        s32 area[4];
        const bool is_drawn = area_of(p, made.shape, viewport, area);
        if (!is_drawn && !p.rules.keeps_undrawn) continue;
        const s32 told[TOLD_COLUMNS] = {
            face.is_back, slice, viewport, object[OBJECT_NUMBER], made.kind, object[OBJECT_RUN], number, made.corner,
        };
        if (p.places) write_part(p, made, area, is_drawn, told, to++);
        else count_part(area, is_drawn, slice, sums, reach);
    }
    if (p.places) return;
    for (int k = 0; k < SUM_COLUMNS; ++k) p.sums[(s64)number * SUM_COLUMNS + k] = sums[k];
    for (int k = 0; k < REACH_COLUMNS; ++k) p.reach[(s64)number * REACH_COLUMNS + k] = reach[k];
}

FN void setup_tile(const SetupParams& p, s32 tile_x, s32 tile_y) {
    const s32 begin = (tile_y * p.tiles_x + tile_x) * SETUP_OBJECTS, count = min_of<s32>(SETUP_OBJECTS, p.given.count - begin);
    FOR_ITEMS(i, count) set_up_object(p, begin + i);
}
