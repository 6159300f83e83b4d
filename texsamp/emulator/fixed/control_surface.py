"""The control surface (MCS) of multisampled render targets, and clears by it (seed 001:2421-2447, 003:2517-2573).

It says in which slice each sample of a pixel is, or that all have the clear color. What is rendered here lies in every
sample's own slice: before that, a pixel whose samples share slices or are cleared is taken apart. Kernels do that:
`kernels/merge_control.h`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.device.params import params_type
from texsamp.emulator.fixed.blends import COMPONENTS, target_type
from texsamp.emulator.fixed.planes import Box, Plane, no_plane
from texsamp.errors import CaptureError, StateError
from texsamp.state import RenderSurfaceState
from texsamp.surface.layout.multisample import MCS_CLEAR, mcs_description, pack_mcs
from texsamp.surface.layout.surface_layout import SurfaceLayout
from texsamp.surface.layout.view import SurfaceView
from texsamp.surface.texels import store_texels

_CONTROL = params_type("MergeControl")
_TILE_B = 128
"""Columns of a tile in Y, which MCS pitches count."""
_SCALES = {4: (8, 2), 8: (2, 2)}
"""Samples to pixels across and down that a pixel of a fast clear stands for."""
_LINES = {"X": (64 * 8, 32), "Y": (32 * 8, 64)}
"""The same for one sample, by tiling: bytes across, rows down. Both are what a public driver scales by."""


@lru_cache(maxsize=64)
def clear_element(state: RenderSurfaceState) -> NDArray[np.uint8]:
    """Bytes of a target's clear color: 0 or 1 in each channel. Raises CaptureError for formats not rendered to."""
    type_ = target_type(state.format)
    bits = dict(zip(COMPONENTS, (state.red_clear, state.green_clear, state.blue_clear, state.alpha_clear), strict=True))
    color = np.array([[[bits[name] for name in type_.names]]], type_.value)
    element: NDArray[np.uint8] = store_texels(color, type_.info.name, device="cpu").reshape(-1)
    return element


def control_plane(state: RenderSurfaceState, plane: Plane) -> Plane | None:
    """Where the control surface of a target lies; None if it has none. Raises CaptureError if it is illegal."""
    description = plane.view.layout.description
    if plane.samples == 1 or not state.mcs_enable or description.interleaved:
        return None
    try:
        layout = SurfaceLayout(mcs_description(description, state.mcs_pitch * _TILE_B))
        view = SurfaceView(layout, state.mcs_base_address)
    except StateError as error:
        raise CaptureError(f"control surface at {state.mcs_base_address:#x}: {error}") from None
    return Plane(view, 0, plane.first_slice, plane.slices)


def control(state: RenderSurfaceState, plane: Plane, record: Any) -> Any:
    """The MergeControl of a target; record: the MergePlane of its control surface, None if it has none."""
    words = np.zeros(4, np.uint32)
    element = clear_element(state)
    words.view(np.uint8)[: len(element)] = element
    return _CONTROL(
        plane=no_plane(1) if record is None else record,
        clear=words.tolist(),
        is_clear=MCS_CLEAR.get(plane.samples, 0),
        is_apart=0 if record is None else pack_mcs(tuple(range(plane.samples))),
    )


def clear_scale(plane: Plane) -> tuple[int, int]:
    """Pixels across and down that a pixel of a fast clear stands for (004:119-505)."""
    x_scale, y_scale = _SCALES.get(plane.samples) or _LINES.get(plane.view.layout.description.tiling, (1, 1))
    return (max(x_scale // plane.element_B, 1) if plane.samples == 1 else x_scale), y_scale


def cleared_box(box: Box, scale: tuple[int, int]) -> Box:
    """The pixels that those of a box stand for."""
    x, y = (
        (first * by, last * by + by - 1) for (first, last), by in zip((box.x, box.y), scale, strict=True)
    )  # fmt: skip
    return Box(x, y, box.slices)
