"""Setup: objects of the clipper on the screen, culled, as shapes with planes (volume 2 part 1, pages 233-282)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracle.array_setup import shapes
from oracle.array_setup.attributes import attributes
from oracle.array_setup.clip import viewports_of
from oracle.array_setup.depth_bias import with_bias
from oracle.array_setup.lines import lines
from oracle.array_setup.objects import (
    ARRAY_INDEX,
    HEADER,
    OF_EACH,
    POINT_WIDTH,
    POSITION,
    SUBPIXELS,
    Kind,
    Primitives,
    ScreenObjects,
    not_cut,
)
from oracle.array_setup.shapes import Shapes
from texsamp.emulator.fixed.raster_state import RasterState
from texsamp.state.commands_3d import Topology
from texsamp.state.commands_raster import CullMode, FillMode, PointRule, PointWidthSource, SubPixelPrecision

_FARTHEST = 1 << 23
"""Positions in 1/256 pixels are clamped to this and, to the right and below, a pixel less (page 234)."""
_TRIANGLE, _LINE, _POINT = 3, 2, 1
_SHOWN_FROM_BEHIND = (Topology.POINTLIST_BF, Topology.LINESTRIP_BF, Topology.LINESTRIP_CONT_BF)
_STIPPLED = (Topology.POLYGON, Topology.TRIFAN, Topology.TRILIST, Topology.TRISTRIP, Topology.TRISTRIP_REVERSE)
"""Polygons that have a stipple (page 297)."""
_STRIPS = (Topology.LINESTRIP, Topology.LINESTRIP_BF, Topology.LINESTRIP_CONT, Topology.LINESTRIP_CONT_BF)


@dataclass(frozen=True)
class _Screen:
    """Corners of objects on the screen, (n, corners): at, int64 (…, 2) in 1/256 pixels; depth and 1 / w, float64.

    Where x or y is no number, depth is none.
    """

    at: NDArray[np.int64]
    depth: NDArray[np.float64]
    inverse_w: NDArray[np.float64]


def set_up(primitives: Primitives, state: RasterState) -> ScreenObjects:
    """Objects ready to be rasterized; what is culled, has no area or lies outside of what is drawn is left out."""
    return drawn(on_screen(primitives, state), state)


def on_screen(primitives: Primitives, state: RasterState) -> ScreenObjects:
    """Objects as shapes with planes."""
    viewports = viewports_of(primitives, state)
    screen = _on_screen(primitives, viewports, state)
    rectangles = primitives.topology == Topology.RECTLIST
    corners = primitives.corners.shape[1]
    back = np.full(len(primitives.corners), primitives.topology in _SHOWN_FROM_BEHIND)
    seen = np.isfinite(screen.depth).all(axis=1) & np.isfinite(screen.inverse_w).all(axis=1)
    if corners == _TRIANGLE and not rectangles:
        areas = shapes.doubled_areas(screen.at)
        back = ((areas < 0) != bool(state.strips_fans.front_winding)) | (areas == 0)
        dropped = {CullMode.BOTH: True, CullMode.NONE: False, CullMode.FRONT: ~back, CullMode.BACK: back}
        seen &= ~np.asarray(dropped[CullMode(state.strips_fans.cull_mode)])
        if state.strips_fans.back_fill == FillMode.SOLID:
            seen &= areas != 0
    elif corners == _LINE:
        seen &= (screen.at[:, 0] != screen.at[:, 1]).any(axis=1)
    rows = np.flatnonzero(seen)
    primitives = primitives.at(rows)
    screen = _Screen(screen.at[rows], screen.depth[rows], screen.inverse_w[rows])
    if corners == _POINT:
        objects, edges = _points(primitives, screen, state)
    elif corners == _LINE:
        objects, edges = _planes(screen, *_along(screen.at)), lines(screen.at, _ends(primitives), state)
    else:
        objects = _planes(screen, *_across(screen.at))
        edges = shapes.rectangles(screen.at) if rectangles else shapes.polygons(screen.at)
    first = primitives.submitted[:, 0]
    slices = primitives.vertices[first, HEADER, ARRAY_INDEX].astype(np.int32)
    made = ScreenObjects(
        topology=primitives.topology,
        setup=attributes(primitives, back[rows], state, sprites=corners == _POINT),
        planes=np.arange(len(rows)),
        back=back[rows],
        slices=np.zeros_like(slices) if state.clip.force_zero_array_index else slices,
        viewports=viewports[rows].astype(np.int32),
        numbers=primitives.numbers,
        edges=edges.edges,
        areas=edges.bounds,
        weights=objects[0],
        scales=objects[1],
        corners=objects[2],
        straight=primitives.straight,
        kinds=np.full(len(rows), _kind(primitives.topology), np.uint8),
    )
    if corners == _TRIANGLE and not rectangles:
        made = _filled(made, primitives, screen, state)
    return made


def _on_screen(primitives: Primitives, viewports: NDArray[np.int64], state: RasterState) -> _Screen:
    position = primitives.vertices[:, POSITION].view(np.float32).astype(np.float64)[primitives.corners]
    with np.errstate(all="ignore"):
        inverse_w = np.ones(position.shape[:2])
        if not state.clip.perspective_divide_disable:
            inverse_w = 1 / position[..., 3]
            position = position * inverse_w[..., None]
        if state.strips_fans.viewport_transform:
            scale = np.array([[v.m00, v.m11, v.m22] for v in state.viewports])[viewports][:, None]
            offset = np.array([[v.m30, v.m31, v.m32] for v in state.viewports])[viewports][:, None]
            position = position[..., :3] * scale + offset
        origin = np.array([int(state.rectangle.origin_x), int(state.rectangle.origin_y)])
        at = position[..., :2].astype(np.float32) + origin.astype(np.float32)
        coarse = SUBPIXELS // 16 if state.strips_fans.sub_pixel_precision == SubPixelPrecision.BITS_4 else 1
        snapped = np.clip(
            np.round(at.astype(np.float64) * (SUBPIXELS // coarse)) * coarse, -_FARTHEST, _FARTHEST - SUBPIXELS
        )
        nowhere = np.isnan(snapped).any(axis=2)
        snapped[nowhere] = 0
        return _Screen(snapped.astype(np.int64), np.where(nowhere, np.nan, position[..., 2]), inverse_w)


_Weights = tuple[NDArray[np.int64], NDArray[np.int64]]
_Planes = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]


def _across(at: NDArray[np.int64]) -> _Weights:
    """Weights of corner 1 and 2 of triangles, and their scale."""
    first, second = at[:, 1] - at[:, 0], at[:, 2] - at[:, 0]
    weights = np.zeros((len(at), 2, 3), np.int64)
    for row, (dx, dy) in enumerate((second.T, -first.T)):
        weights[:, row] = np.stack([dy, -dx, at[:, 0, 1] * dx - at[:, 0, 0] * dy], axis=1)
    scales = shapes.doubled_areas(at)
    weights *= np.sign(scales)[:, None, None]
    return weights, np.maximum(np.abs(scales), 1)


def _along(at: NDArray[np.int64]) -> _Weights:
    """The weight of corner 1 of lines: how far along the line."""
    dx, dy = (at[:, 1] - at[:, 0]).T
    weights = np.zeros((len(at), 2, 3), np.int64)
    weights[:, 0] = np.stack([dx, dy, -(dx * at[:, 0, 0] + dy * at[:, 0, 1])], axis=1)
    return weights, np.maximum(dx * dx + dy * dy, 1)


def _planes(screen: _Screen, weights: NDArray[np.int64], scales: NDArray[np.int64]) -> _Planes:
    """Weights with what they weigh; a corner that is not there is as the first."""
    missing = _TRIANGLE - screen.depth.shape[1]
    inverse_w, depth = (
        np.concatenate([values, np.repeat(values[:, :1], missing, axis=1)], axis=1)
        for values in (screen.inverse_w, screen.depth)
    )
    with np.errstate(all="ignore"):
        depths = np.concatenate([depth[:, :1], depth[:, 1:] - depth[:, :1]], axis=1)
        return weights, scales, np.concatenate([inverse_w, depths], axis=1).astype(np.float32)


def _points(primitives: Primitives, screen: _Screen, state: RasterState) -> tuple[_Planes, Shapes]:
    """Squares; their weights are how far a sample is from the left and the upper border."""
    rows = primitives.corners[:, 0]
    width = _point_widths(primitives.vertices[rows, HEADER, POINT_WIDTH].view(np.float32), state)
    low = screen.at[:, 0] - width[:, None] // 2
    weights = np.zeros((len(low), 2, 3), np.int64)
    weights[:, 0, 0] = weights[:, 1, 1] = 1
    weights[:, :, 2] = -low
    upper_right = state.windower.point_rule == PointRule.UPPER_RIGHT
    edges = shapes.boxes(low, low + width[:, None], upper_right=upper_right)
    return _planes(screen, weights, np.maximum(width, 1)), edges


def _point_widths(given: NDArray[np.float32], state: RasterState) -> NDArray[np.int64]:
    if state.strips_fans.point_width_source == PointWidthSource.STATE:
        width = np.full(len(given), float(state.strips_fans.point_width))
    else:
        least, most = float(state.clip.min_point_width), float(state.clip.max_point_width)
        width = np.clip(np.nan_to_num(given.astype(np.float64)), least, max(least, most))
    return np.asarray(np.round(width * SUBPIXELS), np.int64)


def _kind(topology: Topology) -> Kind:
    if topology == Topology.LINELIST or topology in _STRIPS:
        return Kind.LINE
    return Kind.POLYGON if topology in _STIPPLED else Kind.PLAIN


def _go_on(primitives: Primitives) -> NDArray[np.bool_]:
    """Lines of a strip behind another one of it."""
    goes_on = np.zeros(len(primitives.corners), np.bool_)
    if primitives.topology in _STRIPS:
        goes_on[1:] = primitives.runs[1:] == primitives.runs[:-1]
    return goes_on


def _ends(primitives: Primitives) -> NDArray[np.bool_]:
    """Lines whose last pixel may be drawn: those of lists, and the last of a strip."""
    return ~np.append(_go_on(primitives)[1:], [False])[: len(primitives.corners)]


def _filled(objects: ScreenObjects, primitives: Primitives, screen: _Screen, state: RasterState) -> ScreenObjects:
    """Triangles as they are filled: as they are, as their edges with the triangle's planes, or as points (page 249)."""
    setup = state.strips_fans
    if setup.front_fill == setup.back_fill == FillMode.SOLID:
        return with_bias(objects, FillMode.SOLID, setup)
    parts: list[ScreenObjects] = []
    order: list[NDArray[np.int64]] = []
    for mode in FillMode:
        faces = np.where(objects.back, setup.back_fill == mode, setup.front_fill == mode)
        rows = np.flatnonzero(faces)
        if not len(rows):
            continue
        if mode == FillMode.SOLID:
            part = with_bias(objects.at(rows), mode, setup)
        elif mode == FillMode.WIREFRAME:
            rows, corner = np.nonzero(faces[:, None] & primitives.edges)
            ends = np.stack([screen.at[rows, corner], screen.at[rows, (corner + 1) % _TRIANGLE]], axis=1)
            shape = lines(ends, np.zeros(len(ends), np.bool_), state)
            there = (shape.bounds[:, 2:] >= shape.bounds[:, :2]).all(axis=1)  # an edge of no length has no pixels
            rows = rows[there]
            kinds = np.full(len(rows), Kind.LINE, np.uint8)
            part = replace(objects.at(rows), edges=shape.edges[there], areas=shape.bounds[there], kinds=kinds)
            part = with_bias(part, mode, setup)
        else:  # not where the clipper put a corner (page 249)
            chosen = primitives.edges & (primitives.corners[:, :, None] == primitives.submitted[:, None]).any(axis=2)
            rows, corner = np.nonzero(faces[:, None] & chosen)
            part = _as_points(objects, primitives, screen, state, rows, corner)
            objects = replace(objects, setup=np.concatenate([objects.setup, part.setup]))
        parts.append(part)
        order.append(rows)
    if not parts:
        return objects.at(np.zeros(0, np.intp))
    rows = np.argsort(np.concatenate(order), kind="stable")
    joined: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts])[rows] for name in OF_EACH}
    return replace(objects, **joined)


