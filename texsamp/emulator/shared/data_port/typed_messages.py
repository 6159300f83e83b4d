"""Typed messages, carried out where their threads are: texels are placed, read, converted and stored there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from texsamp.device.base import Array
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.shared.data_port import element_forms as forms
from texsamp.emulator.shared.data_port.atomics import SOURCES
from texsamp.emulator.shared.data_port.buffers import DWORD_B, Buffers
from texsamp.emulator.shared.data_port.elements_on_device import Elements, Target, note_written
from texsamp.emulator.shared.data_port.texels_on_device import (
    NO_IMAGES,
    OFF,
    OUTSIDE,
    SLOTS,
    Images,
    TexelSlots,
    images_of,
)
from texsamp.emulator.shared.data_port.typed import (
    ADDRESSES,
    ATOMIC,
    CHANNELS,
    READ_BY_DRIVERS,
    is_nothing,
    number_of,
)
from texsamp.state import RenderSurfaceState
from texsamp.state.data_port import AtomicOperation, RenderCacheDescriptor
from texsamp.state.formats import SurfaceFormatInfo, surface_format
from texsamp.surface.texels import load_texels, store_texels


@dataclass(frozen=True)
class _Typed:
    """A message that can be carried out. memory: from the surface's first byte on; None if it has no texels."""

    state: RenderSurfaceState
    info: SurfaceFormatInfo
    images: Images
    slots: TexelSlots
    memory: Array | None


@dataclass
class TypedMessages:
    """Carries typed messages out, if nothing of them must come to the host; what is illegal is left to others."""

    buffers: Buffers

    def read(self, message: Unasked, descriptor: RenderCacheDescriptor) -> bool:
        """See `Typed`."""
        kept = forms.channels_of(descriptor.masked_channels)[: message.response_length]
        found = self._found(message, descriptor.binding_table_index, descriptor.slot_group, 0)
        if found is None:
            return False
        info, threads = found.info, message.threads
        if found.memory is not None and not info.can("typed_read") and info.name not in READ_BY_DRIVERS:
            return False
        if message.destination is None or not kept:
            return True
        places, dtype = found.slots.places(), number_of(info.name)
        values = threads.arrays.zeros((threads.count * SLOTS, 4), dtype)
        if found.memory is not None:
            elements, count = found.slots.elements(found.memory, places), threads.count * SLOTS
            device = self.buffers.device
            loaded = load_texels(
                elements.reshape(-1), info.name, count, 1, channels="rgba", dtype=dtype, device=device
            )[0]
            (outside,) = threads.kept(np.array([[0, 0, 0, 1]]).astype(dtype))
            values = np.where((places >= 0).reshape(-1, 1), loaded, outside)
        data = values.view(np.uint32).reshape(threads.count, SLOTS, 4).transpose(0, 2, 1)
        held = threads.general(message.destination, len(kept)).view("<u4")
        target = held.reshape(threads.count, len(kept), SLOTS)
        for number, channel in enumerate(kept):
            np.copyto(target[:, number], data[:, channel], where=places != OFF)
        return True

    def write(self, message: Unasked, descriptor: RenderCacheDescriptor) -> bool:
        """See `Typed`."""
        kept, index = forms.channels_of(descriptor.masked_channels), descriptor.binding_table_index
        if message.response_length:
            return False
        found = self._found(message, index, descriptor.slot_group, len(kept))
        if found is None or (found.memory is not None and not found.info.can("typed_write")):
            return False
        if found.memory is None:
            return True
        info, threads, device = found.info, message.threads, self.buffers.device
        names = [name for name in CHANNELS if name in {channel.name for channel in info.channels}]
        dtype, size_B = number_of(info.name), info.bits // 8
        if set(names) <= {CHANNELS[channel] for channel in kept}:
            values = device.empty((1, threads.count * SLOTS, len(names)), dtype)
        else:
            elements = found.slots.elements(found.memory, found.slots.places())
            count = threads.count * SLOTS
            values = load_texels(elements.reshape(-1), info.name, count, 1, dtype=dtype, device=device).copy()
        if kept:
            first = message.source + message.length - len(kept)
            sent = threads.general(first, len(kept)).view(dtype).reshape(threads.count, len(kept), SLOTS)
        for number, channel in enumerate(kept):
            if CHANNELS[channel] in names:
                values[0, :, names.index(CHANNELS[channel])] = sent[:, number].reshape(-1)
        surfaces, base = self.buffers.surfaces, found.state.base_address
        stored = surfaces.note_written_if(device, index, size_B)
        made = store_texels(values, info.name, device=device).reshape(-1, size_B)
        found.slots.store(made, found.memory, stored, is_whole=not base % DWORD_B)
        surfaces.memory.touch(surfaces.memory.find(base), device)
        return True

    def atomic(self, message: Unasked, descriptor: RenderCacheDescriptor) -> bool:
        """See `Typed`."""
        operation, index = AtomicOperation(descriptor.operation), descriptor.binding_table_index
        sources, returns = SOURCES[operation], bool(descriptor.return_data and message.response_length)
        found = self._found(message, index, descriptor.atomic_slot_group, sources, is_anywhere=True)
        if found is None:
            return False
        memory = found.memory if found.info.name in ATOMIC else None
        if memory is not None and (found.state.base_address % DWORD_B or not found.images.are_dwords):
            return False
        places = found.slots.places()
        if memory is None:  # there is nothing
            places = np.where(places == OFF, places, np.int64(OUTSIDE))
        axes = message.length - 1 - sources
        form = forms.exchanged(SLOTS, axes, DWORD_B, sources, has_header=True, returns=returns)
        surfaces, base = self.buffers.surfaces, found.state.base_address
        if memory is not None and found.images.end_B > len(memory):  # what follows may be another buffer object's
            addresses = np.where(places < 0, places, places + base)
            elements, memory = Elements(message, form, Target(), surfaces.memory, addresses), None
            if not elements.are_mapped():
                return False
        else:
            elements = Elements(message, form, Target(base), surfaces.memory, places)
        self.buffers.budget.spend(max(1, elements.parts))
        elements.atomic(int(operation), memory)
        note_written(message, surfaces, index, DWORD_B)
        return True

    def _found(
        self, message: Unasked, index: int, group: int, parameters: int, *, is_anywhere: bool = False
    ) -> _Typed | None:
        """None of forms that are none, of surfaces that are not reached, and of texels beyond their buffer object.

        Where those are is asked of surfaces alone that reach beyond it, and not if they may be anywhere.
        """
        axes = message.length - 1 - parameters
        if not message.has_header or not message.has_registers or not 1 <= axes <= ADDRESSES:
            return None
        surfaces, device = self.buffers.surfaces, self.buffers.device
        state = surfaces.render(index)
        info = surface_format(state.code("format"))
        images = NO_IMAGES if is_nothing(state) else images_of(state)
        if images is None:
            return None
        slots = TexelSlots(message, images, info.bits // 8, axes=axes, group=SLOTS * group)
        if is_nothing(state):
            return _Typed(state, info, images, slots, None)
        memory = surfaces.bytes_on(device, state.base_address)
        if images.end_B > len(memory) and not is_anywhere and slots.end_B > len(memory):
            return None
        return _Typed(state, info, images, slots, memory)
