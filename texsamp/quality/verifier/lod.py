"""Levels of detail as intervals, and the levels that they can lead to (seed 003:414-535)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.quality.verifier.precision import Precision
from texsamp.quality.verifier.texture import Flags, Integers, Numbers, Rules, Texture

LEAST, MOST = -32.0, 32.0
"""Of LODs that follow from derivatives; biases come later."""
_FARTHEST = 16.0
"""Of LODs and biases that are given."""
MAX_STEPS = 64
"""Steps of a LOD that are tried, where LODs snap to steps."""
_QUALITY_LEFT_OUT = {"full": 0.0, "med": 0.25, "low": 0.375}


@dataclass(frozen=True)
class Lods:
    """For each sample, the LODs that it may have before they are clamped."""

    least: Numbers
    most: Numbers


@dataclass(frozen=True)
class Levels:
    """One choice of levels for each sample: two levels and the weights that the second may have."""

    exists: Flags
    magnified: Flags
    first: Integers
    second: Integers
    least: Numbers
    most: Numbers


def _code(values: Any, shape: tuple[int, ...], precision: Precision) -> Numbers:
    """Explicit LODs and biases: NaN is 0; steps to nearest, halves up, if they are steps."""
    numbers = np.broadcast_to(np.asarray(values, np.float32), shape).astype(np.float64)
    numbers = np.clip(np.where(np.isnan(numbers), 0.0, numbers), -_FARTHEST, _FARTHEST)
    if not precision.snap:
        return numbers
    one = 2.0**precision.lod_bits
    return np.minimum(np.floor(numbers * one + 0.5) / one, _FARTHEST - 1 / one)


Vector = tuple[Numbers, ...]
"""A derivative: for each axis one number for each sample."""


def _quads(points: Sequence[NDArray[Any]]) -> list[Numbers]:
    """The pixels of each sample's quad, (2 rows, 2 columns, grids, height, width) for each axis.

    A last row or column without a partner belongs to the quad before it.
    """
    height, width = (points[0].shape[-2] if points[0].ndim > 1 else 1), (points[0].shape[-1] if points[0].ndim else 1)
    x, y = np.arange(width), np.arange(height)
    left, top = np.maximum(np.minimum(x & ~1, width - 2), 0), np.maximum(np.minimum(y & ~1, height - 2), 0)
    columns, rows = np.stack([left, np.minimum(left + 1, width - 1)]), np.stack([top, np.minimum(top + 1, height - 1)])
    grids = [np.asarray(point, np.float64).reshape(-1, height, width) for point in points]
    return [np.stack([np.stack([g[:, row][:, :, column] for column in columns]) for row in rows]) for g in grids]


def _differences(quads: Sequence[Numbers], precision: Precision) -> tuple[list[Vector], list[Vector]]:
    """Derivatives by x and by y: of the first row and column, or of each that the precision allows."""
    lines = (0, 1) if precision.derivatives == "any" else (0,)
    with np.errstate(invalid="ignore"):
        by_x = [tuple(q[line, 1] - q[line, 0] for q in quads) for line in lines]
        by_y = [tuple(q[1, line] - q[0, line] for q in quads) for line in lines]
    return by_x, by_y


def _cube_derivatives(quads: Sequence[Numbers], precision: Precision) -> tuple[list[Vector], list[Vector]]:
    """Of components divided by the largest; or, where any way is allowed, by the rule for quotients at any pixel."""
    sizes = [np.where(np.isnan(q), 0.0, abs(q)) for q in quads]
    with np.errstate(all="ignore"):
        by_x, by_y = _differences([q / np.maximum.reduce(sizes) for q in quads], precision)
        if precision.derivatives == "any":
            for pixel in product((0, 1), repeat=2):
                vector, largest = (
                    np.stack([q[pixel] for q in quads]),
                    np.argmax([size[pixel] for size in sizes], axis=0),
                )
                major = np.take_along_axis(vector, largest[None], axis=0)[0]
                for made, raw in zip((by_x, by_y), _differences(quads, precision), strict=True):
                    for difference in raw:
                        of_major = np.take_along_axis(np.stack(difference), largest[None], axis=0)[0]
                        made.append(
                            tuple(
                                (d - v / major * of_major) / abs(major) for d, v in zip(difference, vector, strict=True)
                            )
                        )
    return by_x, by_y


def _lengths(by_x: list[Vector], by_y: list[Vector], precision: Precision) -> tuple[Numbers, Numbers]:
    """Least and largest length of a pixel in texels, over all choices of derivatives."""
    with np.errstate(all="ignore"):
        if precision.footprint == "length":
            lengths = [[np.sqrt(_number(sum(d * d for d in vector))) for vector in by] for by in (by_x, by_y)]
            ends = [(np.minimum.reduce(each), np.maximum.reduce(each)) for each in lengths]
            return np.maximum(ends[0][0], ends[1][0]), np.maximum(ends[0][1], ends[1][1])
        sizes = [[[abs(d) for d in vector] for vector in by] for by in (by_x, by_y)]
        least = [np.minimum.reduce([_number(np.maximum.reduce(vector)) for vector in by]) for by in sizes]
        sizes = [[[_number(d) for d in vector] for vector in by] for by in sizes]
        most = [np.maximum.reduce([vector[axis] for by in sizes for vector in by]) for axis in range(len(sizes[0][0]))]
        return np.maximum(*least), np.sum(most, axis=0)


def _number(values: Any) -> Numbers:
    return np.where(np.isnan(values), 0.0, values)


def _of_lengths(least: Numbers, most: Numbers, precision: Precision) -> Lods:
    with np.errstate(divide="ignore"):
        low, high = (np.clip(np.log2(length), LEAST, MOST) for length in (least, most))
    error = 2.0**-precision.derivative_bits * 2
    return Lods(low - error, high + error)


def lods_of(
    texture: Texture,
    rules: Rules,
    points: Sequence[NDArray[Any]],
    precision: Precision,
    lod: Any,
    bias: Any,
    gradients: Any,
) -> Lods:
    """LODs with their biases, from numbers, gradients, or the grid of coordinates; flat arrays."""
    shape = points[0].shape
    if lod is not None:
        number = _code(lod, shape, precision).ravel()
        found = Lods(number, number)
    else:
        by_x, by_y, scale = derivatives_of(texture, points, precision, gradients)
        by_x, by_y = (
            [tuple(d * s for d, s in zip(vector, scale, strict=False)) for vector in by] for by in (by_x, by_y)
        )
        least, most = _lengths(by_x, by_y, precision)
        if texture.type == "CUBE":  # quotients are rounded, and differences of them keep that error
            error = scale[0] * 2.0**-precision.coordinate_bits * 4
            least, most = np.maximum(least - error, 0.0), most + error
        found = _of_lengths(least, most, precision)
        if precision.snap:
            found = Lods(*(snapped(each, precision) for each in (found.least, found.most)))
    more = more_lod(rules, shape, precision, bias)
    step = 0.0 if precision.snap else 2.0**-precision.lod_bits
    return Lods(found.least + more - step, found.most + more + step)


def derivatives_of(
    texture: Texture, points: Sequence[NDArray[Any]], precision: Precision, gradients: Any
) -> tuple[list[Vector], list[Vector], list[float]]:
    """Derivatives by x and by y, every choice, of flat coordinates, from gradients or the grid; texels of level 0."""
    shape = points[0].shape
    scale = [float(texture.sizes[0, 0]) / 2] * 3 if texture.type == "CUBE" else texture.sizes[0].tolist()
    if gradients is not None:
        groups = [tuple(np.broadcast_to(np.asarray(d, np.float64), shape) for d in group) for group in gradients]
        by_x, by_y = [groups[0]], [groups[1]]
    else:
        by_x, by_y = (_cube_derivatives if texture.type == "CUBE" else _differences)(_quads(points), precision)
    by_x, by_y = ([tuple(d.ravel() for d in vector) for vector in by] for by in (by_x, by_y))
    return by_x, by_y, scale[: len(by_x[0])]


def snapped(lod: Numbers, precision: Precision) -> Numbers:
    """LODs in steps, to nearest, halves up."""
    one = 2.0**precision.lod_bits
    return np.clip(np.floor(lod * one + 0.5) / one, LEAST, MOST - 1 / one)


def more_lod(rules: Rules, shape: tuple[int, ...], precision: Precision, bias: Any) -> Numbers:
    """Every bias."""
    return _code(0.0 if bias is None else bias, shape, precision).ravel() + rules.lod_bias


def _clamps(texture: Texture, rules: Rules) -> tuple[float, float, bool]:
    last = len(texture.sizes) - 1.0
    least = max(min(rules.min_lod, last), rules.resource_min_lod)
    return least, min(rules.max_lod, last), rules.resource_min_lod > last


def level_choices(texture: Texture, rules: Rules, lods: Lods, precision: Precision) -> list[Levels]:
    """All choices of levels: magnified, then level by level; out of bounds, level 0."""
    least, most, _ = _clamps(texture, rules)
    low, high = lods.least, lods.most
    if rules.preclamp:
        low, high = (np.maximum(np.minimum(lod, rules.max_lod), rules.min_lod) for lod in (low, high))
    only = max(min(0.0, np.ceil(most)), np.floor(least))
    fixed = np.full(low.shape, only)
    can_magnify, can_reduce = low - rules.base_level <= 0, high - rules.base_level > 0
    choices = [_levels(texture, rules, can_magnify, True, fixed, fixed, precision)]
    if rules.mip == "none":
        return [*choices, _levels(texture, rules, can_reduce, False, fixed, fixed, precision)]
    if precision.snap:
        step = 2.0**-precision.lod_bits
        counts = np.rint((high - low) / step)
        for k in range(min(int(counts.max(initial=0)) + 1, MAX_STEPS)):
            at = low + k * step
            exists = (k <= counts) & (at - rules.base_level > 0)
            choices.append(_reduced(texture, rules, exists, at, at, 0, (least, most), precision))
        return choices
    for k in range(len(texture.sizes)):
        choices.append(_reduced(texture, rules, can_reduce, low, high, k, (least, most), precision))
    return choices


def _reduced(
    texture: Texture,
    rules: Rules,
    exists: Flags,
    low: Numbers,
    high: Numbers,
    k: int,
    limits: tuple[float, float],
    precision: Precision,
) -> Levels:
    """The k-th level that a LOD of a reduced texture can lie on."""
    low, high = (np.maximum(np.minimum(lod, limits[1]), limits[0]) for lod in (low, high))
    if rules.mip == "nearest":
        low, high = np.floor(low + 0.5), np.floor(high + 0.5)
        at = low + k
        return _levels(texture, rules, exists & (at <= high), False, at, at, precision)
    base = np.floor(low) + k
    inside = np.maximum(low, base), np.minimum(high, base + 1)
    return _levels(texture, rules, exists & (inside[0] <= inside[1]), False, *inside, precision, base)


def _levels(
    texture: Texture,
    rules: Rules,
    exists: Flags,
    magnified: bool,
    low: Numbers,
    high: Numbers,
    precision: Precision,
    base: Numbers | None = None,
) -> Levels:
    base = np.floor(low) if base is None else base
    least, most = low - base, high - base
    left_out = _QUALITY_LEFT_OUT[rules.quality]
    if precision.snap:
        next_only = 1 - most < left_out
        least = np.where(least < left_out, 0.0, np.where(next_only, 1.0, least))
        most = np.where(most < left_out, 0.0, np.where(next_only, 1.0, most))
    else:
        least, most = np.where(least < left_out, 0.0, least), np.where(1 - most < left_out, 1.0, most)
    last = len(texture.sizes) - 1
    first, second = (np.clip(base + k, 0, last).astype(np.int64) for k in (0, 1))
    return Levels(exists, np.full(low.shape, magnified), first, second, least, most)
