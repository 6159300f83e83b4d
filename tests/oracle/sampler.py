"""The sampler written out literally from `docs/sampler.md` and seed 003: one sample, one texel, one channel at a time.

Texels are given as arrays: levels[level][slice, y, x, channel], slices being array slices, 6 * cube + face, or
slices of a volume. Numbers are uint8 codes ("unorm8"), float32 ("float"), or uint32 or int32 ("int").
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

F = np.float32
FAR = F(2.0**22)


@dataclass
class State:
    """What the sampler and surface states say, in plain numbers; LODs in 1/256."""

    type: str = "2D"
    kind: str = "unorm8"
    normalized: bool = True
    modes: tuple[str, str, str] = ("wrap", "wrap", "wrap")
    mag: str = "linear"
    min: str = "linear"
    mip: str = "none"
    base: int = 0
    min_lod: int = 0
    max_lod: int = 14 * 256
    preclamp: bool = False
    resource_min_lod: int = 0
    round_mag: tuple[bool, bool, bool] = (True, True, True)
    round_min: tuple[bool, bool, bool] = (True, True, True)
    quality: str = "full"
    offset: tuple[int, int, int] = (0, 0, 0)
    border: tuple[Any, ...] = (0, 0, 0, 0)
    outside: tuple[Any, ...] = (0, 0, 0, 0)
    compare: str | None = None
    compare_channel: int = 0
    compare_replaces: tuple[bool, ...] = (True, False, False, False)
    compare_bits: int = 0  # of UNORM


# -- level of detail (003:414-535) -----------------------------------------------------------------------------------


@cache
def log2_128(m):
    """log2(m) * 128 to the nearest integer, exactly; m > 0."""
    exact = Fraction(float(m))
    k = round(math.log2(float(m)) * 128) if float(m) > 0 else 0

    def reaches(k):  # m >= 2 ** ((2 k - 1) / 256)
        power = 2 * k - 1
        left, right = exact**256, Fraction(2) ** power
        return left >= right

    while not reaches(k):
        k -= 1
    while reaches(k + 1):
        k += 1
    return k


def base_lod(vector_x, vector_y):
    """LOD in 1/256 from two derivative vectors in texels, float32 operations in order; S5.8 before biases."""
    with np.errstate(all="ignore"):
        lengths = []
        for vector in (vector_x, vector_y):
            total = F(vector[0]) * F(vector[0])
            for d in vector[1:]:
                total = total + F(d) * F(d)
            lengths.append(F(0) if np.isnan(total) else total)
        m = max(lengths)
    if m == 0:
        return -8192
    if np.isinf(m):
        return 8191
    return min(max(log2_128(m), -8192), 8191)


def quad_points(axes, x, y, cube):
    """Coordinates of pixels 0, 1 and 2 of the quad that a pixel is in; directions with a largest component of 1.

    A last column or row without a partner belongs to the quad before it.
    """
    height, width = axes[0].shape
    left, top = max(min(x - x % 2, width - 2), 0), max(min(y - y % 2, height - 2), 0)
    right, below = min(left + 1, width - 1), min(top + 1, height - 1)

    def at(x, y):
        point = [F(axis[y, x]) for axis in axes]
        if cube:
            largest = max([abs(c) for c in point if not np.isnan(c)], default=F(0))
            point = [c / largest for c in point]
        return point

    return at(left, top), at(right, top), at(left, below)


def grid_lods(axes, sizes, cube=False):
    """LODs of pictures of coordinates, axes[axis][y, x]: one for each quad of 2 x 2; sizes are texels of level 0."""
    made = np.zeros(axes[0].shape, int)
    with np.errstate(all="ignore"):
        for y, x in np.ndindex(made.shape):
            corner, beside, under = quad_points(axes, x, y, cube)
            dx = [(b - a) * F(size) for a, b, size in zip(corner, beside, sizes, strict=True)]
            dy = [(b - a) * F(size) for a, b, size in zip(corner, under, sizes, strict=True)]
            made[y, x] = base_lod(dx, dy)
    return made


def lod_number(x, low=-4096, high=4095):
    """A float LOD or bias in 1/256, to nearest, halves up; NaN is 0."""
    x = F(0) if np.isnan(x) else min(max(F(x), F(-16)), F(16))
    return min(max(math.floor(Fraction(float(x)) * 256 + Fraction(1, 2)), low), high)


@dataclass
class Lod:
    mag: bool
    first: int
    second: int
    beta: int
    clamped: int
    out_of_bounds: bool


def floor_to(lod):
    return lod // 256 * 256


def ceil_to(lod):
    return -(-lod // 256) * 256


def levels_of(s: State, lod, levels):
    """003:464-520, bias already added. Surface Min LOD is the level at which the given levels begin."""
    mip_count = (levels - 1) * 256
    adj_max = min(s.max_lod, mip_count)
    adj_min = min(s.min_lod, mip_count)
    adj_pr = s.resource_min_lod
    adj_min = max(adj_min, adj_pr)
    out_of_bounds = adj_pr > mip_count
    if s.preclamp:
        lod = min(lod, s.max_lod)
        lod = max(lod, s.min_lod)
    mag = lod - s.base <= 0
    if mag or s.mip == "none":
        lod = 0
        lod = min(lod, ceil_to(adj_max))
        lod = max(lod, floor_to(adj_min))
    elif s.mip == "nearest":
        lod = min(lod, adj_max)
        lod = max(lod, adj_min)
        lod = floor_to(lod + 128)
    else:
        lod = min(lod, adj_max)
        lod = max(lod, adj_min)
    beta, first = lod % 256, lod // 256
    second = first + 1
    clamped = lod
    limit = {"full": 0, "med": 64, "low": 96}[s.quality]
    if beta < limit:
        beta = 0
    elif 256 - beta < limit:
        first, beta = second, 0
    if out_of_bounds:
        first, second, beta = 0, 1, 0
    first, second = min(first, levels - 1), min(second, levels - 1)
    return Lod(mag, first, second, beta, clamped, out_of_bounds)


# -- addresses (003:601-660) -----------------------------------------------------------------------------------------


def fixed_position(u, size, mode, normalized, rounded, offset=0):
    """A coordinate as texels in 1/256; mirror_once limits it with the offset that is added later."""
    u = F(0) if np.isnan(u) else min(max(F(u), -FAR), FAR)
    if normalized:
        if mode == "wrap":
            u = u - F(math.floor(u))
        elif mode == "mirror":
            u = u - F(2 * math.floor(F(u) * F(0.5)))
        x = u * F(size * 256)
        if mode == "mirror_once":
            x = min(max(x, F(-256 * (size + offset))), F(256 * (size - offset)))
    else:
        x = u * F(256)
    x = min(max(x, F(-(2.0**30))), F(2.0**30))
    exact = Fraction(float(x))
    return math.floor(exact + Fraction(1, 2)) if rounded else math.floor(exact)


def texel_index(i, size, mode):
    """Index of the texel, and what stands there: "in", "border" or "half"."""
    if mode == "wrap":
        return i % size, "in"
    if mode == "mirror":
        i %= 2 * size
        return (i if i < size else 2 * size - 1 - i), "in"
    if mode == "mirror_once" and i < 0:
        i = -1 - i
    where = "in"
    if not 0 <= i < size:
        where = {"clamp_border": "border", "half_border": "half"}.get(mode, "in")
    return min(max(i, 0), size - 1), where


def taps(u, size, mode, s: State, linear, rounded, offset):
    """(unwrapped index, weight in 1/256) of one or two texels along an axis."""
    position = fixed_position(u, size, mode, s.normalized, rounded, offset)
    if not linear:
        return [((position >> 8) + offset, 256)]
    position -= 128
    first, weight = position >> 8, position & 255
    return [(first + offset, 256 - weight), (first + offset + 1, weight)]


# -- cube faces (003:382-392, 658; hole S23) -------------------------------------------------------------------------

# face: (major axis, its sign, axis and sign of s, axis and sign of t)
FACES = (
    (0, 1, 2, -1, 1, -1),
    (0, -1, 2, 1, 1, -1),
    (1, 1, 0, 1, 2, 1),
    (1, -1, 0, 1, 2, -1),
    (2, 1, 0, 1, 1, -1),
    (2, -1, 0, -1, 1, -1),
)


def cube_face(vector):
    """Face and coordinates in [0, 1] of a direction; ties go to X, then Y; a vector without a number is (1, 0, 0)."""
    vector = [F(c) for c in vector]
    if any(np.isnan(c) for c in vector):
        vector = [F(1), F(0), F(0)]
    sizes = [abs(c) for c in vector]
    axis = 0 if sizes[0] >= sizes[1] and sizes[0] >= sizes[2] else 1 if sizes[1] >= sizes[2] else 2
    face = 2 * axis + (1 if np.signbit(vector[axis]) else 0)
    _, _, s_axis, s_sign, t_axis, t_sign = FACES[face]
    with np.errstate(all="ignore"):
        s = F(s_sign) * vector[s_axis] / sizes[axis]
        t = F(t_sign) * vector[t_axis] / sizes[axis]
        return face, s * F(0.5) + F(0.5), t * F(0.5) + F(0.5)


def cube_texel(face, i, j, size):
    """The texel on whatever face a place beyond one edge of a face is; None beyond two edges."""
    out_i, out_j = not 0 <= i < size, not 0 <= j < size
    if not out_i and not out_j:
        return face, i, j
    if out_i and out_j:
        return None
    major, sign, s_axis, s_sign, t_axis, t_sign = FACES[face]
    vector = [0, 0, 0]
    vector[major] = sign * size
    vector[s_axis] = s_sign * min(max(2 * i + 1 - size, -size - 1), size + 1)
    vector[t_axis] = t_sign * min(max(2 * j + 1 - size, -size - 1), size + 1)
    axis = s_axis if out_i else t_axis
    face = 2 * axis + (vector[axis] < 0)
    _, _, s_axis, s_sign, t_axis, t_sign = FACES[face]

    def index(c):
        return (min(max(c, 1 - size), size - 1) + size - 1) // 2

    return face, index(s_sign * vector[s_axis]), index(t_sign * vector[t_axis])


# -- texels and filters ----------------------------------------------------------------------------------------------


def half_way(kind, edge, border):
    if kind == "unorm8":
        return (int(edge) + int(border) + 1) >> 1
    return blend(kind, edge, border, 128)


def blend(kind, a, b, weight):
    """Floats: a, or a + (b - a) * weight / 256."""
    assert kind == "float"
    a, b = F(a), F(b)
    with np.errstate(all="ignore"):
        if weight == 0 or a == b:
            return a
        return a + (b - a) * F(weight / 256)


COMPARES = {
    "always": lambda t, r: True,
    "never": lambda t, r: False,
    "less": lambda t, r: t < r,
    "equal": lambda t, r: t == r,
    "lequal": lambda t, r: t <= r,
    "greater": lambda t, r: t > r,
    "notequal": lambda t, r: t != r,
    "gequal": lambda t, r: t >= r,
}


def fetched(s: State, level, slice_, face, place, reference, out_of_bounds):
    """Channels of one texel, after every replacement and comparison."""
    i, j, k = place
    depth, height, width = level.shape[:3]
    if out_of_bounds:
        texel = list(s.outside)
    elif s.type == "CUBE" and s.modes[0] == "cube":
        where = cube_texel(face, i, j, width)
        if where is None:  # the corner of three faces: the mean of the texels that meet there
            near_i, near_j = min(max(i, 0), width - 1), min(max(j, 0), width - 1)
            three = [(near_i, near_j), (i, near_j), (near_i, j)]
            colors = [fetched(s, level, slice_, face, (*at, 0), None, False) for at in three]
            if s.kind == "unorm8":
                texel = [(sum(int(c[n]) for c in colors) * 2 + 3) // 6 for n in range(4)]
            else:
                with np.errstate(all="ignore"):
                    texel = [(F(a) + F(b) + F(c)) / F(3) for a, b, c in zip(*colors, strict=True)]
        else:
            texel = list(level[slice_ * 6 + where[0], where[2], where[1]])
    else:
        x, at_x = texel_index(i, width, s.modes[0])
        y, at_y = texel_index(j, height, s.modes[1]) if s.type != "1D" else (0, "in")
        z, at_z = texel_index(k, depth, s.modes[2]) if s.type == "3D" else (0, "in")
        index = z if s.type == "3D" else slice_ * 6 + face if s.type == "CUBE" else slice_
        texel = list(level[index, y, x])
        where = {at_x, at_y, at_z}
        if "border" in where:
            texel = list(s.border)
        elif "half" in where:
            texel = [half_way(s.kind, t, b) for t, b in zip(texel, s.border, strict=True)]
    if reference is not None:
        true = COMPARES[s.compare](F(texel[s.compare_channel]), as_texel(reference, s.compare_bits))
        texel = [F(0 if true else 1) if r else t for t, r in zip(texel, s.compare_replaces, strict=True)]
    return texel


def as_texel(reference, bits):
    """A reference as UNORM of as many bits holds it, halves down; other formats take it as it is."""
    if not bits:
        return F(reference)
    within = Fraction(0) if math.isnan(reference) else min(max(Fraction(float(reference)), Fraction(0)), Fraction(1))
    most = (1 << bits) - 1
    return F(Fraction(math.ceil(within * most - Fraction(1, 2)), most))


def filtered(s: State, level, slice_, face, along, reference, out_of_bounds):
    """One level: taps along x, then y, then z. unorm8 gives 8.16 fixed point."""
    x_taps, y_taps, z_taps = along
    colors = {
        (ix, iy, iz): fetched(s, level, slice_, face, (i, j, k), reference, out_of_bounds)
        for ix, (i, _) in enumerate(x_taps)
        for iy, (j, _) in enumerate(y_taps)
        for iz, (k, _) in enumerate(z_taps)
    }
    result = []
    for channel in range(4):
        if s.kind == "int":
            result.append(colors[0, 0, 0][channel])
        elif s.kind == "unorm8":
            total = sum(
                int(colors[ix, iy, iz][channel]) * wx * wy * wz
                for ix, (_, wx) in enumerate(x_taps)
                for iy, (_, wy) in enumerate(y_taps)
                for iz, (_, wz) in enumerate(z_taps)
            )
            result.append((total + 128) >> 8)
        else:
            number = {place: color[channel] for place, color in colors.items()}
            planes = []
            for iz in range(len(z_taps)):
                rows = []
                for iy in range(len(y_taps)):
                    row = number[0, iy, iz]
                    if len(x_taps) == 2:
                        row = blend("float", row, number[1, iy, iz], x_taps[1][1])
                    rows.append(row)
                planes.append(rows[0] if len(rows) == 1 else blend("float", *rows, y_taps[1][1]))
            result.append(planes[0] if len(planes) == 1 else blend("float", *planes, z_taps[1][1]))
    return result


def array_index(r, count):
    """The nearest array slice, halves up."""
    r = F(0) if np.isnan(r) else min(max(F(r), F(0)), F(count))
    return min(math.floor(Fraction(float(r)) + Fraction(1, 2)), count - 1)


def sample(s: State, levels, coordinates, lod=0, reference=None):
    """One sample of type 1D (u, slice), 2D (u, v, slice), 3D (u, v, r) or CUBE (x, y, z, cube); lod in 1/256.

    Returns four channels: float32, or integers of "int".
    """
    at = levels_of(s, lod, len(levels))
    linear = (s.mag if at.mag else s.min) == "linear"
    rounded = s.round_mag if at.mag else s.round_min
    slices, face = 0, 0
    if s.type == "CUBE":
        face, u, v = cube_face(coordinates[:3])
        slices = array_index(coordinates[3], levels[0].shape[0] // 6)
        along = [u, v, F(0)]
    elif s.type == "3D":
        along = list(coordinates)
    else:
        axes = 1 if s.type == "1D" else 2
        along = [*coordinates[:axes], *[F(0)] * (3 - axes)]
        slices = array_index(coordinates[axes], levels[0].shape[0])
    axes = {"1D": 1, "2D": 2, "CUBE": 2, "3D": 3}[s.type]
    values = []
    for number in (at.first, at.second) if at.beta else (at.first,):
        level = levels[number]
        sizes = (level.shape[2], level.shape[1], level.shape[0])
        places = [
            taps(along[a], sizes[a], s.modes[a], s, linear, rounded[a], s.offset[a]) if a < axes else [(0, 256)]
            for a in range(3)
        ]
        values.append(filtered(s, level, slices, face, places, reference, at.out_of_bounds))
    result = []
    for channel in range(4):
        value = values[0][channel]
        if s.kind == "unorm8":
            if at.beta:
                value = (value * (256 - at.beta) + values[1][channel] * at.beta + 128) >> 8
            result.append(F(value) / F(255 * 65536))
        elif s.kind == "float":
            result.append(blend("float", value, values[1][channel], at.beta) if at.beta else value)
        else:
            result.append(value)
    return result


def gather4(s: State, levels, coordinates, channel, reference=None):
    """Upper left in alpha, upper right in blue, lower left in red, lower right in green (003:4746-4750); level 0."""
    slices, face, along = 0, 0, list(coordinates[:2])
    if s.type == "CUBE":
        face, *along = cube_face(coordinates[:3])
        slices = array_index(coordinates[3], levels[0].shape[0] // 6)
    else:
        slices = array_index(coordinates[2], levels[0].shape[0])
    level = levels[0]
    x_taps, y_taps = (taps(along[a], level.shape[2 - a], s.modes[a], s, True, False, s.offset[a]) for a in (0, 1))
    (left, _), (right, _) = x_taps
    (up, _), (low, _) = y_taps
    made = []
    for i, j in ((left, low), (right, low), (right, up), (left, up)):
        code = fetched(s, level, slices, face, (i, j, 0), reference, False)[channel]
        made.append(F(int(code)) / F(255) if s.kind == "unorm8" else code)
    return made


def load(levels, place, outside):
    """Integer place (x, y, slice or z, level): the texel, or what is outside (003:4718-4735)."""
    x, y, z, level = place
    if not 0 <= level < len(levels):
        return list(outside)
    depth, height, width = levels[level].shape[:3]
    if 0 <= x < width and 0 <= y < height and 0 <= z < depth:
        return list(levels[level][z, y, x])
    return list(outside)
