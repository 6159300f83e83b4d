// The output merger: fragments into depth buffer, stencil buffer and render targets.
#include "merge_alpha.h"
#include "merge_color.h"
#include "merge_control.h"
#include "merge_tests.h"

KERNEL(merge_alpha, MergeAlphaParams, merge_alpha_tile)
KERNEL(merge_tests, MergeTestParams, merge_tests_tile)
KERNEL(merge_apart, MergeApartParams, merge_apart_tile)
KERNEL(merge_clear, MergeClearParams, merge_clear_tile)
KERNEL(merge_color, MergeColorParams, merge_color_tile)
