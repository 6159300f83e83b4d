// Objects of a draw as the clipper and the setup have them: a row of integers each, in memory that tiles share.
#pragma once
#include "doubles.h"
#include "raster_rows.h"

// Columns of an object: rows of its vertices, all winding alike, and as they came; which edges are outer ones, bit n that
// from corner n on; its primitive id; the strip that it is of.
enum {
    OBJECT_CORNERS = 0, OBJECT_SUBMITTED = 3, OBJECT_EDGES = 6, OBJECT_NUMBER = 7, OBJECT_RUN = 8, OBJECT_COLUMNS = 9,
};
enum { SETUP_CORNERS = 3, SETUP_STRAIGHT = 6, SETUP_DISTANCES = 8 };

// Slots of a vertex URB entry, and dwords of its header.
enum { VERTEX_HEADER = 0, VERTEX_POSITION = 1, VERTEX_DISTANCES = 2, VERTEX_LAST_DISTANCES = 3 };
enum { HEADER_ARRAY_INDEX = 1, HEADER_VIEWPORT_INDEX = 2, HEADER_POINT_WIDTH = 3 };

struct SetupViewport {
    float scale[3], offset[3];
    float left, right, top, bottom;  // of the guard band
};

struct SetupVertices {
    const u32* vertices;              // [vertices][slots][4]
    const s32* objects;               // [count][OBJECT_COLUMNS]
    const SetupViewport* viewports;   // [last_viewport + 1]
    s32 slots;
    s32 corners;                      // of an object
    s32 last_viewport;
    s32 count;
};

FN const u32* slot_of(const SetupVertices& v, s32 vertex, s32 slot) { return v.vertices + ((s64)vertex * v.slots + slot) * 4; }

FN const s32* object_of(const SetupVertices& v, s32 object) { return v.objects + (s64)object * OBJECT_COLUMNS; }

// Viewport index, that of the vertex that came first; above the last one it is 0 (volume 2 part 1, page 225).
FN s32 viewport_of(const SetupVertices& v, const s32* object) {
    const u32 index = slot_of(v, object[OBJECT_SUBMITTED], VERTEX_HEADER)[HEADER_VIEWPORT_INDEX];
    return index <= (u32)v.last_viewport ? (s32)index : 0;
}