def _as_points(
    objects: ScreenObjects,
    primitives: Primitives,
    screen: _Screen,
    state: RasterState,
    rows: NDArray[np.intp],
    corner: NDArray[np.intp],
) -> ScreenObjects:
    """Corners of triangles as point primitives: with the attributes of the corner, and coordinates of sprites.

    Flat attributes and the slope of a depth bias are the triangle's. Planes count behind those of the triangles.
    """
    triangles = objects.at(rows)
    moved = with_bias(triangles, FillMode.POINT, state.strips_fans).corners[:, 3]
    points = primitives.at(rows)
    points = replace(points, corners=points.corners[np.arange(len(rows)), corner][:, None])
    place = rows[:, None], corner[:, None]
    at = _Screen(screen.at[place], screen.depth[place], screen.inverse_w[place])
    (weights, scales, corners), shape = _points(points, at, state)
    with np.errstate(all="ignore"):
        corners[:, 3] += np.nan_to_num(moved - triangles.corners[:, 3])
    return replace(
        triangles,
        setup=attributes(points, triangles.back, state, sprites=True),
        planes=len(objects.setup) + np.arange(len(rows)),
        edges=shape.edges,
        areas=shape.bounds,
        weights=weights,
        scales=scales,
        corners=corners,
        straight=not_cut(len(rows)),
        kinds=np.full(len(rows), Kind.PLAIN, np.uint8),
    )


def drawn(objects: ScreenObjects, state: RasterState) -> ScreenObjects:
    """Objects with the pixels that they may have: those of the drawing rectangle and their viewport's scissor."""
    area = shapes.pixels(objects.areas)
    rectangle = state.rectangle
    limits = np.array([[rectangle.left, rectangle.top, rectangle.right, rectangle.bottom]]).astype(np.int64)
    if state.strips_fans.scissor_enable:
        scissors = np.array([[s.left, s.top, s.right, s.bottom] for s in state.scissors]).astype(np.int64)
        chosen = scissors[np.minimum(objects.viewports, len(scissors) - 1)]
        limits = np.concatenate(
            [np.maximum(limits[:, :2], chosen[:, :2]), np.minimum(limits[:, 2:], chosen[:, 2:])], axis=1
        )
    area = np.concatenate([np.maximum(area[:, :2], limits[:, :2]), np.minimum(area[:, 2:], limits[:, 2:])], axis=1)
    inside = (area[:, 0] <= area[:, 2]) & (area[:, 1] <= area[:, 3])
    return replace(objects, areas=area) if inside.all() else replace(objects, areas=area).at(inside)
