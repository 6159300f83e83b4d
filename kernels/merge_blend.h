// What becomes of a color on its way into a target: clamps, blending and logic operations (SNB 2.1 p. 360-366).
#pragma once
#include "formats.h"
#include "merge_runs.h"

// Codes of texsamp.state.pixel_state; what is reserved is 0.
enum MergeFactor {
    FACTOR_ONE = 1,
    FACTOR_SRC_COLOR,
    FACTOR_SRC_ALPHA,
    FACTOR_DST_ALPHA,
    FACTOR_DST_COLOR,
    FACTOR_SRC_ALPHA_SATURATE,
    FACTOR_CONST_COLOR,
    FACTOR_CONST_ALPHA,
    FACTOR_SRC1_COLOR,
    FACTOR_SRC1_ALPHA,
    FACTOR_ZERO = 17,
    FACTOR_INVERSE = 16,  // added: 1 less the factor
};
enum MergeFunction { FUNCTION_ADD, FUNCTION_SUBTRACT, FUNCTION_REVERSE_SUBTRACT, FUNCTION_MIN, FUNCTION_MAX };

enum MergeRange { RANGE_ALL, RANGE_POSITIVE, RANGE_SIGNED_ONE, RANGE_ONE };  // of a color clamp

struct MergeBlend {
    s32 blend;         // whether the target's color takes part
    s32 function[2];   // of color, of alpha
    s32 source_factor[2], destination_factor[2];
    s32 before, after;  // color clamps, a MergeRange; `after` only with `blend`
    s32 alpha_to_one;
    s32 logic;          // logic operation; -1: none
    float constant[4];
    s32 pad_;
};
static_assert(sizeof(MergeBlend) == 64, "parameter layout");

typedef float MergeColors[4][MERGE_STRIP];  // R, G, B, A

struct ColorClamp {
    float low, high;
    bool keeps_nan;  // else it is 0, as in all conversions to fixed point

    FN_MEMBER explicit ColorClamp(s32 range)
        : low(range == RANGE_SIGNED_ONE ? -1.0f : 0.0f),
          high(range == RANGE_POSITIVE ? float_of(FLOAT_INFINITY) : 1.0f), keeps_nan(range == RANGE_POSITIVE) {}
    FN_MEMBER float of(float color) const {
        const float clamped = clamp_to(color, low, high);
        return is_nan(bits_of(color)) ? (keeps_nan ? color : 0.0f) : clamped;
    }
};

FN_ONCE void clamp_plane(float* __restrict__ colors, s32 range, s32 n) {
    if (range == RANGE_ALL) return;
    const ColorClamp clamp(range);
    FOR_EACH(i, n) colors[i] = clamp.of(colors[i]);
}

FN void clamp_numbers(u32* __restrict__ colors, s32 range, s32 n) {
    if (range == RANGE_ALL) return;
    const ColorClamp clamp(range);
    FOR_EACH(i, n) colors[i] = bits_of(clamp.of(float_of(colors[i])));
}

FN_ONCE void clamp_colors(MergeColors& colors, s32 range, s32 n) {
    UNROLL for (int c = 0; c < 4; ++c) clamp_plane(colors[c], range, n);
}

struct BlendOperands {
    const MergeColors &source, &second, &stored;
    const float* constant;
};

