// ASTC's color endpoint modes: unquantized values to two endpoints of 16 bits per component.
#pragma once
#include "portable.h"

// LDR components are 8 bits repeated to 16, HDR ones 12 bits and four zeros, which make up a piecewise logarithm.
struct AstcEndpoints {
    u16 of[2][4];
    u8 logarithmic;  // bit 0: red, green and blue; bit 1: alpha
};

FN bool astc_is_hdr(u32 mode) { return 0xC88Cu >> mode & 1; }  // 2, 3, 7, 11, 14, 15

struct AstcColor {
    s32 r, g, b, a;
};

FN u16 astc_ldr(s32 v) { return (u16)(clamp_to(v, 0, 255) * 257); }
FN u16 astc_hdr(s32 v) { return (u16)(clamp_to(v, 0, 0xFFF) << 4); }

FN void astc_set_ldr(AstcEndpoints& ends, int e, const AstcColor& c) {
    ends.of[e][0] = astc_ldr(c.r);
    ends.of[e][1] = astc_ldr(c.g);
    ends.of[e][2] = astc_ldr(c.b);
    ends.of[e][3] = astc_ldr(c.a);
}
FN void astc_set_hdr_rgb(AstcEndpoints& ends, int e, s32 r, s32 g, s32 b) {
    ends.of[e][0] = astc_hdr(r);
    ends.of[e][1] = astc_hdr(g);
    ends.of[e][2] = astc_hdr(b);
    ends.of[e][3] = 0x7800;  // 1.0
}

FN AstcColor astc_blue_contract(const AstcColor& c) { return {(c.r + c.b) >> 1, (c.g + c.b) >> 1, c.b, c.a}; }

// A base, and an offset of -32 to 31 that lends it its highest bit.
struct AstcOffset {
    s32 base, offset;
};
FN AstcOffset astc_offset(s32 base, s32 offset) {
    const s32 six = offset >> 1 & 0x3F;
    return {base >> 1 | (offset & 0x80), six >= 0x20 ? six - 0x40 : six};
}

// Base and offset of RGB (modes 9, 13), with alpha beside them.
FN void astc_base_offset(AstcEndpoints& ends, const s32* v, s32 base_alpha, s32 top_alpha) {
    const AstcOffset r = astc_offset(v[0], v[1]), g = astc_offset(v[2], v[3]), b = astc_offset(v[4], v[5]);
    const AstcColor base = {r.base, g.base, b.base, base_alpha};
    const AstcColor top = {r.base + r.offset, g.base + g.offset, b.base + b.offset, top_alpha};
    const bool contracted = r.offset + g.offset + b.offset < 0;
    astc_set_ldr(ends, 0, contracted ? astc_blue_contract(top) : base);
    astc_set_ldr(ends, 1, contracted ? astc_blue_contract(base) : top);
}

// Two RGB colors (modes 8, 12), with alpha beside them.
FN void astc_direct(AstcEndpoints& ends, const s32* v, s32 alpha0, s32 alpha1) {
    const AstcColor first = {v[0], v[2], v[4], alpha0}, second = {v[1], v[3], v[5], alpha1};
    const bool contracted = v[1] + v[3] + v[5] < v[0] + v[2] + v[4];
    astc_set_ldr(ends, 0, contracted ? astc_blue_contract(second) : first);
    astc_set_ldr(ends, 1, contracted ? astc_blue_contract(first) : second);
}

// A color and a scale of it (modes 6, 10), with alpha beside them.
FN void astc_scaled(AstcEndpoints& ends, const s32* v, s32 alpha0, s32 alpha1) {
    astc_set_ldr(ends, 0, {v[0] * v[3] >> 8, v[1] * v[3] >> 8, v[2] * v[3] >> 8, alpha0});
    astc_set_ldr(ends, 1, {v[0], v[1], v[2], alpha1});
}

// Mode 7: red, green, blue and scale in 16 bits each, from the lowest; X0 to X6 go to these bits.
TABLE u8 ASTC_MODE_7_PLACES[6][7] = {
    {9, 8, 7, 10, 6, 48 + 6, 48 + 5},
    {8, 16 + 5, 7, 32 + 5, 6, 10, 9},
    {9, 8, 7, 6, 48 + 7, 48 + 6, 48 + 5},
    {8, 16 + 5, 7, 32 + 5, 6, 48 + 6, 48 + 5},
    {16 + 6, 16 + 5, 32 + 6, 32 + 5, 6, 7, 48 + 5},
    {16 + 6, 16 + 5, 32 + 6, 32 + 5, 6, 48 + 6, 48 + 5},
};

