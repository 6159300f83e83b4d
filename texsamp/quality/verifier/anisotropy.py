"""Footprints of the anisotropic filter as intervals, and the probes along them (seed 003:573-581)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.errors import StateError
from texsamp.quality.verifier.lod import LEAST, MOST, Lods, derivatives_of, lods_of, more_lod, snapped
from texsamp.quality.verifier.precision import Precision
from texsamp.quality.verifier.texture import Flags, Integers, Numbers, Rules, Texture

ROUND = 256
"""A ratio of 1, in 1/256."""
MAX_CODES = 12
"""Steps of the LOD of an axis that are tried."""
_DECIDABLE = 2.0**30
"""Texels: where a pixel's ellipse is longer, single precision overflows on the way to its axes."""


@dataclass(frozen=True)
class Footprint:
    """One choice for each sample: its LODs, and what lies between two probes.

    ratio: of the axes, 1/256. least, most: of the way from probe to probe, in coordinates (axes, samples).
    undecided: samples with more choices than are tried.
    """

    exists: Flags
    lods: Lods
    ratio: Integers
    least: Numbers
    most: Numbers
    undecided: Flags

    def take(self, chosen: Any) -> Footprint:
        """For fewer samples."""
        return Footprint(
            self.exists[chosen],
            Lods(self.lods.least[chosen], self.lods.most[chosen]),
            self.ratio[chosen],
            self.least[:, chosen],
            self.most[:, chosen],
            self.undecided[chosen],
        )


def footprints_of(
    texture: Texture,
    rules: Rules,
    points: Sequence[NDArray[Any]],
    precision: Precision,
    lod: Any,
    bias: Any,
    gradients: Any,
    *,
    likely: bool,
) -> list[Footprint]:
    """All choices; one, and round, unless filters are anisotropic and LODs not explicit (003:3311).

    likely: of each sample the likely one comes first, else that of the least LODs.

    Raises StateError for anisotropic filters with precisions that do not snap.
    """
    if lod is None and "anisotropic" in (rules.mag, rules.min):
        if not precision.snap:
            raise StateError(
                "anisotropic filters are judged at gen7, or a precision that snaps, with gradients or a grid: neither "
                "Direct3D nor OpenGL says where the probes lie"
            )
        return _anisotropic(texture, rules, points, precision, bias, gradients, likely)
    lods = lods_of(texture, rules, points, precision, lod, bias, gradients)
    count = len(lods.least)
    no, way = np.zeros(count, bool), np.zeros((len(points), count))
    return [Footprint(~no, lods, np.full(count, ROUND), way, way, no)]


@dataclass(frozen=True)
class _Axes:
    """Both axes of a pixel: squared lengths, and the major one as a part of the derivatives; with their errors.

    by: parts of the derivatives by x and by y, which are off by ``error``.
    """

    exists: Flags
    major: tuple[Numbers, Numbers]
    minor: tuple[Numbers, Numbers]
    by: tuple[Numbers, Numbers]
    error: Numbers
    decidable: Flags


def _anisotropic(
    texture: Texture,
    rules: Rules,
    points: Sequence[NDArray[Any]],
    precision: Precision,
    bias: Any,
    gradients: Any,
    likely: bool,
) -> list[Footprint]:
    dx, dy, scale = derivatives_of(texture, points, precision, gradients)
    x, y = (np.stack(each) for each in (dx[0], dy[0]))
    texels = np.array(scale)[:, None]
    # quotients of directions are rounded, and differences of them keep that error
    error = 2.0**-precision.coordinate_bits * 4 if texture.type == "CUBE" else 0.0
    more = more_lod(rules, points[0].shape, precision, bias)
    one = 1 << precision.lod_bits
    limit = np.rint(one * np.log2(rules.max_anisotropy)) / one
    made = []
    for axes in (_ellipse if rules.algorithm == "ewa" else _longer)(
        x * texels, y * texels, precision, error * scale[0]
    ):
        if not axes.exists.any():
            continue
        (low_major, high_major), (low_minor, high_minor) = (
            [snapped(_lod_of_square(square), precision) for square in squares] for squares in (axes.major, axes.minor)
        )
        low_minor, high_minor = (np.clip(end, low_major - limit, high_major) for end in (low_minor, high_minor))
        counts = [np.rint((high - low) * one) for low, high in ((low_major, high_major), (low_minor, high_minor))]
        begins = [
            _likely(square, low, count, precision) if likely else np.zeros(count.shape)
            for square, low, count in zip((axes.major, axes.minor), (low_major, low_minor), counts, strict=True)
        ]
        with np.errstate(all="ignore"):
            line = _part(x, axes.by[0]) + _part(y, axes.by[1])
            wide = _part(abs(x) + abs(y), axes.error) + error * (abs(axes.by[0]) + abs(axes.by[1]))
            wide += abs(line) * 2.0 ** (2 - precision.coordinate_bits)
        undecided = axes.exists & ((counts[0] >= MAX_CODES) | (counts[1] >= MAX_CODES) | ~axes.decidable)
        for i in range(min(int(counts[0].max(initial=0)) + 1, MAX_CODES)):
            for j in range(min(int(counts[1].max(initial=0)) + 1, MAX_CODES)):
                major, minor = (
                    low + ((first + k) % (count + 1) if k else first) / one
                    for low, first, k, count in zip((low_major, low_minor), begins, (i, j), counts, strict=True)
                )
                difference = np.clip(major - minor, 0.0, limit)
                ratio = np.minimum(np.rint(ROUND * 2.0**difference), ROUND * rules.max_anisotropy).astype(np.int64)
                part = np.minimum(ratio - ROUND, ROUND) / ratio
                lods = major - difference + more
                exists = axes.exists & ~undecided & (i <= counts[0]) & (j <= counts[1])
                with np.errstate(invalid="ignore"):
                    least, most = (line - wide) * part, (line + wide) * part
                made.append(Footprint(exists, Lods(lods, lods), ratio, least, most, undecided))
    return made


