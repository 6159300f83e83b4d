// From tessellation factors to divided patches: factors clamped and rounded, and how much each patch becomes.
#pragma once
#include "portable_elements.h"
#include "tess_triangles.h"

// How patches are divided: TessellatorDomain and Partitioning of texsamp/state/commands_3d.py, and what comes of them.
enum TessDomain { TESS_QUAD = 0, TESS_TRI = 1, TESS_ISOLINE = 2 };
enum TessPartitioning { TESS_INTEGER = 0, TESS_ODD_FRACTIONAL = 1, TESS_EVEN_FRACTIONAL = 2 };
enum TessOutput { TESS_POINTS = 0, TESS_LINES = 1, TESS_TRIANGLES = 2 };
enum { TESS_MOST_LINES = 64 };

struct TessRules {
    s32 domain, partitioning, output;
    float most;  // the largest factor
};

struct TessPatchesParams {
    const u32* entries;  // [count][pitch]: URB entries, which begin with a patch's header
    TessPatch* patches;  // [count]
    s32* counts;         // [count][2]: points and objects
    TessRules rules;
    s32 pitch;           // dwords
    s32 count;
    s32 tiles_x;
    s32 pad_;
};
static_assert(sizeof(TessPatchesParams) == 56, "parameter layout");

enum { TESS_ITEMS = ON_DEVICE(256, 256) };  // of a tile; texsamp/emulator/fixed/tessellator.py

FN float ceiling_of(float v) {  // of numbers above 0 and no larger than 64
    const float whole = (float)(s32)v;
    return whole < v ? whole + 1.0f : whole;
}

FN float clamped_factor(float v, float least, float most) { return v >= least ? min_of(v, most) : least; }  // NaN is the least

FN float factor_at(const u32* header, s32 dword) { return float_of_bits(header[dword]); }

// Outer and inner factors of a header: of quads from dword 7 and dword 3 down, of triangles from 7 and 4; of isolines how
// many there are is dword 6, and the factor of each is dword 7.
FN float outer_factor(const u32* header, s32 domain, s32 edge) { return factor_at(header, domain == TESS_ISOLINE ? 6 + edge : 7 - edge); }
FN float inner_factor(const u32* header, s32 domain, s32 axis) { return factor_at(header, domain == TESS_QUAD ? 3 - axis : 4); }

FN s32 outer_edges(s32 domain) { return domain == TESS_QUAD ? 4 : domain == TESS_TRI ? 3 : 2; }
FN s32 inner_edges(s32 domain) { return domain == TESS_QUAD ? 2 : domain == TESS_TRI ? 1 : 0; }

FN bool is_culled(const u32* header, s32 domain) {
    for (s32 edge = 0; edge < outer_edges(domain); ++edge)
        if (!(outer_factor(header, domain, edge) > 0.0f)) return true;
    return false;
}

// Keep an edge of a clamped factor; one inside that has one segment is even, with a point in the middle.
FN void keep_edge(TessPatch& patch, s32 edge, float factor, s32 partitioning) {
    bool odd = partitioning == TESS_ODD_FRACTIONAL;
    if (partitioning == TESS_INTEGER) {
        factor = ceiling_of(factor);
        odd = ((s32)factor & 1) && !(factor == 1.0f && edge >= TESS_INNER);
    }
    const float no_fractions = 8388608.0f;  // from 2^23 on: sums are rounded to the nearest, of two to the even one
    patch.factors[edge] = (s32)(factor * (float)TESS_ONE + no_fractions) - (s32)no_fractions;
    patch.odd |= (s32)odd << edge;
}

FN void keep_isolines(const u32* header, const TessRules& rules, float least, TessPatch& patch) {
    keep_edge(patch, 0, clamped_factor(outer_factor(header, TESS_ISOLINE, 0), 1.0f, (float)TESS_MOST_LINES), TESS_INTEGER);
    keep_edge(patch, 1, clamped_factor(outer_factor(header, TESS_ISOLINE, 1), least, rules.most), rules.partitioning);
}

// Where partitioning is odd, and a factor larger than 1, there is a frame around the inside: its factors are, too.
FN void keep_factors(const u32* header, const TessRules& rules, float least, TessPatch& patch) {
    const float frame = 1.0f + 1.0f / 65536.0f, smallest = 1.0f + 1.0f / 131072.0f;
    bool framed = false, whole = rules.partitioning != TESS_EVEN_FRACTIONAL;
    for (s32 edge = 0; edge < outer_edges(rules.domain); ++edge) {
        const float factor = clamped_factor(outer_factor(header, rules.domain, edge), least, rules.most);
        framed = framed || factor > smallest;
        keep_edge(patch, edge, factor, rules.partitioning);
        whole = whole && patch.factors[edge] == TESS_ONE;
    }
    for (s32 axis = 0; axis < inner_edges(rules.domain) && rules.domain == TESS_QUAD; ++axis)
        framed = framed || inner_factor(header, rules.domain, axis) > smallest;
    if (framed && rules.partitioning == TESS_ODD_FRACTIONAL) least = frame;
    for (s32 axis = 0; axis < inner_edges(rules.domain); ++axis) {
        const float factor = clamped_factor(inner_factor(header, rules.domain, axis), least, rules.most);
        keep_edge(patch, TESS_INNER + axis, factor, rules.partitioning);
        whole = whole && patch.factors[TESS_INNER + axis] == TESS_ONE;
    }
    patch.whole = whole;
}

FN s32 lines_of(const TessPatch& patch) { return points_of(edge_of(patch, 0)) - 1; }  // the one at V = 1 is left out

FN void tess_patches_tile(const TessPatchesParams& p, s32 tile_x, s32 tile_y) {
    const s32 begin = (tile_y * p.tiles_x + tile_x) * TESS_ITEMS, count = min_of<s32>(TESS_ITEMS, p.count - begin);
    FOR_ITEMS(i, count) {
        const s32 number = begin + i;
        const u32* header = p.entries + (s64)number * p.pitch;
        TessPatch& patch = p.patches[number];
        for (s32 n = 0; n < TESS_EDGES; ++n) patch.factors[n] = 0;
        patch.odd = patch.whole = 0;
        s32 points = 0, objects = 0;
        if (!is_culled(header, p.rules.domain)) {
            const float least = p.rules.partitioning == TESS_EVEN_FRACTIONAL ? 2.0f : 1.0f;
            s32 runs = 1;
            if (p.rules.domain == TESS_ISOLINE) {
                keep_isolines(header, p.rules, least, patch);
                runs = lines_of(patch);
                points = points_of(edge_of(patch, 1)) * runs;
            } else {
                keep_factors(header, p.rules, least, patch);
                const TessRings rings = rings_of(patch, outer_edges(p.rules.domain));
                points = points_on_rim(patch, rings.edges) + points_inside(rings);
                if (p.rules.output == TESS_TRIANGLES) objects = triangles_of(patch, rings);
            }
            if (p.rules.output != TESS_TRIANGLES) objects = p.rules.output == TESS_POINTS ? points : points - runs;
        }
        p.counts[2 * number] = points;
        p.counts[2 * number + 1] = objects;
    }
}
