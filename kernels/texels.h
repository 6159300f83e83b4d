// Rows of texels to arrays of numbers and back, for any TexelFormat.
//
// A tile takes a strip of each of its rows through scratch: the elements' words side by side, then one channel after
// another, whose kind is the same for the whole strip, then the numbers next to each other as the array has them.
#pragma once
#include "formats.h"

// Texels across and rows of a tile; texsamp/surface/texels.py divides the picture by them. The width is even, and a
// multiple of the texels in a byte.
enum { TEXEL_TILE_WIDTH = ON_DEVICE(512, 256), TEXEL_TILE_HEIGHT = 4 };

struct TexelParams {
    void* elements;
    void* numbers;       // channels of a texel, texel after texel, row after row without padding
    const u32* palette;  // 256 entries, for palette formats
    s64 pitch_B;         // from a row of elements to the next
    s32 width, height;   // texels
    s32 number_B;        // bytes of one number: 1, 2 or 4; larger values are cut
    s32 aligned;         // whether elements and pitch are multiples of 4 bytes
    TexelFormat format;
};
static_assert(sizeof(TexelParams) == 96, "parameter layout");

struct TexelStrip {
    u32 words[4][TEXEL_TILE_WIDTH];
    u32 numbers[4][TEXEL_TILE_WIDTH];
};

// -- loading ---------------------------------------------------------------------------------------------------------

template <int BYTES, bool ALIGNED> FN void words_of_elements(TexelStrip& s, const u8* row, s32 n) {
    FOR_EACH(i, n) {
        UNROLL for (int w = 0; w < (BYTES + 3) / 4; ++w) s.words[w][i] = get_word<BYTES, ALIGNED>(row + i * BYTES, w);
    }
}

template <bool ALIGNED> FN void words_of_row(TexelStrip& s, const TexelFormat& f, const u8* row, s32 n) {
    u32 *__restrict__ whole = s.words[0], *__restrict__ own = s.words[1];
    if (f.element == ELEMENT_BITS) {
        const s32 bits = f.element_bits;
        FOR_EACH(i, n) whole[i] = (u32)row[i * bits >> 3] >> (i * bits & 7);
    } else if (f.element == ELEMENT_PAIR) {
        FOR_EACH(i, n) {
            const u32 pair = get_bytes<4, ALIGNED>(row + (i >> 1) * 4);
            whole[i] = pair;
            own[i] = pair >> 16 * (i & 1);
        }
    } else {
        switch (f.element_bits) {
            case 8: return words_of_elements<1, ALIGNED>(s, row, n);
            case 16: return words_of_elements<2, ALIGNED>(s, row, n);
            case 24: return words_of_elements<3, ALIGNED>(s, row, n);
            case 32: return words_of_elements<4, ALIGNED>(s, row, n);
            case 48: return words_of_elements<6, false>(s, row, n);
            case 64: return words_of_elements<8, ALIGNED>(s, row, n);
            case 96: return words_of_elements<12, ALIGNED>(s, row, n);
            case 128: return words_of_elements<16, ALIGNED>(s, row, n);
        }
    }
}

struct LoadPlane {
    TexelStrip& strip;
    const TexelFormat& f;
    const u32* palette;
    s32 c, n;

    template <int KIND> FN_MEMBER void run() {
        const ChannelRule rule(f, c, palette);
        const u32* __restrict__ words = strip.words[f.channel[c].offset >> 5];
        u32* __restrict__ numbers = strip.numbers[c];
        FOR_EACH(i, n) numbers[i] = number_of<KIND>(rule, words[i]);
    }
};

template <typename T, int CHANNELS> FN void interleave(const TexelStrip& s, T* __restrict__ out, s32 n) {
    FOR_EACH(i, n) {
        UNROLL for (int c = 0; c < CHANNELS; ++c) out[CHANNELS * i + c] = (T)s.numbers[c][i];
    }
}

template <typename T, int CHANNELS> FN void deinterleave(TexelStrip& s, const T* __restrict__ in, s32 n) {
    FOR_EACH(i, n) {
        UNROLL for (int c = 0; c < CHANNELS; ++c) s.numbers[c][i] = in[CHANNELS * i + c];
    }
}

