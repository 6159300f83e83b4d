"""`verify`: whether every sample is what a precision allows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.errors import FormatError, StateError
from texsamp.quality.verifier.lod import Lods, lods_of
from texsamp.quality.verifier.precision import Precision, precision_named
from texsamp.quality.verifier.report import Miss, Report, miss_of
from texsamp.quality.verifier.search import Search
from texsamp.quality.verifier.texture import CHANNELS, Rules, Texture

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

    Raises FormatError for arrays that do not fit, StateError for unknown precisions, for references alone and for
    another ``explained``.
    """
    allowed = precision_named(precision)
    count = 3 if texture.type == "CUBE" else texture.axes
    if len(coordinates) != count:
        raise FormatError(f"{texture.type} is sampled at {count} coordinates, found {len(coordinates)}")
    points = np.broadcast_arrays(*(np.asarray(point, np.float32) for point in coordinates))
    shape = points[0].shape
    found = np.asarray(result)
    if found.shape != (*shape, CHANNELS):
        raise FormatError(f"the result must have shape {(*shape, CHANNELS)}, found {found.shape}")
    if found.dtype.kind not in "iuf":
        raise FormatError(f"the result must be floats, uint8 codes or integers, found {found.dtype}")
    if not isinstance(explained, int | np.integer) or explained < 0:
        raise StateError(f"explained must be an integer of at least 0, found {explained!r}")
    name = precision if isinstance(precision, str) else "own precision"
    if not found.size:
        return Report(name, np.zeros(shape, bool), np.zeros(shape, bool), ())
    lods = lods_of(texture, rules, points, allowed, lod, bias, gradients)
    slices = None if layer is None else np.broadcast_to(np.asarray(layer, np.float32), shape).ravel()
    reference = np.broadcast_to(np.asarray(0.0 if compare is None else compare, np.float32), shape).ravel()
    if (compare is not None) != bool(rules.compare):
        raise StateError("rules that compare need references, and references need them")
    flat, colors = [point.ravel() for point in points], found.reshape(-1, CHANNELS)
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
            Lods(lods.least[block], lods.most[block]),
            colors[block] / 255.0 if found.dtype == np.uint8 else colors[block].astype(np.float64),
            0.5 / 255 if found.dtype == np.uint8 else 0.0,
            reference[block],
        )
        search.run(explained - len(misses))
        accepted[block], undecided[block] = search.accepted, search.undecided
        misses += [miss_of(search, sample, _index(first + sample, shape)) for sample in sorted(search.nearest)]
    return Report(name, accepted.reshape(shape), undecided.reshape(shape), tuple(misses))


def _index(sample: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(place) for place in np.unravel_index(sample, shape)) if shape else ()
