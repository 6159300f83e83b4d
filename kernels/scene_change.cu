// Scene cuts.
#include "scene_change.h"

FN void scene_change_u8_tile(const SceneChangeParams& p, s32 x, s32 y) { scene_change_tile<u8>(p, x, y); }
KERNEL(scene_change_u8, SceneChangeParams)

FN void scene_change_u16_tile(const SceneChangeParams& p, s32 x, s32 y) { scene_change_tile<u16>(p, x, y); }
KERNEL(scene_change_u16, SceneChangeParams)
