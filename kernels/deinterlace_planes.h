// A plane of a field made a frame: luma or chroma, by one kernel, so that all planes of a frame are one launch.
#pragma once
#include "deinterlace_chroma_bytes.h"
#include "deinterlace_luma_bytes.h"

struct DeinterlacePlanesParams {
    DeinterlaceLumaParams luma;      // where chroma has no components
    DeinterlaceChromaParams chroma;
};
static_assert(sizeof(DeinterlacePlanesParams) == 272, "parameter layout");

template <typename T> FN void deinterlace_planes_tile(const DeinterlacePlanesParams& p, s32 tile_x, s32 tile_y) {
    if (p.chroma.components) {
        deinterlace_chroma_plane_tile<T>(p.chroma, tile_x, tile_y);
    } else {
        deinterlace_luma_tile<T>(p.luma, tile_x, tile_y);
    }
}