FN void astc_hdr_scaled(AstcEndpoints& ends, const s32* v) {
    const s32 code = v[0] >> 6 | (v[1] >> 7) << 2 | (v[2] >> 7) << 3;
    const s32 major = code < 12 ? code >> 2 : code == 15 ? 0 : code & 3;
    const s32 mode = code < 12 ? code & 3 : code == 15 ? 5 : 4;
    u64 parts = (u64)(v[0] & 0x3F) | (u64)(v[1] & 0x1F) << 16 | (u64)(v[2] & 0x1F) << 32 | (u64)(v[3] & 0x1F) << 48;
    const s32 extra = (v[1] >> 6 & 1) | (v[1] >> 5 & 1) << 1 | (v[2] >> 6 & 1) << 2 | (v[2] >> 5 & 1) << 3 |
                      (v[3] >> 7 & 1) << 4 | (v[3] >> 6 & 1) << 5 | (v[3] >> 5 & 1) << 6;
    for (int x = 0; x < 7; ++x) parts |= (u64)(extra >> x & 1) << ASTC_MODE_7_PLACES[mode][x];
    const s32 shift = max_of(mode, 1);
    const s32 red = (s32)(parts & 0xFFFF) << shift, scale = (s32)(parts >> 48) << shift;
    s32 green = (s32)(parts >> 16 & 0xFFFF) << shift, blue = (s32)(parts >> 32 & 0xFFFF) << shift;
    if (mode != 5) {
        green = red - green;
        blue = red - blue;
    }
    const s32 r = major == 1 ? green : major == 2 ? blue : red;
    const s32 g = major == 1 ? red : green, b = major == 2 ? red : blue;
    astc_set_hdr_rgb(ends, 0, r - scale, g - scale, b - scale);
    astc_set_hdr_rgb(ends, 1, r, g, b);
}

// Mode 11: a, b0, b1, c, d0 and d1 in 10 bits each but 14 for a, from the lowest; X0 to X5 go to these bits.
enum { ASTC_A = 0, ASTC_B0 = 14, ASTC_B1 = 24, ASTC_C = 34, ASTC_D0 = 44, ASTC_D1 = 54 };
TABLE u8 ASTC_MODE_11_PLACES[8][6] = {
    {ASTC_B0 + 6, ASTC_B1 + 6, ASTC_D0 + 6, ASTC_D1 + 6, ASTC_D0 + 5, ASTC_D1 + 5},
    {ASTC_B0 + 6, ASTC_B1 + 6, ASTC_B0 + 7, ASTC_B1 + 7, ASTC_D0 + 5, ASTC_D1 + 5},
    {ASTC_A + 9, ASTC_C + 6, ASTC_D0 + 6, ASTC_D1 + 6, ASTC_D0 + 5, ASTC_D1 + 5},
    {ASTC_B0 + 6, ASTC_B1 + 6, ASTC_A + 9, ASTC_C + 6, ASTC_D0 + 5, ASTC_D1 + 5},
    {ASTC_B0 + 6, ASTC_B1 + 6, ASTC_B0 + 7, ASTC_B1 + 7, ASTC_A + 9, ASTC_A + 10},
    {ASTC_A + 9, ASTC_A + 10, ASTC_C + 7, ASTC_C + 6, ASTC_D0 + 5, ASTC_D1 + 5},
    {ASTC_B0 + 6, ASTC_B1 + 6, ASTC_A + 11, ASTC_C + 6, ASTC_A + 9, ASTC_A + 10},
    {ASTC_A + 9, ASTC_A + 10, ASTC_A + 11, ASTC_C + 6, ASTC_D0 + 5, ASTC_D1 + 5},
};
TABLE u8 ASTC_MODE_11_D_BITS[8] = {7, 6, 7, 6, 5, 6, 5, 6};

FN s32 astc_sign_extended(s32 v, s32 bits) {
    const s32 sign = 1 << (bits - 1);
    return (v & (sign - 1)) - (v & sign);
}

FN void astc_hdr_rgb(AstcEndpoints& ends, const s32* v) {
    const s32 major = v[4] >> 7 | (v[5] >> 7) << 1;
    if (major == 3) {
        astc_set_hdr_rgb(ends, 0, v[0] << 4, v[2] << 4, (v[4] & 0x7F) << 5);
        astc_set_hdr_rgb(ends, 1, v[1] << 4, v[3] << 4, (v[5] & 0x7F) << 5);
        return;
    }
    const s32 mode = v[1] >> 7 | (v[2] >> 7) << 1 | (v[3] >> 7) << 2;
    u64 parts = (u64)(v[0] | (v[1] & 0x40) << 2) << ASTC_A | (u64)(v[2] & 0x3F) << ASTC_B0 |
                (u64)(v[3] & 0x3F) << ASTC_B1 | (u64)(v[1] & 0x3F) << ASTC_C | (u64)(v[4] & 0x1F) << ASTC_D0 |
                (u64)(v[5] & 0x1F) << ASTC_D1;
    const s32 extra = (v[2] >> 6 & 1) | (v[3] >> 6 & 1) << 1 | (v[4] >> 6 & 1) << 2 | (v[5] >> 6 & 1) << 3 |
                      (v[4] >> 5 & 1) << 4 | (v[5] >> 5 & 1) << 5;
    for (int x = 0; x < 6; ++x) parts |= (u64)(extra >> x & 1) << ASTC_MODE_11_PLACES[mode][x];
    const s32 unit = 1 << (3 - (mode >> 1)), d_bits = ASTC_MODE_11_D_BITS[mode];
    const s32 a = (s32)(parts >> ASTC_A & 0x3FFF) * unit, c = (s32)(parts >> ASTC_C & 0x3FF) * unit;
    const s32 b0 = (s32)(parts >> ASTC_B0 & 0x3FF) * unit, b1 = (s32)(parts >> ASTC_B1 & 0x3FF) * unit;
    const s32 d0 = astc_sign_extended((s32)(parts >> ASTC_D0 & 0x3FF), d_bits) * unit;
    const s32 d1 = astc_sign_extended((s32)(parts >> ASTC_D1 & 0x3FF), d_bits) * unit;
    const s32 low[3] = {a - c, a - b0 - c - d0, a - b1 - c - d1}, high[3] = {a, a - b0, a - b1};
    const int red = major == 1 ? 1 : major == 2 ? 2 : 0, green = major == 1 ? 0 : 1, blue = major == 2 ? 0 : 2;
    astc_set_hdr_rgb(ends, 0, low[red], low[green], low[blue]);
    astc_set_hdr_rgb(ends, 1, high[red], high[green], high[blue]);
}

