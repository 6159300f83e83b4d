"""Tables of colors, literally by docs/lut.md: one pixel at a time, float32 where it says so."""

from math import floor

import numpy as np

F = np.float32


def places(codes, low, high, size):
    """Places of codes of 16 bits along an axis."""
    return [F(min(max((code / 65535 - low) / (high - low), 0), 1) * (size - 1)) for code in codes]


def _code(value):
    return int(min(max(F(F(value * F(65535)) + F(0.5)), F(0)), F(65535)))


def trilinear(cube, at):
    """cube: [b][g][r][channel], float32; at: places for R, G, B. A code of 16 bits for each channel."""
    size = len(cube)
    ends = []
    for place in at:
        fixed = floor(F(F(place * F(256)) + F(0.5)))
        first = fixed // 256
        ends.append((first, min(first + 1, size - 1), F(fixed % 256) / F(256)))
    (r0, r1, x), (g0, g1, y), (b0, b1, z) = ends

    def blend(a, b, part):
        return F(a + F(F(b - a) * part))

    made = []
    for channel in range(3):
        planes = []
        for b in (b0, b1):
            rows = [blend(cube[b][g][r0][channel], cube[b][g][r1][channel], x) for g in (g0, g1)]
            planes.append(blend(*rows, y))
        made.append(_code(blend(*planes, z)))
    return made


def tetrahedral(cube, at):
    """The same by the tetrahedron whose corners are passed on the way along the axes, the largest part first."""
    size = len(cube)
    first = [min(floor(place), size - 2) for place in at]
    parts = [F(place - F(base)) for place, base in zip(at, first, strict=True)]
    order = sorted(range(3), key=lambda axis: -parts[axis])  # R before G before B where they are equal
    corners, at_corner = [list(first)], list(first)
    for axis in order:
        at_corner[axis] += 1
        corners.append(list(at_corner))
    most, middle, least = (parts[axis] for axis in order)
    weights = [F(F(1) - most), F(most - middle), F(middle - least), least]
    made = []
    for channel in range(3):
        terms = [F(F(cube[b][g][r][channel]) * w) for (r, g, b), w in zip(corners, weights, strict=True)]
        made.append(_code(F(F(F(terms[0] + terms[1]) + terms[2]) + terms[3])))
    return made
