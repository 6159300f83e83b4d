"""The clipper: objects that may be seen, cut where they leave what can be drawn (volume 2 part 1, pages 193-231)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from oracle.array_setup.objects import (
    AS_THEY_ARE,
    DISTANCES,
    HEADER,
    POSITION,
    VIEWPORT_INDEX,
    Primitives,
    not_cut,
)
from texsamp.emulator.fixed.raster_state import RasterState
from texsamp.state.commands_3d import Topology
from texsamp.state.commands_raster import ClipApi, ClipMode

_SMALLEST_W = 2.0**-100
"""Clip space ends here: a division by w must come to something."""
_LARGEST = 2.0**128
_DISTANCES = 8
_TRIANGLE = 3

Numbers = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class _Polygons:
    """Convex polygons inside objects: m of them with up to k corners.

    weights: (m, k, corners of the object), what each corner has of the object's. counts: int (m,), corners in use.
    flags: bool (m, k), whether the edge from a corner on is an outer one.
    """

    weights: Numbers
    counts: NDArray[np.int64]
    flags: NDArray[np.bool_]


def viewports_of(primitives: Primitives, state: RasterState) -> NDArray[np.int64]:
    """Viewport index of objects, that of the vertex that came first; above the last one it is 0 (page 225)."""
    first = primitives.vertices[primitives.submitted[:, 0], HEADER, VIEWPORT_INDEX].astype(np.int64)
    last = min(int(state.clip.max_viewport_index), len(state.viewports) - 1)
    return np.where(first <= last, first, 0)


def clip(primitives: Primitives, state: RasterState) -> Primitives:
    """Objects inside the view volume; polygons that lost a corner are cut into triangles with new vertices.

    Those with a position that is no number are dropped. With the clipper off all others are as they were.
    """
    mode = state.clip.clip_mode
    positions = primitives.vertices[:, POSITION].view(np.float32).astype(np.float64)
    kept: Bools = np.all(np.isfinite(positions[primitives.corners]), axis=(1, 2))
    if not state.clip.enable or mode == ClipMode.ACCEPT_ALL:
        return _only(primitives, kept)
    if mode == ClipMode.REJECT_ALL:
        return _only(primitives, np.zeros_like(kept))
    primitives = _only(primitives, kept)
    if not len(primitives.corners):
        return primitives
    user = _user_distances(primitives)
    enabled = int(state.clip.clip_distances) | int(state.clip.cull_distances)
    bad: Bools = np.any(np.isnan(user[..., [n for n in range(_DISTANCES) if enabled >> n & 1]]), axis=(1, 2))
    primitives, user = _only(primitives, ~bad), user[~bad]
    at = positions[primitives.corners]
    viewports = viewports_of(primitives, state)
    culled = _outside_a_side(at, state)
    for number in range(_DISTANCES):
        if int(state.clip.cull_distances) >> number & 1:
            culled |= np.all(user[:, :, number] < 0, axis=1)
    planes = _planes(at, viewports, user, state)
    culled |= np.any(np.all(planes < 0, axis=1), axis=1)
    primitives, planes = _only(primitives, ~culled), planes[~culled]
    cut: Bools = np.any(planes < 0, axis=(1, 2))
    if not cut.any() or primitives.topology == Topology.RECTLIST:
        return primitives  # the driver sees to it that rectangles need no clipping
    if primitives.corners.shape[1] == 1:
        return _only(primitives, ~cut)
    return _cut(primitives, planes, cut, state)


def _only(primitives: Primitives, rows: Bools) -> Primitives:
    return primitives if rows.all() else primitives.at(rows)


def _user_distances(primitives: Primitives) -> Numbers:
    """Distances 0 to 7 of corners, (n, corners, 8); infinite ones are very large."""
    vertices = primitives.vertices[:, DISTANCES : DISTANCES + 2].view(np.float32).reshape(len(primitives.vertices), -1)
    padded = np.zeros((len(vertices), _DISTANCES))
    padded[:, : vertices.shape[1]] = np.clip(vertices.astype(np.float64), -_LARGEST, _LARGEST)
    return padded[primitives.corners]


def _outside_a_side(at: Numbers, state: RasterState) -> Bools:
    """Objects that lie on the far side of one border of the viewport."""
    outside: Bools = np.zeros(len(at), np.bool_)
    if state.clip.viewport_xy_test:
        x, y, w = at[..., 0], at[..., 1], at[..., 3]
        for distance in (x + w, w - x, y + w, w - y):
            outside |= np.all(distance < 0, axis=1)
    return outside


def _planes(at: Numbers, viewports: NDArray[np.int64], user: Numbers, state: RasterState) -> Numbers:
    """How far inside corners are, (n, corners, planes); below 0 is outside."""
    x, y, z, w = (at[..., axis] for axis in range(4))
    clip = state.clip
    found = [w - _SMALLEST_W]
    if clip.viewport_z_test:
        found += [z + w if clip.api_mode == ClipApi.OGL else z, w - z]
    points = at.shape[1] == 1  # the guard band is not for them (page 189)
    if clip.guardband_test and not points:
        bands = np.array(
            [[v.guardband_x_min, v.guardband_x_max, v.guardband_y_min, v.guardband_y_max] for v in state.viewports]
        )
        left, right, top, bottom = bands[viewports].T[..., None]
        with np.errstate(invalid="ignore"):  # a guard band may be infinite
            found += [x - left * w, right * w - x, y - top * w, bottom * w - y]
    elif clip.viewport_xy_test:
        found += [x + w, w - x, y + w, w - y]
    found += [user[:, :, n] for n in range(_DISTANCES) if int(clip.clip_distances) >> n & 1]
    return np.nan_to_num(np.stack(found, axis=2), nan=0.0, posinf=_LARGEST, neginf=-_LARGEST)


def _cut(primitives: Primitives, planes: Numbers, cut: Bools, state: RasterState) -> Primitives:
    """The objects in their order, those of `cut` as what is left of them."""
    rows = np.flatnonzero(cut)
    corners = primitives.corners.shape[1]
    left = _Polygons(
        np.repeat(np.eye(corners)[None], len(rows), axis=0),
        np.full(len(rows), corners),
        primitives.edges[rows],
    )
    for number in range(planes.shape[2]):
        if (planes[rows, :, number] < 0).any():
            left = _inside(left, planes[rows, :, number], closed=corners == _TRIANGLE)
    made_of, places = _vertices(primitives, rows, left)
    pieces = np.maximum(left.counts - (corners - 1), 0)
    of = np.repeat(np.arange(len(rows)), pieces)
    number = np.arange(len(of)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    which = np.stack([np.zeros_like(number), number + 1, number + 2][:corners], axis=1)
    made = places[of[:, None], which]
    edges = np.ones((len(of), corners), np.bool_)
    if corners == _TRIANGLE:  # of a fan: its own edge, and at its ends those of the first corner
        final = number == pieces[of] - 1
        edges[:, 0] = (number == 0) & left.flags[of, 0]
        edges[:, 1] = left.flags[of, number + 1]
        edges[:, 2] = final & left.flags[of, left.counts[of] - 1]
    straight = not_cut(len(of))
    if state.clip.non_perspective_barycentric and not state.clip.perspective_divide_disable:
        w = primitives.vertices[primitives.corners[rows], POSITION, 3].view(np.float32).astype(np.float64)
        straight = _straight(left.weights[of[:, None], which], w[of])
    whole = np.flatnonzero(~cut)
    order = np.argsort(np.concatenate([whole, rows[of]]), kind="stable")
    came_from = np.concatenate([whole, rows[of]])[order]
    return replace(
        primitives,
        vertices=np.concatenate([primitives.vertices, made_of]),
        corners=np.concatenate([primitives.corners[whole], made])[order],
        submitted=primitives.submitted[came_from],
        edges=np.concatenate([primitives.edges[whole], edges])[order],
        numbers=primitives.numbers[came_from],
        runs=primitives.runs[came_from],
        straight=np.concatenate([primitives.straight[whole], straight])[order],
    )


def _straight(weights: Numbers, w: Numbers) -> NDArray[np.float32]:
    """`Primitives.straight` of pieces. weights: (n, corners, corners), of an object's corners in a piece's.

    w: (n, corners), the object's. Linear coordinates are those of the whole object (Sandy Bridge volume 2 part 1,
    page 191).
    """
    found = np.repeat(AS_THEY_ARE[None], len(weights), axis=0)
    some = np.flatnonzero(np.abs(np.linalg.det(weights)) > _SMALLEST_W)  # others have no area
    weights, w = weights[some], w[some]
    on_screen = weights * w[:, None] / (weights @ w[..., None])
    wanted = on_screen @ np.linalg.inv(weights)  # at corners of the piece, of the numbers that they have
    others = weights.shape[1] - 1
    found[some, :others, 0] = wanted[:, 0, 1:]
    found[some, :others, 1 : 1 + others] = (wanted[:, 1:, 1:] - wanted[:, :1, 1:]).transpose(0, 2, 1)
    return found


def _inside(polygons: _Polygons, distances: Numbers, *, closed: bool) -> _Polygons:
    """Polygons, or lines, cut at a plane. distances: of the objects' corners, (m, corners)."""
    m, k, corners = polygons.weights.shape
    at = (polygons.weights * distances[:, None]).sum(axis=2)
    made, flags = np.zeros((m, k + 1, corners)), np.ones((m, k + 1), np.bool_)
    counts = np.zeros(m, np.int64)
    rows = np.arange(m)

    def put(which: Bools, values: Numbers, flag: Bools) -> None:
        made[rows[which], counts[which]] = values[which]
        flags[rows[which], counts[which]] = flag[which]
        counts[which] += 1

    for n in range(k):
        there = n < polygons.counts
        last = n + 1 >= polygons.counts
        here, ahead = polygons.weights[:, n], polygons.weights[rows, np.where(last, 0, n + 1)]
        d, e = at[:, n], at[rows, np.where(last, 0, n + 1)]
        put(there & (d >= 0), here, polygons.flags[:, n])
        crosses = there & ((d >= 0) != (e >= 0)) & (closed | ~last)
        inner, outer = np.where((d >= 0)[:, None], here, ahead), np.where((d >= 0)[:, None], ahead, here)
        near, far = np.where(d >= 0, d, e), np.where(d >= 0, e, d)
        share = np.divide(near, near - far, out=np.zeros(m), where=crosses)[:, None]
        # Where it leaves, an outer edge along the plane begins.
        put(crosses & (counts <= k), inner + (outer - inner) * share, polygons.flags[:, n] | (d >= 0))
    return _Polygons(made, counts, flags)


def _vertices(
    primitives: Primitives, rows: NDArray[np.int64], polygons: _Polygons
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """New vertices, which come behind the others, and the rows of polygons' corners, (m, k)."""
    used = np.arange(polygons.weights.shape[1]) < polygons.counts[:, None]
    old = polygons.weights.max(axis=2) == 1
    places = np.take_along_axis(primitives.corners[rows], polygons.weights.argmax(axis=2), axis=1)
    new = used & ~old
    of, _ = np.nonzero(new)
    corners = primitives.vertices[primitives.corners[rows[of]]]
    shares = polygons.weights[new][:, :, None, None]
    with np.errstate(all="ignore"):
        values = (np.where(shares == 0, 0.0, corners.view(np.float32)) * shares).sum(axis=1).astype(np.float32)
    made = np.ascontiguousarray(values).view(np.uint32)
    made[:, HEADER] = corners[:, 0, HEADER]
    places[new] = len(primitives.vertices) + np.arange(len(made))
    return made, places
