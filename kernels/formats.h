// Texels of the surface formats that are not compressed: bits in memory to numbers and back (seed 001:1199-1452).
//
// A format is data: one TexelChannel per number that goes in or out, made from the format table by
// texsamp/surface/texel_formats.py. Numbers are 32 bits wide: float bits, or integers. All conversions are integer
// arithmetic or single correctly rounded float operations; sRGB is a table. docs/texels.md states every rule.
#pragma once
#include "portable.h"
#include "srgb_tables.h"

// What a field of an element stands for; texsamp/surface/texel_formats.py repeats the order.
enum TexelKind {
    TEXEL_CONSTANT,         // no field: the format's constant
    TEXEL_BITS,             // the bits themselves, zeros above them
    TEXEL_UINT,             // the same; stored clamped instead of cut
    TEXEL_SINT,             // an integer with its sign
    TEXEL_UNORM,            // up to 24 bits
    TEXEL_SNORM,            // up to 24 bits
    TEXEL_UNORM32,
    TEXEL_SNORM32,
    TEXEL_SRGB,             // UNORM of 4, 5, 6, 8 or 10 bits, linearized
    TEXEL_USCALED,
    TEXEL_SSCALED,
    TEXEL_SFIXED,           // 16.16
    TEXEL_FLOAT,            // 16, 11 or 10 bits
    TEXEL_SHARED_EXPONENT,  // 9 bits of fraction; `extra` is the exponent's offset
    TEXEL_PALETTE,          // index of a palette entry, whose byte at bit `extra` is UNORM
    TEXEL_PALETTE_BITS,     // the same byte as it is
    TEXEL_NIBBLE,           // 4 bits, twice: the alpha of A4P4 and P4A4 as a byte (001:1391-1399)
};

struct TexelChannel {
    u8 kind, offset, bits;  // the field's place in the element, in bits from its lowest byte's lowest bit
    u8 extra;               // see the kinds; for TEXEL_SINT how many bits of a stored number lie above its sign
};

enum TexelElement { ELEMENT_BYTES, ELEMENT_BITS, ELEMENT_PAIR };

struct TexelFormat {
    TexelChannel channel[4];
    u32 constant[4];  // of channels of kind TEXEL_CONSTANT
    s32 channels;
    s32 element;      // a TexelElement: whole bytes, fewer than 8 bits, or two texels with one chroma (4:2:2)
    s32 element_bits;
    s32 pad_;
};
static_assert(sizeof(TexelFormat) == 48, "parameter layout");

// The words of an element. In a pair the first is all of it and the second starts at the texel's own luma's half.
struct TexelWords {
    u32 word[4];
};
struct Texel {
    u32 channel[4];
};

// -- memory ----------------------------------------------------------------------------------------------------------

// Numbers that may lie at any address.
struct __attribute__((packed)) LooseWord {
    u32 value;
};
struct __attribute__((packed)) LooseHalf {
    u16 value;
};

// BYTES (1 to 4) bytes, lowest first; ALIGNED: whole words are at multiples of 4, which a GPU needs to be told.
template <int BYTES, bool ALIGNED> FN u32 get_bytes(const u8* from) {
    if (BYTES == 4) return ALIGNED ? *(const u32*)from : ((const LooseWord*)from)->value;
    if (BYTES == 3) return ((const LooseHalf*)from)->value | (u32)from[2] << 16;
    if (BYTES == 2) return ((const LooseHalf*)from)->value;
    return from[0];
}

template <int BYTES, bool ALIGNED> FN void put_bytes(u8* to, u32 word) {
    if (BYTES == 4 && ALIGNED) *(u32*)to = word;
    if (BYTES == 4 && !ALIGNED) ((LooseWord*)to)->value = word;
    if (BYTES == 2 || BYTES == 3) ((LooseHalf*)to)->value = (u16)word;
    if (BYTES == 3) to[2] = (u8)(word >> 16);
    if (BYTES == 1) to[0] = (u8)word;
}

