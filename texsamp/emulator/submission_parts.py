"""Arrays, surfaces and samplers as buffer objects and states of a submission."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.errors import FormatError, StateError
from texsamp.sampler.sampler import Sampler
from texsamp.state import BindingTableState, RenderSurfaceState
from texsamp.state.sampler import BorderColorMode, BorderColorState, BorderColorStateDx9
from texsamp.surface.elements import Place, write_rows
from texsamp.surface.layout.description import Usage
from texsamp.surface.layout.surface_layout import SurfaceLayout
from texsamp.surface.surface import Surface

MOST_SURFACES, MOST_SAMPLERS = 240, 16
FIRST_SURFACE = 16
"""Handle of the first surface; those before it are for commands, kernels and states."""
TABLE_AT, SURFACES_AT, SAMPLERS_AT, BORDERS_AT, FREE_AT = 0, 0x400, 0x2400, 0x2600, 0x2800
"""Bytes of the states: 256 entries of the binding table, as many surfaces, 16 samplers and border colors."""
_FIRST, _ALIGNMENT_B = 0x100000, 1 << 16


def bytes_of(surface: NDArray[Any] | Surface) -> bytes:
    """What a buffer object of a surface holds; FormatError for what is none, or empty."""
    if isinstance(surface, Surface):
        return bytes(surface.device.download(surface.data).tobytes())
    if not isinstance(surface, np.ndarray) or surface.dtype.hasobject or not surface.nbytes:
        raise FormatError(f"surfaces are arrays that are not empty, or Surface, found {type(surface).__name__}")
    return surface.tobytes() + bytes(-surface.nbytes % 4)


def addresses_of(sizes: Sequence[int]) -> list[int]:
    """Where batch, kernel, states and surfaces begin; the first three have room for what they can be."""
    found, at = [], _FIRST
    for size in (_ALIGNMENT_B, 1 << 24, 1 << 24, *sizes):
        found.append(at)
        at += -(-size // _ALIGNMENT_B) * _ALIGNMENT_B
    if at > 1 << 32:
        raise StateError(f"surfaces of {sum(sizes)} bytes do not fit into 32 bits of addresses")
    return found


def state_of(surface: NDArray[Any] | Surface, size_B: int, address: int) -> RenderSurfaceState:  # noqa: N803 - the unit
    """The state of a surface at an address; arrays are buffers of bytes."""
    if isinstance(surface, Surface):
        return surface.state.replace(base_address=address)
    return RenderSurfaceState(
        surface_type="SURFTYPE_BUFFER", format="RAW", entries=size_B, pitch=1, base_address=address
    )


def _border_of(sampler: Sampler) -> bytes:
    if sampler.state.border_color_mode == BorderColorMode.DX9:
        return BorderColorStateDx9(color_unorm8=[round(255 * value) for value in sampler.border]).pack()
    return BorderColorState(color=sampler.border).pack()


def put(states: bytearray, at: int, data: bytes) -> None:
    """Store bytes."""
    states[at : at + len(data)] = data


def put_tables(states: bytearray, surfaces: Sequence[RenderSurfaceState], samplers: Sequence[Sampler]) -> None:
    """Store the binding table, the states it points to, and the sampler table."""
    for number, state in enumerate(surfaces):
        at = SURFACES_AT + 32 * number
        put(states, TABLE_AT + 4 * number, BindingTableState(surface_state_pointer=at).pack())
        put(states, at, state.pack())
    for number, sampler in enumerate(samplers):
        at = BORDERS_AT + 32 * number
        put(states, at, _border_of(sampler))
        put(states, SAMPLERS_AT + 16 * number, sampler.state.replace(border_color_pointer=at).pack())


def aligned(surface: Surface, rows: int) -> Surface:
    """A surface whose levels and slices begin at multiples of so many rows: itself, or a copy of all of it."""
    d, view = surface.description, surface.surface_view
    if d.is_buffer or d.tiling == "linear" or surface.surface_view.layout.unit[1] % rows == 0:
        return surface
    described = replace(d, usage=Usage.RENDER_TARGET, valign_rows=rows, pitch_B=None)
    whole = Surface(replace(view, first_level=0, first_layer=0), surface.data, surface.device)
    layout = SurfaceLayout(described)
    made = surface.device.upload(np.zeros(layout.size_B, np.uint8))
    lies = replace(view, layout=layout, first_level=0, first_layer=0)
    for level in range(whole.levels):
        for slice in range(whole.level_size_px(level)[2] if d.depth_px > 1 else d.slices):
            for sample in range(d.samples):
                place = Place(level, slice, sample)
                write_rows(whole.elements(level, slice, sample), made, lies, place, surface.device)
    return Surface(replace(view, layout=layout), made, surface.device)


def given_back(surface: NDArray[Any] | Surface, data: bytes) -> NDArray[Any] | Surface:
    """What was given, of the bytes that are in memory now."""
    if isinstance(surface, Surface):
        memory = surface.device.upload(np.frombuffer(bytearray(data), np.uint8))
        return Surface(surface.surface_view, memory, surface.device)
    return np.frombuffer(bytearray(data), surface.dtype, surface.size).reshape(surface.shape)
