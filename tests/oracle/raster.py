"""Rasterization by its definition, sample by sample, in rational numbers (Sandy Bridge volume 2 part 1, 283-310)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

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


def line_pixels(begin: Point, end: Point) -> set[tuple[int, int]]:
    """Pixels of a line that is one pixel wide: one in every column whose middle it has, or row if longer in y."""
    swapped = abs(end[0] - begin[0]) < abs(end[1] - begin[1])
    if swapped:
        begin, end = (begin[1], begin[0]), (end[1], end[0])
    if end[0] < begin[0]:
        begin, end = end, begin
    found = set()
    column = -(-(begin[0] - Fraction(1, 2)) // 1)
    while column + Fraction(1, 2) < end[0]:
        middle = column + Fraction(1, 2)
        y = begin[1] + (end[1] - begin[1]) * (middle - begin[0]) / (end[0] - begin[0])
        pixel = (int(column), int(y // 1))
        found.add((pixel[1], pixel[0]) if swapped else pixel)
        column += 1
    return found


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