def _likely(square: tuple[Numbers, Numbers], low: Numbers, count: Numbers, precision: Precision) -> Numbers:
    """The step of a LOD that the middle of its square falls on, from the lowest."""
    made = np.zeros(count.shape)
    some = np.flatnonzero(count)
    middle = snapped(_lod_of_square((square[0][some] + square[1][some]) / 2), precision)
    made[some] = np.clip(np.rint((middle - low[some]) * (1 << precision.lod_bits)), 0, count[some])
    return made


def _part(vector: Numbers, part: Numbers) -> Numbers:
    """Nothing of an axis that does not take part, also if it is no number."""
    return np.where(part == 0, 0.0, vector * part)


def _lod_of_square(square: Numbers) -> Numbers:
    with np.errstate(divide="ignore"):
        return np.clip(np.log2(square) / 2, LEAST, MOST)


def _square(vector: Numbers) -> Numbers:
    return np.asarray((vector * vector).sum(axis=0))


def _longer(x: Numbers, y: Numbers, precision: Precision, error: float) -> list[_Axes]:
    """The longer derivative and the shorter; either, where they may be the same."""
    with np.errstate(all="ignore"):
        lengths = [np.sqrt(np.where(np.isnan(square), 0.0, square)) for square in (_square(x), _square(y))]
        relative = 2.0 ** (2 - precision.derivative_bits)
        ends = [
            (np.maximum(length * (1 - relative) - error, 0.0) ** 2, (length * (1 + relative) + error) ** 2)
            for length in lengths
        ]
    one, zero = np.ones(lengths[0].shape), np.zeros(lengths[0].shape)
    yes = np.ones(lengths[0].shape, bool)
    return [
        _Axes(ends[0][1] >= ends[1][0], ends[0], ends[1], (one, zero), zero, yes),
        _Axes(ends[1][1] > ends[0][0], ends[1], ends[0], (zero, one), zero, yes),
    ]


def _ellipse(x: Numbers, y: Numbers, precision: Precision, error: float) -> list[_Axes]:
    """The axes of the ellipse that a round pixel becomes."""
    with np.errstate(all="ignore"):
        xx, xy, yy = _square(x), np.asarray((x * y).sum(axis=0)), _square(y)
        mean, half = (xx + yy) / 2, (xx - yy) / 2
        root = np.hypot(half, xy)
        longest = np.sqrt(mean + root)
        wide = 4 * mean * 2.0**-precision.derivative_bits + error * (2 * longest + error)
        major, minor = (
            [np.where(np.isnan(end), 0.0, np.maximum(end, 0.0)) for end in (square - wide, square + wide)]
            for square in (mean + root, mean - root)
        )
        across, down = np.where(half >= 0, half + root, xy), np.where(half >= 0, xy, root - half)
        length = np.hypot(across, down)
        is_long = length > 0
        by = (np.where(is_long, across / length, 1.0), np.where(is_long, down / length, 0.0))
        off = np.where(is_long, np.minimum(2 * wide / length, 2.0), 2.0)
        decidable = ~(longest > _DECIDABLE)
    yes = np.ones(length.shape, bool)
    return [_Axes(yes, (major[0], major[1]), (minor[0], minor[1]), by, off, decidable)]


def probe_count(ratio: Integers) -> Integers:
    """The next even number; 1 where the footprint is round."""
    return np.where(ratio > ROUND, 2 * -(-ratio // (2 * ROUND)), 1)


def probe_weights(ratio: Integers) -> tuple[Integers, Integers]:
    """Of inner and outer probes, 1/65536: 1 / ratio, and half of what is left."""
    inner = (2 * 65536 * ROUND + ratio) // (2 * ratio)
    return inner, (65536 - (probe_count(ratio) - 2) * inner) // 2


def fixed_steps(way: Numbers, size: Integers, precision: Precision) -> Integers:
    """From probe to probe along an axis: 1/16 of a position's step, towards zero, up to 32768 texels."""
    one = 16.0 * 2**precision.position_bits
    with np.errstate(invalid="ignore"):
        steps = np.where(np.isnan(way), 0.0, way) * size * one
    return np.asarray(np.trunc(np.clip(steps, -(2.0**15) * one, 2.0**15 * one)), np.int64)


def probe_offset(step: Integers, halves: Integers) -> Integers:
    """Of a probe so many half steps away, in steps of a position, to nearest, halves up."""
    return np.asarray((step * halves + 16) >> 5)
