// Motion adaptive deinterlacer.
#include "deinterlace_chroma.h"
#include "deinterlace_luma.h"
#include "deinterlace_stmm.h"

FN void deinterlace_stmm_u8_tile(const DeinterlaceStmmParams& p, s32 x, s32 y) { deinterlace_stmm_tile<u8>(p, x, y); }
KERNEL(deinterlace_stmm_u8, DeinterlaceStmmParams)

FN void deinterlace_stmm_u16_tile(const DeinterlaceStmmParams& p, s32 x, s32 y) { deinterlace_stmm_tile<u16>(p, x, y); }
KERNEL(deinterlace_stmm_u16, DeinterlaceStmmParams)

FN void deinterlace_luma_u8_tile(const DeinterlaceLumaParams& p, s32 x, s32 y) { deinterlace_luma_tile<u8>(p, x, y); }
KERNEL(deinterlace_luma_u8, DeinterlaceLumaParams)

FN void deinterlace_luma_u16_tile(const DeinterlaceLumaParams& p, s32 x, s32 y) { deinterlace_luma_tile<u16>(p, x, y); }
KERNEL(deinterlace_luma_u16, DeinterlaceLumaParams)

FN void deinterlace_chroma_u8_tile(const DeinterlaceChromaParams& p, s32 x, s32 y) {
    deinterlace_chroma_tile<u8>(p, x, y);
}
KERNEL(deinterlace_chroma_u8, DeinterlaceChromaParams)

FN void deinterlace_chroma_u16_tile(const DeinterlaceChromaParams& p, s32 x, s32 y) {
    deinterlace_chroma_tile<u16>(p, x, y);
}
KERNEL(deinterlace_chroma_u16, DeinterlaceChromaParams)