// Word w of an element of BYTES bytes, whose last word may be cut.
template <int BYTES, bool ALIGNED> FN u32 get_word(const u8* element, int w) {
    if (4 * w + 4 <= BYTES) return get_bytes<4, ALIGNED>(element + 4 * w);
    return get_bytes<BYTES % 4 ? BYTES % 4 : 4, ALIGNED>(element + 4 * w);
}

template <int BYTES, bool ALIGNED> FN void put_word(u8* element, int w, u32 word) {
    if (4 * w + 4 <= BYTES) return put_bytes<4, ALIGNED>(element + 4 * w, word);
    put_bytes<BYTES % 4 ? BYTES % 4 : 4, ALIGNED>(element + 4 * w, word);
}

// -- float bits ------------------------------------------------------------------------------------------------------

union FloatBits {
    float value;
    u32 bits;
};
FN float float_of(u32 bits) {
    FloatBits u;
    u.bits = bits;
    return u.value;
}
FN u32 bits_of(float value) {
    FloatBits u;
    u.value = value;
    return u.bits;
}

enum : u32 { FLOAT_SIGN = 0x80000000u, FLOAT_INFINITY = 0x7f800000u, FLOAT_ONE = 0x3f800000u };

FN u32 magnitude_of(u32 bits) { return bits & ~FLOAT_SIGN; }
FN bool is_nan(u32 bits) { return magnitude_of(bits) > FLOAT_INFINITY; }
FN u32 positive_or_zero(u32 bits) { return bits > FLOAT_INFINITY ? 0 : bits; }  // negative numbers and NaN are above

// The integer nearest to |x| * scale, halves up, at most `limit`; `magnitude` is not NaN, and `ceiling` is a float
// that reaches the limit.
FN u32 nearest_scaled(u32 magnitude, u32 scale, u32 ceiling, u32 limit) {
    const u32 bits = min_of(magnitude, ceiling), exponent = bits >> 23;
    const u64 product = (u64)((bits & 0x7fffff) | (exponent ? 0x800000u : 0)) * scale;  // times 2^(exponent - 150)
    const s32 right = 150 - (s32)exponent;
    const u64 rounded = ((product >> clamp_to(right - 1, 0, 63)) + 1) >> 1;
    const u64 whole = right > 0 ? rounded : product << max_of(-right, 0);
    return whole > limit ? limit : (u32)whole;
}

// The same for scales below 256 and |x| up to 1: 32 bits are enough.
FN u32 nearest_narrow(u32 magnitude, u32 scale) {
    const u32 bits = min_of(magnitude, (u32)FLOAT_ONE);
    const u32 product = ((bits & 0x7fffff) | 0x800000) * scale;
    const u32 right = 149 - (bits >> 23);
    return right > 31 ? 0 : ((product >> min_of(right, 31u)) + 1) >> 1;
}

// -- fields to numbers -----------------------------------------------------------------------------------------------

// A channel's field inside one word.
struct Field {
    u32 shift, bits, mask, extra;

    FN_MEMBER explicit Field(const TexelChannel& c)
        : shift(c.offset & 31), bits(c.bits), mask(0xffffffffu >> (32 - c.bits)), extra(c.extra) {}
    FN_MEMBER u32 of(u32 word) const { return word >> shift & mask; }
    FN_MEMBER s32 signed_of(u32 word) const { return (s32)(of(word) << (32 - bits)) >> (32 - bits); }
    FN_MEMBER u32 largest_signed() const { return mask >> 1; }
};

FN u32 fraction_bits(u32 bits) { return bits == 16 ? 10 : bits - 5; }

// The float32 of a float with 5 bits of exponent; exact. `field` has no sign.
FN u32 small_float(u32 field, u32 fraction_bits) {
    const u32 aligned = field << (23 - fraction_bits), lowest = 113u << 23;
    const u32 normal = aligned + (112u << 23);
    const u32 denormal = bits_of(float_of(aligned + lowest) - float_of(lowest));
    const u32 special = normal + (112u << 23);
    return aligned < 1u << 23 ? denormal : aligned < 31u << 23 ? normal : special;
}

