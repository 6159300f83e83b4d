"""Attributes of objects as pixel payloads have them: the kernel of kernels/setup_attributes.h (seed 004:1304-1633)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device.base import Array, Launch
from texsamp.device.kept import kept
from texsamp.device.params import params_type
from texsamp.device.tiles import in_rows
from texsamp.emulator.fixed.primitives import Primitives
from texsamp.emulator.fixed.raster_state import RasterState
from texsamp.emulator.fixed.setup_rules import setup_vertices
from texsamp.state.commands_3d import Topology
from texsamp.state.commands_raster import ConstantSource, SpriteOrigin, SwizzleHalf, SwizzleSelect

ITEMS = {"host": 64, "device": 256}
"""Of a tile: ATTRIBUTE_ITEMS of the kernel."""
_PARAMS, _RULE = params_type("SetupAttributeParams"), params_type("SetupAttribute")
_ENTRIES = 16
_CONSTANTS = {
    ConstantSource.CONST_0000: (0.0, 0.0, 0.0, 0.0),
    ConstantSource.CONST_0001_FLOAT: (0.0, 0.0, 0.0, 1.0),
    ConstantSource.CONST_1111_FLOAT: (1.0, 1.0, 1.0, 1.0),
    ConstantSource.PRIM_ID: (0.0, 0.0, 0.0, 0.0),
}
_FACING = (SwizzleSelect.INPUTATTR_FACING, SwizzleSelect.INPUTATTR_FACING_W)
_WITH_W = (SwizzleSelect.INPUTATTR_W, SwizzleSelect.INPUTATTR_FACING_W)
_FANS = (Topology.TRIFAN, Topology.TRIFAN_NOSTIPPLE)
_FIRST = (Topology.POLYGON, Topology.RECTLIST)
"""Objects whose first vertex provokes, whatever is selected (pages 224-225)."""


def attributes(primitives: Primitives, told: Array, objects: Array, viewports: Array, state: RasterState) -> Array:
    """`ScreenObjects.setup` of objects on the screen, where they are.

    told: that of `ScreenObjects`. objects, viewports: what they were, and their viewports, there.
    """
    device, count = primitives.device, int(state.backend.attributes)
    made = device.empty((len(told), count, 4, 4), np.uint32)
    if not len(told) or not count:
        return made
    (rules,) = kept(device, (_rules(state, count),))
    tiles = in_rows(len(told) * count, ITEMS[device.tile_limits])
    params = _PARAMS(
        given=setup_vertices(primitives, state, objects, viewports),
        told=device.address(told),
        rules=device.address(rules),
        made=device.address(made),
        objects=len(told),
        attributes=count,
        provoking=_provoking(primitives, state),
        sprites_from_below=state.backend.sprite_origin == SpriteOrigin.LOWERLEFT,
        tiles_x=tiles[0],
    )
    memory = (objects, viewports, primitives.vertices, told, rules, made)
    device.launch(Launch("setup_attributes", params, *tiles, memory))
    return made


def _provoking(primitives: Primitives, state: RasterState) -> int:
    """Which vertex gives an object's flat attributes, as they came."""
    setup, corners = state.strips_fans, primitives.width
    select = {1: 0, 2: int(setup.line_provoking_vertex)}.get(corners, int(setup.strip_provoking_vertex))
    if primitives.topology in _FANS:
        select = int(setup.fan_provoking_vertex)
    if primitives.topology in _FIRST:
        select = 0
    return min(select, corners - 1)


def _rules(state: RasterState, count: int) -> NDArray[np.int32]:
    """The SetupAttribute of each."""
    backend = state.backend
    made = np.zeros(count, _RULE.dtype)
    first = 2 * int(backend.urb_read_offset)
    swizzled = _ENTRIES * (backend.swizzle_half == SwizzleHalf.SWIZ_16_31)
    for number, rule in enumerate(made):
        entry = number - swizzled
        rule["slot"] = first + number
        rule["is_flat"] = int(backend.constant_attributes) >> number & 1
        rule["is_sprite"] = int(backend.sprite_attributes) >> number & 1
        if backend.swizzle_enable and 0 <= entry < _ENTRIES:
            _swizzle(rule, state, entry)
            rule["slot"] = first + int(backend.source_attribute[entry])
    return made.view(np.int32)


def _swizzle(rule: Any, state: RasterState, entry: int) -> None:
    """What an entry says of an attribute."""
    backend = state.backend
    select, source = SwizzleSelect(backend.swizzle_select[entry]), ConstantSource(backend.constant_source[entry])
    overridden = (backend.override_x, backend.override_y, backend.override_z, backend.override_w)
    rule["by_facing"], rule["x_is_w"] = select in _FACING, select in _WITH_W
    rule["wrapped"] = int(backend.wrap_shortest[entry])
    rule["overridden"] = sum(bool(each[entry]) << component for component, each in enumerate(overridden))
    rule["is_number"] = source == ConstantSource.PRIM_ID
    rule["constant"] = np.array(_CONSTANTS[source], np.float32).view(np.uint32)
