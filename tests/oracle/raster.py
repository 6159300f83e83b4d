"""Rasterization by its definition, sample by sample, in rational numbers (Sandy Bridge volume 2 part 1, 283-310)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Point = tuple[Fraction, Fraction]
Sample = tuple[int, int, int]
"""Column, row, number of the sample."""


def samples_of(
    columns: Iterable[int], rows: Iterable[int], positions: Sequence[Point]
) -> Iterable[tuple[Sample, Point]]:
    """Every sample of pixels, and where it is."""
    columns = list(columns)
    for y in rows:
        for x in columns:
            for number, (dx, dy) in enumerate(positions):
                yield (x, y, number), (x + dx, y + dy)


def _side(a: Point, b: Point, p: Point) -> Fraction:
    """Above 0 if p is to the right of the way from a to b, y down."""
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])


def in_triangle(corners: Sequence[Point], p: Point) -> bool:
    """Whether a sample is inside; on an edge, whether that is a left one or a horizontal one with the inside below."""
    a, b, c = corners
    area = _side(a, b, c)
    if area == 0:
        return False
    if area < 0:
        b, c = c, b
    for begin, end in ((a, b), (b, c), (c, a)):
        side = _side(begin, end, p)
        if side < 0:
            return False
        if side == 0:
            is_left = end[1] < begin[1]
            is_top = end[1] == begin[1] and end[0] > begin[0]
            if not (is_left or is_top):
                return False
    return True


def in_rectangle(corners: Sequence[Point], p: Point) -> bool:
    """Whether a sample is inside the box around corners; its left and upper border belong to it."""
    xs, ys = zip(*corners, strict=True)
    return min(xs) <= p[0] < max(xs) and min(ys) <= p[1] < max(ys)


def in_polygon(corners: Sequence[Point], p: Point) -> bool:
    """Whether a sample is inside a convex polygon, by the rule of triangles: those of a fan share none."""
    return any(in_triangle((corners[0], a, b), p) for a, b in pairwise(corners[1:]))


def wide_line(begin: Point, end: Point, width: Fraction) -> list[Point]:
    """Corners of the parallelogram of a line: as wide along the axis that it is shorter in (page 242)."""
    x_major = abs(end[0] - begin[0]) >= abs(end[1] - begin[1])
    dx, dy = (Fraction(0), width / 2) if x_major else (width / 2, Fraction(0))
    above = [(x - dx, y - dy) for x, y in (begin, end)]
    return above + [(x + dx, y + dy) for x, y in (end, begin)]


def in_diamond(point: Point, pixel: tuple[int, int], *, x_major: bool, slope: Fraction | None, legacy: bool) -> bool:
    """Whether a point is in the diamond of a pixel, by the equations of pages 240 (legacy) and 242."""
    half = Fraction(1, 2)
    dx, dy = point[0] - pixel[0] - half, point[1] - pixel[1] - half
    distance = abs(dx) + abs(dy)
    on_left, on_right = distance == half and dx < 0 < dy, distance == half and dx > 0 and dy > 0
    bottom, left, right = (dx, dy) == (0, half), (dx, dy) == (-half, 0), (dx, dy) == (half, 0)
    if legacy:
        sides = (left if slope == 1 else right) or (slope == 1 and on_left) or (slope == -1 and on_right)
    else:
        sides = (not x_major and right) or on_left or on_right
    return distance < half or bottom or sides


def thin_line(begin: Point, end: Point, *, legacy: bool, last_pixel: bool) -> set[tuple[int, int]]:
    """Pixels of a line of no width, those whose diamond it leaves (pages 237-242).

    It is followed over all the points where it may pass a border of a diamond, and over the middles between them.
    """
    dx, dy = end[0] - begin[0], end[1] - begin[1]
    how = {"x_major": abs(dx) >= abs(dy), "slope": dy / dx if dx else None, "legacy": legacy}
    found = {Fraction(0), Fraction(1)}
    for along, start in (
        (dx, begin[0]), (dy, begin[1]), (dx + dy, begin[0] + begin[1]), (dx - dy, begin[0] - begin[1])
    ):  # fmt: skip
        if along:  # where x, y, x + y or x - y is a multiple of a half lie all borders, corners and middles
            low, high = sorted((2 * start, 2 * (start + along)))
            found |= {(Fraction(n, 2) - start) / along for n in range(math.ceil(low), math.floor(high) + 1)}
    steps = sorted(found)
    lit: set[tuple[int, int]] = set()
    inside: set[tuple[int, int]] = set()
    for step in [steps[0], *(at for a, b in pairwise(steps) for at in ((a + b) / 2, b))]:
        p = (begin[0] + dx * step, begin[1] + dy * step)
        around = [(math.floor(p[0]) + i, math.floor(p[1]) + j) for i in (-1, 0) for j in (-1, 0)]
        now = {pixel for pixel in around if in_diamond(p, pixel, **how)}
        lit |= inside - now
        inside = now
    return lit | inside if last_pixel else lit


def weights(corners: Sequence[Point], p: Point) -> tuple[Fraction, Fraction, Fraction]:
    """Weights of a triangle's corners at a point on the screen."""
    a, b, c = corners
    area = _side(a, b, c)
    second, third = _side(p, c, a) / area, _side(p, a, b) / area
    return 1 - second - third, second, third


