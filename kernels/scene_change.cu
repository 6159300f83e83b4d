// Scene cuts.
#include "scene_change.h"

KERNEL(scene_change_u8, SceneChangeParams, scene_change_tile<u8>)
KERNEL(scene_change_u16, SceneChangeParams, scene_change_tile<u16>)
