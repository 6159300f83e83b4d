// The size of a number, whatever its sign.
#pragma once
#include "portable.h"

// Not the maximum of a number and its negative: of that and a third one ptxas makes an instruction of sm_90 that has
// forgotten the sign.
FN s32 magnitude_of(s32 v) { return v < 0 ? -v : v; }
