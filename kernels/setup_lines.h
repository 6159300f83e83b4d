// Lines on the screen: parallelograms, rectangles, or the pixels whose diamonds they leave (pages 237-244, 300).
#pragma once
#include "setup_screen.h"

enum SetupLine { LINE_PARALLELOGRAM = 0, LINE_RECTANGLE = 1, LINE_THIN = 2 };
enum { LINE_HALF = RASTER_SUBPIXELS / 2 };

struct LineRules {
    s32 kind;       // SetupLine
    s32 width;      // in 1/256 pixels
    s32 longer;     // of a rectangle, at both ends
    s32 draws_last;  // the last pixel of thin ones
    s32 is_legacy;  // which rule diamonds go by
    s32 at_x, at_y;  // where a pixel is tested, from its upper left corner
};

FN s64 absolute_of(s64 v) { return v < 0 ? -v : v; }

FN bool is_x_major(const Point* at) { return absolute_of(at[1].x - at[0].x) >= absolute_of(at[1].y - at[0].y); }

// As wide as `width` along the axis that the line is shorter in.
FN void line_parallelogram(Shape& shape, const Point* at, s32 width) {
    const bool is_x = is_x_major(at);
    const s64 dx = is_x ? 0 : width / 2, dy = is_x ? width / 2 : 0;
    const Point corners[4] = {{at[0].x - dx, at[0].y - dy}, {at[1].x - dx, at[1].y - dy}, {at[1].x + dx, at[1].y + dy}, {at[0].x + dx, at[0].y + dy}};
    polygon(shape, corners, 4);
}

// As wide across the line, and so much longer at both ends; corners are rounded to the nearest subpixel.
FN void line_rectangle(Shape& shape, const Point* at, s32 width, s32 longer) {
    const double dx = (double)(at[1].x - at[0].x), dy = (double)(at[1].y - at[0].y), length = wide_root_of(dx * dx + dy * dy);
    const double x = dx / (length < 1.0 ? 1.0 : length), y = dy / (length < 1.0 ? 1.0 : length), half = (double)width / 2.0;
    const double aside_x = -y * half, aside_y = x * half, more_x = x * (double)longer, more_y = y * (double)longer;
    Point corners[4];
    for (s32 n = 0; n < 4; ++n) {
        const bool at_end = n == 1 || n == 2, is_below = n >= 2;
        const double along_x = at_end ? (double)at[1].x + more_x : (double)at[0].x - more_x;
        const double along_y = at_end ? (double)at[1].y + more_y : (double)at[0].y - more_y;
        corners[n].x = (s64)nearest(is_below ? along_x + aside_x : along_x - aside_x);
        corners[n].y = (s64)nearest(is_below ? along_y + aside_y : along_y - aside_y);
    }
    polygon(shape, corners, 4);
}

// Which corners and edges of a pixel's diamond belong to it: + and - along the longer axis, then across.
// The corner at + across always does, the one at - across and the edge between the - corners never.
struct Diamond {
    bool plus, minus, plus_plus, minus_plus, plus_minus;
};

// By the equations of page 242, or those of page 240.
FN Diamond diamond_of(const Point* at, bool is_x, bool is_legacy) {
    if (!is_legacy) return {!is_x, false, true, is_x, !is_x};
    const s64 dx = at[1].x - at[0].x, dy = at[1].y - at[0].y;
    const bool falling = dx == dy && is_x, rising = dx == -dy && is_x;
    return {!falling, falling, rising, falling, false};
}

// Whether a point is in the diamond of its pixel, whose column this sets.
FN bool find_diamond(const Diamond& diamond, s64 along, s64 across, s64& column) {
    column = along >> 8;
    const s64 a = (along & 255) - LINE_HALF, b = (across & 255) - LINE_HALF, distance = absolute_of(a) + absolute_of(b);
    bool side = false;
    if (b == -LINE_HALF) side = true;
    else if (a < 0 && b > 0) side = diamond.minus_plus;
    else if (a > 0 && b > 0) side = diamond.plus_plus;
    else if (a > 0 && b < 0) side = diamond.plus_minus;
    else if (a == -LINE_HALF) side = diamond.minus || diamond.plus;
    if (a == -LINE_HALF && b == 0 && diamond.plus) --column;  // the left corner of a diamond is the right one of that before it
    return distance < LINE_HALF || (distance == LINE_HALF && side);
}

