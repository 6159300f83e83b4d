// Probes of the anisotropic filter: how many, where and with which weight (seed 003:573-581, hole S5).
#pragma once
#include "sample_filter.h"
#include "sample_footprint.h"

enum { STEP_ONE = 4096, STEP_LIMIT = 1 << 27 };  // steps are in 1/4096 texel

struct ProbeSteps {
    s32 axis[2];
};

// A step along an axis, in coordinates, as texels.
FN s32 fixed_step(float step, s32 size) {
    const float x = zero_for_nan(step * (float)(size * STEP_ONE));
    return (s32)clamp_to(x, (float)-STEP_LIMIT, (float)STEP_LIMIT);
}

// Steps on a level; of a direction's three components those along the face that it meets.
FN ProbeSteps probe_steps(const SampleParams& p, const SampleLevel& l, SamplePlace at, s64 i) {
    ProbeSteps steps = {};
    if (p.dimension == SAMPLE_CUBE) {
        const CubeFace f = CUBE_FACE[at.face];
        steps.axis[0] = fixed_step((float)f.s_sign * p.steps[f.s_axis][i] * 0.5f, l.width);
        steps.axis[1] = fixed_step((float)f.t_sign * p.steps[f.t_axis][i] * 0.5f, l.height);
    } else {
        steps.axis[0] = fixed_step(p.steps[0][i], l.width);
        if (p.dimension != SAMPLE_1D) steps.axis[1] = fixed_step(p.steps[1][i], l.height);
    }
    return steps;
}

// From the center to a probe, in 1/256 texel; `halves` is how many half steps away it is.
FN s32 probe_offset(s32 step, s32 halves) { return (step * halves + 16) >> 5; }

// Inner probes have the same weight, both outer ones what is left; in 1/65536. A round footprint has one probe.
struct ProbeWeights {
    s32 probes, inner, outer;
};
FN s32 pairs_of_probes(s32 ratio) { return (ratio + 511) >> 9; }
FN s32 inner_weight(s32 ratio) {
    const s32 near = (s32)(16777216.0f / (float)ratio), left = 16777216 - near * ratio;  // may be one too much
    return near + (left < 0 ? (2 * left >= -ratio) - 1 : (2 * left >= ratio));
}
FN s32 outer_weight(s32 pairs, s32 inner) { return 32768 - (pairs - 1) * inner; }
FN ProbeWeights probe_weights(s32 ratio) {
    const s32 pairs = pairs_of_probes(ratio), inner = inner_weight(ratio);
    const ProbeWeights weights = {ratio == RATIO_ONE ? 1 : 2 * pairs, inner, outer_weight(pairs, inner)};
    return weights;
}
