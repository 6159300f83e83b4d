"""Attributes of objects as pixel payloads have them: swizzled, overridden, flat (seed 004:1304-1633)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from oracle.array_setup.objects import Primitives
from texsamp.emulator.fixed.raster_state import RasterState
from texsamp.state.commands_3d import Topology
from texsamp.state.commands_raster import ConstantSource, SpriteOrigin, SwizzleHalf, SwizzleSelect

Words = NDArray[np.uint32]
_ENTRIES = 16
_W = 3
_CONSTANTS = {
    ConstantSource.CONST_0000: (0.0, 0.0, 0.0, 0.0),
    ConstantSource.CONST_0001_FLOAT: (0.0, 0.0, 0.0, 1.0),
    ConstantSource.CONST_1111_FLOAT: (1.0, 1.0, 1.0, 1.0),
}
_FACING = (SwizzleSelect.INPUTATTR_FACING, SwizzleSelect.INPUTATTR_FACING_W)
_WITH_W = (SwizzleSelect.INPUTATTR_W, SwizzleSelect.INPUTATTR_FACING_W)
_FANS = (Topology.TRIFAN, Topology.TRIFAN_NOSTIPPLE)
_FIRST = (Topology.POLYGON, Topology.RECTLIST)
"""Objects whose first vertex provokes, whatever is selected (pages 224-225)."""
_UPPER_LEFT, _LOWER_LEFT = ((1, 0, 0), (0, 1, 0)), ((1, 0, 0), (0, -1, 1))
"""a1 - a0, a2 - a0 and a0 of a sprite's first two coordinates; corners 1 and 2 are right and below."""


def provoking(primitives: Primitives, state: RasterState) -> NDArray[np.int64]:
    """The vertex that gives an object's flat attributes, as a row of its vertices."""
    setup = state.strips_fans
    corners = primitives.submitted.shape[1]
    select = {1: 0, 2: int(setup.line_provoking_vertex)}.get(corners, int(setup.strip_provoking_vertex))
    if primitives.topology in _FANS:
        select = int(setup.fan_provoking_vertex)
    if primitives.topology in _FIRST:
        select = 0
    return primitives.submitted[:, min(select, corners - 1)]


def attributes(primitives: Primitives, back: NDArray[np.bool_], state: RasterState, *, sprites: bool) -> Words:
    """`ScreenObjects.setup` of objects.

    back: those that show their back. sprites: whether they are points.
    """
    backend, count = state.backend, int(state.backend.attributes)
    made = np.zeros((len(primitives.corners), count, 4, 4), np.uint32)
    first = 2 * int(backend.urb_read_offset)
    swizzled = _ENTRIES * (backend.swizzle_half == SwizzleHalf.SWIZ_16_31)
    flat, corners = provoking(primitives, state), primitives.corners.T
    for number in range(count):
        entry = number - swizzled if backend.swizzle_enable and 0 <= number - swizzled < _ENTRIES else None
        slots = np.full(len(back), first + (number if entry is None else int(backend.source_attribute[entry])))
        select = SwizzleSelect.INPUTATTR if entry is None else SwizzleSelect(backend.swizzle_select[entry])
        if select in _FACING:
            slots += back
        values = made[:, number]
        if int(backend.constant_attributes) >> number & 1:
            values[..., 3] = _read(primitives, flat, slots)
        else:
            _interpolated(values, [_read(primitives, rows, slots) for rows in corners])
            _wrap(values, int(backend.wrap_shortest[entry]) if entry is not None else 0)
        if select in _WITH_W:
            values[:, 0] = values[:, _W]
        if entry is not None:
            _override(values, primitives, state, entry)
        if sprites and int(backend.sprite_attributes) >> number & 1:
            _sprite(values, lower_left=backend.sprite_origin == SpriteOrigin.LOWERLEFT)
    return made


def _read(primitives: Primitives, rows: Words, slots: NDArray[np.int64]) -> Words:
    """Slots of vertices, (n, 4); 0 behind the last one."""
    there = slots < primitives.vertices.shape[1]
    found = primitives.vertices[rows, np.where(there, slots, 0)]
    found[~there] = 0
    return found


def _interpolated(values: Words, read: Sequence[Words]) -> None:
    """What corners 1 and 2 have more than corner 0, and what that has."""
    for n, other in enumerate(read[1:]):
        with np.errstate(all="ignore"):
            more = other.view(np.float32) - read[0].view(np.float32)
        values[..., n] = more.view(np.uint32)
    values[..., 3] = read[0]


def _wrap(values: Words, components: int) -> None:
    """The shortest way around a circle of length 1, for the components whose bits are set (page 265)."""
    for component in range(4):
        if components >> component & 1:
            bits = values[:, component, :2]
            ways = bits.view(np.float32)
            turns = np.where(ways <= -0.5, 1, np.where(ways >= 0.5, -1, 0)).astype(np.float32)
            values[:, component, :2] = (ways + turns).view(np.uint32)


def _override(values: Words, primitives: Primitives, state: RasterState, entry: int) -> None:
    backend = state.backend
    source = ConstantSource(backend.constant_source[entry])
    for component, name in enumerate("xyzw"):
        if getattr(backend, f"override_{name}")[entry]:
            values[:, component, :3] = 0
            if source == ConstantSource.PRIM_ID:
                values[:, component, 3] = primitives.numbers.astype(np.uint32)
            else:
                values[:, component, 3] = np.float32(_CONSTANTS[source][component]).view(np.uint32)


def _sprite(values: Words, *, lower_left: bool) -> None:
    numbers = np.zeros((4, 4), np.float32)
    numbers[:2, [0, 1, 3]] = _LOWER_LEFT if lower_left else _UPPER_LEFT
    numbers[3, 3] = 1
    values[:] = numbers.view(np.uint32)
