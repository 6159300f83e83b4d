// Film detection: tiles, and the lines of two frames that they are made from.
#pragma once
#include "fields.h"

// A tile measures FILM_BLOCKS blocks across and computes columns on either side, and one even line more above and below,
// for the neighbors of tears. Statistics are of the CPU's tiles: others are whole parts of them.
enum { FILM_WIDTH = ON_DEVICE(256, 96), FILM_MARGIN = 8, FILM_BLOCKS = (FILM_WIDTH - 2 * FILM_MARGIN) / 16 };
enum { FILM_LINES = ON_DEVICE(32, 16), FILM_DOWN = FILM_LINES / 4, FILM_COUNT = FILM_BLOCKS * FILM_DOWN };
enum { FILM_STRIPS = FILM_LINES / 8 };  // sums are of these, 8 lines each
enum { FILM_ROWS = FILM_LINES / 2 + 2, FILM_LOADED = FILM_LINES + 8 };

FN u8 upper_byte(u8 element, s32) { return element; }
FN u8 upper_byte(u16 element, s32 shift) { return (u8)(element >> shift); }

// Phase: columns first .. first + FILM_WIDTH - 1 of a line; beyond the picture nothing differs from anything.
template <typename T>
FN void load_film_line(const FieldSamples& s, s32 line, s32 width, s32 first, u8* __restrict__ out) {
    const s32 left = clamp_to<s32>(-first, 0, FILM_WIDTH), right = clamp_to<s32>(width - first, left, FILM_WIDTH);
    const s32 step = s.step, shift = s.shift;
    const T* __restrict__ inside = row_of<T>(s, line) + (s64)(first + left) * step;
    if (step == 1 && right - left == FILM_WIDTH) {  // most tiles: a length that compilers know
        FOR_LINE(i, FILM_WIDTH) out[i] = upper_byte(inside[i], shift);
        return;
    }
    if (step == 1) {
        FOR_LINE(i, right - left) out[left + i] = upper_byte(inside[i], shift);
    } else {
        FOR_LINE(i, right - left) out[left + i] = upper_byte(inside[(s64)i * step], shift);
    }
    FOR_LINE(i, left) out[i] = 0;
    FOR_LINE(i, FILM_WIDTH - right) out[right + i] = 0;
}

// Where the lines of a tile are, from the fourth above it.
struct FilmLines {
    const u8* first;
    s32 pitch_B;
    FN_MEMBER const u8* line(s32 i) const { return first + (s64)i * pitch_B; }
};

// The CPU reads a tile where it is, if it needs nothing beyond the picture and samples are bytes in a row.
template <typename T> FN bool is_read_in_place(const FieldSamples& s, s32 width, s32 height, s32 first, s32 top) {
    return ON_DEVICE(true, false) && sizeof(T) == 1 && s.step == 1 && s.shift == 0 && first >= 0 &&
           first + FILM_WIDTH <= width && top >= 0 && top + FILM_LOADED <= height;
}

// Phase: the lines of a tile.
template <typename T>
FN FilmLines film_lines(const FieldSamples& s, s32 width, s32 height, s32 first, s32 top, u8* scratch) {
    if (is_read_in_place<T>(s, width, height, first, top))
        return {(const u8*)(row_of<T>(s, top) + first), s.pitch_B};
    FOR_LINES(i, FILM_LOADED)
        load_film_line<T>(s, line_in_picture(top + i, height), width, first, scratch + i * FILM_WIDTH);
    return {scratch, FILM_WIDTH};
}

struct FilmFrames {
    FilmLines current, previous;
};
