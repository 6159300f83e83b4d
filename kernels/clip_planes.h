// The clipper's planes: how far inside an object's corners are, and what becomes of it (volume 2 part 1, pages 193-231).
#pragma once
#include "setup_objects.h"

enum ClipOutcome { CLIP_DROPPED = 0, CLIP_WHOLE = 1, CLIP_CUT = 2 };
enum { CLIP_PLANES = 15 };  // at most: w, near and far, four sides, eight distances

// `is_on`: 0 where objects are as they were; those with a position that is no number are dropped all the same.
struct ClipRules {
    s32 is_on;
    s32 rejects_all;
    s32 tests_xy, tests_z, tests_bands;
    s32 near_is_zero;  // Direct3D's depth range
    s32 clip_distances, cull_distances;  // bits of those that are enabled
    s32 is_rectangle;  // the driver sees to it that rectangles need no clipping
};

struct ClipPlanes {
    double of[CLIP_PLANES][SETUP_CORNERS];
    s32 count;
};

FN double clip_smallest_w() { return power_of_two(-100); }  // clip space ends here: a division by w must come to something
FN double clip_largest() { return power_of_two(128); }

FN double position_of(const SetupVertices& v, s32 vertex, s32 axis) {
    return (double)float_of_bits(slot_of(v, vertex, VERTEX_POSITION)[axis]);
}

// A user distance; infinite ones are very large, those that a vertex does not have 0.
FN double distance_of(const SetupVertices& v, s32 vertex, s32 number) {
    const s32 slot = VERTEX_DISTANCES + number / 4;
    if (slot >= v.slots) return 0.0;
    const double given = (double)float_of_bits(slot_of(v, vertex, slot)[number % 4]);
    return given > clip_largest() ? clip_largest() : given < -clip_largest() ? -clip_largest() : given;
}

// As far inside as it can be told: a guard band may be infinite.
FN double told_distance(double given) {
    if (given != given) return 0.0;
    return given > clip_largest() && !is_finite(given) ? clip_largest() : given < 0.0 && !is_finite(given) ? -clip_largest() : given;
}

FN void clip_planes_of(const SetupVertices& v, const ClipRules& rules, const s32* object, ClipPlanes& planes) {
    const SetupViewport& viewport = v.viewports[viewport_of(v, object)];
    planes.count = 0;
    for (s32 n = 0; n < v.corners; ++n) {
        const s32 vertex = object[OBJECT_CORNERS + n];
        const double x = position_of(v, vertex, 0), y = position_of(v, vertex, 1), z = position_of(v, vertex, 2);
        const double w = position_of(v, vertex, 3);
        s32 k = 0;
        planes.of[k++][n] = w - clip_smallest_w();
        if (rules.tests_z) {
            planes.of[k++][n] = rules.near_is_zero ? z : z + w;
            planes.of[k++][n] = w - z;
        }
        if (rules.tests_bands && v.corners > 1) {  // the guard band is not for points (page 189)
            planes.of[k++][n] = told_distance(x - (double)viewport.left * w);
            planes.of[k++][n] = told_distance((double)viewport.right * w - x);
            planes.of[k++][n] = told_distance(y - (double)viewport.top * w);
            planes.of[k++][n] = told_distance((double)viewport.bottom * w - y);
        } else if (rules.tests_xy) {
            planes.of[k++][n] = x + w;
            planes.of[k++][n] = w - x;
            planes.of[k++][n] = y + w;
            planes.of[k++][n] = w - y;
        }
        for (s32 number = 0; number < SETUP_DISTANCES; ++number)
            if (rules.clip_distances >> number & 1) planes.of[k++][n] = distance_of(v, vertex, number);
        planes.count = k;
    }
}

FN bool all_outside(const double* distances, s32 corners) {
    for (s32 n = 0; n < corners; ++n)
        if (!(distances[n] < 0.0)) return false;
    return true;
}

// Whether an object has a position or an enabled distance that is no number.
FN bool is_nowhere(const SetupVertices& v, const ClipRules& rules, const s32* object) {
    const s32 enabled = rules.is_on ? rules.clip_distances | rules.cull_distances : 0;
    for (s32 n = 0; n < v.corners; ++n) {
        const s32 vertex = object[OBJECT_CORNERS + n];
        for (s32 axis = 0; axis < 4; ++axis)
            if (!is_finite(position_of(v, vertex, axis))) return true;
        for (s32 number = 0; number < SETUP_DISTANCES; ++number) {
            const double distance = enabled >> number & 1 ? distance_of(v, vertex, number) : 0.0;
            if (distance != distance) return true;
        }
    }
    return false;
}

// Whether an object lies on the far side of one border of the viewport, or of one distance that culls.
FN bool is_culled(const SetupVertices& v, const ClipRules& rules, const s32* object) {
    double sides[4][SETUP_CORNERS], distances[SETUP_CORNERS];
    for (s32 n = 0; n < v.corners; ++n) {
        const s32 vertex = object[OBJECT_CORNERS + n];
        const double x = position_of(v, vertex, 0), y = position_of(v, vertex, 1), w = position_of(v, vertex, 3);
        sides[0][n] = x + w, sides[1][n] = w - x, sides[2][n] = y + w, sides[3][n] = w - y;
    }
    for (s32 side = 0; side < 4; ++side)
        if (rules.tests_xy && all_outside(sides[side], v.corners)) return true;
    for (s32 number = 0; number < SETUP_DISTANCES; ++number) {
        if (!(rules.cull_distances >> number & 1)) continue;
        for (s32 n = 0; n < v.corners; ++n) distances[n] = distance_of(v, object[OBJECT_CORNERS + n], number);
        if (all_outside(distances, v.corners)) return true;
    }
    return false;
}

FN ClipOutcome outcome_of(const SetupVertices& v, const ClipRules& rules, const s32* object) {
    if (is_nowhere(v, rules, object) || rules.rejects_all) return CLIP_DROPPED;
    if (!rules.is_on) return CLIP_WHOLE;
    if (is_culled(v, rules, object)) return CLIP_DROPPED;
    ClipPlanes planes;
    clip_planes_of(v, rules, object, planes);
    bool is_cut = false;
    for (s32 k = 0; k < planes.count; ++k) {
        if (all_outside(planes.of[k], v.corners)) return CLIP_DROPPED;
        for (s32 n = 0; n < v.corners; ++n) is_cut = is_cut | (planes.of[k][n] < 0.0);
    }
    if (!is_cut || rules.is_rectangle) return CLIP_WHOLE;
    return v.corners == 1 ? CLIP_DROPPED : CLIP_CUT;
}