def perspective(at: Sequence[Fraction], w: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Weights of corners in space, by those on the screen and the corners' w."""
    over = [weight / depth for weight, depth in zip(at, w, strict=True)]
    return tuple(part / sum(over) for part in over)


def in_triangles(corners: NDArray[np.int64], x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The same of many triangles at once, in integers: corners (n, 3, 2), samples at x (w,) and y (h,); (n, h, w).

    As if all samples lay right of where they are by something infinitely small, and below by something smaller still.
    """
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    doubled = first[:, 0] * second[:, 1] - second[:, 0] * first[:, 1]
    around = np.where((doubled < 0)[:, None, None], corners[:, ::-1], corners)
    found = np.broadcast_to((doubled != 0)[:, None, None], (len(corners), len(y), len(x))).copy()
    for n in range(3):
        a, b = around[:, n, :, None, None], around[:, (n + 1) % 3, :, None, None]
        dx, dy = b[:, 0] - a[:, 0], b[:, 1] - a[:, 1]
        value = dx * (y[:, None] - a[:, 1]) - dy * (x - a[:, 0])
        found &= np.where(value != 0, value > 0, np.where(dy != 0, dy < 0, dx > 0))
    return found


Corner = tuple[Fraction, ...]


def clipped(planes: Iterable[Sequence[Fraction]]) -> list[Corner]:
    """What planes leave of a triangle, its corners as weights. planes: how far inside each corner is, by plane."""
    polygon: list[Corner] = [tuple(Fraction(int(i == n)) for i in range(3)) for n in range(3)]
    for plane in planes:
        distances = [sum(share * d for share, d in zip(corner, plane, strict=True)) for corner in polygon]
        kept = []
        for here, ahead, d, e in zip(
            polygon, [*polygon[1:], *polygon[:1]], distances, [*distances[1:], *distances[:1]], strict=True
        ):
            if d >= 0:
                kept.append(here)
            if (d >= 0) != (e >= 0):
                kept.append(tuple(a + (b - a) * d / (d - e) for a, b in zip(here, ahead, strict=True)))
        polygon = kept
    return polygon


def share_of(polygon: Sequence[Corner]) -> Fraction:
    """The area of a polygon of weights as a part of the triangle's, with the sign of its turn."""
    around = zip(polygon, [*polygon[1:], *polygon[:1]], strict=True)
    return sum((a[1] * b[2] - b[1] * a[2] for a, b in around), Fraction(0))
