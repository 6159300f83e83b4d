"""The monochrome filter: what texels of 1 cover of a box, wherever it may be (seed 003:583-599)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from texsamp.errors import FormatError, StateError
from texsamp.quality.verifier.arguments import samples_of
from texsamp.quality.verifier.axes import MAX_CHOICES, axis_choices
from texsamp.quality.verifier.precision import Precision, precision_named
from texsamp.quality.verifier.report import BoxUse, Miss, Report
from texsamp.quality.verifier.texture import Flags, Numbers, Rules

MOST_TEXELS = 7
_BLOCK = 1 << 14
"""Samples that are judged together."""
_BORDERS = Rules(address=("border", "border", "border"))


@dataclass(frozen=True)
class _Places:
    """Along one axis, where the box of each sample may begin, in texels, (samples, places). all: none is left out."""

    begin: Numbers
    all: Flags


def verify_mono(
    bits: ArrayLike,
    size: tuple[int, int],
    coordinates: Sequence[Any],
    result: Any,
    *,
    rounded: tuple[bool, bool] = (True, True),
    precision: str | Precision = "gen7",
    explained: int = 4,
) -> Report:
    """Whether samples through the monochrome filter are what a precision allows, and why not.

    bits: texels, 0 or 1, (height, width). size: columns and rows of the filter, 1 to 7. coordinates: u and v, from 0 to
        1 across the texture. rounded: whether positions are rounded to the nearest step along each axis, or down.
    result, precision, explained: as for `verify`; all four channels are the part of the box that is covered.

    Raises FormatError for arrays that do not fit, StateError for other sizes, precisions and numbers ``explained``.
    """
    allowed = precision_named(precision)
    texels = np.asarray(bits)
    if texels.ndim != 2 or not texels.size or not np.isin(texels, (0, 1)).all():
        raise FormatError(f"texels must be 0 or 1, of shape (height, width), found shape {texels.shape}")
    if len(size) != 2 or not all(1 <= each <= MOST_TEXELS for each in size):
        raise StateError(f"size must be columns and rows from 1 to {MOST_TEXELS}, found {size!r}")
    samples = samples_of("a texture of bits", 2, coordinates, result, explained)
    flat = [point.ravel().astype(np.float64) for point in samples.points]
    count = len(samples.found)
    accepted, undecided = np.zeros(count, bool), np.zeros(count, bool)
    misses: list[Miss] = []
    sums = np.pad(texels.astype(np.float64).cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    slack = samples.slack + allowed.unorm8_codes / 255 + 2.0**-24
    for first in range(0, count, _BLOCK):
        block = slice(first, first + _BLOCK)
        x, y = (
            _places(flat[axis][block], texels.shape[1 - axis], axis, size[axis], rounded[axis], allowed)
            for axis in (0, 1)
        )
        parts = _covered(sums, x.begin, y.begin, size)
        if not allowed.snap:  # places in between give what lies in between
            parts = np.stack([parts.min(axis=1), parts.max(axis=1)], axis=1)
        found = samples.colors(block)
        least, most = (parts, parts) if allowed.snap else (parts[:, :1], parts[:, 1:])
        beyond = np.maximum(least[:, :, None] - found[:, None], found[:, None] - most[:, :, None]).max(axis=2) - slack
        good = (beyond <= 0).any(axis=1)
        accepted[block], undecided[block] = good, ~good & ~(x.all & y.all)
        for sample in np.flatnonzero(~good & x.all & y.all)[: explained - len(misses)]:
            nearest = int(np.argmin(beyond[sample]))
            ends = float(least[sample, nearest] - slack), float(most[sample, nearest] + slack)
            begin = tuple((float(axis.begin[sample].min()), float(axis.begin[sample].max())) for axis in (x, y))
            misses.append(
                Miss(
                    samples.index(first + int(sample)),
                    tuple(float(point[first + sample]) for point in flat),
                    None,
                    True,
                    (BoxUse((size[0], size[1]), begin),),
                    (0.0, 0.0),
                    tuple(found[sample].tolist()),
                    (ends[0],) * 4,
                    (ends[1],) * 4,
                )
            )
    name = precision if isinstance(precision, str) else "own precision"
    return Report(name, accepted.reshape(samples.shape), undecided.reshape(samples.shape), tuple(misses))


def _places(u: Numbers, texels: int, axis: int, size: int, rounded: bool, precision: Precision) -> _Places:
    """Every step that the box may begin at; without steps both ends, and the texels' edges between them.

    Between edges what is covered is linear in the place, so its extremes lie at these.
    """
    error = np.zeros(u.shape)
    if not precision.snap:
        error = np.where(np.isnan(u), 0.0, abs(np.clip(u, -(2.0**22), 2.0**22))) * 2.0**-precision.coordinate_bits
    sizes, linear = np.full(u.shape, texels), np.ones(u.shape, bool)
    choices = axis_choices(u, error, sizes, axis, _BORDERS, linear, np.full(u.shape, rounded), precision)
    center = 0.5 - size / 2  # choices count from the center of the left texel
    steps = np.arange(MAX_CHOICES)
    if choices.steps:
        begin = (choices.start[:, None] + np.minimum(steps, choices.count[:, None] - 1)) / choices.steps + center
        return _Places(begin, choices.count <= MAX_CHOICES)
    least, most = choices.least + center, choices.most + center
    edges = np.minimum(np.floor(least)[:, None] + 1 + steps, most[:, None])
    whole = np.floor(most) - np.floor(least) <= MAX_CHOICES
    return _Places(np.concatenate([least[:, None], edges, most[:, None]], axis=1), whole)


def _covered(sums: Numbers, x: Numbers, y: Numbers, size: tuple[int, int]) -> Numbers:
    """The covered part of boxes at every pair of places, (samples, pairs), from the sums of all texels before each."""

    def before(x: Numbers, y: Numbers) -> Numbers:
        """What lies before a corner: between corners of texels it is linear along each axis."""
        height, width = sums.shape[0] - 1, sums.shape[1] - 1
        x, y = np.clip(x, 0, width)[:, None, :], np.clip(y, 0, height)[:, :, None]
        i, j = (np.minimum(np.floor(each), n - 1).astype(np.int64) for each, n in ((x, width), (y, height)))
        across, down = x - i, y - j
        upper = sums[j, i] * (1 - across) + sums[j, i + 1] * across
        lower = sums[j + 1, i] * (1 - across) + sums[j + 1, i + 1] * across
        return np.asarray(upper * (1 - down) + lower * down)

    right, bottom = x + size[0], y + size[1]
    total = before(right, bottom) - before(x, bottom) - before(right, y) + before(x, y)
    return np.asarray(total.reshape(len(x), -1) / (size[0] * size[1]))
