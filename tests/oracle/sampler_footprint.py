"""Anisotropy written out literally from `docs/sampler.md` and seed 003:573-581: footprints, and probes along them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import numpy as np

from oracle import sampler as plain

F = np.float32


@dataclass
class Footprint:
    """LOD and ratio in 1/256; step from probe to probe, as coordinates (of a cube: three)."""

    lod: int
    ratio: int
    step: list[np.float32]


def half_up(number: Fraction) -> int:
    return math.floor(number + Fraction(1, 2))


@cache
def ratio_of(difference):
    """256 * 2 ** (difference / 256), to nearest, exactly."""
    k = round(256 * 2 ** (difference / 256))
    power = Fraction(512) ** 256 * 2**difference
    while Fraction(2 * k - 1) ** 256 > power:
        k -= 1
    while Fraction(2 * k + 1) ** 256 <= power:
        k += 1
    return k


def square_root(x):
    """Three steps of Newton's method for 1 / sqrt(x), in float32."""
    bits = int(np.array(x, F).view(np.uint32))
    y = np.array((0x5F3759DF - (bits >> 1)) % 2**32, np.uint32).view(F)[()]
    for _ in range(3):
        y = y * (F(1.5) - x * F(0.5) * y * y)
    return x * y


def log2_of_square(square):
    """LOD of a squared length."""
    if np.isnan(square) or square == 0:
        return -8192
    if np.isinf(square):
        return 8191
    return min(max(plain.log2_128(square), -8192), 8191)


def footprint(dx, dy, sizes, most=16, ewa=False):
    """From derivatives of coordinates by x and by y, and sizes in texels."""
    with np.errstate(all="ignore"):
        x = [F(d) * F(size) for d, size in zip(dx, sizes, strict=True)]
        y = [F(d) * F(size) for d, size in zip(dy, sizes, strict=True)]

        def product(a, b):
            total = a[0] * b[0]
            for p, q in zip(a[1:], b[1:], strict=True):
                total = total + p * q
            return total

        xx, xy, yy = product(x, x), product(x, y), product(y, y)
        if ewa:
            mean, half = (xx + yy) * F(0.5), (xx - yy) * F(0.5)
            root = square_root(half * half + xy * xy)
            major, minor = mean + root, mean - root
            minor = minor if minor > 0 else F(0)
            across, down = (half + root, xy) if half >= 0 else (xy, root - half)
            length = square_root(across * across + down * down)
            by_x, by_y = (across / length, down / length) if length > 0 else (F(1), F(0))
            line = [F(a) * by_x + F(b) * by_y for a, b in zip(dx, dy, strict=True)]
        else:
            xx, yy = (F(0) if np.isnan(each) else each for each in (xx, yy))
            major, minor, line = (xx, yy, dx) if xx >= yy else (yy, xx, dy)
        long, short = log2_of_square(major), log2_of_square(minor)
        limit = half_up(Fraction(256 * math.log2(most)))
        difference = min(max(long - short, 0), limit)
        ratio = min(ratio_of(difference), 256 * most)
        part = F(min(ratio - 256, 256)) / F(ratio)
        return Footprint(long - difference, ratio, [F(d) * part for d in line])


def grid_footprints(axes, sizes, cube=False, most=16, ewa=False):
    """Of pictures of coordinates, axes[axis][y, x]: one for each quad, in the quads' order of `plain.grid_lods`."""
    made = np.empty(axes[0].shape, object)
    with np.errstate(all="ignore"):
        for y, x in np.ndindex(made.shape):
            corner, beside, under = plain.quad_points(axes, x, y, cube)
            dx = [b - a for a, b in zip(corner, beside, strict=True)]
            dy = [b - a for a, b in zip(corner, under, strict=True)]
            made[y, x] = footprint(dx, dy, sizes, most, ewa)
    return made


def probes_of(ratio):
    """(place in half steps, weight in 1/65536) of each probe: inner ones 1 / ratio, outer ones what is left."""
    if ratio == 256:
        return [(0, 65536)]
    ways = 2 * math.ceil(Fraction(ratio, 512))
    inner = half_up(Fraction(65536 * 256, ratio))
    outer = Fraction(65536 - (ways - 2) * inner, 2)
    assert outer.denominator == 1
    weights = [int(outer), *[inner] * (ways - 2), int(outer)]
    return [(2 * k + 1 - ways, weight) for k, weight in enumerate(weights)]


def fixed_step(step, size):
    """1/4096 texel, towards zero, up to 32768 texels."""
    with np.errstate(all="ignore"):
        x = F(step) * F(size * 4096)
    x = F(0) if np.isnan(x) else min(max(x, F(-(2.0**27))), F(2.0**27))
    return int(x)


def sample(s: plain.State, levels, coordinates, made: Footprint, reference=None, bias=0):
    """One sample of a footprint; `s.mag` and `s.min` may be "anisotropic"."""
    lod = made.lod + bias
    at = plain.levels_of(s, lod, len(levels))
    filters = {name: "linear" if name == "anisotropic" else name for name in (s.mag, s.min)}
    linear = replace(s, mag=filters[s.mag], min=filters[s.min])
    if (s.mag if at.mag else s.min) != "anisotropic" or made.ratio == 256:
        return plain.sample(linear, levels, coordinates, lod, reference)
    slices, face = 0, 0
    if s.type == "CUBE":
        face, *along = plain.cube_face(coordinates[:3])
        slices = plain.array_index(coordinates[3], levels[0].shape[0] // 6)
        _, _, s_axis, s_sign, t_axis, t_sign = plain.FACES[face]
        steps = [F(s_sign) * made.step[s_axis] * F(0.5), F(t_sign) * made.step[t_axis] * F(0.5)]
    else:
        axes = 1 if s.type == "1D" else 2
        along, steps = list(coordinates[:axes]), made.step
        slices = plain.array_index(coordinates[axes], levels[0].shape[0])
    rounded = s.round_mag if at.mag else s.round_min
    values = []
    for number in (at.first, at.second) if at.beta else (at.first,):
        level = levels[number]
        seen = []
        for halves, weight in probes_of(made.ratio):
            places = []
            for a, u in enumerate(along):
                size = level.shape[2 - a]
                position = plain.fixed_position(u, size, s.modes[a], s.normalized, rounded[a])
                position += (fixed_step(steps[a], size) * halves + 16) >> 5
                first, part = (position - 128) >> 8, (position - 128) & 255
                first += s.offset[a]
                places.append([(first, 256 - part), (first + 1, part)])
            places += [[(0, 256)]] * (3 - len(places))
            seen.append((plain.filtered(s, level, slices, face, places, reference, at.out_of_bounds), weight))
        values.append([blended(s.kind, [(value[c], w) for value, w in seen]) for c in range(4)])
    if s.kind == "unorm8":
        if at.beta:
            values[0] = [(a * (256 - at.beta) + b * at.beta + 128) >> 8 for a, b in zip(*values, strict=True)]
        return [F(value) / F(255 * 65536) for value in values[0]]
    if at.beta:
        return [plain.blend("float", a, b, at.beta) for a, b in zip(*values, strict=True)]
    return values[0]


def blended(kind, probes):
    """unorm8: probes rounded to 8 bits of fraction. Floats: the first, and what the others differ from it."""
    if kind == "unorm8":
        return (sum(((value + 128) >> 8) * weight for value, weight in probes) + 128) >> 8
    first = total = F(probes[0][0])
    with np.errstate(all="ignore"):
        for value, weight in probes[1:]:
            if F(value) != first:
                total = total + (F(value) - first) * F(weight / 65536)
    return total
