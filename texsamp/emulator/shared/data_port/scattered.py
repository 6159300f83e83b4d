"""DWord and byte scattered messages (seed 003:8830-9060, holes P2 and P6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from texsamp.device.base import Array
from texsamp.emulator.context.surfaces import SHARED
from texsamp.emulator.eu.sends.messages import Message
from texsamp.emulator.shared.data_port.buffers import DWORD_B, Buffer, Buffers, Header, channel_mask, read_header
from texsamp.errors import CaptureError
from texsamp.state.data_port import ByteCount, ScatterSize

ELEMENT_B = {"dwords": 16, "bytes": 4}
"""Size of a buffer's elements for bounds, whatever its pitch says."""
SLOTS = {ScatterSize.DWORDS_8: 8, ScatterSize.DWORDS_16: 16}
BYTES = {ByteCount.BYTE_1: 1, ByteCount.BYTES_2: 2, ByteCount.BYTES_4: 4}


@dataclass
class Scattered:
    """Executes scattered messages: slots of the execution mask, each with an offset of its own."""

    buffers: Buffers

    def read_dwords(self, message: Message, index: int, size: int) -> None:
        """DWord scattered read; disabled slots keep what the response registers held."""
        header, slots = read_header(message, required=False), SLOTS[ScatterSize(size)]
        offsets = _offsets(message, header, slots) * DWORD_B
        enabled = channel_mask(message)[:, :slots]
        data = self.buffers.load(self.buffers.find(header, index, ELEMENT_B["dwords"]), offsets, enabled)
        _respond(message, data, enabled, np.uint32(0xFFFFFFFF))

    def write_dwords(self, message: Message, index: int, size: int) -> None:
        """DWord scattered write; of slots with one address the highest wins."""
        header, slots = read_header(message, required=False), SLOTS[ScatterSize(size)]
        data = message.dwords_on_device(header.registers + slots // 8, slots // 8)
        offsets = _offsets(message, header, slots) * DWORD_B
        buffer = self.buffers.find(header, index, ELEMENT_B["dwords"])
        self.buffers.surfaces.note_written(index)
        self.buffers.store(buffer, offsets, data, channel_mask(message)[:, :slots])

    def read_bytes(self, message: Message, index: int, count: int, *, simd16: bool) -> None:
        """Byte scattered read: 1, 2 or 4 bytes at any address, into the low bytes of the slot's dword."""
        header, slots, size = read_header(message, required=False), 16 if simd16 else 8, _bytes(count)
        places, enabled = _spread(_offsets(message, header, slots), channel_mask(message)[:, :slots], size)
        loaded = self.buffers.load(self._bytes_of(message, header, index), places, enabled, unit=1)
        parts = loaded.reshape(len(places), slots, size)
        data = parts[:, :, 0]
        for number in range(1, size):
            data = data | parts[:, :, number] << np.uint32(8 * number)
        _respond(message, data, channel_mask(message)[:, :slots], np.uint32((1 << 8 * size) - 1))

    def write_bytes(self, message: Message, index: int, count: int, *, simd16: bool) -> None:
        """Byte scattered write of the low 1, 2 or 4 bytes of every slot's dword."""
        header, slots, size = read_header(message, required=False), 16 if simd16 else 8, _bytes(count)
        data = message.dwords_on_device(header.registers + slots // 8, slots // 8)
        places, enabled = _spread(_offsets(message, header, slots), channel_mask(message)[:, :slots], size)
        shifts = message.threads.upload(8 * np.arange(size, dtype=np.uint32))
        parts = (data[:, :, None] >> shifts & np.uint32(0xFF)).reshape(places.shape)
        buffer = self._bytes_of(message, header, index)
        self.buffers.surfaces.note_written(index)
        self.buffers.store(buffer, places, parts, enabled, unit=1)

    def _bytes_of(self, message: Message, header: Header, index: int) -> Buffer:
        if index == SHARED:
            return self.buffers.shared(message)
        return self.buffers.find(header, index, ELEMENT_B["bytes"])


def _bytes(code: int) -> int:
    if code not in {member.value for member in BYTES}:
        raise CaptureError(f"byte count code {code} is reserved")
    return BYTES[ByteCount(code)]


def _offsets(message: Message, header: Header, slots: int) -> NDArray[np.int64]:
    """Offset of every slot in the message's unit, the global one added."""
    own = message.dwords(header.registers, slots // 8).astype(np.int64)
    return np.asarray(header.offset[:, None] + own)


def _spread(
    offsets: NDArray[np.int64], enabled: NDArray[np.bool_], size: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Every byte of slots of several bytes."""
    places = (offsets[:, :, None] + np.arange(size)).reshape(len(offsets), -1)
    return places, np.repeat(enabled, size, axis=1)


def _respond(message: Message, data: Array, enabled: NDArray[np.bool_], bits: np.uint32) -> None:
    """Answer with the bits of enabled slots; all other bits of the response registers are kept."""
    if message.destination is None:
        return
    held = message.held_on_device(data.shape[1] // 8)
    changed = message.threads.upload(np.where(enabled, bits, np.uint32(0)))
    message.respond((data & changed | held & ~changed).astype("<u4").view(np.uint8))
