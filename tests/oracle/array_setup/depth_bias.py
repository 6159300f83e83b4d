"""Depth bias of polygons (seed 004:1681-2041, volume 2 part 1, pages 310-311)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from oracle.array_setup.objects import SUBPIXELS, ScreenObjects
from texsamp.state.commands_raster import DepthFormat, FillMode, StripsFans

_SMALLEST = {
    DepthFormat.D24_UNORM_S8_UINT: 2.0**-24,
    DepthFormat.D24_UNORM_X8_UINT: 2.0**-24,
    DepthFormat.D16_UNORM: 2.0**-16,
}
_FLOAT_BITS = 23


def with_bias(objects: ScreenObjects, mode: FillMode, setup: StripsFans) -> ScreenObjects:
    """Objects of a fill mode with their depth moved, if it is to be for that mode."""
    wanted = (setup.depth_offset_solid, setup.depth_offset_wireframe, setup.depth_offset_point)[mode]
    if not wanted or not len(objects):
        return objects
    with np.errstate(all="ignore"):
        moved = objects.corners.copy()
        moved[:, 3] = objects.corners[:, 3] + np.nan_to_num(_bias(objects, setup), nan=0.0)
    return replace(objects, corners=moved)


def _bias(objects: ScreenObjects, setup: StripsFans) -> NDArray[np.float64]:
    corners = objects.corners.astype(np.float64)
    first, more = corners[:, 3], corners[:, 4:]
    slopes = (objects.weights[:, :, :2] * more[:, :, None]).sum(axis=1) * SUBPIXELS / objects.scales[:, None]
    smallest = 1.0 if setup.legacy_depth_bias else _SMALLEST.get(DepthFormat(setup.depth_format))
    if smallest is None:
        largest = np.maximum(np.abs(first), np.abs(first[:, None] + more).max(axis=1))
        _, exponent = np.frexp(largest)
        unit = np.ldexp(1.0, exponent - 1 - _FLOAT_BITS)
    else:
        unit = np.full(len(first), smallest)
    bias = float(setup.depth_offset_constant) * unit + float(setup.depth_offset_scale) * np.abs(slopes).max(axis=1)
    clamp = float(setup.depth_offset_clamp)
    if clamp:
        bias = np.minimum(bias, clamp) if clamp > 0 else np.maximum(bias, clamp)
    return np.asarray(bias)
