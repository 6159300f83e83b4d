"""Shapes of objects on the screen: the edges that samples must be inside of (volume 2 part 1, pages 262-310)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from oracle.array_setup.objects import EDGES, SUBPIXELS

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Shapes:
    """Convex shapes: edges int64 (n, 4, 3) as `ScreenObjects` has them, bounds (n, 4): left, top, right, bottom."""

    edges: Integers
    bounds: Integers


def _edges(count: int) -> Integers:
    return np.zeros((count, EDGES, 3), np.int64)


def polygons(at: Integers) -> Shapes:
    """Convex polygons of corners (n, 3 or 4, 2); those without area have no samples.

    A sample on an edge is in the polygon whose left or horizontal upper edge it is.
    """
    corners = at.shape[1]
    turned = np.where((doubled_areas(at) < 0)[:, None, None], at[:, ::-1], at)
    edges = _edges(len(at))
    for n in range(corners):
        a, b = turned[:, n], turned[:, (n + 1) % corners]
        dx, dy = (b - a).T
        excluded = ~((dy < 0) | ((dy == 0) & (dx > 0)))
        edges[:, n] = np.stack([-dy, dx, dy * a[:, 0] - dx * a[:, 1] - excluded], axis=1)
    return Shapes(edges, _bounds(at))


def doubled_areas(at: Integers) -> Integers:
    """Twice the area of triangles (n, 3, 2); above 0 if they turn clockwise as one sees them, y down."""
    first, second = at[:, 1] - at[:, 0], at[:, 2] - at[:, 0]
    return first[:, 0] * second[:, 1] - second[:, 0] * first[:, 1]


def boxes(low: Integers, high: Integers, *, upper_right: bool = False) -> Shapes:
    """Boxes from (n, 2) to (n, 2); their left and upper borders belong to them, or with `upper_right` the right one."""
    edges = _edges(len(low))
    left, right = (1, 0) if upper_right else (0, 1)
    edges[:, 0, 0], edges[:, 0, 2] = 1, -low[:, 0] - left
    edges[:, 1, 0], edges[:, 1, 2] = -1, high[:, 0] - right
    edges[:, 2, 1], edges[:, 2, 2] = 1, -low[:, 1]
    edges[:, 3, 1], edges[:, 3, 2] = -1, high[:, 1] - 1
    return Shapes(edges, np.concatenate([low, high], axis=1))


def rectangles(at: Integers) -> Shapes:
    """The boxes around three corners."""
    return boxes(at.min(axis=1), at.max(axis=1))


def _bounds(at: Integers) -> Integers:
    corners = np.moveaxis(at, 1, 0)  # reducing a short axis is slow
    return np.concatenate([reduce(np.minimum, corners), reduce(np.maximum, corners)], axis=1)


def pixels(bounds: Integers) -> NDArray[np.int64]:
    """Pixels that bounds touch: left, top, right, bottom, inclusive."""
    return bounds // SUBPIXELS
