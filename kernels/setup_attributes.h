// Attributes of objects as pixel payloads have them: swizzled, overridden, flat (seed 004:1304-1633).
#pragma once
#include "setup.h"

enum { ATTRIBUTE_ITEMS = ON_DEVICE(64, 256) };  // of a tile; texsamp/emulator/fixed/attributes.py

// Where an attribute comes from, and what it is instead.
struct SetupAttribute {
    s32 slot;
    s32 by_facing;     // back faces have the slot behind it
    s32 x_is_w;        // its x is its w
    s32 is_flat;
    s32 wrapped;       // bits of components that go the shortest way around a circle of length 1 (page 265)
    s32 overridden;    // bits of components that are `constant`, or the primitive id
    s32 is_number;
    s32 is_sprite;     // of points
    u32 constant[4];
};

struct SetupAttributeParams {
    SetupVertices given;
    const s32* told;               // [objects][TOLD_COLUMNS]
    const SetupAttribute* rules;   // [attributes]
    u32* made;                     // [objects][attributes][4 components][4]: a1 - a0, a2 - a0, 0, a0
    s32 objects, attributes;
    s32 provoking;                 // the vertex that gives flat attributes, as they came
    s32 sprites_from_below;        // where a sprite's coordinates begin
    s32 tiles_x;
};
static_assert(sizeof(SetupAttributeParams) == 88, "parameter layout");

// The bits of a sum or difference of floats. What is no number is handed on, a before b, as a quiet one, else it is the
// negative one: processors have it so, and GPUs do otherwise.
FN u32 same_bits(float result, u32 a, u32 b) {
    if (result == result) return bits_of_float(result);
    const u32 quiet = 1u << 22;
    return is_nan_bits(a) ? a | quiet : is_nan_bits(b) ? b | quiet : 0xFFC00000u;
}

FN u32 wrapped_bits(u32 bits) {
    const float way = float_of_bits(bits), turn = way <= -0.5f ? 1.0f : way >= 0.5f ? -1.0f : 0.0f;
    return same_bits(way + turn, bits, bits_of_float(turn));
}

FN void write_sprite(u32* out, bool from_below) {
    for (int k = 0; k < 16; ++k) out[k] = 0;
    out[0] = bits_of_float(1.0f);
    out[5] = bits_of_float(from_below ? -1.0f : 1.0f);
    out[7] = bits_of_float(from_below ? 1.0f : 0.0f);
    out[15] = bits_of_float(1.0f);
}

FN void write_attribute(const SetupAttributeParams& p, s32 number, s32 attribute) {
    const SetupVertices& v = p.given;
    const SetupAttribute& rule = p.rules[attribute];
    const s32 *told = p.told + (s64)number * TOLD_COLUMNS, *object = object_of(v, told[TOLD_OBJECT]), corner = told[TOLD_CORNER];
    u32* out = p.made + ((s64)number * p.attributes + attribute) * 16;
    const bool is_point = corner >= 0 || v.corners == 1;
    if (is_point && rule.is_sprite) return write_sprite(out, p.sprites_from_below);
    const s32 slot = rule.slot + (rule.by_facing && told[TOLD_BACK]);
    for (int c = 0; c < 4; ++c) {
        const s32 first = rule.is_flat ? object[OBJECT_SUBMITTED + p.provoking] : object[OBJECT_CORNERS + max_of(corner, 0)];
        const u32 at = slot < v.slots ? slot_of(v, first, slot)[c] : 0;
        for (int k = 0; k < 3; ++k) out[4 * c + k] = 0;
        out[4 * c + 3] = at;
        for (s32 n = 1; n < v.corners && !is_point && !rule.is_flat && slot < v.slots; ++n) {
            const u32 other = slot_of(v, object[OBJECT_CORNERS + n], slot)[c];
            out[4 * c + n - 1] = same_bits(float_of_bits(other) - float_of_bits(at), other, at);
        }
        for (int k = 0; k < 2 && !rule.is_flat; ++k)
            if (rule.wrapped >> c & 1) out[4 * c + k] = wrapped_bits(out[4 * c + k]);
    }
    for (int k = 0; k < 4 && rule.x_is_w; ++k) out[k] = out[12 + k];
    for (int c = 0; c < 4; ++c) {
        if (!(rule.overridden >> c & 1)) continue;
        for (int k = 0; k < 3; ++k) out[4 * c + k] = 0;
        out[4 * c + 3] = rule.is_number ? (u32)object[OBJECT_NUMBER] : rule.constant[c];
    }
}

FN void setup_attributes_tile(const SetupAttributeParams& p, s32 tile_x, s32 tile_y) {
    const s32 begin = (tile_y * p.tiles_x + tile_x) * ATTRIBUTE_ITEMS;
    const s32 count = min_of<s32>(ATTRIBUTE_ITEMS, p.objects * p.attributes - begin);
    FOR_ITEMS(i, count) write_attribute(p, (begin + i) / p.attributes, (begin + i) % p.attributes);
}
