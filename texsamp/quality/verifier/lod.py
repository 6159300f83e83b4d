"""Levels of detail as intervals, and the levels that they can lead to (seed 003:414-535)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.quality.verifier.precision import Precision
from texsamp.quality.verifier.texture import Flags, Integers, Numbers, Rules, Texture

LEAST, MOST = -16.0, 16.0
MAX_LEVEL_CHOICES = 6
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
    numbers = np.clip(np.where(np.isnan(numbers), 0.0, numbers), LEAST, MOST)
    if not precision.snap:
        return numbers
    one = 2.0**precision.lod_bits
    return np.minimum(np.floor(numbers * one + 0.5) / one, MOST - 1 / one)


def _vectors(points: Sequence[NDArray[Any]], precision: Precision) -> list[list[tuple[Numbers, ...]]]:
    """Derivatives by x and by y of a grid: every choice that the precision allows, one difference for each axis."""
    height, width = (points[0].shape[-2] if points[0].ndim > 1 else 1), (points[0].shape[-1] if points[0].ndim else 1)
    grids = [np.asarray(point, np.float64).reshape(-1, height, width) for point in points]
    x, y = np.arange(width), np.arange(height)
    left, top = np.maximum(np.minimum(x & ~1, width - 2), 0), np.maximum(np.minimum(y & ~1, height - 2), 0)
    right, below = np.minimum(left + 1, width - 1), np.minimum(top + 1, height - 1)
    rows, columns = ([top, below], [left, right]) if precision.derivatives == "any" else ([top], [left])
    with np.errstate(invalid="ignore"):
        by_x = [tuple(g[:, row][:, :, right] - g[:, row][:, :, left] for g in grids) for row in rows]
        by_y = [tuple(g[:, below][:, :, column] - g[:, top][:, :, column] for g in grids) for column in columns]
    return [by_x, by_y]


def _directions(points: Sequence[NDArray[Any]]) -> list[Numbers]:
    """Cubes: components divided by the largest."""
    sizes = [np.where(np.isnan(point), 0.0, abs(np.asarray(point, np.float64))) for point in points]
    with np.errstate(all="ignore"):
        return [np.asarray(point, np.float64) / np.maximum.reduce(sizes) for point in points]


def _interval(by_x: list[Numbers], by_y: list[Numbers], precision: Precision) -> tuple[Numbers, Numbers]:
    """Least and largest length in texels of one choice of derivatives."""
    with np.errstate(all="ignore"):
        if precision.footprint == "length":
            squares = [sum((d * d for d in by), np.zeros(())) for by in (by_x, by_y)]
            length = np.sqrt(np.maximum(*(np.where(np.isnan(square), 0.0, square) for square in squares)))
            return length, length
        largest = [
            np.maximum(*(np.where(np.isnan(d), 0.0, abs(d)) for d in pair)) for pair in zip(by_x, by_y, strict=True)
        ]
        return np.maximum.reduce(largest), np.sum(largest, axis=0)


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
        scale = [float(texture.sizes[0, 0]) / 2] * 3 if texture.type == "CUBE" else texture.sizes[0].tolist()
        if gradients is not None:
            choices = [[tuple(np.broadcast_to(np.asarray(d, np.float64), shape) for d in group)] for group in gradients]
        else:
            choices = _vectors(_directions(points) if texture.type == "CUBE" else points, precision)
        scaled = [[[d.ravel() * s for d, s in zip(c, scale, strict=False)] for c in group] for group in choices]
        lengths = [_interval(by_x, by_y, precision) for by_x in scaled[0] for by_y in scaled[1]]
        least, most = np.minimum.reduce([low for low, _ in lengths]), np.maximum.reduce([high for _, high in lengths])
        if texture.type == "CUBE":  # quotients are rounded, and differences of them keep that error
            error = scale[0] * 2.0**-precision.coordinate_bits * 4
            least, most = np.maximum(least - error, 0.0), most + error
        found = _of_lengths(least, most, precision)
        if precision.snap:
            one = 2.0**precision.lod_bits
            found = Lods(
                *(
                    np.clip(np.floor(each * one + 0.5) / one, LEAST, MOST - 1 / one)
                    for each in (found.least, found.most)
                )
            )
    more = _code(0.0 if bias is None else bias, shape, precision).ravel() + rules.lod_bias
    step = 0.0 if precision.snap else 2.0**-precision.lod_bits
    return Lods(found.least + more - step, found.most + more + step)


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
        for k in range(min(int(counts.max(initial=0)) + 1, MAX_LEVEL_CHOICES)):
            at = low + k * step
            exists = (k <= counts) & (at - rules.base_level > 0)
            choices.append(_reduced(texture, rules, exists, at, at, 0, (least, most), precision))
        return choices
    for k in range(MAX_LEVEL_CHOICES):
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
