"""Untyped surface reads, writes and atomic operations: dwords of raw and structured buffers (seed 003:9089-10050)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.device.base import Array
from texsamp.emulator.context.surfaces import LAST_BINDING_TABLE_INDEX, SHARED, STATELESS
from texsamp.emulator.eu.sends.messages import Message
from texsamp.emulator.shared.data_port.atomics import SOURCES
from texsamp.emulator.shared.data_port.buffers import (
    DWORD_B,
    Buffer,
    Buffers,
    Header,
    channel_mask,
    read_header,
    respond_enabled,
)
from texsamp.errors import CaptureError
from texsamp.state import SurfaceType
from texsamp.state.data_port import AtomicOperation, DataCacheDescriptor, UntypedSimd
from texsamp.state.formats import surface_format

QWORD_B = 8
BUFFERS = (SurfaceType.SURFTYPE_BUFFER, SurfaceType.SURFTYPE_STRBUF)
SLOTS = {UntypedSimd.SIMD8: 8, UntypedSimd.SIMD16: 16}


@dataclass(frozen=True)
class _Slots:
    """Where each slot's element begins: byte offsets and how far it may reach, (threads, slots)."""

    buffer: Buffer
    offsets: NDArray[np.int64]
    inside: NDArray[np.int64]
    enabled: NDArray[np.bool_]

    def dwords(self, count: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Offsets of `count` dwords per slot, slots last: (threads, count, slots); those outside are off."""
        places = self.offsets[:, None, :] + DWORD_B * np.arange(count)[:, None]
        enabled = self.enabled[:, None, :] & (self.inside[:, None, :] >= DWORD_B * np.arange(1, count + 1)[:, None])
        return places, enabled


@dataclass
class Untyped:
    """Executes untyped messages to the data cache; CaptureError for what is illegal or not executed."""

    buffers: Buffers

    def read(self, message: Message, descriptor: DataCacheDescriptor) -> None:
        """Up to four dwords per slot; disabled slots keep what the response registers held."""
        masked = list(descriptor.masked_channels)
        if all(masked):
            raise CaptureError("an untyped read returns at least one channel")
        if descriptor.simd_mode == UntypedSimd.SIMD4X2:
            self._read_two(message, descriptor, masked)
            return
        slots = self._slots(message, descriptor.binding_table_index, _simd(descriptor), 0)
        places, enabled = slots.dwords(4)
        kept = [channel for channel in range(4) if not masked[channel]]
        places, enabled = places[:, kept], enabled[:, kept]
        data = self._load(slots.buffer, places, enabled)
        written = np.broadcast_to(slots.enabled[:, None, :], data.shape)
        respond_enabled(message, data.reshape(len(data), -1), written.reshape(len(data), -1))

    def _read_two(self, message: Message, descriptor: DataCacheDescriptor, masked: list[bool]) -> None:
        """SIMD4x2: two slots, all channels in one register."""
        header = read_header(message, required=False)
        address = message.dwords(header.registers, 1).reshape(-1, 2, 4).astype(np.int64)
        enabled = channel_mask(message)[:, :8].reshape(-1, 2, 4).any(axis=2)
        index = descriptor.binding_table_index
        slots = self._resolve(message, header, index, address[:, :, 0], address[:, :, 1], np.asarray(enabled))
        places, chosen = slots.dwords(4)
        data = self._load(slots.buffer, places, chosen).transpose(0, 2, 1).reshape(len(places), 8)
        written = (np.asarray(enabled)[:, :, None] & ~np.array(masked)).reshape(len(places), 8)
        respond_enabled(message, data, written)

    def write(self, message: Message, descriptor: DataCacheDescriptor) -> None:
        """Up to four dwords per slot, in ascending order of thread and slot."""
        masked, count = list(descriptor.masked_channels), _simd(descriptor)
        channels = 4 - sum(masked)
        if not channels or masked != sorted(masked):
            raise CaptureError("an untyped write has red, and no channel behind one that is left out")
        slots = self._slots(message, descriptor.binding_table_index, count, channels)
        data = _behind_address(message, channels, count)
        places, enabled = slots.dwords(channels)

        def by_slot(array: Array) -> Array:
            """Slots after each other, so that a later one overwrites an earlier one as a whole."""
            return array.transpose(0, 2, 1).reshape(len(array), -1)

        self.buffers.surfaces.note_written(descriptor.binding_table_index)
        self.buffers.store(slots.buffer, by_slot(places), by_slot(data), by_slot(enabled))

    def atomic(self, message: Message, descriptor: DataCacheDescriptor) -> None:
        """Read, change and write one dword (CMPWR8B: two) per slot, one slot after the other."""
        operation = AtomicOperation(descriptor.operation)
        count = 8 if descriptor.atomic_simd8 else 16
        wide = operation is AtomicOperation.CMPWR8B
        unit = QWORD_B if wide else DWORD_B
        parameters = SOURCES[operation] * (2 if wide else 1)
        slots = self._slots(message, descriptor.binding_table_index, count, parameters)
        if (slots.offsets[slots.enabled] % unit).any():
            raise CaptureError("AOP_CMPWR8B needs addresses of whole qwords")
        data = _behind_address(message, parameters, count)
        if wide:
            wider = data.astype(np.uint64)
            data = wider[:, 0::2] | wider[:, 1::2] << np.uint64(32)
        sources = tuple(data[:, number] for number in range(data.shape[1]))
        enabled = slots.enabled & (slots.inside >= unit)
        self.buffers.surfaces.note_written(descriptor.binding_table_index)
        returned = self.buffers.exchange(slots.buffer, slots.offsets, enabled, operation, sources, unit)
        if descriptor.return_data:
            parts = [returned.astype(np.uint32)] + ([(returned >> np.uint64(32)).astype(np.uint32)] if wide else [])
            respond_enabled(message, np.concatenate(parts, axis=1), np.tile(slots.enabled, len(parts)))

    def _slots(self, message: Message, index: int, count: int, data_parameters: int) -> _Slots:
        """Slots of a SIMD8 or SIMD16 message, of which `data_parameters` follow the address."""
        header = read_header(message, required=False)
        registers = count // 8
        sent, uneven = divmod(message.length - header.registers - data_parameters * registers, registers)
        if sent not in (1, 2) or uneven:
            raise CaptureError(f"an untyped message of {message.length} registers does not fit its form")
        address = message.dwords(header.registers, sent * registers).reshape(-1, sent, count).astype(np.int64)
        enabled = channel_mask(message)[:, :count]
        if header.pixel_mask is not None:
            enabled = enabled & (header.pixel_mask[:, None] >> np.arange(count) & 1 != 0)
        v = address[:, 1] if sent == 2 else np.zeros_like(address[:, 0])
        return self._resolve(message, header, index, address[:, 0], v, enabled)

    def _resolve(
        self,
        message: Message,
        header: Header,
        index: int,
        u: NDArray[np.int64],
        v: NDArray[np.int64],
        enabled: NDArray[np.bool_],
    ) -> _Slots:
        if index == STATELESS:
            buffer = self.buffers.find(header, index, 1)
            offsets, inside = u, np.full(u.shape, 1 << 32, np.int64)
        elif index == SHARED:
            buffer = self.buffers.shared(message)
            offsets, inside = u, np.full(u.shape, 1 << 32, np.int64)
        else:
            if index > LAST_BINDING_TABLE_INDEX:
                raise CaptureError(f"binding table index {index} names no surface state")
            state = self.buffers.surfaces.render(index)
            if state.surface_type not in BUFFERS or surface_format(state.code("format")).name != "RAW":
                nowhere = np.zeros_like(u)  # nothing lies inside (seed 003:1992)
                return _Slots(Buffer(np.zeros(len(u), np.int64), None), nowhere, nowhere, enabled)
            buffer = Buffer(np.full(len(u), state.base_address, np.int64), None)
            if state.surface_type == SurfaceType.SURFTYPE_BUFFER:
                offsets, inside = u, state.entries - u
            else:
                offsets = u * state.pitch + v
                inside = np.where(u < state.entries, state.pitch - v, 0)
            if state.base_address % DWORD_B:
                raise CaptureError(f"surface {index} begins at {state.base_address:#x}, within a dword")
        if (offsets[enabled] % DWORD_B).any():
            raise CaptureError("untyped messages need addresses of whole dwords")
        return _Slots(buffer, offsets, inside, enabled)

    def _load(self, buffer: Buffer, places: NDArray[np.int64], enabled: NDArray[np.bool_]) -> Array:
        flat = (len(places), -1)
        return self.buffers.load(buffer, places.reshape(flat), enabled.reshape(flat)).reshape(places.shape)


def _simd(descriptor: DataCacheDescriptor) -> int:
    mode = descriptor.simd_mode
    if mode not in SLOTS:
        raise CaptureError(f"SIMD mode {mode} of an untyped message is not legal")
    return SLOTS[UntypedSimd(mode)]


def _behind_address(message: Message, parameters: int, count: int) -> Array:
    """The last parameters of the payload, (threads, parameters, slots), where the registers are."""
    registers = parameters * count // 8
    return message.dwords_on_device(message.length - registers, registers).reshape(len(message.rows), parameters, count)