template <bool LOAD, typename T> FN void move_numbers(TexelStrip& s, const TexelParams& p, s32 x0, s32 y, s32 n) {
    const s32 channels = p.format.channels;
    T* numbers = (T*)p.numbers + ((s64)y * p.width + x0) * channels;
    switch (channels) {
        case 1: return LOAD ? interleave<T, 1>(s, numbers, n) : deinterleave<T, 1>(s, numbers, n);
        case 2: return LOAD ? interleave<T, 2>(s, numbers, n) : deinterleave<T, 2>(s, numbers, n);
        case 3: return LOAD ? interleave<T, 3>(s, numbers, n) : deinterleave<T, 3>(s, numbers, n);
        case 4: return LOAD ? interleave<T, 4>(s, numbers, n) : deinterleave<T, 4>(s, numbers, n);
    }
}

template <bool LOAD> FN void move_numbers(TexelStrip& s, const TexelParams& p, s32 x0, s32 y, s32 n) {
    switch (p.number_B) {
        case 1: return move_numbers<LOAD, u8>(s, p, x0, y, n);
        case 2: return move_numbers<LOAD, u16>(s, p, x0, y, n);
        case 4: return move_numbers<LOAD, u32>(s, p, x0, y, n);
    }
}

FN u8* strip_elements(const TexelParams& p, s32 x0, s32 y) {
    const s32 bits = p.format.element == ELEMENT_PAIR ? 16 : p.format.element_bits;
    return (u8*)p.elements + y * p.pitch_B + (s64)x0 * bits / 8;
}

FN void load_texels_tile(const TexelParams& p, s32 tile_x, s32 tile_y) {
    SHARED TexelStrip strip;
    const s32 x0 = tile_x * TEXEL_TILE_WIDTH, n = min_of(p.width - x0, (s32)TEXEL_TILE_WIDTH);
    const s32 end = min_of((tile_y + 1) * TEXEL_TILE_HEIGHT, p.height);
    for (s32 y = tile_y * TEXEL_TILE_HEIGHT; y < end; ++y) {
        const u8* row = strip_elements(p, x0, y);
        if (ON_DEVICE(false, true) && p.aligned)
            words_of_row<true>(strip, p.format, row, n);
        else
            words_of_row<false>(strip, p.format, row, n);
        for (s32 c = 0; c < p.format.channels; ++c) {
            LoadPlane plane = {strip, p.format, p.palette, c, n};
            for_loaded_kind(p.format.channel[c].kind, plane);
        }
        move_numbers<true>(strip, p, x0, y, n);
    }
}

// Texels here and there: `places` are x, y of one after the other; they must be inside the surface, and different if
// they are written.
struct PlacesParams {
    void* elements;
    const s32* places;
    u32* numbers;  // channels of a texel, texel after texel
    const u32* palette;
    s64 pitch_B;
    s32 count;
    s32 pad_;
    TexelFormat format;
};
static_assert(sizeof(PlacesParams) == 96, "parameter layout");

enum { PLACES_TILE = 256 };

FN void fetch_texels_tile(const PlacesParams& p, s32 tile, s32) {
    const s32 first = tile * PLACES_TILE;
    FOR_EACH(i, min_of(p.count - first, (s32)PLACES_TILE)) {
        const s32 *place = p.places + 2 * (s64)(first + i), channels = p.format.channels;
        const Texel texel = load_texel(p.format, p.palette, (const u8*)p.elements + place[1] * p.pitch_B, place[0]);
        for (s32 c = 0; c < channels; ++c) p.numbers[(s64)(first + i) * channels + c] = texel.channel[c];
    }
}

// -- storing ---------------------------------------------------------------------------------------------------------

template <int BYTES, bool ALIGNED> FN void put_elements(const TexelStrip& s, u8* row, s32 n) {
    FOR_EACH(i, n) {
        UNROLL for (int w = 0; w < (BYTES + 3) / 4; ++w)
            put_word<BYTES, ALIGNED>(row + i * BYTES, w, s.words[w][i]);
    }
}

// Each byte's texels, the first in the lowest bits (001:1370-1383).
FN void put_bits(const TexelStrip& s, s32 bits, u8* row, s32 n) {
    const s32 texels = 8 / bits;
    FOR_EACH(j, (n + texels - 1) / texels) {
        u32 byte = 0;
        for (s32 k = 0; k < texels && j * texels + k < n; ++k) byte |= s.words[0][j * texels + k] << k * bits;
        row[j] = (u8)byte;
    }
}

// Each pair's lumas and the average of its chromas, halves up; a texel without a partner is its own.
template <bool ALIGNED> FN void put_pairs(const TexelStrip& s, u8* row, s32 n) {
    FOR_EACH(j, (n + 1) / 2) {
        const s32 left = 2 * j, right = min_of(left + 1, n - 1);
        const u32 a = s.words[0][left], b = s.words[0][right];
        const u32 chroma = (a | b) - ((a ^ b) >> 1 & 0x7f7f7f7f);
        put_bytes<4, ALIGNED>(row + 4 * j, chroma | s.words[1][left] | s.words[1][right] << 16);
    }
}