// n / (2^32 - 1) and n / (2^31 - 1), where `one` is the denominator's bits: n / 2^bits and a little more, which decides
// ties.
FN float near_one_word(u32 n, float unit) {
    return n < 1u << 24 ? (float)(s32)n * unit : (float)((u64)n << 1 | 1) * (unit * 0.5f);
}

// Where the tables have a curve, and how many of its codes make one of the field's.
struct SrgbCurve {
    s32 linear, from, near, step;

    FN_MEMBER explicit SrgbCurve(u32 bits)
        : linear(bits == 6 ? SRGB_LINEAR_6 : bits == 4 || bits == 8 ? SRGB_LINEAR_8 : SRGB_LINEAR_10),
          from(bits == 6 ? SRGB_FROM_6 : bits == 4 || bits == 8 ? SRGB_FROM_8 : SRGB_FROM_10),
          near(bits == 6 ? SRGB_NEAR_6 : bits == 4 || bits == 8 ? SRGB_NEAR_8 : SRGB_NEAR_10),
          step(bits == 4 ? 17 : bits == 5 ? 33 : 1) {}
};

FN u32 srgb_linear(const SrgbCurve& curve, u32 code) { return SRGB_LINEAR[curve.linear + (s32)code * curve.step]; }

// What loading and storing one channel needs besides the texel.
struct ChannelRule {
    Field field;
    SrgbCurve srgb;
    const u32* palette;  // entries A31:24 R23:16 G15:8 B7:0
    u32 constant;
    float divisor;

    FN_MEMBER ChannelRule(const TexelFormat& f, s32 c, const u32* palette)
        : field(f.channel[c]), srgb(f.channel[c].bits), palette(palette), constant(f.constant[c]),
          divisor((float)(s32)((f.channel[c].kind == TEXEL_SNORM ? field.largest_signed() : field.mask) & 0xffffff)) {}
};

template <int KIND> FN u32 number_of(const ChannelRule& rule, u32 word) {
    const Field& field = rule.field;
    switch (KIND) {
        case TEXEL_CONSTANT: return rule.constant;
        case TEXEL_BITS:
        case TEXEL_UINT: return field.of(word);
        case TEXEL_SINT: return (u32)field.signed_of(word);
        case TEXEL_UNORM: return bits_of((float)(s32)field.of(word) / rule.divisor);
        case TEXEL_SNORM:  // the most negative code is a second -1 (001:1215)
            return bits_of((float)max_of(field.signed_of(word), -(s32)field.largest_signed()) / rule.divisor);
        case TEXEL_UNORM32: return bits_of(near_one_word(word, 1.0f / 4294967296.0f));
        case TEXEL_SNORM32: {
            const u32 sign = word & FLOAT_SIGN, magnitude = sign ? 0u - word : word;
            const u32 most = min_of(magnitude, 0x7fffffffu);
            return bits_of(near_one_word(most, 1.0f / 2147483648.0f)) | (magnitude ? sign : 0);
        }
        case TEXEL_SRGB: return srgb_linear(rule.srgb, field.of(word));
        case TEXEL_USCALED: return bits_of((float)field.of(word));
        case TEXEL_SSCALED: return bits_of((float)field.signed_of(word));
        case TEXEL_SFIXED: return bits_of((float)field.signed_of(word) * (1.0f / 65536.0f));
        case TEXEL_FLOAT: {
            const u32 bits = field.of(word);
            return small_float(bits & 0x7fff, fraction_bits(field.bits)) | (bits & 0x8000) << 16;
        }
        case TEXEL_SHARED_EXPONENT: {  // 0.f * 2^(e - 15) (001:1338-1350)
            const u32 exponent = word >> field.extra & 31;
            return bits_of((float)(s32)field.of(word) * float_of((exponent + 103) << 23));
        }
        case TEXEL_PALETTE:
            return bits_of((float)(s32)(rule.palette[field.of(word)] >> field.extra & 255) / 255.0f);
        case TEXEL_PALETTE_BITS: return rule.palette[field.of(word)] >> field.extra & 255;
        case TEXEL_NIBBLE: return field.of(word) * 17;
    }
    return 0;
}

