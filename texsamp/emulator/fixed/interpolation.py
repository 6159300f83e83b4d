"""Weights of corners, depth and w at points of subspans: the kernel of kernels/raster_weights.h."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from texsamp.device.base import Array, Device, Launch
from texsamp.device.kept import kept
from texsamp.device.params import params_type
from texsamp.device.tiles import in_rows
from texsamp.emulator.fixed.objects import ScreenObjects, Spans
from texsamp.emulator.fixed.raster_state import RasterState
from texsamp.state.commands_raster import PositionMode

_PARAMS = params_type("RasterWeightsParams")
SUBSPANS = {"host": 256, "device": 256}
"""Of a tile."""
PIXELS = 4
_PLACES = (PositionMode.PIXEL, PositionMode.CENTROID, PositionMode.SAMPLE)
"""Of barycentric sets 0 to 2, which are perspective, and of 3 to 5, which are not."""


@dataclass(frozen=True)
class Weights:
    """Of m subspans at one point of each pixel, where a device's arrays are.

    linear, perspective: float32 (m, 2, 4), weights of corners 1 and 2. depth, w: float32 (m, 4).
    """

    linear: Array
    perspective: Array
    depth: Array
    w: Array


class Interpolator:
    """Numbers of the subspans of a draw, or of their samples, on a device; each kind of point is computed once.

    sample: of each subspan the sample it stands for, int (m,), there; None if it stands for whole pixels.
    """

    def __init__(
        self,
        objects: ScreenObjects,
        spans: Spans,
        state: RasterState,
        device: Device,
        sample: Array | None = None,
    ) -> None:
        self._objects, self._spans, self._state, self._device, self._sample = objects, spans, state, device, sample
        self._known: dict[PositionMode, Weights] = {}

    def at(self, place: PositionMode) -> Weights:
        """At the pixel, at its centroid, or at the sample."""
        if place not in self._known:
            self._known[place] = weights(self._objects, self._spans, self.points(place), self._device)
        return self._known[place]

    def barycentrics(self, modes: int) -> Array:
        """The sets of 3DSTATE_WM that are wanted, in order, (m, sets, 2, 4)."""
        sets = [self.at(_PLACES[n % 3]) for n in range(6) if modes >> n & 1]
        which = [n for n in range(6) if modes >> n & 1]
        found = [of.perspective if n < 3 else self._straight(of) for n, of in zip(which, sets, strict=True)]
        return _beside(found) if found else self._device.empty((len(self._spans), 0, 2, PIXELS), np.float32)

    def depth_of_samples(self) -> Array:
        """What depth is tested, (m, samples, 4)."""
        points = self._state.tested
        if (points == points[0]).all():
            if (points[0] == self._state.at_pixel).all():
                return _beside([self.at(PositionMode.PIXEL).depth])
            points = points[:1]
        found = [weights(self._objects, self._spans, point, self._device).depth for point in points]
        return _beside(found)

    def weights_at(self, rows: Array, points: Array, linear: bool) -> Array:
        """Weights of corners 1 and 2 of some subspans at points of their pixels, (2,) or (k, 4, 2): (k, 2, 4)."""
        some = self._spans.gathered(rows, self._device)
        found = weights(self._objects, some, points, self._device)
        return self._straight(found, some) if linear else found.perspective

    def _straight(self, of: Weights, some: Spans | None = None) -> Array:
        """Linear weights for vertices' numbers, of all subspans or of some."""
        straight = self._objects.straight
        if straight is None:
            return of.linear
        spans = self._spans if some is None else some
        with self._device.current():
            constant, first, second = straight.transpose(2, 0, 1)
            objects = spans.on(self._device)[:, 0]
            made: Array = constant[objects][..., None] + first[objects][..., None] * of.linear[:, :1]
            made = made + second[objects][..., None] * of.linear[:, 1:]
        return made

    def points(self, place: PositionMode) -> Array:
        """Where a place is, 1/256 from the upper left corner: the host's (2,) for all pixels, or (m, 4, 2) there."""
        state, device = self._state, self._device
        if place == PositionMode.PIXEL or state.samples == 1:
            return state.at_pixel
        tested, at_pixel = kept(device, (state.tested, state.at_pixel))
        with device.current():
            if place == PositionMode.SAMPLE and self._sample is not None:
                return tested[self._sample].repeat(PIXELS, axis=0).reshape(-1, PIXELS, 2)
            coverage = self._spans.on(device).view(np.uint32)[:, 3]
            return _centroids(coverage, state.samples, at_pixel, tested, device)


def _beside(arrays: list[Array]) -> Array:
    """Arrays of (m, ...) as one of (m, arrays, ...)."""
    each: list[Array] = [array[:, None] for array in arrays]
    return each[0] if len(each) == 1 else np.concatenate(each, axis=1)


def _centroids(coverage: Array, samples: int, at_pixel: Array, at_samples: Array, device: Device) -> Array:
    """The pixel where all its samples are covered or none is, else the first that is, (m, 4, 2)."""
    shifts = device.arrays.arange(PIXELS * samples, dtype=np.uint32).reshape(samples, PIXELS)
    covered = (coverage[:, None, None] >> shifts & np.uint32(1)) != 0
    whole = covered.all(axis=1) | ~covered.any(axis=1)
    found: Array = np.where(whole[..., None], at_pixel, at_samples[covered.argmax(axis=1)])
    return found


def weights(objects: ScreenObjects, spans: Spans, points: Array, device: Device) -> Weights:
    """Weights at points of subspans' pixels: the host's (2,) for all, or (m, 4, 2) there; 1/256 from the upper left."""
    count = len(spans)
    made = [device.empty((count, 2, PIXELS), np.float32) for _ in range(2)]
    made += [device.empty((count, PIXELS), np.float32) for _ in range(2)]
    if not count:
        return Weights(*made)
    everywhere = points.ndim == 1
    placed = () if everywhere else (points,)
    memory = (objects.weights, objects.scales, objects.corners, spans.on(device), *placed)
    tiles = in_rows(count, SUBSPANS[device.tile_limits])
    names = ("weights", "scales", "corners", "subspans")
    targets = ("linear", "perspective", "depth", "w")
    params = _PARAMS(
        points=0 if everywhere else device.address(memory[-1]),
        **{name: device.address(array) for name, array in zip(names, memory, strict=False)},
        **{name: device.address(array) for name, array in zip(targets, made, strict=True)},
        count=count,
        tiles_x=tiles[0],
        at_x=int(points[0]) if everywhere else 0,
        at_y=int(points[1]) if everywhere else 0,
    )
    device.launch(Launch("raster_weights", params, *tiles, (*memory, *made)))
    return Weights(*made)
