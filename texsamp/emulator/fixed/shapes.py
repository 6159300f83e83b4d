"""Shapes of objects on the screen: the edges that samples must be inside of (volume 2 part 1, pages 262-310)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.fixed.objects import EDGES, SUBPIXELS

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Shapes:
    """Convex shapes: edges int64 (n, 4, 3) as `ScreenObjects` has them, bounds (n, 4): left, top, right, bottom."""

    edges: Integers
    bounds: Integers


def _edges(count: int) -> Integers:
    return np.zeros((count, EDGES, 3), np.int64)


def triangles(at: Integers) -> Shapes:
    """Triangles of corners (n, 3, 2): a sample on an edge belongs to one whose left or horizontal upper edge it is."""
    turned = np.where((doubled_areas(at) < 0)[:, None, None], at[:, ::-1], at)
    edges = _edges(len(at))
    for n in range(3):
        a, b = turned[:, n], turned[:, (n + 1) % 3]
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


def lines(at: Integers, width: Integers) -> Shapes:
    """Lines (n, 2, 2) of a width in 1/256 pixels: along the axis they are longer in, as wide across the other.

    The rule for a width of a pixel: in a column, the pixel whose row the line passes at the column's middle.
    """
    swapped = np.abs(at[:, 1, 0] - at[:, 0, 0]) < np.abs(at[:, 1, 1] - at[:, 0, 1])
    along = np.where(swapped[:, None, None], at[..., ::-1], at)
    backward = along[:, 1, 0] < along[:, 0, 0]
    begin, end = (np.where(backward[:, None], along[:, 1 - n], along[:, n]) for n in range(2))
    dx, dy = (end - begin).T
    half = dx * width
    c = dy * begin[:, 0] - dx * begin[:, 1]  # e = dx (y - y0) - dy (x - x0)
    edges = _edges(len(at))
    edges[:, 0] = np.stack([2 * dy, -2 * dx, half - 2 * c], axis=1)
    edges[:, 1] = np.stack([-2 * dy, 2 * dx, half + 2 * c - 1], axis=1)
    edges[:, 2] = np.stack([np.ones_like(dx), np.zeros_like(dx), -begin[:, 0]], axis=1)
    edges[:, 3] = np.stack([-np.ones_like(dx), np.zeros_like(dx), end[:, 0] - 1], axis=1)
    edges[swapped] = edges[swapped][..., [1, 0, 2]]
    bounds = _bounds(at)
    bounds[:, :2] -= width[:, None]
    bounds[:, 2:] += width[:, None]
    return Shapes(edges, bounds)


def _bounds(at: Integers) -> Integers:
    return np.concatenate([at.min(axis=1), at.max(axis=1)], axis=1)


def pixels(bounds: Integers) -> NDArray[np.int64]:
    """Pixels that bounds touch: left, top, right, bottom, inclusive."""
    return bounds // SUBPIXELS


def joined(first: Shapes, *others: Shapes) -> Shapes:
    """Shapes one behind the other."""
    edges = np.concatenate([first.edges, *(other.edges for other in others)])
    return Shapes(edges, np.concatenate([first.bounds, *(other.bounds for other in others)]))
