// Where a sample of a pixel lies in the memory of a surface that is rendered to.
#pragma once
#include "merge_runs.h"

enum MergeTiling { MERGE_LINEAR, MERGE_X, MERGE_Y, MERGE_W };  // in the order of texsamp/emulator/fixed/planes.py

enum : u32 { NO_PLACE = 0xffffffffu };

// One level of a surface. Its elements lie in a plane of rows that the tiling cuts up; the caller has made sure that
// those of all pixels inside the level are in memory.
struct MergePlane {
    u8* memory;                // byte (0, 0) of the surface
    s32 tiling, element_B, pitch_B;
    s32 width, height, slices;  // pixels and slices that can be written
    s32 x0, y0;                 // of the level's slice 0
    s32 first_slice;
    s32 columns_log2;           // 2^n slices of a volume lie side by side
    s32 slice_dx, slice_dy;     // elements from slice to slice, in such a line and from line to line
    s32 samples;
    s32 sample_dy;              // rows from a sample to the next; 0: samples lie beside each other
    s32 line_stride, line_offset;  // 1 and 0 or 1 for one field of two
    s32 x_offset, y_offset;     // added to everything: elements
    s32 pixel_dx, pixel_dy;     // added to the coordinates of a pixel
    s32 pad_;
};
static_assert(sizeof(MergePlane) == 96, "parameter layout");

// The offset of a byte in memory; the bits of y in a tile are those of VLV 5 p. 12.
template <int TILING> FN u32 tiled_offset(u32 x_B, u32 y, u32 pitch_B) {
    switch (TILING) {
        case MERGE_X: return (y >> 3) * (8 * pitch_B) + (x_B >> 9) * 4096 + ((y & 7) << 9 | (x_B & 511));
        case MERGE_Y:
            return (y >> 5) * (32 * pitch_B) + (x_B >> 7) * 4096 + ((x_B >> 4 & 7) << 9 | (y & 31) << 4 | (x_B & 15));
        case MERGE_W:
            return (y >> 6) * (64 * pitch_B) + (x_B >> 6) * 4096 +
                   ((x_B >> 3 & 7) << 9 | (y >> 2 & 15) << 5 | (x_B >> 2 & 1) << 4 | (y >> 1 & 1) << 3 |
                    (x_B >> 1 & 1) << 2 | (y & 1) << 1 | (x_B & 1));
    }
    return y * pitch_B + x_B;
}

// NO_PLACE for what is outside of the level. INTERLEAVED: samples lie beside each other (IMS), pairs of pixels together.
template <int TILING, bool INTERLEAVED> FN u32 place_of(const MergePlane p, s32 x, s32 y, s32 slice, s32 sample) {
    x += p.pixel_dx;
    y += p.pixel_dy;
    const bool inside = ((u32)x < (u32)p.width) & ((u32)y < (u32)p.height) & ((u32)slice < (u32)p.slices);
    u32 column = (u32)x, row = (u32)y;
    if (INTERLEAVED) {
        column = (column >> 1) * (p.samples == 8 ? 8 : 4) | (sample & 1) << 1 | (column & 1);
        column |= p.samples == 8 ? sample & 4 : 0;
        row = (row >> 1) * 4 | (sample & 2) | (row & 1);
    }
    const u32 z = (u32)(slice + p.first_slice);
    column += p.x0 + (z & ((1u << p.columns_log2) - 1)) * p.slice_dx;
    row += p.y0 + (z >> p.columns_log2) * p.slice_dy + sample * p.sample_dy;
    row = (row << p.line_stride) + p.line_offset + p.y_offset;
    return inside ? tiled_offset<TILING>((column + p.x_offset) * p.element_B, row, p.pitch_B) : NO_PLACE;
}

template <int TILING, bool INTERLEAVED>
FN void places_of_lanes(const MergePlane plane, const MergeLanes& lanes, s32 sample, u32* __restrict__ places, s32 n) {
    FOR_EACH(i, n) {
        const u32 place = place_of<TILING, INTERLEAVED>(plane, lanes.x[i], lanes.y[i], lanes.slices[i], sample);
        places[i] = lanes.live[i] >> sample & 1 ? place : NO_PLACE;
    }
}

template <int TILING>
FN void places_in(const MergePlane& plane, const MergeLanes& lanes, s32 sample, u32* places, s32 n) {
    if (plane.samples > 1 && plane.sample_dy == 0)
        places_of_lanes<TILING, true>(plane, lanes, sample, places, n);
    else
        places_of_lanes<TILING, false>(plane, lanes, sample, places, n);
}

FN_APART void places_of(const MergePlane& plane, const MergeLanes& lanes, s32 sample, u32* places, s32 n) {
    switch (plane.tiling) {
        case MERGE_LINEAR: return places_in<MERGE_LINEAR>(plane, lanes, sample, places, n);
        case MERGE_X: return places_in<MERGE_X>(plane, lanes, sample, places, n);
        case MERGE_Y: return places_in<MERGE_Y>(plane, lanes, sample, places, n);
        case MERGE_W: return places_in<MERGE_W>(plane, lanes, sample, places, n);
    }
}
