"""Typed surface reads, writes and atomic operations: single texels of surfaces (seed 003:9089-9361, 9497-9928)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from texsamp.cached import cached_property
from texsamp.device import Device
from texsamp.device.base import Array
from texsamp.emulator.eu.sends.messages import Message
from texsamp.emulator.shared.data_port.atomics import SOURCES
from texsamp.emulator.shared.data_port.buffers import (
    Buffer,
    Buffers,
    channel_mask,
    last_of_each,
    read_header,
    respond_enabled,
)
from texsamp.errors import CaptureError
from texsamp.state import RenderSurfaceState, SurfaceType
from texsamp.state.data_port import AtomicOperation, RenderCacheDescriptor
from texsamp.state.formats import surface_format
from texsamp.surface.layout.view import SurfaceView
from texsamp.surface.texels import load_texels, store_texels

_SLOTS = 8
_DWORD_B = 4
CHANNELS = "RGBA"
ADDRESSES = 4
"""Address parameters at most: U, V, R, LOD."""
_WHOLE_B = (2, 4, 8)
ATOMIC = ("R32_UINT", "R32_SINT", "R32_FLOAT")
"""Formats of 32 bits. The table has integers alone; OpenGL exchanges floats, too. There is nothing in others, which
images have that are bound with another format than the program's."""
READ_BY_DRIVERS = ("R8_UINT", "R16_UINT")
"""Formats that no table lets be read: Mesa reads images of 8 and 16 bits so, and has their bits in the low ones."""


@dataclass(frozen=True)
class _Texels:
    """The texel of every slot: byte offset, whether it lies in the surface, and whether it is enabled, (threads, 8)."""

    state: RenderSurfaceState
    offsets: NDArray[np.int64]
    inside: NDArray[np.bool_]
    enabled: NDArray[np.bool_]

    @cached_property
    def chosen(self) -> NDArray[np.bool_]:
        """Slots whose texels are read and written."""
        return self.enabled & self.inside

    @property
    def is_null(self) -> bool:
        """Whether there is no surface: what is read is 0, what is written is dropped (seed 003:1992)."""
        return is_nothing(self.state)


