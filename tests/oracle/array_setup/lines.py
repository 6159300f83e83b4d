"""Lines on the screen: parallelograms, rectangles, or the pixels whose diamonds they leave (pages 237-244, 300)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oracle.array_setup.objects import SUBPIXELS
from oracle.array_setup.shapes import Integers, Shapes, polygons
from texsamp.emulator.fixed.raster_state import RasterState
from texsamp.state.commands_raster import MultisampleRasterization

END, BEGIN = 1, 3
"""Edges of a line's shape that are its ends; the others run along it."""
_HALF = SUBPIXELS // 2
_ON = (MultisampleRasterization.ON_PIXEL, MultisampleRasterization.ON_PATTERN)


def are_antialiased(state: RasterState) -> bool:
    """Whether lines have an alpha by how much of a pixel they cover (pages 251, 301)."""
    setup = state.strips_fans
    return bool(setup.antialiasing and setup.line_width and setup.multisample_mode not in _ON)


def lines(at: Integers, last: NDArray[np.bool_], state: RasterState) -> Shapes:
    """Lines (n, 2, 2) in 1/256 pixels as 3DSTATE_SF and 3DSTATE_WM want them.

    last: those of no width whose last pixel is drawn, if 3DSTATE_SF lets it be.
    """
    setup = state.strips_fans
    width = round(float(setup.line_width) * SUBPIXELS)
    if setup.multisample_mode in _ON:
        return _rectangles(at, width, 0)
    if not width:
        return _thin(at, last & bool(setup.last_pixel), state)
    if are_antialiased(state):
        return _rectangles(at, width, _HALF << int(setup.line_end_width))
    return _parallelograms(at, width)


def _is_x_major(at: Integers) -> NDArray[np.bool_]:
    dx, dy = np.abs(at[:, 1] - at[:, 0]).T
    return np.asarray(dx >= dy)


def _around(begin: Integers, end: Integers, aside: Integers) -> Shapes:
    return polygons(np.stack([begin - aside, end - aside, end + aside, begin + aside], axis=1))


def _parallelograms(at: Integers, width: int) -> Shapes:
    """As wide as `width` along the axis that the line is shorter in."""
    aside = np.where(_is_x_major(at)[:, None], [0, width // 2], [width // 2, 0])
    return _around(at[:, 0], at[:, 1], aside)


def _rectangles(at: Integers, width: int, longer: int) -> Shapes:
    """As wide across the line, and so much longer at both ends; corners are rounded to the nearest subpixel."""
    along = (at[:, 1] - at[:, 0]).astype(np.float64)
    along /= np.maximum(np.hypot(*along.T), 1)[:, None]
    aside = np.stack([-along[:, 1], along[:, 0]], axis=1) * (width / 2)
    more = along * longer
    begin, end = at[:, 0] - more, at[:, 1] + more
    corners = [begin - aside, end - aside, end + aside, begin + aside]
    return polygons(np.rint(np.stack(corners, axis=1)).astype(np.int64))


@dataclass(frozen=True)
class _Diamonds:
    """Which corners and edges of a pixel's diamond belong to it, by line: + and - along the longer axis, then across.

    The corner at + across always does, the one at - across and the edge between the - corners never.
    """

    plus: NDArray[np.bool_]
    minus: NDArray[np.bool_]
    plus_plus: NDArray[np.bool_]
    minus_plus: NDArray[np.bool_]
    plus_minus: NDArray[np.bool_]

    @classmethod
    def of(cls, at: Integers, x_major: NDArray[np.bool_], *, legacy: bool) -> _Diamonds:
        """By the equations of page 242, or those of page 240."""
        if not legacy:
            return cls(~x_major, np.zeros_like(x_major), np.ones_like(x_major), x_major, ~x_major)
        dx, dy = (at[:, 1] - at[:, 0]).T
        falling, rising = (dx == dy) & x_major, (dx == -dy) & x_major
        return cls(~falling, falling, rising, falling, np.zeros_like(x_major))

    def find(self, along: Integers, across: Integers) -> tuple[Integers, NDArray[np.bool_]]:
        """Column of the diamond that a point is in, or whose square it is in, and whether it is in the diamond."""
        column = along // SUBPIXELS
        a, b = along % SUBPIXELS - _HALF, across % SUBPIXELS - _HALF
        distance = np.abs(a) + np.abs(b)
        sides = np.select(
            [b == -_HALF, (a < 0) & (b > 0), (a > 0) & (b > 0), (a > 0) & (b < 0), (a == -_HALF)],
            [True, self.minus_plus, self.plus_plus, self.plus_minus, self.minus | self.plus],
            default=False,
        )
        # The left corner of a diamond is the right one of the diamond before it.
        before = (a == -_HALF) & (b == 0) & self.plus
        return column - before, (distance < _HALF) | ((distance == _HALF) & sides)


def _thin(at: Integers, last: NDArray[np.bool_], state: RasterState) -> Shapes:
    """Columns, or rows of lines that are longer in y, from the first to the last one whose diamond the line leaves.

    In each it is the pixel that the line passes in the middle; halfway between two of them, the one above or left.
    """
    shift = _HALF - state.at_pixel.astype(np.int64)
    x_major = _is_x_major(at)
    along, across = np.moveaxis(np.where(x_major[:, None, None], at + shift, (at + shift)[..., ::-1]), 2, 0)
    forward = along[:, 1] >= along[:, 0]
    diamonds = _Diamonds.of(at, x_major, legacy=bool(state.windower.legacy_lines))
    step = np.where(forward, 1, -1)
    first, started = diamonds.find(along[:, 0], across[:, 0])
    past = (along[:, 0] - first * SUBPIXELS - _HALF) * step > 0
    first = first + np.where(past & ~started, step, 0)
    final, ended = diamonds.find(along[:, 1], across[:, 1])
    past = (along[:, 1] - final * SUBPIXELS - _HALF) * step > 0
    final = final - np.where((past & ~ended) | (last & ended), 0, step)
    low, high = np.where(forward, first, final), np.where(forward, final, first)
    du, dv = np.abs(along[:, 1] - along[:, 0]), (across[:, 1] - across[:, 0]) * step
    c = dv * along[:, 0] - du * across[:, 0]
    room, far = np.where(forward, 0, SUBPIXELS - 1), np.where(forward, SUBPIXELS - 1, 0)
    edges = np.zeros((len(at), 4, 3), np.int64)
    edges[:, 0] = np.stack([-dv, du, c + du * _HALF], axis=1)
    edges[:, 2] = np.stack([dv, -du, du * _HALF - c - 1], axis=1)
    edges[:, BEGIN, 0], edges[:, BEGIN, 2] = step, -step * (first * SUBPIXELS + room)
    edges[:, END, 0], edges[:, END, 2] = -step, step * (final * SUBPIXELS + far)
    edges[~x_major] = edges[~x_major][..., [1, 0, 2]]
    edges[..., 2] += (edges[..., :2] * shift).sum(axis=2)
    beside = np.stack([across.min(axis=1) - SUBPIXELS, across.max(axis=1) + SUBPIXELS], axis=1)
    reach = np.stack([low * SUBPIXELS, high * SUBPIXELS + SUBPIXELS - 1], axis=1)
    bounds = np.stack([reach, beside], axis=2)
    bounds = np.where(x_major[:, None, None], bounds, bounds[..., ::-1]) - shift
    empty = low > high
    bounds[empty] = [[0, 0], [-SUBPIXELS, -SUBPIXELS]]
    return Shapes(edges, bounds.reshape(-1, 4))