// Calls action.run<KIND>() for the kind of a channel that is loaded.
template <typename Action> FN void for_loaded_kind(u32 kind, Action& action) {
    switch (kind) {
        case TEXEL_CONSTANT: return action.template run<TEXEL_CONSTANT>();
        case TEXEL_BITS:
        case TEXEL_UINT: return action.template run<TEXEL_BITS>();
        case TEXEL_SINT: return action.template run<TEXEL_SINT>();
        case TEXEL_UNORM: return action.template run<TEXEL_UNORM>();
        case TEXEL_SNORM: return action.template run<TEXEL_SNORM>();
        case TEXEL_UNORM32: return action.template run<TEXEL_UNORM32>();
        case TEXEL_SNORM32: return action.template run<TEXEL_SNORM32>();
        case TEXEL_SRGB: return action.template run<TEXEL_SRGB>();
        case TEXEL_USCALED: return action.template run<TEXEL_USCALED>();
        case TEXEL_SSCALED: return action.template run<TEXEL_SSCALED>();
        case TEXEL_SFIXED: return action.template run<TEXEL_SFIXED>();
        case TEXEL_FLOAT: return action.template run<TEXEL_FLOAT>();
        case TEXEL_SHARED_EXPONENT: return action.template run<TEXEL_SHARED_EXPONENT>();
        case TEXEL_PALETTE: return action.template run<TEXEL_PALETTE>();
        case TEXEL_PALETTE_BITS: return action.template run<TEXEL_PALETTE_BITS>();
        case TEXEL_NIBBLE: return action.template run<TEXEL_NIBBLE>();
    }
}

// The words of texel x of a row of elements, at any address.
FN TexelWords words_of_texel(const TexelFormat& f, const u8* row, s32 x) {
    TexelWords words = {};
    if (f.element == ELEMENT_BITS) {
        const s32 bit = x * f.element_bits;
        words.word[0] = (u32)row[bit >> 3] >> (bit & 7);
    } else if (f.element == ELEMENT_PAIR) {
        words.word[0] = get_bytes<4, false>(row + (s64)(x >> 1) * 4);
        words.word[1] = words.word[0] >> 16 * (x & 1);
    } else {
        const s32 bytes = f.element_bits >> 3;
        const u8* element = row + (s64)x * bytes;
        for (s32 b = 0; b < bytes; ++b) words.word[b >> 2] |= (u32)element[b] << 8 * (b & 3);
    }
    return words;
}

struct LoadNumber {
    const ChannelRule rule;
    const u32 word;
    u32 number;

    template <int KIND> FN_MEMBER void run() { number = number_of<KIND>(rule, word); }
};

// Texel x of a row of elements: for kernels that need texels here and there.
FN Texel load_texel(const TexelFormat& f, const u32* palette, const u8* row, s32 x) {
    const TexelWords words = words_of_texel(f, row, x);
    Texel texel = {};
    for (s32 c = 0; c < f.channels; ++c) {
        LoadNumber load = {ChannelRule(f, c, palette), words.word[f.channel[c].offset >> 5], 0};
        for_loaded_kind(f.channel[c].kind, load);
        texel.channel[c] = load.number;
    }
    return texel;
}

// -- numbers to fields -----------------------------------------------------------------------------------------------

