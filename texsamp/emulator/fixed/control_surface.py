"""The control surface (MCS) of multisampled render targets, and clears by it (seed 001:2421-2447, 003:2517-2573).

It says in which slice each sample of a pixel is, or that all have the clear color. What is rendered here lies in every
sample's own slice: before that, a pixel whose samples share slices or are cleared is taken apart.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.context.memory import CaseMemory
from texsamp.emulator.fixed.blends import COMPONENTS, target_type
from texsamp.emulator.fixed.fragments import Fragments
from texsamp.emulator.fixed.planes import Plane
from texsamp.errors import CaptureError, StateError
from texsamp.state import RenderSurfaceState
from texsamp.surface.layout.multisample import MCS_CLEAR, mcs_description, pack_mcs, sample_slice
from texsamp.surface.layout.surface_layout import SurfaceLayout
from texsamp.surface.texels import store_texels

_TILE_B = 128
"""Columns of a tile in Y, which MCS pitches count."""


def clear_element(state: RenderSurfaceState) -> NDArray[np.uint8]:
    """Bytes of a target's clear color: 0 or 1 in each channel. Raises CaptureError for formats not rendered to."""
    type_ = target_type(state.format)
    bits = dict(zip(COMPONENTS, (state.red_clear, state.green_clear, state.blue_clear, state.alpha_clear), strict=True))
    color = np.array([[[bits[name] for name in type_.names]]], type_.value)
    element: NDArray[np.uint8] = store_texels(color, type_.info.name, device="cpu").reshape(-1)
    return element


def take_apart(memory: CaseMemory, state: RenderSurfaceState, plane: Plane, fragments: Fragments) -> None:
    """Give every sample of the pixels of fragments its own slice. Surfaces without a control surface are left alone.

    Raises CaptureError for a control surface that is illegal or leaves its buffer object.
    """
    if plane.samples == 1 or not state.mcs_enable or plane.view.layout.description.interleaved:
        return
    description = plane.view.layout.description
    try:
        layout = SurfaceLayout(mcs_description(description, state.mcs_pitch * _TILE_B))
    except StateError as error:
        raise CaptureError(f"control surface at {state.mcs_base_address:#x}: {error}") from None
    width, height = layout.level_size_px(0)
    x, y, slices = (each.astype(np.int64) for each in (fragments.x, fragments.y, fragments.slices))
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height) & (slices >= 0) & (slices < plane.slices)
    if not inside.any():
        return
    pixels = np.unique(np.stack([slices[inside] + plane.first_slice, y[inside], x[inside]]), axis=1)
    layer, row, column = pixels
    controls = memory.bytes_from(state.mcs_base_address)
    places = layout.offset_B(column, row, layer=layer)[:, None] + np.arange(layout.element.size_B)
    if places.max() >= len(controls):
        raise CaptureError(f"control surface at {state.mcs_base_address:#x} leaves its buffer object")
    held = (controls[places].astype(np.int64) << 8 * np.arange(layout.element.size_B)).sum(axis=1)
    held &= MCS_CLEAR[plane.samples]
    own = pack_mcs(tuple(range(plane.samples)))
    apart = held == own
    if not apart.all():
        _spread(memory, state, plane, pixels[:, ~apart], held[~apart])
        controls[places] = (own >> 8 * np.arange(layout.element.size_B) & 0xFF).astype(np.uint8)
        memory.touch(memory.find(state.mcs_base_address))


def _spread(
    memory: CaseMemory, state: RenderSurfaceState, plane: Plane, pixels: NDArray[np.int64], held: NDArray[np.int64]
) -> None:
    """Copy each sample of pixels to its own slice."""
    layer, row, column = pixels
    colors, bytes_of = memory.bytes_from(plane.view.base_address), np.arange(plane.element_B)

    def places(slices: NDArray[np.int64] | int) -> NDArray[np.int64]:
        at = plane.view.address(column, row, layer=layer - plane.view.first_layer, sample=slices)
        found: NDArray[np.int64] = (at - plane.view.base_address)[:, None] + bytes_of
        if found.max() >= len(colors):
            raise CaptureError(f"render target at {plane.view.base_address:#x} leaves its buffer object")
        return found

    cleared = (held == MCS_CLEAR[plane.samples])[:, None]
    every = range(plane.samples)
    slices = [sample_slice(held, sample, plane.samples) % plane.samples for sample in every]
    known = [np.where(cleared, clear_element(state), colors[places(each)]) for each in slices]
    for sample in every:
        colors[places(sample)] = known[sample]


_SCALES = {4: (8, 2), 8: (2, 2)}
"""Samples to pixels across and down that a pixel of a fast clear stands for."""
_LINES = {"X": (64 * 8, 32), "Y": (32 * 8, 64)}
"""The same for one sample, by tiling: bytes across, rows down. Both are what a public driver scales by."""
_AT_ONCE = 64
"""Fragments of a fast clear that are spread out together."""


def fast_clear(state: RenderSurfaceState, plane: Plane, fragments: Fragments) -> Iterator[Fragments]:
    """What a fast clear's fragments stand for: pixels of a larger rectangle, with the clear color (004:119-505).

    The colors, of target 0, are as messages would have them.
    """
    x_scale, y_scale = _SCALES.get(plane.samples) or _LINES.get(plane.view.layout.description.tiling, (1, 1))
    if plane.samples == 1:
        x_scale = max(x_scale // plane.element_B, 1)
    integer = target_type(state.format).value.kind in "iu"
    bits = np.array([state.red_clear, state.green_clear, state.blue_clear, state.alpha_clear])
    words = bits.astype(np.uint32) if integer else bits.astype(np.float32).view(np.uint32)
    width, height = plane.view.layout.level_size_px(plane.level)
    held = (fragments.x < -(-width // x_scale)) & (fragments.y < -(-height // y_scale))
    found_x, found_y, found_slices = fragments.x[held], fragments.y[held], fragments.slices[held]
    spread = y_scale * x_scale
    across, down = np.tile(np.arange(x_scale), y_scale), np.repeat(np.arange(y_scale), x_scale)
    for first in range(0, len(found_x), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        x, y = found_x[part].astype(np.int64), found_y[part].astype(np.int64)
        count = len(x) * spread
        yield Fragments(
            (x[:, None] * x_scale + across).reshape(-1).astype(np.int32),
            (y[:, None] * y_scale + down).reshape(-1).astype(np.int32),
            np.repeat(found_slices[part], spread),
            np.full(count, (1 << plane.samples) - 1, np.uint32),
            np.zeros(count, np.bool_),
            np.zeros((count, 1), np.float32),
            colors={0: np.tile(words, (count, 1))},
        )