// Columns, or rows of lines that are longer in y, from the first to the last one whose diamond the line leaves. In each it
// is the pixel that the line passes in the middle; halfway between two of them, the one above or left.
FN void line_thin(Shape& shape, const LineRules& rules, const Point* at, bool draws_last) {
    const bool is_x = is_x_major(at);
    const Diamond diamond = diamond_of(at, is_x, rules.is_legacy);
    const s64 shift_x = LINE_HALF - rules.at_x, shift_y = LINE_HALF - rules.at_y;
    s64 along[2], across[2], first, final;
    for (int n = 0; n < 2; ++n) {
        const s64 x = at[n].x + shift_x, y = at[n].y + shift_y;
        along[n] = is_x ? x : y, across[n] = is_x ? y : x;
    }
    const bool forward = along[1] >= along[0];
    const s64 step = forward ? 1 : -1;
    const bool started = find_diamond(diamond, along[0], across[0], first);
    if ((along[0] - first * RASTER_SUBPIXELS - LINE_HALF) * step > 0 && !started) first += step;
    const bool ended = find_diamond(diamond, along[1], across[1], final);
    const bool is_past = (along[1] - final * RASTER_SUBPIXELS - LINE_HALF) * step > 0;
    if (!((is_past && !ended) || (draws_last && ended))) final -= step;
    const s64 low = forward ? first : final, high = forward ? final : first;
    const s64 du = absolute_of(along[1] - along[0]), dv = (across[1] - across[0]) * step, c = dv * along[0] - du * across[0];
    const s64 room = forward ? 0 : RASTER_SUBPIXELS - 1, far = forward ? RASTER_SUBPIXELS - 1 : 0;
    shape.edges[0] = {-dv, du, c + du * LINE_HALF};
    shape.edges[2] = {dv, -du, du * LINE_HALF - c - 1};
    shape.edges[LINE_BEGIN] = {step, 0, -step * (first * RASTER_SUBPIXELS + room)};
    shape.edges[LINE_END] = {-step, 0, step * (final * RASTER_SUBPIXELS + far)};
    for (int n = 0; n < RASTER_EDGES; ++n) {
        RasterEdge& edge = shape.edges[n];
        if (!is_x) edge = {edge.b, edge.a, edge.c};
        edge.c += edge.a * shift_x + edge.b * shift_y;
    }
    const s64 reach[2] = {low * RASTER_SUBPIXELS, high * RASTER_SUBPIXELS + RASTER_SUBPIXELS - 1};
    const s64 beside[2] = {min_of(across[0], across[1]) - RASTER_SUBPIXELS, max_of(across[0], across[1]) + RASTER_SUBPIXELS};
    for (int n = 0; n < 2; ++n) {
        shape.bounds[2 * n] = (is_x ? reach[n] : beside[n]) - shift_x;
        shape.bounds[2 * n + 1] = (is_x ? beside[n] : reach[n]) - shift_y;
    }
    if (low <= high) return;
    for (int k = 0; k < 4; ++k) shape.bounds[k] = k < 2 ? 0 : -RASTER_SUBPIXELS;
}

FN_ONCE void line(Shape& shape, const LineRules& rules, const Point* at, bool draws_last) {
    if (rules.kind == LINE_PARALLELOGRAM) line_parallelogram(shape, at, rules.width);
    else if (rules.kind == LINE_RECTANGLE) line_rectangle(shape, at, rules.width, rules.longer);
    else line_thin(shape, rules, at, draws_last);
}
