"""`verify`: whether every sample is what a precision allows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.errors import StateError
from texsamp.quality.verifier.anisotropy import footprints_of
from texsamp.quality.verifier.arguments import samples_of
from texsamp.quality.verifier.precision import Precision, precision_named
from texsamp.quality.verifier.report import Miss, Report, miss_of
from texsamp.quality.verifier.search import Search
from texsamp.quality.verifier.texture import Rules, Texture

BLOCK = 1 << 15
"""Samples that are searched together; bounds the memory that a verification needs."""


def verify(
    texture: Texture,
    rules: Rules,
    coordinates: Sequence[Any],
    result: NDArray[Any],
    *,
    layer: Any = None,
    lod: Any = None,
    bias: Any = None,
    gradients: Any = None,
    compare: Any = None,
    precision: str | Precision = "gen7",
    explained: int = 4,
) -> Report:
    """Whether the samples of a texture lie in the set that the precision allows, and why not.

    coordinates: one array for each axis (three for cubes), of one shape. result: that shape and four channels: floats,
        or uint8 codes, which may be off by another half code.
    layer, lod, bias, gradients, compare: as for `texsamp.sample`; without ``lod`` and ``gradients`` the LOD follows
        from the grid of coordinates.
    precision: ``gen7``, ``d3d``, ``loose``, or numbers of one's own. explained: rejected samples to be explained.

    Raises FormatError for arrays that do not fit, StateError for unknown precisions, for references alone, for
    another ``explained``, and for anisotropic filters without ``lod`` at precisions that do not snap.
    """
    allowed = precision_named(precision)
    count = 3 if texture.type == "CUBE" else texture.axes
    samples = samples_of(texture.type, count, coordinates, result, explained)
    points, shape, colors = samples.points, samples.shape, samples.found
    name = precision if isinstance(precision, str) else "own precision"
    if not colors.size:
        return Report(name, np.zeros(shape, bool), np.zeros(shape, bool), ())
    footprints = footprints_of(texture, rules, points, allowed, lod, bias, gradients)
    slices = None if layer is None else np.broadcast_to(np.asarray(layer, np.float32), shape).ravel()
    reference = np.broadcast_to(np.asarray(0.0 if compare is None else compare, np.float32), shape).ravel()
    if (compare is not None) != bool(rules.compare):
        raise StateError("rules that compare need references, and references need them")
    flat = [point.ravel() for point in points]
    accepted, undecided = np.zeros(len(colors), bool), np.zeros(len(colors), bool)
    misses: list[Miss] = []
    for first in range(0, len(colors), BLOCK):
        block = slice(first, first + BLOCK)
        search = Search(
            texture,
            rules,
            allowed,
            [point[block].astype(np.float64) for point in flat],
            None if slices is None else slices[block].astype(np.float64),
            [footprint.take(block) for footprint in footprints],
            colors[block],
            samples.slack,
            reference[block],
        )
        search.run(explained - len(misses))
        accepted[block], undecided[block] = search.accepted, search.undecided
        misses += [miss_of(search, sample, samples.index(first + sample)) for sample in sorted(search.nearest)]
    return Report(name, accepted.reshape(shape), undecided.reshape(shape), tuple(misses))
