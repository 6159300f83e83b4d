"""What a choice of level, face and texels gives: the interval of colors between the least and the largest weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from texsamp.quality.verifier.anisotropy import ROUND, probe_count, probe_offset, probe_weights
from texsamp.quality.verifier.axes import BORDER, HALF, texel_of_index
from texsamp.quality.verifier.faces import beyond_edges
from texsamp.quality.verifier.precision import Precision
from texsamp.quality.verifier.texture import Flags, Integers, Numbers, Rules, Texture

Ends = tuple[Numbers, Numbers]
"""The least and the most that the channels of a texel may be."""

_COMPARES = {
    "less": np.less,
    "equal": np.equal,
    "lequal": np.less_equal,
    "greater": np.greater,
    "notequal": np.not_equal,
    "gequal": np.greater_equal,
}


@dataclass(frozen=True)
class Where:
    """Level, slice (array slice, or cube) and face of each sample, and what texels are compared with, if they are."""

    level: Integers
    slice: Integers
    face: Integers
    reference: NDArray[np.float32]


@dataclass(frozen=True)
class Taps:
    """Along one axis: left texel, and the weights that the right one may have."""

    first: Integers
    least: Numbers
    most: Numbers


@dataclass(frozen=True)
class Color:
    """Least and most of every channel, the largest number that takes part, and whether it may be no number."""

    least: Numbers
    most: Numbers
    largest: Numbers
    undefined: Flags


def lerp(a: Numbers, b: Numbers, weight: Numbers) -> Numbers:
    """A where the weight is 0 or both are equal, also if they are no numbers."""
    weight = weight[:, None]
    with np.errstate(all="ignore"):
        return np.where((weight == 0) | (a == b), a, a + (b - a) * weight)


def fetch(
    texture: Texture, rules: Rules, at: Where, place: Sequence[Integers], precision: Precision, outside: bool
) -> Ends:
    """One texel at an index along each axis, which may lie outside; replaced by its comparison, if there is one."""
    least, most = _fetch(texture, rules, at, place, precision, outside)
    if not rules.compare:
        return least, most
    return _compared(least, at.reference, rules), _compared(most, at.reference, rules)


def _compared(color: Numbers, reference: NDArray[np.float32], rules: Rules) -> Numbers:
    """0 where the texel compares as it should, 1 where it does not (seed 003:694-716)."""
    texel = color[:, rules.compare_channel].astype(np.float32)
    if rules.compare in ("always", "never"):
        holds = np.full(texel.shape, rules.compare == "always")
    else:
        holds = _COMPARES[rules.compare](texel, reference)
    return np.where(np.array(rules.compare_replaces), np.where(holds, 0.0, 1.0)[:, None], color)


def _fetch(
    texture: Texture, rules: Rules, at: Where, place: Sequence[Integers], precision: Precision, outside: bool
) -> Ends:
    size = texture.sizes[at.level]
    if outside:
        color = np.broadcast_to(np.array(rules.outside, np.float64), (len(size), 4))
        return color, color
    if texture.type == "CUBE" and rules.address[0] == "cube":
        return _fetch_cube(texture, at, place, size[:, 0], precision)
    along = [texel_of_index(index, size[:, axis], rules.address[axis]) for axis, index in enumerate(place)]
    x, y, z = ([texel for texel, _ in along] + [np.zeros_like(at.level)] * 3)[:3]
    slices = z if texture.type == "3D" else at.slice * 6 + at.face if texture.type == "CUBE" else at.slice
    index = texture.first[at.level] + (slices * size[:, 1] + y) * size[:, 0] + x
    color, border = texture.texels[index], np.array(rules.border, np.float64)
    outsides = np.maximum.reduce([where for _, where in along])[:, None]
    with np.errstate(invalid="ignore"):
        middle = (color + border) / 2
    if texture.unorm8 and precision.snap:
        middle = np.floor(middle * 255 + 0.5 + 1e-6) / 255
    color = np.where(outsides == BORDER, border, np.where(outsides == HALF, middle, color))
    return color, color


def _fetch_cube(texture: Texture, at: Where, place: Sequence[Integers], size: Integers, precision: Precision) -> Ends:
    i, j = place

    def index_of(face: Integers, i: Integers, j: Integers) -> Integers:
        return texture.first[at.level] + ((at.slice * 6 + face) * size + j) * size + i

    face, x, y, corner = beyond_edges(at.face, i, j, size)
    near_i, near_j = np.clip(i, 0, size - 1), np.clip(j, 0, size - 1)
    index = np.where(
        corner, index_of(at.face, near_i, near_j), index_of(face, np.clip(x, 0, size - 1), np.clip(y, 0, size - 1))
    )
    color = texture.texels[index]
    if not corner.any():
        return color, color
    sides = [index_of(*beyond_edges(at.face, a, b, size)[:3]) for a, b in ((i, near_j), (near_i, j))]
    three = [color, *(texture.texels[np.where(corner, side, index)] for side in sides)]
    low, high = np.minimum.reduce(three), np.maximum.reduce(three)
    if precision.snap:
        low = high = np.sum(three, axis=0) / 3
        if texture.unorm8:
            low = high = np.floor(np.rint(low * 765) / 3 + 0.5 + 1e-6) / 255
    here = corner[:, None]
    return np.where(here, low, color), np.where(here, high, color)


def level_color(
    texture: Texture, rules: Rules, at: Where, taps: Sequence[Taps], linear: Flags, precision: Precision, outside: bool
) -> Color:
    """One level: the interval over all weights, whose ends lie at ends of weights since each is linear."""
    corners = list(product((0, 1), repeat=len(taps))) if linear.any() else [(0,) * len(taps)]
    fetched = [
        fetch(texture, rules, at, [tap.first + k for tap, k in zip(taps, corner, strict=True)], precision, outside)
        for corner in corners
    ]
    table_low, table_high = (dict(zip(corners, colors, strict=True)) for colors in zip(*fetched, strict=True))
    is_exact = all((tap.least == tap.most).all() for tap in taps)
    ends: list[Numbers] = []
    for corner in [(0,) * len(taps)] if is_exact else product((0, 1), repeat=len(taps)):
        weights = [tap.most if end else tap.least for tap, end in zip(taps, corner, strict=True)]
        ends += [_blend(table_low, weights), _blend(table_high, weights)]
    sizes = [abs(color) for texel in fetched for color in texel]
    if "half_border" in rules.address:
        sizes.append(np.broadcast_to(np.abs(np.array(rules.border, np.float64)), sizes[0].shape))
    largest = np.maximum.reduce([np.where(np.isfinite(size), size, 0.0) for size in sizes])
    return Color(*span(ends), largest, np.logical_or.reduce([np.isnan(end) for end in ends]))


def probes_color(
    texture: Texture,
    rules: Rules,
    at: Where,
    taps: Sequence[Taps],
    steps: Sequence[Integers],
    ratio: Integers,
    linear: Flags,
    precision: Precision,
    outside: bool,
) -> Color:
    """One level through the anisotropic filter: the weighted mean of probes along a line; positions snap."""
    one = 1 << precision.position_bits
    centers = [tap.first * one + np.rint(tap.least * one).astype(np.int64) for tap in taps]
    counts, (inner, outer) = probe_count(ratio), probe_weights(ratio)
    low = np.zeros((len(ratio), 4))
    high, largest, undefined = low.copy(), low.copy(), np.zeros(low.shape, bool)
    first: Ends = (low, high)
    for k in range(int(counts.max(initial=1))):
        some = np.flatnonzero(counts > k)
        here = Where(*(value[some] for value in vars(at).values()))
        chosen = []
        for center, step in zip(centers, steps, strict=True):
            place = center[some] + probe_offset(step[some], 2 * k + 1 - counts[some])
            weight = (place % one) / one
            chosen.append(Taps(place // one, weight, weight))
        color = level_color(texture, rules, here, chosen, linear[some], precision, outside)
        ends = color.least, color.most
        if texture.unorm8:  # 8 bits of fraction are kept of a probe
            probed = (ratio[some] > ROUND)[:, None]
            low_end, high_end = (np.where(probed, np.floor(end * 65280 + 0.5 + 1e-6) / 65280, end) for end in ends)
            ends = low_end, high_end
        if k == 0:
            first = ends
            low[some], high[some] = ends
        else:
            is_outer = k == counts[some] - 1
            weight = np.where(is_outer, outer[some], inner[some])[:, None] / 65536
            with np.errstate(invalid="ignore"):
                for total, end, begin in zip((low, high), ends, first, strict=True):
                    total[some] += np.where(end == begin[some], 0.0, (end - begin[some]) * weight)
        largest[some] = np.maximum(largest[some], color.largest)
        undefined[some] |= color.undefined
    undefined |= np.isnan(low) | np.isnan(high)
    return Color(low, high, largest * (1 + counts[:, None] / 8), undefined)


def span(ends: Sequence[Numbers]) -> Ends:
    """The least and the most of some, as far as they are numbers."""
    return np.fmin.reduce(ends), np.fmax.reduce(ends)


def _blend(table: dict[tuple[int, ...], Numbers], weights: Sequence[Numbers]) -> Numbers:
    """Along x, then y, then z."""
    for weight in weights:
        if len(table) > 1:
            rest = sorted({corner[1:] for corner in table})
            table = {corner: lerp(table[0, *corner], table[1, *corner], weight) for corner in rest}
    return next(iter(table.values()))
