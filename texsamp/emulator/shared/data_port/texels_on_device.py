"""Texels of typed messages whose addresses stay in registers on a device (kernels/eu_port.h)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.device import Launch
from texsamp.device.base import Array
from texsamp.device.params import constant, params_type
from texsamp.emulator.eu.registers.threads import PITCH_B
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.state import RenderSurfaceState, SurfaceType
from texsamp.state.formats import surface_format
from texsamp.surface.layout.view import SurfaceView

_PARAMS = params_type("EuTexelsParams")
_THREADS_OF_A_TILE, SLOTS = constant("EU_PORT_THREADS"), constant("EU_PORT_SLOTS")
OFF, OUTSIDE = constant("EU_PLACE_OFF"), constant("EU_PLACE_OUTSIDE")
"""Instead of the place of a slot."""
_DWORD_B = 4
_MOST_B = 1 << 31
_MOST_LINES = 1 << 20
"""Columns, lines and images of a surface that is looked at here."""


@dataclass(frozen=True, eq=False)
class Images:
    """Where the texels of a surface are. images: int32 (levels, layers, 4), column, line, width, height of each.

    column, line: int32, bytes that columns and lines add. has_layers: whether a coordinate names them. end_B: bytes
    up to the end of the last texel. pitch_B: of elements of a buffer.
    """

    kind: int
    images: NDArray[np.int32]
    column: NDArray[np.int32]
    line: NDArray[np.int32]
    end_B: int  # noqa: N815 - the unit
    has_layers: bool = False
    pitch_B: int = 0  # noqa: N815

    @cached_property
    def are_dwords(self) -> bool:
        """Whether all texels begin at multiples of 4 from the first one on."""
        return not (self.pitch_B % _DWORD_B or (self.column % _DWORD_B).any() or (self.line % _DWORD_B).any())


_NOTHING = np.zeros(1, np.int32)
NO_IMAGES = Images(constant("EU_TEXELS_OF_PICTURES"), np.zeros((1, 1, 4), np.int32), _NOTHING, _NOTHING, 0)
"""Of a surface without texels."""


@lru_cache(maxsize=16)
def images_of(state: RenderSurfaceState) -> Images | None:
    """Of a surface; None of those that typed messages do not reach, and of too large ones."""
    view, kind = SurfaceView.from_state(state), state.surface_type
    layout, description = view.layout, view.layout.description
    size_B = surface_format(state.code("format")).bits // 8
    if kind == SurfaceType.SURFTYPE_BUFFER:
        image = np.array([[[0, 0, description.width_px, 1]]], np.int32)
        end_B = (description.width_px - 1) * state.pitch + size_B
        return Images(constant("EU_TEXELS_OF_BUFFERS"), image, _NOTHING, _NOTHING, end_B, pitch_B=state.pitch)
    is_volume, flat = kind == SurfaceType.SURFTYPE_3D, kind == SurfaceType.SURFTYPE_1D
    if not (is_volume or flat or kind == SurfaceType.SURFTYPE_2D) or description.samples > 1:
        return None
    has_layers = is_volume or description.is_array
    layers = description.depth_px if is_volume else description.slices - view.first_layer if has_layers else 1
    levels = layout.levels[view.first_level :]
    if len(levels) * layers > _MOST_LINES:
        return None
    images = np.zeros((len(levels), layers, 4), np.int32)
    slice_name = "z" if is_volume else "layer"
    first = 0 if is_volume else view.first_layer
    for number, level in enumerate(levels):
        held = level.depth_px if is_volume else layers
        slices = first + np.arange(held)
        at = layout.place_el(0, 0, level=number + view.first_level, **{slice_name: slices})
        for column, values in enumerate((*at, level.width_px, level.height_px)):
            images[number, :held, column] = values
    ends = (images[..., :2] + images[..., 2:]).reshape(-1, 2).max(axis=0)
    if ends.sum() > _MOST_LINES:
        return None
    columns, lines = np.arange(ends[0]), np.arange(ends[1])
    offset_B = layout.addressing.offset_B
    across = np.asarray(offset_B((columns + view.x_offset_px) * layout.element.size_B, 0))
    down = np.asarray(offset_B(0, (lines << view.line_stride) + view.line_offset + view.y_offset_rows))
    end_B = int(across.max() + down.max()) + size_B
    if end_B > _MOST_B:
        return None
    made = constant("EU_TEXELS_OF_LINES" if flat else "EU_TEXELS_OF_PICTURES")
    return Images(made, images, across.astype(np.int32), down.astype(np.int32), end_B, has_layers)


class TexelSlots:
    """Slots of one message. axes: registers behind the header, U, V, R, LOD. group: bit of its mask of the first slot.

    element_B: of a texel.
    """

    def __init__(self, message: Unasked, images: Images, element_B: int, *, axes: int, group: int) -> None:  # noqa: N803
        threads, device, mask = message.threads, message.threads.device, message.mask
        table, column, line = threads.kept(images.images, images.column, images.line)
        self._message, self._element_B, self._end_B = message, element_B, images.end_B
        self._places: Array | None = None
        self._held = (threads.registers, table, column, line, *(() if mask is None else (mask,)))
        levels, layers, _ = images.images.shape
        self._fields = dict(
            registers=device.address(threads.registers),
            mask=0 if mask is None else device.address(mask),
            images=device.address(table),
            column=device.address(column),
            line=device.address(line),
            kind=images.kind,
            levels=levels,
            layers=layers,
            has_layers=int(images.has_layers),
            pitch_B=images.pitch_B,
            channels=message.exec_size,
            at=message.at(0),
            axes=axes,
            group=group,
            element_B=element_B,
            threads=threads.count,
            pitch=PITCH_B,
        )

    def places(self) -> Array:
        """Bytes from the surface's first one on, int64 (threads, slots); or OFF, or OUTSIDE."""
        if self._places is None:
            self._places = self._message.threads.device.empty((self._message.threads.count, SLOTS), np.int64)
            self._launch("PLACE", places=self._places)
        return self._places

    @property
    def end_B(self) -> int:  # noqa: N802 - the unit
        """Bytes up to the end of the last texel of all slots; a number that is asked for."""
        (last,) = self._message.threads.download(self.places().reshape(-1, 1).max(axis=0)).tolist()
        return int(last) + self._element_B

    def elements(self, memory: Array, places: Array) -> Array:
        """Their bytes, uint8 (threads * slots, element); of slots without a place those of the first texel."""
        within = self._message.threads.device.arrays.arange(self._element_B)
        found: Array = memory[np.maximum(places, 0).reshape(-1, 1) + within]
        return found

    def store(self, elements: Array, memory: Array, stored: Array, *, is_whole: bool) -> None:
        """Elements of all slots, (threads * slots, bytes), to memory; of several at one place the last one stays.

        stored: one int32, raised to 1 if a slot is stored. is_whole: whether dwords lie at whole ones.
        """
        claim_B = 1 << self._element_B.bit_length() - 1  # texels do not overlap
        end_B = min(self._end_B, len(memory))
        last = self._message.threads.arrays.full((end_B // claim_B + 1,), -1, np.int32)
        unit_B = _DWORD_B if is_whole and self._element_B % _DWORD_B == 0 else 1
        arrays = {"elements": elements, "memory": memory, "stored": stored, "last": last}
        for phase in ("CLAIM", "STORE"):
            self._launch(phase, unit_B=unit_B, claim_B=claim_B, **arrays)

    def _launch(self, phase: str, unit_B: int = 1, claim_B: int = 1, **arrays: Array) -> None:  # noqa: N803
        device, count = self._message.threads.device, self._message.threads.count
        names = ("elements", "memory", "places", "last", "stored")
        params = _PARAMS(
            **self._fields,
            **{name: device.address(arrays[name]) if name in arrays else 0 for name in names},
            unit_B=unit_B,
            claim_B=claim_B,
            phase=constant(f"EU_PORT_{phase}"),
        )
        held = (*self._held, *arrays.values())
        device.launch(Launch("eu_texels", params, 1, -(-count // _THREADS_OF_A_TILE), held))
