// The luma of a field with longer filters, and then the compensated sample in its place where motion compensation takes
// one (docs/deinterlace.md (40)).
#pragma once
#include "deinterlace_compensation.h"
#include "deinterlace_hq.h"

struct HqCompensated {
    enum { BLENDS = 0, ALWAYS_OURS = 1 };
    template <typename T> struct Scratch {
        HqScratch<T> filtered;
        CompensationScratch<T> compensated;
    };
    const DeinterlaceCompensatedParams& p;
    s32 tile_x, tile_y;

    template <typename T>
    FN_MEMBER void load(Scratch<T>& s, const DeinterlaceLumaParams& luma, s32 first, s32 y0, s32 lines) const {
        Hq().load(s.filtered, luma, first, y0, lines);
        Compensated{p, tile_x, tile_y}.load(s.compensated, luma, first, y0, lines);
    }

    template <typename T>
    FN_MEMBER void apply(Scratch<T>& s, const DeinterlaceLumaParams& luma, const FieldRows<T>& field,
                         const AngleCosts& costs, const s8* angles, const u32* used, const u8* stmm,
                         MissingRows<T>& result, s32 lines) const {
        Hq().apply(s.filtered, luma, field, costs, angles, used, stmm, result, lines);
        Compensated{p, tile_x, tile_y}.apply(s.compensated, luma, field, costs, angles, used, stmm, result, lines);
    }
};

template <typename T> FN void deinterlace_hq_compensated_tile(const DeinterlaceCompensatedParams& p, s32 tile_x, s32 tile_y) {
    luma_tile<T>(p.luma, HqCompensated{p, tile_x, tile_y}, tile_x, tile_y);
}
