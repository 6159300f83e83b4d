// From vertices of objects to shapes on the screen and planes of attributes.
#include "clip_cut.h"
#include "setup_attributes.h"

KERNEL(clip_cut, ClipCutParams, clip_cut_tile)
KERNEL(setup_objects, SetupParams, setup_tile)
KERNEL(setup_attributes, SetupAttributeParams, setup_attributes_tile)