@dataclass(frozen=True)
class _Places:
    """Elements of a surface's memory: their byte offsets, one behind the other, and bytes of each.

    unit_B: of what is moved at once: of a whole element where all are at multiples of that, else a byte.
    """

    offsets: NDArray[np.int64]
    size_B: int  # noqa: N815 - the unit
    unit_B: int  # noqa: N815

    @classmethod
    def of(cls, texels: _Texels, chosen: NDArray[np.bool_]) -> _Places:
        size_B = surface_format(texels.state.code("format")).bits // 8
        offsets = texels.offsets.reshape(-1) if chosen.all() else texels.offsets[chosen]
        is_whole = size_B in _WHOLE_B and not (texels.state.base_address % size_B or (offsets % size_B).any())
        return cls(offsets, size_B, size_B if is_whole else 1)

    def _units(self, memory: Array) -> Array:
        units: Array = memory[: len(memory) // self.unit_B * self.unit_B].view(f"<u{self.unit_B}")
        return units

    def _numbers(self, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Of the units of elements."""
        within = np.arange(0, self.size_B, self.unit_B)
        return (offsets[:, None] + within) // self.unit_B

    def elements(self, device: Device, memory: Array) -> Array:
        """Bytes of the elements, one after the other."""
        found: Array = self._units(memory)[device.upload(self._numbers(self.offsets))].reshape(-1).view(np.uint8)
        return found

    def put(self, device: Device, memory: Array, elements: Array) -> None:
        """Store elements, of several at one place the last."""
        last, offsets = None if device.arrays is np else last_of_each(self.offsets), self.offsets
        units = self._units(memory)
        values = elements.reshape(-1).view(units.dtype).reshape(len(offsets), -1)
        if last is not None:
            offsets, values = offsets[last], values[device.upload(last)]
        units[device.upload(self._numbers(offsets))] = values


@dataclass
class Typed:
    """Executes typed messages to the render cache; CaptureError for what is illegal or not executed."""

    buffers: Buffers

    def read(self, message: Message, descriptor: RenderCacheDescriptor) -> None:
        """Texels as 32-bit channels; outside of the surface 0, and 1 in alpha; of a null surface all 0."""
        texels = self._texels(message, descriptor.binding_table_index, descriptor.slot_group, 0)
        info = surface_format(texels.state.code("format"))
        if not texels.is_null and not info.can("typed_read") and info.name not in READ_BY_DRIVERS:
            raise CaptureError(f"typed reads of {info.name} are not legal")
        kept = [c for c in range(4) if not descriptor.masked_channels[c]]
        chosen, device = texels.chosen, self.buffers.device
        outside = np.array([0, 0, 0, int(not texels.is_null)]).astype(number_of(info.name))
        values = device.upload(np.broadcast_to(outside, (*texels.offsets.shape, 4)).copy())
        if chosen.any():
            places = _Places.of(texels, chosen)
            elements, count = places.elements(device, self._memory(texels)), len(places.offsets)
            loaded = load_texels(elements, info.name, count, 1, channels="rgba", dtype=values.dtype, device=device)
            values.reshape(-1, 4)[device.upload(np.flatnonzero(chosen))] = loaded[0]
        data = values.view(np.uint32)[:, :, kept].transpose(0, 2, 1).reshape(len(values), -1)
        respond_enabled(message, data, np.tile(texels.enabled, len(kept)))

    def write(self, message: Message, descriptor: RenderCacheDescriptor) -> None:
        """32-bit channels into texels, slot after slot; channels left out keep what they were."""
        kept = [c for c in range(4) if not descriptor.masked_channels[c]]
        texels = self._texels(message, descriptor.binding_table_index, descriptor.slot_group, len(kept))
        info = surface_format(texels.state.code("format"))
        if not texels.is_null and not info.can("typed_write"):
            raise CaptureError(f"typed writes of {info.name} are not legal")
        sent = _behind_address(message, len(kept)).view(number_of(info.name))
        chosen = texels.chosen
        if not chosen.any():
            return
        device, some = self.buffers.device, None if chosen.all() else self.buffers.device.upload(np.flatnonzero(chosen))
        memory, places = self._memory(texels), _Places.of(texels, chosen)
        held = {channel.name for channel in info.channels}
        names = [name for name in CHANNELS if name in held]  # values come in this order, whatever memory's is
        if set(names) <= {CHANNELS[channel] for channel in kept}:
            values = device.empty((1, len(places.offsets), len(names)), sent.dtype)
        else:
            before, count = places.elements(device, memory), len(places.offsets)
            values = load_texels(before, info.name, count, 1, dtype=sent.dtype, device=device).copy()
        for number, channel in enumerate(kept):
            if CHANNELS[channel] in names:
                flat = sent[:, number].reshape(-1)
                values[0, :, names.index(CHANNELS[channel])] = flat if some is None else flat[some]
        places.put(device, memory, store_texels(values, info.name, device=device))
        self.buffers.surfaces.note_written(descriptor.binding_table_index, info.bits // 8)
        owner = self.buffers.surfaces.memory
        owner.touch(owner.find(texels.state.base_address), device)

    def atomic(self, message: Message, descriptor: RenderCacheDescriptor) -> None:
        """Read, change and write one dword per slot, one slot after the other."""
        operation = AtomicOperation(descriptor.operation)
        count = SOURCES[operation]
        texels = self._texels(message, descriptor.binding_table_index, descriptor.atomic_slot_group, count)
        is_legal = surface_format(texels.state.code("format")).name in ATOMIC
        data = _behind_address(message, count)
        sources = tuple(data[:, number] for number in range(count))
        buffer = Buffer(np.full(len(data), texels.state.base_address, np.int64), None)
        enabled = texels.chosen if is_legal else np.zeros_like(texels.chosen)
        self.buffers.surfaces.note_written(descriptor.binding_table_index, _DWORD_B)
        returned = self.buffers.exchange(buffer, texels.offsets, enabled, operation, sources, _DWORD_B)
        if descriptor.return_data:
            respond_enabled(message, returned.astype(np.uint32), texels.enabled)

    def _memory(self, texels: _Texels) -> Array:
        """Bytes from the base address on, of a surface that has chosen texels."""
        chosen = texels.chosen
        memory = self.buffers.surfaces.bytes_on(self.buffers.device, texels.state.base_address)
        size_B = surface_format(texels.state.code("format")).bits // 8
        if int(texels.offsets.max(where=chosen, initial=0)) + size_B > len(memory):
            raise CaptureError(f"a typed message to {texels.state.base_address:#x} leaves its buffer object")
        return memory

    def _texels(self, message: Message, index: int, slot_group: int, data_parameters: int) -> _Texels:
        header = read_header(message, required=False)
        if header.pixel_mask is None:
            raise CaptureError("typed messages need a header")
        count = message.length - header.registers - data_parameters
        if not 1 <= count <= ADDRESSES:
            raise CaptureError(f"a typed message of {message.length} registers does not fit its form")
        sent = message.dwords(header.registers, count).reshape(-1, count, _SLOTS).astype(np.int64)
        axes = [sent[:, axis] for axis in range(count)] + [np.zeros((1, 1), np.int64)] * (ADDRESSES - count)
        pixels = header.pixel_mask >> np.uint32(_SLOTS * slot_group)
        enabled = channel_mask(message)[:, :_SLOTS] & (pixels[:, None] >> np.arange(_SLOTS, dtype=np.uint32) & 1 != 0)
        state = self.buffers.surfaces.render(index)
        u, v, r, lod = axes
        offsets, inside = _placed(state, u, v, r, lod)
        return _Texels(state, offsets, inside, enabled)


def _placed(
    state: RenderSurfaceState,
    u: NDArray[np.int64],
    v: NDArray[np.int64],
    r: NDArray[np.int64],
    lod: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Byte offsets of texels from the base address, and which of them exist (003:9243-9268).

    u: (threads, slots); the others of that shape, or one number for all.
    """
    if is_nothing(state):
        return np.zeros(u.shape, np.int64), np.zeros(u.shape, np.bool_)
    tables = _tables(state)
    if tables is not None:
        of_x, of_y = tables
        inside = (u < len(of_x)) & (v < len(of_y)) & (lod == 0)
        if state.surface_array:
            inside &= r == 0
        if inside.all():
            return of_x[u] + of_y[v], inside
        return np.where(inside, of_x[np.where(inside, u, 0)] + of_y[np.where(inside, v, 0)], 0), inside
    view = SurfaceView.from_state(state)
    kind, description = state.surface_type, view.layout.description
    offsets, inside = np.zeros(u.shape, np.int64), np.zeros(u.shape, np.bool_)
    if kind == SurfaceType.SURFTYPE_BUFFER:
        inside = u < description.width_px
        return np.where(inside, u * state.pitch, 0), inside
    if kind not in (SurfaceType.SURFTYPE_1D, SurfaceType.SURFTYPE_2D, SurfaceType.SURFTYPE_3D):
        raise CaptureError(f"typed messages need a 1D, 2D, 3D or BUFFER surface, not {kind.name}")
    if description.samples > 1:
        raise CaptureError("typed messages to multisampled surfaces are not executed")
    flat = kind == SurfaceType.SURFTYPE_1D
    y, layer = (np.zeros_like(v), v) if flat else (v, r)
    layers = 1
    if kind == SurfaceType.SURFTYPE_3D or description.is_array:
        layers = description.depth_px if kind == SurfaceType.SURFTYPE_3D else description.slices - view.first_layer
    else:
        layer = np.zeros_like(layer)
    for level in range(len(view.layout.levels) - view.first_level):
        placed = view.layout.levels[level + view.first_level]
        depth = placed.depth_px if kind == SurfaceType.SURFTYPE_3D else layers
        here = (lod == level) & (u < placed.width_px) & (y < placed.height_px) & (layer < depth)
        slice_name = "z" if kind == SurfaceType.SURFTYPE_3D else "layer"
        if here.all():
            place = view.address(u, y, level=level, **{slice_name: layer}) - state.base_address
            return np.broadcast_to(place, u.shape), np.broadcast_to(here, u.shape)
        if here.any():
            x, row, slice = (np.broadcast_to(axis, u.shape)[here] for axis in (u, y, layer))
            offsets[here] = view.address(x, row, level=level, **{slice_name: slice}) - state.base_address
            inside |= here
    return offsets, inside


def is_nothing(state: RenderSurfaceState) -> bool:
    """Whether no texel is there.

    Mesa has RAW for images whose format it cannot read; a program that was told another one sends typed messages to it.
    """
    return bool(state.surface_type == SurfaceType.SURFTYPE_NULL or surface_format(state.code("format")).name == "RAW")


@lru_cache(maxsize=16)
def _tables(state: RenderSurfaceState) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Of pictures of one level and layer what columns and rows add to byte offsets; None for other surfaces.

    Columns and rows set bits of their own in a tile, so that they add up.
    """
    if state.surface_type != SurfaceType.SURFTYPE_2D:
        return None
    view = SurfaceView.from_state(state)
    description = view.layout.description
    layers = description.slices - view.first_layer if description.is_array else 1
    if layers != 1 or description.samples > 1 or len(view.layout.levels) != 1:
        return None
    of_x = view.address(np.arange(description.width_px), 0) - state.base_address
    of_y = view.address(0, np.arange(description.height_px)) - view.address(0, 0)
    return np.asarray(of_x, np.int64), np.asarray(of_y, np.int64)


def number_of(format: str) -> np.dtype[Any]:
    """Type of a message's channels: UINT and SINT formats have integers, all others floats (003:9103-9107)."""
    return np.dtype(np.uint32 if format.endswith("UINT") else np.int32 if format.endswith("SINT") else np.float32)


def _behind_address(message: Message, count: int) -> Array:
    """The last parameters of the payload, (threads, parameters, slots), where the registers are."""
    data = message.dwords_on_device(message.length - count, count)
    return data.reshape(len(message.rows), count, _SLOTS)
