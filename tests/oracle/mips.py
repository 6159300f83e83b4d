"""Mip levels written out literally from `docs/surfaces.md`: one texel at a time, one tap at a time, scalar float32."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

F = np.float32
CURVED = "RGBL"


def box(source, target, j):
    """Length of [i, i + 1) inside [j * source / target, (j + 1) * source / target), as a part of the latter."""
    size = Fraction(source, target)
    taps = []
    for i in range(source):
        overlap = min((j + 1) * size, Fraction(i + 1)) - max(j * size, Fraction(i))
        if overlap > 0:
            taps.append((i, overlap / size))
    return taps


def bessel(x):
    """I0(x) = 1 / pi * integral from 0 to pi of exp(x cos t) dt; the rectangle rule converges at once."""
    steps = 256
    return math.fsum(math.exp(x * math.cos(math.pi * (k + 0.5) / steps)) for k in range(steps)) / steps


def windowed(source, target, j, window):
    size = source / target
    center = (j + 0.5) * size
    taps = []
    for i in range(-4 * math.ceil(size) - 4, source + 4 * math.ceil(size) + 4):
        t = (i + 0.5 - center) / size
        if abs(t) < 3:
            taps.append((i, np.sinc(t) * window(t / 3)))
    total = math.fsum(weight for _, weight in taps)
    return [(i, weight / total) for i, weight in taps]


def kaiser(source, target, j):
    return windowed(source, target, j, lambda x: bessel(4 * math.sqrt(1 - x * x)) / bessel(4))


def lanczos(source, target, j):
    return windowed(source, target, j, np.sinc)


FILTERS = {"box": box, "kaiser": kaiser, "lanczos": lanczos}


def axis(values, number, target, name, edge):
    """One axis of float32 values through the filter."""
    source = values.shape[number]
    if source == target:
        return values
    lines = np.moveaxis(values, number, 0)
    out = np.zeros((target, *lines.shape[1:]), F)
    for j in range(target):
        taps = FILTERS[name](source, target, j)
        for place in np.ndindex(lines.shape[1:]):
            total = None
            for i, weight in taps:
                k = i % source if edge == "wrap" else min(max(i, 0), source - 1)
                product = F(float(weight)) * lines[(k, *place)]
                total = product if total is None else total + product
            out[(j, *place)] = total
    return np.moveaxis(out, 0, number)


def linear(v):
    return v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4


def load(code, letter, srgb, lowest):
    if srgb and letter in CURVED:
        return F(linear(int(code) / 255))
    return F(max(int(code), -lowest)) if lowest is not None else F(code)


def store(value, letter, srgb, largest, signed):
    if srgb and letter in CURVED:
        return sum(float(value) >= linear((code - 0.5) / 255) for code in range(1, 256))
    exact = Fraction(float(min(max(value, F(-largest if signed else 0)), F(largest))))
    size = math.floor(abs(exact) + Fraction(1, 2))
    return size if exact >= 0 else -size


def levels(texels, sizes, name, edge, letters, srgb):
    """Levels of sizes (width, height, depth) from texels (depth, height, width, channels) of integers or floats."""
    dtype = texels.dtype
    values = np.zeros(texels.shape, F)
    whole = dtype.kind in "iu"
    largest = int(np.iinfo(dtype).max) if whole else None
    for place in np.ndindex(texels.shape):
        values[place] = load(texels[place], letters[place[3]], srgb, largest if whole else None)
    made = []
    for width, height, depth in sizes:
        for number, target in ((2, width), (1, height), (0, depth)):
            values = axis(values, number, target, name, edge)
        level = np.zeros(values.shape, dtype)
        for place in np.ndindex(values.shape):
            if whole:
                level[place] = store(values[place], letters[place[3]], srgb, largest, dtype.kind == "i")
            else:
                level[place] = values[place]
        made.append(level)
    return made
