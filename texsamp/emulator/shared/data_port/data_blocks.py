"""OWord block and OWord dual block messages (seed 003:8351-8586, holes P2 to P5)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from texsamp.emulator.context.surfaces import LAST_BINDING_TABLE_INDEX
from texsamp.emulator.eu.sends.device_payloads import Unasked
from texsamp.emulator.eu.sends.messages import Message
from texsamp.emulator.shared.data_port.buffers import (
    DWORD_B,
    Buffers,
    Header,
    channel_mask,
    read_header,
    respond_enabled,
)
from texsamp.emulator.shared.data_port.messages_on_device import read_blocks
from texsamp.errors import CaptureError
from texsamp.state import SurfaceType
from texsamp.state.data_port import DualBlockSize, OWordBlockSize

OWORD_B, _REGISTER_DWORDS = 16, 8
OWORDS = {
    OWordBlockSize.OWORD_1_LOW: 1,
    OWordBlockSize.OWORD_1_HIGH: 1,
    OWordBlockSize.OWORDS_2: 2,
    OWordBlockSize.OWORDS_4: 4,
    OWordBlockSize.OWORDS_8: 8,
}
DUAL_OWORDS = {DualBlockSize.OWORD_1: 1, DualBlockSize.OWORDS_4: 4}
_OFFSET_LOOKS = ((2, 0xFFFFFFFF),)
"""The dword of the header that offsets are in."""
_BLOCK_OFFSETS = [0, 4]
"""Dwords of the payload that hold the offsets of the two blocks of a dual message."""


@dataclass
class DataBlocks:
    """Executes OWord block messages; CaptureError for what is illegal or lies where nothing is mapped."""

    buffers: Buffers

    def read(self, message: Message, index: int, size: int, *, aligned: bool) -> None:
        """OWord block read; unaligned ones count the offset in bytes, a multiple of 4."""
        size = OWordBlockSize(size)
        header = read_header(message, required=True)
        offsets = header.offset * (OWORD_B if aligned else 1)
        if not aligned and (offsets % DWORD_B).any():
            raise CaptureError("an unaligned OWord block begins at whole dwords")
        buffer = self.buffers.find(header, index, OWORD_B)
        if (offsets == offsets[0]).all() and (buffer.base == buffer.base[0]).all():  # constants: once for all threads
            offsets, buffer = offsets[:1], replace(buffer, base=buffer.base[:1])
        dwords = offsets[:, None] + DWORD_B * np.arange(OWORDS[size] * 4)
        data = self.buffers.load(buffer, dwords, None)
        if size == OWordBlockSize.OWORD_1_HIGH and message.destination is not None:
            held = message.held_on_device(1)
            held[:, OWORD_B // DWORD_B :] = data
            data = held
        message.respond(data.view(np.uint8))

    def read_unasked(self, message: Unasked, index: int, size: int) -> bool:
        """OWord block read of a buffer, with offsets left in headers; none leads beyond the buffer object."""
        size = OWordBlockSize(size)
        dwords = min(OWORDS[size] * 4, message.response_length * _REGISTER_DWORDS)
        is_whole = message.has_header and message.length and message.has_registers and dwords
        if not is_whole or message.destination is None or index > LAST_BINDING_TABLE_INDEX:
            return False
        state = self.buffers.surfaces.render(index)
        if state.surface_type != SurfaceType.SURFTYPE_BUFFER or state.base_address % DWORD_B:
            return False
        size_B, memory = state.entries * OWORD_B, self.buffers.surfaces.memory
        extent_B = memory.extent(state.base_address)
        if size_B > extent_B:
            ((_, offset),) = message.ranges(_OFFSET_LOOKS).tolist()  # beyond 2^31 is beyond any buffer
            if min(offset * OWORD_B + dwords * DWORD_B, size_B) > extent_B:
                return False
        first_B = OWORD_B if size == OWordBlockSize.OWORD_1_HIGH else 0
        read_blocks(message, memory.bytes_on(self.buffers.device, state.base_address), size_B, dwords, first_B)
        return True

    def write(self, message: Message, index: int, size: int) -> None:
        """OWord block write; each bit of the execution mask enables one dword of a pair of registers."""
        size = OWordBlockSize(size)
        header = read_header(message, required=True)
        count = OWORDS[size] * 4
        first = 4 if size == OWordBlockSize.OWORD_1_HIGH else 0
        data = message.dwords_on_device(1, -(-(first + count) // 8))[:, first : first + count]
        offsets = header.offset[:, None] * OWORD_B + DWORD_B * np.arange(count)
        channels = (np.arange(count) + first) % 16
        self.buffers.surfaces.note_written(index)
        self.buffers.store(self.buffers.find(header, index, OWORD_B), offsets, data, channel_mask(message)[:, channels])

    def read_dual(self, message: Message, index: int, size: int) -> None:
        """OWord dual block read; an OWord is read if any of its four channels is enabled, else its half is kept."""
        header = read_header(message, required=False)
        owords = DUAL_OWORDS[DualBlockSize(size)]
        offsets = self._dual_offsets(message, header, owords)
        halves = channel_mask(message)[:, :8].reshape(-1, 2, 4).any(axis=2)
        enabled = np.tile(np.repeat(halves, 4, axis=1), owords)
        data = self.buffers.load(self.buffers.find(header, index, OWORD_B), offsets, enabled)
        respond_enabled(message, data, enabled)

    def write_dual(self, message: Message, index: int, size: int) -> None:
        """OWord dual block write; each of the low 8 bits of the execution mask enables a dword of every register."""
        header = read_header(message, required=False)
        owords = DUAL_OWORDS[DualBlockSize(size)]
        data = message.dwords_on_device(header.registers + 1, owords)
        enabled = np.tile(channel_mask(message)[:, :8], owords)
        offsets = self._dual_offsets(message, header, owords)
        self.buffers.surfaces.note_written(index)
        self.buffers.store(self.buffers.find(header, index, OWORD_B), offsets, data, enabled)

    @staticmethod
    def _dual_offsets(message: Message, header: Header, owords: int) -> NDArray[np.int64]:
        """Byte offsets of every dword: register k holds OWord k of block 0 in its low half, of block 1 in its high."""
        blocks = message.dwords(header.registers, 1)[:, _BLOCK_OFFSETS].astype(np.int64) + header.offset[:, None]
        places = blocks[:, None, :, None] + np.arange(owords)[None, :, None, None]
        dwords = places * OWORD_B + DWORD_B * np.arange(4)
        return np.asarray(dwords.reshape(len(blocks), -1))