// The nearest float with 5 bits of exponent, ties to even (001:1307). With a sign, overflow is infinity; without one,
// negative numbers are 0 and overflow is the largest number.
FN u32 nearest_small_float(u32 bits, u32 fraction_bits, bool with_sign) {
    const u32 dropped = 23 - fraction_bits, infinity = 31u << fraction_bits;
    const u32 magnitude = magnitude_of(bits), sign = with_sign ? (bits & FLOAT_SIGN) >> 16 : 0;
    const u32 rebiased = max_of(magnitude, 113u << 23) - (112u << 23);
    const u32 normal = (rebiased + (rebiased >> dropped & 1) + ((1u << dropped) / 2 - 1)) >> dropped;
    const u32 unit = (136u - fraction_bits) << 23;  // a float whose last bit is worth the smallest denormal
    const u32 denormal = bits_of(float_of(min_of(magnitude, 113u << 23)) + float_of(unit)) - unit;
    const u32 finite = magnitude < 113u << 23 ? denormal : min_of(normal, with_sign ? infinity : infinity - 1);
    const u32 kept = (magnitude & 0x7fffff) >> dropped;
    const u32 nan = infinity | (kept ? kept : 1u << (fraction_bits - 1));
    const u32 number = magnitude == FLOAT_INFINITY ? infinity : finite;
    const u32 clamped = !with_sign && (bits & FLOAT_SIGN) ? 0 : number;
    return sign | (magnitude > FLOAT_INFINITY ? nan : clamped);
}

// How many of the curve's limits are not above a float: those below its 64th of a power of two, and up to 7 inside.
FN u32 srgb_code(const SrgbCurve& curve, u32 bits) {
    const u32 value = positive_or_zero(bits), first = 112u << 23;
    const s32 place = (s32)(min_of(value, (u32)FLOAT_ONE) - first) >> 17;
    s32 code = (s32)SRGB_NEAR[curve.near + (place & ~(place >> 31))];  // floats below 2^-15 have negative places
    code += SRGB_FROM[curve.from + code + 3] <= value ? 4 : 0;
    code += SRGB_FROM[curve.from + code + 1] <= value ? 2 : 0;
    code += SRGB_FROM[curve.from + code] <= value ? 1 : 0;
    return (u32)((code + curve.step / 2) * (65536 / curve.step + 1) >> 16);  // divided by the step; exact below 1040
}

FN u32 with_sign_of(u32 number, u32 magnitude) { return number & FLOAT_SIGN ? 0u - magnitude : magnitude; }

// A channel's field, not shifted into place yet.
template <int KIND> FN u32 field_of(const ChannelRule& rule, u32 number) {
    const Field& field = rule.field;
    const u32 magnitude = is_nan(number) ? 0 : magnitude_of(number);
    const u32 largest = field.largest_signed();
    switch (KIND) {
        case TEXEL_BITS: return number & field.mask;
        case TEXEL_UINT: return min_of(number, field.mask);
        case TEXEL_SINT: {
            const s32 value = (s32)(number << field.extra) >> field.extra;
            return (u32)clamp_to(value, -(s32)largest - 1, (s32)largest) & field.mask;
        }
        case TEXEL_UNORM:
        case TEXEL_UNORM32: return nearest_scaled(positive_or_zero(number), field.mask, FLOAT_ONE, field.mask);
        case TEXEL_SNORM:
        case TEXEL_SNORM32:
            return with_sign_of(number, nearest_scaled(magnitude, largest, FLOAT_ONE, largest)) & field.mask;
        case TEXEL_SRGB: return srgb_code(rule.srgb, number);
        case TEXEL_USCALED: return nearest_scaled(positive_or_zero(number), 1, 0x4f800000, field.mask);
        case TEXEL_SSCALED: {
            const u32 most = largest + (number >> 31);  // one more below zero
            return with_sign_of(number, nearest_scaled(magnitude, 1, 0x4f800000, most)) & field.mask;
        }
        case TEXEL_SFIXED:
            return with_sign_of(number, nearest_scaled(magnitude, 65536, 0x47800000, largest + (number >> 31)));
        case TEXEL_FLOAT: return nearest_small_float(number, fraction_bits(field.bits), field.bits == 16);
    }
    return 0;
}

