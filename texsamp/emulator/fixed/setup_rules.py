"""What the clipper and the setup go by, as their kernels have it (`kernels/setup_objects.h`, `setup.h`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device.base import Array
from texsamp.device.params import params_type
from texsamp.emulator.fixed.objects import SUBPIXELS, Kind
from texsamp.emulator.fixed.primitives import Primitives
from texsamp.emulator.fixed.raster_state import RasterState
from texsamp.state.commands_3d import Topology
from texsamp.state.commands_raster import (
    ClipApi,
    ClipMode,
    DepthFormat,
    PointRule,
    PointWidthSource,
    SubPixelPrecision,
)

_VERTICES, _VIEWPORT = params_type("SetupVertices"), params_type("SetupViewport")
_CLIP, _SCREEN, _SETUP = params_type("ClipRules"), params_type("ScreenRules"), params_type("SetupRules")
_COARSE = 16
"""1/256 pixels of a position with four fraction bits."""
_SHOWN_FROM_BEHIND = (Topology.POINTLIST_BF, Topology.LINESTRIP_BF, Topology.LINESTRIP_CONT_BF)
_STIPPLED = (Topology.POLYGON, Topology.TRIFAN, Topology.TRILIST, Topology.TRISTRIP, Topology.TRISTRIP_REVERSE)
"""Polygons that have a stipple (page 297)."""
CONTINUED = (Topology.LINESTRIP_CONT, Topology.LINESTRIP_CONT_BF)
"""Strips that go on with the stipple of the primitive before them (page 294)."""
STRIPS = (Topology.LINESTRIP, Topology.LINESTRIP_BF, *CONTINUED)
"""Lines that go on where the one before them ends."""
_DEPTH_UNITS = {
    DepthFormat.D24_UNORM_S8_UINT: 2.0**-24,
    DepthFormat.D24_UNORM_X8_UINT: 2.0**-24,
    DepthFormat.D16_UNORM: 2.0**-16,
}
"""Of a depth bias; that of others is the depth's own."""


def viewports_of(state: RasterState) -> NDArray[Any]:
    """Viewports as `SetupViewport` has them."""
    made = np.zeros(len(state.viewports), _VIEWPORT.dtype)
    for record, v in zip(made, state.viewports, strict=True):
        record["scale"], record["offset"] = (v.m00, v.m11, v.m22), (v.m30, v.m31, v.m32)
        for side, name in (("left", "x_min"), ("right", "x_max"), ("top", "y_min"), ("bottom", "y_max")):
            record[side] = getattr(v, f"guardband_{name}")
    return made.view(np.float32)


def scissors_of(state: RasterState) -> NDArray[np.int32]:
    """Left, top, right and bottom of scissors; none if they are not used."""
    if not state.strips_fans.scissor_enable:
        return np.zeros((0, 4), np.int32)
    return np.array([[s.left, s.top, s.right, s.bottom] for s in state.scissors], np.int32)


def setup_vertices(primitives: Primitives, state: RasterState, objects: Array, viewports: Array) -> np.void:
    """The SetupVertices of objects and viewports that are on their device."""
    address = primitives.device.address
    return _VERTICES(
        vertices=address(primitives.vertices),
        objects=address(objects),
        viewports=address(viewports),
        slots=primitives.vertices.shape[1],
        corners=primitives.width,
        last_viewport=min(int(state.clip.max_viewport_index), len(state.viewports) - 1),
        count=len(primitives),
    )


def clip_rules(topology: Topology, state: RasterState) -> np.void:
    """The ClipRules of a state."""
    clip = state.clip
    mode = clip.clip_mode if clip.enable else ClipMode.ACCEPT_ALL
    return _CLIP(
        is_on=mode != ClipMode.ACCEPT_ALL,
        rejects_all=mode == ClipMode.REJECT_ALL,
        tests_xy=bool(clip.viewport_xy_test),
        tests_z=bool(clip.viewport_z_test),
        tests_bands=bool(clip.guardband_test),
        near_is_zero=clip.api_mode != ClipApi.OGL,
        clip_distances=int(clip.clip_distances),
        cull_distances=int(clip.cull_distances),
        is_rectangle=topology == Topology.RECTLIST,
    )


def no_clip_rules() -> np.void:
    """Of objects that have been clipped."""
    return _CLIP.zeros()


def screen_rules(state: RasterState) -> np.void:
    """The ScreenRules of a state."""
    setup = state.strips_fans
    return _SCREEN(
        divides=not state.clip.perspective_divide_disable,
        is_transformed=bool(setup.viewport_transform),
        step=_COARSE if setup.sub_pixel_precision == SubPixelPrecision.BITS_4 else 1,
        origin_x=int(state.rectangle.origin_x),
        origin_y=int(state.rectangle.origin_y),
    )


def setup_rules(topology: Topology, state: RasterState) -> np.void:
    """The SetupRules of a state."""
    setup, clip, rectangle = state.strips_fans, state.clip, state.rectangle
    from_state = setup.point_width_source == PointWidthSource.STATE
    unit = 1.0 if setup.legacy_depth_bias else _DEPTH_UNITS.get(DepthFormat(setup.depth_format), 0.0)
    return _SETUP(
        is_rectangle=topology == Topology.RECTLIST,
        kind=int(kind_of(topology)),
        shows_back=topology in _SHOWN_FROM_BEHIND,
        is_strip=topology in STRIPS,
        front_winding=bool(setup.front_winding),
        cull=int(setup.cull_mode),
        fill=(int(setup.front_fill), int(setup.back_fill)),
        biased=(setup.depth_offset_solid, setup.depth_offset_wireframe, setup.depth_offset_point),
        bias_constant=float(setup.depth_offset_constant),
        bias_scale=float(setup.depth_offset_scale),
        bias_clamp=float(setup.depth_offset_clamp),
        bias_unit=unit,
        array_index_is_zero=bool(clip.force_zero_array_index),
        point_width=round(float(setup.point_width) * SUBPIXELS) if from_state else -1,
        least_point_width=float(clip.min_point_width),
        most_point_width=float(clip.max_point_width),
        upper_right=state.windower.point_rule == PointRule.UPPER_RIGHT,
        left=int(rectangle.left),
        top=int(rectangle.top),
        right=int(rectangle.right),
        bottom=int(rectangle.bottom),
        last_scissor=len(state.scissors) - 1 if setup.scissor_enable else -1,
        keeps_undrawn=bool(state.windower.line_stipple),
    )


def kind_of(topology: Topology) -> Kind:
    """What objects of a topology are drawn as where they are filled."""
    if topology == Topology.LINELIST or topology in STRIPS:
        return Kind.LINE
    return Kind.POLYGON if topology in _STIPPLED else Kind.PLAIN
