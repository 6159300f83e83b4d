// Motion adaptive deinterlacer.
#include "deinterlace_chroma.h"
#include "deinterlace_luma.h"
#include "deinterlace_stmm.h"

KERNEL(deinterlace_stmm_u8, DeinterlaceStmmParams, deinterlace_stmm_tile<u8, false>)
KERNEL(deinterlace_stmm_u16, DeinterlaceStmmParams, deinterlace_stmm_tile<u16, false>)
KERNEL(deinterlace_stmm_noisy_u8, DeinterlaceStmmParams, deinterlace_stmm_tile<u8, true>)
KERNEL(deinterlace_stmm_noisy_u16, DeinterlaceStmmParams, deinterlace_stmm_tile<u16, true>)
KERNEL(deinterlace_luma_u8, DeinterlaceLumaParams, deinterlace_luma_tile<u8>)
KERNEL(deinterlace_luma_u16, DeinterlaceLumaParams, deinterlace_luma_tile<u16>)
KERNEL(deinterlace_chroma_u8, DeinterlaceChromaParams, deinterlace_chroma_tile<u8>)
KERNEL(deinterlace_chroma_u16, DeinterlaceChromaParams, deinterlace_chroma_tile<u16>)