template <bool ALIGNED> FN void put_row(const TexelStrip& s, const TexelFormat& f, u8* row, s32 n) {
    if (f.element == ELEMENT_BITS) return put_bits(s, f.element_bits, row, n);
    if (f.element == ELEMENT_PAIR) return put_pairs<ALIGNED>(s, row, n);
    switch (f.element_bits) {
        case 8: return put_elements<1, ALIGNED>(s, row, n);
        case 16: return put_elements<2, ALIGNED>(s, row, n);
        case 24: return put_elements<3, ALIGNED>(s, row, n);
        case 32: return put_elements<4, ALIGNED>(s, row, n);
        case 48: return put_elements<6, false>(s, row, n);
        case 64: return put_elements<8, ALIGNED>(s, row, n);
        case 96: return put_elements<12, ALIGNED>(s, row, n);
        case 128: return put_elements<16, ALIGNED>(s, row, n);
    }
}

template <int KIND, bool NARROW> FN void fields_of_plane(TexelStrip& s, const TexelFormat& f, s32 c, s32 n) {
    const ChannelRule rule(f, c, nullptr);
    u32* __restrict__ words = s.words[f.channel[c].offset >> 5];
    const u32* __restrict__ numbers = s.numbers[c];
    const u32 shift = rule.field.shift;
    FOR_EACH(i, n) {
        const u32 field = NARROW ? narrow_field_of<KIND>(rule, numbers[i]) : field_of<KIND>(rule, numbers[i]);
        words[i] |= field << shift;
    }
}

struct StorePlane {
    TexelStrip& strip;
    const TexelFormat& f;
    s32 c, n;

    template <int KIND> FN_MEMBER void run() {
        if ((KIND == TEXEL_UNORM || KIND == TEXEL_SNORM) && f.channel[c].bits <= 8)
            fields_of_plane<KIND, KIND == TEXEL_UNORM || KIND == TEXEL_SNORM>(strip, f, c, n);
        else
            fields_of_plane<KIND, false>(strip, f, c, n);
    }
};

FN_ONCE void words_of_numbers(TexelStrip& s, const TexelFormat& f, s32 n) {
    if (f.channel[0].kind == TEXEL_SHARED_EXPONENT) {
        FOR_EACH(i, n) s.words[0][i] = shared_exponent_word(s.numbers[0][i], s.numbers[1][i], s.numbers[2][i]);
        return;
    }
    const s32 words = f.element == ELEMENT_PAIR ? 2 : (f.element_bits + 31) / 32;
    for (s32 w = 0; w < words; ++w) FOR_EACH(i, n) s.words[w][i] = 0;
    for (s32 c = 0; c < f.channels; ++c) {
        StorePlane plane = {s, f, c, n};
        for_stored_kind(f.channel[c].kind, plane);
    }
}

FN void store_texels_tile(const TexelParams& p, s32 tile_x, s32 tile_y) {
    SHARED TexelStrip strip;
    const s32 x0 = tile_x * TEXEL_TILE_WIDTH, n = min_of(p.width - x0, (s32)TEXEL_TILE_WIDTH);
    const s32 end = min_of((tile_y + 1) * TEXEL_TILE_HEIGHT, p.height);
    for (s32 y = tile_y * TEXEL_TILE_HEIGHT; y < end; ++y) {
        move_numbers<false>(strip, p, x0, y, n);
        words_of_numbers(strip, p.format, n);
        BARRIER();
        u8* row = strip_elements(p, x0, y);
        if (ON_DEVICE(false, true) && p.aligned)
            put_row<true>(strip, p.format, row, n);
        else
            put_row<false>(strip, p.format, row, n);
        BARRIER();
    }
}

FN void put_texels_tile(const PlacesParams& p, s32 tile, s32) {
    const s32 first = tile * PLACES_TILE;
    FOR_EACH(i, min_of(p.count - first, (s32)PLACES_TILE)) {
        const s32 *place = p.places + 2 * (s64)(first + i), channels = p.format.channels;
        Texel texel = {};
        for (s32 c = 0; c < channels; ++c) texel.channel[c] = p.numbers[(s64)(first + i) * channels + c];
        store_texel(p.format, (u8*)p.elements + place[1] * p.pitch_B, place[0], texel);
    }
}
