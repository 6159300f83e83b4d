"""Fragments by pixel: which are at the same place, in order (`kernels/merge_runs.h`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device.base import Array, Device
from texsamp.device.params import params_type
from texsamp.emulator.fixed.fragments import Fragments
from texsamp.emulator.fixed.planes import Box

STRIP = 256
"""Runs of a tile: MERGE_STRIP of `kernels/merge_runs.h`."""

_PARAMS = params_type("MergeRuns")
_MOST_FLAGS = 1 << 25
"""Pixels of a box that are worth a byte each."""
_DIGIT = 1 << 16
_FAR = np.int32(1 << 20)
"""Beyond all pixels and slices."""


def box_of(fragments: Fragments, device: Device, *, exactly: bool = False) -> Box:
    """The pixels and slices that fragments with samples lie in, nothing if there are none.

    Of those on a GPU what they may lie in; exactly: six numbers are asked.
    """
    if fragments.found is not None and device.arrays is not np and not exactly:
        return Box(fragments.found.x, fragments.found.y, (fragments.found.slices[0], fragments.found.slices[-1]))
    lit, ends = fragments.samples != 0, []
    for each in (fragments.x, fragments.y, fragments.slices):
        ends += [np.where(lit, each, _FAR).min(), np.where(lit, each, -_FAR).max()]
    found = np.stack(ends)
    x0, x1, y0, y1, z0, z1 = (found if isinstance(found, np.ndarray) else device.download(found)).tolist()
    return Box((x0, x1), (y0, y1), (z0, z1))


@dataclass(frozen=True)
class Runs:
    """The fragments of every pixel in their order, pixel after pixel, those with most of them first.

    fragments: None if no two fragments share a pixel: run k is fragment k. first: where a run begins in `fragments`.
    """

    count: int
    fragments: Array | None = None
    first: Array | None = None
    lengths: Array | None = None

    def upload(self, device: Device) -> tuple[Any, tuple[Array, ...]]:
        """The MergeRuns, and the arrays that it points to."""
        parts = (self.fragments, self.first, self.lengths)
        arrays = tuple(device.upload(each) for each in parts if each is not None)
        places = [device.address(each) for each in arrays] or [0, 0, 0]
        return _PARAMS(**dict(zip(("fragments", "first", "lengths"), places, strict=True)), count=self.count), arrays


def runs_of(fragments: Fragments, box: Box) -> Runs:
    """Sort fragments, those of a pixel in their order, unless no two share one. Those without samples are left out."""
    count = len(fragments.x)
    if fragments.are_apart:
        return Runs(count)
    rows = np.flatnonzero(fragments.samples)
    some = None if len(rows) == count else rows
    count = len(rows)
    width, height, slices = (last - first + 1 for first, last in (box.x, box.y, box.slices))
    pixels = width * height * slices
    wide: Any = np.int32 if pixels < 1 << 31 else np.int64

    def of(values: NDArray[np.int32]) -> NDArray[Any]:
        chosen: NDArray[Any] = (values if some is None else values[some]).astype(wide, copy=False)
        return chosen

    key = of(fragments.x) - wide(box.x[0])
    if height > 1:
        key += (of(fragments.y) - wide(box.y[0])) * wide(width)
    if slices > 1:
        key += (of(fragments.slices) - wide(box.slices[0])) * wide(width * height)
    if pixels <= max(_MOST_FLAGS, 4 * count):
        seen = np.zeros(pixels, np.bool_)
        seen[key] = True
        if np.count_nonzero(seen) == count:
            if some is None:
                return Runs(count)
            return Runs(count, some.astype(np.int32), np.arange(count, dtype=np.int32), np.ones(count, np.int32))
    order = _stable_order(key, pixels)
    ordered = key[order]
    first = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    lengths = np.diff(first, append=count)
    longest = np.argsort(-lengths, kind="stable")
    return Runs(
        len(first),
        (order if some is None else some[order]).astype(np.int32),
        np.ascontiguousarray(first[longest], np.int32),
        np.ascontiguousarray(lengths[longest], np.int32),
    )


def device_runs(fragments: Fragments, box: Box) -> Runs:
    """`runs_of` of fragments that are on a GPU, without asking it: as many runs as fragments, with none in the last.

    Those without samples are left out.
    """
    count = len(fragments.x)
    if fragments.are_apart:
        return Runs(count)
    width, height = (last - first + 1 for first, last in (box.x, box.y))
    places = (fragments.x, box.x[0]), (fragments.y, box.y[0]), (fragments.slices, box.slices[0])
    x, y, slices = (each.astype(np.int64) - least for each, least in places)
    nowhere = width * height * (box.slices[1] - box.slices[0] + 1)
    pixel = np.where(fragments.samples != 0, (slices * height + y) * width + x, nowhere)
    number = np.cumsum(np.ones_like(pixel)) - 1
    both = np.sort(pixel * count + number)  # no two are equal
    order, ordered = both % count, both // count
    first = np.searchsorted(ordered, ordered)
    behind = np.searchsorted(ordered, ordered, "right")
    lengths = np.where((first == number) & (ordered < nowhere), behind - number, 0)
    longest = np.sort((count - lengths) * count + number) % count
    return Runs(
        count,
        order.astype(np.int32),
        first[longest].astype(np.int32),
        lengths[longest].astype(np.int32),
    )


def _stable_order(key: NDArray[Any], keys: int) -> NDArray[np.int64]:
    """np.argsort, stable, of numbers below ``keys``: 16 bits at a time, which it sorts without comparisons."""
    order = np.argsort((key % _DIGIT).astype(np.uint16), kind="stable")
    while keys > _DIGIT:
        key, keys = key // _DIGIT, -(-keys // _DIGIT)
        order = order[np.argsort((key % _DIGIT).astype(np.uint16)[order], kind="stable")]
    return order
