"""Exact filtering in double precision, one sample at a time, from docs/exact-sampling.md.

Textures are lists of levels, float64 arrays (slices, height, width, 4); cubes have faces as slices.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

FACES = [  # of +X -X +Y -Y +Z -Z: the major axis and its sign, and axis and sign of s and of t
    (0, 1, 2, -1, 1, -1),
    (0, -1, 2, 1, 1, -1),
    (1, 1, 0, 1, 2, 1),
    (1, -1, 0, 1, 2, -1),
    (2, 1, 0, 1, 1, -1),
    (2, -1, 0, -1, 1, -1),
]


@dataclass
class State:
    """What a sampler says."""

    mag: str = "linear"
    min: str = "linear"
    mip: str = "linear"
    address: tuple[str, ...] = ("wrap", "wrap", "wrap")
    border: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)
    bias: float = 0.0
    min_lod: float = 0.0
    max_lod: float = 14.0
    base: float = 0.0
    most_probes: int = 1
    offset: tuple[int, ...] = (0, 0, 0)
    kind: str = "2D"
    sizes: list[tuple[int, ...]] = field(default_factory=list)


def axes(state):
    return {"1D": 1, "2D": 2, "3D": 3, "CUBE": 2}[state.kind]


def index(mode, i, size):
    """The texel that an index means, and how much of it is the border."""
    if mode == "wrap":
        return i % size, 0.0
    if mode == "mirror":
        i %= 2 * size
        return min(i, 2 * size - 1 - i), 0.0
    if mode == "mirror_once" and i < 0:
        i = -1 - i
    outside = not 0 <= i < size
    part = {"border": 1.0, "half_border": 0.5}.get(mode, 0.0) if outside else 0.0
    return min(max(i, 0), size - 1), part


def over_the_edge(face, i, j, size):
    """The face and texel that lie beyond an edge."""
    axis, sign, s_axis, s_sign, t_axis, t_sign = FACES[face]
    if 0 <= i < size and 0 <= j < size:
        return face, i, j
    point = [0.0] * 3
    point[axis] = float(sign)
    point[s_axis] = s_sign * (2 * i + 1 - size) / size
    point[t_axis] = t_sign * (2 * j + 1 - size) / size
    beyond = s_axis if not 0 <= i < size else t_axis
    new = next(k for k, each in enumerate(FACES) if each[0] == beyond and each[1] == math.copysign(1, point[beyond]))
    _, _, s_axis, s_sign, t_axis, t_sign = FACES[new]

    def place(value):
        return min(max(math.floor((value + 1) / 2 * size), 0), size - 1)

    return new, place(s_sign * point[s_axis]), place(t_sign * point[t_axis])


def texel(state, level, slice, place):
    """The color at integers along each axis."""
    if state.kind == "CUBE":
        size, (i, j) = level.shape[2], place[:2]
        near_i, near_j = min(max(i, 0), size - 1), min(max(j, 0), size - 1)
        is_corner = i != near_i and j != near_j
        places = [(near_i, near_j), (i, near_j), (near_i, j)] if is_corner else [(i, j)]
        found = [over_the_edge(slice, *each, size) for each in places]
        return sum(level[face, t, s] for face, s, t in found) / len(found)
    x, border_x = index(state.address[0], place[0], level.shape[2])
    y, border_y = index(state.address[1], place[1], level.shape[1]) if axes(state) > 1 else (0, 0.0)
    z, border_z = index(state.address[2], place[2], level.shape[0]) if axes(state) > 2 else (slice, 0.0)
    part = max(border_x, border_y, border_z)
    return level[z, y, x] * (1 - part) + np.array(state.border) * part


def position(mode, u, size, offset):
    if mode == "wrap":
        u -= math.floor(u)
    if mode == "mirror":
        u -= 2 * math.floor(u / 2)
    if mode == "mirror_once":
        return min(max(u * size, -size - offset), size - offset)
    return u * size


def of_level(state, level, slice, along, filter):
    """Blended along every axis."""
    sizes = (level.shape[2], level.shape[1], level.shape[0])
    corners = []
    for axis in range(axes(state)):
        mode = "clamp" if state.kind == "CUBE" else state.address[axis]
        x = position(mode, along[axis], sizes[axis], state.offset[axis]) - (0.5 if filter != "nearest" else 0.0)
        first = math.floor(x)
        part = x - first if filter != "nearest" else 0.0
        first += state.offset[axis]
        corners.append([(first, 1 - part), (first + 1, part)])
    corners += [[(0, 1.0)]] * (3 - len(corners))
    total = np.zeros(4)
    for x, wx in corners[0]:
        for y, wy in corners[1]:
            for z, wz in corners[2]:
                if wx * wy * wz:
                    total = total + texel(state, level, slice, (x, y, z)) * (wx * wy * wz)
    return total


def on_face(direction):
    """The face that a direction meets, and where."""
    sizes = [abs(each) for each in direction]
    axis = sizes.index(max(sizes))
    face = 2 * axis + (direction[axis] < 0)
    _, _, s_axis, s_sign, t_axis, t_sign = FACES[face]
    where = [sign * direction[each] / sizes[axis] / 2 + 0.5 for each, sign in ((s_axis, s_sign), (t_axis, t_sign))]
    return face, where


def moved_on_face(face, direction, change):
    """How fast s and t of a face change."""
    axis, sign, s_axis, s_sign, t_axis, t_sign = FACES[face]
    size, growth = abs(direction[axis]), sign * change[axis]
    return [
        side * (change[each] * size - direction[each] * growth) / size**2 / 2
        for each, side in ((s_axis, s_sign), (t_axis, t_sign))
    ]


def levels_of(state, count, lod):
    """Whether the texture is magnified, the levels and the part of the second."""
    last = count - 1
    least, most = min(state.min_lod, last), min(state.max_lod, last)
    magnified = lod <= state.base
    if magnified or state.mip == "none":
        return magnified, math.floor(least), 0.0
    lod = max(min(lod, most), least)
    if state.mip == "nearest":
        return magnified, min(math.floor(lod + 0.5), last), 0.0
    return magnified, math.floor(lod), lod - math.floor(lod)


def sample(state, texture, at, *, lod=None, derivatives=None, bias=0.0, slice=0):
    """One sample: four numbers. derivatives: of the coordinates by x and by y."""
    along, face = list(at), slice
    changes = [[0.0] * 3, [0.0] * 3] if derivatives is None else [list(each) for each in derivatives]
    if state.kind == "CUBE":
        face, along = on_face(at)
        changes = [moved_on_face(face, at, each) for each in changes]
        face += 6 * slice
    sizes = (texture[0].shape[2], texture[0].shape[1], texture[0].shape[0])
    probes, step = 1, [0.0] * 3
    if derivatives is not None:
        lengths = [math.hypot(*(each[a] * sizes[a] for a in range(axes(state)))) for each in changes]
        longer = 0 if lengths[0] >= lengths[1] else 1
        long, short = lengths[longer], lengths[1 - longer]
        if state.most_probes > 1 and long > 0:
            probes = state.most_probes if short * state.most_probes <= long else max(1, math.ceil(long / short))
            step = [each / probes for each in changes[longer]]
        lod = math.log2(long / probes) if long > 0 else -126.0
    magnified, first, beta = levels_of(state, len(texture), (lod or 0.0) + bias + state.bias)
    filter = state.mag if magnified else state.min
    if filter != "anisotropic":
        probes = 1
    color = np.zeros(4)
    for number, part in ((first, 1 - beta), (first + 1, beta)):
        if part:
            for k in range(probes):
                shift = (2 * k + 1 - probes) / 2
                place = [along[a] + step[a] * shift for a in range(axes(state))]
                if state.kind == "CUBE":
                    color = color + of_level(state, texture[number], face, place, filter) * part / probes
                else:
                    color = color + of_level(state, texture[number], slice, place, filter) * part / probes
    return color
