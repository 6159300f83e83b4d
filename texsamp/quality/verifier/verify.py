"""`verify`: whether every sample is what a precision allows."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.errors import StateError
from texsamp.quality.verifier.anisotropy import footprints_of
from texsamp.quality.verifier.arguments import Part, samples_of
from texsamp.quality.verifier.precision import Precision, precision_named
from texsamp.quality.verifier.report import Miss, Report, miss_of
from texsamp.quality.verifier.search import Search
from texsamp.quality.verifier.texture import Rules, Texture

BLOCK = 1 << 16
"""Samples that are searched together; bounds the memory of a verification."""


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
    threads: int = 1,
) -> Report:
    """Whether the samples of a texture lie in the set that the precision allows, and why not.

    coordinates: one array for each axis (three for cubes), of one shape. result: that shape and four channels: floats,
        or uint8 codes, which may be off by another half code.
    layer, lod, bias, gradients, compare: as for `texsamp.sample`; without ``lod`` and ``gradients`` the LOD follows
        from the grid of coordinates.
    precision: ``gen7``, ``d3d``, ``loose``, or numbers of one's own. explained: rejected samples to be explained.
    threads: that share the samples.

    Raises FormatError for arrays that do not fit, StateError for unknown precisions, for references alone, for
    another ``explained``, and for anisotropic filters without ``lod`` at precisions that do not snap.
    """
    allowed = precision_named(precision)
    count = 3 if texture.type == "CUBE" else texture.axes
    samples = samples_of(texture.type, count, coordinates, result, explained)
    name = precision if isinstance(precision, str) else "own precision"
    if not samples.found.size:
        return Report(name, np.zeros(samples.shape, bool), np.zeros(samples.shape, bool), ())
    if (compare is not None) != bool(rules.compare):
        raise StateError("rules that compare need references, and references need them")
    points = [samples.spread(point) for point in samples.points]
    numbers = [each if each is None else samples.spread(each) for each in (lod, bias, layer, compare)]
    slopes = None if gradients is None else [[samples.spread(each) for each in group] for group in gradients]

    def search(part: Part, likely: bool) -> Search:
        given = [None if each is None else each[part] for each in numbers]
        by = None if slopes is None else [[each[part] for each in group] for group in slopes]
        at, found = [point[part] for point in points], samples.colors(part)
        slices, reference = (None if each is None else each.ravel().astype(np.float32) for each in given[2:])
        return Search(
            texture,
            rules,
            allowed,
            [point.ravel().astype(np.float64) for point in at],
            None if slices is None else slices.astype(np.float64),
            footprints_of(texture, rules, at, allowed, given[0], given[1], by, likely=likely),
            found,
            samples.slack,
            np.zeros(len(found), np.float32) if reference is None else reference,
        )

    accepted, undecided = np.zeros(samples.grids, bool), np.zeros(samples.grids, bool)

    def judge(part: Part) -> None:
        judged = search(part, likely=True)
        judged.run()
        size = accepted[part].shape
        accepted[part], undecided[part] = judged.accepted.reshape(size), judged.undecided.reshape(size)

    parts = samples.parts(BLOCK)
    _keep_freed_memory()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(judge, parts))
    misses: list[Miss] = []
    numbered = np.arange(accepted.size).reshape(samples.grids)
    for part in parts:
        wanted = np.flatnonzero(~(accepted[part] | undecided[part]))[: explained - len(misses)]
        if wanted.size:
            judged = search(part, likely=False)
            judged.explain(wanted)
            misses += [miss_of(judged, each, samples.index(numbered[part].flat[each])) for each in wanted.tolist()]
    return Report(name, accepted.reshape(samples.shape), undecided.reshape(samples.shape), tuple(misses))


def _keep_freed_memory() -> None:
    """Have glibc keep what arrays of a block free, once it has seen a larger one freed.

    Else it gives each back to the system, whose zeroing of pages takes a third of a first verification.
    """
    np.empty(31 << 20, np.uint8)  # beyond 32 MiB glibc learns nothing