// Alpha of mode 15.
FN void astc_hdr_alpha(AstcEndpoints& ends, s32 v6, s32 v7) {
    const s32 mode = v6 >> 7 | (v7 >> 7) << 1;
    s32 low = v6 & 0x7F, high = v7 & 0x7F;
    if (mode == 3) {
        low <<= 5;
        high <<= 5;
    } else {
        const s32 unit = 1 << (4 - mode);
        low = (low | (high << (mode + 1) & 0x780)) * unit;
        high = low + astc_sign_extended(high, 6 - mode) * unit;
    }
    ends.of[0][3] = astc_hdr(low);
    ends.of[1][3] = astc_hdr(high);
}

// Values v[0..2 * (mode / 4) + 1] of 0..255 to the endpoints of a mode.
FN void astc_endpoints(AstcEndpoints& ends, u32 mode, const s32* v) {
    ends.logarithmic = astc_is_hdr(mode) ? mode == 14 ? 1 : 3 : 0;
    switch (mode) {
        case 0:
            astc_set_ldr(ends, 0, {v[0], v[0], v[0], 255});
            return astc_set_ldr(ends, 1, {v[1], v[1], v[1], 255});
        case 1: {
            const s32 low = v[0] >> 2 | (v[1] & 0xC0), high = low + (v[1] & 0x3F);
            astc_set_ldr(ends, 0, {low, low, low, 255});
            return astc_set_ldr(ends, 1, {high, high, high, 255});
        }
        case 2: {
            const bool ordered = v[1] >= v[0];
            const s32 low = ordered ? v[0] << 4 : (v[1] << 4) + 8, high = ordered ? v[1] << 4 : (v[0] << 4) - 8;
            astc_set_hdr_rgb(ends, 0, low, low, low);
            return astc_set_hdr_rgb(ends, 1, high, high, high);
        }
        case 3: {
            const bool wide = v[0] >= 0x80;
            const s32 low = wide ? (v[1] & 0xE0) << 4 | (v[0] & 0x7F) << 2 : (v[1] & 0xF0) << 4 | (v[0] & 0x7F) << 1;
            const s32 high = low + (wide ? (v[1] & 0x1F) << 2 : (v[1] & 0x0F) << 1);
            astc_set_hdr_rgb(ends, 0, low, low, low);
            return astc_set_hdr_rgb(ends, 1, high, high, high);
        }
        case 4:
            astc_set_ldr(ends, 0, {v[0], v[0], v[0], v[2]});
            return astc_set_ldr(ends, 1, {v[1], v[1], v[1], v[3]});
        case 5: {
            const AstcOffset l = astc_offset(v[0], v[1]), a = astc_offset(v[2], v[3]);
            const s32 high = l.base + l.offset;
            astc_set_ldr(ends, 0, {l.base, l.base, l.base, a.base});
            return astc_set_ldr(ends, 1, {high, high, high, a.base + a.offset});
        }
        case 6: return astc_scaled(ends, v, 255, 255);
        case 7: return astc_hdr_scaled(ends, v);
        case 8: return astc_direct(ends, v, 255, 255);
        case 9: return astc_base_offset(ends, v, 255, 255);
        case 10: return astc_scaled(ends, v, v[4], v[5]);
        case 11: return astc_hdr_rgb(ends, v);
        case 12: return astc_direct(ends, v, v[6], v[7]);
        case 13: {
            const AstcOffset a = astc_offset(v[6], v[7]);
            return astc_base_offset(ends, v, a.base, a.base + a.offset);
        }
        case 14:
            astc_hdr_rgb(ends, v);
            ends.of[0][3] = astc_ldr(v[6]);
            ends.of[1][3] = astc_ldr(v[7]);
            return;
        default:
            astc_hdr_rgb(ends, v);
            return astc_hdr_alpha(ends, v[6], v[7]);
    }
}