// UNORM and SNORM of at most 8 bits.
template <int KIND> FN u32 narrow_field_of(const ChannelRule& rule, u32 number) {
    if (KIND == TEXEL_UNORM) return nearest_narrow(positive_or_zero(number), rule.field.mask);
    const u32 magnitude = is_nan(number) ? 0 : magnitude_of(number);
    return with_sign_of(number, nearest_narrow(magnitude, rule.field.largest_signed())) & rule.field.mask;
}

// A float in units of 2^(exponent - 24), halves up.
FN u32 shared_fraction(u32 bits, u32 exponent) {
    const u32 right = 125 + exponent - (bits >> 23);  // and one more, for the rounding
    const u32 fraction = (bits & 0x7fffff) | (bits >> 23 ? 0x800000u : 0);
    return ((fraction >> min_of(right, 31u)) + 1) >> 1;
}

// R9G9B9E5: the smallest exponent that holds the largest channel, halves up.
FN u32 shared_exponent_word(u32 red, u32 green, u32 blue) {
    const u32 most = bits_of(65408.0f);
    const u32 r = min_of(positive_or_zero(red), most), g = min_of(positive_or_zero(green), most);
    const u32 b = min_of(positive_or_zero(blue), most), largest = max_of(max_of(r, g), b);
    const u32 lowest = max_of(largest >> 23, 111u) - 111;
    const u32 exponent = lowest + shared_fraction(largest, lowest) / 512;  // it may round up to the next power of two
    return shared_fraction(r, exponent) | shared_fraction(g, exponent) << 9 | shared_fraction(b, exponent) << 18 |
           exponent << 27;
}

// Calls action.run<KIND>() for the kind of a channel that is stored alone.
template <typename Action> FN void for_stored_kind(u32 kind, Action& action) {
    switch (kind) {
        case TEXEL_BITS: return action.template run<TEXEL_BITS>();
        case TEXEL_UINT: return action.template run<TEXEL_UINT>();
        case TEXEL_SINT: return action.template run<TEXEL_SINT>();
        case TEXEL_UNORM: return action.template run<TEXEL_UNORM>();
        case TEXEL_SNORM: return action.template run<TEXEL_SNORM>();
        case TEXEL_UNORM32: return action.template run<TEXEL_UNORM32>();
        case TEXEL_SNORM32: return action.template run<TEXEL_SNORM32>();
        case TEXEL_SRGB: return action.template run<TEXEL_SRGB>();
        case TEXEL_USCALED: return action.template run<TEXEL_USCALED>();
        case TEXEL_SSCALED: return action.template run<TEXEL_SSCALED>();
        case TEXEL_SFIXED: return action.template run<TEXEL_SFIXED>();
        case TEXEL_FLOAT: return action.template run<TEXEL_FLOAT>();
    }
}

struct StoreNumber {
    const ChannelRule rule;
    const u32 number;
    u32 field;

    template <int KIND> FN_MEMBER void run() { field = field_of<KIND>(rule, number); }
};

// Texel x of a row of elements of whole bytes, its padding 0: for kernels that write texels here and there.
FN void store_texel(const TexelFormat& f, u8* row, s32 x, const Texel& texel) {
    TexelWords words = {};
    if (f.channel[0].kind == TEXEL_SHARED_EXPONENT) {
        words.word[0] = shared_exponent_word(texel.channel[0], texel.channel[1], texel.channel[2]);
    } else {
        for (s32 c = 0; c < f.channels; ++c) {
            StoreNumber store = {ChannelRule(f, c, nullptr), texel.channel[c], 0};
            for_stored_kind(f.channel[c].kind, store);
            words.word[f.channel[c].offset >> 5] |= store.field << (f.channel[c].offset & 31);
        }
    }
    const s32 bytes = f.element_bits >> 3;
    u8* element = row + (s64)x * bytes;
    for (s32 b = 0; b < bytes; ++b) element[b] = (u8)(words.word[b >> 2] >> 8 * (b & 3));
}