// The factors of a component of all lanes.
FN void factors_of(const BlendOperands& in, s32 factor, s32 c, float* __restrict__ out, s32 n) {
    const float* plane = nullptr;
    float same = 0.0f;
    const bool inverse = factor >= FACTOR_INVERSE;
    switch (factor & (FACTOR_INVERSE - 1)) {
        case FACTOR_ONE: same = 1.0f; break;
        case FACTOR_SRC_COLOR: plane = in.source[c]; break;
        case FACTOR_SRC_ALPHA: plane = in.source[3]; break;
        case FACTOR_DST_ALPHA: plane = in.stored[3]; break;
        case FACTOR_DST_COLOR: plane = in.stored[c]; break;
        case FACTOR_CONST_COLOR: same = in.constant[c]; break;
        case FACTOR_CONST_ALPHA: same = in.constant[3]; break;
        case FACTOR_SRC1_COLOR: plane = in.second[c]; break;
        case FACTOR_SRC1_ALPHA: plane = in.second[3]; break;
        case FACTOR_SRC_ALPHA_SATURATE:
            if (c == 3) {
                same = 1.0f;
                break;
            }
            FOR_EACH(i, n) {
                const float room = 1.0f - in.stored[3][i], alpha = in.source[3][i];
                out[i] = room < alpha || is_nan(bits_of(alpha)) ? room : alpha;
            }
            return;
    }
    if (plane && inverse) {
        FOR_EACH(i, n) out[i] = 1.0f - plane[i];
    } else if (plane) {
        FOR_EACH(i, n) out[i] = plane[i];
    } else {
        const float value = inverse ? 1.0f - same : same;
        FOR_EACH(i, n) out[i] = value;
    }
}

// The smaller, or the greater: of a number and NaN the number.
FN float least_of(float a, float b) { return a < b || is_nan(bits_of(b)) ? a : b; }
FN float most_of(float a, float b) { return a > b || is_nan(bits_of(b)) ? a : b; }

FN float combined(s32 function, float source, float stored) {
    switch (function) {
        case FUNCTION_SUBTRACT: return source - stored;
        case FUNCTION_REVERSE_SUBTRACT: return stored - source;
        case FUNCTION_MIN: return least_of(source, stored);
        case FUNCTION_MAX: return most_of(source, stored);
    }
    return source + stored;
}

template <int FUNCTION>
FN void combine(const float* __restrict__ source, const float* __restrict__ source_factor,
                const float* __restrict__ stored, const float* __restrict__ stored_factor, float* __restrict__ out,
                s32 n) {
    FOR_EACH(i, n) {
        const float result = combined(FUNCTION, source[i] * source_factor[i], stored[i] * stored_factor[i]);
        out[i] = is_nan(bits_of(result)) ? float_of(0x7fc00000u) : result;  // processors differ in NaN's sign
    }
}

struct BlendScratch {
    MergeColors source, second, stored, blended;
    float factor[2][MERGE_STRIP];
};

// scratch.blended from the others, all unclamped.
FN void blend_colors(const MergeBlend& b, BlendScratch& scratch, s32 n) {
    clamp_colors(scratch.source, b.before, n);
    clamp_colors(scratch.second, b.before, n);
    clamp_colors(scratch.stored, b.before, n);
    const BlendOperands in = {scratch.source, scratch.second, scratch.stored, b.constant};
    for (s32 c = 0; c < 4; ++c) {
        const s32 part = c == 3;
        float* out = scratch.blended[c];
        factors_of(in, b.source_factor[part], c, scratch.factor[0], n);
        factors_of(in, b.destination_factor[part], c, scratch.factor[1], n);
        const float *source = in.source[c], *stored = in.stored[c];
        const float *sf = scratch.factor[0], *df = scratch.factor[1];
        switch (b.function[part]) {
            case FUNCTION_SUBTRACT: combine<FUNCTION_SUBTRACT>(source, sf, stored, df, out, n); break;
            case FUNCTION_REVERSE_SUBTRACT: combine<FUNCTION_REVERSE_SUBTRACT>(source, sf, stored, df, out, n); break;
            case FUNCTION_MIN: combine<FUNCTION_MIN>(source, sf, stored, df, out, n); break;
            case FUNCTION_MAX: combine<FUNCTION_MAX>(source, sf, stored, df, out, n); break;
            default: combine<FUNCTION_ADD>(source, sf, stored, df, out, n);
        }
        clamp_plane(out, b.after, n);
    }
}

// A logic operation's number is its truth table: the result's bits for source and stored 00, 01, 10, 11.
FN u32 logic_of(u32 operation, u32 source, u32 stored) {
    const u32 neither = operation & 1 ? ~(source | stored) : 0, only_stored = operation & 2 ? ~source & stored : 0;
    const u32 only_source = operation & 4 ? source & ~stored : 0, both = operation & 8 ? source & stored : 0;
    return neither | only_stored | only_source | both;
}
