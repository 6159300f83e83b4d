// Corners of objects on the screen (volume 2 part 1, page 234), and the shapes that lie between them (pages 262-310).
#pragma once
#include "setup_objects.h"

enum { SETUP_FARTHEST = 1 << 23 };  // positions in 1/256 pixels are clamped to it and, to the right and below, a pixel less

struct ScreenRules {
    s32 divides;        // by w
    s32 is_transformed;  // by the viewport
    s32 step;           // positions are multiples of it, in 1/256 pixels
    s32 origin_x, origin_y;
};

struct Point {
    s64 x, y;
};

// Corners of an object on the screen, in 1/256 pixels. is_seen: all are somewhere.
struct Screen {
    Point at[SETUP_CORNERS];
    double depth[SETUP_CORNERS], inverse_w[SETUP_CORNERS];
    bool is_seen;
};

// Edges that samples are inside of, the rule for borders in their c; left, top, right and bottom in 1/256 pixels.
struct Shape {
    RasterEdge edges[RASTER_EDGES];
    s64 bounds[4];
};

// A place in pixels, as a float, in 1/256 of them; what is no number is nowhere.
FN bool snap_to(float place, s32 step, s64& to) {
    if (place != place) return false;
    const double scaled = (double)place * (double)(RASTER_SUBPIXELS / step);
    const double low = -(double)(SETUP_FARTHEST / step), high = (double)((SETUP_FARTHEST - RASTER_SUBPIXELS) / step);
    to = (s64)nearest(scaled < low ? low : scaled > high ? high : scaled) * step;
    return true;
}

FN void screen_of(const SetupVertices& v, const ScreenRules& rules, const s32* object, Screen& screen) {
    const SetupViewport& viewport = v.viewports[viewport_of(v, object)];
    screen.is_seen = true;
    for (s32 n = 0; n < v.corners; ++n) {
        const u32* given = slot_of(v, object[OBJECT_CORNERS + n], VERTEX_POSITION);
        double at[3];
        screen.inverse_w[n] = rules.divides ? 1.0 / (double)float_of_bits(given[3]) : 1.0;
        for (s32 axis = 0; axis < 3; ++axis) {
            at[axis] = (double)float_of_bits(given[axis]);
            if (rules.divides) at[axis] = at[axis] * screen.inverse_w[n];
            if (rules.is_transformed) at[axis] = at[axis] * (double)viewport.scale[axis] + (double)viewport.offset[axis];
        }
        screen.depth[n] = at[2];
        const bool has_x = snap_to((float)at[0] + (float)rules.origin_x, rules.step, screen.at[n].x);
        const bool has_y = snap_to((float)at[1] + (float)rules.origin_y, rules.step, screen.at[n].y);
        screen.is_seen = screen.is_seen && has_x && has_y && is_finite(at[2]) && is_finite(screen.inverse_w[n]);
    }
}

// Twice the area of a triangle; above 0 if it turns clockwise as one sees it, y down.
FN s64 doubled_area(const Point* at) {
    return (at[1].x - at[0].x) * (at[2].y - at[0].y) - (at[1].y - at[0].y) * (at[2].x - at[0].x);
}

FN void no_edges(Shape& shape) {
    for (int n = 0; n < RASTER_EDGES; ++n) shape.edges[n] = {0, 0, 0};
}

FN void bound(Shape& shape, const Point* at, s32 corners) {
    for (int k = 0; k < 4; ++k) shape.bounds[k] = k % 2 ? at[0].y : at[0].x;
    for (s32 n = 1; n < corners; ++n) {
        shape.bounds[0] = min_of(shape.bounds[0], at[n].x), shape.bounds[1] = min_of(shape.bounds[1], at[n].y);
        shape.bounds[2] = max_of(shape.bounds[2], at[n].x), shape.bounds[3] = max_of(shape.bounds[3], at[n].y);
    }
}

// A convex polygon of 3 or 4 corners; one without area has no samples. A sample on an edge is in the polygon whose left or
// horizontal upper edge it is.
FN void polygon(Shape& shape, const Point* at, s32 corners) {
    const bool is_turned = doubled_area(at) < 0;
    no_edges(shape);
    bound(shape, at, corners);
    for (s32 n = 0; n < corners; ++n) {
        const s32 next = n + 1 < corners ? n + 1 : 0;
        const Point a = at[is_turned ? corners - 1 - n : n], b = at[is_turned ? corners - 1 - next : next];
        const s64 dx = b.x - a.x, dy = b.y - a.y;
        const bool is_included = dy < 0 || (dy == 0 && dx > 0);
        shape.edges[n] = {-dy, dx, dy * a.x - dx * a.y - !is_included};
    }
}

// A box; its left and upper borders belong to it, or with `upper_right` the right one.
FN void box(Shape& shape, Point low, Point high, bool upper_right) {
    shape.edges[0] = {1, 0, -low.x - upper_right};
    shape.edges[1] = {-1, 0, high.x - !upper_right};
    shape.edges[2] = {0, 1, -low.y};
    shape.edges[3] = {0, -1, high.y - 1};
    shape.bounds[0] = low.x, shape.bounds[1] = low.y, shape.bounds[2] = high.x, shape.bounds[3] = high.y;
}
