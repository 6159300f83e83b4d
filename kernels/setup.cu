// From vertices of objects to shapes on the screen, planes of attributes, and how much of pixels lines cover.
#include "clip_cut.h"
#include "line_cover.h"
#include "setup_attributes.h"

KERNEL(clip_cut, ClipCutParams, clip_cut_tile)
KERNEL(setup_objects, SetupParams, setup_tile)
KERNEL(line_cover, LineCoverParams, line_cover_tile)
KERNEL(setup_attributes, SetupAttributeParams, setup_attributes_tile)
