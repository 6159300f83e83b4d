// Fields of one picture, and pictures that stand still: found and woven.
#include "deinterlace_match_bytes.h"
#include "deinterlace_weave_bytes.h"

KERNEL(deinterlace_match_u8, DeinterlaceMatchParams, deinterlace_match_tile<u8>)
KERNEL(deinterlace_match_u16, DeinterlaceMatchParams, deinterlace_match_tile<u16>)
KERNEL(deinterlace_noise, DeinterlaceNoiseParams, deinterlace_noise_tile)
KERNEL(deinterlace_verdict, DeinterlaceVerdictParams, deinterlace_verdict_tile)
KERNEL(deinterlace_weave_u8, DeinterlaceWeaveParams, deinterlace_weave_tile<u8>)
KERNEL(deinterlace_weave_u16, DeinterlaceWeaveParams, deinterlace_weave_tile<u16>)
